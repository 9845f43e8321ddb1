//! Places and causes in answers.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Location;
use crate::engine::fold::Source;
use crate::engine::rendered::Origin;
use crate::object::document::Identity;
use crate::object::redacted::Redacted;
use crate::value::{MaybeAbsent, Text};
use crate::workspace::store::Store;
use crate::workspace::what_if::LocatedCause;

/// A place in a document. Unknown parts are left out.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceAnswer {
    /// Counted in characters, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// `Kind/namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// A JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The layer that decides a value, and its place.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub layer: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl PlaceAnswer {
    pub fn of(at: Location) -> PlaceAnswer {
        PlaceAnswer {
            document: at.document,
            path: at.path.map(|path| path.to_string()),
            file: at.file,
            line: at.place.map(|place| i64::from(place.line)),
            column: at.place.map(|place| i64::from(place.column)),
        }
    }

    pub fn is_known(&self) -> bool {
        self.document.is_some() || self.path.is_some() || self.file.is_some() || self.line.is_some()
    }

    pub fn origin(origin: Option<&Origin>, store: &Store) -> PlaceAnswer {
        PlaceAnswer::of(origin.map(|it| store.locate(it)).unwrap_or_default())
    }
}

impl From<LocatedCause> for CauseAnswer {
    fn from(LocatedCause { layer, at }: LocatedCause) -> CauseAnswer {
        let PlaceAnswer { document, path, file, line, column } = PlaceAnswer::of(at);
        CauseAnswer { layer, document, path, file, line, column }
    }
}

/// A value or a reference, as two fields of which one is set.
pub fn split(source: Option<Source>) -> (MaybeAbsent<Redacted>, MaybeAbsent<Redacted>) {
    split_revealing_if(false, source)
}

/// The same with the contents of Secrets, if requested.
pub fn split_revealing_if(reveal: bool, source: Option<Source>) -> (MaybeAbsent<Redacted>, MaybeAbsent<Redacted>) {
    let show = |value| MaybeAbsent(Some(Redacted::revealing_if(reveal, value)));
    match source {
        Some(Source::Value(value)) => (show(value), MaybeAbsent(None)),
        Some(Source::Reference(reference)) => (MaybeAbsent(None), show(reference)),
        None => (MaybeAbsent(None), MaybeAbsent(None)),
    }
}

/// The name of an object in answers, if a subject has several.
pub fn object_name(object: Option<&Identity>) -> Option<String> {
    object.map(Identity::to_string)
}
