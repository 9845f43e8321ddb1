//! Redaction of a text of documents.

use super::copies::{mentions_secret, read};
use super::{MASK, holds_secret, redact, redact_leaves};
use crate::object::identity::ObjectName;
use crate::value::path::Pointer;
use crate::value::sorting::{sort, sort_by};
use crate::value::{Map, Position, Value};
use crate::yaml::{Parsed, is_invisible};

/// A text without the contents of Secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedText {
    pub text: String,
    /// The documents that were redacted, in order.
    pub documents: Vec<RedactedDocument>,
}

/// A document of a text that holds, or may hold, a Secret.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedDocument {
    /// The first line of the document.
    pub line: u32,
    /// Nothing if the document cannot be read.
    pub name: Option<ObjectName>,
}

/// Redacts the Secrets in a text of YAML or JSON. The text keeps its number of lines, and other documents keep every
/// byte.
///
/// 1. The values that [`redact`] replaces are replaced in place. Comments of the document are removed.
/// 2. A string that is the manifest of a Secret is replaced as a value, in whatever field it is: tools keep copies in
///    annotations, and people put manifests into ConfigMaps.
/// 3. If the notation does not allow that, as an alias of a map does not, the redacted document is one line of JSON.
/// 4. A part that cannot be read becomes a comment if it mentions a Secret, or if no line of it has another kind.
/// 5. The `data` and `stringData` of a document without a kind, or of the kind `secret`, are replaced: it may be a
///    Secret.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::secrets::redact_text;
///
/// let text = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  run: |\n    hunter2\n  user: hunter3 # old\n";
/// let redacted = redact_text(text);
/// let want = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  run: \"(masked)\"\n\n  user: \"(masked)\"\n";
/// assert_eq!(redacted.text, want);
/// assert_eq!(redacted.documents[0].name.as_ref().map(ToString::to_string).as_deref(), Some("Secret/db"));
/// ```
pub fn redact_text(text: &str) -> RedactedText {
    let mut redacted = RedactedText { text: String::with_capacity(text.len()), documents: Vec::new() };
    let (mut part, mut start, mut lines) = (String::new(), 0_u32, 0_u32);
    for line in text.split_inclusive('\n') {
        // The reader splits a text here.
        if line.starts_with("---") {
            redact_part(&part, start, &mut redacted);
            part.clear();
            start = lines;
        }
        part.push_str(line);
        lines = lines.saturating_add(1);
    }
    redact_part(&part, start, &mut redacted);
    redacted
}

fn redact_part(part: &str, lines_before: u32, redacted: &mut RedactedText) {
    let Ok(documents) = read(part) else {
        if may_be_secret(part) && !is_blank(part) {
            let comment = format!("# {MASK}: this cannot be read, and may be a Secret");
            redacted.text.push_str(&on_first_lines(part, &[comment]));
            redacted
                .documents
                .push(RedactedDocument { line: first_line(part).saturating_add(lines_before), name: None });
        } else {
            redacted.text.push_str(part);
        }
        return;
    };
    let masked: Vec<Value> = documents.iter().map(|document| without_secrets(&document.value)).collect();
    let pairs = || documents.iter().zip(&masked);
    let is_secret =
        |(document, masked): &(&Parsed, &Value)| holds_secret(&document.value) || document.value != **masked;
    if !pairs().any(|pair| is_secret(&pair)) {
        redacted.text.push_str(part);
        return;
    }
    for (document, masked) in pairs().filter(is_secret) {
        let line = document.places.value(&Pointer::root()).map_or(1, |it| it.line).saturating_add(lines_before);
        redacted.documents.push(RedactedDocument { line, name: Some(ObjectName::of(masked)) });
    }
    let in_place = InPlace::of(part, pairs()).map(|it| it.write(part)).filter(|written| reads_as(written, &masked));
    redacted
        .text
        .push_str(&in_place.unwrap_or_else(|| on_first_lines(part, &masked.iter().map(json_line).collect::<Vec<_>>())));
}

fn reads_as(text: &str, values: &[Value]) -> bool {
    read(text).is_ok_and(|read| {
        read.len() == values.len() && read.iter().zip(values).all(|(read, value)| read.value == *value)
    })
}

/// The value without the contents of Secrets. A document that has contents and no kind may be a Secret.
fn without_secrets(value: &Value) -> Value {
    let mut value = value.clone();
    redact(&mut value);
    if let Some(map) = value.as_map_mut().filter(|it| !is_of_another_kind(it)) {
        let contents = map.iter_mut().filter(|(key, _)| matches!(key.as_str(), "data" | "stringData"));
        contents.filter(|(_, value)| !value.is_null()).for_each(|(_, value)| redact_leaves(value));
    }
    value
}

/// Whether an object has a kind that is not a misspelt `Secret`.
fn is_of_another_kind(map: &Map) -> bool {
    map.get("kind").and_then(Value::as_text).is_some_and(|it| !it.is_empty() && !it.eq_ignore_ascii_case("Secret"))
}

/// Whether a part that cannot be read may be a Secret: it mentions one, or has no line with another kind.
fn may_be_secret(part: &str) -> bool {
    let names_kind = |line: &str| {
        let key = line.trim_start_matches(|it: char| it.is_whitespace() || "-{,\"'".contains(it));
        let kind = key.strip_prefix("kind").map(|it| it.trim_start_matches(['"', '\'']).trim_start());
        let kind = kind.and_then(|it| it.strip_prefix(':')).map(|it| it.trim_start_matches([' ', '"', '\'']));
        kind.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_uppercase()) && !it.contains('\\'))
    };
    mentions_secret(part) || !part.lines().any(names_kind)
}

/// Whether a part holds nothing: comments and blanks.
fn is_blank(part: &str) -> bool {
    part.lines().all(|it| it.trim_start().is_empty() || it.trim_start().starts_with('#') || it.starts_with("---"))
}

/// Where the text of a part changes.
#[derive(Default)]
struct InPlace {
    /// The start of a value, and its replacement.
    replaced: Vec<(Position, String)>,
    /// The lines on which keys and items start: the text of a replaced value ends before the next of them.
    starts: Vec<u32>,
}

impl InPlace {
    fn of<'a>(part: &str, documents: impl Iterator<Item = (&'a Parsed, &'a Value)>) -> Option<InPlace> {
        let lines: Vec<&str> = part.split('\n').collect();
        let mut changes = InPlace::default();
        for (document, masked) in documents {
            let root = document.places.value(&Pointer::root())?;
            changes.starts.push(root.line);
            changes.add(&lines, document, &mut Pointer::root(), &document.value, masked)?;
        }
        sort(&mut changes.starts);
        sort_by(&mut changes.replaced, |(a, _), (b, _)| a.cmp(b));
        Some(changes)
    }

    fn add(
        &mut self,
        lines: &[&str],
        document: &Parsed,
        pointer: &mut Pointer,
        value: &Value,
        masked: &Value,
    ) -> Option<()> {
        let place = document.places.value(pointer)?;
        let line = lines.get(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
        let first = line.chars().nth(usize::try_from(place.column).ok()?.checked_sub(1)?);
        let is_flow = matches!(first, Some('{' | '['));
        match (value, masked) {
            _ if value == masked && is_flow => {}
            (Value::Map(map), Value::Map(masked)) if !is_flow => {
                for ((key, value), (_, masked)) in map.iter().zip(masked.iter()) {
                    pointer.push(key.clone());
                    self.starts.push(document.places.key(pointer)?.line);
                    self.add(lines, document, pointer, value, masked)?;
                    pointer.pop();
                }
            }
            (Value::List(items), Value::List(masked)) if !is_flow => {
                for (index, (item, masked)) in items.iter().zip(masked.iter()).enumerate() {
                    pointer.push(index.to_string());
                    self.starts.push(document.places.value(pointer)?.line);
                    self.add(lines, document, pointer, item, masked)?;
                    pointer.pop();
                }
            }
            _ if value == masked => {}
            _ => self.replaced.push((place, json_line(masked))),
        }
        Some(())
    }

    /// The part with the changes. Whether it still has the same meaning is for the caller to check.
    fn write(&self, part: &str) -> String {
        let mut replaced = self.replaced.iter().peekable();
        let (mut out, mut is_hidden) = (String::with_capacity(part.len()), false);
        for (number, line) in (1_u32..).zip(part.split_inclusive('\n')) {
            let text = line.trim_end_matches(['\n', '\r']);
            is_hidden &= self.starts.binary_search(&number).is_err();
            let replacement = replaced.next_if(|(place, _)| place.line == number);
            if let Some((place, value)) = replacement {
                let before = usize::try_from(place.column).unwrap_or(usize::MAX).saturating_sub(1);
                out.extend(text.chars().take(before));
                out.push_str(value);
                is_hidden = true;
            } else if !is_hidden {
                out.push_str(without_comment(text));
            }
            out.push_str(line.strip_prefix(text).unwrap_or_default());
        }
        out
    }
}

/// The line without its comment. A `#` inside a string looks the same: then the document reads differently.
fn without_comment(line: &str) -> &str {
    let mut after_blank = true;
    for (at, char) in line.char_indices() {
        if char == '#' && after_blank {
            return line.get(..at).unwrap_or_default().trim_end();
        }
        after_blank = matches!(char, ' ' | '\t');
    }
    line
}

/// As many lines as the part has, of which the first after its `---` are these. If there are too few, they share one.
fn on_first_lines(part: &str, lines: &[String]) -> String {
    let breaks = part.matches('\n').count();
    let separator = if part.starts_with("---") && breaks > 0 { "---\n" } else { "" };
    let breaks = breaks.saturating_sub(separator.len().min(1));
    let fits = lines.len() <= breaks.saturating_add(1);
    let (text, used) = match fits {
        true => (lines.join("\n"), lines.len().saturating_sub(1)),
        false => (lines.join(" "), 0),
    };
    format!("{separator}{text}{}", "\n".repeat(breaks.saturating_sub(used)))
}

/// The first line after the `---` of a part.
fn first_line(part: &str) -> u32 {
    if part.starts_with("---") { 2 } else { 1 }
}

/// The value as one line of JSON that is YAML, too.
fn json_line(value: &Value) -> String {
    let json = value.to_canonical();
    if !json.contains(is_invisible) {
        return json;
    }
    let escaped =
        |char: char| if is_invisible(char) { format!("\\u{:04x}", u32::from(char)) } else { char.to_string() };
    json.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests;
