//! `parse`: text to documents, the way kubectl reads it.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::yaml;

/// Reads YAML or JSON text, one or many documents, the way kubectl reads it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parse {
    /// The text.
    pub text: Text,
    /// The file name of the text, for locations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// `compat`: of a duplicate key the last one wins, large integers are rounded, and ambiguous tokens are not
    /// reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether to return the place of each value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<bool>,
}

/// The documents of the text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParseAnswer {
    /// All documents that are not empty, in order.
    pub documents: Vec<Redacted>,
    /// For each document, the start of the value at each JSON pointer. Values below an alias have no place of their
    /// own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<SortedMap<Text, ParsePlace>>>,
}

/// A place in the text, counted from one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParsePlace {
    /// Counted in characters.
    pub column: i64,
    pub line: i64,
}

impl Op for Parse {
    const NAME: &'static str = "parse";
    type Answer = ParseAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<ParseAnswer, Error> {
        let mut found = Vec::new();
        let documents = yaml::parse(&self.text, self.mode.unwrap_or_default(), &mut found)
            .map_err(|error| error.into_error(self.file.as_deref()))?;
        for mut finding in found {
            finding.at.file.clone_from(&self.file);
            out.push(finding);
        }
        let places = self.places.unwrap_or_default().then(|| documents.iter().map(places_of).collect());
        Ok(ParseAnswer { documents: documents.into_iter().map(|it| Redacted::working(it.value)).collect(), places })
    }
}

fn places_of(document: &yaml::Parsed) -> SortedMap<Text, ParsePlace> {
    let mut places = SortedMap::new();
    let mut open = vec![(Pointer::root(), &document.value)];
    while let Some((pointer, value)) = open.pop() {
        let Some(place) = document.places.value(&pointer) else { continue };
        match value {
            Value::Map(map) => open.extend(map.iter().map(|(key, value)| (pointer.child(key.clone()), value))),
            Value::List(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (pointer.child(at.to_string()), item)));
            }
            _ => {}
        }
        let place = ParsePlace { line: i64::from(place.line), column: i64::from(place.column) };
        places.insert(pointer.to_string().into(), place);
    }
    places
}
