//! What cannot be decided keeps its last decisions.

use super::*;

/// Where the findings are, and how grave.
fn places(found: &[Diagnostic]) -> Vec<(Severity, Code, String)> {
    found
        .iter()
        .map(|it| (it.severity, it.code, it.at.path.as_ref().map(Pointer::to_string).unwrap_or_default()))
        .collect()
}

/// A document that no API server takes: both modes keep the last decisions.
#[track_caller]
fn check_refused(spec: &str, place: &str) {
    let hub = hub(spec).plain(&["c1", "c2"]).prior(1, &["c2"]);
    for mode in [Mode::Strict, Mode::Compat] {
        let (placed, found) = hub.place_in(mode);
        assert_eq!((chosen(&placed), placed.state), (vec!["c2"], DecisionState::Misconfigured), "{mode:?} {found:?}");
        assert_eq!(found.first().and_then(|it| it.at.path.as_ref()).map(Pointer::to_string).as_deref(), Some(place));
        assert_eq!(placed.decisions, hub.prior);
        assert_eq!(placed.status.is_some(), mode == Mode::Strict, "the original never sees it");
        assert_eq!((last(&placed, "c1").0, last(&placed, "c2").0), ("not-decided", "decision-kept"));
    }
}

#[test]
fn what_no_api_server_takes_changes_nothing() {
    for (spec, place) in [
        (r#"[]"#, "/spec"),
        (r#"{"clusterSets":"all"}"#, "/spec/clusterSets"),
        (r#"{"clusterSets":[1]}"#, "/spec/clusterSets/0"),
        (r#"{"numberOfClusters":"2"}"#, "/spec/numberOfClusters"),
        (r#"{"numberOfClusters":-1}"#, "/spec/numberOfClusters"),
        (r#"{"predicates":{}}"#, "/spec/predicates"),
        (r#"{"predicates":[{"selector":{}}]}"#, "/spec/predicates/0/selector"),
        (
            r#"{"predicates":[{"requiredClusterSelector":{"claimSelector":{"matchLabels":{}}}}]}"#,
            "/spec/predicates/0/requiredClusterSelector/claimSelector/matchLabels",
        ),
        (r#"{"tolerations":[{"key":"k","effect":"NoExecute"}]}"#, "/spec/tolerations/0/effect"),
        (r#"{"tolerations":[{"key":"k","tolerationSeconds":"5"}]}"#, "/spec/tolerations/0/tolerationSeconds"),
        (
            r#"{"prioritizerPolicy":{"configurations":[{"scoreCoordinate":{"builtIn":"Steady"},"weight":11}]}}"#,
            "/spec/prioritizerPolicy/configurations/0/weight",
        ),
        (
            r#"{"prioritizerPolicy":{"configurations":[{"scoreCoordinate":{"type":"Other"}}]}}"#,
            "/spec/prioritizerPolicy/configurations/0/scoreCoordinate/type",
        ),
        (
            r#"{"prioritizerPolicy":{"configurations":[{"scoreCoordinate":{"type":"AddOn","addOn":{"resourceName":"r"}}}]}}"#,
            "/spec/prioritizerPolicy/configurations/0/scoreCoordinate/addOn/scoreName",
        ),
        (
            r#"{"decisionStrategy":{"groupStrategy":{"decisionGroups":[{"groupName":"a"}]}}}"#,
            "/spec/decisionStrategy/groupStrategy/decisionGroups/0/groupClusterSelector",
        ),
        (
            r#"{"decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":1.5}}}"#,
            "/spec/decisionStrategy/groupStrategy/clustersPerDecisionGroup",
        ),
    ] {
        check_refused(spec, place);
    }
}

#[test]
fn a_bad_selector_is_misconfigured_at_its_place() {
    let at = "/spec/predicates/0/requiredClusterSelector/labelSelector/matchExpressions/0";
    for (expression, place) in [
        (r#"{"key":"a","operator":"Foo"}"#, "operator"),
        (r#"{"key":"-","operator":"Exists"}"#, "key"),
        (r#"{"key":"a","operator":"In"}"#, "values"),
    ] {
        let spec = format!(
            r#"{{"predicates":[{{"requiredClusterSelector":{{"labelSelector":{{"matchExpressions":[{expression}]}}}}}}]}}"#
        );
        check_misconfigured(hub(&spec), &format!("{at}/{place}"));
    }
}

#[test]
fn every_error_is_reported_and_not_only_the_first() {
    let spec = r#"{"numberOfClusters":-1,"tolerations":[{"value":"v"},{"key":"k","operator":"Exist"}],
        "prioritizerPolicy":{"mode":"Exat"},
        "decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":"5"}}}"#;
    let (placed, found) = hub(spec).plain(&["c1"]).place();
    assert_eq!(placed.state, DecisionState::Misconfigured);
    let bad = |place: &str| (Severity::Error, Code::BadPlacement, place.to_string());
    assert_eq!(
        places(&found),
        [
            bad("/spec/numberOfClusters"),
            bad("/spec/tolerations/0/key"),
            bad("/spec/tolerations/1/operator"),
            bad("/spec/prioritizerPolicy/mode"),
            bad("/spec/decisionStrategy/groupStrategy/clustersPerDecisionGroup"),
            (Severity::Warning, Code::DecisionsKept, String::new()),
        ]
    );
    assert!(found.iter().all(|it| it.at.document.as_deref() == Some("Placement/team-a/web")));
    let hints: Vec<&str> = found.iter().filter_map(|it| it.hint.as_deref()).collect();
    let size = "write a number without quotes, or one like `25%`";
    let first = "correct the document: `/spec/numberOfClusters`: `numberOfClusters` is negative";
    assert_eq!(hints, ["did you mean `Exists`?", "did you mean `Exact`?", size, first]);
}

#[test]
fn ocm_finds_an_error_only_if_there_is_a_cluster() {
    let spec = r#"{"predicates":[{"requiredClusterSelector":{"labelSelector":{"matchLabels":{"a":"b"}}}}],
        "tolerations":[{"value":"v"}]}"#;
    let (placed, found) = hub(spec).plain(&["c1"]).place_in(Mode::Compat);
    assert_eq!((reasons(&placed), found), (("NoManagedClusterMatched", ""), vec![]));
    let (placed, _) = hub(spec).plain(&["c1"]).place_in(Mode::Strict);
    assert_eq!(reasons(&placed), ("NotAllDecisionsScheduled", "Misconfigured"));

    let spec = r#"{"predicates":[{"requiredClusterSelector":{"celSelector":{"celExpressions":["wrong"]}}}]}"#;
    let (placed, found) = hub(spec).place_in(Mode::Compat);
    assert_eq!((reasons(&placed), found), (("AllManagedClusterSetsEmpty", ""), vec![]));
    assert_eq!(reasons(&hub(spec).place().0), ("AllManagedClusterSetsEmpty", "Misconfigured"));
}

#[test]
fn the_original_lets_an_unknown_operator_match_nothing() {
    let hub =
        hub(r#"{"tolerations":[{"key":"k","operator":"In"}]}"#).tainted("c1", r#"{"key":"k","effect":"NoSelect"}"#);
    let (placed, found) = hub.place_in(Mode::Compat);
    assert_eq!((reasons(&placed), found), (("NoManagedClusterMatched", ""), vec![]));
}

#[test]
fn the_original_writes_the_groups_before_one_that_it_cannot_read() {
    let group = |name: &str, operator: &str| {
        format!(
            r#"{{"groupName":"{name}","groupClusterSelector":{{"labelSelector":{{"matchExpressions":[
                {{"key":"ring","operator":"{operator}"}}]}}}}}}"#
        )
    };
    let groups = [group("one", "Exists"), group("two", "Foo"), group("three", "DoesNotExist")].join(",");
    let hub = hub(&format!(r#"{{"decisionStrategy":{{"groupStrategy":{{"decisionGroups":[{groups}]}}}}}}"#))
        .plain(&["c1"])
        .cluster("c2", r#"{"ring":"0"}"#)
        .prior(1, &["c1"]);
    let (placed, _) = hub.place_in(Mode::Compat);
    assert_eq!((chosen(&placed), reasons(&placed)), (vec!["c2"], ("AllDecisionsScheduled", "Misconfigured")));
    let selected = placed.status.as_ref().and_then(|it| it.get("numberOfSelectedClusters")?.as_int());
    assert_eq!(selected, Some(2), "it counts who is in no group too");
    assert_eq!(last(&placed, "c1").0, "chosen");
    let (placed, _) = hub.place_in(Mode::Strict);
    assert_eq!(chosen(&placed), ["c1"]);
}

#[test]
fn the_original_writes_nothing_down_without_a_size_of_groups() {
    let hub = hub(r#"{"decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":"many"}}}"#).plain(&["c1"]);
    let (placed, _) = hub.place_in(Mode::Compat);
    assert_eq!((placed.decisions.len(), reasons(&placed)), (0, ("AllDecisionsScheduled", "Misconfigured")));
}

#[test]
fn a_set_that_cannot_be_read_stops_the_decision_where_it_is_used() {
    let sets =
        [("all", r#"{"selectorType":"LabelSelector","labelSelector":{}}"#), ("bad", r#"{"selectorType":"Foo"}"#)];
    let base = hub("{}").sets(&sets, &["all", "bad"]).plain(&["c1", "c2"]).prior(1, &["c2"]);
    for mode in [Mode::Strict, Mode::Compat] {
        let (placed, found) = base.place_in(mode);
        assert_eq!(
            (placed.state, chosen(&placed), placed.status.is_none()),
            (DecisionState::BrokenSet, vec!["c2"], true)
        );
        assert_eq!(placed.decisions, base.prior);
        assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::DecisionsKept]);
    }
    let misconfigured = Hub { placement: hub(r#"{"tolerations":[{"value":"v"}]}"#).placement, ..base.clone() };
    let codes: Vec<Code> = misconfigured.place().1.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::BadPlacement, Code::DecisionsKept], "a set does not hide what else is wrong");
    let named = Hub { placement: hub(r#"{"clusterSets":["all"]}"#).placement, ..base.clone() };
    check(named, &["c1", "c2"], "AllDecisionsScheduled");
    check(Hub { bound: vec!["all".into()], ..base }, &["c1", "c2"], "AllDecisionsScheduled");
}

#[test]
fn a_binding_that_cannot_be_read_keeps_the_decisions_of_its_namespace() {
    let broken = vec!["ManagedClusterSetBinding/team-a/dev".into()];
    let base = Hub { broken_bindings: broken, ..hub("{}").plain(&["c1", "c2"]).prior(1, &["c2"]) };
    for mode in [Mode::Strict, Mode::Compat] {
        let (placed, found) = base.place_in(mode);
        assert_eq!((placed.state, chosen(&placed)), (DecisionState::BrokenSet, vec!["c2"]));
        assert_eq!(places(&found), [(Severity::Error, Code::DecisionsKept, "/metadata/namespace".to_string())]);
        let why = placed.explained.first().and_then(|it| it.steps.first()).map(|it| it.reason.text.as_str());
        let text = "the cluster was not chosen before, and is not now: the placement is not decided, since \
                    `ManagedClusterSetBinding/team-a/dev` cannot be read";
        assert_eq!(why, Some(text));
    }
}

#[test]
fn a_cluster_that_cannot_be_read_stays_chosen_or_stays_out() {
    let base = hub(r#"{"numberOfClusters":2}"#).plain(&["a1", "a2"]).unreadable("z1").unreadable("z2");
    let base = base.prior(1, &["a1", "z1"]);
    for mode in [Mode::Strict, Mode::Compat] {
        let (placed, found) = base.place_in(mode);
        assert_eq!(chosen(&placed), ["a1", "z1"], "it counts among the wanted ones");
        assert_eq!(places(&found), [(Severity::Warning, Code::DecisionsKept, String::new())]);
        assert_eq!((last(&placed, "z1").0, last(&placed, "z2").0), ("chosen", "not-decided"));
    }
    let (placed, _) = Hub { bound: Vec::new(), ..base }.place();
    assert_eq!(chosen(&placed), [""; 0], "no set is bound, whatever the document says");
}

#[test]
fn a_cluster_that_cannot_be_read_stays_in_its_group() {
    let groups = r#"{"decisionStrategy":{"groupStrategy":{"decisionGroups":[
        {"groupName":"canary","groupClusterSelector":{"labelSelector":{"matchLabels":{"ring":"0"}}}}]}}}"#;
    let mut hub = hub(groups).plain(&["c1"]).unreadable("c2").prior(1, &["c2"]);
    let labels = hub.prior.get_mut(0).and_then(|it| it.get_mut("metadata")?.get_mut("labels")?.as_map_mut());
    labels.expect("labels").insert("cluster.open-cluster-management.io/decision-group-name", "canary");
    let placed = hub.place().0;
    let names: Vec<&str> = placed.groups.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((names, chosen(&placed)), (vec!["canary", ""], vec!["c2", "c1"]));
}

#[test]
fn kept_decisions_are_told_group_by_group() {
    let mut hub = hub(r#"{"tolerations":[{"value":"v"}]}"#).plain(&["c1"]).prior(2, &["c3"]).prior(1, &["c1", "c2"]);
    for (decision, name, index) in [(0, "", "1"), (1, "canary", "0")] {
        let labels = hub.prior.get_mut(decision).and_then(|it| it.get_mut("metadata")?.get_mut("labels")?.as_map_mut());
        let labels = labels.expect("labels");
        labels.insert("cluster.open-cluster-management.io/decision-group-name", name);
        labels.insert("cluster.open-cluster-management.io/decision-group-index", index);
    }
    let (placed, _) = hub.place();
    let status = placed.status.expect("a status");
    let groups = r#"[{"clusterCount":2,"decisionGroupIndex":0,"decisionGroupName":"canary","decisions":["web-decision-1"]},{"clusterCount":1,"decisionGroupIndex":1,"decisionGroupName":"","decisions":["web-decision-2"]}]"#;
    assert_eq!(status.get("decisionGroups").map(Value::to_canonical).as_deref(), Some(groups));
    assert_eq!(status.get("numberOfSelectedClusters"), Some(&Value::from(3i64)));
}

#[test]
fn what_another_scheduler_decides_or_is_being_deleted_is_left_alone() {
    for metadata in [
        r#"{"name":"web","namespace":"team-a","deletionTimestamp":"2026-01-01T00:00:00Z"}"#,
        r#"{"name":"web","namespace":"team-a",
            "annotations":{"cluster.open-cluster-management.io/experimental-scheduling-disable":"true"}}"#,
    ] {
        let mut hub = hub("{}").plain(&["c1", "c2"]).prior(1, &["c2"]);
        hub.placement.as_map_mut().expect("a map").insert("metadata", value(metadata));
        let (placed, found) = hub.place();
        assert_eq!((placed.state, chosen(&placed), found), (DecisionState::NotOurs, vec!["c2"], vec![]));
        assert_eq!((placed.decisions, placed.status), (hub.prior, None));
    }
}

#[test]
fn a_name_that_no_label_can_hold_is_misconfigured() {
    let mut hub = hub("{}").plain(&["c1"]);
    let metadata = format!(r#"{{"name":"{}","namespace":"team-a"}}"#, "w".repeat(64));
    hub.placement.as_map_mut().expect("a map").insert("metadata", value(&metadata));
    let (placed, found) = hub.place();
    assert_eq!(placed.state, DecisionState::Misconfigured);
    assert_eq!(places(&found).first().map(|it| it.2.as_str()), Some("/metadata/name"));
}

#[test]
fn fields_that_nobody_reads_are_told_and_harm_nothing() {
    let spec = r#"{"owner":"team-a","spreadPolicy":{"spreadConstraints":[{"topologyKey":"a"}]},"sortBy":"Score",
        "scoreRateLimit":"5m","tolerations":[{"key":"k","note":5}]}"#;
    let (placed, found) = hub(spec).plain(&["c1"]).place();
    assert_eq!(chosen(&placed), ["c1"]);
    let warning = |code, place: &str| (Severity::Warning, code, place.to_string());
    assert_eq!(
        places(&found),
        [
            warning(Code::UnknownField, "/spec/owner"),
            warning(Code::IgnoredField, "/spec/spreadPolicy"),
            warning(Code::IgnoredField, "/spec/sortBy"),
            warning(Code::UnknownField, "/spec/tolerations/0/note"),
        ]
    );
}
