//! Open Cluster Management: sets of clusters, who may use them, and placements on them (seed 001).

mod hub;

use std::collections::BTreeSet;
use std::sync::Arc;

use hub::Hub;

use super::{Dependence, Dialect, Memo, Subject, Touch};
use crate::clusterset::{ClusterSet, GROUP, KIND};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::document::{Document, Identity};
use crate::outcome::Outcome;
use crate::placement::Why;
use crate::plan::Planner;
use crate::results::Cells;
use crate::rules::clusters::MANAGED_CLUSTER;
use crate::select::Cluster;
use crate::store::{Scope, View};
use crate::value::Text;
use crate::who::{Picks, Who};

const BINDING: &str = "ManagedClusterSetBinding";
const PLACEMENT: &str = "Placement";
const DECISION: &str = "PlacementDecision";
const SCORE: &str = "AddOnPlacementScore";

#[derive(Debug)]
pub struct Ocm;

/// The clusters that are in one of the sets, as any dialect may ask. A set that is not there or cannot be read has none:
/// see [`unknown_sets`]. Who asks depends on [`set_dependences`].
pub fn members_of_sets(view: View, names: &[Text]) -> BTreeSet<Text> {
    let fleet = view.store.fleet(&fleet_scope());
    let sets = view.cluster_sets(&mut Vec::new());
    let meant = sets.into_iter().filter(|set| names.contains(set.name()));
    let picks = meant.map(|set| Picks::Selector(set.selector()));
    let members = picks.flat_map(|picks| fleet.into_iter().flat_map(move |fleet| picks.members(fleet)));
    members.map(|it| it.name.clone()).collect()
}

/// Those of the sets of which nobody knows who is in them: they are not loaded, or cannot be read. What names one of them
/// must not take it for empty.
pub fn unknown_sets(view: View, names: &[Text]) -> Vec<Text> {
    let sets = view.cluster_sets(&mut Vec::new());
    names.iter().filter(|name| sets.iter().all(|set| set.name() != *name)).cloned().collect()
}

/// The clusters that a placement chooses, as any dialect may ask; nothing where it is not loaded. Who asks depends on
/// [`placement_dependences`].
pub fn members_of_placement(view: View, namespace: &str, name: &str) -> Option<BTreeSet<Text>> {
    let placement = view.store.document(&placement_of(namespace, name))?;
    let placed = Hub::of(view).decide(&placement.value, Why::Nobody, &mut Vec::new());
    Some(hub::chosen(&placed))
}

/// What the members of sets depend on.
pub fn set_dependences() -> Vec<Dependence> {
    [KIND, MANAGED_CLUSTER].map(|kind| Dependence::kind(GROUP, kind, None)).to_vec()
}

/// What the clusters of a placement depend on.
pub fn placement_dependences(namespace: &str, name: &str) -> Vec<Dependence> {
    let mut all = set_dependences();
    all.push(Dependence::Document(placement_of(namespace, name)));
    all.push(Dependence::kind(GROUP, BINDING, Some(namespace)));
    all.extend([DECISION, SCORE].map(|kind| Dependence::kind(GROUP, kind, None)));
    all
}

fn placement_of(namespace: &str, name: &str) -> Identity {
    Identity { kind: PLACEMENT.into(), group: GROUP.into(), namespace: namespace.into(), name: name.into() }
}

fn fleet_scope() -> Scope {
    Scope { kind: MANAGED_CLUSTER.into(), namespace: Text::default() }
}

impl Dialect for Ocm {
    fn name(&self) -> &'static str {
        "ocm"
    }

    fn is_subject(&self, _: View, document: &Document) -> bool {
        document.identity.group == GROUP && document.identity.kind == KIND
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        let sets = view.cluster_sets(out);
        let set = sets.into_iter().find(|set| *set.name() == document.identity.name);
        let set = set.ok_or_else(|| Error::new(Code::BadClusterSet, "the set is not valid"))?;
        Ok(Box::new(Set::new(&set)))
    }

    fn lint(&self, _: View, _: &mut Vec<Diagnostic>) {}
}

/// A ManagedClusterSet.
#[derive(Debug)]
struct Set {
    who: Who,
    depends: Vec<Dependence>,
}

impl Set {
    fn new(set: &ClusterSet) -> Set {
        Set {
            who: Who::Fleet(fleet_scope(), Picks::Selector(set.selector())),
            // Sets that share an exclusive label exclude each other.
            depends: vec![Dependence::kind(GROUP, KIND, None)],
        }
    }
}

impl Subject for Set {
    fn who(&self) -> &Who {
        &self.who
    }

    fn depends(&self) -> &[Dependence] {
        &self.depends
    }

    fn effective(&self, _: View, _: &Cluster, memo: &mut Memo) -> Result<Arc<Outcome>, Error> {
        memo.get_or(Vec::new(), |_| Ok(Outcome::default()))
    }

    fn plan(&self, _: View, _: &Text, _: &Outcome, _: &mut Planner) {}

    fn conclude(&self, _: View, _: &Cells, _: &mut Planner) {}

    fn touched_by(&self, _: &Identity) -> Touch {
        Touch::Nothing
    }
}

#[cfg(test)]
mod tests;
