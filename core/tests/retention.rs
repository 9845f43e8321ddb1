//! The laws of retention, held against every desired and every live object that its vectors know.

use std::collections::BTreeMap;
use std::path::Path;

use fleetfold_core::Value;
use fleetfold_core::engine::retain::{Retained, Rules, retain};
use fleetfold_core::object::kinds::retention::{KARMADA, KUBEFED, Phase, STRICT, Table};
use fleetfold_core::value::json;
use fleetfold_core::value::path::RetentionPath;

#[test]
fn retaining_twice_changes_nothing() {
    for table in [STRICT, KUBEFED] {
        hold(|desired, live| {
            let Some(once) = run(desired, live, table, None) else { return false };
            let twice = run(&once.object, live, table, None).expect("what could be retained from once can be again");
            assert_eq!((twice.object, twice.retained), (once.object, vec![]));
            true
        });
    }
}

#[test]
fn an_equal_live_object_gives_nothing() {
    hold(|desired, _| {
        let retained = run(desired, desired, STRICT, None).expect("an object is itself");
        assert_eq!((&retained.object, retained.retained), (desired, vec![]));
        true
    });
}

#[test]
fn one_phase_after_the_other_is_all() {
    for table in [STRICT, KARMADA] {
        hold(|desired, live| {
            let Some(whole) = run(desired, live, table, None) else { return false };
            let before = run(desired, live, table, Some(Phase::Before)).expect("half of what can be done can be done");
            let after = run(&before.object, live, table, Some(Phase::After)).expect("and so can the other half");
            assert_eq!(after.object, whole.object);
            true
        });
    }
}

#[test]
fn what_is_listed_is_what_the_live_object_changed() {
    hold(|desired, live| {
        let Some(retained) = run(desired, live, STRICT, None) else { return false };
        assert_eq!(retained.retained.is_empty(), retained.object == *desired);
        for retention in &retained.retained {
            let place = &retention.path;
            assert!(place.get(&retained.object).is_some(), "{place} is not in the result");
            assert_ne!(place.get(&retained.object), place.get(desired), "{place} was there before");
        }
        true
    });
}

fn run(desired: &Value, live: &Value, builtin: Table, phase: Option<Phase>) -> Option<Retained> {
    let fields = ["spec.a", "spec.a[].v", "spec.g[].m[].v", "webhooks[].clientConfig.caBundle", "data.b"];
    let fields = fields.iter().map(|path| RetentionPath::parse(path).expect("a path that parses")).collect();
    let rules = Rules { builtin, phase, fields, labels: vec!["team".into()], retain_replicas: true };
    retain(desired, live, &rules, &mut Vec::new()).ok()
}

/// Puts every two objects of one kind to `law`, which answers whether it had anything to say about them.
fn hold(law: impl Fn(&Value, &Value) -> bool) {
    let mut held = 0;
    for objects in objects().values() {
        for desired in objects {
            held += objects.iter().filter(|live| law(desired, live)).count();
        }
    }
    assert!(held > 1_000, "the vectors know only {held} pairs");
}

fn objects() -> BTreeMap<String, Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/retain");
    let mut objects = BTreeMap::<String, Vec<Value>>::new();
    for file in std::fs::read_dir(folder).expect("retention has vectors") {
        let text = std::fs::read_to_string(file.expect("a folder can be listed").path()).expect("a vector can be read");
        let vector = json::parse(&text).expect("a vector is JSON");
        for object in ["desired", "live"].iter().filter_map(|side| vector.at(&["request", side])) {
            let same_kind = objects.entry(object.text_at(&["kind"]).into()).or_default();
            if object.as_map().is_some() && !same_kind.contains(object) {
                same_kind.push(object.clone());
            }
        }
    }
    objects
}
