//! SHA-256 digests and hexadecimal text.

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, as `sha256:…`.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// `bytes` in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
