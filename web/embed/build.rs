//! Copies the page into `OUT_DIR` and writes the table of its files.
//!
//! The script names no path to watch, on purpose. Cargo would run it at every build for a folder that does not exist
//! yet; without any path, cargo watches the files that `include` in `Cargo.toml` selects, and notices when the first
//! one appears.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let site = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("site");
    let out = PathBuf::from(variable("OUT_DIR"));
    let mut files = Vec::new();
    files_below(&site, &mut files);
    files.sort();
    let mut rows = String::new();
    for (index, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&site).expect("listed below the site").to_str().expect("names are UTF-8");
        // A copy, as the web build may replace the file before the compiler reads it.
        let copy = out.join(format!("file-{index}"));
        fs::copy(file, &copy).unwrap_or_else(|error| panic!("copy {}: {error}", file.display()));
        rows.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", copy.display().to_string()));
    }
    let table = format!("/// The files of the page by path.\npub const FILES: &[(&str, &[u8])] = &[\n{rows}];\n");
    fs::write(out.join("files.rs"), table).expect("the table of the page is written");
}

/// Every file below a folder, but for hidden ones; none where the folder is missing.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
