//! The program as a person or a script meets it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PATCH: &str = r#"{"op":"patch","object":{"a":1},"patch":[{"op":"replace","path":"/a","value":2}]}"#;
const PATCHED: &str = r#"{"ok":{"object":{"a":2}}}"#;

/// Every way to run the engine.
const BOTH: [&[&str]; 2] = [&[], &["--native"]];

#[test]
fn call_answers_line_by_line() {
    for how in BOTH {
        let output = call(how, format!("{PATCH}\n\n  \r\n{PATCH}").as_bytes());
        assert_eq!(text(&output.stdout), format!("{PATCHED}\n{PATCHED}\n"));
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn call_answers_before_it_reads_on() {
    for how in BOTH {
        let mut child =
            fleetfold(&[&["call"], how].concat()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        for _ in 0..2 {
            writeln!(stdin, "{PATCH}").unwrap();
            let mut answer = vec![0; PATCHED.len() + 1];
            stdout.read_exact(&mut answer).unwrap();
            assert_eq!(text(&answer), format!("{PATCHED}\n"));
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn call_goes_on_after_a_line_that_is_not_utf_8() {
    for how in BOTH {
        let output = call(how, &[b"{\"op\":\"\xff\"}\n", PATCH.as_bytes()].concat());
        let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with(r#"{"error":{"code":"bad-request""#), "{}", lines[0]);
        assert_eq!(lines[1], PATCHED);
    }
}

#[test]
fn call_goes_on_after_a_line_that_is_too_long() {
    let long = vec![b' '; (64 << 20) + 1];
    let output = call(&[], &[&long, b"\n".as_slice(), PATCH.as_bytes()].concat());
    let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains(r#""code":"request-too-large""#), "{}", lines[0]);
    assert_eq!(lines[1], PATCHED);
}

#[test]
fn call_is_quiet_when_its_reader_leaves() {
    let mut child =
        fleetfold(&["call"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The program may be gone before it has read all.
    let _ = writeln!(stdin, "{PATCH}\n{PATCH}");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn call_runs_another_module_and_survives_it() {
    let module = write("hangs.wasm", &wat::parse_str(HANGS).unwrap());
    let output = call(&["--module", &module, "--timeout", "100ms", "--memory", "64KiB"], b"hello\nboom\nhello\n");
    let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[0].as_str(), lines[2].as_str()), ("fine", "fine"));
    assert!(lines[1].starts_with(r#"{"error":{"code":"deadline-exceeded","hint":""#), "{}", lines[1]);
    assert!(lines[1].contains("longer than 100ms"), "{}", lines[1]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_module_that_cannot_be_run_is_a_failure_with_a_hint() {
    let text_file = write("not-a-module.wasm", b"hello");
    let imports = write("imports.wasm", &wat::parse_str(r#"(module (import "env" "now" (func)))"#).unwrap());
    fails(&["call", "--module", "nowhere.wasm"], "`nowhere.wasm` cannot be read");
    fails(&["call", "--module", &text_file], "not a module");
    fails(&["vectors", ".", "--module", &imports], "the module imports `env.now`");
    fails(&["serve", "--port", "0", "--module", &imports], "the module imports `env.now`");
}

/// A module with another interface is refused before any vector runs.
#[test]
fn vectors_refuse_a_module_with_another_interface() {
    let folder = vectors("interface", &[("a/holds", &case("holds", PATCH, PATCHED))]);
    let refused = |name: &str, module: &str, message: &str| {
        let file = write(&format!("interface-{name}.wasm"), &wat::parse_str(module).unwrap());
        fails(&["vectors", &folder, "--module", &file], message);
    };
    for export in ["memory", "fleetfold_abi", "fleetfold_alloc", "fleetfold_free", "fleetfold_call"] {
        let without = HANGS.replace(&format!("(export \"{export}\")"), "");
        refused(export, &without, &format!("the module has no export `{export}`"));
    }
    let other_type =
        HANGS.replace("(export \"fleetfold_free\") (param i32 i32)", "(export \"fleetfold_free\") (param i32)");
    refused("type", &other_type, "the module has no export `fleetfold_free` of the right type");
    for abi in [0, 2] {
        let other = HANGS.replace("(result i32) (i32.const 1))", &format!("(result i32) (i32.const {abi}))"));
        refused(&format!("abi-{abi}"), &other, &format!("the module speaks version {abi} of the interface, not 1"));
    }
    refused("start", &HANGS.replace("(memory", "(func $hang (loop (br 0))) (start $hang) (memory"), "longer than 2s");
}

/// A module that misbehaves fails its vectors, and the run ends.
#[test]
fn vectors_survive_a_hostile_module() {
    let names = ["a", "b", "c", "d", "e", "f", "g"].map(|it| (format!("s/{it}"), case(it, PATCH, PATCHED)));
    let files: Vec<(&str, &str)> = names.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let folder = vectors("hostile", &files);
    let shown = |name: &str, call: &str, options: &[&str]| {
        let module = HANGS.replace("(i64.const 0x1000000004)", call);
        let file = write(&format!("hostile-{name}.wasm"), &wat::parse_str(module).unwrap());
        let output = run(&[&["vectors", &folder, "--module", &file], options].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    // Another answer is a difference, and all vectors run.
    let foreign = shown("foreign", "(i64.const 0x1000000004)", &[]);
    assert!(foreign.contains("failed s/a.json\n  the answer\n    want JSON\n    got  fine\n"), "{foreign}");
    assert!(foreign.contains("answers sha256:") && foreign.ends_with("\n0 passed, 7 failed\n"), "{foreign}");
    // What the host has to stop ends the run after five vectors, so that a hanging module costs five deadlines.
    for (name, call, code) in [
        ("outside", "(i64.const 0xffffff0000000004)", "bad-answer"),
        ("empty", "(i64.const 0)", "bad-answer"),
        ("long", "(i64.const 0x10ffffffff)", "bad-answer"),
        ("hangs", "(loop (br 0)) (i64.const 0)", "deadline-exceeded"),
        ("traps", "(unreachable)", "trap"),
        ("grows", "(drop (memory.grow (i32.const 30000))) (unreachable)", "memory-limit"),
    ] {
        let shown = shown(name, call, &["--timeout", "100ms"]);
        assert!(shown.contains(&format!(r#"got  {{"code":"{code}""#)), "{name}: {shown}");
        assert!(shown.contains("\nthe module was stopped in 5 vectors in a row; 2 did not run\n"), "{name}: {shown}");
        assert!(!shown.contains("answers ") && shown.ends_with("\n0 passed, 7 failed\n"), "{name}: {shown}");
    }
}

#[test]
fn vectors_print_the_version_of_their_suite() {
    let folder = vectors("version", &[("a/holds", &case("holds", PATCH, PATCHED))]);
    let output = |arguments: &[&str]| {
        let output = run(&[&["vectors", "--native"], arguments].concat(), b"");
        text(&output.stdout).to_owned()
    };
    assert!(!output(&[&folder]).contains("version"));
    fs::write(Path::new(&folder).join("VERSION"), "1.20.3\n").unwrap();
    let shown = output(&[&folder]);
    assert!(shown.contains("failed\nversion 1.20.3\nanswers sha256:"), "{shown}");
    assert!(output(&[&folder, "-o", "json"]).trim_end().ends_with(r#","version":"1.20.3"}"#));
    // A part of a suite is not the suite.
    assert!(!output(&[&format!("{folder}/a")]).contains("version"));
    fs::write(Path::new(&folder).join("VERSION"), "v1").unwrap();
    fails(&["vectors", &folder, "--native"], "its file `VERSION` holds `v1`, which is not a version as `1.2.3`");
}

#[test]
fn printed_requests_are_answered_with_the_digest_of_the_vectors() {
    let twice =
        format!(r#"{{"name":"twice","seed":"003","why":"w","given":[{PATCH}],"request":{PATCH},"want":{PATCHED}}}"#);
    let folder = vectors("lines", &[("a/holds", &case("holds", PATCH, PATCHED)), ("b/twice", &twice)]);
    let requests = run(&["vectors", &folder, "--requests"], b"").stdout;
    let report = run(&["vectors", &folder, "--native"], b"");
    let digest = text(&report.stdout).lines().find(|it| it.starts_with("answers ")).unwrap().to_owned();
    for how in BOTH {
        let output = run(&[&["vectors", "-"], how].concat(), &requests);
        assert_eq!(text(&output.stdout), format!("{digest}\n2 answered\n"), "{}", text(&output.stderr));
    }
    let output = run(&["vectors", "-", "--native"], b"[\"{}\"]\n{}\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: line 2 is not a JSON list of requests as texts\nhint: "));
}

#[test]
fn wrong_usage_exits_with_2() {
    for args in [
        &["call", "--native", "--module", "x"][..],
        &["call", "--native", "--memory", "1GiB"],
        &["call", "--timeout", "2"],
        &["call", "--timeout", "0s"],
        &["call", "--memory", "1GB"],
        &["serve", "--port", "65536"],
        &["vectors"],
        &["nothing"],
        &[],
    ] {
        assert_eq!(run(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn vectors_that_hold_have_one_digest_in_both_engines() {
    let folder = vectors(
        "good",
        &[
            ("patch/replaces", &case("replaces", PATCH, PATCHED)),
            (
                "patch/refuses-text",
                r#"{"name":"refuses-text","seed":"contract","why":"w","text":"{","want":{"error":{"code":"bad-json"}}}"#,
            ),
            (
                "story/twice",
                &format!(
                    r#"{{"name":"twice","seed":"003","why":"w","steps":[{{"request":{PATCH},"want":{PATCHED}}},
                {{"text":{PATCH:?},"wantText":{PATCHED:?}}}]}}"#
                ),
            ),
        ],
    );
    let outputs = BOTH.map(|how| run(&[&["vectors", &folder], how].concat(), b""));
    for output in &outputs {
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        assert_eq!(shown, text(&outputs[0].stdout));
        assert!(
            shown.starts_with("patch      2 passed      0 failed\nstory      1 passed      0 failed\nanswers sha256:"),
            "{shown}"
        );
        assert!(shown.ends_with("\n3 passed, 0 failed\n"), "{shown}");
    }
}

#[test]
fn a_vector_that_fails_shows_where() {
    let folder = vectors(
        "bad",
        &[
            ("a/differs", &case("differs", PATCH, r#"{"ok":{"object":{"a":3,"b":[]}}}"#)),
            (
                "a/wants-a-finding",
                &case("wants-a-finding", PATCH, r#"{"ok":{"object":{"a":2}},"diagnostics":[{"code":"x"}]}"#),
            ),
            ("a/wants-an-error", &case("wants-an-error", PATCH, r#"{"error":{"code":"x"}}"#)),
            ("a/holds", &case("holds", PATCH, PATCHED)),
        ],
    );
    let output = run(&["vectors", &folder, "--native"], b"");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for want in [
        "failed a/differs.json\n  /ok/object/a\n    want 3\n    got  2\n\
         \x20 /ok/object/b\n    want []\n    got  nothing\n",
        "failed a/wants-a-finding.json\n  /diagnostics\n    want [{\"code\":\"x\"}]\n    got  nothing\n",
        "failed a/wants-an-error.json\n  /error\n    want {\"code\":\"x\"}\n    got  nothing\n  /ok\n    want nothing\
         \n    got  {",
        "\n1 passed, 3 failed\n",
    ] {
        assert!(shown.contains(want), "{want}\n--- not in\n{shown}");
    }
    assert!(!shown.contains("failed a/holds"), "{shown}");
}

#[test]
fn what_is_not_a_vector_is_a_failure() {
    let base = |name: &str, rest: &str| format!(r#"{{"name":"{name}","seed":"003","why":"w",{rest}}}"#);
    let whole = format!(r#""request":{PATCH},"want":{PATCHED}"#);
    let cases = [
        ("a/other-name", base("another", &whole), "its name `another` is not the name of the file"),
        (
            "b/unknown-field",
            base("unknown-field", &format!(r#"{whole},"wants":1"#)),
            "there is no field `wants` here (at /wants)",
        ),
        (
            "b/unknown-in-want",
            base("unknown-in-want", &format!(r#""request":{PATCH},"want":{{"ok":1,"error1":1}}"#)),
            "there is no field `error1` here (at /want/error1)",
        ),
        ("c/no-want", base("no-want", &format!(r#""request":{PATCH}"#)), "it needs one of `want` and `wantText`"),
        ("c/no-request", base("no-request", &format!(r#""want":{PATCHED}"#)), "it needs one of `request` and `text`"),
        ("c/no-steps", base("no-steps", r#""steps":[]"#), "`steps` must have at least one step"),
        ("c/no-code", base("no-code", &format!(r#""request":{PATCH},"want":{{"error":{{}}}}"#)), "it cannot be read: "),
        ("d/seed", format!(r#"{{"name":"seed","seed":"9","why":"w",{whole}}}"#), "`seed` must be one of"),
        ("d/why", format!(r#"{{"name":"why","seed":"003",{whole}}}"#), "it cannot be read: "),
        ("e/json", "{".to_owned(), "it cannot be read: "),
        ("e/list", "[]".to_owned(), "it cannot be read: "),
        ("f/one", base("one", &whole), ""),
        ("g/one", base("one", &whole), "its name `one` is taken by `f/one.json`"),
    ];
    let folder = vectors("not", &cases.iter().map(|(file, text, _)| (*file, text.as_str())).collect::<Vec<_>>());
    let output = run(&["vectors", &folder, "--native"], b"");
    let shown = text(&output.stdout);
    for (file, _, problem) in &cases {
        let failed = shown.contains(&format!("failed {file}.json\n"));
        assert_eq!(failed, !problem.is_empty(), "{file}\n{shown}");
        assert!(shown.contains(problem), "{problem}\n{shown}");
    }
    assert!(shown.ends_with("\n1 passed, 12 failed\n"), "{shown}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn vectors_report_to_programs() {
    let folder = vectors("json", &[("a/differs", &case("differs", PATCH, r#"{"ok":{"object":{"a":3}}}"#))]);
    let output = run(&["vectors", &folder, "--native", "-o", "json"], b"");
    let shown = text(&output.stdout);
    let failures = r#""failed":1,"failures":[{"failures":[{"got":"2","path":"/ok/object/a","want":"3"}],"file":"a/differs.json"}],"passed":0,"stages":{"a":{"failed":1,"passed":0}}}"#;
    assert!(shown.starts_with(r#"{"answers":"sha256:"#) && shown.trim_end().ends_with(failures), "{shown}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_folder_without_vectors_is_a_failure() {
    fails(&["vectors", &vectors("empty", &[]), "--native"], "there is no `.json` file in it");
    fails(&["vectors", "nowhere", "--native"], "`nowhere` cannot be run");
}

#[test]
fn schema_describes_the_contract() {
    let schema = run(&["schema"], b"");
    let shown = text(&schema.stdout);
    assert!(shown.starts_with('{') && shown.contains(r#""$schema":"#) && shown.contains("PatchRequest"), "{shown}");
    let types = run(&["schema", "--typescript"], b"");
    assert!(text(&types.stdout).contains("PatchRequest"), "{}", text(&types.stdout));
    assert_eq!((schema.status.code(), types.status.code()), (Some(0), Some(0)));
}

#[test]
fn version_names_what_is_inside() {
    let shown = run(&["version", "-o", "json"], b"");
    let digest = fleetfold::digest::digest(fleetfold::guest::EMBEDDED);
    let want =
        format!("{{\"module\":\"{digest}\",\"version\":\"{}\",\"wasmtime\":\"48.0.8\"}}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&shown.stdout), want);
    let table = run(&["version"], b"");
    assert!(text(&table.stdout).starts_with(&format!("fleetfold {}\n", env!("CARGO_PKG_VERSION"))));
    assert!(text(&table.stdout).contains(&digest));
}

#[test]
fn a_cache_that_is_not_used_is_said_once_and_costs_no_answer() {
    let small = write("small-uncached.wasm", &wat::parse_str(HANGS).unwrap());
    let mut command = fleetfold(&["call", "--module", &small]);
    let output = finish(command.env("FLEETFOLD_CACHE", "/dev/null"), b"hello\nhello\n");
    assert_eq!(text(&output.stdout), "fine\nfine\n");
    let said = text(&output.stderr);
    assert!(said.starts_with("warning: compiled code is not kept: `/dev/null`") && said.lines().count() == 1, "{said}");
}

#[test]
fn the_cache_is_where_the_environment_says() {
    let small = write("small-cached.wasm", &wat::parse_str(HANGS).unwrap());
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache-home");
    let path = |name: &str| home.join(name).to_str().unwrap().to_owned();
    for (variables, folder) in [
        ([("FLEETFOLD_CACHE", path("own")), ("XDG_CACHE_HOME", path("xdg")), ("HOME", path("home"))], "own"),
        (
            [("FLEETFOLD_CACHE", String::new()), ("XDG_CACHE_HOME", path("xdg")), ("HOME", path("home"))],
            "xdg/fleetfold",
        ),
        (
            [("FLEETFOLD_CACHE", String::new()), ("XDG_CACHE_HOME", "not/absolute".into()), ("HOME", path("home"))],
            "home/.cache/fleetfold",
        ),
    ] {
        let _ = fs::remove_dir_all(&home);
        let output = finish(fleetfold(&["call", "--module", &small]).envs(variables), b"hello");
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("fine\n", ""));
        assert_eq!(fs::read_dir(home.join(folder)).unwrap().count(), 1, "{folder}");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 1, "{folder}");
    }
}

/// Answers `fine`, except to what starts with a `b`: that takes for ever.
const HANGS: &str = include_str!("hangs.wat");

fn call(args: &[&str], input: &[u8]) -> Output {
    run(&[&["call"], args].concat(), input)
}

fn run(args: &[&str], input: &[u8]) -> Output {
    finish(&mut fleetfold(args), input)
}

fn finish(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn fleetfold(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.args(args).env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-cache"));
    command
}

/// Exits with 2, an `error:` line that holds `message`, and a `hint:` line.
#[track_caller]
fn fails(args: &[&str], message: &str) {
    let output = run(args, b"");
    let lines: Vec<_> = text(&output.stderr).lines().map(str::to_owned).collect();
    assert_eq!(output.status.code(), Some(2), "{lines:?}");
    assert!(lines.len() == 2 && lines[0].starts_with("error: ") && lines[1].starts_with("hint: "), "{lines:?}");
    assert!(lines[0].contains(message), "{lines:?}");
}

fn case(name: &str, request: &str, want: &str) -> String {
    format!(r#"{{"name":"{name}","seed":"003","why":"w","request":{request},"want":{want}}}"#)
}

/// A folder of vectors; one file a pair of path and text.
fn vectors(name: &str, files: &[(&str, &str)]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        let file = folder.join(format!("{file}.json"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// A file. Tests run side by side: each has names of its own.
fn write(name: &str, bytes: &[u8]) -> String {
    let file: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).unwrap();
    file.to_str().unwrap().to_owned()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
