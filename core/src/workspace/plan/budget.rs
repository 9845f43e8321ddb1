//! The delete limits of a plan.
//!
//! Deletes of objects are counted, and clusters that a decision no longer lists. Deletes that were requested by
//! deleting the subject are not counted.
//!
//! 1. Objects that are deleted count against the share of the managed objects.
//! 2. Clusters that leave a decision count against the share of the clusters that decisions list.
//! 3. Both together count against the number of deletes.
//! 4. A subject that has two or more objects, or lists two or more clusters, must not lose all of them at once, even if
//!    they are few. A subject that is being deleted may, and so may one with a single object: moving it elsewhere is an
//!    ordinary edit.
//! 5. For 1 to 3, deletes within the window count as deletes of this plan, so many small plans count as a large one.
//!    Deletes without a time, or without a current time to compare with, are within the window. Rule 4 is about one
//!    plan: a subject may exchange its clusters one after the other.
//! 6. Earlier deletes alone hold nothing: a plan without deletes passes.

use super::{Action, Held, Plan, Verb};
use crate::diagnostic::ReasonCode;
use crate::object::identity::is_terminating;
use crate::object::kinds::upstreams::DECISION_KINDS;
use crate::object::timestamp::Timestamp;
use crate::workspace::settings::Limits;
use crate::workspace::store::Store;

/// What earlier plans took away.
#[derive(Clone, Debug)]
pub struct RecentDelete {
    pub at: Option<Timestamp>,
    /// Deleted objects.
    pub objects: u64,
    /// Clusters that left a decision.
    pub clusters: u64,
}

/// Objects, and clusters in decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holdings {
    objects: u64,
    clusters: u64,
}

impl Holdings {
    pub fn add(&mut self, objects: usize, clusters: usize) {
        *self = self.with(Holdings { objects: wide(objects), clusters: wide(clusters) });
    }

    pub fn with(self, more: Holdings) -> Holdings {
        let Holdings { objects, clusters } = more;
        Holdings { objects: self.objects.saturating_add(objects), clusters: self.clusters.saturating_add(clusters) }
    }

    fn total(self) -> u64 {
        self.objects.saturating_add(self.clusters)
    }

    /// What actions take away.
    fn lost<'p>(actions: impl Iterator<Item = &'p Action>) -> Holdings {
        actions.fold(Holdings::default(), |mut sum, action| {
            sum.add(usize::from(is_counted_delete(action)), action.leaving.len());
            sum
        })
    }
}

/// The limits of a plan, and what counts against them already.
pub struct Budget<'a> {
    limits: &'a Limits,
    recent: Vec<&'a RecentDelete>,
}

impl<'a> Budget<'a> {
    pub fn of(limits: &'a Limits, recent: &'a [RecentDelete], now: Option<Timestamp>) -> Budget<'a> {
        let counts = |it: &&RecentDelete| match (it.at, now) {
            (Some(at), Some(now)) => now.seconds().saturating_sub(at.seconds()) < limits.window_seconds,
            _ => limits.window_seconds > 0,
        };
        Budget { limits, recent: recent.iter().filter(counts).collect() }
    }

    fn earlier(&self) -> Holdings {
        let its = self.recent.iter().map(|it| Holdings { objects: it.objects, clusters: it.clusters });
        its.fold(Holdings::default(), Holdings::with)
    }

    /// Holds the deletes of a subject that would lose everything: those from `since` on.
    pub fn hold_subject(&self, store: &Store, plan: &mut Plan, since: usize, holdings: Holdings) {
        let its = || plan.actions.iter().skip(since);
        let lost = Holdings::lost(its());
        let Some(subject) = its().find(|it| takes(it) != [0, 0]).map(|it| it.subject.clone()) else { return };
        let is_ending = store.document(&subject).is_none_or(|it| is_terminating(&it.value));
        if self.limits.empty_selection || is_ending {
            return;
        }
        let hint = "take them away in smaller steps, or allow it with `limits.emptySelection: true`";
        let is_its = |it: &Action| it.subject == subject;
        let all = holdings.objects.max(2);
        if crate::seeded!(EmptySelectionIsNotHeld, lost.objects >= all, lost.objects > all) {
            let text = format!("`{subject}` would lose all of its {} objects", lost.objects);
            hold_all(plan, |it| is_its(it) && is_counted_delete(it), ReasonCode::AllOfSubject, &text, hint);
        }
        if lost.clusters >= holdings.clusters.max(2) {
            let text = format!("`{subject}` would lose all of its {} clusters", lost.clusters);
            hold_all(plan, |it| is_its(it) && !it.leaving.is_empty(), ReasonCode::AllOfSubject, &text, hint);
        }
    }

    /// Holds all deletes of a plan that has too many of them, and all changes likewise.
    pub fn hold_many(&self, plan: &mut Plan, managed: Holdings) {
        let Limits { deletes: number, delete_percent, .. } = *self.limits;
        let earlier = self.earlier();
        let (managed, lost) = (managed.with(earlier), Holdings::lost(plan.actions.iter()));
        let all = lost.with(earlier);
        let share = |of: u64| of.saturating_mul(delete_percent).div_ceil(100);
        let total = all.total();
        let hint = format!("allow it with `limits.deletes: {total}` and a `limits.deletePercent` to match");
        // What is left of the number after what counts first: all of it where one of the two exceeds it alone.
        let rest = |own: u64, other: u64| number.saturating_sub(if own > number { 0 } else { other });
        let is_over = crate::seeded!(DeleteBudgetIsOneMore, total > number, total > number.saturating_add(1));
        if lost.objects > 0 && (all.objects > share(managed.objects) || is_over) {
            let most = share(managed.objects).min(rest(all.objects, all.clusters));
            let text = format!(
                "the plan deletes {} of {} objects{}, more than the {most} that its limits allow",
                lost.objects,
                managed.objects,
                self.since(earlier.objects),
            );
            hold_all(plan, is_counted_delete, ReasonCode::DeleteBudget, &text, &hint);
        }
        if lost.clusters > 0 && (all.clusters > share(managed.clusters) || total > number) {
            let most = share(managed.clusters).min(rest(all.clusters, all.objects));
            let text = format!(
                "the plan takes {} of {} clusters out of their decisions{}, \
                 more than the {most} that its limits allow",
                lost.clusters,
                managed.clusters,
                self.since(earlier.clusters),
            );
            hold_all(plan, |it| !it.leaving.is_empty(), ReasonCode::DeleteBudget, &text, &hint);
        }
        // The status of an object that the plan creates is part of creating it.
        let changes = |it: &&Action| it.verb != Verb::Delete && (it.subresource.is_none() || it.live.is_some());
        let changes = wide(plan.actions.iter().filter(changes).count());
        if let Some(most) = self.limits.changes.filter(|most| changes > *most) {
            let text = format!("the plan changes {changes} objects, more than the {most} that its limits allow");
            let hint = format!("allow it with `limits.changes: {changes}`");
            hold_all(plan, |it| it.verb != Verb::Delete, ReasonCode::ChangeBudget, &text, &hint);
        }
    }

    /// How many were lost before, in words.
    fn since(&self, earlier: u64) -> String {
        match earlier {
            0 => String::new(),
            earlier => format!(" after {earlier} in the last {}", duration(self.limits.window_seconds)),
        }
    }
}

/// What an action takes: how many objects, and how many clusters out of a decision.
pub fn takes(action: &Action) -> [u64; 2] {
    let Holdings { objects, clusters } = Holdings::lost(std::iter::once(action));
    [objects, clusters]
}

/// Whether an action is a delete of an object; decisions count by the clusters that they list.
fn is_counted_delete(action: &Action) -> bool {
    action.verb == Verb::Delete && !action.is_consented && !is_decision(action)
}

/// Whether an action is about an object that lists clusters for other systems.
pub fn is_decision(action: &Action) -> bool {
    DECISION_KINDS.contains(&action.target.kind.as_str())
}

fn hold_all(plan: &mut Plan, stops: impl Fn(&Action) -> bool, code: ReasonCode, text: &str, hint: &str) {
    let (stopped, passing) = std::mem::take(&mut plan.actions).into_iter().partition(|it: &Action| stops(it));
    plan.actions = passing;
    let held = |action| Held { action, code, text: text.into(), hint: hint.into() };
    let stopped: Vec<Action> = stopped;
    plan.held.extend(stopped.into_iter().map(held));
}

/// Numbers of documents have 64 bits everywhere: the module counts with 32, and must answer the same.
fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Seconds as `1h`, `90m` or `45s`.
fn duration(seconds: i64) -> String {
    match (seconds % 3600, seconds % 60) {
        (0, _) => format!("{}h", seconds / 3600),
        (_, 0) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}
