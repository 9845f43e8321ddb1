//! Embeds the raw module: `cargo run` alone gives a program that holds the engine it runs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

include!("../wasm/build_module.rs");

/// All that the module is made of.
const SOURCES: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "core/Cargo.toml",
    "core/build.rs",
    "core/src",
    "wasm/Cargo.toml",
    "wasm/src",
    "wasm/build_module.rs",
];

fn main() {
    let workspace = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace");
    let out = PathBuf::from(variable("OUT_DIR"));
    let target = target_dir(&out);

    // A target folder of its own: the outer build holds the lock of the other.
    let built = build_module(&workspace, "fleetfold-wasm", &target.join("module"));
    let embedded = out.join("fleetfold.wasm");
    copy(&built, &embedded);
    copy(&built, &target.join("fleetfold.wasm"));

    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    println!("cargo::rustc-env=FLEETFOLD_MODULE={}", embedded.display());
    println!("cargo::rustc-env=FLEETFOLD_WASMTIME={}", locked_version(&workspace, "wasmtime"));
}

/// The outer target folder: the one above `out` that cargo marked as such.
fn target_dir(out: &Path) -> PathBuf {
    let marked = out.ancestors().find(|it| it.join("CACHEDIR.TAG").exists());
    marked.or_else(|| out.ancestors().nth(4)).unwrap_or(out).to_path_buf()
}

/// The version of a package in the lock file. Compiled code is kept for this version only, and its crate does not say it.
fn locked_version(workspace: &Path, package: &str) -> String {
    let lock = fs::read_to_string(workspace.join("Cargo.lock")).expect("the lock file");
    let start = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&start).expect("the package is locked");
    rest.split('"').next().expect("a version").to_owned()
}

/// Copies by renaming, so that nobody ever reads half a module.
fn copy(from: &Path, to: &Path) {
    let half = to.with_extension("wasm.new");
    fs::copy(from, &half).unwrap_or_else(|error| panic!("copy {} to {}: {error}", from.display(), half.display()));
    fs::rename(&half, to).unwrap_or_else(|error| panic!("rename to {}: {error}", to.display()));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
