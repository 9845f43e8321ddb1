//! Local changes: what somebody else set on a live object, and the desired object does not have.
//!
//! KubeFed overwrites them, unless a rule retains them. The desired object has the retained values already, so what it
//! lacks is retained by no rule.

use crate::engine::retain::pair::pair;
use crate::engine::retain::take;
use crate::object::kinds::defaults::is_default;
use crate::object::kinds::lists::{ListKind, list_kind};
use crate::object::kinds::updates::immutable;
use crate::object::managed_fields::{Owners, index_by, key_text};
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Map, Text, Value};

/// A place of a live object that the desired object does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalChange {
    /// In the live object.
    pub path: Pointer,
    /// The field managers that set it; none where that is unknown.
    pub managers: Vec<Text>,
}

/// Whose fields are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those that `managedFields` gives to another manager than the runner. Without `managedFields` there are none.
    OtherManagers,
    /// Those of all managers, and those that have none.
    Everybody,
}

/// The local changes of a live object, by place.
///
/// 1. Of the metadata only labels count: annotations, finalizers and owners are retained, the rest is the server's.
/// 2. `status`, immutable places and known [defaults](crate::object::kinds::defaults) are never local changes.
/// 3. Elements of lists pair by the keys of the list, else by the keys that `managedFields` names, else by place. Lists
///    of different lengths that have no keys are compared as one value elsewhere.
/// 4. A map or element that another manager owns counts as one change; if it owns some fields only, each of them does.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::retain::local::{Of, local_changes}, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[
///     {"manager":"kubectl-edit","fieldsV1":{"f:data":{"f:b":{}}}}]},"data":{"a":"1","b":"2","c":"3"}}"#)?;
/// let found = local_changes(&desired, &live, Of::OtherManagers);
/// assert_eq!(found.len(), 1, "no other manager set `c`");
/// assert_eq!(found[0].path.to_string(), "/data/b");
/// assert_eq!(found[0].managers, ["kubectl-edit"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn local_changes(desired: &Value, live: &Value, of: Of) -> Vec<LocalChange> {
    let owners = match of {
        Of::OtherManagers => match Owners::of(live).filter(|it| !it.is_empty()) {
            Some(owners) => Some(owners),
            None => return Vec::new(),
        },
        Of::Everybody => None,
    };
    let desired = &with_string_data(desired, live);
    let mut walk = Walk {
        api_version: live.text_at(&["apiVersion"]),
        kind: live.text_at(&["kind"]),
        fixed: immutable(live),
        keys: Vec::new(),
        found: Vec::new(),
    };
    let (Some(wanted), Some(found)) = (desired.as_map(), live.as_map()) else { return Vec::new() };
    for (key, value) in found.iter() {
        let below = owners.as_ref().map(|it| it.field(key));
        match key.as_str() {
            "apiVersion" | "kind" | "status" => {}
            "metadata" => {
                let (desired, live) = (desired.at(&["metadata", "labels"]), value.get("labels"));
                let below = below.map(|it| it.field("labels"));
                walk.keys.push("metadata");
                walk.field("labels", live, desired, below.as_ref(), &Pointer::of(["metadata"]));
                walk.keys.pop();
            }
            key => walk.field(key, Some(value), wanted.get(key), below.as_ref(), &Pointer::root()),
        }
    }
    walk.found
}

/// A live object without these changes.
#[must_use]
pub fn without(live: &Value, changes: &[LocalChange]) -> Value {
    let mut places: Vec<&Pointer> = changes.iter().map(|it| &it.path).collect();
    // Later places first, as taking an element out of a list moves those behind it. Indices order by length, then
    // digits.
    sort_by(&mut places, |a, b| b.segments().map(|it| (it.len(), it)).cmp(a.segments().map(|it| (it.len(), it))));
    let mut object = live.clone();
    places.into_iter().for_each(|it| take(&mut object, it));
    object
}

/// The keys of `stringData` are stored in `data`.
fn with_string_data(desired: &Value, live: &Value) -> Value {
    let mut desired = desired.clone();
    let texts = desired.get("stringData").and_then(Value::as_map).cloned();
    if let (Some(texts), "Secret", "v1") = (texts, live.text_at(&["kind"]), live.text_at(&["apiVersion"])) {
        let data = desired.as_map_mut().and_then(|it| it.entry_or("data", || Map::new().into()));
        if let Some(data) = data.and_then(Value::as_map_mut) {
            texts.iter().for_each(|(key, value)| drop(data.insert(key.clone(), value.clone())));
        }
    }
    desired
}

struct Walk<'a> {
    api_version: &'a str,
    kind: &'a str,
    fixed: Vec<Vec<&'static str>>,
    /// The map keys of the path, without the steps into lists.
    keys: Vec<&'a str>,
    found: Vec<LocalChange>,
}

impl<'a> Walk<'a> {
    /// A field of a map. `owners` is none where the managers do not matter.
    fn field(
        &mut self,
        key: &'a str,
        live: Option<&'a Value>,
        desired: Option<&Value>,
        owners: Option<&Owners>,
        above: &Pointer,
    ) {
        let Some(live) = live.filter(|_| !owners.is_some_and(Owners::is_empty)) else { return };
        self.keys.push(key);
        if !self.fixed.iter().any(|it| **it == *self.keys) {
            self.value(live, desired.filter(|it| !it.is_null()), owners, above.child(key));
        }
        self.keys.pop();
    }

    fn value(&mut self, live: &'a Value, desired: Option<&Value>, owners: Option<&Owners>, path: Pointer) {
        match (live, desired) {
            (_, None) => self.lacking(live, owners, path),
            (Value::Map(live), Some(Value::Map(desired))) => {
                for (key, value) in live.iter() {
                    self.field(key, Some(value), desired.get(key), owners.map(|it| it.field(key)).as_ref(), &path);
                }
            }
            (Value::List(live), Some(Value::List(desired))) => {
                let of_items = owners.map(|it| it.elements(live));
                for (index, partner) in self.pairs(live, desired, owners) {
                    let (Some(item), partner) = (live.get(index), partner.and_then(|it| desired.get(it))) else {
                        continue;
                    };
                    let owners = of_items.as_ref().and_then(|it| it.get(index));
                    if !owners.is_some_and(Owners::is_empty) {
                        self.value(item, partner, owners, path.child(index_text(index)));
                    }
                }
            }
            _ => {}
        }
    }

    /// The desired object has nothing here.
    fn lacking(&mut self, live: &'a Value, owners: Option<&Owners>, path: Pointer) {
        // Null is no value, and no server stores it.
        if live.is_null() || is_default(self.api_version, self.kind, &self.keys, live) {
            return;
        }
        let managers = owners.map(Owners::owners).unwrap_or_default();
        if owners.is_none() || !managers.is_empty() {
            return self.report(path, &managers);
        }
        let (from, all) = (self.found.len(), owners.map(Owners::all).unwrap_or_default());
        let children = match live {
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    self.field(key, Some(value), None, owners.map(|it| it.field(key)).as_ref(), &path);
                }
                map.len()
            }
            Value::List(items) => {
                let of_items = owners.map(|it| it.elements(items));
                for (index, item) in items.iter().enumerate() {
                    let owners = of_items.as_ref().and_then(|it| it.get(index));
                    if !owners.is_some_and(Owners::is_empty) {
                        self.value(item, None, owners, path.child(index_text(index)));
                    }
                }
                items.len()
            }
            _ => return,
        };
        // A map or list that loses everything goes with it.
        let depth = path.segments().len().saturating_add(1);
        let gone = self.found.iter().skip(from).filter(|it| it.path.segments().len() == depth).count();
        if gone == children && gone > 0 {
            self.found.truncate(from);
            self.report(path, &all);
        }
    }

    fn report(&mut self, path: Pointer, managers: &[&str]) {
        let mut managers: Vec<Text> = managers.iter().map(|it| Text::from(*it)).collect();
        sort_by(&mut managers, |a, b| crate::value::text::order(a, b));
        self.found.push(LocalChange { path, managers });
    }

    /// The elements of a live list by index, each with the index of its desired partner.
    fn pairs(&self, live: &[Value], desired: &[Value], owners: Option<&Owners>) -> Vec<(usize, Option<usize>)> {
        let by_place = || (0..live.len()).map(|at| (at, Some(at))).collect();
        match list_kind(self.api_version, self.kind, &self.keys) {
            kind @ (ListKind::Keyed(_) | ListKind::KeyedOrNamed(_)) => {
                let Ok(pairing) = pair(desired, live, kind) else { return Vec::new() };
                let mut partners: Vec<(usize, Option<usize>)> = (0..live.len()).map(|at| (at, None)).collect();
                for (here, there) in pairing.partners.iter().enumerate() {
                    if let Some((_, partner)) = there.and_then(|it| partners.get_mut(it)) {
                        *partner = Some(here);
                    }
                }
                partners
            }
            // Its elements are compared elsewhere.
            ListKind::Set => Vec::new(),
            ListKind::Ordered => match owners.and_then(Owners::element_keys) {
                Some(keys) => {
                    let index = index_by(desired, &keys);
                    let partner = |item: &Value| index.get(&key_text(item, &keys)?)?.first().copied();
                    live.iter().enumerate().map(|(at, item)| (at, partner(item))).collect()
                }
                None if live.len() == desired.len() => by_place(),
                None => Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn parsed(text: &str) -> Value {
        json::parse(text).expect("a test writes JSON")
    }

    fn live(kind: &str, content: &str, fields: &str) -> Value {
        let mut live = parsed(content);
        let map = live.as_map_mut().unwrap();
        let (api_version, kind) = kind.rsplit_once('/').unwrap();
        map.insert("apiVersion", api_version);
        map.insert("kind", kind);
        let entries = format!(r#"[{{"manager":"m","fieldsV1":{fields}}}]"#);
        let metadata = map.entry_or("metadata", || Map::new().into()).unwrap();
        metadata.as_map_mut().unwrap().insert("managedFields", parsed(&entries));
        live
    }

    #[track_caller]
    fn check(kind: &str, desired: &str, content: &str, fields: &str, want: &[&str]) {
        let live = live(kind, content, fields);
        let found = local_changes(&parsed(desired), &live, Of::OtherManagers);
        let paths: Vec<String> = found.iter().map(|it| it.path.to_string()).collect();
        assert_eq!(paths, want);
        let left = without(&live, &found);
        assert!(local_changes(&parsed(desired), &left, Of::OtherManagers).is_empty(), "once is enough");
    }

    const CONFIG: &str = "v1/ConfigMap";
    const WEBHOOK: &str = "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration";
    const DEPLOYMENT: &str = "apps/v1/Deployment";

    #[test]
    fn what_no_other_manager_set_stays() {
        check(CONFIG, r#"{"data":{}}"#, r#"{"data":{"a":"1"}}"#, r#"{"f:data":{"f:b":{}}}"#, &[]);
    }

    #[test]
    fn labels_are_the_only_metadata() {
        check(
            CONFIG,
            r#"{"metadata":{"labels":{"ours":"1"}}}"#,
            r#"{"metadata":{"annotations":{"a":"1"},"finalizers":["f"],"labels":{"ours":"1","theirs":"2"}},"status":{"x":1}}"#,
            r#"{"f:metadata":{},"f:status":{}}"#,
            &["/metadata/labels/theirs"],
        );
    }

    #[test]
    fn an_element_is_found_by_its_key() {
        let name = r#"k:{\"name\":\"b\"}"#;
        check(
            WEBHOOK,
            r#"{"webhooks":[{"name":"a"},{"name":"b","clientConfig":{"service":{"name":"s"}}}]}"#,
            r#"{"webhooks":[{"name":"b","clientConfig":{"service":{"name":"s","port":443},"caBundle":"Q0E="}},{"name":"a"}]}"#,
            &format!(r#"{{"f:webhooks":{{"{name}":{{"f:clientConfig":{{"f:caBundle":{{}},"f:service":{{}}}}}}}}}}"#),
            &["/webhooks/0/clientConfig/caBundle"],
        );
    }

    #[test]
    fn an_element_that_another_manager_added_goes_with_its_defaults() {
        let name = r#"k:{\"name\":\"side\"}"#;
        check(
            DEPLOYMENT,
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"web"}]}}}}"#,
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"i","resources":{}},{"name":"web"}]}}}}"#,
            &format!(
                r#"{{"f:spec":{{"f:template":{{"f:spec":{{"f:containers":{{"{name}":{{".":{{}},"f:image":{{}}}}}}}}}}}}}}"#
            ),
            &["/spec/template/spec/containers/0"],
        );
    }

    #[test]
    fn defaults_and_immutable_places_stay_whoever_created_the_object() {
        check(
            DEPLOYMENT,
            r#"{"spec":{}}"#,
            r#"{"spec":{"revisionHistoryLimit":10,"selector":{"matchLabels":{"a":"b"}},"paused":true}}"#,
            r#"{"f:spec":{}}"#,
            &["/spec/paused"],
        );
    }

    #[test]
    fn a_map_that_loses_everything_goes_too() {
        check(
            DEPLOYMENT,
            r#"{"spec":{"template":{}}}"#,
            r#"{"spec":{"template":{"metadata":{"annotations":{"a":"1","b":"2"}}}}}"#,
            r#"{"f:spec":{"f:template":{"f:metadata":{"f:annotations":{"f:a":{},"f:b":{}}}}}}"#,
            &["/spec/template/metadata"],
        );
    }

    #[test]
    fn the_keys_of_string_data_are_in_data() {
        check(
            "v1/Secret",
            r#"{"stringData":{"a":"x"}}"#,
            r#"{"data":{"a":"eA==","b":"eQ=="}}"#,
            r#"{"f:data":{}}"#,
            &["/data/b"],
        );
    }

    #[test]
    fn a_list_of_a_custom_kind_pairs_by_the_keys_of_its_managers() {
        check(
            "x.io/v1/Thing",
            r#"{"spec":{"l":[{"id":1},{"id":2}]}}"#,
            r#"{"spec":{"l":[{"id":2,"x":1},{"id":1}]}}"#,
            r#"{"f:spec":{"f:l":{"k:{\"id\":2}":{"f:x":{}}}}}"#,
            &["/spec/l/0/x"],
        );
    }

    #[test]
    fn everybody_is_also_nobody() {
        let live = parsed(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","b":"2"}}"#);
        let desired = parsed(r#"{"data":{"a":"1"}}"#);
        assert_eq!(local_changes(&desired, &live, Of::OtherManagers), []);
        assert_eq!(local_changes(&desired, &live, Of::Everybody)[0].path.to_string(), "/data/b");
    }
}
