//! Base64, as Secrets hold their values.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Standard base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (at, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = usize::try_from(bits >> shift & 63).ok().and_then(|it| DIGITS.get(it));
            out.push(if at > chunk.len() { '=' } else { digit.copied().map_or('=', char::from) });
        }
    }
    out
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
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.trim_end_matches(['=', '\n', '\r']).bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\n' | b'\r' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            // The rest of the bits was taken before.
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
