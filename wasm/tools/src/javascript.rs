//! Everything the page and the npm package are made of: the engine for JavaScript (`engine.js`, its types,
//! `engine_bg.wasm`), the CRDs it reads (`crds.json`), and an example fleet (`thousand.json`).
//!
//! This calls the library of `wasm-bindgen`: the command line tool itself does not build with this compiler.

use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::path::Path;

use fleetfold_builder::{Build, build_modules};
use fleetfold_core::Value;
use fleetfold_crds::crds;
use wasm_bindgen_cli_support::Bindgen;

/// Clusters of the example fleet.
const CLUSTERS: u32 = 1_000;

pub fn write(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let [built] = build_modules(Build::Small, workspace, ["fleetfold-javascript"], target)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(built.file).out_name("engine").typescript(true);
    bindgen.remove_name_section(true).remove_producers_section(true).web(true)?.generate(out)?;
    fs::write(out.join("crds.json"), Value::list(crds(true, &[])).to_canonical())?;
    fs::write(out.join("thousand.json"), example_fleet().to_canonical())?;
    Ok(())
}

/// The files of the fleet by path.
fn example_fleet() -> Value {
    let mut files = Vec::new();
    let Ok(()) = fleetfold_example::fleet::<Infallible>(CLUSTERS, |path, text| {
        files.push((path.to_owned(), Value::text(text)));
        Ok(())
    });
    Value::map(files)
}
