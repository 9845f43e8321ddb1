use super::*;

fn set(name: &str, selector: &str) -> Value {
    let text = format!(
        r#"{{"apiVersion":"{GROUP}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"{name}"}},"spec":{{"clusterSelector":{selector}}}}}"#
    );
    crate::value::json::parse(&text).expect("a test writes JSON")
}

fn labels(labels: &[(&str, &str)]) -> Labels {
    labels.iter().copied().collect()
}

#[track_caller]
fn check(set: &Value, mode: Mode, cluster: &[(&str, &str)], want: bool) {
    let set = ClusterSet::parse(set, Stage::Full, mode, &JsonPath::ROOT).expect("a set");
    assert_eq!(set.accepts(&labels(cluster)), want);
    let cluster = crate::engine::select::Cluster { labels: labels(cluster), ..Default::default() };
    assert_eq!(
        crate::engine::select::selects(&set.selector(), &cluster),
        want,
        "the selector of the set agrees with it"
    );
}

#[track_caller]
fn refuse(set: &Value, stage: Stage, mode: Mode, place: &str) {
    let error = ClusterSet::parse(set, stage, mode, &JsonPath::ROOT).expect_err("not a set");
    assert_eq!(error.pointer().to_string(), place, "{}", error.message);
}

#[test]
fn three_words_mean_the_clusterset_label() {
    for selector in
        ["null", "{}", r#"{"selectorType":"ExclusiveClusterSetLabel"}"#, r#"{"selectorType":"LegacyClusterSetLabel"}"#]
    {
        check(&set("dev", selector), Mode::Strict, &[(CLUSTERSET, "dev")], true);
        check(&set("dev", selector), Mode::Strict, &[(CLUSTERSET, "qa")], false);
        check(&set("dev", selector), Mode::Strict, &[], false);
    }
}

#[test]
fn a_label_selector_left_out_is_not_an_empty_one() {
    for mode in [Mode::Strict, Mode::Compat] {
        check(&set("s", r#"{"selectorType":"LabelSelector"}"#), mode, &[], false);
        check(&set("s", r#"{"selectorType":"LabelSelector","labelSelector":null}"#), mode, &[], false);
        check(&set("s", r#"{"selectorType":"LabelSelector","labelSelector":{}}"#), mode, &[], true);
    }
}

#[test]
fn the_transitional_stage_knows_one_label() {
    let exclusive = |key: &str, value: &str| {
        set(
            "dev",
            &format!(r#"{{"selectorType":"ExclusiveLabel","exclusiveLabel":{{"key":"{key}","value":"{value}"}}}}"#),
        )
    };
    for (key, value) in [("", ""), (CLUSTERSET, ""), ("", "dev"), (CLUSTERSET, "dev")] {
        assert!(ClusterSet::parse(&exclusive(key, value), Stage::Transitional, Mode::Strict, &JsonPath::ROOT).is_ok());
        check(&exclusive(key, value), Mode::Strict, &[(CLUSTERSET, "dev")], true);
    }
    let (transitional, strict) = (Stage::Transitional, Mode::Strict);
    refuse(&exclusive("other", "dev"), transitional, strict, "/spec/clusterSelector/exclusiveLabel/key");
    refuse(&exclusive("", "qa"), transitional, strict, "/spec/clusterSelector/exclusiveLabel/value");
    let by_labels = set("dev", r#"{"selectorType":"LabelSelector"}"#);
    refuse(&by_labels, transitional, strict, "/spec/clusterSelector/selectorType");
    assert!(ClusterSet::parse(&by_labels, transitional, Mode::Compat, &JsonPath::ROOT).is_ok(), "OCM shipped it");
}

#[test]
fn a_set_that_says_something_else_is_refused_at_its_place() {
    let strict = |set: &Value, place: &str| refuse(set, Stage::Full, Mode::Strict, place);
    strict(&set("", "{}"), "/metadata/name");
    strict(&set("s", "[]"), "/spec/clusterSelector");
    strict(&set("s", r#"{"selectorType":1}"#), "/spec/clusterSelector/selectorType");
    strict(&set("s", r#"{"selectorType":"Exclusive"}"#), "/spec/clusterSelector/selectorType");
    strict(
        &set("s", r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":[]}"#),
        "/spec/clusterSelector/exclusiveLabel",
    );
    strict(
        &set("s", r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"a b","value":"c"}}"#),
        "/spec/clusterSelector/exclusiveLabel",
    );
    strict(
        &set("s", r#"{"selectorType":"LabelSelector","labelSelector":{"matchLabels":{"a":true}}}"#),
        "/spec/clusterSelector/labelSelector/matchLabels/a",
    );
    let compat = r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"k","value":"v"}}"#;
    refuse(&set("s", compat), Stage::Full, Mode::Compat, "/spec/clusterSelector/selectorType");
}

#[test]
fn one_bad_set_does_not_hide_the_others() {
    let documents = [
        set("good", r#"{"selectorType":"LabelSelector","labelSelector":{}}"#),
        set("bad", r#"{"selectorType":"?"}"#),
        set("x", r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"k","value":"v"}}"#),
        set("y", r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"k","value":"v"}}"#),
        set("z", r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"k","value":"w"}}"#),
    ];
    for turn in 0..documents.len() {
        let mut turned = documents.clone();
        turned.rotate_left(turn);
        let mut out = Vec::new();
        let sets = read(&turned, Stage::Full, Mode::Strict, &mut out);
        assert_eq!(sets.iter().map(|it| it.name().as_str()).collect::<Vec<_>>(), ["good", "z"]);
        assert_eq!(out.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::BadClusterSet, Code::SharedExclusiveLabel]);
        let names =
            |cluster| sets_of(&labels(cluster), &sets).into_iter().map(|it| it.name().to_string()).collect::<Vec<_>>();
        assert_eq!(names(&[("k", "v")]), ["good"]);
        assert_eq!(names(&[("k", "w")]), ["good", "z"]);
    }
}
