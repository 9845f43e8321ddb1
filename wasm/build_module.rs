// Builds modules, always the same way. Included by `host/build.rs`, which embeds the raw one, by the tools that make the one
// for JavaScript and those for other hosts, and by the test that builds a copy of the source elsewhere and compares.
//
// The same source gives the same bytes, whoever asks and wherever it lies:
// 1. what the outer build says about compilers, flags, profiles and folders is not passed on;
// 2. places on this machine are renamed in what the compiler writes;
// 3. `--locked`, and the toolchain file of the workspace, settle every version.

/// Builds `packages` of the workspace at `workspace`, all at once, and returns where their modules lie, in `target_dir`.
///
/// # Panics
///
/// When the build fails: its callers have nothing left to do then.
fn build_modules<const N: usize>(
    workspace: &std::path::Path,
    packages: [&str; N],
    target_dir: &std::path::Path,
) -> [std::path::PathBuf; N] {
    const TARGET: &str = "wasm32-unknown-unknown";

    // `cargo` by name and not `$CARGO`: by name it is rustup's, which reads the toolchain file of the workspace.
    let mut cargo = std::process::Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        if steers_the_build(&name.to_string_lossy()) {
            cargo.env_remove(name);
        }
    }
    let status = cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--profile", "module", "--target", TARGET])
        .args(packages.iter().flat_map(|package| ["-p", package]))
        .arg("--target-dir")
        .arg(target_dir)
        // The encoded form, since a folder may have a space in its name.
        .env("CARGO_ENCODED_RUSTFLAGS", [remap_flags(workspace), small_flags()].concat().join("\u{1f}"))
        .status()
        .unwrap_or_else(|error| panic!("cargo does not start: {error}"));
    assert!(status.success(), "{} does not build; is the target installed? `rustup target add {TARGET}`", packages.join(", "));
    let folder = target_dir.join(TARGET).join("module");
    packages.map(|package| folder.join(package.replace('-', "_")).with_extension("wasm"))
}

/// Whether a variable could change what is built. Where crates come from (`CARGO_HOME`, network, registries) cannot, since
/// the lock file holds their checksums, nor can the number of jobs.
fn steers_the_build(name: &str) -> bool {
    const STEERING: [&str; 5] = ["CARGO", "__CARGO", "RUSTC", "RUSTFLAGS", "RUSTUP_TOOLCHAIN"];
    const HARMLESS: [&str; 6] =
        ["CARGO_HOME", "CARGO_HTTP_", "CARGO_MAKEFLAGS", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_"];
    let starts_with_any = |list: &[&str]| list.iter().any(|it| name.starts_with(it));
    starts_with_any(&STEERING) && !starts_with_any(&HARMLESS)
}

/// Renames every folder whose name could reach the module through a panic message. Of several that fit, the compiler
/// takes the last: the outermost folder comes first.
fn remap_flags(workspace: &std::path::Path) -> Vec<String> {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let under_home = |name: &str| home.as_ref().map(|home| home.join(name));
    let from_env = |name: &str| std::env::var_os(name).map(std::path::PathBuf::from);
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

/// Keeps large functions apart, which makes the module smaller by a twenty-fifth once it is compressed.
///
/// What is called from one place only, the inliner puts there whatever its size: where the whole program is linked at once
/// this makes functions of twenty kilobytes with hundreds of locals. It does so by a bonus, for which there is no flag. With
/// all that is weighed against it twentyfold (these are the compiler's own figures for `opt-level = "s"`, times twenty), the
/// bonus is enough for what is small only. A hundredfold saves as much again, and single operations take up to half as long
/// again. The names decide on the order of functions, in which like ones come to lie side by side.
fn small_flags() -> Vec<String> {
    [
        "-Csymbol-mangling-version=v0",
        "-Cllvm-args=-inline-instr-cost=100",
        "-Cllvm-args=-inline-call-penalty=500",
        "-Cllvm-args=-inline-threshold=1000",
        "-Cllvm-args=-inlinehint-threshold=6500",
    ]
    .map(String::from)
    .to_vec()
}
