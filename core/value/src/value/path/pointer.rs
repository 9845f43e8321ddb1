//! JSON pointers.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::PathError;
use crate::value::{Text, Value};

/// A JSON pointer (RFC 6901): empty for the root, or `/` before each key or index, with `~0` for `~` and `~1` for `/`.
///
/// Cloning one copies a reference: the place of a layer's operation is part of every result that the layer affects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(Arc<Vec<Text>>);

impl Pointer {
    pub fn root() -> Pointer {
        Pointer::default()
    }

    pub fn of<T: Into<Text>>(segments: impl IntoIterator<Item = T>) -> Pointer {
        Pointer(Arc::new(segments.into_iter().map(Into::into).collect()))
    }

    /// # Errors
    ///
    /// A pointer is empty or starts with `/`, and `~` must be followed by `0` or `1`.
    pub fn parse(text: &str) -> Result<Pointer, PathError> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let Some(rest) = text.strip_prefix('/') else {
            let hint = format!("write `/{}`", text.replace('.', "/"));
            return Err(PathError::new("a pointer is empty or starts with `/`", 0).hint(hint));
        };
        let mut offset = 1;
        let mut segments = Vec::new();
        for raw in rest.split('/') {
            segments.push(unescape(raw, offset)?);
            offset += raw.chars().count() + 1;
        }
        Ok(Pointer(Arc::new(segments)))
    }

    /// Where its steps are: of two with one address, as long as both are there, each is a copy of the other.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether there are copies of it.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Text> + ExactSizeIterator + Clone {
        self.0.iter()
    }

    pub fn push(&mut self, segment: impl Into<Text>) {
        Arc::make_mut(&mut self.0).push(segment.into());
    }

    pub fn push_front(&mut self, segment: Text) {
        Arc::make_mut(&mut self.0).insert(0, segment);
    }

    pub fn pop(&mut self) -> Option<Text> {
        Arc::make_mut(&mut self.0).pop()
    }

    /// Puts another step in the place of one.
    pub fn set(&mut self, depth: usize, segment: Text) {
        if let Some(step) = Arc::make_mut(&mut self.0).get_mut(depth) {
            *step = segment;
        }
    }

    /// This pointer and one step further.
    pub fn child(&self, segment: impl Into<Text>) -> Pointer {
        Pointer::of(self.segments().cloned().chain([segment.into()]))
    }

    /// This pointer and all steps of another.
    pub fn join(&self, other: &Pointer) -> Pointer {
        Pointer::of(self.segments().chain(other.segments()).cloned())
    }

    /// The parent and the last step; nothing for the root.
    pub fn split_last(&self) -> Option<(Pointer, Text)> {
        let (last, parent) = self.0.split_last()?;
        Some((Pointer::of(parent.iter().cloned()), last.clone()))
    }

    /// Whether `other` is this place or lies inside it.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::path::Pointer;
    ///
    /// let labels = Pointer::of(["metadata", "labels"]);
    /// assert!(labels.contains(&labels));
    /// assert!(labels.contains(&labels.child("app")));
    /// assert!(!labels.contains(&Pointer::of(["metadata"])));
    /// ```
    pub fn contains(&self, other: &Pointer) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(other.0.iter()).all(|(a, b)| a == b)
    }

    /// The order of pointers as texts. It differs from the order of their steps, which sorts the contents of a place
    /// right after it: here `/a-b` comes before `/a/b`.
    pub fn text_order(&self, other: &Pointer) -> Ordering {
        let depth = self.0.iter().zip(other.0.iter()).take_while(|(a, b)| a == b).count();
        self.0.iter().skip(depth).flat_map(written).cmp(other.0.iter().skip(depth).flat_map(written))
    }

    /// The value at this place.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::{Value, json, path::Pointer};
    ///
    /// let service = json::parse(r#"{"spec":{"ports":[{"name":"http","port":80}]}}"#).unwrap();
    /// assert_eq!(Pointer::parse("/spec/ports/0/port").unwrap().get(&service), Some(&Value::from(80_i64)));
    /// assert_eq!(Pointer::parse("/spec/ports/1").unwrap().get(&service), None);
    /// ```
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, segment| value.step(segment))
    }
}

impl Value {
    /// The value one step further, of a map or of a list.
    pub fn step(&self, segment: &str) -> Option<&Value> {
        match self {
            Value::Map(map) => map.get(segment),
            Value::List(items) => items.get(list_index(segment)?),
            _ => None,
        }
    }
}

/// The index that a segment of a pointer names: digits, without a leading zero. It has 32 bits everywhere: the module
/// counts with no more, and must answer the same.
pub fn list_index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with('0');
    (plain && segment.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| segment.parse::<u32>().ok().and_then(|it| it.try_into().ok()))?
}

/// The bytes that a step adds to a pointer.
fn written(step: &Text) -> impl Iterator<Item = &u8> {
    b"/".iter().chain(step.as_bytes().iter().flat_map(|byte| match byte {
        b'~' => b"~0",
        b'/' => b"~1",
        other => std::slice::from_ref(other),
    }))
}

fn unescape(raw: &str, offset: usize) -> Result<Text, PathError> {
    if crate::seeded!(PointerKeepsEscapes, !raw.contains('~'), true) {
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
                        PathError::new("`~` must be followed by `0` or `1`", offset + at).hint("write `~0` for `~`")
                    );
                }
            },
            _ => char,
        });
    }
    Ok(text.into())
}

impl Pointer {
    /// The text of the pointer. An answer with origins is full of them, so this does without the formatter.
    pub fn written(&self) -> String {
        let mut text = String::with_capacity(self.segments().map(|it| it.len() + 1).sum());
        for segment in self.segments() {
            text.push('/');
            if segment.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
                segment.chars().for_each(|it| match it {
                    '~' => text.push_str("~0"),
                    '/' => text.push_str("~1"),
                    other => text.push(other),
                });
            } else {
                text.push_str(segment);
            }
        }
        text
    }

    /// The same, to be kept.
    pub fn to_text(&self) -> Text {
        self.written().into()
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written())
    }
}

/// Reads what `Display` prints.
///
/// ```
/// use fleetfold_value::value::path::Pointer;
///
/// let image: Pointer = "/metadata/annotations/example.com~1team".parse()?;
/// assert_eq!(image.segments().last().unwrap(), "example.com/team");
/// assert_eq!(image.to_string(), "/metadata/annotations/example.com~1team");
/// # Ok::<(), fleetfold_value::value::path::PathError>(())
/// ```
impl std::str::FromStr for Pointer {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Pointer, PathError> {
        Pointer::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_order_by_their_texts_where_those_count() {
        let texts =
            ["", "/", "/a", "/a-b", "/a-b/c", "/a.b", "/a/b", "/a/b-", "/a/b/c", "/a0", "/a~0", "/a~1", "/ab", "/~0"];
        for (a, b) in texts.iter().flat_map(|a| texts.map(|b| (*a, b))) {
            let read = |text: &str| Pointer::parse(text).unwrap();
            assert_eq!(read(a).text_order(&read(b)), a.cmp(b), "`{a}` and `{b}`");
            assert_eq!(read(a).written(), a);
        }
    }
}
