//! The verbs with which a dialect plans: each compares with the observed state, and becomes a need or an action.

use std::sync::Arc;

use super::events::events;
use super::record::{last_applied, recorded};
use super::{Action, Held, HoldReport, Need, Reason, StatusPatch, SubjectPlan, Target, Verb, status_of};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::diff::diff;
use crate::engine::matching::{Difference, DifferenceKind, PairCache, Update, update_always_with, update_with};
use crate::engine::ownership::{AdoptAction, Owner, ReleaseAction, adopt, release};
use crate::engine::patch::{self, Operation};
use crate::engine::retain::local::{LocalChange, without};
use crate::engine::retain::{Retention, take};
use crate::object::concealed::Concealed;
use crate::object::document::Identity;
use crate::object::identity::is_terminating;
use crate::object::timestamp::Timestamp;
use crate::value::json::Samples;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation, Query};
use crate::workspace::store::View;

/// Collects what one subject contributes to a plan, for one cluster or for the subject itself.
#[derive(Debug)]
pub struct Planner<'a> {
    view: View<'a>,
    subject: &'a Identity,
    pub steps: SubjectPlan,
    /// What answers must not show of the actions from here on.
    pub concealed: Arc<Concealed>,
    pub known: Known,
}

/// Results for one cluster that save work for similar ones.
#[derive(Debug, Default)]
pub struct Known {
    compared: PairCache,
    /// Records of what was applied.
    records: Samples,
}

/// An object that a cluster should have.
#[derive(Clone, Debug)]
pub struct DesiredObject {
    /// Where the object lives.
    pub cluster: Text,
    pub desired: Value,
    pub wave: i64,
    /// The reason for the object, which the create action carries.
    pub because: String,
}

/// The state of an object after planning it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// It was not read yet.
    Unknown,
    /// It is as it should be.
    Fits,
    /// It will be created.
    Missing,
    /// It will be changed.
    Differs,
    /// It differs where no update can help.
    Stuck,
    /// It is being deleted, and is created again afterwards.
    Terminating,
}

impl<'a> Planner<'a> {
    pub fn new(view: View<'a>, subject: &'a Identity) -> Planner<'a> {
        Planner::knowing(Known::default(), view, subject)
    }

    /// The same for one of many similar clusters, with the results for the others.
    pub fn knowing(known: Known, view: View<'a>, subject: &'a Identity) -> Planner<'a> {
        Planner { view, subject, steps: SubjectPlan::default(), concealed: Arc::default(), known }
    }

    /// The observation of an object; adds a need if it is unknown.
    pub fn look(&mut self, cluster: &str, target: &Target) -> Observation<'a> {
        let observation = self.view.store.observation(cluster, &target.identity());
        if matches!(observation, Observation::Unknown) {
            self.need(cluster, target.clone(), Text::default());
        }
        observation
    }

    /// The objects that a query lists; adds a need while they are unknown.
    pub fn list(&mut self, cluster: &str, query: &Query) -> Option<Vec<(Identity, Value)>> {
        let listed = self.view.store.list(cluster, query);
        if listed.is_none() {
            let Query { api_version, kind, namespace, label_selector } = query.clone();
            self.need(cluster, Target { api_version, kind, namespace, name: Text::default() }, label_selector);
        }
        Some(listed?.into_iter().map(|(identity, object)| (identity.clone(), object.clone())).collect())
    }

    fn need(&mut self, cluster: &str, target: Target, label_selector: Text) {
        self.steps.needs.push(Need { cluster: cluster.into(), target, label_selector });
    }

    /// Creates or updates an object so that it contains the desired one, by the policy of its kind.
    pub fn ensure(&mut self, desired: DesiredObject) -> ObjectState {
        self.reconcile(desired, None)
    }

    /// The same for an object into which live values were carried. Those are the cluster's, so they are not recorded as
    /// applied. No kind is left as it was made. Local changes are removed.
    pub fn ensure_retained(
        &mut self,
        desired: DesiredObject,
        retained: &[Retention],
        local: &[LocalChange],
    ) -> ObjectState {
        self.reconcile(desired, Some((retained, local)))
    }

    fn reconcile(&mut self, desired: DesiredObject, retained: Option<(&[Retention], &[LocalChange])>) -> ObjectState {
        let DesiredObject { cluster, desired, wave, because } = desired;
        let target = Target::of(&desired);
        let live = match self.look(&cluster, &target) {
            Observation::Unknown => return ObjectState::Unknown,
            Observation::Absent => {
                let reason = Reason::new(ReasonCode::Absent, because);
                self.act(&cluster, Verb::Create, target, Content::Body(recorded(desired)), None, wave, reason);
                return ObjectState::Missing;
            }
            Observation::Present(live) => live,
        };
        self.steps.managed = self.steps.managed.saturating_add(1);
        if is_terminating(live) {
            return ObjectState::Terminating;
        }
        let last = last_applied(live, &mut self.known.records);
        let (retained, local) = retained.map_or((None, &[][..]), |(retained, local)| (Some(retained), local));
        let update = match retained {
            None => update_with(&mut self.known.compared, &desired, live, last.as_ref(), self.view.settings.mode),
            Some(_) => update_without(&mut self.known.compared, local, &desired, live, last.as_ref()),
        };
        let update = match update {
            Ok(update) => update,
            Err(error) => {
                self.report(error, &target);
                return ObjectState::Stuck;
            }
        };
        let stuck = update.differences.iter().filter(|it| it.kind == DifferenceKind::Immutable);
        let stuck: Vec<String> = stuck.map(|it| format!("`{}`", it.path)).collect();
        if !stuck.is_empty() {
            let message = format!("no update can change {} of `{}`", stuck.join(", "), target.identity());
            let hint = "delete the object, and it is created as desired";
            self.steps
                .diagnostics
                .push(Diagnostic::warning(Code::ImmutableDifference, message).of(self.subject).hint(hint));
        }
        let Some(object) = update.object else {
            return if stuck.is_empty() { ObjectState::Fits } else { ObjectState::Stuck };
        };
        let patch = diff(live, &carry_record(object, &without_retained(desired, retained.unwrap_or_default())));
        let reason = Reason {
            code: ReasonCode::Differs,
            text: differ_text(update.differences.len()),
            differences: update.differences,
        };
        self.act(&cluster, Verb::Patch, target, Content::Patch(patch), Some(live), wave, reason);
        ObjectState::Differs
    }

    /// Creates an object that is known not to be there.
    pub fn create(&mut self, cluster: &str, body: Value, wave: i64, reason: Reason) {
        self.act(cluster, Verb::Create, Target::of(&body), Content::Body(body), None, wave, reason);
    }

    /// Makes the subject one of the owners of an object. Where the live object differs, nothing is touched.
    ///
    /// # Errors
    ///
    /// The object cannot be adopted, for another reason than that it differs.
    pub fn adopt(&mut self, owner: &Owner, desired: DesiredObject) -> Result<Adopted, Error> {
        let DesiredObject { cluster, desired, wave, because } = desired;
        let target = Target::of(&desired);
        let live = match self.look(&cluster, &target) {
            Observation::Unknown => return Ok(Adopted::Unknown),
            Observation::Absent => None,
            Observation::Present(live) => Some(live),
        };
        let adoption = adopt(owner, &desired, live, self.view.settings.mode, &mut self.steps.diagnostics)?;
        self.steps.managed = self.steps.managed.saturating_add(usize::from(live.is_some()));
        Ok(match (adoption.action, adoption.object) {
            (AdoptAction::Create, Some(object)) => {
                let reason = Reason::new(ReasonCode::Absent, because);
                self.act(&cluster, Verb::Create, target, Content::Body(object), None, wave, reason);
                Adopted::Created
            }
            (AdoptAction::AppendOwner, _) => {
                let reason = Reason::new(ReasonCode::OwnerMissing, "the object fits, and is shared from now on");
                self.act(&cluster, Verb::Patch, target, Content::Patch(adoption.patch), live, wave, reason);
                Adopted::Shared
            }
            (AdoptAction::Fatal, _) => Adopted::Refused(adoption.differences),
            _ => Adopted::Held,
        })
    }

    /// Drops the subject from the owners of an object; the last one deletes what was made here.
    ///
    /// # Errors
    ///
    /// Who owns the object cannot be read.
    pub fn release(&mut self, owner: &Owner, cluster: &str, target: Target, wave: i64) -> Result<Released, Error> {
        let live = match self.look(cluster, &target) {
            Observation::Unknown => return Ok(Released::Unknown),
            Observation::Absent => return Ok(Released::Done),
            Observation::Present(live) => live,
        };
        let released = release(owner, live)?;
        self.steps.managed = self.steps.managed.saturating_add(1);
        match released.action {
            ReleaseAction::None => return Ok(Released::Done),
            ReleaseAction::RemoveOwner => {
                let reason = Reason::new(ReasonCode::OwnerLeaves, "the owner leaves, and the object stays");
                self.act(cluster, Verb::Patch, target, Content::Patch(released.patch), Some(live), wave, reason);
            }
            ReleaseAction::Delete => {
                let reason = Reason::new(ReasonCode::LastOwnerLeaves, "the last owner leaves what was made for it");
                self.act(cluster, Verb::Delete, target, Content::None, Some(live), wave, reason);
            }
        }
        Ok(Released::DeleteRequest)
    }

    /// Changes a live object by given operations.
    pub fn patch(&mut self, cluster: &str, live: &Value, patch: Vec<Operation>, wave: i64, reason: Reason) {
        if !patch.is_empty() {
            self.act(cluster, Verb::Patch, Target::of(live), Content::Patch(patch), Some(live), wave, reason);
        }
    }

    /// Changes a live object by further operations, in one step with the change of it that is planned already.
    pub fn amend(&mut self, cluster: &str, live: &Value, patch: Vec<Operation>, wave: i64, reason: Reason) {
        let identity = Target::of(live).identity();
        let is_planned = |it: &&mut Action| it.verb == Verb::Patch && it.cluster == cluster;
        let mut planned = self.steps.actions.iter_mut().filter(is_planned);
        match planned.find(|it| it.target.identity() == identity) {
            Some(action) => {
                action.patch.extend(patch);
                action.reason.text = format!("{}; {}", action.reason.text, reason.text);
                action.seal(&self.view);
            }
            None => self.patch(cluster, live, patch, wave, reason),
        }
    }

    /// Deletes a live object, unless it is already being deleted.
    pub fn delete(&mut self, cluster: &str, live: &Value, wave: i64, reason: Reason) {
        if !is_terminating(live) {
            self.steps.managed = self.steps.managed.saturating_add(1);
            self.act(cluster, Verb::Delete, Target::of(live), Content::None, Some(live), wave, reason);
        }
    }

    /// Deletes a live object because somebody deletes the subject that it was created for.
    pub fn delete_with_subject(&mut self, cluster: &str, live: &Value, wave: i64, reason: Reason) {
        let since = self.steps.actions.len();
        self.delete(cluster, live, wave, reason);
        self.steps.actions.iter_mut().skip(since).for_each(|it| it.is_consented = true);
    }

    /// Decides over clusters in the status of an object, which is an action like any other: `leaving` clusters no
    /// longer get something. The object may be one that an earlier wave creates.
    pub fn decide(&mut self, target: Target, live: Option<&Value>, decision: Decision) {
        let Decision { status, leaving, wave, reason } = decision;
        let set = Operation::on(patch::Verb::Add, Pointer::of(["status"]), Some(status));
        self.act(HUB, Verb::Patch, target, Content::Patch(vec![set]), live, wave, reason);
        if let Some(action) = self.steps.actions.last_mut() {
            (action.subresource, action.leaving) = (Some("status"), leaving);
            action.seal(&self.view);
        }
    }

    /// Deletes a live object that lists clusters, of which `leaving` are listed nowhere else.
    pub fn delete_decision(&mut self, live: &Value, leaving: Vec<Text>, wave: i64, reason: Reason) {
        let before = self.steps.actions.len();
        self.delete(HUB, live, wave, reason);
        if let Some(action) = self.steps.actions.get_mut(before) {
            action.leaving = leaving;
        }
    }

    /// Sets a status; it is part of the plan if the live status differs. Fields of the live status that are not set
    /// stay.
    pub fn status(&mut self, live: &Value, status: Value) {
        let before = status_of(live);
        let mut wanted = before.clone();
        if let (Some(wanted), Value::Map(said)) = (wanted.as_map_mut(), &status) {
            for (key, value) in said.iter() {
                match value {
                    Value::Null => wanted.remove(key),
                    value => wanted.insert(key.clone(), value.clone()),
                };
            }
        }
        if wanted != before {
            let (subject, target, events) =
                (self.subject.clone(), Target::of(live), events(self.view.store, &before, &wanted));
            self.steps.status.push(StatusPatch { subject, target, status: wanted, events });
        }
    }

    /// Shows the held actions of the subject in its status.
    pub fn report_holds(&mut self, live: &Value, write: fn(&mut Value, &[&Held], Option<Timestamp>)) {
        self.steps.hold_report = Some(HoldReport { subject: self.subject.clone(), live: live.clone(), write });
    }

    /// Holds all actions from an index on, with how to let them pass.
    pub fn hold(&mut self, since: usize, code: ReasonCode, text: &str, hint: &str) {
        self.hold_those(since, |_| true, code, text, hint);
    }

    /// Holds those actions from an index on that `is_held` picks.
    pub fn hold_those(
        &mut self,
        since: usize,
        is_held: impl Fn(&Action) -> bool,
        code: ReasonCode,
        text: &str,
        hint: &str,
    ) {
        let planned = self.steps.actions.split_off(since.min(self.steps.actions.len()));
        for action in planned {
            match is_held(&action) {
                true => self.steps.held.push(Held { action, code, text: text.into(), hint: hint.into() }),
                false => self.steps.actions.push(action),
            }
        }
    }

    /// Reports an error that stops one object and nothing else.
    pub fn report(&mut self, error: Error, target: &Target) {
        let message = format!("`{}`: {}", target.identity(), error.message);
        let diagnostic = Diagnostic::error(error.code, message).of(self.subject);
        self.steps.diagnostics.push(Diagnostic { hint: error.hint, ..diagnostic });
    }

    #[expect(clippy::too_many_arguments, reason = "an action has this many parts")]
    fn act(
        &mut self,
        cluster: &str,
        verb: Verb,
        target: Target,
        content: Content,
        live: Option<&Value>,
        wave: i64,
        reason: Reason,
    ) {
        let (body, patch) = match content {
            Content::None => (None, Vec::new()),
            Content::Body(body) => (Some(body), Vec::new()),
            Content::Patch(patch) => (None, patch),
        };
        let (subject, cluster, live) = (self.subject.clone(), cluster.into(), live.cloned());
        let concealed = Arc::clone(&self.concealed);
        let hash = [0; 32];
        let mut action = Action {
            subject,
            cluster,
            verb,
            target,
            body,
            patch,
            live,
            wave,
            reason,
            is_consented: false,
            hash,
            sealed_hash: hash,
            concealed,
            subresource: None,
            leaving: Vec::new(),
        };
        action.seal(&self.view);
        self.steps.actions.push(action);
    }
}

/// What a status decides over clusters.
#[derive(Clone, Debug)]
pub struct Decision {
    pub status: Value,
    /// The clusters that no longer get something.
    pub leaving: Vec<Text>,
    pub wave: i64,
    pub reason: Reason,
}

enum Content {
    None,
    Body(Value),
    Patch(Vec<Operation>),
}

/// The state of an object after adopting it.
#[derive(Clone, Debug, PartialEq)]
pub enum Adopted {
    Unknown,
    /// It is owned already.
    Held,
    Created,
    Shared,
    /// It differs from the desired object.
    Refused(Vec<crate::engine::matching::Difference>),
}

/// The state of an object after releasing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    Unknown,
    Done,
    DeleteRequest,
}

/// The update that also removes local changes.
fn update_without(
    cache: &mut PairCache,
    local: &[LocalChange],
    desired: &Value,
    live: &Value,
    last: Option<&Value>,
) -> Result<Update, Error> {
    if local.is_empty() {
        return update_always_with(cache, desired, live, last);
    }
    let kept = without(live, local);
    let mut update = update_always_with(cache, desired, &kept, last)?;
    let difference = |it: &LocalChange| Difference {
        path: it.path.clone(),
        kind: DifferenceKind::Extra,
        desired: None,
        live: it.path.get(live).cloned(),
    };
    update.differences.extend(local.iter().map(difference));
    update.object = update.object.or(Some(kept));
    Ok(update)
}

/// The desired object without the values that the live object gave.
fn without_retained(mut desired: Value, retained: &[Retention]) -> Value {
    let mut places: Vec<Pointer> = retained.iter().map(|it| it.path.clone()).collect();
    // Later places first, as taking an element out of a list moves those behind it. Indices order by length, then
    // digits.
    sort_by(&mut places, |a, b| a.segments().map(|it| (it.len(), it)).cmp(b.segments().map(|it| (it.len(), it))));
    for place in places.iter().rev() {
        take(&mut desired, place);
    }
    desired
}

/// The updated object with the record of the desired one.
fn carry_record(object: Value, desired: &Value) -> Value {
    let record = recorded(desired.clone());
    let Some(text) = record.at(&["metadata", "annotations", super::APPLIED]).cloned() else { return object };
    let mut object = object;
    let metadata = object.as_map_mut().and_then(|it| it.entry_or("metadata", || crate::value::Map::new().into()));
    let annotations = metadata
        .and_then(Value::as_map_mut)
        .and_then(|it| it.entry_or("annotations", || crate::value::Map::new().into()));
    if let Some(annotations) = annotations.and_then(Value::as_map_mut) {
        annotations.insert(super::APPLIED, text);
    }
    object
}

fn differ_text(count: usize) -> String {
    match count {
        1 => "the live object differs in one place".into(),
        count => format!("the live object differs in {count} places"),
    }
}
