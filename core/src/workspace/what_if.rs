//! What a change would do to the results of clusters, without making it.

use std::sync::Arc;

use crate::choice;
use crate::diagnostic::{Diagnostic, Error, Location, Severity};
use crate::engine::fold::{Effective, Folded, Source, with_per_cluster};
use crate::engine::rendered::Rendered;
use crate::engine::select::fleet::Fleet;
use crate::object::document::Identity;
use crate::object::kinds::clusters::is_cluster;
use crate::object::redacted::Visibility;
use crate::object::timestamp::Timestamp;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::workspace::Workspace;
use crate::workspace::compare::{self, Cause, Change};
use crate::workspace::findings::{difference, of_document, of_replaced};
use crate::workspace::grouping::Groups;
use crate::workspace::lint::{self, place, tidy};
use crate::workspace::observed::HUB;
use crate::workspace::plan::{Action, Plan, Verb, planned};
use crate::workspace::removal::{self, Collected};
use crate::workspace::results::{ClusterResult, PerClusterOptions, Previous, PreviousResults, Results, SubjectEntry};
use crate::workspace::store::{Scope, Store, View, count_clusters};
use crate::workspace::subject::Subject;
use crate::workspace::targets::Targets;
use crate::workspace::trial::Journal;

/// What would change, and for which clusters.
#[derive(Debug)]
pub struct Consequences {
    /// All clusters of the fleet, before or after the change.
    pub clusters: usize,
    /// The scope of the clusters of each subject that changes: names alone do not identify clusters.
    pub scopes: SortedMap<Identity, Scope>,
    pub groups: Vec<ChangeGroup>,
    pub shadowed: Vec<ShadowGroup>,
    /// Objects of the hub that the garbage collector deletes.
    pub collected: Vec<Collected>,
    pub plan_before: Plan,
    pub plan_after: Plan,
    /// The findings that the change brings.
    pub introduced: Vec<Diagnostic>,
    /// The findings that it fixes.
    pub fixed: Vec<Diagnostic>,
    /// The changed documents with errors that the change brings. The engine does not use them.
    pub refused: Vec<Identity>,
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
    /// Whether the object stays where it is, without its owner.
    pub is_released: bool,
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

/// Makes a change, compares the results of all clusters and the plans before and after it, and undoes it. With
/// `is_linted`, the findings are those that `lint` has before or after it, also of documents that it does not reach.
///
/// # Errors
///
/// Those of the change.
pub fn what_if(
    workspace: &mut Workspace,
    now: Option<Timestamp>,
    is_linted: bool,
    change: impl FnOnce(&mut Workspace, &mut Journal) -> Result<(), Error>,
) -> Result<Consequences, Error> {
    workspace.refresh(now);
    let (plan_before, lint_before) = plan_and_lint(workspace, is_linted);
    let before = Before { clusters: ClustersBefore::of(&workspace.store), lint: lint_before };
    let mut trial =
        workspace.trial(change, |workspace, replaced, journal| Trial::look(workspace, replaced, journal, before))?;
    let edited_clusters: Vec<Identity> = trial.edited.iter().filter(|it| is_cluster(it)).cloned().collect();
    let per_cluster_before = workspace.results.per_cluster_options(&workspace.store, &edited_clusters);
    trial.tally.compare_per_cluster(&per_cluster_before, &trial.per_cluster_after, &workspace.store);
    let (introduced, fixed) = trial.findings(&workspace.store);
    let documents_of = |errors: Vec<&Diagnostic>| -> SortedSet<String> {
        errors.into_iter().filter_map(|it| it.at.document.clone()).collect()
    };
    let errors: Vec<&Diagnostic> = introduced.iter().filter(|it| it.severity == Severity::Error).collect();
    let broken = documents_of(errors.iter().copied().filter(|it| trial.of_edited.contains(it)).collect());
    let failing = documents_of(errors);
    let refused = trial.edited.iter().filter(|it| broken.contains(&it.to_string())).cloned().collect();
    // What cannot be read or computed any more has not been fixed, and an info needs no fix.
    let is_fixed = |it: &Diagnostic| {
        it.severity != Severity::Info && it.at.document.as_ref().is_none_or(|it| !failing.contains(it))
    };
    let fixed = fixed.into_iter().filter(is_fixed).collect();
    let (mut groups, shadowed) = trial.tally.into_groups();
    let Trial { clusters, scopes, plan_after, collected, .. } = trial;
    groups.iter_mut().for_each(|it| mark_released(it, &plan_after));
    Ok(Consequences {
        clusters,
        scopes,
        groups,
        shadowed,
        collected,
        plan_before,
        plan_after,
        introduced,
        fixed,
        refused,
    })
}

/// The plan, and if asked for, everything that `lint` finds.
fn plan_and_lint(workspace: &mut Workspace, is_linted: bool) -> (Plan, Option<Vec<Diagnostic>>) {
    let mut of_plan = Vec::new();
    let plan = planned(workspace, None, None, &[], &mut of_plan);
    let found = is_linted.then(|| lint::with_those_of_plan(workspace, of_plan));
    (plan, found)
}

/// What a change is compared with.
struct Before {
    clusters: ClustersBefore,
    /// Everything that `lint` finds, if it was asked for.
    lint: Option<Vec<Diagnostic>>,
}

/// The clusters before a change.
struct ClustersBefore {
    names: Vec<(Scope, Vec<Text>)>,
    with_unknown_labels: SortedSet<Text>,
}

impl ClustersBefore {
    fn of(store: &Store) -> ClustersBefore {
        let names = |fleet: &Fleet| fleet.clusters().map(|it| it.name.clone()).collect();
        let names = store.fleets().map(|(scope, fleet)| (scope.clone(), names(fleet))).collect();
        ClustersBefore { names, with_unknown_labels: with_unknown_labels(store) }
    }

    /// How many clusters were there before the change or are there after it.
    fn count_with(&self, store: &Store) -> usize {
        let before = self.names.iter().flat_map(|(scope, names)| names.iter().map(move |name| (scope, name)));
        let after = store.fleets().flat_map(|(scope, fleet)| fleet.clusters().map(move |it| (scope, &it.name)));
        count_clusters(before.chain(after))
    }
}

/// The state while the change was in effect.
struct Trial {
    tally: Tally,
    plan_after: Plan,
    clusters: usize,
    scopes: SortedMap<Identity, Scope>,
    collected: Vec<Collected>,
    /// The documents that the change loads or unloads.
    edited: Vec<Identity>,
    per_cluster_after: PerClusterOptions,
    /// The findings about what the change reaches. Those about edited documents before it are added after it is undone.
    found_before: Vec<Diagnostic>,
    found_after: Vec<Diagnostic>,
    /// The findings about the edited documents on their own, after the change.
    of_edited: Vec<Diagnostic>,
    /// Everything that `lint` finds before and after the change, if it was asked for.
    lint: Option<(Vec<Diagnostic>, Vec<Diagnostic>)>,
}

impl Trial {
    fn look(
        workspace: &mut Workspace,
        replaced: &PreviousResults,
        journal: &Journal,
        Before { clusters: clusters_before, lint: lint_before }: Before,
    ) -> Trial {
        let edited: Vec<Identity> = journal.documents().cloned().collect::<SortedSet<_>>().into_iter().collect();
        let edited_clusters: Vec<Identity> = edited.iter().filter(|it| is_cluster(it)).cloned().collect();
        let (plan_after, lint_after) = plan_and_lint(workspace, lint_before.is_some());
        let Workspace { store, results, .. } = workspace;
        let clusters = clusters_before.count_with(store);
        let mut tally = Tally { unknown_before: clusters_before.with_unknown_labels, ..Tally::default() };
        let (mut found_before, mut found_after) = (Vec::new(), Vec::new());
        for (identity, before) in replaced.iter() {
            tally.compare(identity, before, store, results);
            of_replaced(identity, before, results.get(identity), &mut found_before, &mut found_after);
        }
        removal::waiting(journal, store).for_each(|it| tally.leave(it, results));
        let scopes = replaced.iter().filter_map(|(identity, before)| {
            let now = results.get(identity).and_then(SubjectEntry::scope);
            Some((identity.clone(), now.or_else(|| before.scope())?.clone()))
        });
        let scopes = scopes.collect();
        let mut of_edited = Vec::new();
        for (identity, entry) in edited.iter().filter_map(|it| Some((it, results.get(it)?))) {
            lint::of_reading(identity, entry, &mut of_edited);
        }
        of_documents(store, &edited, &mut of_edited);
        found_after.extend(of_edited.iter().cloned());
        found_after.iter_mut().for_each(|it| place(it, store));
        Trial {
            scopes,
            of_edited,
            collected: removal::collected(store, journal, &plan_after),
            tally,
            plan_after,
            clusters,
            per_cluster_after: results.per_cluster_options(store, &edited_clusters),
            edited,
            found_before,
            found_after,
            lint: lint_before.zip(lint_after),
        }
    }

    /// The findings that the change brings, and those that it fixes.
    fn findings(&mut self, store: &Store) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let (mut before, mut after) = (std::mem::take(&mut self.found_before), std::mem::take(&mut self.found_after));
        of_documents(store, &self.edited, &mut before);
        before.iter_mut().for_each(|it| place(it, store));
        tidy(&mut before);
        tidy(&mut after);
        if let Some((lint_before, lint_after)) = self.lint.take() {
            lint::add_missing(lint_before, &mut before);
            lint::add_missing(lint_after, &mut after);
        }
        difference(before, after)
    }
}

/// The findings about some documents, with their locations.
fn of_documents(store: &Store, documents: &[Identity], out: &mut Vec<Diagnostic>) {
    let view = View { store, now: None };
    for document in documents.iter().filter_map(|it| store.document(it)) {
        of_document(view, document, out);
    }
    out.iter_mut().for_each(|it| place(it, store));
}

/// An object that a subject no longer gives, and that the plan patches instead of deleting it, is released.
fn mark_released(group: &mut ChangeGroup, plan: &Plan) {
    let ChangeGroup { subject, changes, clusters, .. } = group;
    let held = plan.held.iter().map(|it| &it.action);
    let actions: Vec<&Action> = plan.actions.iter().chain(held).filter(|it| it.subject == *subject).collect();
    for change in changes.iter_mut().filter(|it| it.path.is_empty() && it.after.is_none()) {
        let Some(object) = &change.object else { continue };
        let mut patched = actions.iter().filter(|it| it.verb == Verb::Patch && clusters.contains(&it.cluster));
        change.is_released = patched.any(|it| it.target.identity() == *object);
    }
}

/// The names of clusters; the hub has none.
pub fn without_hub(clusters: &SortedSet<Text>) -> impl Iterator<Item = &Text> {
    clusters.iter().filter(|it| *it != HUB)
}

/// Whether a subject shows its last state, as nothing could be decided.
fn is_kept(entry: &SubjectEntry) -> bool {
    entry.subject().is_ok_and(Subject::is_undecided)
}

/// Whether it is unknown if a subject picks a cluster.
fn is_undecided(entry: Option<&SubjectEntry>, cluster: &str, store: &Store) -> bool {
    let Some(Ok(Targets::Fleet(scope, picks))) = entry.map(|it| it.subject().map(Subject::targets)) else {
        return false;
    };
    store.fleet(scope).and_then(|it| it.get(cluster)).is_some_and(|it| picks.decides(it).is_none())
}

type Alike = (Identity, ChangeKind, Vec<ShownChange>);

/// What was found so far.
#[derive(Default)]
struct Tally {
    groups: Groups<Alike, SortedSet<Text>>,
    shadowed: Groups<ShownShadow, SortedSet<Text>>,
    /// The clusters whose labels could not be read before the change.
    unknown_before: SortedSet<Text>,
}

/// The clusters whose labels cannot be read.
fn with_unknown_labels(store: &Store) -> SortedSet<Text> {
    let unreadable = store.unreadable_clusters().map(|(identity, _)| identity);
    unreadable.filter(|it| store.has_unknown_labels(&Scope::of(it), &it.name)).map(|it| it.name.clone()).collect()
}

/// The groups that a pair of results belongs to, by index.
struct Compared {
    group: Option<usize>,
    shadows: Vec<usize>,
}

impl Tally {
    fn compare(&mut self, identity: &Identity, before: &Previous, store: &Store, results: &Results) {
        let none = SortedMap::new();
        let entry = results.get(identity);
        let now = entry.map_or(&none, |it| it.cluster_results());
        // What cannot be read keeps its last state: no cluster leaves it, and none joins it when it can be read again.
        let unread = match (before, entry) {
            (Previous::Subject(before), Some(entry)) if is_kept(entry) && !is_kept(before) => Some(ChangeKind::Fails),
            (_, Some(entry)) if entry.subject().is_err() => Some(ChangeKind::Fails),
            (Previous::Subject(entry), Some(_)) if entry.subject().is_err() => Some(ChangeKind::Heals),
            _ => None,
        };
        let mut seen = SortedMap::new();
        for (name, earlier, later) in before.beside(now) {
            match unread {
                Some(kind) => self.add(name, (identity.clone(), kind, Vec::new())),
                // So does a cluster whose labels cannot be read.
                None if earlier.is_some() && later.is_none() && is_undecided(entry, name, store) => {
                    self.add(name, (identity.clone(), ChangeKind::Fails, Vec::new()));
                }
                None if earlier.is_none() && later.is_some() && self.unknown_before.contains(name) => {
                    self.add(name, (identity.clone(), ChangeKind::Heals, Vec::new()));
                }
                None => self.pair(identity, name, earlier, later, store, &mut seen),
            }
        }
    }

    /// Notes that clusters no longer get anything from a subject that is being deleted. Its results may be the same
    /// until it is deleted.
    fn leave(&mut self, identity: &Identity, results: &Results) {
        if self.groups.all.iter().any(|((subject, ..), _)| subject == identity) {
            return;
        }
        for name in results.get(identity).into_iter().flat_map(|it| it.cluster_results().keys()) {
            self.add(name, (identity.clone(), ChangeKind::Leaves, Vec::new()));
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
        let kind = match (a.error(), b.error()) {
            (None, Some(_)) => ChangeKind::Fails,
            (Some(_), None) => ChangeKind::Heals,
            _ => ChangeKind::Changed,
        };
        let is_change = kind != ChangeKind::Changed || !changes.is_empty();
        let group = is_change.then(|| self.groups.index_of((subject.clone(), kind, changes)));
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
    fn compare_per_cluster(&mut self, before: &PerClusterOptions, after: &PerClusterOptions, store: &Store) {
        for ((subject, name), now) in after {
            let Some(earlier) = before.get(&(subject.clone(), name.clone())).filter(|it| *it != now) else { continue };
            let with = |per_cluster: &[Effective]| Rendered {
                options: Some(with_per_cluster(&Folded::default(), per_cluster)),
                ..Rendered::default()
            };
            let (a, b) = (with(earlier), with(now));
            let delta = compare::compare(&a, &b);
            let mut changes: Vec<_> = delta.changes.iter().map(|it| ShownChange::of(it, [&a, &b], store)).collect();
            // A cluster is in one group: its other changes move along.
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
            is_released: false,
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
