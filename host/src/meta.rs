//! The fields of Kubernetes objects that every kind has.
//!
//! Objects are values, since API servers know more kinds than this program does. The names of common fields are here
//! and nowhere else; what a field of our own holds has a type.

use fleetfold_core::Value;
use fleetfold_core::value::Map;

/// The group of our own kinds, with the slash before the version.
const OUR_GROUP: &str = "fleetfold.dev/";

/// The type and the metadata of an object. Texts that are absent are empty.
#[derive(Clone, Copy, Debug)]
pub struct Meta<'a>(&'a Value);

impl<'a> Meta<'a> {
    pub fn of(object: &'a Value) -> Meta<'a> {
        Meta(object)
    }

    pub fn api_version(self) -> &'a str {
        self.0.text_at(&["apiVersion"])
    }

    pub fn kind(self) -> &'a str {
        self.0.text_at(&["kind"])
    }

    pub fn namespace(self) -> &'a str {
        self.0.text_at(&["metadata", "namespace"])
    }

    pub fn name(self) -> &'a str {
        self.0.text_at(&["metadata", "name"])
    }

    pub fn uid(self) -> &'a str {
        self.0.text_at(&["metadata", "uid"])
    }

    pub fn resource_version(self) -> &'a str {
        self.0.text_at(&["metadata", "resourceVersion"])
    }

    pub fn generation(self) -> Option<i64> {
        self.0.at(&["metadata", "generation"]).and_then(Value::as_int)
    }

    pub fn annotation(self, key: &str) -> Option<&'a str> {
        self.0.at(&["metadata", "annotations", key]).and_then(Value::as_text)
    }

    pub fn has_annotations(self) -> bool {
        self.0.at(&["metadata", "annotations"]).is_some()
    }

    pub fn spec(self) -> Option<&'a Value> {
        self.0.get("spec")
    }

    pub fn status(self) -> Option<&'a Value> {
        self.0.get("status")
    }

    /// The items, if this is a list.
    pub fn list_items(self) -> Option<&'a [Value]> {
        let items = self.0.get("items").and_then(Value::as_list);
        items.filter(|_| self.kind().ends_with("List")).map(Vec::as_slice)
    }

    /// Whether this is an object of our own kind, in any version.
    pub fn is_ours(self, kind: &str) -> bool {
        self.kind() == kind && self.api_version().starts_with(OUR_GROUP)
    }
}

/// Sets apiVersion and kind, which the items of a list lack.
pub fn set_type(object: &mut Value, api_version: &str, kind: &str) {
    if let Some(fields) = object.as_map_mut() {
        fields.insert("apiVersion", api_version);
        fields.insert("kind", kind);
    }
}

/// Removes `managedFields`, which are half of an object's size.
pub fn remove_managed_fields(object: &mut Value) {
    if let Some(metadata) = metadata_mut(object) {
        metadata.remove("managedFields");
    }
}

/// Removes the annotations that `keep` does not match, and the field when none is left.
pub fn retain_annotations(object: &mut Value, mut keep: impl FnMut(&str) -> bool) {
    let Some(metadata) = metadata_mut(object) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_map_mut) else { return };
    let before = annotations.len();
    annotations.retain(|key, _| keep(key));
    if annotations.is_empty() && before > 0 {
        metadata.remove("annotations");
    }
}

/// Removes an annotation; returns whether it was set.
pub fn remove_annotation(object: &mut Value, key: &str) -> bool {
    let annotations = metadata_mut(object).and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
    annotations.and_then(|it| it.remove(key)).is_some()
}

/// Sets annotations.
pub fn annotate<'a>(object: &mut Value, annotations: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let empty = || Value::from(Map::new());
    let metadata = object.as_map_mut().and_then(|it| it.entry_or("metadata", empty)).and_then(Value::as_map_mut);
    let all = metadata.and_then(|it| it.entry_or("annotations", empty)).and_then(Value::as_map_mut);
    if let Some(all) = all {
        for (key, value) in annotations {
            all.insert(key, value);
        }
    }
}

fn metadata_mut(object: &mut Value) -> Option<&mut Map> {
    object.get_mut("metadata").and_then(Value::as_map_mut)
}

#[cfg(test)]
mod tests {
    use fleetfold_core::value::json;

    use super::*;

    #[test]
    fn annotations_are_set_removed_and_left_out_when_empty() {
        let mut object = json::parse(r#"{"kind":"A"}"#).unwrap();
        annotate(&mut object, [("a", "1"), ("b", "2")]);
        assert_eq!(Meta::of(&object).annotation("a"), Some("1"));
        assert!(remove_annotation(&mut object, "a") && !remove_annotation(&mut object, "a"));
        retain_annotations(&mut object, |key| key != "b");
        assert_eq!(object.to_canonical(), r#"{"kind":"A","metadata":{}}"#);
    }
}
