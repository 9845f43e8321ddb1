//! What a placement is decided from, gathered from everything that is loaded.

use super::binding::bound_by;
use super::{BINDING, DECISION, SCORE, fleet_scope, set};
use crate::cel::{Allowance, Program};
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::placement::{Expression, PLACEMENT, Placed, Question, Sharing, Why, has_expressions, listed, place};
use crate::engine::select::cluster_set::{self, ClusterSet, GROUP};
use crate::object::document::Identity;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::object::timestamp::Timestamp;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Text, Value};
use crate::workspace::observed::HUB;
use crate::workspace::store::View;
use crate::workspace::targets::ClusterFilter;

/// The sets, and the current decisions, at one moment. Anything that is not loaded counts as absent: a planner must
/// read it first.
#[derive(Debug)]
pub struct Hub<'a> {
    view: View<'a>,
    sets: Vec<ClusterSet>,
    broken_sets: Vec<Text>,
    decisions: SortedMap<&'a Identity, &'a Value>,
}

impl<'a> Hub<'a> {
    pub fn of(view: View<'a>) -> Hub<'a> {
        let sets = set::all(view);
        let all = view.store.of_kind(GROUP, cluster_set::KIND, None).map(|it| &it.identity.name);
        let broken = all.filter(|name| sets.iter().all(|set| set.name() != *name)).cloned().collect();
        Hub { view, sets, broken_sets: broken, decisions: objects(view, DECISION) }
    }

    /// Decides a placement. Its errors go to `out`; the clusters that `why` names get the reasons why they are chosen
    /// or not.
    pub fn decide(&self, placement: &'a Value, why: Why, out: &mut Vec<Diagnostic>) -> Placed {
        let View { store, now } = self.view;
        let (namespace, mode) = (placement.text_at(&["metadata", "namespace"]), store.settings.mode);
        let (mut bound, mut broken_bindings) = (Vec::new(), Vec::new());
        for binding in store.of_kind(GROUP, BINDING, Some(namespace)) {
            match bound_by(binding, mode) {
                Ok(set) => bound.push(Text::from(set)),
                Err(_) => broken_bindings.push(Text::from(binding.identity.to_string())),
            }
        }
        let unreadable = unreadable(self.view);
        // No reasons are needed for the others, and the index has the members.
        let sets: Vec<ClusterSet> = match why {
            Why::Nobody => self.sets.iter().filter(|set| bound.contains(set.name())).cloned().collect(),
            _ => self.sets.clone(),
        };
        let clusters: Vec<&Value> = match why {
            Why::Nobody => self.members(&sets, &unreadable),
            _ => store.of_kind(GROUP, MANAGED_CLUSTER, None).map(|it| &it.value).collect(),
        };
        let question = Question {
            placement,
            clusters: &clusters,
            sets: &sets,
            broken_sets: &self.broken_sets,
            bound: &bound,
            broken_bindings: &broken_bindings,
            unreadable: &unreadable,
            prior: &self.prior(placement),
            scores: &objects(self.view, SCORE).into_values().collect::<Vec<_>>(),
            used: &self.used(placement),
            now,
            mode,
            why,
            sharing: sharing(self.view, namespace),
            compile: &compile,
        };
        place(&question, out)
    }

    /// The documents of the clusters that are in one of the sets, or may be.
    fn members(&self, sets: &[ClusterSet], unreadable: &SortedMap<&str, &Error>) -> Vec<&'a Value> {
        let store = self.view.store;
        let Some(fleet) = store.fleet(&fleet_scope()) else { return Vec::new() };
        let mut members: SortedSet<&str> = unreadable.keys().copied().collect();
        for set in sets {
            members
                .extend(ClusterFilter::Selector(set.selector()).members(fleet).into_iter().map(|it| it.name.as_str()));
        }
        let documents = members.into_iter().filter_map(|name| store.cluster_document(&fleet_scope(), name));
        documents.map(|it| &it.value).collect()
    }

    /// The current decisions of a placement.
    fn prior(&self, placement: &Value) -> Vec<&'a Value> {
        let owner = owner_of_placement(placement);
        self.decisions.values().copied().filter(|it| owner_of(it) == owner).collect()
    }

    /// How many decisions of other placements list a cluster.
    ///
    /// OCM counts them all, and decides one placement after the other. Here all are decided at once: if each of two
    /// made room for the other, they would change places forever. So the older one stays, and the newer one makes room;
    /// of two with the same age, the first by name stays.
    fn used(&self, placement: &Value) -> SortedMap<Text, u32> {
        let (owner, age) = (owner_of_placement(placement), age_of(placement));
        let mut used: SortedMap<Text, u32> = SortedMap::new();
        for decision in self.decisions.values() {
            let other = owner_of(decision);
            if other == owner || self.view.settings.mode == Mode::Strict && self.is_newer(other, (age, owner)) {
                continue;
            }
            for cluster in listed(decision) {
                let count = used.entry(cluster.into()).or_default();
                *count = count.saturating_add(1);
            }
        }
        used
    }

    /// Whether a placement is loaded, and came after another one.
    fn is_newer(&self, (namespace, name): (&str, &str), than: (Option<i64>, (&str, &str))) -> bool {
        let placement = self.view.document(&super::placement_of(namespace, name));
        placement.is_some_and(|it| (age_of(&it.value), (namespace, name)) > than)
    }
}

/// The ManagedClusters of which it is unknown what selects them, each with the mistake in its document.
pub fn unreadable<'a>(view: View<'a>) -> SortedMap<&'a str, &'a Error> {
    let clusters = view.store.unreadable_clusters().filter(|(it, _)| it.kind == MANAGED_CLUSTER && it.group == GROUP);
    clusters.map(|(identity, error)| (identity.name.as_str(), error)).collect()
}

/// How many placements with expressions each namespace has, and in how many namespaces sets are bound.
struct Shares {
    placements: SortedMap<Text, usize>,
    namespaces: usize,
}

/// With how many others a placement of the namespace shares the steps of expressions.
pub fn sharing(view: View, namespace: &str) -> Sharing {
    let shares = view.store.derived("ocm expressions", || {
        let mut placements: SortedMap<Text, usize> = SortedMap::new();
        for placement in view.store.of_kind(GROUP, super::PLACEMENT, None).filter(|it| has_expressions(&it.value)) {
            let count = placements.entry(placement.identity.namespace.clone()).or_default();
            *count = count.saturating_add(1);
        }
        let bound = view.store.of_kind(GROUP, BINDING, None).map(|it| &it.identity.namespace);
        Shares { placements, namespaces: bound.collect::<SortedSet<_>>().len() }
    });
    Sharing::of(shares.placements.get(namespace).copied().unwrap_or_default(), shares.namespaces)
}

/// The objects of a kind of OCM, loaded or observed on the hub; a loaded document takes precedence.
pub fn objects<'a>(view: View<'a>, kind: &'a str) -> SortedMap<&'a Identity, &'a Value> {
    let seen = view.store.observed(HUB).into_iter().flat_map(|it| it.objects());
    let mut objects: SortedMap<&Identity, &Value> =
        seen.filter(|(identity, _)| identity.kind == kind && identity.group == GROUP).collect();
    let written = view.store.of_kind(GROUP, kind, None);
    objects.extend(written.map(|it| (&it.identity, &it.value)));
    objects
}

/// The namespace and name of the placement whose decision it is.
fn owner_of(decision: &Value) -> (&str, &str) {
    (decision.text_at(&["metadata", "namespace"]), decision.text_at(&["metadata", "labels", PLACEMENT]))
}

fn owner_of_placement(placement: &Value) -> (&str, &str) {
    (placement.text_at(&["metadata", "namespace"]), placement.text_at(&["metadata", "name"]))
}

/// When a placement was created, in seconds; one that was never on a hub comes first.
fn age_of(placement: &Value) -> Option<i64> {
    Timestamp::parse(placement.text_at(&["metadata", "creationTimestamp"])).ok().map(|it| it.seconds())
}

/// Compiles an expression of a placement, which is about one variable.
fn compile(text: &str) -> Result<Expression, String> {
    const CLUSTER: &str = "managedCluster";
    let program = Program::compile(text, &[CLUSTER]).map_err(|error| error.message)?;
    Ok(Box::new(move |cluster, steps| {
        let mut allowance = Allowance::new(*steps);
        let result = program.evaluate_within(&[(CLUSTER, cluster.clone())], &mut allowance);
        *steps = allowance.left();
        match result {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("it gives {}, and not whether it holds", other.kind())),
            Err(error) => Err(error.message),
        }
    }))
}
