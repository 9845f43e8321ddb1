//! `metadata.managedFields`: which field manager set which field of a live object.
//!
//! An entry has a tree of fields, `fieldsV1`. Its keys are:
//!
//! | key | names |
//! |---|---|
//! | `f:<name>` | a field of a map |
//! | `k:{…}` | the element of a list that has these keys |
//! | `v:…` | the element of a set with this value |
//! | `i:<n>` | the element at this index |
//! | `.` | the map or element itself |
//!
//! A tree without keys names the field with everything in it.
//!
//! Only entries that can show a local change count:
//!
//! 1. The runner's own entries do not: its applied fields are in its record, and the rest are defaults.
//! 2. Entries for a subresource (`status`, `scale`) do not: an autoscaler sets replicas by `scale`.
//! 3. `before-first-apply` does not: the API server writes it if it does not know who set the fields.
//! 4. Entries of another API version, or of another format than `FieldsV1`, do not: their fields may have other names.

use crate::value::collections::SortedMap;
use crate::value::json;
use crate::value::path::list_index;
use crate::value::{Map, Text, Value};

/// The field manager of the runner.
pub const MANAGER: &str = "fleetfold";

/// The API server's name for fields of which it does not know who set them.
const UNKNOWN: &str = "before-first-apply";

const PATH: [&str; 2] = ["metadata", "managedFields"];

/// Where the trees of all other managers lead, at one place of an object.
#[derive(Clone, Debug, Default)]
pub struct Owners<'a>(Vec<(&'a str, &'a Map)>);

impl<'a> Owners<'a> {
    /// The trees of the managers other than the runner; `None` if the object has no `managedFields`.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::managed_fields::Owners, value::json};
    ///
    /// let live = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[
    ///     {"manager":"kubectl-edit","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",
    ///      "fieldsV1":{"f:data":{"f:motd":{}}}}]},"data":{"motd":"hi"}}"#)?;
    /// let motd = Owners::of(&live).unwrap().field("data").field("motd");
    /// assert_eq!(motd.owners(), ["kubectl-edit"]);
    /// assert!(Owners::of(&live).unwrap().field("data").owners().is_empty(), "it set one key only");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn of(live: &'a Value) -> Option<Owners<'a>> {
        let entries = live.at(&PATH).filter(|it| !it.is_null())?.as_list()?;
        let version = live.text_at(&["apiVersion"]);
        let others = entries.iter().filter(|it| counts(it) && is_of(it, version));
        Some(Owners(others.filter_map(|it| Some((it.text_at(&["manager"]), it.get("fieldsV1")?.as_map()?))).collect()))
    }

    /// Whether no other manager set anything here.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The managers that own the place itself, with everything in it, each once.
    pub fn owners(&self) -> Vec<&'a str> {
        names(self.0.iter().filter(|(_, tree)| tree.is_empty() || tree.contains(".")).map(|(name, _)| *name))
    }

    /// The managers that own the place or something in it, each once.
    pub fn all(&self) -> Vec<&'a str> {
        names(self.0.iter().map(|(name, _)| *name))
    }

    /// The owners of a field of this map. A manager that owns the map as one value owns its fields.
    #[must_use]
    pub fn field(&self, key: &str) -> Owners<'a> {
        self.below(|name| name.strip_prefix("f:") == Some(key))
    }

    /// The owners of each element of this list. Every key is read once: lists may be long.
    #[must_use]
    pub fn elements(&self, items: &[Value]) -> Vec<Owners<'a>> {
        let mut owners = vec![Owners::default(); items.len()];
        let mut indices: SortedMap<Vec<Text>, SortedMap<String, Vec<usize>>> = SortedMap::new();
        for (name, tree) in &self.0 {
            if tree.is_empty() {
                owners.iter_mut().for_each(|it| it.0.push((*name, *tree)));
            }
            for (key, below) in tree.iter() {
                let Value::Map(below) = below else { continue };
                let (keys, wanted): (Vec<Text>, String) = match key.split_once(':') {
                    Some(("k", keys)) => match json::parse(keys) {
                        Ok(Value::Map(keys)) if !keys.is_empty() => {
                            (keys.keys().cloned().collect(), Value::Map(keys).to_canonical())
                        }
                        _ => continue,
                    },
                    Some(("v", value)) => match json::parse(value) {
                        Ok(value) => (Vec::new(), value.to_canonical()),
                        Err(_) => continue,
                    },
                    Some(("i", at)) => {
                        if let Some(it) = list_index(at).and_then(|at| owners.get_mut(at)) {
                            it.0.push((*name, &**below));
                        }
                        continue;
                    }
                    _ => continue,
                };
                let index = indices.entry(keys.clone()).or_insert_with(|| index_by(items, &keys));
                for at in index.get(&wanted).into_iter().flatten() {
                    if let Some(it) = owners.get_mut(*at) {
                        it.0.push((*name, &**below));
                    }
                }
            }
        }
        owners
    }

    /// The names of the keys by which these managers identify the elements of this list.
    pub fn element_keys(&self) -> Option<Vec<Text>> {
        let names = self.0.iter().flat_map(|(_, tree)| tree.keys());
        let mut keys = names.filter_map(|name| json::parse(name.strip_prefix("k:")?).ok());
        keys.find_map(|keys| Some(keys.as_map()?.keys().cloned().collect()))
    }

    fn below(&self, leads: impl Fn(&str) -> bool) -> Owners<'a> {
        let mut owners = Vec::new();
        for (name, tree) in &self.0 {
            match tree.iter().find(|(key, _)| leads(key)) {
                _ if tree.is_empty() => owners.push((*name, *tree)),
                Some((_, Value::Map(below))) => owners.push((*name, &**below)),
                _ => {}
            }
        }
        Owners(owners)
    }
}

fn names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn counts(entry: &Value) -> bool {
    !matches!(entry.text_at(&["manager"]), MANAGER | UNKNOWN)
        && entry.text_at(&["subresource"]).is_empty()
        && matches!(entry.text_at(&["fieldsType"]), "" | "FieldsV1")
}

fn is_of(entry: &Value, api_version: &str) -> bool {
    let of = entry.text_at(&["apiVersion"]);
    of.is_empty() || of == api_version
}

/// The elements of a list by the values of these keys; without keys, by themselves.
pub fn index_by(items: &[Value], keys: &[Text]) -> SortedMap<String, Vec<usize>> {
    let mut index = SortedMap::<String, Vec<usize>>::new();
    for (at, item) in items.iter().enumerate() {
        let text = match keys {
            [] => Some(item.to_canonical()),
            keys => key_text(item, keys),
        };
        if let Some(text) = text {
            index.entry(text).or_default().push(at);
        }
    }
    index
}

/// The values of an element's keys as JSON. A port without a protocol is a TCP port, as the API server sees it.
pub fn key_text(item: &Value, keys: &[Text]) -> Option<String> {
    let value = |key: &Text| match item.get(key) {
        None if key == "protocol" => Some(Value::text("TCP")),
        found => found.cloned(),
    };
    let entries: Option<Vec<_>> = keys.iter().map(|key| Some((key.clone(), value(key)?))).collect();
    entries.map(|entries| Value::map(entries).to_canonical())
}

/// Reduces `managedFields` to the entries that count, without their times: the rest is half of an object's size. An
/// object without the field keeps none, which means that it is unknown who set its fields.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::managed_fields::reduce, value::json};
///
/// let mut live = json::parse(r#"{"metadata":{"managedFields":[{"manager":"fleetfold","fieldsV1":{"f:data":{}}}]}}"#)?;
/// reduce(&mut live);
/// assert_eq!(live.to_canonical(), r#"{"metadata":{"managedFields":[]}}"#);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn reduce(live: &mut Value) {
    let entries = live.get_mut("metadata").and_then(|it| it.get_mut("managedFields")).and_then(Value::as_list_mut);
    let Some(entries) = entries else { return };
    entries.retain(counts);
    for entry in entries {
        if let Some(entry) = entry.as_map_mut() {
            entry.remove("time");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(entries: &str) -> Value {
        let text = format!(r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"managedFields":{entries}}}}}"#);
        json::parse(&text).expect("a test writes JSON")
    }

    fn entry(manager: &str, rest: &str) -> String {
        format!(r#"[{{"manager":"{manager}",{rest}"fieldsV1":{{"f:spec":{{"f:type":{{}}}}}}}}]"#)
    }

    #[track_caller]
    fn check(entries: &str, want: &[&str]) {
        let live = live(entries);
        assert_eq!(Owners::of(&live).unwrap().field("spec").field("type").owners(), want);
    }

    #[test]
    fn an_object_without_the_field_does_not_say_who_set_what() {
        assert!(Owners::of(&live("null")).is_none());
        assert!(Owners::of(&Value::map([("kind", "Service")])).is_none());
        assert!(Owners::of(&live("[]")).is_some_and(|it| it.is_empty()));
    }

    #[test]
    fn entries_that_cannot_tell_of_a_local_change_do_not_count() {
        check(&entry("kubectl", ""), &["kubectl"]);
        check(&entry("kubectl", r#""apiVersion":"v1","fieldsType":"FieldsV1","#), &["kubectl"]);
        check(&entry(MANAGER, ""), &[]);
        check(&entry(UNKNOWN, ""), &[]);
        check(&entry("hpa", r#""subresource":"scale","#), &[]);
        check(&entry("kubectl", r#""apiVersion":"v2","#), &[]);
        check(&entry("kubectl", r#""fieldsType":"FieldsV2","#), &[]);
        check(r#"[{"manager":"kubectl"},7]"#, &[]);
    }

    #[test]
    fn a_tree_without_keys_owns_everything_in_it() {
        let live = live(r#"[{"manager":"m","fieldsV1":{"f:spec":{}}}]"#);
        let spec = Owners::of(&live).unwrap().field("spec");
        assert_eq!(spec.owners(), ["m"]);
        let ports = spec.field("ports").elements(&[Value::Null, Value::Null]);
        assert_eq!(ports[1].field("name").owners(), ["m"]);
        assert!(Owners::of(&live).unwrap().field("status").is_empty());
    }

    #[test]
    fn elements_are_found_by_keys_by_value_and_by_index() {
        let live = live(
            r#"[{"manager":"m","fieldsV1":{"f:l":{
                "k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}},"v:\"x\"":{},"i:2":{},"k:no":{}}}}]"#,
        );
        let list = Owners::of(&live).unwrap().field("l");
        let items = r#"[{"port":80},{"port":80,"protocol":"UDP"},"y","x"]"#;
        let elements = list.elements(json::parse(items).unwrap().as_list().unwrap());
        assert_eq!(elements.iter().map(|it| !it.is_empty()).collect::<Vec<_>>(), [true, false, true, true]);
        assert!(list.owners().is_empty());
        assert_eq!(elements[0].owners(), ["m"]);
        assert_eq!(list.element_keys().unwrap(), ["port", "protocol"]);
    }
}
