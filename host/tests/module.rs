//! `fleetfold module`, as a person or a script meets it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fleetfold::guest::EMBEDDED;
use rcgen::{KeyPair, PKCS_ED25519};

const METADATA: &str = "\
rules:
- apiGroups: [cluster.open-cluster-management.io]
  apiVersions: ['*']
  resources: [managedclusters]
  operations: [CREATE, UPDATE]
mutating: false
annotations:
  io.kubewarden.policy.title: labels
";

/// A guest of waPC, as small as they come.
const GUEST: &str = r#"(module
    (import "wapc" "__guest_request" (func (param i32 i32)))
    (memory (export "memory") 1 4)
    (func (export "__guest_call") (param i32 i32) (result i32) i32.const 1))"#;

#[test]
fn the_module_in_the_program_is_raw_and_runs_here() {
    let shown = run(&["module", "inspect"]);
    let said = text(&shown.stdout);
    assert!(said.starts_with("the module in this program: a raw Fleetfold module, "), "{said}");
    assert!(said.contains("\n  abi     1\n  here    this program runs it, with `--module`\n"), "{said}");
    assert!(said.contains("\nfleetfold_call    func     (i32, i32) -> i64\n"), "{said}");
    assert!(!said.contains("IMPORT"), "{said}");
    let version = run(&["version", "-o", "json"]);
    let digest = text(&version.stdout).split('"').nth(3).unwrap().to_owned();
    let json = squeezed(&run(&["module", "inspect", "-o", "json"]));
    for part in [&format!(r#""digest":"{digest}""#), r#""for":"raw""#, r#""imports":[]"#, r#""runsHere":true"#] {
        assert!(json.contains(part), "{part} in {json}");
    }
}

/// What cannot be an engine is not run to find that out: this one would never end.
#[test]
fn a_module_that_is_no_engine_is_not_started() {
    let folder = folder("other");
    let other = wasm(&folder, r#"(module (memory (export "memory") 1) (func $f (loop br 0)) (start $f))"#);
    let said = run(&["module", "inspect", &other]);
    let want = "\n  here    this program does not run it: the module has no export `fleetfold_abi` of the right type\n";
    assert!(text(&said.stdout).contains(want), "{}", text(&said.stdout));
    assert!(text(&said.stdout).contains(": a module for a host that is not known here\n"));
    // What says that it is one is started, within limits.
    let names = ["abi", "alloc", "free", "call"].map(|it| format!("(func (export \"fleetfold_{it}\"))")).concat();
    let hangs =
        wasm(&folder, &format!(r#"(module (memory (export "memory") 1) (func $f (loop br 0)) (start $f) {names})"#));
    let json = squeezed(&run(&["module", "inspect", &hangs, "-o", "json"]));
    assert!(json.contains(r#""reason":{"code":"deadline-exceeded""#) && json.contains(r#""runsHere":false"#), "{json}");
}

#[test]
fn metadata_goes_in_and_is_shown() {
    let folder = folder("metadata");
    let (plain, out) = (wasm(&folder, GUEST), folder.join("out.wasm").display().to_string());
    let before = run(&["module", "inspect", &plain]);
    assert!(text(&before.stdout).contains(": a waPC guest; "), "{}", text(&before.stdout));
    let metadata = write(&folder, "metadata.yml", METADATA.as_bytes());
    let done = run(&["module", "annotate", &plain, "--metadata", &metadata, "-o", &out]);
    assert_eq!((done.status.code(), text(&done.stdout), text(&done.stderr)), (Some(0), "", ""));
    let shown = run(&["module", "inspect", &out]);
    let want = "\
: a Kubewarden policy
  size    472 bytes in 7 sections
";
    let said = text(&shown.stdout);
    assert!(said.contains(want), "{said}");
    let want = "
  memory  1 page of 65,536 bytes at first, 4 at most
  here    this program does not run it: the module imports `wapc.__guest_request`

IMPORT                 KIND   TYPE
wapc.__guest_request   func   (i32, i32)

EXPORT         KIND     TYPE
memory         memory   1..4 pages
__guest_call   func     (i32, i32) -> i32
";
    assert!(said.contains(want), "{said}");
    let want = "
io.kubewarden.metadata
  annotations:
    io.kubewarden.policy.title: labels
  backgroundAudit: true
  contextAwareResources: []
  executionMode: kubewarden-wapc
  mutating: false
  policyType: kubernetes
  protocolVersion: v1
  rules:
  - apiGroups:
    - cluster.open-cluster-management.io
";
    assert!(said.contains(want), "{said}");
    assert!(squeezed(&run(&["module", "inspect", &out, "-o", "json"])).contains(r#""mutating":false"#));
    // Only the section is new.
    assert!(fs::read(&out).unwrap().starts_with(&fs::read(&plain).unwrap()));
}

#[test]
fn standard_input_and_output_will_do() {
    let folder = folder("streams");
    let plain = wasm(&folder, GUEST);
    let note = write(&folder, "note", b"\xff\0");
    let module = fs::read(&plain).unwrap();
    let done = finish(&["module", "annotate", "-", "--section", "note", "--data", &note], &module);
    assert_eq!(done.stdout, [&module[..], b"\0\x07\x04note\xff\0"].concat());
    let shown = finish(&["module", "inspect", "-"], &done.stdout);
    assert!(text(&shown.stdout).contains("\ncustom note   9       "), "{}", text(&shown.stdout));
    fails(&["module", "annotate", "-", "--metadata", "-"], "standard input is given twice");
}

#[test]
fn what_is_read_is_written_over_only_where_that_is_said() {
    let folder = folder("in-place");
    let plain = wasm(&folder, GUEST);
    let metadata = write(&folder, "metadata.yml", METADATA.as_bytes());
    let link = folder.join("link.wasm");
    std::os::unix::fs::symlink(&plain, &link).unwrap();
    let link = link.display().to_string();
    let before = fs::read(&plain).unwrap();
    for output in [&plain, &link] {
        fails(&["module", "annotate", &plain, "-m", &metadata, "-o", output], "would be overwritten");
    }
    assert_eq!(fs::read(&plain).unwrap(), before);
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o640)).unwrap();
    let done = run(&["module", "annotate", &link, "-m", &metadata, "--in-place"]);
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(0), ""));
    assert!(fs::read(&plain).unwrap().len() > before.len());
    assert_eq!(fs::metadata(&plain).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn wrong_metadata_is_told_at_its_line_and_writes_nothing() {
    let folder = folder("wrong");
    let plain = wasm(&folder, GUEST);
    let out = folder.join("out.wasm");
    let wrong = METADATA.replace("[CREATE, UPDATE]", "[CRATE]").replace("mutating: false", "mutatin: false");
    let metadata = write(&folder, "metadata.yml", wrong.as_bytes());
    let done = run(&["module", "annotate", &plain, "-m", &metadata, "-o", &out.display().to_string()]);
    let want = format!(
        "\
error[missing-field]: `mutating` is missing
  --> {metadata}:1:1
  |
1 | rules:
  | ^
  = hint: it is true or false
error[unknown-value]: there is no `CRATE`
  --> {metadata}:5:16
  |
5 |   operations: [CRATE]
  |                ^
  = hint: did you mean `CREATE`?
warning[unknown-field]: unknown field `mutatin` has no effect
  --> {metadata}:6:10
  |
6 | mutatin: false
  |          ^
  = hint: did you mean `mutating`?
"
    );
    assert_eq!((text(&done.stderr), done.status.code()), (want.as_str(), Some(2)));
    assert!(!out.exists());
}

#[test]
fn what_is_no_module_is_told() {
    let folder = folder("broken");
    let plain = wasm(&folder, GUEST);
    let cut = fs::read(&plain).unwrap();
    let cut = write(&folder, "cut.wasm", &cut[..cut.len() - 1]);
    let metadata = write(&folder, "metadata.yml", METADATA.as_bytes());
    let out = folder.join("out.wasm").display().to_string();
    for args in [&["module", "inspect", &cut][..], &["module", "annotate", &cut, "-m", &metadata, "-o", &out]] {
        fails(args, "the code section needs 6 bytes, and 5 are left at byte ");
    }
    fails(&["module", "inspect", &metadata], "these bytes are not WebAssembly at byte 0\nhint: give a `.wasm` file\n");
    fails(&["module", "inspect", "/nowhere.wasm"], "`/nowhere.wasm` cannot be read");
    fails(&["module", "annotate", &plain, "-m", &metadata, "-o", "/nowhere/out.wasm"], "cannot be written");
    fails(&["module", "annotate", &plain, "-m", &plain, "-o", &out], "the character U+0000 is not allowed in YAML");
    fails(&["module", "annotate", &plain, "-o", &out], "--metadata");
}

fn wasm(folder: &Path, text: &str) -> String {
    write(folder, "plain.wasm", &wat::parse_str(text).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("module").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let file = folder.join(name);
    fs::write(&file, bytes).unwrap();
    file.display().to_string()
}

fn run(args: &[&str]) -> Output {
    finish(args, b"")
}

fn finish(args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("module-cache"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that needs no input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn fails(args: &[&str], message: &str) {
    let output = run(args);
    assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn squeezed(output: &Output) -> String {
    text(&output.stdout).lines().map(str::trim).collect::<String>().replace("\": ", "\":")
}

/// A new pair of keys, as PEM files.
fn keys(folder: &Path, name: &str) -> [String; 2] {
    let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    [
        write(folder, &format!("{name}.private.pem"), key.serialize_pem().as_bytes()),
        write(folder, &format!("{name}.public.pem"), key.public_key_pem().as_bytes()),
    ]
}

#[test]
fn a_signed_module_is_verified_and_a_changed_one_is_not() {
    let folder = folder("sign");
    let [private, public] = keys(&folder, "ours");
    let [_, theirs] = keys(&folder, "theirs");
    let plain = wasm(&folder, GUEST);
    let signed = folder.join("signed.wasm").display().to_string();
    let output = run(&["module", "sign", &plain, "--key", &private, "-o", &signed]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let bytes = fs::read(&signed).unwrap();

    let output = run(&["module", "verify", &signed, "--key", &public]);
    let want = format!("{}\n", fleetfold::digest::digest(&bytes));
    assert!(text(&output.stdout).contains("signed.wasm: signed by sha256:"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).ends_with(&format!("digest {want}")), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(0));
    // Through standard input and output, to the same bytes.
    let piped = finish(&["module", "sign", "-", "--key", &private], &fs::read(&plain).unwrap());
    assert!(piped.stdout == bytes, "{}", text(&piped.stderr));
    assert_eq!(finish(&["module", "verify", "-", "--key", &public], &bytes).status.code(), Some(0));

    let noted = write(&folder, "noted.wasm", &[bytes, b"\0\x03\x01na".to_vec()].concat());
    for (file, key, why) in [
        (&plain, &public, "the module is not signed"),
        (&signed, &theirs, "the module is signed by the key sha256:"),
        (&noted, &public, "the module was changed after it was signed"),
    ] {
        let output = run(&["module", "verify", file, "--key", key]);
        assert!(text(&output.stdout).contains(why), "{why}: {}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{why}");
    }
    fails(&["module", "sign", &plain, "--key", &public], "does not hold a private key for Ed25519");
    fails(&["module", "verify", &signed, "--key", &private], "does not hold a public key for Ed25519");
    fails(&["module", "verify", &private, "--key", &public], "not a WebAssembly binary");
}

/// Every command that runs a module refuses one that the key did not sign, before it runs.
#[test]
fn only_a_module_of_the_key_is_run() {
    let folder = folder("verify-key");
    let [private, public] = keys(&folder, "ours");
    let [_, theirs] = keys(&folder, "theirs");
    let plain = write(&folder, "engine.wasm", EMBEDDED);
    let signed = folder.join("signed.wasm").display().to_string();
    assert_eq!(run(&["module", "sign", &plain, "--key", &private, "-o", &signed]).status.code(), Some(0));

    let describe = br#"{"op":"describe"}"#;
    let answer = finish(&["call", "--module", &signed, "--verify-key", &public], describe);
    assert_eq!((answer.status.code(), text(&answer.stderr)), (Some(0), ""));
    // The signature is in a section that the engine does not see.
    assert_eq!(text(&answer.stdout), text(&finish(&["call"], describe).stdout));

    let hub = ["--kubeconfig", "no-such-kubeconfig"];
    for command in
        [&["call"][..], &["plan", "-f", "."], &["lint", "-f", "."], &["serve", "--port", "0"], &["vectors", "."]]
    {
        for (file, key, why) in [
            (&plain, &public, "the module is not signed"),
            (&signed, &theirs, "the module is signed by the key sha256:"),
            (&signed, &private, "does not hold a public key"),
        ] {
            fails(&[command, &["--module", file, "--verify-key", key]].concat(), why);
        }
    }
    for command in ["run", "webhook"] {
        let tls = ["--cert", "x", "--key", "x"];
        let more = if command == "webhook" { &tls[..] } else { &[] };
        let args = [&[command, "--module", &plain, "--verify-key", &public][..], &hub, more].concat();
        fails(&args, "the module is not signed");
    }
    // The second engine of a runner, on the same condition.
    let args = ["run", "--module", &signed, "--verify-key", &public, "--shadow", &plain];
    fails(&[&args[..], &hub].concat(), "the module is not signed");
    fails(&["call", "--verify-key", &public], "--module");
}
