//! Named groups of clusters that one dialect has and others refer to: sets and placements of Open Cluster Management.
//!
//! No dialect calls another: the one that has groups hands them out through [`Dialect::cluster_groups`].
//!
//! [`Dialect::cluster_groups`]: crate::workspace::subject::Dialect::cluster_groups

use crate::value::Text;
use crate::value::collections::SortedSet;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::store::{Store, View};
use crate::workspace::subject::Dependency;

/// The clusters of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupMembers {
    pub names: SortedSet<Text>,
    /// The clusters of which it is unknown whether they are members.
    pub unknown: SortedSet<Text>,
}

/// Sets and placements, by name.
pub trait ClusterGroups: Sync {
    /// The kinds of documents that decide over the groups.
    fn kinds(&self) -> Vec<HubKind>;

    /// The sets among these that are not loaded or not valid.
    fn unknown_sets(&self, view: View, names: &[Text]) -> Vec<Text>;

    /// The clusters of all these sets.
    fn set_members(&self, view: View, names: &[Text]) -> GroupMembers;

    /// The documents that decide over the members of sets.
    fn set_dependencies(&self) -> Vec<Dependency>;

    /// The clusters that a placement chooses; nothing where it is not loaded, or cannot be decided.
    fn placement_members(&self, view: View, namespace: &str, name: &str) -> Option<GroupMembers>;

    /// The documents that decide over what a placement chooses.
    fn placement_dependencies(&self, namespace: &str, name: &str) -> Vec<Dependency>;
}

impl Store {
    /// The groups of the dialect that has some; without one, every set and placement is unknown.
    pub fn cluster_groups(&self) -> &'static dyn ClusterGroups {
        self.all_dialects().iter().find_map(|it| it.cluster_groups()).unwrap_or(&NoGroups)
    }
}

struct NoGroups;

impl ClusterGroups for NoGroups {
    fn kinds(&self) -> Vec<HubKind> {
        Vec::new()
    }

    fn unknown_sets(&self, _: View, names: &[Text]) -> Vec<Text> {
        names.to_vec()
    }

    fn set_members(&self, _: View, _: &[Text]) -> GroupMembers {
        GroupMembers::default()
    }

    fn set_dependencies(&self) -> Vec<Dependency> {
        Vec::new()
    }

    fn placement_members(&self, _: View, _: &str, _: &str) -> Option<GroupMembers> {
        None
    }

    fn placement_dependencies(&self, _: &str, _: &str) -> Vec<Dependency> {
        Vec::new()
    }
}
