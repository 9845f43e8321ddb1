//! The stories of seed 001, from documents to answers, and what a hub sees of placements.

mod fleet;

use fleet::{Fleet, actions, effective, held, list, load, plan_now, value};
use fleetfold_core::Value;
use fleetfold_core::api::Finding;
use fleetfold_core::api::authorize::AuthorizeUser;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::effective::{GroupAnswer, ResultAnswer};
use fleetfold_core::api::explain::Explain;
use fleetfold_core::api::plan::NeedAnswer;
use fleetfold_core::api::what_if::{ChangeGroupAnswer, WhatIf};
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::engine::select::cluster_set::Stage;
use fleetfold_core::value::{OneOrMany, Text};
use fleetfold_core::workspace::ChangeKind;

const GROUP: &str = "cluster.open-cluster-management.io";
const AGENTS: &str = "system:open-cluster-management:agents";

const REGION: &str = "info.open-cluster-management.io/region";
const MIDDLEWARE: &str = "info.open-cluster-management.io/middlewareEnabled";
const CLUSTER_SET: &str = "cluster.open-cluster-management.io/clusterset";

/// The clusters that a subject gives, group by group.
#[track_caller]
fn clusters(fleet: &mut Fleet, subject: &str) -> Vec<Vec<Text>> {
    fleet.effective(subject).results.into_iter().map(|it| it.clusters).collect()
}

/// The code of the last reason for or against a cluster, and whether it is picked.
#[track_caller]
fn why(fleet: &mut Fleet, subject: &str, cluster: &str) -> (bool, Text) {
    let (subject, cluster) = (Some(subject.into()), Some(cluster.into()));
    let mut answer = fleet.call(Explain { subject, cluster, ..Explain::default() });
    let last = answer.reasons.as_mut().and_then(Vec::pop).unwrap_or_else(|| panic!("no reason: {answer:?}"));
    (answer.selected.unwrap(), last.code)
}

/// Whether a member of a group may set a label, and which sets that joins and leaves.
#[track_caller]
fn may(fleet: &mut Fleet, group: &str, cluster: &str, key: &str, value: Option<&str>) -> (bool, Vec<Text>, Vec<Text>) {
    let user = AuthorizeUser { name: "u".into(), groups: Some(vec![group.into()]) };
    let labels = [(key.into(), value.map_or(Value::Null, Value::text))].into_iter().collect();
    let (user, cluster, labels) = (Some(user), Some(cluster.into()), Some(labels));
    let answer = fleet.call(Explain { user, cluster, labels, ..Explain::default() });
    (answer.allowed.unwrap(), answer.joins.unwrap(), answer.leaves.unwrap())
}

/// One set.
fn one(set: &str) -> Vec<Text> {
    vec![set.into()]
}

/// No set.
const NONE: Vec<Text> = Vec::new();

/// Puts a label on a cluster, as its agent would.
fn label(fleet: &mut Fleet, cluster: &str, key: &str, value: &str) {
    fleet.load(
        "label.yaml",
        &format!(
            "apiVersion: {GROUP}/v1\nkind: ManagedCluster\nmetadata: {{name: {cluster}, \
             labels: {{{key}: \"{value}\"}}}}\n\
             spec: {{hubAcceptsClient: true}}\n"
        ),
    );
}

/// The findings of `lint` with a code: file, line and path of each.
fn findings(fleet: &mut Fleet, code: &str) -> Vec<String> {
    let found = fleet.lint().into_iter().filter(|it| it.code == code);
    let place = |it: Finding| {
        let at = it.at.unwrap_or_else(|| panic!("no place: {}", it.message));
        format!("{}:{} {}", at.file.unwrap_or_default(), at.line.unwrap_or(0), at.path.unwrap_or_default())
    };
    found.map(place).collect()
}

fn configure_transitional(fleet: &mut Fleet) {
    fleet.call(Configure { stage: Some(Stage::Transitional), ..Configure::default() });
}

/// Why a subject gives nothing.
#[track_caller]
fn refused(fleet: &mut Fleet, subject: &str) -> Text {
    fleet.ask(effective(subject)).unwrap_err().code
}

// Example 1: all clusters of a region.

#[test]
fn a_cluster_is_in_the_set_of_its_region_once_its_agent_has_said_so() {
    let mut fleet = Fleet::example("stories/001-apac");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/apacset"), [["tokyo"]]);
    assert_eq!(why(&mut fleet, "ManagedClusterSet/apacset", "osaka"), (false, "requirement-not-met".into()));

    assert_eq!(may(&mut fleet, AGENTS, "osaka", REGION, Some("apac")), (true, one("apacset"), NONE));
    label(&mut fleet, "osaka", REGION, "apac");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/apacset"), [["osaka", "tokyo"]]);
    assert_eq!(why(&mut fleet, "ManagedClusterSet/apacset", "osaka"), (true, "requirement-met".into()));
}

#[test]
fn who_is_no_agent_may_not_say_where_a_cluster_is() {
    let mut fleet = Fleet::example("stories/001-apac");
    assert_eq!(may(&mut fleet, "visitors", "osaka", REGION, Some("apac")), (false, one("apacset"), NONE));
    assert_eq!(may(&mut fleet, "visitors", "tokyo", REGION, None), (false, NONE, one("apacset")));
    assert_eq!(may(&mut fleet, AGENTS, "tokyo", REGION, None), (true, NONE, one("apacset")));
}

#[test]
fn at_the_transitional_stage_there_is_no_set_by_region() {
    let mut fleet = Fleet::example("stories/001-apac");
    configure_transitional(&mut fleet);
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/apacset"), "bad-cluster-set");
    let plan = fleet.plan();
    assert!(plan.status.is_empty(), "what cannot be read keeps its status: {plan:?}");
    // The permission for labels holds at both stages.
    assert_eq!(may(&mut fleet, AGENTS, "osaka", REGION, Some("apac")), (true, NONE, NONE));
}

#[test]
fn what_if_a_cluster_gets_its_label() {
    let mut fleet = Fleet::example("stories/001-apac");
    let osaka = value(&format!(
        r#"{{"apiVersion":"{GROUP}/v1","kind":"ManagedCluster","metadata":{{"name":"osaka","labels":{{"{REGION}":"apac"}}}}}}"#
    ));
    let answer = fleet.call(WhatIf { load: Some(OneOrMany::One(load([osaka]))), ..WhatIf::default() });
    let joins = ChangeGroupAnswer {
        subject: "ManagedClusterSet/apacset".into(),
        clusters: vec!["osaka".into()],
        change: ChangeKind::Joins,
        changes: Vec::new(),
    };
    assert_eq!(answer.groups, [joins]);
}

// Example 2: clusters where the middleware is on.

#[test]
fn the_developers_deploy_where_the_middleware_is_on() {
    let mut fleet = Fleet::example("stories/001-middleware");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/middlewareenabledset"), [["shop-1"]]);
    assert_eq!(clusters(&mut fleet, "ManagedClusterSetBinding/dev/middlewareenabledset"), [["shop-1"]]);
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [["shop-1"]]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-2"), (false, "not-in-bound-set".into()));

    fleet.settle_at_once();
    let listed = |fleet: &Fleet| {
        let decision = fleet.get("", "PlacementDecision/dev/checkout-decision-1").unwrap();
        decision.at(&["status", "decisions"]).unwrap().to_canonical()
    };
    assert_eq!(listed(&fleet), r#"[{"clusterName":"shop-1","reason":""}]"#);

    label(&mut fleet, "shop-2", MIDDLEWARE, "true");
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [["shop-1", "shop-2"]]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-2"), (true, "chosen".into()));
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan), ["0 patch PlacementDecision/dev/checkout-decision-1"], "another cluster is an action");
    assert_eq!(listed(&fleet), r#"[{"clusterName":"shop-1","reason":""},{"clusterName":"shop-2","reason":""}]"#);
}

#[test]
fn agents_may_say_that_the_middleware_is_on_and_nothing_else() {
    let mut fleet = Fleet::example("stories/001-middleware");
    let joins = one("middlewareenabledset");
    assert_eq!(may(&mut fleet, AGENTS, "shop-2", MIDDLEWARE, Some("true")), (true, joins.clone(), NONE));
    assert_eq!(may(&mut fleet, AGENTS, "shop-2", MIDDLEWARE, Some("false")), (false, NONE, NONE));
    assert_eq!(may(&mut fleet, "dev", "shop-2", MIDDLEWARE, Some("true")), (false, joins, NONE));
}

#[test]
fn at_the_transitional_stage_there_is_no_label_selector() {
    let mut fleet = Fleet::example("stories/001-middleware");
    fleet.settle();
    configure_transitional(&mut fleet);
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/middlewareenabledset"), "bad-cluster-set");
    assert_eq!(refused(&mut fleet, "ManagedClusterSetBinding/dev/middlewareenabledset"), "bad-cluster-set");
    // Nobody knows who is in the set, so what was decided stays.
    assert_eq!(clusters(&mut fleet, "Placement/dev/checkout"), [["shop-1"]]);
    assert_eq!(why(&mut fleet, "Placement/dev/checkout", "shop-1"), (true, "decision-kept".into()));
    let plan = fleet.plan();
    assert!(plan.status.is_empty() && plan.actions.is_empty(), "{plan:?}");
}

#[test]
fn a_label_value_without_quotes_is_told_where_it_stands() {
    let mut fleet = Fleet::example("stories/001-middleware-unquoted");
    let findings = fleet.lint();
    let errors: Vec<&Finding> = findings.iter().filter(|it| it.severity == Severity::Error).collect();
    let [finding] = errors.as_slice() else { panic!("one error: {findings:?}") };
    let at = finding.at.as_ref().unwrap();
    assert_eq!((at.file.as_deref(), at.line), (Some("set.yaml"), Some(11)));
    assert!(finding.hint.as_ref().is_some_and(|it| it.contains("quote")) || finding.message.contains("quote"));
}

// Example 3: a set for each of two teams.

#[test]
fn each_team_has_the_clusters_with_its_label() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/devset"), [["dev-1"]]);
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/qaset"), [["qa-1"]]);
    assert_eq!(clusters(&mut fleet, "Placement/dev/app"), [["dev-1"]]);
    assert_eq!(clusters(&mut fleet, "Placement/qa/app"), [["qa-1"]]);

    // Another label moves the cluster: it is never in both.
    label(&mut fleet, "dev-1", CLUSTER_SET, "qa");
    assert!(clusters(&mut fleet, "ManagedClusterSet/devset").is_empty());
    assert_eq!(clusters(&mut fleet, "Placement/qa/app"), [["dev-1", "qa-1"]]);
    fleet.settle_at_once();
    let empty = fleet.get("", "PlacementDecision/dev/app-decision-1").unwrap();
    assert!(empty.at(&["status", "decisions"]).is_none(), "a new decision without clusters needs no status");
}

#[test]
fn the_label_that_a_team_may_set_joins_no_set_and_lint_names_the_rule() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    assert_eq!(may(&mut fleet, "dev", "new-1", CLUSTER_SET, Some("devset")), (true, NONE, NONE));
    assert_eq!(may(&mut fleet, "dev", "new-1", CLUSTER_SET, Some("dev")), (false, one("devset"), NONE));
    assert_eq!(may(&mut fleet, "qa", "new-1", CLUSTER_SET, Some("devset")), (false, NONE, NONE));
    assert_eq!(
        findings(&mut fleet, "grant-joins-nothing"),
        ["permissions.yaml:16 /rules/2/resourceNames/0", "permissions.yaml:50 /rules/2/resourceNames/0"]
    );
    label(&mut fleet, "new-1", CLUSTER_SET, "devset");
    assert_eq!(clusters(&mut fleet, "ManagedClusterSet/devset"), [["dev-1"]]);
    assert_eq!(findings(&mut fleet, "unknown-set").len(), 1);
}

#[test]
fn at_the_transitional_stage_the_value_is_the_name_of_the_set() {
    let mut fleet = Fleet::example("stories/001-dev-and-qa");
    configure_transitional(&mut fleet);
    assert_eq!(refused(&mut fleet, "ManagedClusterSet/devset"), "bad-cluster-set");
    fleet.load(
        "sets.yaml",
        &format!(
            "apiVersion: {GROUP}/v1beta1\nkind: ManagedClusterSet\nmetadata: {{name: devset}}\n\
             spec: {{clusterSelector: {{selectorType: ExclusiveLabel, \
             exclusiveLabel: {{key: {GROUP}/clusterset, value: devset}}}}}}\n"
        ),
    );
    assert_eq!(may(&mut fleet, "dev", "new-1", CLUSTER_SET, Some("devset")), (true, one("devset"), NONE));
    assert_eq!(may(&mut fleet, "qa", "new-1", CLUSTER_SET, Some("devset")), (false, one("devset"), NONE));
}

// What a hub sees.

#[test]
fn the_example_settles_with_decisions_and_statuses() {
    let mut fleet = Fleet::example("ocm");
    let group = |cluster: &str, index: i64| ResultAnswer {
        clusters: vec![cluster.into()],
        group: Some(GroupAnswer { index, name: None }),
        ..ResultAnswer::default()
    };
    assert_eq!(fleet.effective("Placement/team-a/web").results, [group("c2", 0), group("c3", 1)]);
    assert_eq!(clusters(&mut fleet, "Placement/ops/agents"), [["c1", "c2", "c3", "c4"]]);
    let plan = fleet.plan();
    fleet.settle();
    let created: Vec<String> = actions(&plan).into_iter().filter(|it| it.starts_with("0 create")).collect();
    assert_eq!(
        created,
        ["0 create PlacementDecision/ops/agents-decision-1", "0 create PlacementDecision/team-a/web-decision-2"]
    );
    assert!(actions(&plan).contains(&"1 patch PlacementDecision/team-a/web-decision-2".into()), "{plan:?}");
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
    fleet.load_documents(documents.iter().map(|it| value(it)));
    fleet
}

#[test]
fn a_placement_asks_for_its_decisions_before_it_writes_any() {
    let mut fleet = hub(2);
    let plan = fleet.call(plan_now());
    let need = NeedAnswer {
        cluster: "".into(),
        api_version: format!("{GROUP}/v1beta1").into(),
        kind: "PlacementDecision".into(),
        namespace: Some("n".into()),
        name: None,
        label_selector: Some(format!("{GROUP}/placement=p").into()),
    };
    assert_eq!(plan.needs, [need]);
    assert!(plan.actions.is_empty());
    assert!(plan.status.iter().all(|it| it.target.kind != "Placement"));
}

#[test]
fn a_placement_that_shrinks_is_held_until_the_budget_allows_it() {
    let mut fleet = hub(250);
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan).len(), 6, "three decisions are created and filled");
    fleet.unload((50..250).map(|it| format!("ManagedCluster/c{it:03}")));
    let plan = fleet.plan();
    assert_eq!((actions(&plan).len(), held(&plan)), (0, vec!["delete-budget".into(); 3]));
    let limits = LimitsInput { deletes: Some(200), delete_percent: Some(100), ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "0 patch PlacementDecision/n/p-decision-1",
            "0 delete PlacementDecision/n/p-decision-2",
            "0 delete PlacementDecision/n/p-decision-3"
        ]
    );
    let left = fleet.get("", "PlacementDecision/n/p-decision-1").unwrap();
    assert_eq!(list(left.get("status").unwrap(), "decisions").len(), 50);
}

#[test]
fn two_placements_that_share_the_fleet_come_to_rest() {
    let mut fleet = hub(4);
    for name in ["a", "b"] {
        fleet.load_documents([value(&format!(
            r#"{{"apiVersion":"{GROUP}/v1beta1","kind":"Placement","metadata":{{"name":"{name}","namespace":"n","uid":"{name}"}},"spec":{{"numberOfClusters":2}}}}"#
        ))]);
    }
    fleet.unload(["Placement/n/p"]);
    fleet.settle();
    // The first one stays, and the second one makes room.
    assert_eq!(clusters(&mut fleet, "Placement/n/a"), [["c000", "c001"]]);
    assert_eq!(clusters(&mut fleet, "Placement/n/b"), [["c002", "c003"]]);
}

#[test]
fn a_set_says_whether_it_is_empty() {
    let mut fleet = Fleet::example("stories/001-apac");
    let condition = |fleet: &mut Fleet| {
        fleet.settle();
        let set = fleet.document_named("ManagedClusterSet/apacset");
        let conditions = set.at(&["status", "conditions"]).unwrap();
        let first = conditions.as_list().unwrap().first().unwrap().clone();
        ["type", "status", "reason"].map(|key| first.text_at(&[key]).to_string()).join(" ")
    };
    assert_eq!(condition(&mut fleet), "ClusterSetEmpty False ClustersSelected");
    fleet.unload(["ManagedCluster/tokyo"]);
    assert_eq!(condition(&mut fleet), "ClusterSetEmpty True NoClusterMatched");
}
