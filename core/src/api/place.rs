//! Places and causes, as every answer about results has them.

use super::null::Explicit;
use crate::diagnostic::Location;
use crate::engine::fold::Source;
use crate::engine::rendered::Origin;
use crate::object::document::Identity;
use crate::object::secrets;
use crate::record;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::compare::Cause;
use crate::workspace::store::Store;

record! {
    answer
    /// A place in a document. What is not known is left out.
    pub struct PlaceAnswer {
        /// `Kind/namespace/name`.
        document "document": Option<String>,
        /// A JSON pointer.
        path "path": Option<String>,
        file "file": Option<String>,
        line "line": Option<i64>,
        /// Counted in characters, from one.
        column "column": Option<i64>,
    }
}

record! {
    answer
    /// The layer that decides over a value, and where it says so.
    pub struct CauseAnswer {
        layer "layer": Text,
        document "document": Option<String>,
        path "path": Option<String>,
        file "file": Option<String>,
        line "line": Option<i64>,
        column "column": Option<i64>,
    }
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

impl CauseAnswer {
    pub fn of(cause: &Cause, store: &Store) -> CauseAnswer {
        let PlaceAnswer { document, path, file, line, column } = PlaceAnswer::origin(cause.origin.as_ref(), store);
        CauseAnswer { layer: cause.layer.clone(), document, path, file, line, column }
    }
}

/// A value or a reference, as two fields of which one is there.
pub fn split(source: Option<&Source>) -> (Option<Explicit>, Option<Value>) {
    match source {
        Some(Source::Value(value)) => (Some(Explicit(value.clone())), None),
        Some(Source::Reference(reference)) => (None, Some(reference.clone())),
        None => (None, None),
    }
}

/// A value of an object, unless the object keeps it to itself.
pub fn shown(value: Value, object: &Value, place: &Pointer) -> Explicit {
    let mut value = value;
    if secrets::is_hidden(&[object], place) {
        value = secrets::MASK.into();
    } else {
        secrets::cover(&mut value);
    }
    Explicit(value)
}

/// An object as answers name it, where a subject gives several.
pub fn object_name(object: Option<&Identity>) -> Option<String> {
    object.map(Identity::to_string)
}
