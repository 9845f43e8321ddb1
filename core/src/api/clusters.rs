//! `clusters`: the fleet that is loaded.

use super::WorkspaceOperation;
use crate::api::null::Given;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::select::cluster_set::sets_of;
use crate::engine::select::{Cluster, Selector, selects};
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::record;
use crate::value::JsonPath;
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::value::sorting::sort_by;
use crate::workspace::Workspace;
use crate::workspace::store::Scope;

record! {
    request
    /// The clusters that are loaded.
    pub struct Clusters {
        /// Only those that it picks, in any of the forms that `select` takes.
        selector "selector": Given,
    }
}

record! {
    answer
    /// By name, then namespace, then kind.
    pub struct ClustersAnswer {
        clusters "clusters": Vec<ClusterAnswer>,
    }
}

record! {
    answer
    /// One cluster.
    pub struct ClusterAnswer {
        kind "kind": Text,
        labels "labels": SortedMap<Text, Text>,
        name "name": Text,
        /// Where the kind has one.
        namespace "namespace": Option<Text>,
        /// It did not answer: what the host met, or nothing more.
        unreachable "unreachable": Option<Text>,
        /// The sets it belongs to, by name.
        sets "sets": Option<Vec<Text>>,
    }
}

impl WorkspaceOperation for Clusters {
    const NAME: &'static str = "clusters";
    type Answer = ClustersAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<ClustersAnswer, Error> {
        let selector =
            self.selector.0.map(|it| Selector::parse(&it, Mode::Strict, None, &JsonPath::ROOT.key("selector")));
        let selector = selector.transpose()?;
        let sets = workspace.store.cluster_sets(out);
        let store = &workspace.store;
        let all = store.fleets().flat_map(|(scope, fleet)| fleet.clusters().map(move |cluster| (scope, cluster)));
        let mut all: Vec<(&Scope, &Cluster)> = all.collect();
        sort_by(&mut all, |(scope, cluster), (other, its_cluster)| {
            (&cluster.name, &scope.namespace, &scope.kind).cmp(&(&its_cluster.name, &other.namespace, &other.kind))
        });
        let picked = all.into_iter();
        let picked = picked.filter(|(_, cluster)| selector.as_ref().is_none_or(|it| selects(it, cluster)));
        let clusters = picked.map(|(scope, cluster)| ClusterAnswer {
            kind: scope.kind.clone(),
            labels: cluster.labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            name: cluster.name.clone(),
            namespace: Some(scope.namespace.clone()).filter(|it| !it.is_empty()),
            unreachable: store.unreachable_reason(&cluster.name).cloned(),
            sets: (scope.kind == MANAGED_CLUSTER)
                .then(|| sets_of(&cluster.labels, &sets).into_iter().map(|set| set.name().clone()).collect()),
        });
        Ok(ClustersAnswer { clusters: clusters.collect() })
    }
}
