//! What an answer may show of a value.

use serde::{Deserialize, Serialize};

use super::secrets;
use crate::value::Value;
use crate::value::path::Pointer;

/// A value of an answer: the contents of Secrets are replaced in it.
///
/// Answers hold their values as this type, so that none can forget the redaction. [`Redacted::revealing`] is for the few
/// requests that ask for the contents, to write objects to clusters and files.
///
/// ```
/// use fleetfold_core::object::redacted::Redacted;
/// use fleetfold_core::value::json;
///
/// let secret = json::parse(r#"{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}}"#)?;
/// assert_eq!(Redacted::from(secret).text_at(&["data", "tls.key"]), "(masked)");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Redacted(Value);

impl Redacted {
    /// The value as it is.
    pub fn revealing(value: Value) -> Redacted {
        Redacted(value)
    }

    /// The value as it is if that was asked for.
    pub fn revealing_if(reveal: bool, value: Value) -> Redacted {
        if reveal { Redacted::revealing(value) } else { Redacted::from(value) }
    }

    pub fn into_value(self) -> Value {
        self.0
    }
}

impl<T: Into<Value>> From<T> for Redacted {
    fn from(value: T) -> Redacted {
        let mut value = value.into();
        // Most values hold no Secret, and stay shared.
        if secrets::holds_secret(&value) {
            secrets::cover(&mut value);
        }
        Redacted(value)
    }
}

impl std::ops::Deref for Redacted {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

/// What an answer shows of the parts of objects.
#[derive(Clone, Copy, Debug)]
pub enum Visibility<'a> {
    /// All of it.
    Everything,
    /// Nothing that Secrets hold, in these objects or in the parts.
    Redacted(&'a [&'a Value]),
}

impl Visibility<'_> {
    /// A part of the objects, from this place.
    pub fn show(self, part: Value, place: &Pointer) -> Redacted {
        match self {
            Visibility::Everything => Redacted::revealing(part),
            Visibility::Redacted(objects) if secrets::is_hidden(objects, place) => Redacted::from(secrets::MASK),
            Visibility::Redacted(_) => Redacted::from(part),
        }
    }
}
