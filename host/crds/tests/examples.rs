//! The documents of `examples/` fit the Rust types, and the API server would prune none of their fields.

use std::fs;
use std::path::Path;

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::yaml;
use fleetfold_crds::{Bundle, CertManagerDeployment, OperatorVersion, PluginOverride, crds};
use serde::de::DeserializeOwned;

/// The documents of a kind in `examples/`, each with the path of its file.
fn examples(kind: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut found);
    found.retain(|(_, document)| document.text_at(&["kind"]) == kind);
    found
}

fn collect(folder: &Path, found: &mut Vec<(String, Value)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "yaml") {
            let text = fs::read_to_string(&path).expect("text");
            let documents = yaml::parse_each(&text, Mode::Compat, &mut Vec::new()).into_iter().flatten();
            found.extend(documents.map(|it| (path.display().to_string(), it.value)));
        }
    }
}

/// The fields of `value` that the API server would prune.
fn pruned(value: &Value, schema: &Value, at: &str, out: &mut Vec<String>) {
    let keeps_all = schema.get("x-kubernetes-preserve-unknown-fields").is_some();
    if at == ".metadata" || keeps_all {
        return;
    }
    for (key, value) in value.as_map().into_iter().flat_map(|it| it.iter()) {
        let at = format!("{at}.{key}");
        match schema.at(&["properties", key.as_str()]).or_else(|| schema.get("additionalProperties")) {
            Some(schema) => pruned(value, schema, &at, out),
            None => out.push(at),
        }
    }
    for (item, schema) in value.as_list().into_iter().flatten().zip(schema.get("items").into_iter().cycle()) {
        pruned(item, schema, &format!("{at}[]"), out);
    }
}

#[track_caller]
fn check<T: DeserializeOwned>(kind: &str) {
    let crds = crds(false, &[]);
    let crd = crds.iter().find(|it| it.text_at(&["spec", "names", "kind"]) == kind).expect("a definition");
    let version = crd.at(&["spec", "versions"]).and_then(Value::as_list).and_then(|it| it.first());
    let schema = version.and_then(|it| it.at(&["schema", "openAPIV3Schema"])).expect("a schema");
    let examples = examples(kind);
    assert!(!examples.is_empty(), "no example has a {kind}");
    for (file, document) in examples {
        let mut fields = Vec::new();
        pruned(&document, schema, "", &mut fields);
        assert!(fields.is_empty(), "{file}: {fields:?}");
        let read = serde_json::to_value(&document).and_then(serde_json::from_value::<T>);
        assert!(read.is_ok(), "{file}: {:?}", read.err());
    }
}

#[test]
fn plugin_overrides_fit() {
    check::<PluginOverride>("PluginOverride");
}

#[test]
fn bundles_fit() {
    check::<Bundle>("Bundle");
}

#[test]
fn cert_manager_deployments_fit() {
    check::<CertManagerDeployment>("CertManagerDeployment");
}

#[test]
fn operator_versions_fit() {
    check::<OperatorVersion>("OperatorVersion");
}
