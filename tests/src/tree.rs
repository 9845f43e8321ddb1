//! The repository as a folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent")
}

/// Every file that is kept, by its path below the root: what git tracks, and what it would take.
pub fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let listed = String::from_utf8(listed.expect("git lists the files").stdout).expect("names are UTF-8");
    // One that is deleted is listed until the deletion is staged.
    listed.split_terminator('\0').filter(|name| root().join(name).exists()).map(String::from).collect()
}

/// What tests build once is kept outside the tree.
pub fn cache() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set"));
    std::env::var_os("FLEETFOLD_TEST_CACHE").map_or_else(|| home().join(".cache/fleetfold-tests"), PathBuf::from)
}
