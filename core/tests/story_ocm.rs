//! The stories of seed 001, from documents to answers, and what a hub sees of placements.

mod fleet;

use fleet::{Fleet, NOW, actions, list, value};
use fleetfold_core::Value;

const GROUP: &str = "cluster.open-cluster-management.io";
const AGENTS: &str = "system:open-cluster-management:agents";

/// The clusters that a subject gives, group by group.
#[track_caller]
fn clusters(fleet: &mut Fleet, subject: &str) -> Vec<String> {
    let answer = fleet.call(&format!(r#"{{"op":"effective","subject":"{subject}"}}"#));
    list(&answer, "results").iter().map(|it| it.get("clusters").unwrap().to_canonical()).collect()
}

/// The code of the last reason for or against a cluster, and whether it is picked.
#[track_caller]
fn why(fleet: &mut Fleet, subject: &str, cluster: &str) -> (bool, String) {
    let answer = fleet.call(&format!(r#"{{"op":"explain","subject":"{subject}","cluster":"{cluster}"}}"#));
    let reasons = list(&answer, "reasons");
    let last = reasons.last().unwrap_or_else(|| panic!("no reason: {}", answer.to_canonical()));
    (answer.get("selected").unwrap().as_bool().unwrap(), last.text_at(&["code"]).to_string())
}

/// Whether a member of a group may set a label, and which sets that joins and leaves.
#[track_caller]
fn may(fleet: &mut Fleet, group: &str, cluster: &str, label: &str) -> (bool, String, String) {
    let answer = fleet.call(&format!(
        r#"{{"op":"explain","user":{{"name":"u","groups":["{group}"]}},"cluster":"{cluster}","labels":{{{label}}}}}"#
    ));
    let sets = |key: &str| answer.get(key).unwrap().to_canonical();
    (answer.get("allowed").unwrap().as_bool().unwrap(), sets("joins"), sets("leaves"))
}

/// Puts a label on a cluster, as its agent would.
fn label(fleet: &mut Fleet, cluster: &str, key: &str, value: &str) {
    fleet.load(
        "label.yaml",
        &format!(
            "apiVersion: {GROUP}/v1\nkind: ManagedCluster\nmetadata: {{name: {cluster}, labels: {{{key}: \"{value}\"}}}}\n\
             spec: {{hubAcceptsClient: true}}\n"
        ),
    );
}

/// The findings of `lint` with a code: file, line and path of each.
fn findings(fleet: &mut Fleet, code: &str) -> Vec<String> {
    let answer = fleet.ask(value(r#"{"op":"lint"}"#));
    let found = list(&answer, "diagnostics");
    let found = found.iter().filter(|it| it.text_at(&["code"]) == code);
    let place = |it: &Value| {
        let line = it.at(&["at", "line"]).and_then(Value::as_int).unwrap_or(0);
        format!("{}:{line} {}", it.text_at(&["at", "file"]), it.text_at(&["at", "path"]))
    };
    found.map(place).collect()
}

fn configure_stage(fleet: &mut Fleet, stage: &str) {
    fleet.call(&format!(r#"{{"op":"configure","stage":"{stage}"}}"#));
}

/// Why a subject gives nothing.
fn refused(fleet: &mut Fleet, subject: &str) -> String {
    let answer = fleet.ask(value(&format!(r#"{{"op":"effective","subject":"{subject}"}}"#)));
    answer.text_at(&["error", "code"]).to_string()
}

// Example 1: all clusters of a region.

#[test]
fn a_cluster_is_in_the_set_of_its_region_once_its_agent_has_said_so() {
    let mut fleet = Fleet::example("stories/001-apac");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/apacset"), [r#"["tokyo"]"#]);
    assert_eq!(why(&mut fleet, "ManagedClusterSet/apacset", "osaka"), (false, "requirement-not-met".into()));

    let region = r#""info.open-cluster-management.io/region":"apac""#;
    assert_eq!(may(&mut fleet, AGENTS, "osaka", region), (true, r#"["apacset"]"#.into(), "[]".into()));
    label(&mut fleet, "osaka", "info.open-cluster-management.io/region", "apac");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/apacset"), [r#"["osaka","tokyo"]"#]);
    assert_eq!(why(&mut fleet, "ManagedClusterSet/apacset", "osaka"), (true, "requirement-met".into()));
}

#[test]
fn who_is_no_agent_may_not_say_where_a_cluster_is() {
    let mut fleet = Fleet::example("stories/001-apac");
    let region = r#""info.open-cluster-management.io/region":"apac""#;
    assert_eq!(may(&mut fleet, "visitors", "osaka", region), (false, r#"["apacset"]"#.into(), "[]".into()));
    let off = r#""info.open-cluster-management.io/region":null"#;
    assert_eq!(may(&mut fleet, "visitors", "tokyo", off), (false, "[]".into(), r#"["apacset"]"#.into()));
    assert_eq!(may(&mut fleet, AGENTS, "tokyo", off), (true, "[]".into(), r#"["apacset"]"#.into()));
}

#[test]
fn at_the_transitional_stage_there_is_no_set_by_region() {
    let mut fleet = Fleet::example("stories/001-apac");
    configure_stage(&mut fleet, "transitional");
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/apacset"), "bad-cluster-set");
    let plan = fleet.plan();
    assert!(list(&plan, "status").is_empty(), "what cannot be read keeps its status: {}", plan.to_canonical());
    // The permission for labels holds at both stages.
    let region = r#""info.open-cluster-management.io/region":"apac""#;
    assert_eq!(may(&mut fleet, AGENTS, "osaka", region), (true, "[]".into(), "[]".into()));
}

#[test]
fn what_if_a_cluster_gets_its_label() {
    let mut fleet = Fleet::example("stories/001-apac");
    let answer = fleet.call(&format!(
        r#"{{"op":"whatIf","load":{{"documents":[{{"apiVersion":"{GROUP}/v1","kind":"ManagedCluster","metadata":{{"name":"osaka",
            "labels":{{"info.open-cluster-management.io/region":"apac"}}}}}}]}}}}"#
    ));
    let groups = list(&answer, "groups");
    assert_eq!(
        groups,
        [value(r#"{"subject":"ManagedClusterSet/apacset","clusters":["osaka"],"change":"joins","changes":[]}"#)]
    );
}

// Example 2: clusters where the middleware is on.

#[test]
fn the_developers_deploy_where_the_middleware_is_on() {
    let mut fleet = Fleet::example("stories/001-middleware");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/middlewareenabledset"), [r#"["shop-1"]"#]);
    assert_eq!(clusters(&mut fleet, "ManagedClusterSetBinding/dev/middlewareenabledset"), [r#"["shop-1"]"#]);
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [r#"["shop-1"]"#]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-2"), (false, "not-in-bound-set".into()));

    fleet.settle_at_once();
    let listed = |fleet: &Fleet| {
        let decision = fleet.get("", "PlacementDecision/dev/checkout-decision-1").unwrap();
        decision.at(&["status", "decisions"]).unwrap().to_canonical()
    };
    assert_eq!(listed(&fleet), r#"[{"clusterName":"shop-1","reason":""}]"#);

    label(&mut fleet, "shop-2", "info.open-cluster-management.io/middlewareEnabled", "true");
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [r#"["shop-1","shop-2"]"#]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-2"), (true, "chosen".into()));
    let plan = fleet.settle_at_once();
    assert!(actions(&plan).is_empty(), "another cluster is a matter of statuses: {:?}", actions(&plan));
    assert_eq!(listed(&fleet), r#"[{"clusterName":"shop-1","reason":""},{"clusterName":"shop-2","reason":""}]"#);
}

#[test]
fn agents_may_say_that_the_middleware_is_on_and_nothing_else() {
    let mut fleet = Fleet::example("stories/001-middleware");
    let says = |value: &str| format!(r#""info.open-cluster-management.io/middlewareEnabled":"{value}""#);
    let joins = r#"["middlewareenabledset"]"#.to_string();
    assert_eq!(may(&mut fleet, AGENTS, "shop-2", &says("true")), (true, joins.clone(), "[]".into()));
    assert_eq!(may(&mut fleet, AGENTS, "shop-2", &says("false")), (false, "[]".into(), "[]".into()));
    assert_eq!(may(&mut fleet, "dev", "shop-2", &says("true")), (false, joins, "[]".into()));
}

#[test]
fn at_the_transitional_stage_there_is_no_label_selector() {
    let mut fleet = Fleet::example("stories/001-middleware");
    fleet.settle();
    configure_stage(&mut fleet, "transitional");
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/middlewareenabledset"), "bad-cluster-set");
    assert_eq!(refused(&mut fleet, "ManagedClusterSetBinding/dev/middlewareenabledset"), "bad-cluster-set");
    // Nobody knows who is in the set, so what was decided stays.
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [r#"["shop-1"]"#]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-1"), (true, "decision-kept".into()));
    let plan = fleet.plan();
    assert!(list(&plan, "status").is_empty() && actions(&plan).is_empty(), "{}", plan.to_canonical());
}

#[test]
fn a_label_value_without_quotes_is_told_where_it_stands() {
    let mut fleet = Fleet::example("stories/001-middleware-unquoted");
    let answer = fleet.ask(value(r#"{"op":"lint"}"#));
    let found: Vec<Value> =
        list(&answer, "diagnostics").into_iter().filter(|it| it.text_at(&["severity"]) == "error").collect();
    let [finding] = found.as_slice() else { panic!("one error: {}", answer.to_canonical()) };
    assert_eq!(finding.text_at(&["at", "file"]), "set.yaml");
    assert_eq!(finding.at(&["at", "line"]).and_then(Value::as_int), Some(11));
    assert!(finding.text_at(&["hint"]).contains("quote") || finding.text_at(&["message"]).contains("quote"));
}

// Example 3: a set for each of two teams.

#[test]
fn each_team_has_the_clusters_with_its_label() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/devset"), [r#"["dev-1"]"#]);
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/qaset"), [r#"["qa-1"]"#]);
    assert_eq!(clusters(&mut fleet, "Placement/dev/app"), [r#"["dev-1"]"#]);
    assert_eq!(clusters(&mut fleet, "Placement/qa/app"), [r#"["qa-1"]"#]);

    // Another label moves the cluster: it is never in both.
    label(&mut fleet, "dev-1", "cluster.open-cluster-management.io/clusterset", "qa");
    assert!(clusters(&mut fleet, "ManagedClusterSet/devset").is_empty());
    assert_eq!(clusters(&mut fleet, "Placement/qa/app"), [r#"["dev-1","qa-1"]"#]);
    fleet.settle_at_once();
    let empty = fleet.get("", "PlacementDecision/dev/app-decision-1").unwrap();
    assert_eq!(empty.at(&["status", "decisions"]).unwrap().to_canonical(), "[]");
}

#[test]
fn the_label_that_a_team_may_set_joins_no_set_and_lint_names_the_rule() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    let says = |value: &str| format!(r#""cluster.open-cluster-management.io/clusterset":"{value}""#);
    assert_eq!(may(&mut fleet, "dev", "new-1", &says("devset")), (true, "[]".into(), "[]".into()));
    assert_eq!(may(&mut fleet, "dev", "new-1", &says("dev")), (false, r#"["devset"]"#.into(), "[]".into()));
    assert_eq!(may(&mut fleet, "qa", "new-1", &says("devset")), (false, "[]".into(), "[]".into()));
    assert_eq!(
        findings(&mut fleet, "grant-joins-nothing"),
        ["permissions.yaml:16 /rules/2/resourceNames/0", "permissions.yaml:50 /rules/2/resourceNames/0"]
    );
    label(&mut fleet, "new-1", "cluster.open-cluster-management.io/clusterset", "devset");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/devset"), [r#"["dev-1"]"#]);
    assert_eq!(findings(&mut fleet, "unknown-set").len(), 1);
}

#[test]
fn at_the_transitional_stage_the_value_is_the_name_of_the_set() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    configure_stage(&mut fleet, "transitional");
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/devset"), "bad-cluster-set");
    fleet.load(
        "sets.yaml",
        &format!(
            "apiVersion: {GROUP}/v1beta1\nkind: ManagedClusterSet\nmetadata: {{name: devset}}\n\
             spec: {{clusterSelector: {{selectorType: ExclusiveLabel, exclusiveLabel: {{key: {GROUP}/clusterset, value: devset}}}}}}\n"
        ),
    );
    let says = r#""cluster.open-cluster-management.io/clusterset":"devset""#;
    assert_eq!(may(&mut fleet, "dev", "new-1", says), (true, r#"["devset"]"#.into(), "[]".into()));
    assert_eq!(may(&mut fleet, "qa", "new-1", says), (false, r#"["devset"]"#.into(), "[]".into()));
}

// What a hub sees.

#[test]
fn the_example_settles_with_decisions_and_statuses() {
    let mut fleet = Fleet::example("ocm");
    let results = fleet.call(r#"{"op":"effective","subject":"Placement/team-a/web"}"#);
    assert_eq!(
        list(&results, "results"),
        [value(r#"{"clusters":["c2"],"group":{"index":0}}"#), value(r#"{"clusters":["c3"],"group":{"index":1}}"#)]
    );
    assert_eq!(clusters(&mut fleet, "Placement/ops/agents"), [r#"["c1","c2","c3","c4"]"#]);
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        ["0 create PlacementDecision/ops/agents-decision-1", "0 create PlacementDecision/team-a/web-decision-2"]
    );
    let second = fleet.get("", "PlacementDecision/team-a/web-decision-2").unwrap();
    assert_eq!(second.at(&["status", "decisions"]).unwrap().to_canonical(), r#"[{"clusterName":"c3","reason":""}]"#);
}

/// A hub of one set and one placement on it.
fn hub(clusters: usize) -> Fleet {
    let mut fleet = Fleet::default();
    let mut documents = vec![
        format!(
            r#"{{"apiVersion":"{GROUP}/v1beta2","kind":"ManagedClusterSetBinding","metadata":{{"name":"global","namespace":"n"}},"spec":{{"clusterSet":"global"}}}}"#
        ),
        format!(
            r#"{{"apiVersion":"{GROUP}/v1beta1","kind":"Placement","metadata":{{"name":"p","namespace":"n","uid":"p"}},"spec":{{}}}}"#
        ),
    ];
    documents.extend((0..clusters).map(|it| {
        format!(r#"{{"apiVersion":"{GROUP}/v1","kind":"ManagedCluster","metadata":{{"name":"c{it:03}"}}}}"#)
    }));
    let request = format!(r#"{{"op":"load","documents":[{}]}}"#, documents.join(","));
    fleet.call(&request);
    fleet
}

#[test]
fn a_placement_asks_for_its_decisions_before_it_writes_any() {
    let mut fleet = hub(2);
    let plan = fleet.call(&format!(r#"{{"op":"plan","now":"{NOW}"}}"#));
    let needs = value(&format!(
        r#"[{{"cluster":"","apiVersion":"{GROUP}/v1beta1","kind":"PlacementDecision","namespace":"n","labelSelector":"{GROUP}/placement=p"}}]"#
    ));
    assert_eq!(plan.get("needs"), Some(&needs));
    assert!(actions(&plan).is_empty());
    assert!(list(&plan, "status").iter().all(|it| it.text_at(&["target", "kind"]) != "Placement"));
}

#[test]
fn a_placement_that_shrinks_lets_its_decisions_go_whatever_the_budget() {
    let mut fleet = hub(250);
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan).len(), 3);
    let refs: Vec<String> = (50..250).map(|it| format!(r#""ManagedCluster/c{it:03}""#)).collect();
    fleet.call(&format!(r#"{{"op":"unload","refs":[{}]}}"#, refs.join(",")));
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        ["0 delete PlacementDecision/n/p-decision-2", "0 delete PlacementDecision/n/p-decision-3"]
    );
    let left = fleet.get("", "PlacementDecision/n/p-decision-1").unwrap();
    assert_eq!(list(left.get("status").unwrap(), "decisions").len(), 50);
}

#[test]
fn two_placements_that_share_the_fleet_come_to_rest() {
    let mut fleet = hub(4);
    for name in ["a", "b"] {
        let number = format!(
            r#"{{"op":"load","documents":[{{"apiVersion":"{GROUP}/v1beta1","kind":"Placement","metadata":{{"name":"{name}","namespace":"n","uid":"{name}"}},"spec":{{"numberOfClusters":2}}}}]}}"#
        );
        fleet.call(&number);
    }
    fleet.call(r#"{"op":"unload","refs":["Placement/n/p"]}"#);
    fleet.settle();
    // The first one stays, and the second one makes room.
    assert_eq!(clusters(&mut fleet, "Placement/n/a"), [r#"["c000","c001"]"#]);
    assert_eq!(clusters(&mut fleet, "Placement/n/b"), [r#"["c002","c003"]"#]);
}

#[test]
fn a_set_says_whether_it_is_empty() {
    let mut fleet = Fleet::example("stories/001-apac");
    let condition = |fleet: &mut Fleet| {
        fleet.settle();
        let found = fleet
            .workspace
            .find(&fleetfold_core::object::document::Reference::parse("ManagedClusterSet/apacset").unwrap());
        let conditions = found.unwrap().value.at(&["status", "conditions"]).unwrap().clone();
        let first = conditions.as_list().unwrap().first().unwrap().clone();
        ["type", "status", "reason"].map(|key| first.text_at(&[key]).to_string()).join(" ")
    };
    assert_eq!(condition(&mut fleet), "ClusterSetEmpty False ClustersSelected");
    fleet.call(r#"{"op":"unload","refs":["ManagedCluster/tokyo"]}"#);
    assert_eq!(condition(&mut fleet), "ClusterSetEmpty True NoClusterMatched");
}
