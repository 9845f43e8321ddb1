//! Held actions in the status of their subject: users who wait for an uninstall read the object, not a plan.

use super::events::events;
use super::{Action, Held, Plan, StatusPatch, Target, status_of};
use crate::diagnostic::ReasonCode;
use crate::object::document::Identity;
use crate::object::identity::is_terminating;
use crate::object::timestamp::Timestamp;
use crate::value::Value;
use crate::workspace::store::View;

/// How the status of a subject shows held actions.
#[derive(Clone, Debug)]
pub struct HoldReport {
    pub subject: Identity,
    /// The subject as the hub has it.
    pub live: Value,
    /// Writes the held actions of the subject into its status; there may be none.
    pub write: fn(&mut Value, &[&Held], Option<Timestamp>),
}

/// Adds the held actions to the statuses of a plan. Whether an action is held depends on the complete plan, so no
/// subject can write it alone.
pub fn report<'p>(view: View, plan: &mut Plan, reports: impl Iterator<Item = &'p HoldReport>) {
    for HoldReport { subject, live, write } in reports {
        // The last step of an uninstall deletes the subject: there is no status to write after it.
        let ends = |it: &Action| it.subject == *subject && it.reason.code == ReasonCode::AllReleased;
        if is_terminating(live) && plan.actions.iter().any(ends) {
            continue;
        }
        let (target, before) = (Target::of(live), status_of(live));
        let planned = plan.status.iter().position(|it| it.target == target);
        let mut status =
            planned.and_then(|at| plan.status.get(at)).map_or_else(|| before.clone(), |it| it.status.clone());
        let held: Vec<&Held> = plan.held.iter().filter(|it| it.action.subject == *subject).collect();
        write(&mut status, &held, view.now);
        let patch = || {
            let events = events(view.store, &before, &status);
            StatusPatch { subject: subject.clone(), target: target.clone(), status: status.clone(), events }
        };
        match planned.and_then(|at| plan.status.get_mut(at)) {
            Some(planned) => *planned = patch(),
            None if status != before => plan.status.push(patch()),
            None => {}
        }
    }
}
