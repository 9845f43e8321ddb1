//! Formats answers of the engine for people and programs. No rule about fleets lives here.

pub mod compare;
pub mod explain;
pub mod finding;
pub mod github;
pub mod json;
pub mod location;
pub mod plan;
pub mod preview;
pub mod sarif;
pub mod style;
pub mod table;
pub mod value;
pub mod whatif;

use fleetfold::meta::Meta;
use fleetfold_core::Value;

/// `Kind/namespace/name`; empty parts are left out.
pub fn named(kind: &str, namespace: &str, name: &str) -> String {
    [kind, namespace, name].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
}

/// `Kind/namespace/name` of an object.
pub fn name_of(object: &Value) -> String {
    let meta = Meta::of(object);
    named(meta.kind(), meta.namespace(), meta.name())
}

/// Cluster names on one line: up to four, otherwise the first two and a count.
pub fn clusters<T: AsRef<str>>(names: &[T]) -> String {
    const ALL: usize = 4;
    let shown = |name: &T| match name.as_ref() {
        "" => "the hub".to_owned(),
        name => style::clean(name),
    };
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

/// An answer from its JSON, for tests.
#[cfg(test)]
#[track_caller]
pub fn read_answer<A: serde::de::DeserializeOwned>(text: &str) -> A {
    let value = fleetfold_core::value::json::parse_answer(text).unwrap();
    fleetfold_core::diagnostic::read::from_value_ignoring_unknown(value).unwrap()
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
}
