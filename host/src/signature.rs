//! Signatures of modules, in a custom section of the module itself.
//!
//! 1. A signature is Ed25519 over a domain and all bytes of the module but the section that holds it. Metadata in other
//!    custom sections is signed too: annotate first, then sign.
//! 2. Keys are PEM files as OpenSSL writes them: `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout`.
//! 3. A module has one signature. Signing again replaces it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::canonical::to_text_as_declared;
use fleetfold_core::value::json;
use fleetfold_module::{ModuleError, annotate, inspect, without};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use serde::{Deserialize, Serialize};

use crate::digest::digest;

/// The custom section with the signature.
pub const SECTION: &str = "fleetfold-signature";

/// Goes before the bytes, so that a signature of anything else is not one of a module.
const DOMAIN: &[u8] = b"fleetfold module v1\0";

/// What a public key of Ed25519 begins with, in DER.
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The only algorithm.
const ALGORITHM: &str = "ed25519";

/// The contents of the section, as JSON.
#[derive(Deserialize, Serialize)]
struct Section {
    algorithm: String,
    /// The id of the key.
    key: String,
    /// In base64.
    signature: String,
}

/// A key that checks signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyKey([u8; 32]);

/// A key that signs.
pub struct SigningKey(Ed25519KeyPair);

/// Why a module cannot be signed, or is not signed by a key.
#[derive(Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// The PEM file holds no key of the right kind.
    BadKey {
        wanted: &'static str,
    },
    /// The binary cannot be read.
    NotAModule(String),
    Unsigned,
    /// The section cannot be read.
    BadSection,
    /// Signed, with another key.
    OtherKey {
        signed_by: String,
        wanted: String,
    },
    /// The signature does not fit the bytes: they were changed after signing.
    Changed,
}

impl SignatureError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            SignatureError::BadKey { wanted: "a private key" } => {
                "create one with `openssl genpkey -algorithm ed25519`"
            }
            SignatureError::BadKey { .. } => "write it with `openssl pkey -in private.pem -pubout`",
            SignatureError::NotAModule(_) => "give a `.wasm` file",
            SignatureError::Unsigned | SignatureError::BadSection => "sign it with `fleetfold module sign`",
            SignatureError::OtherKey { .. } => "verify with the signer's key, if you trust the signer",
            SignatureError::Changed => "do not use it; download the module again",
        }
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureError::BadKey { wanted } => write!(f, "the file does not hold {wanted} for Ed25519 in PEM"),
            SignatureError::NotAModule(flaw) => write!(f, "not a WebAssembly binary: {flaw}"),
            SignatureError::Unsigned => f.write_str("the module is not signed"),
            SignatureError::BadSection => write!(f, "the section `{SECTION}` is not a signature"),
            SignatureError::OtherKey { signed_by, wanted } => {
                write!(f, "the module is signed by the key {signed_by}, not by {wanted}")
            }
            SignatureError::Changed => f.write_str("the module was changed after it was signed"),
        }
    }
}

impl std::error::Error for SignatureError {}

impl From<ModuleError> for SignatureError {
    fn from(flaw: ModuleError) -> SignatureError {
        SignatureError::NotAModule(flaw.to_string())
    }
}

impl SigningKey {
    /// Reads a PEM file.
    ///
    /// # Errors
    ///
    /// The text is not a PKCS#8 private key for Ed25519.
    pub fn from_pem(pem: &[u8]) -> Result<SigningKey, SignatureError> {
        let bad = SignatureError::BadKey { wanted: "a private key" };
        let Ok(der) = PrivatePkcs8KeyDer::from_pem_slice(pem) else { return Err(bad) };
        // OpenSSL leaves the public key out, which the checked form needs.
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der()).map(SigningKey).map_err(|_| bad)
    }

    pub fn verify_key(&self) -> VerifyKey {
        let mut key = [0; 32];
        key.copy_from_slice(self.0.public_key().as_ref());
        VerifyKey(key)
    }
}

impl fmt::Debug for SigningKey {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

impl VerifyKey {
    /// Reads a PEM file.
    ///
    /// # Errors
    ///
    /// The text is not a public key for Ed25519.
    pub fn from_pem(pem: &[u8]) -> Result<VerifyKey, SignatureError> {
        let bad = SignatureError::BadKey { wanted: "a public key" };
        let Ok(der) = SubjectPublicKeyInfoDer::from_pem_slice(pem) else { return Err(bad) };
        let key = der.as_ref().strip_prefix(&SPKI_PREFIX).and_then(|it| it.try_into().ok());
        key.map(VerifyKey).ok_or(bad)
    }

    /// The name of the key: the SHA-256 of its DER form, as `openssl pkey -pubin -outform DER | sha256sum` prints it.
    pub fn id(&self) -> String {
        digest(&[SPKI_PREFIX.as_slice(), &self.0].concat())
    }
}

/// The module with a signature.
///
/// # Errors
///
/// The binary cannot be read.
pub fn sign(module: &[u8], key: &SigningKey) -> Result<Vec<u8>, SignatureError> {
    let bare = without(module, SECTION)?;
    let signature = STANDARD.encode(key.0.sign(&signed_bytes(&bare)));
    let section = Section { algorithm: ALGORITHM.to_owned(), key: key.verify_key().id(), signature };
    let section = to_text_as_declared(&section).map_err(|_| SignatureError::BadSection)?;
    Ok(annotate(&bare, SECTION, section.as_bytes())?)
}

/// Checks that `key` signed the module as it is.
///
/// # Errors
///
/// It did not.
pub fn verify(module: &[u8], key: &VerifyKey) -> Result<(), SignatureError> {
    let found = inspect(module)?;
    let mut sections = found.sections.iter().filter(|it| it.kind == "custom" && it.name == SECTION);
    let section = sections.next().ok_or(SignatureError::Unsigned)?;
    if sections.next().is_some() {
        return Err(SignatureError::BadSection);
    }
    let text = module.get(section.contents.clone()).and_then(|it| std::str::from_utf8(it).ok());
    let value = text.and_then(|it| json::parse(it).ok()).ok_or(SignatureError::BadSection)?;
    let section: Section = from_value_ignoring_unknown(value).map_err(|_| SignatureError::BadSection)?;
    if section.algorithm != ALGORITHM {
        return Err(SignatureError::BadSection);
    }
    if section.key != key.id() {
        return Err(SignatureError::OtherKey { signed_by: section.key, wanted: key.id() });
    }
    let signature = STANDARD.decode(section.signature).map_err(|_| SignatureError::BadSection)?;
    let bare = without(module, SECTION)?;
    let public = UnparsedPublicKey::new(&ED25519, key.0);
    public.verify(&signed_bytes(&bare), &signature).map_err(|_| SignatureError::Changed)
}

fn signed_bytes(module: &[u8]) -> Vec<u8> {
    [DOMAIN, module].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";

    /// A private key in the form that OpenSSL writes, from a seed that everybody knows.
    fn private_pem() -> Vec<u8> {
        let prefix = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        let body = STANDARD.encode([prefix.as_slice(), &[9; 32]].concat());
        let label = ["PRIVATE", "KEY"].join(" ");
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n").into_bytes()
    }

    fn key() -> SigningKey {
        SigningKey::from_pem(&private_pem()).expect("the key can be read")
    }

    #[test]
    fn a_signed_module_verifies_and_signing_again_changes_nothing() {
        let signed = sign(MODULE, &key()).unwrap();
        assert_eq!(verify(&signed, &key().verify_key()), Ok(()));
        assert_eq!(sign(&signed, &key()).unwrap(), signed);
        assert_eq!(without(&signed, SECTION).unwrap(), MODULE);
    }

    #[test]
    fn a_changed_module_does_not_verify() {
        let signed = sign(MODULE, &key()).unwrap();
        let noted = annotate(&signed, "note", b"later").unwrap();
        assert_eq!(verify(&noted, &key().verify_key()), Err(SignatureError::Changed));
    }

    #[test]
    fn another_key_and_no_signature_do_not_verify() {
        let signed = sign(MODULE, &key()).unwrap();
        let other = VerifyKey([7; 32]);
        assert!(matches!(verify(&signed, &other), Err(SignatureError::OtherKey { .. })));
        assert_eq!(verify(MODULE, &other), Err(SignatureError::Unsigned));
    }

    #[test]
    fn a_section_that_is_not_a_signature_is_refused() {
        for section in [&b"{}"[..], b"", b"\xff", br#"{"algorithm":"none","key":"","signature":""}"#] {
            let module = annotate(MODULE, SECTION, section).unwrap();
            assert_eq!(verify(&module, &key().verify_key()), Err(SignatureError::BadSection));
        }
    }

    #[test]
    fn files_that_hold_no_key_are_refused() {
        assert!(SigningKey::from_pem(b"hello").is_err());
        assert!(VerifyKey::from_pem(&private_pem()).is_err());
    }
}
