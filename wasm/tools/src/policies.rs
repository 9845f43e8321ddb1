//! The engine in the forms that other hosts load: a validating and a mutating Kubewarden policy, an Extism plugin and a
//! component.

use std::error::Error;
use std::fs;
use std::path::Path;

use fleetfold_builder::{Build, build_modules};
use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::yaml;
use fleetfold_module::annotate;
use wit_component::{ComponentEncoder, targets};
use wit_parser::Resolve;

use crate::output;

/// The crates, each a folder of `wasm/policies`.
const PACKAGES: [&str; 3] = ["fleetfold-kubewarden", "fleetfold-extism", "fleetfold-component"];

/// The files that are written: name, crate, and how the module is finished.
const MODULES: [(&str, &str, Form); 4] = [
    ("fleetfold-kubewarden", "fleetfold-kubewarden", Form::Policy("kubewarden/metadata.yml")),
    ("fleetfold-kubewarden-mutating", "fleetfold-kubewarden", Form::Policy("kubewarden/metadata-mutating.yml")),
    ("fleetfold-extism", "fleetfold-extism", Form::Plugin),
    ("fleetfold-component", "fleetfold-component", Form::Component("component/wit/fleetfold.wit")),
];

/// Where Kubewarden looks for the metadata of a policy.
const METADATA: &str = "io.kubewarden.metadata";

enum Form {
    /// With the metadata of a file in `wasm/policies`.
    Policy(&'static str),
    /// As cargo built it.
    Plugin,
    /// Wrapped as a component, for the world of a file in `wasm/policies`.
    Component(&'static str),
}

pub fn write(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = workspace.join("wasm/policies");
    let built = build_modules(Build::Small, workspace, PACKAGES, target)?;
    for (name, package, form) in MODULES {
        let at = PACKAGES.iter().position(|it| *it == package).ok_or_else(|| format!("{package} is not built"))?;
        let finished = form.finish(built[at].read()?, &folder).map_err(|error| format!("{name}: {error:#}"))?;
        output::put(out, name, &finished)?;
    }
    Ok(())
}

impl Form {
    fn finish(&self, module: Vec<u8>, folder: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
        match self {
            Form::Policy(file) => {
                let text = fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
                Ok(annotate(&module, METADATA, metadata(file, &text)?.to_canonical().as_bytes())?)
            }
            Form::Plugin => Ok(module),
            Form::Component(wit) => component(&module, &folder.join(wit)),
        }
    }
}

/// Wraps a module, which names its world in a custom section, and checks the component against the published WIT file:
/// it imports nothing else and exports all of it.
fn component(module: &[u8], wit: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let component = ComponentEncoder::default().module(module)?.validate(true).encode()?;
    let mut resolve = Resolve::default();
    let package = resolve.push_source(&wit.display().to_string(), &fs::read_to_string(wit)?)?;
    let world = resolve.select_world(&[package], None)?;
    targets(&resolve, world, &component, false)?;
    Ok(component)
}

/// The only document of a YAML text. Warnings are errors here: no reader would see them.
fn metadata(file: &str, text: &str) -> Result<Value, String> {
    let mut findings = Vec::new();
    let parsed = yaml::parse(text, Mode::Strict, &mut findings)
        .map_err(|error| format!("{file}:{}: {}", error.place, error.message))?;
    if let Some(finding) = findings.first() {
        return Err(format!("{file}: {}", finding.message));
    }
    match <[_; 1]>::try_from(parsed) {
        Ok([document]) => Ok(document.value),
        Err(others) => Err(format!("{file} has {} documents, wanted one", others.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, METADATA, MODULES, PACKAGES, annotate, metadata};
    use std::path::{Path, PathBuf};

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies")
    }

    #[test]
    fn every_crate_is_built_for_something() {
        let used: Vec<&str> = MODULES.iter().map(|(_, package, _)| *package).collect();
        assert!(used.iter().all(|it| PACKAGES.contains(it)), "{used:?}");
        assert!(PACKAGES.iter().all(|it| used.contains(it)), "{used:?}");
    }

    #[test]
    fn a_policy_carries_its_metadata_as_json_and_nothing_else_changes() {
        let module = b"\0asm\x01\0\0\0";
        for (name, mutating) in [("fleetfold-kubewarden", false), ("fleetfold-kubewarden-mutating", true)] {
            let (_, _, form) = MODULES.iter().find(|(it, ..)| *it == name).expect("a policy");
            let policy = form.finish(module.to_vec(), &folder()).expect("it is annotated");
            let start = policy.windows(METADATA.len()).position(|it| it == METADATA.as_bytes()).expect("a section");
            let text = std::str::from_utf8(&policy[start + METADATA.len()..]).expect("text");
            let read = fleetfold_core::value::json::parse(text).expect("JSON");
            assert_eq!(read.get("mutating"), Some(&mutating.into()), "{name}");
            assert_eq!(annotate(module, METADATA, text.as_bytes()).expect("a module"), policy);
        }
    }

    #[test]
    fn metadata_that_cannot_be_read_is_named_with_its_place() {
        check("a: ]", "m.yml:1:");
        check("a: 1\na: 2", "m.yml:2:");
        check("a: 1\n---\nb: 2", "m.yml has 2 documents, wanted one");
        check("", "m.yml has 0 documents, wanted one");
        let missing = Form::Policy("no such file.yml").finish(Vec::new(), Path::new("."));
        assert!(missing.expect_err("there is none").to_string().starts_with("no such file.yml: "));
    }

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let error = metadata("m.yml", text).expect_err("it is refused");
        assert!(error.starts_with(wanted), "{error}");
    }

    #[test]
    fn what_says_no_world_is_no_component() {
        let (_, _, form) = MODULES.iter().find(|(it, ..)| *it == "fleetfold-component").expect("a component");
        let error = form.finish(b"\0asm\x01\0\0\0".to_vec(), &folder());
        assert!(error.is_err());
    }
}
