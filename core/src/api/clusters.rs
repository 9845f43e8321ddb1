//! `clusters`: the loaded fleet.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::select::cluster_set::{ClusterSet, is_cluster_set, sets_of};
use crate::engine::select::{Cluster, Selector, selects};
use crate::object::document::Identity;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::value::JsonPath;
use crate::value::MaybeAbsent;
use crate::value::collections::SortedMap;
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::settings::Settings;
use crate::workspace::store::{Scope, Store};

/// The loaded clusters.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clusters {
    /// Only the clusters that this selector picks, in any form that `select` takes.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub selector: MaybeAbsent<Value>,
}

/// By name, then namespace, then kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClustersAnswer {
    pub clusters: Vec<ClusterAnswer>,
    /// The loaded sets that can be read, by name; left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<SetAnswer>>,
}

/// How a ManagedClusterSet selects its clusters, and who may use it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetAnswer {
    /// Whether a cluster of the set is in no other set of the same key.
    pub exclusive: bool,
    /// The label that puts a cluster into the set, if it is exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_label: Option<LabelAnswer>,
    pub name: Text,
    /// Whether consumers may use it that also need the value of the clusterset label to be the name of the set, such as
    /// `submariner-addon`.
    pub network_group: bool,
    /// Whether consumers may use it that need sets which are exclusive by the clusterset label, such as
    /// `multicloud-operators-foundation`.
    pub resource_group: bool,
    /// As written; it may be empty.
    pub selector_type: Text,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelAnswer {
    pub key: Text,
    pub value: Text,
}

impl SetAnswer {
    pub fn of(set: &ClusterSet) -> SetAnswer {
        let label = |(key, value): (&Text, &Text)| LabelAnswer { key: key.clone(), value: value.clone() };
        SetAnswer {
            exclusive: set.exclusive_label().is_some(),
            exclusive_label: set.exclusive_label().map(label),
            name: set.name().clone(),
            network_group: set.is_network_group(),
            resource_group: set.is_resource_group(),
            selector_type: set.selector_type().clone(),
        }
    }

    /// The answer for a document, if it is a set that can be read.
    pub fn of_document(store: &Store, identity: &Identity) -> Option<SetAnswer> {
        let document = store.document(identity).filter(|it| is_cluster_set(&it.value))?;
        let Settings { stage, mode, .. } = &store.settings;
        ClusterSet::parse(&document.value, *stage, *mode, &JsonPath::ROOT).ok().as_ref().map(SetAnswer::of)
    }
}

/// One cluster.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterAnswer {
    pub kind: Text,
    pub labels: SortedMap<Text, Text>,
    pub name: Text,
    /// If the kind has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    /// The sets it belongs to, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<Text>>,
    /// The cluster is unreachable: the reason that the host gave, which may be empty.
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
        let known: Vec<SetAnswer> = sets.iter().map(SetAnswer::of).collect();
        Ok(ClustersAnswer { clusters: clusters.collect(), sets: Some(known).filter(|it| !it.is_empty()) })
    }
}
