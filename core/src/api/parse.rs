//! `parse`: text to documents, the way kubectl reads it.

use super::Operation;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::record;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::yaml;

record! {
    request
    /// Reads YAML or JSON text, one or many documents, the way kubectl reads it.
    pub struct Parse {
        /// The text.
        text "text": Text,
        /// The name of the text, for places.
        file "file": Option<String>,
        /// `compat`: of a key that stands twice the last one wins, large integers are rounded, and nothing is said of
        /// ambiguous tokens.
        mode "mode": Option<Mode>,
        /// Whether the answer says where each value stood.
        places "places": Option<bool>,
    }
}

record! {
    answer
    /// The documents of the text.
    pub struct ParseAnswer {
        /// All documents that hold something, in order.
        documents "documents": Vec<Value>,
        /// For each document, where the value at each JSON pointer starts. Values below an alias have no place of their own.
        places "places": Option<Vec<SortedMap<Text, ParsePlace>>>,
    }
}

record! {
    answer
    /// A place in the text, counted from one.
    pub struct ParsePlace {
        line "line": i64,
        /// Counted in characters.
        column "column": i64,
    }
}

impl Operation for Parse {
    const NAME: &'static str = "parse";
    type Answer = ParseAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<ParseAnswer, Error> {
        let mut found = Vec::new();
        let documents = yaml::parse(&self.text, self.mode.unwrap_or_default(), &mut found)
            .map_err(|error| error.into_error(self.file.as_deref()))?;
        for mut finding in found {
            finding.at.file.clone_from(&self.file);
            out.push(finding);
        }
        let places = self.places.unwrap_or_default().then(|| documents.iter().map(places_of).collect());
        Ok(ParseAnswer { documents: documents.into_iter().map(|it| it.value).collect(), places })
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
