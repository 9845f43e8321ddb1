//! Why a value cannot be read, with its place.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::diagnostic::{Code, Error};
use crate::value::de::Moved;
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Text, Value};

/// Why a value is not what a type takes. In a box, it does not widen every result.
#[derive(Debug)]
pub struct ReadError(Box<Failure>);

#[derive(Debug)]
enum Failure {
    /// No failure: see `de.rs`.
    Moved(Moved),
    Refused {
        error: Error,
        /// The place, innermost step first.
        steps: Vec<Text>,
        /// Whether the message still needs the name of the field in front of it.
        is_unnamed: bool,
    },
}

impl ReadError {
    pub(super) fn moved(value: Value) -> ReadError {
        ReadError(Box::new(Failure::Moved(Moved(value))))
    }

    #[cold]
    fn new(error: Error, steps: Vec<Text>, is_unnamed: bool) -> ReadError {
        ReadError(Box::new(Failure::Refused { error, steps, is_unnamed }))
    }

    /// A message about a field that is not named yet.
    pub(super) fn unnamed(message: String) -> ReadError {
        ReadError::new(Error::new(Code::WrongType, message), Vec::new(), true)
    }

    pub(super) fn missing(name: &str) -> ReadError {
        ReadError::new(Error::new(Code::MissingField, format!("the field `{name}` is missing")), Vec::new(), false)
    }

    #[cold]
    pub(super) fn in_field(self, key: &str) -> ReadError {
        self.within(key.into(), |key| format!("`{key}`"))
    }

    #[cold]
    pub(super) fn in_element(self, index: usize) -> ReadError {
        self.within(Text::display(&index), |index| format!("element {index}"))
    }

    fn within(mut self, step: Text, name: fn(&str) -> String) -> ReadError {
        if let Failure::Refused { error, steps, is_unnamed } = &mut *self.0 {
            if std::mem::take(is_unnamed) {
                error.message = format!("{} {}", name(&step), error.message);
            }
            steps.push(step);
        }
        self
    }

    /// The error of the request.
    pub fn into_error(self) -> Error {
        match *self.0 {
            Failure::Moved(moved) => Error::new(Code::WrongType, moved.to_string()),
            Failure::Refused { mut error, steps, is_unnamed } => {
                if is_unnamed {
                    error.message = format!("the request {}", error.message);
                }
                error.at(Pointer::of(steps.into_iter().rev()))
            }
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Failure::Moved(moved) => moved.fmt(f),
            Failure::Refused { error, .. } => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Failure::Moved(moved) => Some(moved),
            Failure::Refused { .. } => None,
        }
    }
}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        ReadError::new(Error::new(Code::UnknownValue, message.to_string()), Vec::new(), false)
    }

    fn invalid_type(found: Unexpected, wanted: &dyn Expected) -> ReadError {
        ReadError::unnamed(format!("must be {wanted}, not {}", kind(found)))
    }

    fn invalid_value(found: Unexpected, wanted: &dyn Expected) -> ReadError {
        ReadError::unnamed(format!("must be {wanted}, not {found}"))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> ReadError {
        let hint =
            if known.is_empty() { "there are no fields here".into() } else { suggest(field, known, "known here") };
        let error = Error::new(Code::UnknownField, format!("there is no field `{field}` here"));
        ReadError::new(error.hint(hint), vec![field.into()], false)
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> ReadError {
        let error = Error::new(Code::UnknownValue, format!("`{variant}` is not known here"));
        ReadError::new(error.hint(suggest(variant, known, "one of")), Vec::new(), false)
    }

    fn missing_field(name: &'static str) -> ReadError {
        ReadError::missing(name).in_field(name)
    }

    fn duplicate_field(name: &'static str) -> ReadError {
        let error = Error::new(Code::DuplicateKey, format!("duplicate key `{name}`"));
        ReadError::new(error, vec![name.into()], false)
    }
}

/// What kind of value was found, in the words of [`Value::kind`].
fn kind(found: Unexpected) -> String {
    let kind = match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Signed(_) | Unexpected::Unsigned(_) => "an integer",
        Unexpected::Float(_) => "a number",
        Unexpected::Str(_) | Unexpected::Char(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map => "a map",
        Unexpected::Other(kind) => kind,
        other => return other.to_string(),
    };
    kind.into()
}
