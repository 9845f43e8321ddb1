//! Open Cluster Management: sets of clusters, who may use them, and placements on them (seed 001).
//!
//! | subject | gives |
//! |---|---|
//! | ManagedClusterSet | its clusters |
//! | ManagedClusterSetBinding | the clusters that its namespace may use |
//! | Placement | the clusters that it chooses of those, in decision groups |
//!
//! The hub changes labels on its own: it puts a cluster without the clusterset label into the set `default`. Here documents
//! are taken as they are, and `lint` tells where that makes a difference.

mod admission;
mod binding;
mod hub;
mod lint;
mod permission;
mod placement;
mod set;

use hub::Hub;

pub use binding::bound_set;

use crate::diagnostic::{Diagnostic, Error};
use crate::engine::placement::Why;
use crate::engine::select::cluster_set::{GROUP, KIND};
use crate::object::document::{Document, Identity};
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::value::Text;
use crate::value::ordered::BTreeSet;
use crate::value::sorting::Gather;
use crate::workspace::admit::Rule;
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dependence, Dialect, Subject};
use crate::workspace::targets::Picks;

const BINDING: &str = "ManagedClusterSetBinding";
const PLACEMENT: &str = "Placement";
const DECISION: &str = "PlacementDecision";
const SCORE: &str = "AddOnPlacementScore";

pub const KINDS: &[HubKind] = &[
    HubKind::cluster_wide(GROUP, MANAGED_CLUSTER, "managedclusters", "v1").with_status().guarded(),
    HubKind::cluster_wide(GROUP, KIND, "managedclustersets", "v1beta2").or(&["v1beta1"]).with_status().guarded(),
    HubKind::namespaced(GROUP, BINDING, "managedclustersetbindings", "v1beta2")
        .or(&["v1beta1"])
        .with_status()
        .guarded(),
    HubKind::namespaced(GROUP, PLACEMENT, "placements", "v1beta1").with_status(),
    HubKind::namespaced(GROUP, DECISION, "placementdecisions", "v1beta1").with_status(),
    HubKind::namespaced(GROUP, SCORE, "addonplacementscores", "v1alpha1").with_status(),
    NAMESPACE,
];

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

    fn exposed(&self, view: View, changed: &Identity) -> Vec<Identity> {
        set::exposed(view, changed)
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

    fn admission(&self, _: View, group: &str, kind: &str) -> Option<&'static Rule> {
        Rule::of_kind(admission::RULES, group, kind)
    }
}

/// The clusters that are in one of the sets, as any dialect may ask. A set that is not there or cannot be read has none:
/// see [`unknown_sets`]. Who asks depends on [`set_dependences`].
pub fn members_of_sets(view: View, names: &[Text]) -> BTreeSet<Text> {
    let fleet = view.store.fleet(&fleet_scope());
    let meant = set::all(view).into_iter().filter(|set| names.contains(set.name()));
    let picks = meant.map(|set| Picks::Selector(set.selector()));
    let members = picks.flat_map(|picks| fleet.into_iter().flat_map(move |fleet| picks.members(fleet)));
    members.map(|it| it.name.clone()).gather()
}

/// Those of the sets of which nobody knows who is in them: they are not loaded, or cannot be read. What names one of them
/// must not take it for empty.
pub fn unknown_sets(view: View, names: &[Text]) -> Vec<Text> {
    let sets = set::all(view);
    names.iter().filter(|name| sets.iter().all(|set| set.name() != *name)).cloned().collect()
}

/// The clusters that a placement chooses, as any dialect may ask; nothing where it is not loaded. Who asks depends on
/// [`placement_dependences`].
pub fn members_of_placement(view: View, namespace: &str, name: &str) -> Option<BTreeSet<Text>> {
    let placement = view.store.document(&placement_of(namespace, name))?;
    let placed = Hub::of(view).decide(&placement.value, Why::Nobody, &mut Vec::new());
    Some(placed.groups.into_iter().flat_map(|it| it.clusters).gather())
}

/// What the members of sets depend on.
pub fn set_dependences() -> Vec<Dependence> {
    [KIND, MANAGED_CLUSTER].map(|kind| Dependence::kind(GROUP, kind, None)).to_vec()
}

/// What the clusters of a placement depend on. What was seen on the hub counts too: see [`decides`].
pub fn placement_dependences(namespace: &str, name: &str) -> Vec<Dependence> {
    let mut all = set_dependences();
    all.push(Dependence::Document(placement_of(namespace, name)));
    all.push(Dependence::kind(GROUP, BINDING, Some(namespace)));
    all.extend([DECISION, SCORE].map(|kind| Dependence::kind(GROUP, kind, None)));
    all
}

/// Whether an object of the hub has a say in what placements choose: an earlier decision, or a score.
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
