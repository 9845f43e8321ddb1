//! What a change would do to the results of clusters, without making it.

use std::sync::Arc;

use crate::choice;
use crate::diagnostic::{Error, Location};
use crate::engine::fold::{Effective, Folded, Source, with_per_cluster};
use crate::engine::rendered::Rendered;
use crate::object::document::Identity;
use crate::object::kinds::clusters::is_cluster;
use crate::object::redacted::Visibility;
use crate::object::timestamp::Timestamp;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::workspace::Workspace;
use crate::workspace::compare::{self, Cause, Change};
use crate::workspace::grouping::Groups;
use crate::workspace::observed::HUB;
use crate::workspace::plan::{Plan, planned};
use crate::workspace::results::{ClusterResult, PerClusterOptions, Previous, Results, SubjectEntry};
use crate::workspace::store::Store;
use crate::workspace::trial::Journal;

/// What would change, and for which clusters.
#[derive(Debug)]
pub struct Consequences {
    /// All clusters of the fleet.
    pub clusters: usize,
    /// The namespace of the clusters of each subject that changes: names alone do not identify clusters.
    pub namespaces: SortedMap<Identity, Text>,
    pub groups: Vec<ChangeGroup>,
    pub shadowed: Vec<ShadowGroup>,
    pub plan_before: Plan,
    pub plan_after: Plan,
}

choice! {
    /// How the results of clusters change.
    pub enum ChangeKind {
        Changed = "changed",
        Fails = "fails",
        Heals = "heals",
        Joins = "joins",
        Leaves = "leaves",
    }
}

/// Clusters that would change alike.
#[derive(Clone, Debug)]
pub struct ChangeGroup {
    pub subject: Identity,
    pub kind: ChangeKind,
    pub changes: Vec<ShownChange>,
    pub clusters: SortedSet<Text>,
}

/// Clusters for which the change sets a value without effect.
#[derive(Clone, Debug)]
pub struct ShadowGroup {
    pub shadow: ShownShadow,
    pub clusters: SortedSet<Text>,
}

/// A value that changes, without the contents of Secrets.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct ShownChange {
    pub path: String,
    pub object: Option<Identity>,
    pub before: Option<Source>,
    pub after: Option<Source>,
    pub cause: LocatedCause,
}

/// A value that another layer overrides.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct ShownShadow {
    pub subject: Identity,
    pub path: String,
    pub object: Option<Identity>,
    pub by: LocatedCause,
}

/// The layer that sets a value, and where. Located at once: the change may be undone before it is shown.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct LocatedCause {
    pub layer: Text,
    pub at: Location,
}

impl LocatedCause {
    pub fn of(cause: &Cause, store: &Store) -> LocatedCause {
        let at = cause.origin.as_ref().map(|it| store.locate(it)).unwrap_or_default();
        LocatedCause { layer: cause.layer.clone(), at }
    }
}

/// Makes a change, compares the results of all clusters and the plans before and after it, and undoes it.
///
/// # Errors
///
/// Those of the change.
pub fn what_if(
    workspace: &mut Workspace,
    now: Option<Timestamp>,
    change: impl FnOnce(&mut Workspace, &mut Journal) -> Result<(), Error>,
) -> Result<Consequences, Error> {
    workspace.refresh(now);
    let plan_before = planned(workspace, None, None, &mut Vec::new());
    let (mut tally, plan_after, clusters, namespaces, edited, own_after) =
        workspace.trial(change, |workspace, replaced, journal| {
            let edited: Vec<Identity> = journal.documents().filter(|it| is_cluster(it)).cloned().collect();
            let plan_after = planned(workspace, None, None, &mut Vec::new());
            let mut tally = Tally::default();
            for (identity, before) in replaced.iter() {
                tally.compare(identity, before, &workspace.store, &workspace.results);
            }
            let own_after = workspace.results.per_cluster_options(&workspace.store, &edited);
            let namespaces = replaced.iter().filter_map(|(identity, before)| {
                let now = workspace.results.get(identity).and_then(SubjectEntry::scope);
                Some((identity.clone(), now.or_else(|| before.scope())?.namespace.clone()))
            });
            let namespaces = namespaces.collect();
            (tally, plan_after, workspace.store.cluster_names().len(), namespaces, edited, own_after)
        })?;
    let own_before = workspace.results.per_cluster_options(&workspace.store, &edited);
    tally.compare_own(&own_before, &own_after, &workspace.store);
    let (groups, shadowed) = tally.into_groups();
    Ok(Consequences { clusters, namespaces, groups, shadowed, plan_before, plan_after })
}

/// The names of clusters; the hub has none.
pub fn without_hub(clusters: &SortedSet<Text>) -> impl Iterator<Item = &Text> {
    clusters.iter().filter(|it| *it != HUB)
}

type Alike = (Identity, ChangeKind, Vec<ShownChange>);

/// What was found so far.
#[derive(Default)]
struct Tally {
    groups: Groups<Alike, SortedSet<Text>>,
    shadowed: Groups<ShownShadow, SortedSet<Text>>,
}

/// The groups that a pair of results belongs to, by index.
struct Compared {
    group: Option<usize>,
    shadows: Vec<usize>,
}

impl Tally {
    fn compare(&mut self, identity: &Identity, before: &Previous, store: &Store, results: &Results) {
        let none = SortedMap::new();
        let now = results.get(identity).map_or(&none, |it| it.cluster_results());
        let mut seen = SortedMap::new();
        for (name, earlier, later) in before.beside(now) {
            self.pair(identity, name, earlier, later, store, &mut seen);
        }
    }

    /// Compares two results of one cluster. Most pairs are of the same two shared results, which are compared once.
    fn pair(
        &mut self,
        subject: &Identity,
        name: &Text,
        before: Option<&ClusterResult>,
        after: Option<&ClusterResult>,
        store: &Store,
        seen: &mut SortedMap<(usize, usize), Compared>,
    ) {
        let kind = match (before.map(|it| &it.rendered), after.map(|it| &it.rendered)) {
            (None, None) => return,
            (None, Some(_)) => ChangeKind::Joins,
            (Some(_), None) => ChangeKind::Leaves,
            (Some(Ok(_)), Some(Err(_))) => ChangeKind::Fails,
            (Some(Err(_)), Some(Ok(_))) => ChangeKind::Heals,
            (Some(Err(a)), Some(Err(b))) if a == b => return,
            (Some(Err(_)), Some(Err(_))) => ChangeKind::Fails,
            (Some(Ok(a)), Some(Ok(b))) if Arc::ptr_eq(a, b) => return,
            (Some(Ok(a)), Some(Ok(b))) => {
                let key = (Arc::as_ptr(a).addr(), Arc::as_ptr(b).addr());
                let Compared { group, shadows } =
                    seen.entry(key).or_insert_with(|| self.compare_results(subject, a, b, store));
                if let Some(clusters) = group.and_then(|at| self.groups.at_mut(at)) {
                    clusters.insert(name.clone());
                }
                for at in shadows {
                    if let Some(clusters) = self.shadowed.at_mut(*at) {
                        clusters.insert(name.clone());
                    }
                }
                return;
            }
        };
        self.add(name, (subject.clone(), kind, Vec::new()));
    }

    fn add(&mut self, name: &Text, alike: Alike) {
        let at = self.groups.index_of(alike);
        if let Some(clusters) = self.groups.at_mut(at) {
            clusters.insert(name.clone());
        }
    }

    fn compare_results(&mut self, subject: &Identity, a: &Rendered, b: &Rendered, store: &Store) -> Compared {
        let delta = compare::compare(a, b);
        let changes: Vec<_> = delta.changes.iter().map(|it| ShownChange::of(it, [a, b], store)).collect();
        let group =
            (!changes.is_empty()).then(|| self.groups.index_of((subject.clone(), ChangeKind::Changed, changes)));
        let shadows = delta.shadowed.iter().map(|it| {
            let shadow = ShownShadow {
                subject: subject.clone(),
                path: it.path.clone(),
                object: it.object.clone(),
                by: LocatedCause::of(&it.by, store),
            };
            self.shadowed.index_of(shadow)
        });
        Compared { group, shadows: shadows.collect() }
    }

    /// Adds what changes in the options that name the cluster.
    fn compare_own(&mut self, before: &PerClusterOptions, after: &PerClusterOptions, store: &Store) {
        for ((subject, name), now) in after {
            let Some(earlier) = before.get(&(subject.clone(), name.clone())).filter(|it| *it != now) else { continue };
            let with = |own: &[Effective]| Rendered {
                options: Some(with_per_cluster(&Folded::default(), own)),
                ..Rendered::default()
            };
            let (a, b) = (with(earlier), with(now));
            let delta = compare::compare(&a, &b);
            let mut changes: Vec<_> = delta.changes.iter().map(|it| ShownChange::of(it, [&a, &b], store)).collect();
            // A cluster is in one group: what else changes for it goes along.
            let held = self.groups.all.iter_mut().find(|((it, kind, _), clusters)| {
                it == subject && *kind == ChangeKind::Changed && clusters.contains(name)
            });
            if let Some(((_, _, others), clusters)) = held {
                clusters.remove(name);
                changes.splice(0..0, others.iter().cloned());
            }
            self.add(name, (subject.clone(), ChangeKind::Changed, changes));
        }
    }

    fn into_groups(self) -> (Vec<ChangeGroup>, Vec<ShadowGroup>) {
        let groups = self.groups.all.into_iter().filter(|(_, clusters)| !clusters.is_empty());
        let groups =
            groups.map(|((subject, kind, changes), clusters)| ChangeGroup { subject, kind, changes, clusters });
        let shadowed = self.shadowed.all.into_iter().map(|(shadow, clusters)| ShadowGroup { shadow, clusters });
        (groups.collect(), shadowed.collect())
    }
}

impl ShownChange {
    fn of(change: &Change, sides: [&Rendered; 2], store: &Store) -> ShownChange {
        let (before, after) = shown_sides(change, sides);
        ShownChange {
            path: change.path.clone(),
            object: change.object.clone(),
            before,
            after,
            cause: LocatedCause::of(&change.cause, store),
        }
    }
}

/// Both sides of a change, without the contents of Secrets.
pub fn shown_sides(change: &Change, sides: [&Rendered; 2]) -> (Option<Source>, Option<Source>) {
    let mut objects = sides.into_iter().flat_map(|it| &it.objects).map(|it| &it.object);
    let object = objects.find(|it| change.object.as_ref() == Identity::of(it).ok().as_ref());
    let objects: Vec<_> = object.into_iter().collect();
    let visibility = Visibility::Redacted(&objects);
    let show = |source: &Option<Source>| match source {
        Some(Source::Value(value)) => {
            let shown = Source::Value(visibility.show(value.clone(), &change.place).into_value());
            Some(sides.iter().fold(shown, |shown, side| shown.without(&side.concealed)))
        }
        other => other.clone(),
    };
    (show(&change.before), show(&change.after))
}
