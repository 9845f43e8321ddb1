//! The cache of compiled modules: compiling takes a good part of a second, loading a few milliseconds.
//!
//! Compiled code is native code, and loading it means running it. So:
//! 1. only this program writes the cache; compiled code cannot be passed in;
//! 2. the folder and the file belong to the current user, and no other user may write to them;
//! 3. a file is loaded only if it is complete: it starts with the SHA-256 of the rest;
//! 4. its name is the SHA-256 of the module, wasmtime's version and its settings, so code for another setup is never
//!    found.
//!
//! A broken cache costs time and changes no answer.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use wasmtime::{Engine, Module};

use crate::digest::hex;

/// The length of a SHA-256.
const GUARD: usize = 32;

/// How many files are kept. Each release and each `--module` adds one.
const KEPT: usize = 8;

/// Where a module's code came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiled {
    Found,
    Anew,
}

/// A folder of compiled code, or the reason why there is none.
#[derive(Debug)]
pub struct Cache(Result<PathBuf, String>);

impl Cache {
    /// The user's cache: `$FLEETFOLD_CACHE`, else `fleetfold` in `$XDG_CACHE_HOME`, else in `~/.cache`.
    pub fn of_user() -> Self {
        let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        // As the XDG specification says, a relative path is ignored.
        let absolute = |name: &str| folder(name).filter(|it| it.is_absolute());
        let chosen = folder("FLEETFOLD_CACHE")
            .or_else(|| Some(absolute("XDG_CACHE_HOME")?.join("fleetfold")))
            .or_else(|| Some(absolute("HOME")?.join(".cache/fleetfold")));
        match chosen {
            Some(folder) => Self::at(&folder),
            None => Self(Err("no folder for it is known: set `FLEETFOLD_CACHE` to one".to_owned())),
        }
    }

    /// A cache in `folder`, which is created if it does not exist.
    pub fn at(folder: &Path) -> Self {
        Self(match private_folder(folder) {
            Ok(()) => Ok(folder.to_owned()),
            Err(error) => Err(format!("`{}`: {error}", folder.display())),
        })
    }

    /// Why the cache is disabled, if it is.
    pub fn disabled_reason(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }

    /// Loads the code of `wasm`, whose digest is `digest`, from the cache, or compiles and caches it.
    pub(crate) fn compile(&self, engine: &Engine, wasm: &[u8], digest: &str) -> wasmtime::Result<(Module, Compiled)> {
        let file = self.0.as_ref().ok().map(|folder| folder.join(name(engine, digest)));
        if let Some(module) = file.as_ref().and_then(|file| load(engine, file)) {
            return Ok((module, Compiled::Found));
        }
        let module = Module::from_binary(engine, wasm)?;
        if let Some(file) = file
            && let Ok(code) = module.serialize()
        {
            // A full or read-only disk is not an error: the code was compiled.
            let _ = keep(&file, &code);
        }
        Ok((module, Compiled::Anew))
    }
}

/// Creates `folder` if needed; fails if another user could write to it.
fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check_private(&fs::metadata(folder)?)
}

fn check_private(it: &fs::Metadata) -> io::Result<()> {
    if it.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if it.mode() & 0o022 != 0 {
        return Err(io::Error::other("others may write to it"));
    }
    Ok(())
}

fn name(engine: &Engine, digest: &str) -> String {
    let mut key = Key(Sha256::new());
    key.0.update(digest);
    // Covers the version of wasmtime, the target and every setting that affects the code.
    engine.precompile_compatibility_hash().hash(&mut key);
    format!("{}.code", hex(&key.0.finalize()))
}

/// Loads cached code; nothing if it has to be compiled.
#[expect(unsafe_code, reason = "loading compiled code is running it; the rules are at the top of this file")]
fn load(engine: &Engine, file: &Path) -> Option<Module> {
    let mut file = OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(file).ok()?;
    let about = file.metadata().ok()?;
    check_private(&about).ok()?;
    // At once: a buffer that grows would copy megabytes several times.
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    let (guard, code) = bytes.split_at_checked(GUARD)?;
    if guard != Sha256::digest(code).as_slice() {
        return None;
    }
    // SAFETY: the bytes are complete and come from a file that only the current user could have written, in a folder
    // that only the current user can write to, under a name that only this program uses. Wasmtime checks version and
    // settings.
    unsafe { Module::deserialize(engine, code) }.ok()
}

/// Writes to a temporary file, then renames it: a reader never finds a partial file.
fn keep(file: &Path, code: &[u8]) -> io::Result<()> {
    let half = file.with_extension(format!("{}.new", std::process::id()));
    let written = write(&half, code).and_then(|()| fs::rename(&half, file));
    if written.is_err() {
        let _ = fs::remove_file(&half);
        return written;
    }
    file.parent().map_or(Ok(()), remove_oldest)
}

fn write(file: &Path, code: &[u8]) -> io::Result<()> {
    let mut out: File = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    out.write_all(&Sha256::digest(code))?;
    out.write_all(code)?;
    out.sync_all()
}

fn remove_oldest(folder: &Path) -> io::Result<()> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|it| it == "code") {
            kept.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    kept.sort();
    let spare = kept.len().saturating_sub(KEPT);
    kept.into_iter().take(spare).try_for_each(|(_, file)| fs::remove_file(file))
}

/// Feeds wasmtime's hash input into a SHA-256: a 64-bit hash could collide.
struct Key(Sha256);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.clone().finalize().iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}
