//! Embeds the raw module: `cargo run` alone gives a program that holds the engine it runs.
//!
//! Everything is written to `OUT_DIR`, the files of the nested build too. The module is the fast form; `npm run module`
//! writes the small form of the same source to the target folder, for other hosts.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use fleetfold_builder::{Build, build_modules};
use sha2::{Digest, Sha256};

fn main() {
    let workspace = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace");
    let out = PathBuf::from(variable("OUT_DIR"));

    // A target folder of its own: the outer build holds the lock of the other.
    let [module] = build_modules(Build::Fast, &workspace, ["fleetfold-wasm"], &out.join("module"))
        .unwrap_or_else(|error| panic!("{error}"));
    let embedded = out.join("fleetfold.wasm");
    fs::copy(&module.file, &embedded).unwrap_or_else(|error| panic!("copy to {}: {error}", embedded.display()));

    for source in &module.sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let bytes = fs::read(&embedded).expect("the module that was copied");
    println!("cargo::rustc-env=FLEETFOLD_MODULE={}", embedded.display());
    println!("cargo::rustc-env=FLEETFOLD_MODULE_DIGEST={}", digest(&bytes));
    println!("cargo::rustc-env=FLEETFOLD_WASMTIME={}", locked_version(&workspace, "wasmtime"));
}

/// The version of a package in the lock file. The cache keeps compiled code for one version, which the crate does not
/// export.
fn locked_version(workspace: &Path, package: &str) -> String {
    let lock = fs::read_to_string(workspace.join("Cargo.lock")).expect("the lock file");
    let start = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&start).expect("the package is locked");
    rest.split('"').next().expect("a version").to_owned()
}

/// As `fleetfold::digest` writes it.
fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
