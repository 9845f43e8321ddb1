//! Embeds the raw module: `cargo run` alone gives a program that holds the engine it runs. Embeds the page too, where the web
//! build has left it in `web/site`; without it the program says so in its place.

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
    let [built] = build_modules(&workspace, ["fleetfold-wasm"], &target.join("module"));
    let embedded = out.join("fleetfold.wasm");
    copy(&built, &embedded);
    copy(&built, &target.join("fleetfold.wasm"));

    embed_site(&workspace.join("web/site"), &out);
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    println!("cargo::rustc-env=FLEETFOLD_MODULE={}", embedded.display());
    println!("cargo::rustc-env=FLEETFOLD_WASMTIME={}", locked_version(&workspace, "wasmtime"));
}

/// Copies the page's files and writes the table of them. They are copied as the web build may run again before the compiler
/// has read them. The folder is made where it is missing: cargo would build everything anew each time for one that is not
/// there, and would not notice it later if it were not told to look.
fn embed_site(site: &Path, out: &Path) {
    // Where it cannot be made, there is nothing to look for.
    if fs::create_dir_all(site).is_ok() {
        println!("cargo::rerun-if-changed={}", site.display());
    }
    let mut files = Vec::new();
    files_below(site, &mut files);
    files.sort();
    let mut rows = String::new();
    for (index, file) in files.iter().enumerate() {
        let name = file.strip_prefix(site).expect("below the site").to_str().expect("names are UTF-8");
        let kept = out.join(format!("site-{index}"));
        fs::copy(file, &kept).unwrap_or_else(|error| panic!("copy {}: {error}", file.display()));
        rows.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", kept.display().to_string()));
    }
    let table = format!("/// The files of the page, by their paths.\nconst SITE: &[(&str, &[u8])] = &[\n{rows}];\n");
    fs::write(out.join("site.rs"), table).expect("the table of the page");
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, files);
        } else if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            files.push(path);
        }
    }
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
