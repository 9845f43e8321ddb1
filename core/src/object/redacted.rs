//! What an answer may show of a value.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize, Serializer};

use super::secrets;
use crate::value::Value;
use crate::value::path::Pointer;

/// A value of an answer: the contents of Secrets are replaced in it.
///
/// Answers hold their values as this type, so that none can forget the redaction. [`Redacted::revealing`] is for the
/// few requests that ask for the contents, to write objects to clusters and files.
///
/// Copies of what other Secrets hold are replaced when the answer is written: they are recognized by value.
///
/// ```
/// use fleetfold_core::object::Redacted;
/// use fleetfold_core::value::json;
///
/// let secret = json::parse(r#"{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}}"#)?;
/// assert_eq!(Redacted::from(secret).text_at(&["data", "tls.key"]), "(masked)");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Redacted {
    value: Value,
    /// Whether it is written unchanged: the contents of Secrets were requested, or the caller works with the value.
    #[serde(skip)]
    is_final: bool,
}

impl Redacted {
    /// How a value is called to serde whose copies of Secrets are still to be replaced.
    pub const NAME: &'static str = "Redacted";

    /// The value as it is.
    pub fn revealing(value: Value) -> Redacted {
        Redacted { value, is_final: true }
    }

    /// A value that a caller works with, as with its own input or a question to a server: Secrets in it are redacted,
    /// and copies of what other Secrets hold are not searched for, since a name or label may be the same.
    pub fn working(value: Value) -> Redacted {
        Redacted { is_final: true, ..Redacted::from(value) }
    }

    /// The plain value, if it was requested.
    pub fn revealing_if(reveal: bool, value: Value) -> Redacted {
        if reveal { Redacted::revealing(value) } else { Redacted::from(value) }
    }

    pub fn into_value(self) -> Value {
        self.value
    }
}

impl PartialEq for Redacted {
    fn eq(&self, other: &Redacted) -> bool {
        self.value == other.value
    }
}

impl Hash for Redacted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl Serialize for Redacted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_final {
            true => self.value.serialize(serializer),
            false => serializer.serialize_newtype_struct(Redacted::NAME, &self.value),
        }
    }
}

impl<T: Into<Value>> From<T> for Redacted {
    fn from(value: T) -> Redacted {
        let mut value = value.into();
        // Most values hold no Secret, and stay shared.
        if secrets::holds_secret(&value) {
            secrets::redact(&mut value);
        }
        Redacted { value, is_final: false }
    }
}

impl std::ops::Deref for Redacted {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
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
            // Where there is no Secret, nothing of one is hidden: for nearly all objects that is known already.
            Visibility::Redacted(objects)
                if objects.iter().any(|it| secrets::holds_secret(it))
                    && secrets::is_part_hidden(objects, place, &part) =>
            {
                Redacted::from(secrets::MASK)
            }
            Visibility::Redacted(_) => Redacted::from(part),
        }
    }
}
