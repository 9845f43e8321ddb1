//! The stories of seed 001, from documents to answers.

mod fleet;

use fleet::{Fleet, list, value};

#[test]
fn a_cluster_joins_the_set_of_its_label() {
    let mut fleet = Fleet::default();
    fleet.load(
        "fleet.yaml",
        "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
         metadata: {name: tokyo, labels: {info.open-cluster-management.io/region: apac}}\n---\n\
         apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: ManagedClusterSet\nmetadata: {name: apacset}\n\
         spec: {clusterSelector: {selectorType: ExclusiveLabel, exclusiveLabel: {key: info.open-cluster-management.io/region, value: apac}}}\n",
    );
    let answer = fleet.call(r#"{"op":"effective","subject":"ManagedClusterSet/apacset"}"#);
    assert_eq!(list(&answer, "results"), [value(r#"{"clusters":["tokyo"]}"#)]);
}
