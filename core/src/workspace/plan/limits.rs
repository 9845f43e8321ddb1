//! Holds actions: pauses, protected kinds, and the limits of a plan.

use std::cmp::Ordering;

use super::budget::{Budget, Holdings, RecentDelete, is_decision};
use super::pause::Pause;
use super::{Action, Held, Plan, SubjectPlan, Verb};
use crate::diagnostic::{Diagnostic, ReasonCode};
use crate::object::document::Identity;
use crate::object::kinds::upstreams::CONSENTED_KINDS;
use crate::object::timestamp::Timestamp;
use crate::value::Value;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::sorting::{sort, sort_by};
use crate::workspace::store::Store;

/// The annotation that lets an object of a protected kind go.
pub const ALLOW_DELETE: &str = "fleetfold.dev/allow-delete";

/// Puts together what all subjects contribute, and holds what must not pass. Each group is what one subject
/// contributes.
pub fn assemble<'s, G: Iterator<Item = &'s SubjectPlan>>(
    store: &Store,
    groups: impl Iterator<Item = G>,
    (recent, now): (&[RecentDelete], Option<Timestamp>),
    out: &mut Vec<Diagnostic>,
) -> Plan {
    let mut plan = Plan::default();
    let budget = Budget::of(&store.settings.limits, recent, now);
    let mut all = Holdings::default();
    for steps in groups {
        let (since, mut its) = (plan.actions.len(), Holdings::default());
        for steps in steps {
            plan.needs.extend(steps.needs.iter().cloned());
            plan.held.extend(steps.held.iter().cloned());
            plan.status.extend(steps.status.iter().cloned());
            out.extend(steps.diagnostics.iter().cloned());
            its.add(steps.managed, steps.listed);
            for action in &steps.actions {
                match stop(store, action) {
                    Some((code, text, hint)) => plan.held.push(Held { action: action.clone(), code, text, hint }),
                    None => plan.actions.push(action.clone()),
                }
            }
        }
        budget.hold_subject(store, &mut plan, since, its);
        all = all.with(its);
    }
    sort(&mut plan.needs);
    plan.needs.dedup();
    budget.hold_many(&mut plan, all);
    hold_last(&mut plan);
    // What a subject reports about its decisions waits for them.
    let undecided: SortedSet<&Identity> =
        plan.held.iter().filter(|it| is_decision(&it.action)).map(|it| &it.action.subject).collect();
    plan.status.retain(|it| !undecided.contains(&it.subject));
    sort_by(&mut plan.actions, order);
    sort_by(&mut plan.held, |a, b| order(&a.action, &b.action));
    plan
}

/// The order in which actions are listed: by wave, subject, cluster and object.
fn order(a: &Action, b: &Action) -> Ordering {
    let by_subject = a.wave.cmp(&b.wave).then_with(|| a.subject.cmp(&b.subject));
    by_subject.then_with(|| a.cluster.cmp(&b.cluster)).then_with(|| a.target.cmp(&b.target))
}

/// Why a single action is held: the code, the reason, and how to release it.
fn stop(store: &Store, action: &Action) -> Option<(ReasonCode, String, String)> {
    if let Some(Pause { text, hint }) = Pause::of(store, action) {
        return Some((ReasonCode::Paused, text, hint));
    }
    let kind = &action.target.kind;
    let allowed = action.live.as_ref().is_some_and(allows_delete)
        || action.is_consented && CONSENTED_KINDS.contains(&kind.as_str());
    if action.verb == Verb::Delete && store.settings.limits.protected_kinds.contains(kind) && !allowed {
        let text = format!("objects of the kind `{kind}` are protected");
        return Some((ReasonCode::ProtectedKind, text, format!("annotate the object with `{ALLOW_DELETE}: \"true\"`")));
    }
    None
}

fn allows_delete(object: &Value) -> bool {
    object.text_at(&["metadata", "annotations", ALLOW_DELETE]) == "true"
}

/// Actions that must come last wait for held ones: if a finalizer is removed while an object still refers to its owner,
/// the garbage collector deletes the object, and a cluster that one decision drops before another lists it is
/// deselected.
fn hold_last(plan: &mut Plan) {
    let held: SortedSet<&Identity> = plan.held.iter().map(|it| &it.action.subject).collect();
    let mut decisions: SortedMap<&Identity, i64> = SortedMap::new();
    for action in plan.held.iter().map(|it| &it.action).filter(|it| is_decision(it)) {
        let first = decisions.entry(&action.subject).or_insert(action.wave);
        *first = action.wave.min(*first);
    }
    let waits = |it: &Action| {
        let follows = || is_decision(it) && decisions.get(&it.subject).is_some_and(|first| *first < it.wave);
        let is_held = || crate::seeded!(FinalizerDoesNotWait, held.contains(&it.subject), false);
        it.reason.code == ReasonCode::AllReleased && is_held() || follows()
    };
    let (stopped, passing): (Vec<Action>, _) = std::mem::take(&mut plan.actions).into_iter().partition(waits);
    plan.actions = passing;
    plan.held.extend(stopped.into_iter().map(|action| Held {
        code: ReasonCode::WaitsForHeld,
        text: format!("steps of `{}` that come before are held", action.subject),
        hint: "let those pass first".into(),
        action,
    }));
}
