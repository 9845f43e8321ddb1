//! Every crate stands alone: it compiles from its own files, and its build script writes to `OUT_DIR` only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};

use fleetfold_core::Value;
use fleetfold_core::value::json;
use fleetfold_tests::tree::{files, root};

/// One member of the workspace, as cargo describes it.
struct Member {
    name: String,
    /// Its folder below the root.
    folder: String,
    is_publishable: bool,
    metadata: Value,
}

fn cargo(args: &[&str]) -> Output {
    let output = Command::new("cargo").args(args).current_dir(root()).output().expect("cargo can be run");
    assert!(output.status.success(), "cargo {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    output
}

fn members() -> Vec<Member> {
    let output = cargo(&["metadata", "--no-deps", "--locked", "--format-version", "1"]);
    let metadata = json::parse(&String::from_utf8(output.stdout).expect("UTF-8")).expect("JSON");
    let packages = metadata.get("packages").and_then(Value::as_list).expect("packages");
    packages.iter().map(member).collect()
}

fn member(metadata: &Value) -> Member {
    let manifest = Path::new(metadata.text_at(&["manifest_path"])).parent().expect("a folder");
    Member {
        name: metadata.text_at(&["name"]).to_owned(),
        folder: manifest.strip_prefix(root()).expect("in the workspace").to_str().expect("UTF-8").to_owned(),
        // `null` allows every registry, an empty list none.
        is_publishable: metadata.get("publish").and_then(Value::as_list).is_none(),
        metadata: metadata.clone(),
    }
}

/// The folder of the crate that a file belongs to: the innermost one.
fn crate_of<'a>(file: &str, members: &'a [Member]) -> Option<&'a str> {
    let holds = |it: &&Member| file.strip_prefix(&it.folder).is_some_and(|rest| rest.starts_with('/'));
    members.iter().filter(holds).map(|it| it.folder.as_str()).max_by_key(|it| it.len())
}

#[test]
fn no_crate_compiles_a_file_of_another() {
    let members = members();
    let mut seen = 0;
    for name in files().into_iter().filter(|it| it.ends_with(".rs")) {
        let text = fs::read_to_string(root().join(&name)).expect("text");
        for included in included_files(&name, &text, crate_of(&name, &members).expect("a crate")) {
            seen += 1;
            assert_eq!(crate_of(&included, &members), crate_of(&name, &members), "{name} includes {included}");
        }
    }
    assert!(seen > 0, "the search finds the includes of the host's tests");
}

/// The files that a source file pulls in by path. Paths that start in `OUT_DIR`, or in another variable of the build
/// script, belong to no crate.
fn included_files(name: &str, text: &str, folder: &str) -> Vec<String> {
    // Written in halves: this file is searched too.
    let ways = [
        concat!("include", "!("),
        concat!("include_", "str!("),
        concat!("include_", "bytes!("),
        concat!("#[pa", "th = "),
    ];
    let mut found = Vec::new();
    for rest in ways.iter().flat_map(|way| text.split(way).skip(1)) {
        let argument = rest.split([';', ']', '\n']).next().unwrap_or_default();
        let from_manifest = argument.contains("CARGO_MANIFEST_DIR");
        if argument.contains("env!(") && !from_manifest {
            continue;
        }
        let Some(path) = argument.split('"').rev().nth(1) else { continue };
        let base = if from_manifest { Path::new(folder) } else { Path::new(name).parent().expect("a folder") };
        found.push(without_dots(&base.join(path.trim_start_matches('/'))));
    }
    found
}

fn without_dots(path: &Path) -> String {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out.to_str().expect("UTF-8").to_owned()
}

#[test]
fn includes_are_found_and_resolved() {
    let include = |path: &str| format!("{}\"{path}\");", concat!("include", "!("));
    assert_eq!(included_files("a/src/lib.rs", &include("../../b/x.rs"), "a"), ["b/x.rs"]);
    assert_eq!(included_files("a/src/lib.rs", &include("y.rs"), "a"), ["a/src/y.rs"]);
    let path = format!("{}\"../../b/z.rs\"]\nmod z;", concat!("#[pa", "th = "));
    assert_eq!(included_files("a/src/lib.rs", &path, "a"), ["b/z.rs"]);
    let generated = format!("{}concat!(env!(\"OUT_DIR\"), \"/f.rs\"));", concat!("include", "!("));
    assert!(included_files("a/src/lib.rs", &generated, "a").is_empty());
}

/// A package has no paths: whoever downloads it needs a version of every dependency, and each from a registry too.
#[test]
fn a_publishable_crate_depends_on_publishable_crates_by_version() {
    let members = members();
    for it in members.iter().filter(|it| it.is_publishable) {
        for key in ["description", "license"] {
            assert!(!it.metadata.text_at(&[key]).is_empty(), "{} has no {key}", it.name);
        }
        for dependency in it.metadata.get("dependencies").and_then(Value::as_list).expect("dependencies") {
            // Cargo leaves a development dependency without a version out of the package.
            if dependency.text_at(&["path"]).is_empty() || dependency.text_at(&["kind"]) == "dev" {
                continue;
            }
            let name = dependency.text_at(&["name"]);
            assert_ne!(dependency.text_at(&["req"]), "*", "{} depends on {name} without a version", it.name);
            let is_published = members.iter().any(|other| other.name == name && other.is_publishable);
            assert!(is_published, "{} can be published, but {name}, which it needs, cannot", it.name);
        }
    }
}

#[test]
fn the_engine_and_every_publishable_crate_can_be_packaged() {
    let members = members();
    let names: Vec<&str> = members.iter().filter(|it| it.is_publishable).map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"fleetfold-core"), "{names:?}");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging");
    let target = target.to_str().expect("UTF-8");
    let selected: Vec<&str> = names.iter().flat_map(|name| ["-p", name]).collect();
    // All at once: cargo then resolves those that depend on each other without a registry that has them.
    let args = ["package", "--no-verify", "--allow-dirty", "--offline", "--quiet", "--target-dir", target];
    cargo(&[&args, selected.as_slice()].concat());
    for it in members.iter().filter(|it| it.is_publishable) {
        let version = it.metadata.text_at(&["version"]);
        let package = Path::new(target).join("package").join(format!("{}-{version}.crate", it.name));
        assert!(package.exists(), "{} is missing", package.display());
        let listed = cargo(&["package", "--list", "--allow-dirty", "-p", &it.name]).stdout;
        let listed = String::from_utf8(listed).expect("UTF-8");
        assert!(listed.lines().any(|line| line == "src/lib.rs"), "{}: {listed}", it.name);
    }
}

#[test]
fn no_build_script_writes_outside_its_out_dir() {
    let members = members();
    let mut scripts = 0;
    for it in &members {
        for target in it.metadata.get("targets").and_then(Value::as_list).expect("targets") {
            let kinds = target.get("kind").and_then(Value::as_list).expect("kinds");
            if kinds.iter().any(|kind| kind.as_text() == Some("custom-build")) {
                scripts += 1;
                let file = target.text_at(&["src_path"]);
                let faults = writes_elsewhere(&fs::read_to_string(file).expect("text"));
                assert!(faults.is_empty(), "{file}: {faults:?}");
            }
        }
    }
    assert!(scripts >= 3, "core, the host and the page have build scripts");
    // The library that builds modules writes through cargo alone, into the folder it is given.
    for name in files().into_iter().filter(|it| it.starts_with("wasm/builder/src")) {
        let text = fs::read_to_string(root().join(&name)).expect("text");
        assert!(writes_elsewhere(&text).is_empty(), "{name}");
    }
}

/// Ways to write that no build script here needs.
const FORBIDDEN: [&str; 10] = [
    "File::create",
    "OpenOptions",
    "create_dir",
    "hard_link",
    "remove_dir",
    "remove_file",
    "rename(",
    "set_permissions",
    "symlink",
    ".ancestors().nth",
];

/// The calls that may write, with the position of the argument that names the place.
const WRITERS: [(&str, usize); 3] = [("fs::write(", 0), ("fs::copy(", 1), ("build_modules(", 3)];

/// The writes of a build script whose place is not below `out`, the name that these scripts give to `OUT_DIR`.
fn writes_elsewhere(text: &str) -> Vec<String> {
    let mut faults: Vec<String> =
        FORBIDDEN.iter().filter(|it| text.contains(**it)).map(|it| (*it).to_owned()).collect();
    let in_out = |place: &str| {
        let place = place.trim().trim_start_matches('&');
        place.starts_with("out.join(") || text.contains(&format!("let {place} = out.join("))
    };
    for (call, position) in WRITERS {
        for rest in text.split(call).skip(1) {
            let places = arguments(rest);
            if !places.get(position).is_some_and(|it| in_out(it)) {
                faults.push(format!("{call}{}", places.join(",")));
            }
        }
    }
    let is_out_dir = text.contains(r#"let out = PathBuf::from(variable("OUT_DIR"))"#);
    if text.contains("out.join(") && !is_out_dir {
        faults.push("`out` is not OUT_DIR".to_owned());
    }
    faults
}

/// The arguments of a call, from behind its opening bracket.
fn arguments(rest: &str) -> Vec<String> {
    let (mut depth, mut all) = (0, vec![String::new()]);
    for character in rest.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => break,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().expect("one at least").push(character);
    }
    all
}

#[test]
fn writes_outside_of_out_dir_are_found() {
    let start = r#"let out = PathBuf::from(variable("OUT_DIR"));"#;
    for good in [r#"fs::write(out.join("a"), b)"#, r#"let copy = out.join("x"); fs::copy(from, &copy)"#, ""] {
        assert!(writes_elsewhere(&format!("{start}{good}")).is_empty(), "{good}");
    }
    for bad in [
        r#"fs::write(site.join("a"), b)"#,
        "fs::copy(&out.join(\"a\"), &target)",
        "fs::create_dir_all(site)",
        r#"build_modules(Build::Fast, &workspace, ["a", "b"], &target)"#,
    ] {
        assert!(!writes_elsewhere(&format!("{start}{bad}")).is_empty(), "{bad}");
    }
    assert!(!writes_elsewhere(r#"let out = root(); fs::write(out.join("a"), b)"#).is_empty());
}

#[test]
fn every_member_has_a_row_in_the_table_of_crates() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let section = page.split("\n## ").find(|it| it.starts_with("Crates\n")).expect("a section `Crates`");
    let rows: BTreeSet<String> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            assert!(cells.len() == 3 && cells[2].ends_with('.'), "a crate, its folder and a sentence: {line}");
            format!("{} {}", cells[0], cells[1])
        })
        .collect();
    let wanted: BTreeSet<String> = members().iter().map(|it| format!("`{}` `{}`", it.name, it.folder)).collect();
    assert_eq!(rows, wanted);
}
