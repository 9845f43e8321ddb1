//! Where in the input an error is.

use std::fmt;

use crate::value::path::Pointer;
use crate::value::{JsonPath, Position};

/// A value of the request, or a position in one of its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLocation {
    Pointer(Pointer),
    Position {
        /// The name of the text, where it has one.
        file: Option<Box<str>>,
        position: Position,
    },
}

impl InputLocation {
    /// The pointer, unless the location is a position in a text.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            InputLocation::Pointer(pointer) => Some(pointer),
            InputLocation::Position { .. } => None,
        }
    }

    /// The complete request, without a place.
    pub fn is_root(&self) -> bool {
        self.pointer().is_some_and(Pointer::is_root)
    }
}

/// A pointer, `line:column` or `file:line:column`, as answers print it.
impl fmt::Display for InputLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputLocation::Pointer(pointer) => pointer.fmt(f),
            InputLocation::Position { file: Some(file), position } => write!(f, "{file}:{position}"),
            InputLocation::Position { file: None, position } => position.fmt(f),
        }
    }
}

impl From<Pointer> for InputLocation {
    fn from(pointer: Pointer) -> InputLocation {
        InputLocation::Pointer(pointer)
    }
}

impl From<&Pointer> for InputLocation {
    fn from(pointer: &Pointer) -> InputLocation {
        InputLocation::Pointer(pointer.clone())
    }
}

impl From<JsonPath<'_>> for InputLocation {
    fn from(path: JsonPath) -> InputLocation {
        InputLocation::Pointer(path.pointer())
    }
}

impl From<&JsonPath<'_>> for InputLocation {
    fn from(path: &JsonPath) -> InputLocation {
        InputLocation::Pointer(path.pointer())
    }
}

/// The keys that lead to the value, from the root.
impl<const N: usize> From<[&str; N]> for InputLocation {
    fn from(keys: [&str; N]) -> InputLocation {
        InputLocation::Pointer(Pointer::of(keys))
    }
}

impl From<Position> for InputLocation {
    fn from(position: Position) -> InputLocation {
        InputLocation::Position { file: None, position }
    }
}
