//! Builds the engine for hosts that want it in a form of their own: a Kubewarden policy (one that decides and one that also
//! changes), an Extism plugin and a component. The same source gives the same bytes.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::yaml;
use fleetfold_module::annotate;
use sha2::{Digest, Sha256};
use wit_component::{ComponentEncoder, targets};
use wit_parser::Resolve;

include!("../../build_module.rs");

/// The crates, each a folder beside this one.
const PACKAGES: [&str; 3] = ["fleetfold-kubewarden", "fleetfold-extism", "fleetfold-component"];

/// What is written: the name, the crate it comes from, and what is done with that.
const MODULES: [(&str, &str, Form); 4] = [
    ("fleetfold-kubewarden", "fleetfold-kubewarden", Form::Policy("kubewarden/metadata.yml")),
    ("fleetfold-kubewarden-mutating", "fleetfold-kubewarden", Form::Policy("kubewarden/metadata-mutating.yml")),
    ("fleetfold-extism", "fleetfold-extism", Form::Plugin),
    ("fleetfold-component", "fleetfold-component", Form::Component("component/wit/fleetfold.wit")),
];

/// Where Kubewarden looks for the metadata of a policy.
const METADATA: &str = "io.kubewarden.metadata";

enum Form {
    /// With metadata, from a file in this folder.
    Policy(&'static str),
    /// As it was built.
    Plugin,
    /// Wrapped, for the world in a file in this folder.
    Component(&'static str),
}

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [target, out] = folders.as_slice() else {
        eprintln!("usage: fleetfold-policies TARGET_DIR OUT_DIR");
        return ExitCode::from(2);
    };
    match write(target, out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = here.join("../..").canonicalize()?;
    // Cargo is started in the workspace, where a folder that was given from here would be another one.
    let built = build_modules(&workspace, PACKAGES, &std::path::absolute(target)?);
    fs::create_dir_all(out)?;
    for (name, package, form) in MODULES {
        let at = PACKAGES.iter().position(|it| *it == package).ok_or_else(|| format!("{package} is not built"))?;
        let module = fs::read(&built[at])?;
        let finished = form.finish(module, here).map_err(|error| format!("{name}: {error:#}"))?;
        put(&out.join(name).with_extension("wasm"), &finished)?;
        println!("{name:<30} {:>9} bytes  sha256:{}", finished.len(), hex(&Sha256::digest(&finished)));
    }
    Ok(())
}

impl Form {
    fn finish(&self, module: Vec<u8>, here: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
        match self {
            Form::Policy(file) => {
                let text = fs::read_to_string(here.join(file)).map_err(|error| format!("{file}: {error}"))?;
                Ok(annotate(&module, METADATA, metadata(file, &text)?.to_canonical().as_bytes())?)
            }
            Form::Plugin => Ok(module),
            Form::Component(wit) => component(&module, &here.join(wit)),
        }
    }
}

/// Wraps a module that says in a section which world it is made for, and checks that it is that of the file that people read:
/// it asks its host for nothing else, and gives all of it.
fn component(module: &[u8], wit: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let component = ComponentEncoder::default().module(module)?.validate(true).encode()?;
    let mut resolve = Resolve::default();
    let package = resolve.push_source(&wit.display().to_string(), &fs::read_to_string(wit)?)?;
    let world = resolve.select_world(&[package], None)?;
    targets(&resolve, world, &component, false)?;
    Ok(component)
}

/// The one document of a YAML text. What is doubtful in it fails too: nobody would read the warning.
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// By renaming, so that nobody ever reads half a module.
fn put(file: &Path, bytes: &[u8]) -> Result<(), std::io::Error> {
    let half = file.with_extension("wasm.new");
    fs::write(&half, bytes)?;
    fs::rename(half, file)
}

#[cfg(test)]
mod tests {
    use super::{Form, METADATA, MODULES, PACKAGES, annotate, metadata};
    use std::path::Path;

    #[test]
    fn every_crate_is_built_for_something() {
        let used: Vec<&str> = MODULES.iter().map(|(_, package, _)| *package).collect();
        assert!(used.iter().all(|it| PACKAGES.contains(it)), "{used:?}");
        assert!(PACKAGES.iter().all(|it| used.contains(it)), "{used:?}");
    }

    #[test]
    fn a_policy_carries_its_metadata_as_json_and_nothing_else_changes() {
        let module = b"\0asm\x01\0\0\0";
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (name, mutating) in [("fleetfold-kubewarden", false), ("fleetfold-kubewarden-mutating", true)] {
            let (_, _, form) = MODULES.iter().find(|(it, ..)| *it == name).expect("a policy");
            let policy = form.finish(module.to_vec(), here).expect("it is annotated");
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
        let error = form.finish(b"\0asm\x01\0\0\0".to_vec(), Path::new(env!("CARGO_MANIFEST_DIR")));
        assert!(error.is_err());
    }
}
