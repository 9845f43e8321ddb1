//! SHA-256 digests and hexadecimal text.

pub use fleetfold_core::value::text::hex;
use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, as `sha256:…`.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}
