//! `clusters`: the fleet that is loaded.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::select::cluster_set::sets_of;
use crate::engine::select::{Cluster, Selector, selects};
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::value::JsonPath;
use crate::value::MaybeAbsent;
use crate::value::collections::SortedMap;
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::store::Scope;

/// The clusters that are loaded.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clusters {
    /// Only those that it picks, in any of the forms that `select` takes.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub selector: MaybeAbsent<Value>,
}

/// By name, then namespace, then kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClustersAnswer {
    pub clusters: Vec<ClusterAnswer>,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterAnswer {
    pub kind: Text,
    pub labels: SortedMap<Text, Text>,
    pub name: Text,
    /// Where the kind has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    /// The sets it belongs to, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<Text>>,
    /// It did not answer: what the host met, or nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<Text>,
}

impl Op for Clusters {
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
