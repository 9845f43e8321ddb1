//! The files that a module was built from, as cargo lists them.
//!
//! Cargo writes a makefile rule beside each module (`name.d`): the module, a colon, and every source file of the
//! workspace's own packages. Manifests are not in it, so they are added.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::BuildError;

/// Files of the workspace that decide over every package in it.
const SHARED: [&str; 3] = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];

/// The sources of the module `file`, with the manifests of the packages they belong to.
pub(crate) fn of(file: &Path, workspace: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let list = file.with_extension("d");
    let rule = fs::read_to_string(&list).map_err(|error| BuildError::file(&list, error))?;
    let mut sources: BTreeSet<PathBuf> = prerequisites(&rule).map(PathBuf::from).collect();
    if sources.is_empty() {
        return Err(BuildError::NoSources(list));
    }
    let manifests: Vec<PathBuf> = sources.iter().filter_map(|it| manifest(it)).collect();
    sources.extend(manifests);
    sources.extend(SHARED.map(|name| workspace.join(name)).into_iter().filter(|it| it.exists()));
    Ok(sources.into_iter().collect())
}

/// The manifest of the package that a source file belongs to.
fn manifest(source: &Path) -> Option<PathBuf> {
    source.ancestors().skip(1).map(|folder| folder.join("Cargo.toml")).find(|it| it.exists())
}

/// The right-hand side of a makefile rule. A backslash stands before a space that belongs to a name.
fn prerequisites(rule: &str) -> impl Iterator<Item = String> {
    let (_, list) = rule.lines().next().and_then(|line| line.split_once(".wasm: ")).unwrap_or_default();
    let kept = list.replace("\\ ", "\0");
    let names: Vec<String> = kept.split_whitespace().map(|name| name.replace('\0', " ")).collect();
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::prerequisites;

    #[test]
    fn names_with_spaces_stay_together() {
        check("/t/a.wasm: /w/core/src /w/wasm/src/lib.rs\n", &["/w/core/src", "/w/wasm/src/lib.rs"]);
        check("/a\\ t/a.wasm: /my\\ work/lib.rs /w/b.rs\n", &["/my work/lib.rs", "/w/b.rs"]);
    }

    #[test]
    fn a_rule_without_sources_has_none() {
        check("/t/a.wasm:\n", &[]);
        check("", &[]);
    }

    #[track_caller]
    fn check(rule: &str, wanted: &[&str]) {
        assert_eq!(prerequisites(rule).collect::<Vec<_>>(), wanted);
    }
}
