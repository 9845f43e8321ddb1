//! Formats answers of the engine for people and programs. No rule about fleets lives here.

pub mod compare;
pub mod explain;
pub mod finding;
pub mod github;
pub mod json;
pub mod plan;
pub mod preview;
pub mod sarif;
pub mod style;
pub mod table;
pub mod value;
pub mod whatif;

pub use fleetfold::answer::{count, list, text, texts};
use fleetfold_core::Value;

/// A location: `file:line:column`, or document and path if the file is unknown.
pub fn place(at: &Value) -> String {
    let file = text(at, "file");
    if file.is_empty() {
        let parts = [text(at, "document"), text(at, "path")];
        return parts.iter().filter(|it| !it.is_empty()).copied().collect::<Vec<_>>().join(" ");
    }
    let number = |key| at.get(key).and_then(Value::as_int);
    match (number("line"), number("column")) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        _ => file.to_owned(),
    }
}

/// `Kind/namespace/name` of an object or of the target of an action.
pub fn name_of(object: &Value) -> String {
    let name = |keys: &[&str]| object.text_at(keys).to_owned();
    let (namespace, own) = match object.get("metadata") {
        Some(_) => (name(&["metadata", "namespace"]), name(&["metadata", "name"])),
        None => (name(&["namespace"]), name(&["name"])),
    };
    let parts = [name(&["kind"]), namespace, own];
    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
}

/// Cluster names on one line: up to four, otherwise the first two and a count.
pub fn clusters(names: &[&str]) -> String {
    const ALL: usize = 4;
    let shown = |name: &&str| if name.is_empty() { "the hub".to_owned() } else { style::clean(name) };
    if names.len() <= ALL {
        return names.iter().map(shown).collect::<Vec<_>>().join(", ");
    }
    let first: Vec<String> = names.iter().take(2).map(shown).collect();
    format!("{} and {} more", first.join(", "), names.len() - first.len())
}

/// `1 cluster`, `2 clusters`.
pub fn counted(count: i64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_clusters_are_shortened_to_two_and_a_count() {
        assert_eq!(clusters(&[""]), "the hub");
        assert_eq!(clusters(&["a", "b", "c", "d"]), "a, b, c, d");
        assert_eq!(clusters(&["a", "b", "c", "d", "e"]), "a, b and 3 more");
    }

    #[test]
    fn a_place_is_a_file_or_else_a_document() {
        let at = |text: &str| place(&fleetfold_core::value::json::parse(text).unwrap());
        assert_eq!(at(r#"{"document":"A/b","path":"/c","file":"f.yaml","line":3,"column":5}"#), "f.yaml:3:5");
        assert_eq!(at(r#"{"document":"A/b","path":"/c"}"#), "A/b /c");
        assert_eq!(at("{}"), "");
    }
}
