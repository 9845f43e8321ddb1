//! Writes into a folder what the page and the package are made of: the engine for JavaScript (`engine.js`, its types,
//! `engine_bg.wasm`), the definitions of the kinds that it reads (`crds.json`), and a large fleet to try it on (`thousand.json`).
//!
//! The tool that writes such JavaScript for everybody else does not build with this compiler; this is its library.

#[path = "../../../host/src/example.rs"]
mod example;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fleetfold_core::Value;
use fleetfold_core::crds::crds;
use wasm_bindgen_cli_support::Bindgen;

include!("../../build_module.rs");

/// Clusters of the large fleet.
const MANY: u32 = 1_000;

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [target, out] = folders.as_slice() else {
        eprintln!("usage: fleetfold-bindgen TARGET_DIR OUT_DIR");
        return ExitCode::from(2);
    };
    match write(target, out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn write(target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let [module] = build_modules(&workspace, ["fleetfold-javascript"], target);
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("engine").typescript(true);
    bindgen.remove_name_section(true).remove_producers_section(true).web(true)?.generate(out)?;
    fs::write(out.join("crds.json"), Value::list(crds(true, &[])).to_canonical())?;
    fs::write(out.join("thousand.json"), large_fleet().to_canonical())?;
    Ok(())
}

/// The files of the fleet by name.
fn large_fleet() -> Value {
    let mut files = Vec::new();
    let took: Result<(), std::convert::Infallible> = example::fleet(MANY, |name, text| {
        files.push((name.to_owned(), Value::text(text)));
        Ok(())
    });
    took.unwrap_or_else(|never| match never {});
    Value::map(files)
}
