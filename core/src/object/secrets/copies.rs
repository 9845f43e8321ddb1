//! Texts that are copies of Secrets: annotations in which tools keep what they applied, and manifests in strings.

use super::{Holder, has_secret, redact_below};
use crate::diagnostic::Mode;
use crate::object::base64;
use crate::object::kinds::upstreams::APPLIED_COPIES;
use crate::value::{Value, json};
use crate::yaml::{Parsed, YamlError, parse_each};

/// Strings in strings: each level doubles the backslashes.
const MAX_DEPTH: u32 = 4;

/// The shortest manifest of a Secret with something in it.
const SHORTEST: usize = 24;

/// How compressed texts start in base64: gzip, as Helm and Rancher write them, and zip.
const COMPRESSED: &[&str] = &["H4sI", "UEsDB"];

/// How manifests start in base64: `{"`, `{` and a line break, `apiVersion`, `data`, `kind`, `metadata`, `---`.
const ENCODED: &[&str] = &["eyJ", "ewo", "YXBp", "ZGF0", "a2lu", "bWV0", "LS0t"];

/// Which strings count as copies of Secrets.
#[derive(Clone, Copy)]
pub(super) enum Copies {
    /// Annotations that are known by name.
    Named,
    /// Whatever reads as one, at this depth of strings in strings.
    Any { depth: u32 },
}

impl Copies {
    /// Whether a value that is not in a Secret is a copy of one.
    pub(super) fn include(self, key: &str, value: &Value) -> bool {
        let Value::Text(text) = value else { return false };
        match self {
            Copies::Named => APPLIED_COPIES.contains(&key) && secret_in_annotation(text).is_some(),
            Copies::Any { depth } => is_copy(text, depth),
        }
    }

    /// Whether an annotation of a Secret is a copy of it: one that is known by name whatever it holds. A copy may leave
    /// out the kind, as a patch does.
    pub(super) fn include_on_secret(self, key: &str, value: &Value) -> bool {
        if APPLIED_COPIES.contains(&key) {
            return true;
        }
        let (Copies::Any { depth }, Value::Text(text)) = (self, value) else { return false };
        let starts_with_any = |starts: &[&str]| starts.iter().any(|it| text.starts_with(it));
        let is_structure = || match json::parse(text) {
            // A copy that is redacted already may be shown, such as the engine's own.
            Ok(copy) if has_secret(&copy) => is_uncovered(&copy, depth),
            Ok(copy) => !copy.is_empty(),
            Err(_) => is_copy(text, depth),
        };
        starts_with_any(COMPRESSED)
            || (starts_with_any(ENCODED) && base64::decode(text).is_some())
            || (text.trim_start().starts_with(['{', '[']) && is_structure())
            || is_copy(text, depth)
    }
}

/// The object in an annotation, as tools keep copies of what they applied, if it holds Secrets.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::secrets::secret_in_annotation;
///
/// assert!(secret_in_annotation(r#"{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}}"#).is_some());
/// assert!(secret_in_annotation(r#"{"kind":"ConfigMap","data":{"a":"b"}}"#).is_none());
/// ```
pub fn secret_in_annotation(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    json::parse(text).ok().filter(has_secret)
}

/// Whether a text is a manifest with the contents of a Secret in it, in YAML, JSON or base64 of them. One that mentions
/// a Secret and cannot be read, as templates cannot, counts.
pub(super) fn is_copy(text: &str, depth: u32) -> bool {
    if text.len() < SHORTEST {
        return false;
    }
    // Nearly all strings end here.
    let first = text.as_bytes().first();
    if matches!(first, Some(b'{' | b'[' | b'"' | b'\'')) || text.contains('\n') {
        return is_manifest_of_secret(text, depth);
    }
    matches!(first, Some(b'e' | b'Y' | b'Z' | b'a' | b'b' | b'L'))
        && ENCODED.iter().any(|it| text.starts_with(it))
        && base64::decode(text)
            .and_then(|it| String::from_utf8(it).ok())
            .is_some_and(|it| is_manifest_of_secret(&it, depth))
}

/// Whether a text could be a copy or name a kind that holds Secrets. It costs less than to find out.
pub(super) fn may_be_copy(text: &str) -> bool {
    text.contains("Secret") || text.contains('\\') || ENCODED.iter().any(|it| text.starts_with(it))
}

fn is_manifest_of_secret(text: &str, depth: u32) -> bool {
    if !mentions_secret(text) || !(mentions_contents(text) || names_kind(text)) {
        return false;
    }
    if depth >= MAX_DEPTH {
        return true;
    }
    match read(text) {
        // A string that is one scalar is itself.
        Ok(documents) => documents.iter().any(|it| is_uncovered(&it.value, depth) && it.value.as_text() != Some(text)),
        Err(_) => names_kind(text),
    }
}

/// Whether redaction changes a value.
fn is_uncovered(value: &Value, depth: u32) -> bool {
    let mut masked = value.clone();
    redact_below(&mut masked, Copies::Any { depth: depth.saturating_add(1) });
    masked != *value
}

pub(super) fn read(text: &str) -> Result<Vec<Parsed>, YamlError> {
    // Strict mode refuses a duplicate key, whose first value would be in the text but not in the document.
    parse_each(text, Mode::Strict, &mut Vec::new()).into_iter().collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
}

/// Whether a text has the word `kind`, and a kind that holds Secrets.
pub(super) fn mentions_secret(text: &str) -> bool {
    text.contains("Secret") && words(text).any(|it| it == "kind") && words(text).any(|it| Holder::named(it).is_some())
}

/// Whether a kind that holds Secrets follows the word `kind` in a text.
fn names_kind(text: &str) -> bool {
    let mut words = words(text).filter(|it| !it.is_empty());
    let mut is_kind = false;
    words.any(|word| std::mem::replace(&mut is_kind, word == "kind") && Holder::named(word).is_some())
}

/// Whether a text has a word that names the contents of a Secret.
fn mentions_contents(text: &str) -> bool {
    words(text).any(|it| matches!(it, "data" | "stringData" | "overrides" | "annotations"))
}
