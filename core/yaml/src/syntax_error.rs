//! The error of one document, with its position in that document.

use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;
use fleetfold_value::value::Text;
use fleetfold_value::value::collections::SortedSet;
use fleetfold_value::value::json::MAX_DEPTH;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SyntaxError {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) place: Position,
}

impl SyntaxError {
    pub(super) fn new(code: Code, message: impl Into<String>, place: Position) -> SyntaxError {
        SyntaxError { code, message: message.into(), hint: None, place }
    }

    pub(super) fn bad(message: impl Into<String>, place: Position) -> SyntaxError {
        SyntaxError::new(Code::BadYaml, message, place)
    }

    /// YAML that parsers read differently is refused.
    pub(super) fn unportable(message: impl Into<String>, place: Position) -> SyntaxError {
        SyntaxError::new(Code::UnportableYaml, message, place)
    }

    /// Text after the document's end, which kubectl ignores silently.
    pub(super) fn unread(place: Position) -> SyntaxError {
        SyntaxError::unportable("this text follows the end of the document, and kubectl would not read it", place)
            .hint("put a line `---` before it, or indent it as what it belongs to")
    }

    pub(super) fn tab(place: Position) -> SyntaxError {
        SyntaxError::bad("a tab cannot indent", place).hint("use spaces")
    }

    /// kubectl ends the name of an anchor or alias here, YAML 1.2 does not.
    pub(super) fn unfinished_name(place: Position) -> SyntaxError {
        SyntaxError::unportable("the name of an anchor or alias needs a blank after it", place).hint("put a space here")
    }

    /// YAML 1.2 ends the tag here, kubectl does not.
    pub(super) fn unfinished_tag(place: Position) -> SyntaxError {
        SyntaxError::unportable("a tag needs a blank after it", place).hint("put a space here")
    }

    pub(super) fn odd_separator(place: Position) -> SyntaxError {
        SyntaxError::unportable("this line is a separator to some readers only", place)
            .hint("write `---` alone on its line")
    }

    pub(super) fn byte_order_mark(place: Position) -> SyntaxError {
        SyntaxError::unportable("the document contains a byte order mark", place)
            .hint("remove it, or write `\\ufeff` in double quotes")
    }

    /// The first duplicate among the written keys of one map.
    pub(super) fn repeated(keys: &[(Text, Position)]) -> Option<SyntaxError> {
        let mut seen = SortedSet::new();
        let (key, place) = keys.iter().find(|(key, _)| !seen.insert(key))?;
        Some(SyntaxError::new(Code::DuplicateKey, format!("duplicate key `{key}`"), *place))
    }

    pub(super) fn too_deep(place: Position) -> SyntaxError {
        SyntaxError::new(Code::TooDeep, format!("nested deeper than {MAX_DEPTH} levels"), place)
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> SyntaxError {
        self.hint = Some(hint.into());
        self
    }
}
