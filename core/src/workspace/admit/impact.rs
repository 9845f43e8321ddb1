//! The effect of a change on clusters: applies it, compares the results of clusters, and reverts it.
//!
//! 1. Counts the objects of clusters from every subject that the change affects, as `whatIf` reports them; if a dialect
//!    has options or decisions instead, one for each cluster.
//! 2. An object that a cluster no longer gets is deleted there, unless a policy retains it. A new or different object
//!    counts as changed.
//! 3. A document that cannot be read after the change keeps its last state, and deletes nothing.
//! 4. Deleting a namespace, or its organization, deletes everything in it.
//! 5. Changes of a status or a finalizer, and of an object that is being deleted, always pass.

use std::convert::Infallible;
use std::sync::Arc;

use super::request::{AdmissionRequest, DeleteRequest};
use super::{Verdict, from_server, rule_of};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::rendered::Rendered;
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::object::kinds::clusters::is_cluster;
use crate::object::kinds::upstreams::PAUSE_SCOPES;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::workspace::Workspace;
use crate::workspace::compare::compare;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::results::{ClusterResult, Previous, PreviousResults, SubjectEntry};
use crate::workspace::store::{Scope, Store, View};
use crate::workspace::subject::{RemovalCause, Subject};
use crate::workspace::targets::Targets;
use crate::workspace::trial::Journal;

/// What one change may do to clusters. What is not given does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// How many objects it may take, as a number and as a share of all that clusters get; the smaller one counts.
    pub deletes: Option<u64>,
    pub delete_percent: Option<u64>,
    /// How many objects it may change or add.
    pub changes: Option<u64>,
}

/// Whether documents of a kind can affect what clusters get.
pub fn concerns(view: View, group: &str, kind: &str) -> bool {
    let reads = |it: &HubKind| {
        let is_kind = match it.kind.strip_suffix('*') {
            Some(start) => kind.starts_with(start),
            None => it.kind == kind,
        };
        it.group == group && is_kind
    };
    rule_of(view, group, kind).is_some()
        || view.dialects().any(|it| it.kinds(view).iter().any(reads))
        || view.store.of_kind(group, kind, None).next().is_some()
}

/// Holds the new version of a document against the limits.
pub fn of_change(workspace: &mut Workspace, request: &AdmissionRequest, limits: &Limits, verdict: &mut Verdict) {
    let AdmissionRequest { identity, old, new, .. } = request;
    if request.moves_nothing() || is_emptied(&workspace.store, identity) {
        return;
    }
    let edited: Vec<Identity> = is_cluster(identity).then(|| identity.clone()).into_iter().collect();
    let impact = from_server(workspace, identity, old.as_ref(), |workspace| {
        let mut impact = Impact { managed: managed(workspace), ..Impact::default() };
        let per_cluster_before = workspace.results.per_cluster_options(&workspace.store, &edited);
        let put = |workspace: &mut Workspace, journal: &mut Journal| {
            journal.put(workspace, new.clone(), &mut Vec::new());
            Ok::<(), Infallible>(())
        };
        let Ok(()) = workspace.trial(put, |workspace, replaced, _| {
            impact.count(workspace, replaced, Reviewed { identity, deleted: &[] });
            for (key, now) in workspace.results.per_cluster_options(&workspace.store, &edited) {
                if per_cluster_before.get(&key).is_some_and(|it| *it != now) && !impact.changed.contains(&key) {
                    impact.changes = impact.changes.saturating_add(1);
                }
            }
        });
        impact
    });
    impact.judge(limits, verdict);
}

/// Holds the going of a document against the limits.
pub fn of_delete(workspace: &mut Workspace, request: &DeleteRequest, limits: &Limits, verdict: &mut Verdict) {
    let DeleteRequest { identity, old } = request;
    let Some(old) = old.as_ref().or_else(|| workspace.document(identity)).cloned() else { return };
    if is_terminating(&old.value) || is_emptied(&workspace.store, identity) {
        return;
    }
    let impact = from_server(workspace, identity, Some(&old), |workspace| {
        let mut impact = Impact { managed: managed(workspace), ..Impact::default() };
        let holds = is_holder(identity);
        let within = |it: &&Document| holds && it.identity.namespace == identity.name && !is_terminating(&it.value);
        let mut all: Vec<Document> = workspace.documents().filter(within).cloned().collect();
        all.push(old.clone());
        let remove = |workspace: &mut Workspace, journal: &mut Journal| {
            all.iter().for_each(|it| journal.remove(workspace, &it.identity));
            Ok::<(), Infallible>(())
        };
        let Ok(()) = workspace.trial(remove, |workspace, replaced, _| {
            impact.count(workspace, replaced, Reviewed { identity, deleted: &all });
        });
        impact
    });
    impact.judge(limits, verdict);
}

/// Whether what holds a document is being deleted, and everything in it.
fn is_emptied(store: &Store, identity: &Identity) -> bool {
    // A namespace goes with its organization.
    let name = if is_holder(identity) { &identity.name } else { &identity.namespace };
    PAUSE_SCOPES.iter().any(|(kind, group)| {
        let (kind, group, name) = (Text::from(*kind), Text::from(*group), name.clone());
        let holder = Identity { kind, group, namespace: Text::default(), name };
        store.document(&holder).is_some_and(|it| is_terminating(&it.value))
    })
}

fn is_holder(identity: &Identity) -> bool {
    PAUSE_SCOPES.contains(&(identity.kind.as_str(), identity.group.as_str()))
}

/// How many objects clusters get in all.
fn managed(workspace: &Workspace) -> usize {
    let cluster_results = workspace.results.subjects().flat_map(|(_, it)| it.cluster_results().values());
    cluster_results.map(weight).fold(0, usize::saturating_add)
}

/// How many objects a result counts for. A result that cannot be computed counts as one.
fn weight(cluster_result: &ClusterResult) -> usize {
    cluster_result.rendered.as_ref().map_or(1, |it| size(it))
}

fn size(rendered: &Rendered) -> usize {
    let Rendered { options, objects, group, .. } = rendered;
    if objects.is_empty() { usize::from(options.is_some() || group.is_some()) } else { objects.len() }
}

/// What is under review.
#[derive(Clone, Copy)]
struct Reviewed<'a> {
    identity: &'a Identity,
    /// The deleted documents.
    deleted: &'a [Document],
}

impl Reviewed<'_> {
    fn deletes(self, subject: &Identity) -> bool {
        self.deleted.iter().any(|it| it.identity == *subject)
    }

    /// Why a cluster loses the objects of a subject.
    fn removal_cause(&self, identity: &Identity, subject: &dyn Subject, cluster: &Text) -> RemovalCause<'_> {
        let is_its = |it: &&Document| {
            let scope = Scope::of(&it.identity);
            it.identity.name == *cluster && matches!(subject.targets(), Targets::Fleet(its, _) if *its == scope)
        };
        match self.deleted.iter().filter(|it| is_cluster(&it.identity)).find(is_its) {
            _ if self.deletes(identity) => RemovalCause::Subject,
            Some(cluster) => RemovalCause::Cluster(cluster),
            None => RemovalCause::NotPicked,
        }
    }
}

#[derive(Debug, Default)]
struct Impact {
    deletes: usize,
    changes: usize,
    /// How many objects clusters get before the change.
    managed: usize,
    /// The results that are changed, by subject and cluster.
    changed: SortedSet<(Identity, Text)>,
}

impl Impact {
    fn count(&mut self, workspace: &Workspace, replaced: &PreviousResults, reviewed: Reviewed) {
        let view = View { store: &workspace.store, now: None };
        for (identity, before) in replaced.iter() {
            let state = workspace.results.get(identity);
            let now = state.map(SubjectEntry::subject);
            let was = match before {
                Previous::Absent => None,
                Previous::Subject(state) => state.subject().ok(),
                Previous::Clusters { .. } => now.and_then(Result::ok),
            };
            let counts = match now {
                // It keeps its last state.
                Some(Err(_)) => false,
                // No dialect reads it any more, which deletes nothing, unless it is deleted itself.
                None => reviewed.deletes(identity),
                // It existed before another subject released it.
                Some(Ok(it)) if matches!(before, Previous::Absent) && it.is_object() => reviewed.identity == identity,
                Some(Ok(_)) => true,
            };
            if counts {
                self.count_subject(view, (identity, was), before, state, reviewed);
            }
        }
    }

    fn count_subject(
        &mut self,
        view: View,
        (identity, was): (&Identity, Option<&dyn Subject>),
        before: &Previous,
        state: Option<&SubjectEntry>,
        reviewed: Reviewed,
    ) {
        let none = SortedMap::new();
        let mut compared = SortedMap::new();
        for (cluster, earlier, later) in before.beside(state.map_or(&none, SubjectEntry::cluster_results)) {
            let (deletes, changes) = match (earlier, later.map(|it| &it.rendered)) {
                (Some(cluster_result), None) => {
                    let stays =
                        was.is_some_and(|it| it.retains_on(view, reviewed.removal_cause(identity, it, cluster)));
                    (if stays { 0 } else { weight(cluster_result) }, 0)
                }
                (None | Some(ClusterResult { rendered: Err(_), .. }), Some(Ok(rendered))) => (0, size(rendered)),
                (Some(ClusterResult { rendered: Ok(earlier), .. }), Some(Ok(later)))
                    if !Arc::ptr_eq(earlier, later) =>
                {
                    // Most pairs are of the same two shared results.
                    let pair = (Arc::as_ptr(earlier).addr(), Arc::as_ptr(later).addr());
                    *compared.entry(pair).or_insert_with(|| differences(earlier, later))
                }
                _ => (0, 0),
            };
            self.deletes = self.deletes.saturating_add(deletes);
            self.changes = self.changes.saturating_add(changes);
            if changes > 0 {
                self.changed.insert((identity.clone(), cluster.clone()));
            }
        }
    }

    fn judge(&self, limits: &Limits, verdict: &mut Verdict) {
        let [deletes, changes, managed] =
            [self.deletes, self.changes, self.managed].map(|it| u64::try_from(it).unwrap_or(u64::MAX));
        let share = limits.delete_percent.map(|it| managed.saturating_mul(it).div_ceil(100));
        let most = limits.deletes.into_iter().chain(share).min();
        let is_over = |most: &u64| crate::seeded!(AdmissionLimitIsExclusive, deletes > *most, deletes >= *most);
        if let Some(most) = most.filter(is_over) {
            let message = format!(
                "the change takes {deletes} of {managed} objects from clusters, more than the {most} that its limits \
                 allow"
            );
            let number = limits.deletes.filter(|it| deletes > *it).map(|_| format!("`limits.deletes: {deletes}`"));
            let percent = share.filter(|it| deletes > *it).map(|_| {
                // The smallest share that is enough.
                let percent = deletes.saturating_sub(1).saturating_mul(100).checked_div(managed).unwrap_or(100);
                format!("`limits.deletePercent: {}`", percent.saturating_add(1))
            });
            let allowed: Vec<String> = number.into_iter().chain(percent).collect();
            verdict.deny(&exceeded(Code::DeleteBudget, message, &allowed.join(" and ")));
        }
        if let Some(most) = limits.changes.filter(|most| changes > *most) {
            let objects = if changes == 1 { "object" } else { "objects" };
            let message = format!(
                "the change changes {changes} {objects} in clusters, more than the {most} that its limits allow"
            );
            verdict.deny(&exceeded(Code::ChangeBudget, message, &format!("`limits.changes: {changes}`")));
        }
    }
}

fn exceeded(code: Code, message: String, allowed: &str) -> Diagnostic {
    Diagnostic::error(code, message).hint(format!("make it in smaller steps, or allow it with {allowed}"))
}

/// How many objects go and how many are changed or added, of one cluster that gets something before and after.
fn differences(before: &Rendered, after: &Rendered) -> (usize, usize) {
    let delta = compare(before, after);
    let mut touched: SortedMap<Option<&Identity>, bool> = SortedMap::new();
    for change in &delta.changes {
        let goes = change.path.is_empty() && change.object.is_some() && change.after.is_none();
        touched.insert(change.object.as_ref(), goes);
    }
    let deletes = touched.values().filter(|goes| **goes).count();
    (deletes, touched.len().saturating_sub(deletes))
}
