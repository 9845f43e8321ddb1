//! Retention paths: which fields of a live object are kept.

use std::fmt;

use super::PathError;
use crate::value::Text;

/// The path of retained fields: keys joined by dots, `[]` behind a list for each of its elements, `["a.b/c"]` for a key
/// that has dots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetentionPath(Vec<RetentionStep>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetentionStep {
    Key(Text),
    /// Every element of the list that the steps before lead to.
    Each,
}

impl RetentionPath {
    /// # Errors
    ///
    /// A path starts with a key and no key is empty. An index is refused: a list has no stable order in a cluster.
    pub fn parse(text: &str) -> Result<RetentionPath, PathError> {
        let mut reader = Reader { text, pos: 0, steps: Vec::new() };
        reader.path()?;
        Ok(RetentionPath(reader.steps))
    }

    /// A path of these steps.
    pub fn of(steps: Vec<RetentionStep>) -> RetentionPath {
        RetentionPath(steps)
    }

    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::path::{RetentionPath, RetentionStep};
    ///
    /// let path = RetentionPath::parse("spec.ports[].nodePort").unwrap();
    /// assert_eq!(path.steps()[2], RetentionStep::Each);
    /// ```
    pub fn steps(&self) -> &[RetentionStep] {
        &self.0
    }
}

struct Reader<'a> {
    text: &'a str,
    pos: usize,
    steps: Vec<RetentionStep>,
}

impl Reader<'_> {
    fn path(&mut self) -> Result<(), PathError> {
        if self.eat("[\"") {
            self.quoted()?
        } else {
            self.key()?
        }
        loop {
            if self.eat("[]") {
                self.steps.push(RetentionStep::Each);
            } else if self.eat("[\"") {
                self.quoted()?;
            } else if self.eat(".") {
                self.key()?;
            } else if self.rest().is_empty() {
                return Ok(());
            } else if self.rest().starts_with('[') {
                let hint = "write `[]` for every element, or `[\"key\"]` for a key that has dots";
                return Err(self.error("brackets must contain nothing or a key in quotes").hint(hint));
            } else {
                return Err(self.error("a dot must come before the next key"));
            }
        }
    }

    fn key(&mut self) -> Result<(), PathError> {
        let end = self.rest().find(['.', '[', ']', '"']).unwrap_or(self.rest().len());
        let key = self.rest().get(..end).unwrap_or_default();
        if let Some(error) = self.form(key) {
            return Err(error);
        }
        if key.is_empty() {
            let error = self.error("an empty key");
            return Err(if self.pos == 0 {
                error.hint("write the field from the root of the object, such as `spec.replicas`")
            } else {
                error
            });
        }
        self.steps.push(RetentionStep::Key(key.into()));
        self.pos += end;
        Ok(())
    }

    /// What is wrong with the form of a key that is not quoted. Each would be taken for a name that no field has.
    fn form(&self, key: &str) -> Option<PathError> {
        if self.pos == 0 && key.starts_with('/') {
            let keys = self.text.split('/').filter(|it| !it.is_empty());
            let keys = keys.map(|it| if it.bytes().all(|it| it.is_ascii_digit()) { "[]" } else { it });
            let path = keys.collect::<Vec<_>>().join(".").replace(".[]", "[]");
            return Some(self.error("a JSON pointer is not a retention path").hint(format!("write `{path}`")));
        }
        if self.pos == 0 && key.starts_with('$') {
            let path = self.text.trim_start_matches(['$', '.']);
            return Some(self.error("a path has no `$`: it starts at the root").hint(format!("write `{path}`")));
        }
        let blank = key.find(char::is_whitespace)?;
        let at = Reader { text: self.text, pos: self.pos + blank, steps: Vec::new() };
        let hint = match self.text.trim() {
            trimmed if trimmed.contains(char::is_whitespace) => {
                "put a key that has blanks in quotes: `[\"a key\"]`".into()
            }
            trimmed => format!("write `{trimmed}`"),
        };
        Some(at.error("a blank in a key").hint(hint))
    }

    /// A key up to `"]`; inside, `\` escapes a quote or a backslash.
    fn quoted(&mut self) -> Result<(), PathError> {
        let mut key = String::new();
        loop {
            let Some(char) = self.rest().chars().next() else {
                return Err(self.error("the quoted key has no end").hint("close it with `\"]`"));
            };
            if self.eat("\"]") {
                break;
            }
            self.pos += char.len_utf8();
            let escaped = self.rest().chars().next().filter(|it| char == '\\' && matches!(it, '"' | '\\'));
            self.pos += escaped.map_or(0, char::len_utf8);
            key.push(escaped.unwrap_or(char));
        }
        if key.is_empty() {
            return Err(self.error("an empty key"));
        }
        self.steps.push(RetentionStep::Key(key.into()));
        Ok(())
    }

    fn rest(&self) -> &str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.pos += if found { token.len() } else { 0 };
        found
    }

    fn error(&self, message: &str) -> PathError {
        let offset = self.text.get(..self.pos).map_or(0, |before| before.chars().count());
        PathError::new(message, offset)
    }
}

impl fmt::Display for RetentionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                RetentionStep::Each => f.write_str("[]")?,
                RetentionStep::Key(key) if needs_quotes(key, at) => {
                    write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?;
                }
                RetentionStep::Key(key) => write!(f, "{}{key}", if at > 0 { "." } else { "" })?,
            }
        }
        Ok(())
    }
}

fn needs_quotes(key: &str, at: usize) -> bool {
    key.contains(['.', '[', ']', '"']) || key.contains(char::is_whitespace) || at == 0 && key.starts_with(['/', '$'])
}

/// Reads what `Display` prints.
///
/// ```
/// use fleetfold_value::value::path::RetentionPath;
///
/// let ports: RetentionPath = "spec.ports[].nodePort".parse()?;
/// assert_eq!(ports.to_string(), "spec.ports[].nodePort");
///
/// // The order of a list is not stable in a cluster, so an index is an error.
/// assert!("spec.ports[0].nodePort".parse::<RetentionPath>().is_err());
/// # Ok::<(), fleetfold_value::value::path::PathError>(())
/// ```
impl std::str::FromStr for RetentionPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<RetentionPath, PathError> {
        RetentionPath::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round(text: &str, steps: usize) {
        let path = RetentionPath::parse(text).unwrap();
        assert_eq!((path.to_string().as_str(), path.steps().len()), (text, steps));
    }

    #[track_caller]
    fn refuses(text: &str, offset: usize) {
        assert_eq!(RetentionPath::parse(text).unwrap_err().offset, offset, "{text}");
    }

    #[test]
    fn paths_print_back() {
        round("spec.foo", 2);
        round("spec.foo[].bar", 4);
        round("spec.foo[].bar[].baz", 6);
        round("spec.matrix[][]", 4);
        round(r#"metadata.annotations["a.b/c"]"#, 3);
        round(r#"data["say \"hi\""].x"#, 3);
        round(r#"["dotted.root"].x"#, 2);
    }

    #[test]
    fn another_form_has_the_right_one_as_its_hint() {
        let hint = |text: &str| RetentionPath::parse(text).unwrap_err().hint.unwrap();
        assert_eq!(hint("/webhooks/0/clientConfig/caBundle"), "write `webhooks[].clientConfig.caBundle`");
        assert_eq!(hint("$.spec.foo"), "write `spec.foo`");
        assert_eq!(hint("spec.foo "), "write `spec.foo`");
        assert_eq!(hint("data.a key"), "put a key that has blanks in quotes: `[\"a key\"]`");
        assert!(RetentionPath::parse(r#"data["a key"]"#).is_ok());
    }

    #[test]
    fn a_bad_path_says_where() {
        refuses("", 0);
        refuses(".spec", 0);
        refuses("spec..x", 5);
        refuses("spec.", 5);
        refuses("spec.foo[0]", 8);
        refuses("spec.foo[]bar", 10);
        refuses(r#"a["b"#, 4);
        refuses(r#"a[""]"#, 5);
        refuses("[]", 0);
        refuses("/spec/foo", 0);
        refuses("$.spec", 0);
        refuses("spec.foo ", 8);
        refuses(" spec", 0);
    }
}
