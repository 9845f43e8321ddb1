//! Three notations of a place, each with its own type so they are never mixed. Each parses, and prints the same text.
//!
//! | type | example | names |
//! |---|---|---|
//! | [`Pointer`] | `/spec/ports/0` | a place in an object (RFC 6901) |
//! | [`OptionPath`] | `image.tag` | a plugin option, and its place in the Helm tree |
//! | [`RetentionPath`] | `spec.foo[].bar` | retained fields, in every element of a list |

mod option;
mod pointer;
mod retention;

pub use option::{OptionPath, OptionStep};
pub use pointer::{Pointer, list_index};
pub use retention::{RetentionPath, RetentionStep};

/// Why a text is not a path, and at which character of it (counted from zero).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    pub message: String,
    pub offset: usize,
    pub hint: Option<String>,
}

impl PathError {
    fn new(message: impl Into<String>, offset: usize) -> PathError {
        PathError { message: message.into(), offset, hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> PathError {
        self.hint = Some(hint.into());
        self
    }
}

/// The message, the character it is about, and the hint.
impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (at character {})", self.message, self.offset)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PathError {}
