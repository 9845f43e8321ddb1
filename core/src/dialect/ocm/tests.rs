//! What other dialects ask of sets and placements.

use super::*;
use crate::Workspace;
use crate::value::Value;

const HUB: &str = r#"
kind: ManagedCluster
apiVersion: cluster.open-cluster-management.io/v1
metadata: {name: c1, labels: {vendor: openshift}}
---
kind: ManagedCluster
apiVersion: cluster.open-cluster-management.io/v1
metadata: {name: c2, labels: {cluster.open-cluster-management.io/clusterset: dev}}
---
kind: ManagedCluster
apiVersion: cluster.open-cluster-management.io/v1
metadata: {name: c3}
---
kind: ManagedClusterSet
apiVersion: cluster.open-cluster-management.io/v1beta2
metadata: {name: dev}
---
kind: ManagedClusterSet
apiVersion: cluster.open-cluster-management.io/v1beta2
metadata: {name: openshift}
spec: {clusterSelector: {selectorType: LabelSelector, labelSelector: {matchLabels: {vendor: openshift}}}}
---
kind: ManagedClusterSet
apiVersion: cluster.open-cluster-management.io/v1beta2
metadata: {name: broken}
spec: {clusterSelector: {selectorType: Nonsense}}
---
kind: ManagedClusterSetBinding
apiVersion: cluster.open-cluster-management.io/v1beta2
metadata: {name: dev, namespace: team-a}
spec: {clusterSet: dev}
---
kind: Placement
apiVersion: cluster.open-cluster-management.io/v1beta1
metadata: {name: web, namespace: team-a}
spec: {}
"#;

fn hub() -> Workspace {
    let mut workspace = Workspace::default();
    let request = Value::map([("op", Value::text("load")), ("text", HUB.into())]);
    let answer = workspace.call_text(&request.to_canonical());
    assert!(answer.starts_with(r#"{"ok":"#), "{answer}");
    workspace
}

fn view(workspace: &Workspace) -> View<'_> {
    View { store: &workspace.store, now: None }
}

#[track_caller]
fn check_sets(names: &[&str], members: &[&str], unknown: &[&str]) {
    let workspace = hub();
    let names: Vec<Text> = names.iter().copied().map(Text::from).collect();
    let found = Ocm.set_members(view(&workspace), &names);
    assert_eq!(found.names.iter().map(Text::as_str).collect::<Vec<_>>(), members);
    assert_eq!(Ocm.unknown_sets(view(&workspace), &names), unknown);
}

#[test]
fn the_members_of_several_sets_are_those_of_any() {
    check_sets(&["dev"], &["c2"], &[]);
    check_sets(&["openshift", "dev"], &["c1", "c2"], &[]);
    check_sets(&[], &[], &[]);
}

#[test]
fn a_set_that_is_not_there_or_cannot_be_read_is_unknown() {
    check_sets(&["dev", "gone", "broken"], &["c2"], &["gone", "broken"]);
}

#[test]
fn the_clusters_of_a_placement_are_those_it_chooses() {
    let workspace = hub();
    let chosen = Ocm.placement_members(view(&workspace), "team-a", "web");
    assert_eq!(chosen.map(|it| it.names), Some(SortedSet::from_iter(["c2".into()])));
    assert_eq!(Ocm.placement_members(view(&workspace), "team-b", "web"), None);
}
