//! The contract as others get it: the schema, the types, the README, the vectors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fleetfold_core::api::{OPS, codes, derived_schema, typescript};
use fleetfold_tests::tree::root;

#[test]
fn the_schema_is_what_the_engine_says() {
    fresh("core/src/api/contract.schema.json", &derived_schema().to_canonical());
}

#[test]
fn the_types_are_what_the_engine_says() {
    fresh("web/contract.ts", &typescript(&derived_schema()));
}

#[test]
fn the_page_of_codes_is_what_the_engine_says() {
    fresh("docs/codes.md", &codes());
}

#[track_caller]
fn fresh(file: &str, wanted: &str) {
    let written = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    assert!(written.trim_end() == wanted.trim_end(), "{file} is stale: run `npm run types`");
}

#[test]
fn every_op_of_the_contract_is_there() {
    let names: Vec<&str> = OPS.iter().map(|op| op.name).collect();
    let wanted = [
        "parse",
        "print",
        "redact",
        "sources",
        "select",
        "fold",
        "retain",
        "patch",
        "match",
        "adopt",
        "release",
        "authorize",
        "refresh",
        "mold",
        "describe",
    ];
    for op in wanted {
        assert!(names.contains(&op), "{op} is missing");
    }
}

#[test]
fn the_specification_has_at_least_350_vectors_over_every_op() {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut folders = vec![root().join("tests/vectors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("vectors are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).expect("a vector can be read");
            for op in OPS.iter().filter(|op| {
                text.contains(&format!("\"op\": \"{}\"", op.name)) || text.contains(&format!("\"op\":\"{}\"", op.name))
            }) {
                *counts.entry(op.name.into()).or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.values().sum::<usize>() >= 350);
    for op in OPS {
        assert!(counts.contains_key(op.name), "no vector asks {}", op.name);
    }
}

/// Runs every block of commands of the README that shows output, and compares. A line of `…` stands for any lines.
#[test]
fn the_readme_says_what_happens() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder to run in");
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).expect("the examples are there");
    let mut compared = 0;
    for block in readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let examples = block.split("$ ").skip(1).map(|it| it.split_once('\n').unwrap_or((it, ""))).collect::<Vec<_>>();
        if examples.iter().all(|(_, wanted)| wanted.trim().is_empty()) {
            continue;
        }
        for (command, wanted) in examples {
            let output = run(command, &folder);
            if !wanted.trim().is_empty() {
                let is_as_shown =
                    shows(&wanted.trim_end().lines().collect::<Vec<_>>(), &output.lines().collect::<Vec<_>>());
                assert!(is_as_shown, "$ {command}\n{output}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 3, "the README shows only {compared} commands with their output");
}

fn shows(wanted: &[&str], got: &[&str]) -> bool {
    match (wanted, got) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=got.len()).any(|skipped| shows(rest, &got[skipped..])),
        ([line, wanted @ ..], [same, got @ ..]) => line.trim_end() == same.trim_end() && shows(wanted, got),
        _ => false,
    }
}

fn run(command: &str, folder: &Path) -> String {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").join("debug");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("PATH is set"));
    let child =
        Command::new("sh").args(["-c", command]).env("PATH", path).current_dir(folder).stdin(Stdio::null()).output();
    let output = child.expect("a shell can be run");
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
