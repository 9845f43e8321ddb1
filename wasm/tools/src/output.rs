//! Modules as files.

use std::error::Error;
use std::fs;
use std::path::Path;

use fleetfold_core::value::text::hex;
use sha2::{Digest, Sha256};

/// Writes a module into a folder and prints its size and digest. It renames a finished file, so that no reader sees
/// half a module.
pub fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let file = folder.join(name).with_extension("wasm");
    let half = file.with_extension("wasm.new");
    fs::create_dir_all(folder)?;
    fs::write(&half, bytes).map_err(|error| format!("{}: {error}", half.display()))?;
    fs::rename(&half, &file).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{name:<30} {:>9} bytes  sha256:{}", bytes.len(), hex(&Sha256::digest(bytes)));
    Ok(())
}
