//! What stops actions: pauses, protected kinds, and the limits of a whole plan.

use super::{Action, Held, Plan, SubjectPlan, Verb};
use crate::diagnostic::{Diagnostic, ReasonCode};
use crate::object::document::Identity;
use crate::object::kinds::upstreams::{CONSENTED_KINDS, DECISION_KINDS, PAUSE_SCOPES};
use crate::value::Value;
use crate::value::collections::SortedSet;
use crate::value::sorting::sort;
use crate::workspace::observed::HUB;
use crate::workspace::settings::Limits;
use crate::workspace::store::{Scope, Store};

/// The annotation that stops everything about an object, a cluster or a subject.
const PAUSED: &str = "fleetfold.dev/paused";

/// The annotation that lets an object of a protected kind go.
pub const ALLOW_DELETE: &str = "fleetfold.dev/allow-delete";

/// Puts together what all subjects contribute, and holds what must not pass.
pub fn assemble<'s>(store: &Store, steps: impl Iterator<Item = &'s SubjectPlan>, out: &mut Vec<Diagnostic>) -> Plan {
    let mut plan = Plan::default();
    let (mut managed, mut listed) = (0_usize, 0_usize);
    for steps in steps {
        plan.needs.extend(steps.needs.iter().cloned());
        plan.held.extend(steps.held.iter().cloned());
        plan.status.extend(steps.status.iter().cloned());
        out.extend(steps.diagnostics.iter().cloned());
        managed = managed.saturating_add(steps.managed);
        listed = listed.saturating_add(steps.listed);
        for action in &steps.actions {
            match stop(store, action) {
                Some((code, text, hint)) => plan.held.push(Held { action: action.clone(), code, text, hint }),
                None => plan.actions.push(action.clone()),
            }
        }
    }
    sort(&mut plan.needs);
    plan.needs.dedup();
    hold_many(&mut plan, &store.settings.limits, managed, listed);
    hold_last(&mut plan);
    // What a subject reports about its decisions waits for them.
    let undecided: SortedSet<&Identity> =
        plan.held.iter().filter(|it| is_decision(&it.action)).map(|it| &it.action.subject).collect();
    plan.status.retain(|it| !undecided.contains(&it.subject));
    let order = |it: &Action| (it.wave, it.subject.clone(), it.cluster.clone(), it.target.clone());
    plan.actions.sort_by_cached_key(order);
    plan.held.sort_by_cached_key(|it| order(&it.action));
    plan
}

/// Whether everything that a subject does is stopped.
pub fn is_paused(store: &Store, subject: &Identity) -> bool {
    store.document(subject).is_some_and(|it| annotated(&it.value, PAUSED)) || holder_of(store, subject).is_some()
}

/// What stops one action by itself: its code, why, and how to let it pass.
fn stop(store: &Store, action: &Action) -> Option<(ReasonCode, String, String)> {
    let paused = |what: String, hint: String| Some((ReasonCode::Paused, format!("{what} is paused"), hint));
    let lift = || format!("remove the annotation `{PAUSED}`");
    if store.settings.paused {
        return paused("the fleet".into(), "configure `paused: false`".into());
    }
    if store.document(&action.subject).is_some_and(|it| annotated(&it.value, PAUSED)) {
        return paused(format!("`{}`", action.subject), lift());
    }
    if action.live.as_ref().is_some_and(|it| annotated(it, PAUSED)) {
        return paused(format!("`{}`", action.target.identity()), lift());
    }
    if let Some(holder) = holder_of(store, &action.subject) {
        return paused(format!("`{holder}`"), lift());
    }
    if is_paused_cluster(store, action) {
        return paused(format!("the cluster `{}`", action.cluster), lift());
    }
    let Limits { protected_kinds, .. } = &store.settings.limits;
    let kind = &action.target.kind;
    let allowed = action.live.as_ref().is_some_and(|it| annotated(it, ALLOW_DELETE))
        || action.is_consented && CONSENTED_KINDS.contains(&kind.as_str());
    if action.verb == Verb::Delete && protected_kinds.contains(kind) && !allowed {
        let text = format!("objects of the kind `{kind}` are protected");
        return Some((ReasonCode::ProtectedKind, text, format!("annotate the object with `{ALLOW_DELETE}: \"true\"`")));
    }
    None
}

/// The Organization or Namespace of a subject, if it is paused.
fn holder_of(store: &Store, subject: &Identity) -> Option<String> {
    let holders = PAUSE_SCOPES.map(|(kind, group)| Identity {
        kind: kind.into(),
        group: group.into(),
        namespace: "".into(),
        name: subject.namespace.clone(),
    });
    let paused = |it: &Identity| store.document(it).is_some_and(|it| annotated(&it.value, PAUSED));
    holders.into_iter().find(paused).map(|it| it.to_string())
}

/// A cluster is known by its name in whichever system has it; what it needs on the hub carries its name.
fn is_paused_cluster(store: &Store, action: &Action) -> bool {
    let name = match action.cluster.as_str() {
        HUB => action.body.as_ref().or(action.live.as_ref()).map_or("", |it| it.text_at(&["spec", "clusterName"])),
        name => name,
    };
    let paused = |scope: &Scope| store.cluster_document(scope, name).is_some_and(|it| annotated(&it.value, PAUSED));
    !name.is_empty() && store.fleets().any(|(scope, _)| paused(scope))
}

fn annotated(object: &Value, key: &str) -> bool {
    object.text_at(&["metadata", "annotations", key]) == "true"
}

/// Holds all deletes of a plan that has too many of them, and all changes likewise.
///
/// 1. Objects that are deleted count against the share of the managed objects, unless somebody asked for it by deleting
///    the subject.
/// 2. Clusters that leave a decision count against the share of the clusters that decisions list.
/// 3. Both together count against the number of deletes.
fn hold_many(plan: &mut Plan, limits: &Limits, managed: usize, listed: usize) {
    let share = |of: usize| of.saturating_mul(usize::try_from(limits.delete_percent).unwrap_or(0)).div_ceil(100);
    let number = usize::try_from(limits.deletes).unwrap_or(0);
    let deletes = plan.actions.iter().filter(|it| is_counted_delete(it)).count();
    let leaving = plan.actions.iter().map(|it| it.leaving).fold(0, usize::saturating_add);
    let total = deletes.saturating_add(leaving);
    let hint = format!("allow it with `limits.deletes: {total}` and a `limits.deletePercent` to match");
    if deletes > share(managed) || (total > number && deletes > 0) {
        let most = share(managed).min(number.saturating_sub(if deletes > number { 0 } else { leaving }));
        let text =
            format!("the plan deletes {deletes} of {managed} objects, more than the {most} that its limits allow");
        hold_all(plan, is_counted_delete, ReasonCode::DeleteBudget, &text, &hint);
    }
    if leaving > share(listed) || (total > number && leaving > 0) {
        let most = share(listed).min(number.saturating_sub(if leaving > number { 0 } else { deletes }));
        let text = format!(
            "the plan takes {leaving} of {listed} clusters out of their decisions, \
             more than the {most} that its limits allow"
        );
        hold_all(plan, |it| it.leaving > 0, ReasonCode::DeleteBudget, &text, &hint);
    }
    // The status of an object that the plan creates is part of creating it.
    let changes = |it: &&Action| it.verb != Verb::Delete && (it.subresource.is_none() || it.live.is_some());
    let changes = plan.actions.iter().filter(changes).count();
    if let Some(most) = limits.changes.filter(|most| usize::try_from(*most).is_ok_and(|most| changes > most)) {
        let text = format!("the plan changes {changes} objects, more than the {most} that its limits allow");
        let hint = format!("allow it with `limits.changes: {changes}`");
        hold_all(plan, |it| it.verb != Verb::Delete, ReasonCode::ChangeBudget, &text, &hint);
    }
}

/// Whether an action is a delete of an object; decisions count by the clusters that they list.
fn is_counted_delete(action: &Action) -> bool {
    action.verb == Verb::Delete && !action.is_consented && !is_decision(action)
}

/// Whether an action is about an object that lists clusters for other systems.
fn is_decision(action: &Action) -> bool {
    DECISION_KINDS.contains(&action.target.kind.as_str())
}

/// What must come last waits for what is held: a finalizer that goes while an object still refers to its owner leaves the
/// object to the garbage collector.
fn hold_last(plan: &mut Plan) {
    let held: Vec<&Identity> = plan.held.iter().map(|it| &it.action.subject).collect();
    let waits = |it: &Action| it.reason.code == ReasonCode::AllReleased && held.contains(&&it.subject);
    let (stopped, passing): (Vec<Action>, _) = std::mem::take(&mut plan.actions).into_iter().partition(waits);
    plan.actions = passing;
    plan.held.extend(stopped.into_iter().map(|action| Held {
        code: ReasonCode::WaitsForHeld,
        text: format!("steps of `{}` that come before are held", action.subject),
        hint: "let those pass first".into(),
        action,
    }));
}

fn hold_all(plan: &mut Plan, stops: impl Fn(&Action) -> bool, code: ReasonCode, text: &str, hint: &str) {
    let (stopped, passing) = std::mem::take(&mut plan.actions).into_iter().partition(|it: &Action| stops(it));
    plan.actions = passing;
    let held = |action| Held { action, code, text: text.into(), hint: hint.into() };
    let stopped: Vec<Action> = stopped;
    plan.held.extend(stopped.into_iter().map(held));
}
