//! W6: one change in a workspace that holds a fleet, up to the new plan and the new result of what it reaches.

use std::path::Path;

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::request_text;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::json;

use crate::clock::timed;
use crate::fleet::{Fleet, check, effective_request, name_of, plan_request};

/// How many clusters are changed, spread over the fleet.
const CHANGES: usize = 200;
/// Above this many clusters a default is changed once.
const ONCE: usize = 10_000;

pub fn run(folder: &Path, count: usize) -> Vec<(String, Value)> {
    let fleet = Fleet::read(folder, count);
    let mut workspace = Workspace::default();
    for request in fleet.documents.iter().chain(&fleet.live).chain([&plan_request(None)]) {
        check(&workspace.call_text(request));
    }
    let picked: Vec<usize> = (0..CHANGES).map(|it| it * count / CHANGES).collect();
    let relabelled = relabelled(&fleet, &picked);
    let label = picked.iter().zip(&relabelled).map(|(it, load)| one(&mut workspace, *it, load));
    let label = middle(label.collect());
    let object = picked.iter().map(|it| one(&mut workspace, *it, &fleet.live[*it].replace("metrics:1.", "metrics:0.")));
    let object = middle(object.collect());
    let default = default(&mut workspace, &fleet) / count as u64;
    [("label", label), ("object", object), ("default", default)]
        .map(|(what, cost)| (format!("w6_{what}_{count}_ns"), Value::from(cost as i64)))
        .into()
}

/// A load, then the plan and the result of that cluster.
fn one(workspace: &mut Workspace, cluster: usize, load: &str) -> u64 {
    let name = name_of(cluster);
    let (plan, effective) = (plan_request(Some(&name)), effective_request(Some(&name), true));
    let (answers, cost) = timed(|| [load, &plan, &effective].map(|it| workspace.call_text(it)));
    answers.iter().for_each(|it| check(it));
    cost
}

/// Loads of the clusters with another team, one each.
fn relabelled(fleet: &Fleet, picked: &[usize]) -> Vec<String> {
    let (_, loads) = fleet.documents.split_last().expect("documents");
    let read = |it: &String| from_value_ignoring_unknown::<Load>(json::parse(it).expect("requests are JSON"));
    let loads = loads.iter().map(|it| read(it).expect("documents are loaded"));
    let documents: Vec<Value> = loads.flat_map(|it| it.documents.unwrap_or_default()).collect();
    let load = |index: &usize| {
        let mut cluster = documents[*index].clone();
        assert_eq!(cluster.text_at(&["metadata", "name"]), name_of(*index));
        let labels = cluster.get_mut("metadata").and_then(|it| it.get_mut("labels")).and_then(Value::as_map_mut);
        labels.expect("labels").insert("team", "team-changed");
        request_text(&Load { documents: Some(vec![cluster]), ..Load::default() })
    };
    picked.iter().map(load).collect()
}

/// Another value of the layer for all, up to the new plan. Writing every result would measure the writer, which W4
/// does.
fn default(workspace: &mut Workspace, fleet: &Fleet) -> u64 {
    let load = fleet.documents.last().expect("documents");
    let place = r#""path":"/spec/revisionHistoryLimit","value":"#;
    let changed = load.replace(&format!("{place}3"), &format!("{place}4"));
    assert_ne!(*load, changed);
    let plan = plan_request(None);
    let mut pass = |load: &str| {
        let (answers, cost) = timed(|| [load, &plan].map(|it| workspace.call_text(it)));
        answers.iter().for_each(|it| check(it));
        cost
    };
    let first = pass(&changed);
    // There and back, so that each pass changes something. The way back is cheaper, as nothing then differs from live.
    // A large fleet is disturbed less, and takes long.
    let again = if fleet.live.len() > ONCE { 0 } else { 2 };
    let again = (0..again).map(|_| {
        pass(load);
        pass(&changed)
    });
    again.fold(first, u64::min)
}

/// Half of them cost less: a mean would tell of what else the machine does.
fn middle(mut costs: Vec<u64>) -> u64 {
    costs.sort_unstable();
    costs[costs.len() / 2]
}
