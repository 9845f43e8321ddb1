//! Base64, as Secrets hold their values.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Padding is removed before decoding, and bits that are left over are ignored.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// Standard base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    LENIENT.encode(bytes)
}

/// The bytes of a text in base64, standard or for URLs, with or without padding and line breaks. Nothing if it is not
/// base64.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::base64::{decode, encode};
///
/// assert_eq!(decode(&encode(b"hunter2")).as_deref(), Some(&b"hunter2"[..]));
/// assert_eq!(decode("aHVudGVy\nMg").as_deref(), Some(&b"hunter2"[..]));
/// assert_eq!(decode("not base64"), None);
/// ```
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches(['=', '\n', '\r']).chars().filter(|it| !matches!(it, '\n' | '\r'));
    let digits: String = digits
        .map(|it| match it {
            '-' => '+',
            '_' => '/',
            it => it,
        })
        .collect();
    LENIENT.decode(digits).ok()
}
