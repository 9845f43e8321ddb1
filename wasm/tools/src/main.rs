//! Writes the forms of the engine that cargo alone does not make: the raw module as a file, the engine for JavaScript,
//! and the modules for policy engines and plugin hosts. The npm scripts run it.

mod javascript;
mod output;
mod policies;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fleetfold_builder::{Build, build_modules};

/// Writes into the second folder; cargo keeps its files in the first.
type Write = fn(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>>;

/// The subcommands: name, function, description.
const COMMANDS: [(&str, Write, &str); 6] = [
    ("module", module, "the raw module, `fleetfold.wasm`: JSON in, JSON out, no imports"),
    ("javascript", javascript::write, "the engine for JavaScript, the CRDs and an example fleet: inputs of the page"),
    ("policies", policies::write, "the modules for Kubewarden, Extism and the component model"),
    ("small", small, "the raw module as `fleetfold-small.wasm`, the same bytes: for `npm run size`"),
    ("fast", fast, "the raw module as programs embed it, `fleetfold-fast.wasm`"),
    ("named", named, "the small raw module with the names of its functions, `fleetfold-named.wasm`"),
];

fn main() -> ExitCode {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let [name, target, out] = args.as_slice() else { return usage() };
    let Some((_, write, _)) = COMMANDS.iter().find(|(it, ..)| name == it) else { return usage() };
    match workspace().and_then(|workspace| write(&workspace, Path::new(target), Path::new(out))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: fleetfold-tools COMMAND TARGET_DIR OUT_DIR");
    for (name, _, description) in COMMANDS {
        eprintln!("  {name:<12}{description}");
    }
    ExitCode::from(2)
}

/// The workspace this tool was compiled in.
fn workspace() -> Result<PathBuf, Box<dyn Error>> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?)
}

fn module(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    raw(Build::Small, "fleetfold", workspace, target, out)
}

fn small(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    raw(Build::Small, "fleetfold-small", workspace, target, out)
}

fn fast(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    raw(Build::Fast, "fleetfold-fast", workspace, target, out)
}

fn named(workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    raw(Build::Named, "fleetfold-named", workspace, target, out)
}

fn raw(build: Build, name: &str, workspace: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let [built] = build_modules(build, workspace, ["fleetfold-wasm"], target)?;
    output::put(out, name, &built.read()?)
}
