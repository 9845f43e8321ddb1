//! What of a live object is the cluster's own, and not what was applied to it before.
//!
//! Where a rule adds the live entries that the template does not have, an entry that an override put there must not
//! count as one: it would outlive the override, and one that appends would append again and again.

use crate::object::kinds::retention::{Keep, Table};
use crate::value::Value;
use crate::value::json::Samples;
use crate::workspace::plan::{APPLIED, last_applied};

/// The places of a kind that rules share between template and cluster, as chains of keys.
#[derive(Clone, Debug)]
pub struct Shared(Vec<Vec<&'static str>>);

impl Shared {
    pub fn of(table: Table, api_version: &str, kind: &str) -> Shared {
        let rows = table.rows.iter().filter(|it| it.mode == Keep::Union && it.kinds.contains(api_version, kind));
        // Inside of lists the elements would have to be paired first; no override gets there by a pointer alone.
        Shared(rows.filter(|it| !it.path.contains("[]")).map(|it| it.path.split('.').collect()).collect())
    }

    /// The live object without the record of what was applied, and without the shared entries that the record has.
    pub fn cluster_part(&self, live: &Value) -> Value {
        let record = live.at(&["metadata", "annotations", APPLIED]).and_then(Value::as_text);
        let Some(record) = record else { return live.clone() };
        let mut part = live.clone();
        take_keys(&mut part, &["metadata", "annotations"], |key| key == APPLIED);
        // The record is read only where its text shows that it may matter.
        if self.0.iter().any(|path| part.at(path).is_some_and(|it| may_have(record, path, it)))
            && let Some(applied) = last_applied(live, &mut Samples::default())
        {
            for path in &self.0 {
                if let Some(applied) = applied.at(path) {
                    subtract(&mut part, path, applied);
                }
            }
        }
        part
    }
}

fn may_have(record: &str, path: &[&str], live: &Value) -> bool {
    match live {
        Value::Map(map) => map.keys().any(|key| record.contains(key.as_str())),
        _ => path.last().is_some_and(|it| record.contains(it)),
    }
}

fn subtract(object: &mut Value, path: &[&str], applied: &Value) {
    match applied {
        Value::Map(applied) => take_keys(object, path, |key| applied.contains(key)),
        Value::List(applied) => {
            let is_applied = |item: &Value| applied.iter().any(|it| it == item || same_name(it, item));
            if let Some(list) = at_mut(object, path).and_then(Value::as_list_mut) {
                list.retain(|item| !is_applied(item));
            }
        }
        _ => {}
    }
}

fn same_name(a: &Value, b: &Value) -> bool {
    let (a, b) = (a.text_at(&["name"]), b.text_at(&["name"]));
    !a.is_empty() && a == b
}

/// Takes keys out of a map, and the map with the last of them.
fn take_keys(object: &mut Value, path: &[&str], goes: impl Fn(&str) -> bool) {
    let Some((last, above)) = path.split_last() else { return };
    let Some(holder) = at_mut(object, above).and_then(Value::as_map_mut) else { return };
    let Some(map) = holder.get_mut(last).and_then(Value::as_map_mut) else { return };
    map.retain(|key, _| !goes(key));
    if map.is_empty() {
        holder.remove(last);
    }
}

fn at_mut<'v>(object: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(object, |at, key| at.get_mut(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::kinds::retention::STRICT;
    use crate::value::Map;

    #[track_caller]
    fn check(kind: &str, applied: &str, live: &str, want: &str) {
        let value = |text: &str| crate::value::json::parse(text).expect("a test writes JSON");
        let mut live = value(live);
        let metadata = live.as_map_mut().and_then(|it| it.entry_or("metadata", || Map::new().into())).unwrap();
        let metadata = metadata.as_map_mut().unwrap();
        let annotations = metadata.entry_or("annotations", || Map::new().into()).unwrap();
        annotations.as_map_mut().unwrap().insert(APPLIED, applied);
        assert_eq!(Shared::of(STRICT, "v1", kind).cluster_part(&live).to_canonical(), want);
    }

    #[test]
    fn the_record_itself_is_not_the_clusters() {
        check("ConfigMap", "{}", r#"{"data":{"a":1}}"#, r#"{"data":{"a":1},"metadata":{}}"#);
    }

    #[test]
    fn what_was_applied_is_not_the_clusters() {
        check(
            "ServiceAccount",
            r#"{"metadata":{"annotations":{"ours":"1"}},"secrets":[{"name":"t"}]}"#,
            r#"{"metadata":{"annotations":{"ours":"1","theirs":"2"}},"secrets":[{"name":"s"},{"name":"t"}]}"#,
            r#"{"metadata":{"annotations":{"theirs":"2"}},"secrets":[{"name":"s"}]}"#,
        );
    }

    #[test]
    fn what_only_one_rule_decides_stays() {
        check("ConfigMap", r#"{"data":{"a":1}}"#, r#"{"data":{"a":1}}"#, r#"{"data":{"a":1},"metadata":{}}"#);
    }
}
