//! Who gets what a subject gives: the hub alone, or the clusters that it picks.

use crate::diagnostic::ReasonCode;
use crate::engine::select::fleet::Fleet;
use crate::engine::select::{Cluster, Reason, Selector, decides, explain, selects};
use crate::value::Text;
use crate::value::collections::SortedSet;
use crate::value::sorting::sort_by;
use crate::workspace::store::Scope;

/// The target clusters of a subject.
#[derive(Clone, Debug)]
pub enum Targets {
    /// What it gives lives on the hub and is for no cluster in particular.
    Hub,
    Fleet(Scope, ClusterFilter),
}

/// How a subject picks clusters.
#[derive(Clone, Debug)]
pub enum ClusterFilter {
    Selector(Selector),
    /// The clusters of something that has a list of them, such as a set or a placement.
    Members {
        /// As a reason calls it: "the cluster set `dev`".
        of: String,
        names: SortedSet<Text>,
        /// The clusters of which it is unknown whether they are members.
        unknown: SortedSet<Text>,
    },
    /// Those that all of them pick, such as a placement and the one of its namespace.
    AllOf(Vec<ClusterFilter>),
    AnyOf(Vec<ClusterFilter>),
    /// That of the namespace of an object.
    OfNamespace(Box<ClusterFilter>),
}

impl ClusterFilter {
    pub fn picks(&self, cluster: &Cluster) -> bool {
        match self {
            ClusterFilter::Selector(selector) => selects(selector, cluster),
            ClusterFilter::Members { names, .. } => names.contains(&cluster.name),
            ClusterFilter::AllOf(all) => all.iter().all(|it| it.picks(cluster)),
            ClusterFilter::AnyOf(any) => any.iter().any(|it| it.picks(cluster)),
            ClusterFilter::OfNamespace(filter) => filter.picks(cluster),
        }
    }

    /// The only clusters that it may pick, where it has a list of them.
    fn names(&self) -> Option<&SortedSet<Text>> {
        match self {
            ClusterFilter::Members { names, .. } => Some(names),
            ClusterFilter::OfNamespace(filter) => filter.names(),
            _ => None,
        }
    }

    /// Whether a cluster is picked; `None` if that cannot be decided, as the documents of clusters have mistakes.
    pub fn decides(&self, cluster: &Cluster) -> Option<bool> {
        match self {
            ClusterFilter::Selector(selector) => decides(selector, cluster),
            ClusterFilter::Members { unknown, .. } => {
                Some(self.picks(cluster)).filter(|picks| *picks || !unknown.contains(&cluster.name))
            }
            ClusterFilter::AllOf(all) => {
                let parts: Vec<_> = all.iter().map(|it| it.decides(cluster)).collect();
                if parts.contains(&Some(false)) { Some(false) } else { (!parts.contains(&None)).then_some(true) }
            }
            ClusterFilter::AnyOf(any) => {
                let parts: Vec<_> = any.iter().map(|it| it.decides(cluster)).collect();
                if parts.contains(&Some(true)) { Some(true) } else { (!parts.contains(&None)).then_some(false) }
            }
            ClusterFilter::OfNamespace(filter) => filter.decides(cluster),
        }
    }

    pub fn explain(&self, cluster: &Cluster) -> Vec<Reason> {
        match self {
            ClusterFilter::Selector(selector) => explain(selector, cluster),
            ClusterFilter::Members { of, names, unknown } => {
                let (name, holds) = (&cluster.name, names.contains(&cluster.name));
                let (code, word) = if holds { (ReasonCode::Member, "is") } else { (ReasonCode::NotMember, "is not") };
                let text = match unknown.contains(name) && !holds {
                    true => format!("whether `{name}` is in {of} is unknown: its document cannot be read"),
                    false => format!("`{name}` {word} in {of}"),
                };
                vec![Reason { code, text, holds }]
            }
            ClusterFilter::AllOf(parts) | ClusterFilter::AnyOf(parts) => {
                parts.iter().flat_map(|it| it.explain(cluster)).collect()
            }
            ClusterFilter::OfNamespace(filter) => {
                let of_namespace = |it: Reason| Reason { text: format!("its namespace: {}", it.text), ..it };
                filter.explain(cluster).into_iter().map(of_namespace).collect()
            }
        }
    }

    /// The clusters of a fleet that are picked, by the index where labels decide alone, in the order of their names.
    pub fn members<'f>(&self, fleet: &'f Fleet) -> Vec<&'f Cluster> {
        let mut members: Vec<&Cluster> = match self {
            ClusterFilter::Selector(Selector::Labels(labels)) => {
                fleet.select(labels).iter().filter_map(|number| fleet.at(number)).collect()
            }
            ClusterFilter::Selector(Selector::Listed(names)) => {
                let names: SortedSet<&Text> = names.iter().collect();
                names.into_iter().filter_map(|name| fleet.get(name)).collect()
            }
            ClusterFilter::Members { names, .. } => names.iter().filter_map(|name| fleet.get(name)).collect(),
            ClusterFilter::AllOf(parts) => {
                // The part with the fewest names is walked, and the fleet is not.
                match parts.iter().filter_map(ClusterFilter::names).min_by_key(|it| it.len()) {
                    Some(names) => {
                        let named = names.iter().filter_map(|name| fleet.get(name));
                        named.filter(|cluster| self.picks(cluster)).collect()
                    }
                    None => fleet.clusters().filter(|cluster| self.picks(cluster)).collect(),
                }
            }
            _ => fleet.clusters().filter(|cluster| self.picks(cluster)).collect(),
        };
        sort_by(&mut members, |a, b| a.name.cmp(&b.name));
        members
    }
}
