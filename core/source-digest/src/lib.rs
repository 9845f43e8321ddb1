//! For build scripts: the digest of a crate's source, so that an engine has a name that follows what it was built from.
//!
//! The engine is several crates; each hands out its own digest, and `describe` answers with one over all of them.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Hands the digest of everything under `src` to the crate that is built, as `FLEETFOLD_SOURCE_DIGEST`.
pub fn emit() {
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        let name = file.to_string_lossy().replace('\\', "/");
        let text = fs::read(file).expect("a source file that was just listed can be read");
        for part in [name.as_bytes(), &text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=FLEETFOLD_SOURCE_DIGEST={digest}");
    println!("cargo::rerun-if-changed=src");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
