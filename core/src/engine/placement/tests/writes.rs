//! What is written down: PlacementDecisions, and the status of the Placement.

use super::*;

#[test]
fn o32_a_hundred_clusters_go_into_one_decision() {
    let names: Vec<String> = (0..101).map(|it| format!("c{it:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let placed = check(hub("{}").plain(&names), &names, "AllDecisionsScheduled");
    let decisions: Vec<_> = placed
        .decisions
        .iter()
        .map(|it| {
            let label = |key: &str| it.text_at(&["metadata", "labels", key]);
            let index = label("cluster.open-cluster-management.io/decision-group-index");
            (it.text_at(&["metadata", "name"]), index, listed(it).count())
        })
        .collect();
    assert_eq!(decisions, [("web-decision-1", "0", 100), ("web-decision-2", "0", 1)]);
}

#[test]
fn a_decision_says_whose_it_is_and_in_which_group() {
    let mut hub = hub(r#"{"decisionStrategy":{"groupStrategy":{"decisionGroups":[
            {"groupName":"canary","groupClusterSelector":{"labelSelector":{"matchLabels":{"ring":"0"}}}}]}}}"#)
    .plain(&["c1"])
    .cluster("c2", r#"{"ring":"0"}"#);
    hub.placement.get_mut("metadata").and_then(Value::as_map_mut).expect("metadata").insert("uid", "u-1");
    let placed = check(hub.clone(), &["c2", "c1"], "AllDecisionsScheduled");
    let want = value(
        r#"{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"PlacementDecision",
            "metadata":{"name":"web-decision-1","namespace":"team-a",
                "labels":{"cluster.open-cluster-management.io/placement":"web",
                    "cluster.open-cluster-management.io/decision-group-name":"canary",
                    "cluster.open-cluster-management.io/decision-group-index":"0"},
                "ownerReferences":[{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"Placement",
                    "name":"web","uid":"u-1","controller":true,"blockOwnerDeletion":true}]},
            "status":{"decisions":[{"clusterName":"c2","reason":""}]}}"#,
    );
    assert_eq!(placed.decisions.first(), Some(&want));
    let rest = placed.decisions.get(1).expect("the rest");
    assert_eq!(rest.text_at(&["metadata", "name"]), "web-decision-2");
    let name = rest.at(&["metadata", "labels", "cluster.open-cluster-management.io/decision-group-name"]);
    assert_eq!(name, Some(&Value::from("")), "a group without a name has the label all the same");

    hub.placement.get_mut("metadata").and_then(Value::as_map_mut).expect("metadata").remove("uid");
    let (placed, _) = hub.place();
    assert!(placed.decisions.iter().all(|it| it.at(&["metadata", "ownerReferences"]).is_none()));
}

#[test]
fn the_status_lists_the_groups_and_both_conditions() {
    let hub = hub(r#"{"decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":1}}}"#).plain(&["c1", "c2"]);
    let placed = check(hub, &["c1", "c2"], "AllDecisionsScheduled");
    let want = value(
        r#"{"numberOfSelectedClusters":2,
            "decisionGroups":[
                {"decisionGroupIndex":0,"decisionGroupName":"","decisions":["web-decision-1"],"clusterCount":1},
                {"decisionGroupIndex":1,"decisionGroupName":"","decisions":["web-decision-2"],"clusterCount":1}],
            "conditions":[
                {"type":"PlacementMisconfigured","status":"False","reason":"Succeedconfigured",
                    "message":"the placement can be decided","lastTransitionTime":"2026-01-01T00:00:00Z"},
                {"type":"PlacementSatisfied","status":"True","reason":"AllDecisionsScheduled",
                    "message":"every wanted cluster is chosen","lastTransitionTime":"2026-01-01T00:00:00Z"}]}"#,
    );
    assert_eq!(placed.status.as_ref().map(Value::to_canonical), Some(want.to_canonical()));
}

#[test]
fn a_condition_keeps_its_time_until_it_turns() {
    let first = hub("{}").plain(&["c1"]);
    let status = first.place().0.status.expect("a status");
    let mut hub = Hub { now: Some("2026-02-02T00:00:00Z"), ..first };
    hub.placement.as_map_mut().expect("a map").insert("status", status.clone());
    assert_eq!(hub.place().0.status, Some(status), "deciding again changes nothing");
    hub.clusters.clear();
    let status = hub.place().0.status.expect("a status").to_canonical();
    for part in
        ["2026-01-01T00:00:00Z\",\"message\":\"the placement can", "2026-02-02T00:00:00Z\",\"message\":\"no cluster"]
    {
        assert!(status.contains(part), "{status}");
    }
}

#[test]
fn what_others_wrote_into_the_status_stays() {
    let mut hub = hub("{}").plain(&["c1"]);
    let status = r#"{"lastScoreUpdateTime":"2020-01-01T00:00:00Z","conditions":[{"type":"Ours","status":"True"}]}"#;
    hub.placement.as_map_mut().expect("a map").insert("status", value(status));
    let status = hub.place().0.status.expect("a status");
    assert_eq!(status.text_at(&["lastScoreUpdateTime"]), "2020-01-01T00:00:00Z");
    let kinds: Vec<&str> = status
        .get("conditions")
        .and_then(Value::as_list)
        .into_iter()
        .flatten()
        .map(|it| it.text_at(&["type"]))
        .collect();
    assert_eq!(kinds, ["Ours", "PlacementMisconfigured", "PlacementSatisfied"]);
}

#[test]
fn the_order_of_what_is_given_does_not_matter() {
    let mut hub = hub(r#"{"numberOfClusters":2}"#).plain(&["c3", "c1", "c2"]).prior(1, &["c3"]).prior(2, &["c2"]);
    let (first, _) = hub.place();
    hub.clusters.reverse();
    hub.prior.reverse();
    assert_eq!(hub.place().0, first);
    assert_eq!(chosen(&first), ["c2", "c3"]);
}

#[test]
fn reasons_are_written_for_whom_they_are_wanted() {
    let hub = hub("{}").plain(&["c1", "c2"]);
    let sets = cluster_set::read(&hub.sets, Stage::Full, Mode::Strict, &mut Vec::new());
    let clusters: Vec<&Value> = hub.clusters.iter().collect();
    for (why, want) in [(Why::Nobody, vec![]), (Why::One("c2"), vec!["c2"]), (Why::All, vec!["c1", "c2"])] {
        let question = Question {
            broken_bindings: &[],
            unreadable: &SortedMap::new(),
            placement: &hub.placement,
            clusters: &clusters,
            sets: &sets,
            broken_sets: &[],
            bound: &hub.bound,
            prior: &[],
            scores: &[],
            used: &hub.used,
            now: None,
            mode: Mode::Strict,
            why,
            sharing: Sharing::ALONE,
            compile: &compile,
        };
        let placed = place(&question, &mut Vec::new());
        assert_eq!(placed.explained.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), want);
        assert_eq!(chosen(&placed), ["c1", "c2"]);
    }
}
