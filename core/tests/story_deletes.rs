//! Mistakes that would delete much, little by little or at once: what passes, and what is held.

mod fleet;

use fleet::{Fleet, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest, RecentDeleteInput};
use fleetfold_core::object::Timestamp;

const CLUSTERS: usize = 20;

fn cluster(index: usize, env: &str) -> Value {
    value(&format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster",
            "metadata":{{"name":"c{index}","namespace":"acme","labels":{{"env":"{env}"}}}}}}"#
    ))
}

/// A preset with a Plugin in each of its clusters.
fn settled() -> Fleet {
    let mut fleet = Fleet::default();
    fleet.load_documents((0..CLUSTERS).map(|index| cluster(index, "prod")).chain([
        value(
            r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginDefinition",
                "metadata":{"name":"m","namespace":"acme"},"spec":{"version":"1.0.0"}}"#,
        ),
        value(
            r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginPreset",
                "metadata":{"name":"m","namespace":"acme","uid":"p"},
                "spec":{"clusterSelector":{"matchLabels":{"env":"prod"}},
                    "plugin":{"pluginDefinitionRef":{"kind":"PluginDefinition","name":"m"},"releaseNamespace":"m"}}}"#,
        ),
    ]));
    let plan = fleet.plan();
    assert_eq!(plan.actions.len(), CLUSTERS);
    fleet.apply(&plan);
    fleet
}

fn plugins(fleet: &Fleet) -> usize {
    fleet.names("").iter().filter(|it| it.starts_with("Plugin/")).count()
}

/// Plans at a time as a runner does, which records what its actions take.
fn reconcile(fleet: &mut Fleet, at: &Timestamp, recent: &mut Vec<RecentDeleteInput>) -> PlanAnswer {
    let plan = fleet.call(PlanRequest {
        now: Some(at.to_string().into()),
        recent_deletes: Some(recent.clone()),
        reveal: Some(true),
        ..PlanRequest::default()
    });
    assert!(plan.needs.is_empty(), "{:?}", plan.needs);
    for taken in plan.actions.iter().filter_map(|it| it.takes.as_ref()) {
        let at = Some(at.to_string().into());
        recent.push(RecentDeleteInput { at, objects: Some(taken.objects), clusters: Some(taken.clusters) });
    }
    fleet.apply(&plan);
    plan
}

/// Takes one cluster after the other out of the selection, a reconcile each, so many minutes apart.
fn drain(fleet: &mut Fleet, minutes: i64) -> usize {
    let (start, mut recent) = (Timestamp::parse(fleet::NOW).unwrap(), Vec::new());
    for index in 0..CLUSTERS - 1 {
        fleet.load_documents([cluster(index, "dev")]);
        let at = start.plus(i64::try_from(index).unwrap() * minutes * 60).unwrap();
        reconcile(fleet, &at, &mut recent);
    }
    plugins(fleet)
}

#[test]
fn twenty_small_plans_delete_no_more_than_one_large_plan() {
    let mut fleet = settled();
    // Ten percent of twenty are two; what is held then waits for the window, and is too much by then.
    assert_eq!(drain(&mut fleet, 1), CLUSTERS - 2);
    let held = fleet.plan().held;
    assert_eq!(held.len(), CLUSTERS - 3);
}

#[test]
fn without_a_window_each_plan_counts_by_itself() {
    let mut fleet = settled();
    let limits = LimitsInput { window_seconds: Some(0), ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    assert_eq!(drain(&mut fleet, 1), 1);
}

#[test]
fn deletes_that_are_an_hour_apart_pass() {
    let mut fleet = settled();
    assert_eq!(drain(&mut fleet, 60), 1);
}

#[test]
fn a_plan_of_several_deletes_is_not_held_halfway() {
    let mut fleet = settled();
    fleet.load_documents([cluster(0, "dev"), cluster(1, "dev")]);
    let (start, mut recent) = (Timestamp::parse(fleet::NOW).unwrap(), Vec::new());
    let mut plan = fleet.plan();
    assert_eq!((plan.actions.len(), plan.held.len()), (2, 0));
    // One delete is done and recorded; the other one still passes.
    plan.actions.truncate(1);
    plan.status.clear();
    fleet.apply(&plan);
    recent.push(RecentDeleteInput { at: Some(fleet::NOW.into()), objects: Some(1), clusters: None });
    let plan = reconcile(&mut fleet, &start, &mut recent);
    assert_eq!((plan.actions.len(), plan.held.len()), (1, 0));
}

#[test]
fn held_deletes_do_not_change_the_digest() {
    let mut fleet = settled();
    fleet.load_documents([cluster(0, "dev")]);
    let alone = fleet.plan();
    let recent = vec![RecentDeleteInput { objects: Some(5), ..RecentDeleteInput::default() }];
    let now = Some(fleet::NOW.into());
    let later = fleet.call(PlanRequest { now, recent_deletes: Some(recent), ..PlanRequest::default() });
    assert_eq!((alone.actions.len(), later.actions.len(), later.held.len()), (1, 0, 1));
    assert_eq!(alone.digest, later.digest);
}
