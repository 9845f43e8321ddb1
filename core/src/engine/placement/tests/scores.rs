//! Scores and ranks, row by row.

use super::*;

fn memory(hub: Hub, clusters: &[(&str, &str)]) -> Hub {
    clusters.iter().fold(hub, |hub, (name, memory)| {
        let status = format!(r#"{{"allocatable":{{"memory":"{memory}"}},"capacity":{{"memory":"100Gi"}}}}"#);
        hub.document(name, r#""labels":{}"#, "{}", &status)
    })
}

fn demo(cluster: &str, score: i64) -> Value {
    value(&format!(
        r#"{{"kind":"AddOnPlacementScore","metadata":{{"name":"demo","namespace":"{cluster}"}},
            "status":{{"scores":[{{"name":"other","value":7}},{{"name":"demo","value":{score}}}],
            "validUntil":"2026-01-01T00:00:00Z"}}}}"#
    ))
}

fn policy(mode: &str, configurations: &str) -> String {
    format!(r#"{{"numberOfClusters":2,"prioritizerPolicy":{{"mode":"{mode}","configurations":[{configurations}]}}}}"#)
}

fn built_in(name: &str, weight: i64) -> String {
    format!(r#"{{"scoreCoordinate":{{"type":"BuiltIn","builtIn":"{name}"}},"weight":{weight}}}"#)
}

const DEMO: &str = r#"{"scoreCoordinate":{"type":"AddOn","addOn":{"resourceName":"demo","scoreName":"demo"}}}"#;

/// What the rank of each cluster says.
fn ranks(placed: &Placed) -> Vec<String> {
    let ranked = |it: &Explained| {
        let step = it.steps.iter().find(|it| it.reason.text.starts_with("ranked"))?;
        Some(format!("{}: {}", it.name, step.reason.text))
    };
    placed.explained.iter().filter_map(ranked).collect()
}

fn three(spec: &str) -> Hub {
    let mut hub = memory(hub(spec), &[("c1", "100"), ("c2", "50"), ("c3", "0")]);
    hub.scores = vec![demo("c1", 30), demo("c2", 40), demo("c3", 50)];
    hub
}

#[test]
fn o34_scores_add_up_to_the_defaults() {
    let listed = [built_in("Balance", 3), built_in("ResourceAllocatableMemory", 1), DEMO.into()].join(",");
    let placed = check(three(&policy("Additive", &listed)), &["c1", "c2"], "AllDecisionsScheduled");
    assert_eq!(
        ranks(&placed),
        [
            "c1: ranked 1st, 2 are wanted, score 430: Steady 1 × 0, Balance 3 × 100, \
             ResourceAllocatableMemory 1 × 100, AddOn/demo/demo 1 × 30",
            "c2: ranked 2nd, 2 are wanted, score 340: Steady 1 × 0, Balance 3 × 100, \
             ResourceAllocatableMemory 1 × 0, AddOn/demo/demo 1 × 40",
            "c3: ranked 3rd, 2 are wanted, score 250: Steady 1 × 0, Balance 3 × 100, \
             ResourceAllocatableMemory 1 × -100, AddOn/demo/demo 1 × 50",
        ]
    );
    assert_eq!(last(&placed, "c3").0, "ranked-out");
}

#[test]
fn o34_the_same_score_named_twice_counts_once_but_for_an_add_on_in_the_original() {
    let twice = [built_in("Steady", 0), built_in("Balance", 5), built_in("Balance", -1), DEMO.into(), DEMO.into()];
    let hub = three(&policy("", &twice.join(",")));
    let rank = |mode| ranks(&hub.place_in(mode).0).first().cloned().unwrap_or_default();
    assert_eq!(rank(Mode::Strict), "c1: ranked 3rd, 2 are wanted, score -70: Balance -1 × 100, AddOn/demo/demo 1 × 30");
    let text =
        "c1: ranked 3rd, 2 are wanted, score -40: Balance -1 × 100, AddOn/demo/demo 1 × 30, AddOn/demo/demo 1 × 30";
    assert_eq!(rank(Mode::Compat), text);
}

#[test]
fn o35_exact_counts_what_is_listed_and_nothing_else() {
    let listed = [built_in("Balance", 3), built_in("ResourceAllocatableMemory", 1)].join(",");
    let placed = check(three(&policy("Exact", &listed)), &["c1", "c2"], "AllDecisionsScheduled");
    let want = "c2: ranked 2nd, 2 are wanted, score 300: Balance 3 × 100, ResourceAllocatableMemory 1 × 0";
    assert_eq!(ranks(&placed).get(1).map(String::as_str), Some(want));
    let placed = check(hub(&policy("Exact", "")).plain(&["b", "c", "a"]), &["a", "b"], "AllDecisionsScheduled");
    assert_eq!(last(&placed, "c").1, "ranked 3rd, 2 are wanted, score 0");
}

#[test]
fn o36_what_nobody_scores_by_is_misconfigured() {
    let at = "/spec/prioritizerPolicy";
    let policy = |mode: &str, listed: &str| hub(&policy(mode, listed));
    check_misconfigured(policy("Foo", ""), &format!("{at}/mode"));
    let entry = format!("{at}/configurations/0/scoreCoordinate");
    check_misconfigured(policy("", &built_in("Foo", 1)), &format!("{entry}/builtIn"));
    check_misconfigured(policy("", &built_in("Spread", 1)), &format!("{entry}/builtIn"));
    check_misconfigured(policy("", r#"{"scoreCoordinate":{"type":"AddOn"}}"#), &format!("{entry}/addOn"));
    check_misconfigured(policy("", r#"{"weight":1}"#), &entry);
    check(policy("", &built_in("Foo", 0)).plain(&["c1", "c2"]), &["c1", "c2"], "AllDecisionsScheduled");
}

#[test]
fn o42_steady_keeps_who_was_chosen() {
    let hub = hub(r#"{"numberOfClusters":1}"#).plain(&["c1", "c2"]).prior(1, &["c2"]);
    let placed = check(hub, &["c2"], "AllDecisionsScheduled");
    assert_eq!(
        ranks(&placed),
        [
            "c1: ranked 2nd, 1 is wanted, score 100: Balance 1 × 100, Steady 1 × 0",
            "c2: ranked 1st, 1 is wanted, score 200: Balance 1 × 100, Steady 1 × 100",
        ]
    );
}

#[test]
fn o42_balance_takes_who_is_used_least() {
    let mut hub = hub(&policy("Exact", &built_in("Balance", 1))).plain(&["c1", "c2", "c3", "c4"]);
    // The most used one need not be a candidate.
    let used = [("c1", 1), ("c2", 2), ("c3", 3), ("elsewhere", 3)];
    hub.used = used.into_iter().map(|(name, used)| (name.into(), used)).collect();
    let placed = check(hub, &["c1", "c4"], "AllDecisionsScheduled");
    assert_eq!(
        ranks(&placed),
        [
            "c1: ranked 2nd, 2 are wanted, score 32: Balance 1 × 32",
            "c2: ranked 3rd, 2 are wanted, score -32: Balance 1 × -32",
            "c3: ranked 4th, 2 are wanted, score -100: Balance 1 × -100",
            "c4: ranked 1st, 2 are wanted, score 100: Balance 1 × 100",
        ]
    );
}

#[test]
fn a_resource_is_compared_in_any_spelling_and_counts_only_beside_its_capacity() {
    let spec = policy("Exact", &built_in("ResourceAllocatableMemory", 1));
    let hub = memory(hub(&spec), &[("c1", "1Gi"), ("c2", "2048Mi"), ("c3", "1610612736")]);
    let hub = hub.document("c4", r#""labels":{}"#, "{}", r#"{"allocatable":{"memory":"9Gi"}}"#);
    let placed = check(hub, &["c2", "c3"], "AllDecisionsScheduled");
    let scores: Vec<String> = ranks(&placed).iter().filter_map(|it| Some(it.rsplit_once("× ")?.1.into())).collect();
    assert_eq!(scores, ["-100", "100", "0", "0"]);
}

#[test]
fn clusters_that_have_the_same_to_give_all_score_the_most() {
    let spec = policy("Exact", &built_in("ResourceAllocatableMemory", 1));
    let placed = check(memory(hub(&spec), &[("c1", "1Gi"), ("c2", "1024Mi")]), &["c1", "c2"], "AllDecisionsScheduled");
    assert_eq!(
        ranks(&placed).first().map(String::as_str),
        Some("c1: ranked 1st, 2 are wanted, score 100: ResourceAllocatableMemory 1 × 100")
    );
}

#[test]
fn the_score_of_an_add_on_counts_until_it_is_no_longer_valid() {
    let hub = Hub { now: Some("2026-01-01T00:00:01Z"), ..three(&policy("Exact", DEMO)) };
    let (placed, found) = hub.place();
    assert_eq!(chosen(&placed), ["c1", "c2"], "all score 0, and names decide");
    let found: Vec<_> = found.iter().map(|it| (it.severity, it.code, it.message.as_str())).collect();
    let text = "the scores `AddOn/demo/demo` of 3 clusters, `c1` first, are no longer valid and count as 0";
    assert_eq!(found, [(Severity::Warning, Code::ExpiredScore, text)]);
    let valid = Hub { now: Some(NOW), ..hub };
    assert_eq!(chosen(&valid.place().0), ["c2", "c3"]);
}
