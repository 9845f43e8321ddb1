//! Diagnostics: codes, severities and places.
//!
//! An [`Error`] ends a request. A [`Diagnostic`] is a finding beside an answer: one bad document never hides nine
//! others. Both carry a stable [`Code`] for machines, a place for editors, a message for people, and a hint when there
//! is a next step. A decision carries its reasons, each with a [`ReasonCode`]. Messages name places, kinds and names;
//! they never carry the contents of a document.

mod choice;
mod codes;
pub mod decode;
mod input_location;
mod mode;
pub mod read;
#[cfg(test)]
mod serde_tests;

pub use codes::{Code, ReasonCode};
pub use input_location::InputLocation;
pub use mode::Mode;

use crate::choice;
use crate::value::json::{JsonError, JsonErrorKind};
use crate::value::path::Pointer;
use crate::value::{JsonPath, Position, Value};

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    pub code: Code,
    pub message: String,
    pub at: Option<InputLocation>,
    pub hint: Option<String>,
}

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), at: None, hint: None }
    }

    pub fn at(mut self, at: impl Into<InputLocation>) -> Error {
        self.at = Some(at.into()).filter(|at| !at.is_root());
        self
    }

    /// The pointer to the value that is wrong; the root where there is none.
    pub fn pointer(&self) -> Pointer {
        self.at.as_ref().and_then(InputLocation::pointer).cloned().unwrap_or_default()
    }

    /// An empty hint is none.
    pub fn hint(self, hint: impl Into<String>) -> Error {
        self.maybe_hint(Some(hint.into()).filter(|it| !it.is_empty()))
    }

    pub fn maybe_hint(mut self, hint: Option<String>) -> Error {
        self.hint = hint.or(self.hint);
        self
    }

    /// The same finding beside an answer; `at` becomes the path of its place.
    pub fn into_diagnostic(self, severity: Severity) -> Diagnostic {
        let path = self.at.as_ref().and_then(InputLocation::pointer).cloned();
        let at = Location { path, ..Location::default() };
        Diagnostic { severity, code: self.code, message: self.message, at, hint: self.hint }
    }
}

/// For logs and terminals: the message, its place, and the hint.
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(at) = &self.at {
            write!(f, " (at {at})")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

choice! {
    /// How bad a finding is.
    pub enum Severity {
        Error = "error",
        Warning = "warning",
        Info = "info",
    }
}

/// A finding beside an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub message: String,
    pub at: Location,
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity, code, message: message.into(), at: Location::default(), hint: None }
    }

    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    pub fn info(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Info, code, message)
    }

    /// The place inside the request or the document.
    pub fn at(mut self, path: Pointer) -> Diagnostic {
        self.at.path = Some(path);
        self
    }

    /// The document, as `Kind/namespace/name`.
    pub fn of(mut self, document: impl std::fmt::Display) -> Diagnostic {
        self.at.document = Some(document.to_string());
        self
    }

    /// An empty hint is none.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into()).filter(|it| !it.is_empty()).or(self.hint);
        self
    }
}

/// Where a finding is. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    pub document: Option<String>,
    pub path: Option<Pointer>,
    pub file: Option<String>,
    pub place: Option<Position>,
}

impl JsonPath<'_> {
    /// The value at this path is of another kind than the field takes.
    pub fn wrong_type(&self, wanted: &str, found: &Value) -> Error {
        Error::new(Code::WrongType, format!("{} must be {wanted}, not {}", self.field(), found.kind())).at(self)
    }
}

impl From<JsonErrorKind> for Code {
    fn from(kind: JsonErrorKind) -> Code {
        match kind {
            JsonErrorKind::Syntax => Code::BadJson,
            JsonErrorKind::TooDeep => Code::TooDeep,
            JsonErrorKind::DuplicateKey => Code::DuplicateKey,
            JsonErrorKind::LoneSurrogate => Code::LoneSurrogate,
            JsonErrorKind::IntegerOutOfRange => Code::IntegerOutOfRange,
            JsonErrorKind::NumberOutOfRange => Code::NumberOutOfRange,
        }
    }
}

/// The error of a request: inside a field the pointer is more useful than a column of one long line.
impl From<JsonError> for Error {
    fn from(error: JsonError) -> Error {
        let JsonError { kind, message, pointer, place } = error;
        let error = Error::new(kind.into(), message);
        if pointer.is_root() { error.at(place) } else { error.at(pointer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_prints_its_message_place_and_hint() {
        let error = Error::new(Code::UnknownField, "there is no field `x` here");
        assert_eq!(error.to_string(), "there is no field `x` here");
        let error = error.at(["x"]).hint("did you mean `y`?");
        assert_eq!(error.to_string(), "there is no field `x` here (at /x); did you mean `y`?");
    }
}
