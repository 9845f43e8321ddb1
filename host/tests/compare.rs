//! `fleetfold compare` with modules that are almost the one that the program carries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fleetfold::guest::EMBEDDED;

#[test]
fn the_same_module_plans_the_same() {
    let case = Case::new("same");
    let (code, out, err) = case.compare(&["builtin", "builtin"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("the plans are the same\n\ndigest sha256:"), "{out}");
}

#[test]
fn another_module_is_told_by_cluster_and_field_and_document() {
    let case = Case::new("other");
    // As long as before, so that nothing in the module moves.
    let old = replace(EMBEDDED.to_vec(), "greenhouse.sap/pluginpreset", "greenhouse.sap/pluginpresex");
    fs::write(case.folder.join("old.wasm"), old).unwrap();
    let (code, out, err) = case.compare(&["old.wasm", "builtin"]);
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    let has = |words: &[&str]| out.lines().any(|line| words.iter().all(|it| line.contains(it)));
    assert!(has(&["the hub", "Plugin/acme/metrics-cluster-000000", "patch", "<none>", "planned"]), "{out}");
    assert!(has(&["Plugin/acme/metrics-gpu-", "/metadata/labels/greenhouse.sap~1pluginpresex", "<none>"]), "{out}");
    assert!(has(&["old", "warning", "plugin-skipped", "PluginPreset/acme/metrics", "presets.yaml:1:1"]), "{out}");
    let (code, json, _) = case.compare(&["old.wasm", "builtin", "-o", "json"]);
    assert_eq!(code, Some(1));
    assert!(json.contains("\"same\": false") && json.contains("\"plugin-skipped\""), "{json}");
}

#[test]
fn what_both_cannot_read_leaves_the_comparison_undone() {
    let case = Case::new("unread");
    fs::write(case.folder.join("fleet/bad.yaml"), "a: [").unwrap();
    let (code, out, err) = case.compare(&["builtin", "builtin"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(err.contains("bad.yaml"), "{err}");
}

#[test]
fn what_is_no_module_is_an_error() {
    let case = Case::new("none");
    fs::write(case.folder.join("old.wasm"), "no module").unwrap();
    for modules in [["old.wasm", "builtin"], ["builtin", "old.wasm"], ["builtin", "missing.wasm"]] {
        let (code, out, err) = case.compare(&modules);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(".wasm"), "{err}");
    }
}

/// A fleet in a folder of its own.
struct Case {
    folder: PathBuf,
}

impl Case {
    fn new(name: &str) -> Case {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare").join(name);
        let _ = fs::remove_dir_all(&folder);
        fleetfold_example::fleet(3, |path, text| {
            let file = folder.join("fleet").join(path);
            fs::create_dir_all(file.parent().unwrap())?;
            fs::write(file, text)
        })
        .unwrap();
        Case { folder }
    }

    fn compare(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_fleetfold"))
            .arg("compare")
            .args(args)
            .args(["-f", "fleet", "--now", "2026-01-01T00:00:00Z"])
            .current_dir(&self.folder)
            .env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands-cache"))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

/// The module with one text in place of another that is as long, wherever it is.
fn replace(mut module: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        module.windows(from.len()).enumerate().filter(|(_, it)| *it == from.as_bytes()).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "{from}");
    for at in places {
        module[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    module
}
