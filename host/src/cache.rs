//! Compiled code, kept between runs: compiling takes a good part of a second, reading a few milliseconds.
//!
//! Compiled code is native code, and loading it is running it. So:
//! 1. only this program writes what it reads: there is no way to hand it compiled code;
//! 2. the folder and the file belong to the current user, and nobody else may write to either;
//! 3. a file is taken only if it is whole: it starts with the SHA-256 of the rest;
//! 4. its name is the SHA-256 of the module, wasmtime's version and its settings, so another's code is never found.
//!
//! A cache that does not work costs time, never an answer.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use wasmtime::{Engine, Module};

use crate::guest::hex;

/// The length of a SHA-256.
const GUARD: usize = 32;

/// How many files are kept. Each release and each `--module` adds one, and none is worth keeping for long.
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
        // The rule for those two: a path that is not absolute counts as none.
        let absolute = |name: &str| folder(name).filter(|it| it.is_absolute());
        let chosen = folder("FLEETFOLD_CACHE")
            .or_else(|| Some(absolute("XDG_CACHE_HOME")?.join("fleetfold")))
            .or_else(|| Some(absolute("HOME")?.join(".cache/fleetfold")));
        match chosen {
            Some(folder) => Self::at(&folder),
            None => Self(Err("no folder for it is known: set `FLEETFOLD_CACHE` to one".to_owned())),
        }
    }

    /// A cache in `folder`, which is made if it does not exist.
    pub fn at(folder: &Path) -> Self {
        Self(match own(folder) {
            Ok(()) => Ok(folder.to_owned()),
            Err(error) => Err(format!("`{}`: {error}", folder.display())),
        })
    }

    /// Why nothing is kept, when nothing is.
    pub fn refusal(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }

    /// The code of `wasm`: found, or compiled and then kept.
    pub(crate) fn compile(&self, engine: &Engine, wasm: &[u8]) -> wasmtime::Result<(Module, Compiled)> {
        let file = self.0.as_ref().ok().map(|folder| folder.join(name(engine, wasm)));
        if let Some(module) = file.as_ref().and_then(|file| load(engine, file)) {
            return Ok((module, Compiled::Found));
        }
        let module = Module::from_binary(engine, wasm)?;
        if let Some(file) = file
            && let Ok(code) = module.serialize()
        {
            // A full or read-only disk is no reason to fail: the code is at hand.
            let _ = keep(&file, &code);
        }
        Ok((module, Compiled::Anew))
    }
}

/// Makes `folder` if needed, and refuses one that somebody else could write to.
fn own(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    only_mine(&fs::metadata(folder)?)
}

fn only_mine(it: &fs::Metadata) -> io::Result<()> {
    if it.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if it.mode() & 0o022 != 0 {
        return Err(io::Error::other("others may write to it"));
    }
    Ok(())
}

fn name(engine: &Engine, wasm: &[u8]) -> String {
    let mut key = Key(Sha256::new());
    key.0.update(Sha256::digest(wasm));
    // Holds the whole version of wasmtime, the target and every setting that shapes code.
    engine.precompile_compatibility_hash().hash(&mut key);
    format!("{}.code", hex(&key.0.finalize()))
}

/// Code that may be run, or nothing when it has to be compiled.
#[expect(unsafe_code, reason = "loading compiled code is running it; the rules are at the top of this file")]
fn load(engine: &Engine, file: &Path) -> Option<Module> {
    let mut file = OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(file).ok()?;
    only_mine(&file.metadata().ok()?).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let (guard, code) = bytes.split_at_checked(GUARD)?;
    if guard != Sha256::digest(code).as_slice() {
        return None;
    }
    // SAFETY: the bytes are whole and come from a file that only the current user could have written, in a folder that
    // only the current user can write to, under a name that this program alone gives. Wasmtime checks version and settings.
    unsafe { Module::deserialize(engine, code) }.ok()
}

/// Writes beside, then renames: a reader finds a whole file or none.
fn keep(file: &Path, code: &[u8]) -> io::Result<()> {
    let half = file.with_extension(format!("{}.new", std::process::id()));
    let written = write(&half, code).and_then(|()| fs::rename(&half, file));
    if written.is_err() {
        let _ = fs::remove_file(&half);
        return written;
    }
    file.parent().map_or(Ok(()), forget_oldest)
}

fn write(file: &Path, code: &[u8]) -> io::Result<()> {
    let mut out: File = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    out.write_all(&Sha256::digest(code))?;
    out.write_all(code)?;
    out.sync_all()
}

fn forget_oldest(folder: &Path) -> io::Result<()> {
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

/// Feeds what wasmtime hashes into a SHA-256: 64 bits are too few to tell code apart.
struct Key(Sha256);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.clone().finalize().iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}
