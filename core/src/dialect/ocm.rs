//! Open Cluster Management: cluster sets, permissions to use them, and placements on them (seed 001).
//!
//! | subject | gives |
//! |---|---|
//! | ManagedClusterSet | its clusters |
//! | ManagedClusterSetBinding | the clusters that its namespace may use |
//! | Placement | the clusters that it chooses of those, in decision groups |
//!
//! The hub changes labels by itself: it puts a cluster without the clusterset label into the set `default`. Here
//! documents are not changed, and `lint` reports where that makes a difference.

mod admission;
mod binding;
mod fields;
mod hub;
mod lint;
mod permission;
mod placement;
mod set;

use hub::Hub;

pub use binding::bound_set;

use crate::diagnostic::{Diagnostic, Error};
use crate::engine::placement::{DecisionState, Why};
use crate::engine::select::cluster_set::{FIELDS, GROUP, KIND};
use crate::object::document::{Document, Identity};
use crate::object::fields::scope_error;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::value::collections::SortedSet;
use crate::value::{JsonPath, Text};
use crate::workspace::admit::Rule;
use crate::workspace::cluster_groups::{ClusterGroups, GroupMembers};
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::plan::StatusTerms;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dependency, Dialect, Subject};
use crate::workspace::targets::ClusterFilter;

const BINDING: &str = "ManagedClusterSetBinding";
const PLACEMENT: &str = "Placement";
const DECISION: &str = "PlacementDecision";
const SCORE: &str = "AddOnPlacementScore";

pub const KINDS: &[HubKind] = &[
    HubKind::cluster_wide(GROUP, MANAGED_CLUSTER, "managedclusters", "v1")
        .with_status()
        .guarded()
        .with_fields(&fields::CLUSTER),
    HubKind::cluster_wide(GROUP, KIND, "managedclustersets", "v1beta2")
        .or(&["v1beta1"])
        .with_status()
        .guarded()
        .with_fields(&FIELDS),
    HubKind::namespaced(GROUP, BINDING, "managedclustersetbindings", "v1beta2")
        .or(&["v1beta1"])
        .with_status()
        .guarded()
        .with_fields(&fields::BINDING),
    HubKind::namespaced(GROUP, PLACEMENT, "placements", "v1beta1").with_status(),
    HubKind::namespaced(GROUP, DECISION, "placementdecisions", "v1beta1").with_status(),
    HubKind::namespaced(GROUP, SCORE, "addonplacementscores", "v1alpha1")
        .with_status()
        .with_status_fields(&fields::SCORE),
    NAMESPACE,
];

/// `Bound` is a condition of a binding, the others of a Placement.
const STATUS: StatusTerms = StatusTerms {
    bad: &[("Bound", "False"), ("PlacementMisconfigured", "True"), ("PlacementSatisfied", "False")],
    ..StatusTerms::NONE
};

#[derive(Debug)]
pub struct Ocm;

impl Dialect for Ocm {
    fn name(&self) -> &'static str {
        "ocm"
    }

    fn kinds(&self, _: View) -> Vec<HubKind> {
        KINDS.to_vec()
    }

    fn is_subject(&self, _: View, document: &Document) -> bool {
        document.identity.group == GROUP && [KIND, BINDING, PLACEMENT].contains(&document.identity.kind.as_str())
    }

    fn affected_subjects(&self, view: View, changed: &SortedSet<Identity>) -> Vec<Identity> {
        set::affected_subjects(view, changed)
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        match document.identity.kind.as_str() {
            KIND => set::read(view, document),
            BINDING => binding::read(view, document, out),
            _ => Ok(placement::read(view, document, out)),
        }
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(view, out);
        permission::lint(view, out);
    }

    fn lint_document(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) {
        lint::lint_document(view, document, out);
    }

    fn cluster_error(&self, document: &Document) -> Option<Error> {
        let Identity { kind, group, .. } = &document.identity;
        let spec = (kind == MANAGED_CLUSTER && group == GROUP).then_some(&fields::CLUSTER)?;
        scope_error(&document.value, spec, &JsonPath::ROOT)
    }

    fn cluster_groups(&self) -> Option<&'static dyn ClusterGroups> {
        Some(&Ocm)
    }

    fn admission(&self, _: View, group: &str, kind: &str) -> Option<&'static Rule> {
        Rule::of_kind(admission::RULES, group, kind)
    }

    fn status_terms(&self) -> &'static StatusTerms {
        &STATUS
    }
}

impl ClusterGroups for Ocm {
    fn kinds(&self) -> Vec<HubKind> {
        KINDS.iter().cloned().map(HubKind::unguarded).collect()
    }

    fn unknown_sets(&self, view: View, names: &[Text]) -> Vec<Text> {
        let sets = set::all(view);
        names.iter().filter(|name| sets.iter().all(|set| set.name() != *name)).cloned().collect()
    }

    fn set_members(&self, view: View, names: &[Text]) -> GroupMembers {
        let Some(fleet) = view.store.fleet(&fleet_scope()) else { return GroupMembers::default() };
        let meant = set::all(view).into_iter().filter(|set| names.contains(set.name()));
        let picks = ClusterFilter::AnyOf(meant.map(|set| ClusterFilter::Selector(set.selector())).collect());
        let mut members = GroupMembers::default();
        if let ClusterFilter::AnyOf(sets) = &picks {
            members.names.extend(sets.iter().flat_map(|it| it.members(fleet)).map(|it| it.name.clone()));
        }
        let unreadable = hub::unreadable(view).into_iter().filter_map(|(name, _)| fleet.get(name));
        let undecided = unreadable.filter(|it| picks.decides(it).is_none());
        members.unknown.extend(undecided.map(|it| it.name.clone()));
        members
    }

    fn set_dependencies(&self) -> Vec<Dependency> {
        [KIND, MANAGED_CLUSTER].map(|kind| Dependency::kind(GROUP, kind, None)).to_vec()
    }

    fn placement_members(&self, view: View, namespace: &str, name: &str) -> Option<GroupMembers> {
        let placement = view.store.document(&placement_of(namespace, name))?;
        if view.settings.quarantine.names(&placement.identity) {
            return None;
        }
        let placed = Hub::of(view).decide(&placement.value, Why::Nobody, &mut Vec::new());
        let is_undecided = placed.state == DecisionState::BrokenSet;
        let names: SortedSet<Text> = placed.groups.into_iter().flat_map(|it| it.clusters).collect();
        // Without earlier decisions it is unknown what it chooses.
        if is_undecided && names.is_empty() {
            return None;
        }
        let unreadable = hub::unreadable(view).into_iter().map(|(name, _)| Text::from(name));
        let unknown = unreadable.filter(|it| !names.contains(it)).collect();
        Some(GroupMembers { names, unknown })
    }

    /// Also what was observed on the hub: earlier decisions and scores.
    fn placement_dependencies(&self, namespace: &str, name: &str) -> Vec<Dependency> {
        let mut all = self.set_dependencies();
        all.push(Dependency::Document(placement_of(namespace, name)));
        all.push(Dependency::kind(GROUP, BINDING, Some(namespace)));
        all.extend([DECISION, SCORE].map(|kind| Dependency::kind(GROUP, kind, None)));
        all
    }
}

/// Whether an object of the hub affects the choice of placements: an earlier decision, or a score.
pub fn decides(object: &Identity) -> bool {
    object.group == GROUP && [DECISION, SCORE].contains(&object.kind.as_str())
}

fn placement_of(namespace: &str, name: &str) -> Identity {
    Identity { kind: PLACEMENT.into(), group: GROUP.into(), namespace: namespace.into(), name: name.into() }
}

fn fleet_scope() -> Scope {
    Scope { kind: MANAGED_CLUSTER.into(), namespace: Text::default() }
}

#[cfg(test)]
mod tests;
