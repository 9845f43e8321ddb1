//! Labels, and the syntax that Kubernetes allows.

use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Code, Error};
use crate::value::JsonPath;
use crate::value::sorting::sort;
use crate::value::text::order;
use crate::value::{Map, Text, Value};

const MAX_NAME: usize = 63;
const MAX_PREFIX: usize = 253;

/// The labels of one object, sorted by key.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::Labels;
///
/// let labels: Labels = [("tier", "gold"), ("env", "prod")].into_iter().collect();
/// assert_eq!(labels.get("env").unwrap(), "prod");
/// assert_eq!(labels.iter().next().unwrap().0, "env");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    pairs: Vec<(Text, Text)>,
    is_unknown: bool,
}

impl Labels {
    /// The labels of an object that cannot be read: no requirement is known to hold, not even that a label is absent.
    pub const fn unknown() -> Labels {
        Labels { pairs: Vec::new(), is_unknown: true }
    }

    /// Whether the labels cannot be read.
    pub const fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&Text> {
        let at = self.pairs.binary_search_by(|(it, _)| order(it, key)).ok()?;
        self.pairs.get(at).map(|(_, value)| value)
    }

    /// All labels, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.pairs.iter().map(|(key, value)| (key, value))
    }

    /// Reads a map of strings. Any other value is an error with a hint to quote it.
    pub fn read(map: &Map, at: &JsonPath) -> Result<Labels, Error> {
        let entries = map.iter().map(|(key, value)| match value {
            Value::Text(text) => Ok((key.clone(), text.clone())),
            other => Err(not_text(key, other).at(at.key(key))),
        });
        entries.collect::<Result<_, _>>().map(|pairs| Labels { pairs, is_unknown: false })
    }
}

impl<K: Into<Text>, V: Into<Text>> FromIterator<(K, V)> for Labels {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Labels {
        let mut labels: Vec<(Text, Text)> = labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        sort(&mut labels);
        labels.dedup_by(|a, b| a.0 == b.0);
        Labels { pairs: labels, is_unknown: false }
    }
}

impl Decode for Labels {
    fn decode(value: Value, at: &JsonPath) -> Result<Labels, Error> {
        match &value {
            Value::Map(map) => Labels::read(map, at),
            Value::Null => Ok(Labels::default()),
            other => Err(at.wrong_type("a map", other)),
        }
    }

    fn absent() -> Option<Labels> {
        Some(Labels::default())
    }
}

/// A label value that YAML read as something else than a string.
pub fn not_text(key: &str, value: &Value) -> Error {
    let error =
        Error::new(Code::BadLabelValue, format!("the value of the label `{key}` is {}, not a string", value.kind()));
    match value {
        Value::Bool(_) | Value::Number(_) => {
            let written = value.to_canonical();
            error.hint(format!("label values are strings: quote it, as in `{key}: \"{written}\"`"))
        }
        _ => error,
    }
}

/// Checks a label key: a name, or a DNS prefix, a slash and a name.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::{check_label_key, check_label_value};
///
/// assert!(check_label_key("app.kubernetes.io/name").is_ok());
/// assert!(check_label_key("-app").is_err());
/// assert!(check_label_value("").is_ok());
/// assert!(check_label_value("2026-01-31T09:30:00Z").is_err(), "a label value has no colons");
/// ```
pub fn check_key(key: &str) -> Result<(), Error> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let wrong = if name.contains('/') {
        "has more than one `/`"
    } else if prefix.is_some_and(|it| !is_subdomain(it)) {
        "has a prefix that is not a DNS name in lower case of at most 253 characters"
    } else if name.is_empty() {
        "has no name"
    } else if name.len() > MAX_NAME {
        "has a name of more than 63 characters"
    } else if !is_name(name) {
        "has a name that is not letters, digits, `-`, `_` or `.`, with a letter or digit at both ends"
    } else {
        return Ok(());
    };
    Err(Error::new(Code::BadLabelKey, format!("the label key `{key}` {wrong}")))
}

/// Checks a label value: empty, or up to 63 letters, digits, `-`, `_`, `.` with a letter or digit at both ends.
pub fn check_value(value: &str) -> Result<(), Error> {
    let wrong = if value.len() > MAX_NAME {
        "has more than 63 characters"
    } else if !value.is_empty() && !is_name(value) {
        "is not letters, digits, `-`, `_` or `.`, with a letter or digit at both ends"
    } else {
        return Ok(());
    };
    Err(Error::new(Code::BadLabelValue, format!("the label value `{value}` {wrong}")))
}

fn is_name(name: &str) -> bool {
    bounded(name, |byte| byte.is_ascii_alphanumeric(), |byte| matches!(byte, b'-' | b'_' | b'.'))
}

fn is_subdomain(prefix: &str) -> bool {
    let edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    prefix.len() <= MAX_PREFIX && prefix.split('.').all(|part| bounded(part, edge, |byte| byte == b'-'))
}

/// Not empty, `edge` characters at both ends, `edge` or `inner` ones between.
fn bounded(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let ends = bytes.first().zip(bytes.last()).is_some_and(|(first, last)| edge(*first) && edge(*last));
    ends && bytes.iter().all(|byte| edge(*byte) || inner(*byte))
}
