//! Numbers of documents and requests mean the same in the module, which counts with 32 bits, as natively.

use std::cell::RefCell;

use fleetfold::cache::Cache;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold_core::Workspace;
use fleetfold_core::value::{Value, json};
use fleetfold_tests::properties::hold;
use fleetfold_tests::tree::root;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Where a type that is too small changes its answer.
const EDGES: [i128; 4] = [1 << 31, 1 << 32, 1 << 53, 1 << 63];

/// A number beside an edge, with either sign.
fn numbers() -> impl Strategy<Value = String> {
    (prop::sample::select(EDGES.to_vec()), -2..=2_i128, any::<bool>())
        .prop_map(|(edge, beside, negative)| if negative { beside - edge } else { edge + beside })
        .prop_map(|number| number.to_string())
}

fn guest() -> RefCell<Guest> {
    let module = Module::embedded(&Cache::of_user()).expect("the module compiles");
    RefCell::new(Guest::new(&module, Limits::default()).expect("the module starts"))
}

/// Both engines answer a history of requests with the same bytes.
fn agree(guest: &RefCell<Guest>, history: &[String]) -> TestCaseResult {
    let (mut native, mut guest) = (Workspace::default(), guest.borrow_mut());
    guest.fresh();
    for request in history {
        let answer = guest.call(request.as_bytes()).expect("an answer, not a trap");
        prop_assert_eq!(answer, native.call_text(request), "{}", request);
    }
    Ok(())
}

/// A Placement with a decision, and a Plugin that is to be deleted; `%` is the number.
const FLEET: &str = r#"{"op":"load","documents":[
{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"c1"},
  "spec":{"taints":[{"key":"k","effect":"NoSelect","timeAdded":"2026-01-01T00:00:00Z"}]}},
{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"c2"}},
{"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSetBinding",
  "metadata":{"name":"global","namespace":"n"},"spec":{"clusterSet":"global"}},
{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"Placement","metadata":{"name":"p",
  "namespace":"n","uid":"u"},"spec":{"numberOfClusters":%,"tolerations":[{"key":"k","operator":"Exists",
  "tolerationSeconds":%}],
"decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":%}}}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{"name":"a","namespace":"n",
  "labels":{"e":"x"}}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{"name":"b","namespace":"n"}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginDefinition","metadata":{"name":"d","namespace":"n"},
  "spec":{"version":"1.0.0"}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginPreset","metadata":{"name":"m","namespace":"n","uid":"m"},
  "spec":{"clusterSelector":{"matchLabels":{"e":"x"}},
  "plugin":{"pluginDefinitionRef":{"kind":"PluginDefinition","name":"d"},"releaseNamespace":"r"}}}]}"#;
const LIVE: &str = r#"{"op":"load","live":"","complete":true,"documents":[
{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"PlacementDecision",
  "metadata":{"name":"p-decision-%","namespace":"n",
  "labels":{"cluster.open-cluster-management.io/placement":"p",
  "cluster.open-cluster-management.io/decision-group-index":"%",
  "cluster.open-cluster-management.io/decision-group-name":""}},"status":{"decisions":[{"clusterName":"c1",
  "reason":""},{"clusterName":"c3","reason":""}]}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Plugin","metadata":{"name":"m-a","namespace":"n",
  "labels":{"greenhouse.sap/pluginpreset":"m"}},"spec":{"clusterName":"a"}},
{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Plugin","metadata":{"name":"m-b","namespace":"n",
  "labels":{"greenhouse.sap/pluginpreset":"m"}},"spec":{"clusterName":"b"}}]}"#;

/// Requests in which a number decides.
const DECIDING: &[&str] = &[
    r#"{"op":"configure","limits":{"deletes":%}}"#,
    r#"{"op":"configure","limits":{"deletePercent":%}}"#,
    r#"{"op":"configure","limits":{"changes":%}}"#,
    r#"{"op":"configure","limits":{"windowSeconds":%}}"#,
    r#"{"op":"plan","now":"2026-01-01T00:00:01Z","recentDeletes":[{"objects":%,"clusters":%}]}"#,
    r#"{"op":"plan","now":"2026-01-01T00:00:01Z","recentDeletes":[{"at":"2025-12-31T23:00:00Z","objects":3}]}"#,
    r#"{"op":"subjects"}"#,
    r#"{"op":"lint"}"#,
    r#"{"op":"patch","object":{"a":[1]},"patch":[{"op":"add","path":"/a/%","value":1}]}"#,
    r#"{"op":"patch","mode":"compat","object":{"a":[1]},"patch":[{"op":"replace","path":"/a/%","value":1}]}"#,
    r#"{"op":"patch","mode":"compat","object":{"a":[1]},"patch":[{"op":"add","path":"/a/+%","value":1}]}"#,
];

#[test]
fn limits_placements_and_paths_agree() {
    let guest = guest();
    let history = |number: &String| {
        let with = |text: &&str| text.replace('%', number).replace('\n', "");
        [FLEET, LIVE].iter().chain(DECIDING).map(with).collect::<Vec<String>>()
    };
    hold("numbers that decide", 120, numbers(), |number| agree(&guest, &history(&number)));
}

#[test]
fn a_large_number_anywhere_in_the_specification_agrees() {
    let guest = guest();
    let cases = fleetfold::vectors::requests(&root().join("tests/vectors")).expect("the vectors can be read");
    let counted: Vec<(Vec<Value>, usize)> = cases
        .iter()
        .filter_map(|history| history.iter().map(|it| json::parse(it).ok()).collect::<Option<Vec<Value>>>())
        .map(|mut history| {
            // No number is replaced: they are only counted.
            let count = history.iter_mut().map(|it| replace(it, &mut { usize::MAX }, &Value::Null)).sum();
            (history, count)
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    assert!(counted.len() > 500, "{} histories have a number", counted.len());
    let inputs = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), numbers());
    hold("numbers of the specification", 300, inputs, |(case, place, number)| {
        let (history, count) = case.get(&counted);
        let (mut history, mut left) = (history.clone(), place.index(*count));
        // Beyond 64 bits the text is refused before any type reads it.
        let Ok(number) = json::parse(&number) else { return Ok(()) };
        for request in &mut history {
            replace(request, &mut left, &number);
        }
        let history: Vec<String> = history.iter().map(Value::to_canonical).collect();
        agree(&guest, &history)
    });
}

/// Replaces the integer that `left` others come before; answers how many integers there are.
fn replace(value: &mut Value, left: &mut usize, number: &Value) -> usize {
    match value {
        Value::Number(_) if value.as_int().is_some() => {
            if *left == 0 {
                *value = number.clone();
            }
            *left = left.wrapping_sub(1);
            1
        }
        Value::List(_) => value.as_list_mut().into_iter().flatten().map(|it| replace(it, left, number)).sum(),
        Value::Map(map) => {
            let keys: Vec<_> = map.keys().cloned().collect();
            keys.iter().filter_map(|key| Some(replace(value.get_mut(key)?, left, number))).sum()
        }
        _ => 0,
    }
}
