//! Builds `fleetfold-javascript` and writes `engine.js`, its types and `engine_bg.wasm` into a folder.
//!
//! The tool that does this for everybody else does not build from its lock file with this compiler; this is its library.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

include!("../../build_module.rs");

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [target, out] = folders.as_slice() else {
        eprintln!("usage: fleetfold-bindgen TARGET_DIR OUT_DIR");
        return ExitCode::from(2);
    };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
    let module = build_module(&workspace, "fleetfold-javascript", target);
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("engine")
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
