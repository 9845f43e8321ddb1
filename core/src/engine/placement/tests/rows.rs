//! Sets, predicates, taints and groups, row by row.

use super::*;

const EXCLUSIVE: &str = "{}";

#[test]
fn o12_a_cluster_being_deleted_is_left_out() {
    let hub = hub("{}").plain(&["c1"]).document("c2", r#""deletionTimestamp":"2026-01-01T00:00:00Z""#, "{}", "{}");
    let placed = check(hub, &["c1"], "AllDecisionsScheduled");
    assert_eq!(last(&placed, "c2"), ("terminating", "the cluster is being deleted"));
}

#[test]
fn o13_a_set_that_is_gone_holds_nobody() {
    let (placed, found) = hub(r#"{"clusterSets":["gone"]}"#).sets(&[], &["gone"]).plain(&["c1"]).place();
    assert_eq!((chosen(&placed), reasons(&placed)), (vec![], ("NoManagedClusterSetBindings", "")));
    let found: Vec<_> = found.iter().map(|it| (it.severity, it.code, it.message.as_str())).collect();
    assert_eq!(found, [(Severity::Warning, Code::SetNotBound, "the cluster set `gone` does not exist")]);
}

#[test]
fn o20_without_bindings_there_is_nothing_to_choose_from() {
    let hub = hub("{}").sets(&[("dev", EXCLUSIVE)], &[]).plain(&["c1"]);
    let placed = check(hub, &[], "NoManagedClusterSetBindings");
    assert_eq!(last(&placed, "c1"), ("not-in-bound-set", "no cluster set that exists is bound in `team-a`"));
}

#[test]
fn o21_sets_that_are_not_bound_do_not_count() {
    let sets = [("dev", r#"{"selectorType":"LabelSelector","labelSelector":{}}"#), ("qa", EXCLUSIVE)];
    let label = r#"{"cluster.open-cluster-management.io/clusterset":"qa"}"#;
    let hub = hub(r#"{"clusterSets":["dev"]}"#).sets(&sets, &["qa"]).plain(&["c1"]).cluster("c2", label);
    for mode in [Mode::Strict, Mode::Compat] {
        let (placed, found) = hub.place_in(mode);
        assert_eq!((chosen(&placed), reasons(&placed)), (vec![], ("NoIntersection", "")));
        assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::SetNotBound]);
        assert_eq!(last(&placed, "c1").0, "set-not-bound");
        let both: Vec<_> = placed.explained.iter().filter(|it| it.name == "c2").flat_map(|it| &it.steps).collect();
        let codes: Vec<_> = both.iter().map(|it| it.reason.code.as_str()).collect();
        assert_eq!(codes, ["set-not-bound", "set-not-named"]);
    }
}

#[test]
fn o22_sets_without_clusters_are_told() {
    let hub = hub("{}").sets(&[("dev", EXCLUSIVE), ("qa", EXCLUSIVE)], &["dev"]).plain(&["c1"]);
    let placed = check(hub, &[], "AllManagedClusterSetsEmpty");
    let text = "the cluster is in none of the cluster sets that are bound in `team-a`: dev";
    assert_eq!(last(&placed, "c1"), ("not-in-bound-set", text));
}

const AMAZON: &str = r#"{"requiredClusterSelector":{"labelSelector":{"matchLabels":{"cloud":"Amazon"}}}}"#;
const US_EAST: &str = r#"{"requiredClusterSelector":{"claimSelector":{"matchExpressions":[
    {"key":"region","operator":"In","values":["us-east-1"]}]}}}"#;

#[test]
fn o23_predicates_that_match_nobody_leave_one_empty_decision() {
    let hub = hub(&format!(r#"{{"predicates":[{AMAZON}]}}"#)).plain(&["c1"]);
    let placed = check(hub, &[], "NoManagedClusterMatched");
    assert_eq!(placed.decisions.len(), 1);
    assert_eq!(last(&placed, "c1"), ("no-predicate-met", "no predicate holds"));
}

#[test]
fn o24_fewer_clusters_than_wanted_are_all_chosen() {
    let placed =
        check(hub(r#"{"numberOfClusters":4}"#).plain(&["c2", "c1"]), &["c1", "c2"], "NotAllDecisionsScheduled");
    let status = placed.status.expect("a status").to_canonical();
    assert!(status.contains("2 more clusters are wanted than match"), "{status}");
}

#[test]
fn o25_predicates_are_ored_and_conditions_anded() {
    let claim = |value: &str| format!(r#"{{"clusterClaims":[{{"name":"region","value":"{value}"}}]}}"#);
    let hub = hub(&format!(r#"{{"predicates":[{AMAZON},{US_EAST}]}}"#))
        .cluster("c1", r#"{"cloud":"Amazon"}"#)
        .document("c2", r#""labels":{}"#, "{}", &claim("us-east-1"))
        .document("c3", r#""labels":{}"#, "{}", &claim("eu"));
    let placed = check(hub, &["c1", "c2"], "AllDecisionsScheduled");
    let texts = |name: &str| -> Vec<String> {
        let explained = placed.explained.iter().find(|it| it.name == name).expect("the cluster");
        explained
            .steps
            .iter()
            .map(|it| format!("{} {}", it.at.as_ref().map(Pointer::to_string).unwrap_or_default(), it.reason.text))
            .collect()
    };
    let set = " the cluster is in the cluster set `all`, which is bound in `team-a`";
    let label = "/spec/predicates/0/requiredClusterSelector/labelSelector";
    let claim = "/spec/predicates/1/requiredClusterSelector/claimSelector";
    assert_eq!(
        texts("c2"),
        [
            set,
            &format!("{label} `cloud=Amazon` does not hold: the label is absent"),
            &format!("{claim} `region=us-east-1` holds: the claim is `us-east-1`"),
            "/spec/predicates/1/requiredClusterSelector predicate 2 holds, and one is enough",
            " chosen, in decision group 0",
        ]
    );
    assert_eq!(
        texts("c3"),
        [
            set,
            &format!("{label} `cloud=Amazon` does not hold: the label is absent"),
            &format!("{claim} `region=us-east-1` does not hold: the claim is `eu`"),
            "/spec/predicates no predicate holds",
        ]
    );
}

#[test]
fn o25_of_two_claims_with_one_name_the_last_counts() {
    let status = r#"{"clusterClaims":[{"name":"region","value":"eu"},{"name":"region","value":"us-east-1"}]}"#;
    let hub = hub(&format!(r#"{{"predicates":[{US_EAST}]}}"#)).document("c1", r#""labels":{}"#, "{}", status);
    check(hub, &["c1"], "AllDecisionsScheduled");
}

fn expressions(listed: &str) -> String {
    format!(r#"{{"predicates":[{{"requiredClusterSelector":{{"celSelector":{{"celExpressions":[{listed}]}}}}}}]}}"#)
}

#[test]
fn o26_no_expressions_match_everybody() {
    check(hub(&expressions("")).plain(&["c1"]), &["c1"], "AllDecisionsScheduled");
}

#[test]
fn o26_all_expressions_must_hold_and_one_without_an_answer_does_not() {
    let placed = check(hub(&expressions(r#""name:c1""#)).plain(&["c1", "c2"]), &["c1"], "AllDecisionsScheduled");
    let failing = placed.explained.iter().find(|it| it.name == "c2").expect("the cluster");
    assert!(failing.steps.iter().any(|it| it.reason.code == ReasonCode::ExpressionDoesNotHold));
    check(hub(&expressions(r#""name:c1","name:c2""#)).plain(&["c1", "c2"]), &[], "NoManagedClusterMatched");
    let fails = hub(&expressions(r#""fails""#)).plain(&["c1"]);
    let placed = check_found(fails, &[], "NoManagedClusterMatched", &[Code::ExpressionFailed]);
    let step =
        placed.explained.iter().flat_map(|it| &it.steps).find(|it| it.reason.code == ReasonCode::ExpressionFailed);
    let step = step.expect("the expression");
    assert_eq!(step.reason.text, "the expression has no answer for the cluster: no such key");
    let place = "/spec/predicates/0/requiredClusterSelector/celSelector/celExpressions/0";
    assert_eq!(step.at.as_ref().map(Pointer::to_string).as_deref(), Some(place));
}

#[test]
fn o27_an_expression_that_does_not_compile_is_misconfigured() {
    let place = "/spec/predicates/0/requiredClusterSelector/celSelector/celExpressions/1";
    check_misconfigured(hub(&expressions(r#""name:c1","invalid.expression""#)), place);
}

/// The clusters of the groups, and their names and indices in order.
fn groups(placed: &Placed) -> Vec<(&str, i64, Vec<&str>)> {
    let mut groups = Vec::new();
    for Group { name, index, clusters, .. } in &placed.groups {
        groups.push((name.as_str(), *index, clusters.iter().map(Text::as_str).collect()));
    }
    groups
}

fn grouped(strategy: &str) -> Hub {
    hub(&format!(r#"{{"decisionStrategy":{{"groupStrategy":{{{strategy}}}}}}}"#))
}

fn group(name: &str, cloud: &str) -> String {
    format!(
        r#"{{"groupName":"{name}","groupClusterSelector":{{"labelSelector":{{"matchLabels":{{"cloud":"{cloud}"}}}}}}}}"#
    )
}

fn clouds(hub: Hub, clouds: &[(&str, &str)]) -> Hub {
    clouds.iter().fold(hub, |hub, (name, cloud)| hub.cluster(name, &format!(r#"{{"cloud":"{cloud}"}}"#)))
}

#[test]
fn o28_a_declared_group_comes_first_and_is_cut_to_size() {
    let strategy = format!(r#""clustersPerDecisionGroup":"25%","decisionGroups":[{}]"#, group("canary", "Azure"));
    let hub = clouds(grouped(&strategy), &[("c1", "Amazon"), ("c2", "Amazon"), ("c3", "Azure"), ("c4", "Azure")]);
    let placed = check(hub, &["c3", "c4", "c1", "c2"], "AllDecisionsScheduled");
    let want = [("canary", 0, vec!["c3"]), ("canary", 1, vec!["c4"]), ("", 2, vec!["c1"]), ("", 3, vec!["c2"])];
    assert_eq!(groups(&placed), want);
    assert_eq!(last(&placed, "c4").1, "chosen, in decision group 1, `canary`");
}

#[test]
fn o29_a_percentage_is_rounded_up() {
    let hub = grouped(r#""clustersPerDecisionGroup":"25%""#).plain(&["c1", "c2", "c3"]);
    let placed = check(hub, &["c1", "c2", "c3"], "AllDecisionsScheduled");
    assert_eq!(groups(&placed), [("", 0, vec!["c1"]), ("", 1, vec!["c2"]), ("", 2, vec!["c3"])]);
}

#[test]
fn o29_the_original_rounds_seven_percent_of_a_hundred_up_to_eight() {
    let names: Vec<String> = (0..100).map(|it| format!("c{it:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hub = grouped(r#""clustersPerDecisionGroup":"7%""#).plain(&names);
    let sizes = |mode| hub.place_in(mode).0.groups.first().map(|it| it.clusters.len());
    assert_eq!((sizes(Mode::Strict), sizes(Mode::Compat)), (Some(7), Some(8)));
}

#[test]
fn o29_a_size_of_nothing_or_of_more_than_there_is_means_all() {
    for size in ["0", "-1", "9", r#""0%""#, r#""200%""#, "null"] {
        let hub = grouped(&format!(r#""clustersPerDecisionGroup":{size}"#)).plain(&["c1", "c2"]);
        assert_eq!(groups(&check(hub, &["c1", "c2"], "AllDecisionsScheduled")), [("", 0, vec!["c1", "c2"])], "{size}");
    }
    let hub = grouped(r#""clustersPerDecisionGroup":2"#).plain(&["c1", "c2", "c3"]);
    let placed = check(hub, &["c1", "c2", "c3"], "AllDecisionsScheduled");
    assert_eq!(groups(&placed), [("", 0, vec!["c1", "c2"]), ("", 1, vec!["c3"])]);
}

#[test]
fn o30_a_declared_group_that_takes_nobody_vanishes() {
    let hub = clouds(
        grouped(&format!(r#""decisionGroups":[{}]"#, group("canary", "Azure"))),
        &[("c1", "Amazon"), ("c2", "")],
    );
    let placed = check(hub, &["c1", "c2"], "AllDecisionsScheduled");
    assert_eq!(groups(&placed), [("", 0, vec!["c1", "c2"])]);
}

#[test]
fn o31_a_cluster_goes_into_the_first_group_that_takes_it() {
    let all = r#"{"groupName":"group3","groupClusterSelector":{}}"#;
    let strategy = format!(r#""decisionGroups":[{},{},{all}]"#, group("group1", "Amazon"), group("group2", "Azure"));
    let hub = clouds(grouped(&strategy), &[("c3", "Azure"), ("c2", "Amazon"), ("c1", "Amazon")]);
    let placed = check(hub, &["c1", "c2", "c3"], "AllDecisionsScheduled");
    assert_eq!(groups(&placed), [("group1", 0, vec!["c1", "c2"]), ("group2", 1, vec!["c3"])]);
}

#[test]
fn o33_nothing_selected_is_one_empty_group() {
    let placed = check(hub(r#"{"numberOfClusters":0}"#).plain(&["c1"]), &[], "NoManagedClusterMatched");
    assert_eq!(groups(&placed), [("", 0, vec![])]);
    assert_eq!(placed.decisions.len(), 1);
}

const TAINT: &str = r#"{"key":"k","value":"v","effect":"NoSelect"}"#;

fn tolerating(tolerations: &str) -> Hub {
    hub(&format!(r#"{{"tolerations":[{tolerations}]}}"#))
}

#[test]
fn o37_a_taint_keeps_out_unless_a_toleration_is_about_it() {
    for (toleration, holds) in [
        ("", false),
        (r#"{"key":"k","operator":"Equal","value":"v"}"#, true),
        (r#"{"key":"k","value":"v"}"#, true),
        (r#"{"key":"k","operator":"Equal","value":"other"}"#, false),
        (r#"{"key":"k"}"#, false),
        (r#"{"key":"k","operator":"Exists"}"#, true),
        (r#"{"operator":"Exists"}"#, true),
        (r#"{"key":"other","operator":"Exists"}"#, false),
        (r#"{"key":"k","operator":"Exists","effect":"NoSelect"}"#, true),
        (r#"{"key":"k","operator":"Exists","effect":"NoSelectIfNew"}"#, false),
        (r#"{"key":"other","operator":"Exists"},{"key":"k","value":"v"}"#, true),
    ] {
        let hub = tolerating(toleration).tainted("c1", TAINT);
        let placed = match holds {
            true => check(hub, &["c1"], "AllDecisionsScheduled"),
            false => check(hub, &[], "NoManagedClusterMatched"),
        };
        let code = if holds { "chosen" } else { "taint-not-tolerated" };
        assert_eq!(last(&placed, "c1").0, code, "{toleration}");
    }
    let empty = r#"{"key":"k","effect":"NoSelect"}"#;
    check(tolerating(r#"{"key":"k"}"#).tainted("c1", empty), &["c1"], "AllDecisionsScheduled");
    let two = format!(r#"{TAINT},{{"key":"other","effect":"NoSelect"}}"#);
    check(tolerating(r#"{"key":"k","operator":"Exists"}"#).tainted("c1", &two), &[], "NoManagedClusterMatched");
}

#[test]
fn o38_a_toleration_that_says_two_things_is_misconfigured() {
    check_misconfigured(tolerating(r#"{"value":"v"}"#), "/spec/tolerations/0/key");
    check_misconfigured(tolerating(r#"{"operator":"Equal"}"#), "/spec/tolerations/0/key");
    let value = r#"{"key":"k","operator":"Exists"},{"key":"k","operator":"Exists","value":"v"}"#;
    check_misconfigured(tolerating(value), "/spec/tolerations/1/value");
}

#[test]
fn o39_no_select_if_new_spares_who_was_chosen() {
    let taint = r#"{"key":"k","effect":"NoSelectIfNew"}"#;
    check(hub("{}").tainted("c1", taint).prior(1, &["c1"]), &["c1"], "AllDecisionsScheduled");
    check(hub("{}").tainted("c1", taint), &[], "NoManagedClusterMatched");
    check(tolerating(r#"{"key":"k"}"#).tainted("c1", taint), &["c1"], "AllDecisionsScheduled");
}

#[test]
fn o40_prefer_no_select_keeps_nobody_out() {
    let taint = r#"{"key":"k","effect":"PreferNoSelect"}"#;
    check(hub("{}").tainted("c1", taint), &["c1"], "AllDecisionsScheduled");
}

/// A cluster whose taint came five seconds before now, tolerated for so many.
fn tolerated_for(seconds: &str, effect: &str) -> Hub {
    let taint = format!(r#"{{"key":"k","effect":"{effect}","timeAdded":"2025-12-31T23:59:55Z"}}"#);
    tolerating(&format!(r#"{{"key":"k","operator":"Exists","tolerationSeconds":{seconds}}}"#)).tainted("c1", &taint)
}

#[test]
fn o41_a_toleration_lasts_from_when_the_taint_was_added() {
    for effect in ["NoSelect", "NoSelectIfNew"] {
        for over in ["5", "4", "0", "-1"] {
            let placed = check(tolerated_for(over, effect), &[], "NoManagedClusterMatched");
            assert_eq!((last(&placed, "c1").0, placed.recheck), ("toleration-ended", None), "{over}");
        }
        let placed = check(tolerated_for("6", effect), &["c1"], "AllDecisionsScheduled");
        assert_eq!(placed.recheck.map(|it| it.to_string()).as_deref(), Some("2026-01-01T00:00:01Z"));
    }
    let placed = check(tolerated_for("5", "NoSelect"), &[], "NoManagedClusterMatched");
    assert_eq!(last(&placed, "c1").1, "the taint `k:NoSelect` is no longer tolerated since 2026-01-01T00:00:00Z");
}

#[test]
fn o41_the_next_end_is_when_to_look_again() {
    let taint = |time: &str| format!(r#"{{"key":"k","effect":"NoSelect","timeAdded":"{time}"}}"#);
    let hub = tolerating(r#"{"key":"k","operator":"Exists","tolerationSeconds":3600}"#)
        .tainted("c1", &taint("2025-12-31T23:30:00Z"))
        .tainted("c2", &taint("2025-12-31T23:10:00Z"))
        .tainted("c3", &taint("2025-12-31T22:00:00Z"));
    let placed = check(hub, &["c1", "c2"], "AllDecisionsScheduled");
    assert_eq!(placed.recheck.map(|it| it.to_string()).as_deref(), Some("2026-01-01T00:10:00Z"));
}

#[test]
fn o41_the_first_of_two_taints_to_end_counts() {
    let taint = |key: &str| format!(r#"{{"key":"{key}","effect":"NoSelect","timeAdded":"2025-12-31T23:59:55Z"}}"#);
    let lasting =
        |key: &str, seconds| format!(r#"{{"key":"{key}","operator":"Exists","tolerationSeconds":{seconds}}}"#);
    let tolerations = [lasting("a", 10), lasting("b", 20)].join(",");
    for taints in [[taint("a"), taint("b")], [taint("b"), taint("a")]] {
        let hub = tolerating(&tolerations).tainted("c1", &taints.join(","));
        let placed = check(hub, &["c1"], "AllDecisionsScheduled");
        assert_eq!(placed.recheck.map(|it| it.to_string()).as_deref(), Some("2026-01-01T00:00:05Z"));
    }
}

#[test]
fn o41_what_is_tolerated_for_ever_needs_no_second_look() {
    let taint = r#"{"key":"k","effect":"NoSelect","timeAdded":"2025-12-31T23:59:55Z"}"#;
    let both = r#"{"key":"k","operator":"Exists","tolerationSeconds":60},{"key":"k","operator":"Exists"}"#;
    let placed = check(tolerating(both).tainted("c1", taint), &["c1"], "AllDecisionsScheduled");
    assert_eq!(placed.recheck, None);
}

#[test]
fn o41_without_a_time_nothing_is_over() {
    let placed = check(Hub { now: None, ..tolerated_for("1", "NoSelect") }, &["c1"], "AllDecisionsScheduled");
    assert_eq!(placed.recheck.map(|it| it.to_string()).as_deref(), Some("2025-12-31T23:59:56Z"));
}

#[test]
fn o41_a_taint_that_no_hub_has_stamped_has_only_begun() {
    let hub = tolerating(r#"{"key":"k","operator":"Exists","tolerationSeconds":60}"#)
        .tainted("c1", r#"{"key":"k","effect":"NoSelect"}"#);
    assert_eq!(chosen(&hub.place_in(Mode::Strict).0), ["c1"]);
    assert_eq!(chosen(&hub.place_in(Mode::Compat).0), Vec::<&str>::new());
}
