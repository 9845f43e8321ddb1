//! JSON pointers.

use std::collections::VecDeque;
use std::fmt;

use super::PathError;
use crate::value::{Text, Value};

/// A JSON pointer (RFC 6901): empty for the whole, or `/` before each key or index, with `~0` for `~` and `~1` for `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(VecDeque<Text>);

impl Pointer {
    pub fn root() -> Pointer {
        Pointer::default()
    }

    pub fn of<T: Into<Text>>(segments: impl IntoIterator<Item = T>) -> Pointer {
        Pointer(segments.into_iter().map(Into::into).collect())
    }

    /// # Errors
    ///
    /// A pointer is empty or starts with `/`, and `~` stands only before `0` or `1`.
    pub fn parse(text: &str) -> Result<Pointer, PathError> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let Some(rest) = text.strip_prefix('/') else {
            let hint = format!("write `/{}`", text.replace('.', "/"));
            return Err(PathError::new("a pointer is empty or starts with `/`", 0).hint(hint));
        };
        let mut offset = 1;
        let mut segments = VecDeque::new();
        for raw in rest.split('/') {
            segments.push_back(unescape(raw, offset)?);
            offset += raw.chars().count() + 1;
        }
        Ok(Pointer(segments))
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Text> + ExactSizeIterator {
        self.0.iter()
    }

    pub fn push(&mut self, segment: impl Into<Text>) {
        self.0.push_back(segment.into());
    }

    pub fn push_front(&mut self, segment: Text) {
        self.0.push_front(segment);
    }

    pub fn pop(&mut self) -> Option<Text> {
        self.0.pop_back()
    }

    /// Puts another step in the place of one.
    pub fn set(&mut self, depth: usize, segment: Text) {
        if let Some(step) = self.0.get_mut(depth) {
            *step = segment;
        }
    }

    /// This pointer and one step further.
    pub fn child(&self, segment: impl Into<Text>) -> Pointer {
        let mut child = self.clone();
        child.push(segment);
        child
    }

    /// This pointer and all steps of another.
    pub fn join(&self, other: &Pointer) -> Pointer {
        Pointer(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The parent and the last step; nothing for the root.
    pub fn split_last(&self) -> Option<(Pointer, Text)> {
        let mut parent = self.clone();
        let last = parent.pop()?;
        Some((parent, last))
    }

    /// Whether `other` is this place or lies inside it.
    pub fn contains(&self, other: &Pointer) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a == b)
    }

    /// The value at this place.
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, segment| match value {
            Value::Map(map) => map.get(segment),
            Value::List(items) => items.get(list_index(segment)?),
            _ => None,
        })
    }
}

/// The index that a segment of a pointer names: digits, without a leading zero.
pub fn list_index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with('0');
    (plain && segment.bytes().all(|byte| byte.is_ascii_digit())).then(|| segment.parse().ok())?
}

fn unescape(raw: &str, offset: usize) -> Result<Text, PathError> {
    if !raw.contains('~') {
        return Ok(raw.into());
    }
    let mut text = String::new();
    let mut chars = raw.chars().enumerate();
    while let Some((at, char)) = chars.next() {
        text.push(match char {
            '~' => match chars.next() {
                Some((_, '0')) => '~',
                Some((_, '1')) => '/',
                _ => {
                    return Err(
                        PathError::new("`~` stands only before `0` or `1`", offset + at).hint("write `~0` for `~`")
                    );
                }
            },
            _ => char,
        });
    }
    Ok(text.into())
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.0 {
            f.write_str("/")?;
            for char in segment.chars() {
                match char {
                    '~' => f.write_str("~0")?,
                    '/' => f.write_str("~1")?,
                    _ => write!(f, "{char}")?,
                }
            }
        }
        Ok(())
    }
}
