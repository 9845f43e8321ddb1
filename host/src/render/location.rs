//! Locations in documents.

use std::fmt;

use fleetfold_core::api::effective::LayerAnswer;
use fleetfold_core::api::explain::LinkAnswer;
use fleetfold_core::api::place::{CauseAnswer, PlaceAnswer};

/// `file:line:column`, or document and path if the file is unknown. Unknown parts are empty.
#[derive(Debug, Clone, Default)]
pub struct Location<'a> {
    pub document: &'a str,
    pub path: String,
    pub file: &'a str,
    pub line: Option<i64>,
    pub column: Option<i64>,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { document, path, file, line, column } = self;
        if file.is_empty() {
            let gap = if document.is_empty() || path.is_empty() { "" } else { " " };
            return write!(f, "{document}{gap}{path}");
        }
        match (line, column) {
            (Some(line), Some(column)) => write!(f, "{file}:{line}:{column}"),
            (Some(line), None) => write!(f, "{file}:{line}"),
            _ => f.write_str(file),
        }
    }
}

macro_rules! location_of {
    ($($answer:ty),*) => {
        $(impl<'a> From<&'a $answer> for Location<'a> {
            fn from(it: &'a $answer) -> Location<'a> {
                Location {
                    document: it.document.as_deref().unwrap_or_default(),
                    path: it.path.as_ref().map(ToString::to_string).unwrap_or_default(),
                    file: it.file.as_deref().unwrap_or_default(),
                    line: it.line,
                    column: it.column,
                }
            }
        })*
    };
}

location_of!(PlaceAnswer, CauseAnswer, LayerAnswer, LinkAnswer);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[test]
    fn a_location_is_a_file_or_else_a_document() {
        let at = |text: &str| Location::from(&read_answer::<PlaceAnswer>(text)).to_string();
        assert_eq!(at(r#"{"document":"A/b","path":"/c","file":"f.yaml","line":3,"column":5}"#), "f.yaml:3:5");
        assert_eq!(at(r#"{"document":"A/b","path":"/c"}"#), "A/b /c");
        assert_eq!(at(r#"{"document":"A/b"}"#), "A/b");
        assert_eq!(at("{}"), "");
    }
}
