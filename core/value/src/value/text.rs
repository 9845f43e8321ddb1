//! Texts: cheap to clone, and compared several bytes at a time.
//!
//! Nearly everything that is looked up is looked up by a text. In WebAssembly the standard comparison reads one byte at
//! a time, and the functions of `smol_str` would be inlined at every use. Here both exist once.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use smol_str::{SmolStr, ToSmolStr};

/// A string that is cheap to clone: short ones are stored in place, long ones are shared.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::Text;
///
/// let name = Text::from("eu-1");
/// assert_eq!(name, "eu-1");
/// assert_eq!(Text::display(&443), "443");
/// ```
#[derive(Clone, Default)]
pub struct Text(SmolStr);

impl Text {
    /// A text of the program: nothing is copied.
    pub const fn new_static(text: &'static str) -> Text {
        Text(SmolStr::new_static(text))
    }

    /// A copy. Short ones, which are most, are made in place rather than behind a call.
    #[inline]
    pub fn inline(text: &str) -> Text {
        if text.len() <= SmolStr::INLINE_CAP { Text(SmolStr::new_inline(text)) } else { text.into() }
    }

    /// What something is written as.
    pub fn display(it: &impl fmt::Display) -> Text {
        Text(it.to_smolstr())
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Whether two texts are equal, eight or four bytes at a time.
#[inline]
pub fn is_equal(a: &str, b: &str) -> bool {
    is_equal_bytes(a.as_bytes(), b.as_bytes())
}

/// Whether a text begins with another, as bytes.
pub fn starts_with(text: &[u8], start: &[u8]) -> bool {
    // Natively the standard comparison takes longer texts in larger steps.
    let is_equal = if cfg!(target_family = "wasm") { is_equal_bytes } else { <[u8]>::eq };
    text.get(..start.len()).is_some_and(|it| is_equal(it, start))
}

#[inline]
fn is_equal_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(last), Some(same)) => last == same && a.as_chunks::<8>().0.iter().eq(b.as_chunks::<8>().0),
        _ if a.len() >= 4 => a.last_chunk::<4>() == b.last_chunk::<4>() && a.first_chunk::<4>() == b.first_chunk::<4>(),
        _ => a.iter().eq(b),
    }
}

/// The order of texts: by their bytes. Most differ in the first, which spares looking at the rest.
#[inline]
pub fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    a.first().cmp(&b.first()).then_with(|| order_of_bytes(a, b))
}

/// Eight bytes at a time, then the last eight of what both have again: they are in the order of the first that differs,
/// as all before them are equal.
fn order_of_bytes(a: &[u8], b: &[u8]) -> Ordering {
    let both = a.len().min(b.len());
    let (one, other) = (a.get(..both).unwrap_or_default(), b.get(..both).unwrap_or_default());
    let (Some(end), Some(other_end)) = (one.last_chunk::<8>(), other.last_chunk::<8>()) else {
        return order_of_few(a, b);
    };
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        if one != other {
            return u64::from_be_bytes(*one).cmp(&u64::from_be_bytes(*other));
        }
    }
    u64::from_be_bytes(*end).cmp(&u64::from_be_bytes(*other_end)).then_with(|| a.len().cmp(&b.len()))
}

fn order_of_few(mut a: &[u8], mut b: &[u8]) -> Ordering {
    while let (Some((one, rest)), Some((other, rest_of_other))) = (a.split_first(), b.split_first()) {
        if one != other {
            return one.cmp(other);
        }
        (a, b) = (rest, rest_of_other);
    }
    a.len().cmp(&b.len())
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        is_equal(self, other)
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Text) -> Ordering {
        order(self, other)
    }
}

/// The hash of the string, so a string can look up a text.
impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

macro_rules! equal_to {
    ($($other:ty)*) => {
        $(impl PartialEq<$other> for Text {
            fn eq(&self, other: &$other) -> bool {
                is_equal(self, other)
            }
        }

        impl PartialEq<Text> for $other {
            fn eq(&self, other: &Text) -> bool {
                is_equal(self, other)
            }
        })*
    };
}

equal_to! { str &str String }

macro_rules! text_from {
    ($($from:ty)*) => {
        $(impl From<$from> for Text {
            fn from(it: $from) -> Text {
                Text(it.into())
            }
        })*
    };
}

text_from! { &str String &String }

impl From<&Text> for Text {
    fn from(it: &Text) -> Text {
        it.clone()
    }
}

impl From<Text> for String {
    fn from(it: Text) -> String {
        it.0.into()
    }
}

/// Bytes as lower-case hexadecimal digits, without formatting machinery: digests are all that needs it.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_the_order_of_their_bytes() {
        let parts = ["", "a", "b", "ab", "abcd", "abce", "abcdefgh", "abcdefgi", "bbcdefgh", "é", "\0"];
        let texts: Vec<String> =
            parts.iter().flat_map(|a| parts.map(|b| parts.map(|c| format!("{a}{b}{c}")))).flatten().collect();
        for (a, b) in texts.iter().flat_map(|a| texts.iter().step_by(7).map(move |b| (a, b))) {
            assert_eq!(order(a, b), a.as_bytes().cmp(b.as_bytes()), "`{a}` and `{b}`");
            assert_eq!(is_equal(a, b), a == b, "`{a}` and `{b}`");
            let (long, start) = (a.as_bytes(), b.as_bytes());
            assert_eq!(starts_with(long, start), long.starts_with(start), "`{a}` and `{b}`");
            let is_start = start.get(..long.len()).is_some_and(|it| is_equal_bytes(it, long));
            assert_eq!(is_start, start.starts_with(long), "`{a}` and `{b}`");
        }
    }
}
