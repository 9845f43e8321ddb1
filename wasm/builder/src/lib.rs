//! Builds WebAssembly modules from packages of the workspace, always the same way.
//!
//! The same source gives the same bytes, on every machine and in every folder:
//! 1. Variables of the outer build that choose compilers, flags, profiles or folders are not passed on.
//! 2. The compiler renames the folders of this machine in everything it writes.
//! 3. `--locked` and the toolchain file of the workspace fix every version.
#![forbid(unsafe_code)]

mod error;
mod sources;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use error::BuildError;

const TARGET: &str = "wasm32-unknown-unknown";

/// What a module is optimised for. Both forms have the same source and return the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Speed: for hosts that have the module in their program.
    Fast,
    /// Size: for modules that travel, as to browsers, in npm packages and in registries.
    Small,
    /// The code of the small form with the names of its functions: for `npm run size`.
    Named,
}

impl Build {
    /// The profile of the workspace's `Cargo.toml`, which is also the name of the folder.
    fn profile(self) -> &'static str {
        match self {
            Build::Fast => "module-fast",
            Build::Small => "module",
            Build::Named => "module-named",
        }
    }

    fn flags(self) -> Vec<String> {
        let inlining: &[&str] = match self {
            Build::Fast => &[],
            Build::Small | Build::Named => &FEWER_INLINED,
        };
        [&ORDERED, inlining].concat().into_iter().map(String::from).collect()
    }
}

/// A module that was built.
#[derive(Debug)]
pub struct BuiltModule {
    /// The module as cargo wrote it.
    pub file: PathBuf,
    /// The source files, folders and manifests it was built from. When none of them changed, neither has the module.
    pub sources: Vec<PathBuf>,
}

impl BuiltModule {
    /// Reads the module.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, BuildError> {
        fs::read(&self.file).map_err(|error| BuildError::file(&self.file, error))
    }
}

/// Builds `packages` of the workspace in the folder `workspace` with one call of cargo, which keeps its files in
/// `target_dir`. Both forms may be kept in one folder.
///
/// # Errors
///
/// When cargo does not start, when a package does not compile, or when cargo's list of sources cannot be read.
pub fn build_modules<const N: usize>(
    build: Build,
    workspace: &Path,
    packages: [&str; N],
    target_dir: &Path,
) -> Result<[BuiltModule; N], BuildError> {
    // Cargo runs in the workspace, where a relative folder would be another one.
    let target_dir = std::path::absolute(target_dir).map_err(|error| BuildError::file(target_dir, error))?;
    // `cargo` by name and not `$CARGO`: by name it is rustup's, which reads the toolchain file of the workspace.
    let mut cargo = Command::new("cargo");
    for (name, _) in env::vars_os() {
        if changes_the_build(&name.to_string_lossy()) {
            cargo.env_remove(name);
        }
    }
    let status = cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--profile", build.profile(), "--target", TARGET])
        .args(packages.iter().flat_map(|package| ["-p", package]))
        .arg("--target-dir")
        .arg(&target_dir)
        // The encoded form, since a folder may have a space in its name.
        .env("CARGO_ENCODED_RUSTFLAGS", [remap_flags(workspace), build.flags()].concat().join("\u{1f}"))
        .status()
        .map_err(BuildError::NoCargo)?;
    if !status.success() {
        return Err(BuildError::Failed { packages: packages.join(", "), target: TARGET });
    }
    let folder = target_dir.join(TARGET).join(build.profile());
    let mut built = Vec::with_capacity(N);
    for package in packages {
        let file = folder.join(package.replace('-', "_")).with_extension("wasm");
        let sources = sources::of(&file, workspace)?;
        built.push(BuiltModule { file, sources });
    }
    Ok(built.try_into().expect("one module for each package"))
}

/// Whether a variable could change the module. Where crates come from (`CARGO_HOME`, network, registries) cannot,
/// since the lock file holds their checksums, nor can the number of jobs.
fn changes_the_build(name: &str) -> bool {
    const STEERING: [&str; 5] = ["CARGO", "__CARGO", "RUSTC", "RUSTFLAGS", "RUSTUP_TOOLCHAIN"];
    const HARMLESS: [&str; 6] =
        ["CARGO_HOME", "CARGO_HTTP_", "CARGO_MAKEFLAGS", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_"];
    let starts_with_any = |list: &[&str]| list.iter().any(|it| name.starts_with(it));
    starts_with_any(&STEERING) && !starts_with_any(&HARMLESS)
}

/// Renames every folder whose name could reach the module through a panic message. Of several that fit, the compiler
/// takes the last: the outermost folder comes first.
fn remap_flags(workspace: &Path) -> Vec<String> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let under_home = |name: &str| home.as_ref().map(|home| home.join(name));
    let from_env = |name: &str| env::var_os(name).map(PathBuf::from);
    [
        (home.clone(), "/home"),
        (from_env("RUSTUP_HOME").or_else(|| under_home(".rustup")), "/rustup"),
        (from_env("CARGO_HOME").or_else(|| under_home(".cargo")), "/cargo"),
        (Some(workspace.to_path_buf()), "/fleetfold"),
    ]
    .into_iter()
    .filter_map(|(folder, name)| Some(format!("--remap-path-prefix={}={name}", folder?.display())))
    .collect()
}

/// The mangling decides the order of functions: similar ones end up next to each other, which compresses better.
const ORDERED: [&str; 1] = ["-Csymbol-mangling-version=v0"];

/// Flags that keep large functions apart, which makes the compressed module smaller by a twenty-fifth.
///
/// The inliner moves a function with one caller into that caller, whatever its size: with link-time optimisation this
/// yields functions of twenty kilobytes with hundreds of locals. It does so through a bonus that has no flag. These
/// flags multiply the compiler's own costs for `opt-level = "s"` by twenty, so that the bonus suffices for small
/// functions only. A factor of a hundred saves as much again, but single operations then take up to half as long
/// again.
const FEWER_INLINED: [&str; 4] = [
    "-Cllvm-args=-inline-instr-cost=100",
    "-Cllvm-args=-inline-call-penalty=500",
    "-Cllvm-args=-inline-threshold=1000",
    "-Cllvm-args=-inlinehint-threshold=6500",
];

#[cfg(test)]
mod tests {
    use super::changes_the_build;

    #[test]
    fn the_outer_build_does_not_choose_flags_or_folders() {
        for name in
            ["CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS", "CARGO_PROFILE_MODULE_LTO", "RUSTFLAGS", "RUSTC_WRAPPER"]
        {
            assert!(changes_the_build(name), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_MAKEFLAGS", "PATH", "HOME", "RUSTUP_HOME"] {
            assert!(!changes_the_build(name), "{name}");
        }
    }
}
