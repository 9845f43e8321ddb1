//! The raw module as a file: what it asks of a host, what it gives, what is in it, and that anybody builds the same
//! one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use fleetfold::digest::digest;
use fleetfold::guest::EMBEDDED;
use fleetfold_builder::{Build, build_modules};
use fleetfold_tests::tree::{files, root};
use wasmparser::{Parser, Payload};

#[test]
fn it_imports_nothing_and_exports_the_contract() {
    let (mut imports, mut exports) = (0, BTreeSet::new());
    for payload in Parser::new(0).parse_all(EMBEDDED) {
        match payload.expect("the module is valid") {
            Payload::ImportSection(section) => imports += section.count(),
            Payload::ExportSection(section) => {
                exports.extend(section.into_iter().map(|it| it.expect("an export").name.to_string()));
            }
            _ => {}
        }
    }
    assert_eq!(imports, 0);
    let wanted = ["fleetfold_abi", "fleetfold_alloc", "fleetfold_call", "fleetfold_free", "memory"];
    let further: Vec<_> = exports.iter().filter(|it| !wanted.contains(&it.as_str()) && !it.starts_with("__")).collect();
    assert!(wanted.iter().all(|it| exports.contains(*it)), "{exports:?}");
    assert!(further.is_empty(), "{further:?}");
}

#[test]
fn the_core_has_the_same_features_natively_and_in_the_module() {
    let native = features("x86_64-unknown-linux-gnu", &["-p", "fleetfold-core"]);
    let module = features("wasm32-unknown-unknown", &["-p", "fleetfold-core"]);
    assert!(native.len() > 3, "{native:?}");
    assert_eq!(native, module);
}

#[test]
fn nobody_else_in_the_workspace_switches_on_a_feature_of_what_the_core_stands_on() {
    let alone = features("x86_64-unknown-linux-gnu", &["-p", "fleetfold-core"]);
    let together = features("x86_64-unknown-linux-gnu", &["--workspace"]);
    // What decides over bytes are the crates that core itself calls.
    for name in ["saphyr-parser", "smol_str", "regex-lite", "fleetfold-core"] {
        let of = |all: &BTreeSet<String>| {
            all.iter().filter(|it| it.starts_with(&format!("{name} "))).cloned().collect::<Vec<_>>()
        };
        assert_eq!(of(&alone), of(&together));
    }
}

#[test]
fn at_most_twenty_crates_of_others_are_in_it() {
    let crates = tree("wasm32-unknown-unknown", &["-p", "fleetfold-wasm", "-e", "normal"], "{p}");
    let others = crates.iter().filter(|it| !it.starts_with("fleetfold-")).count();
    assert!((3..=20).contains(&others), "{others} crates: {crates:?}");
}

#[test]
fn a_build_in_another_folder_is_the_same_module() {
    // With spaces in its name, as people have them.
    let copy = std::env::temp_dir().join(format!("fleetfold in another folder {}", std::process::id()));
    copy_sources(&copy);
    let [module] =
        build_modules(Build::Fast, &copy, ["fleetfold-wasm"], &copy.join("target")).expect("the module is built");
    let built = digest(&module.read().expect("the module can be read"));
    std::fs::remove_dir_all(&copy).expect("the scratch folder can be removed");
    assert_eq!(built, digest(EMBEDDED), "the embedded module, which was built in this folder, is another one");
    println!("module {built}");
}

/// What the module is built from: the manifests, and the sources of the two crates in it. Cargo wants every member of a
/// workspace to be there, so the others come along.
fn copy_sources(to: &Path) {
    const FOLDERS: [&str; 8] = [
        "core/",
        "wasm/",
        "host/",
        "examples/rust/",
        "tests/src/",
        "tests/bench-guest/",
        "tests/policy-host/",
        "web/embed/",
    ];
    let needed = |name: &String| {
        let in_folder = FOLDERS.iter().any(|folder| name.starts_with(folder));
        in_folder || !name.contains('/') || name.ends_with("Cargo.toml")
    };
    for name in files().into_iter().filter(needed) {
        let (from, place) = (root().join(&name), to.join(&name));
        std::fs::create_dir_all(place.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::copy(from, place).expect("the file can be copied");
    }
}

/// Every package with its features.
fn features(target: &str, selection: &[&str]) -> BTreeSet<String> {
    let packages: Vec<&str> = selection.iter().copied().chain(["-e", "normal,features"]).collect();
    tree(target, &packages, "{p} [{f}]").into_iter().filter(|line| line.contains('[')).collect()
}

fn tree(target: &str, arguments: &[&str], format: &str) -> BTreeSet<String> {
    let output = Command::new("cargo")
        .args(["tree", "--locked", "--prefix", "none", "--target", target, "-f", format])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    // A package that was told before has a star.
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.filter(|line| !line.is_empty() && !line.contains(" feature ")).map(String::from).collect()
}
