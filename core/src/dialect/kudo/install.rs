//! The actions of installing and uninstalling on objects, computed before anything is changed.
//!
//! Several OperatorVersions may need one object within one plan. They are processed in the order of their names: first
//! all adopt, then all release. Each one sees the objects after the actions of the previous ones, and acts in a later
//! wave. So one of them creates the objects that the others share, and nothing is deleted that another one is about to
//! adopt.

use super::package::{FIRST_WAVE, Install, Part};
use super::status::COMPLETE;
use super::{KIND, VERSION, record};
use crate::diagnostic::{Code, Error, Mode};
use crate::engine::matching::Difference;
use crate::engine::ownership::{AdoptAction, Adoption, Owner, ReleaseAction, adopt, claims_on, names, release};
use crate::engine::patch::{Operation, patch};
use crate::object::document::Identity;
use crate::object::identity::is_terminating;
use crate::object::kinds::health::{Checks, Health, KUDO, STRICT, health};
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::Target;
use crate::workspace::store::View;

/// An OperatorVersion that the hub has.
#[derive(Debug)]
pub struct Member<'a> {
    pub live: &'a Value,
    pub owner: Owner,
    /// Whether it is being deleted.
    pub is_leaving: bool,
    install: Option<&'a Install>,
}

/// The status of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectStatus {
    /// It was not read yet.
    Unknown,
    /// Nothing is left to do.
    Done,
    Doing(Step),
    /// It is held by the OperatorVersion, and not healthy yet: why.
    Unhealthy(String),
    /// An object of an earlier step is not healthy yet: which one, and why.
    Delayed(Step, String),
    /// Something stops the plan.
    Waiting,
    /// It differs from the desired object.
    Refused(Vec<Difference>),
    /// It has failed, and does not become healthy by itself: why.
    Broken(String),
    Failed(Error),
}

impl ObjectStatus {
    /// Whether only a person can make the plan go on. What is being deleted is absent some day.
    pub fn is_fatal(&self) -> bool {
        match self {
            ObjectStatus::Refused(_) | ObjectStatus::Broken(_) => true,
            ObjectStatus::Failed(error) => error.code != Code::Terminating,
            _ => false,
        }
    }
}

/// An action on an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub verb: Verb,
    pub wave: i64,
    /// The object as it is by then.
    pub live: Option<Value>,
    pub patch: Vec<Operation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Create,
    Share,
    Leave,
    Delete,
}

/// The objects after earlier steps of the plan, with the wave of the last step. `None` is a deleted object.
#[derive(Debug, Default)]
pub struct Projection {
    objects: SortedMap<Identity, (Option<Value>, i64)>,
    /// What a member adopts as soon as an earlier step of it is healthy.
    awaited: SortedSet<Identity>,
}

/// An OperatorVersion as the hub has it: a document with a uid is one, a file without it must be looked for.
pub fn live_of<'a>(view: View<'a>, identity: &Identity) -> Observation<'a> {
    let document = view.store.document(identity).map(|it| &it.value);
    match document.filter(|it| !it.text_at(&["metadata", "uid"]).is_empty()) {
        Some(live) => Observation::Present(live),
        None => view.store.observed(HUB).map_or(Observation::Unknown, |seen| seen.observation(identity)),
    }
}

impl<'a> Member<'a> {
    pub fn of(view: View<'a>, identity: &Identity, install: Option<&'a Install>) -> Option<Member<'a>> {
        let Observation::Present(live) = live_of(view, identity) else { return None };
        let owner = Owner {
            api_version: VERSION.into(),
            kind: KIND.into(),
            name: identity.name.clone(),
            uid: live.text_at(&["metadata", "uid"]).into(),
            namespace: Some(identity.namespace.clone()),
            controller: false,
        };
        Some(Member { live, owner, is_leaving: is_terminating(live), install })
    }

    /// The objects that it should hold.
    pub fn wanted(&self) -> &'a [Part] {
        self.install.filter(|_| !self.is_leaving).map_or(&[], |it| &it.parts)
    }

    /// The objects that it should release, last ones first: those of an abandoned install plan, and those that it
    /// adopted under an earlier one. Objects of equal rank are released together.
    fn unwanted(&self, view: View) -> Vec<(Target, i64)> {
        let left = self.install.filter(|_| self.is_leaving).map_or(&[][..], |it| &it.parts);
        let mut unwanted: Vec<(Target, i64)> = left.iter().map(|it| (Target::of(&it.object), it.wave)).collect();
        let mut rank = left.last().map_or(FIRST_WAVE, |it| it.wave);
        let all: SortedSet<&Identity> = self.install.iter().flat_map(|it| &it.parts).map(|it| &it.identity).collect();
        let recorded = record::read(self.live).into_iter().chain(record::found(view, self.live, &self.owner));
        for target in recorded {
            if !all.contains(&target.identity()) {
                rank = rank.saturating_add(1);
                unwanted.push((target, rank));
            }
        }
        sort_by(&mut unwanted, |(_, a), (_, b)| b.cmp(a));
        unwanted
    }

    /// The status of each of the wanted objects.
    ///
    /// 1. In strict mode nothing is done while one object is known to be fatal. In compat mode a wave in which one
    ///    object cannot be adopted is not done, nor is any after it. What is held stays held.
    /// 2. A step waits until the objects of the steps before it are healthy.
    /// 3. What an earlier member does to an object comes first, and what follows moves back with it.
    pub fn adopt(&self, view: View, projection: &mut Projection) -> Vec<ObjectStatus> {
        let wanted = self.wanted();
        let mut tried: Vec<Attempt> = wanted.iter().map(|part| self.attempt(view, part, projection)).collect();
        let is_fatal = |it: &Attempt| matches!(it, Attempt::Refused(status) if status.is_fatal());
        let mut is_stopped = view.settings.mode == Mode::Strict && tried.iter().any(is_fatal);
        let (mut statuses, mut shift) = (Vec::new(), 0_i64);
        let mut unhealthy: Vec<(&Part, String)> = Vec::new();
        for wave in wanted.chunk_by(|a, b| a.wave == b.wave) {
            let attempts: Vec<Attempt> = tried.drain(..wave.len().min(tried.len())).collect();
            is_stopped |= attempts.iter().any(|it| matches!(it, Attempt::Refused(_)));
            for (part, attempt) in wave.iter().zip(&attempts) {
                if matches!(attempt, Attempt::Needed(..))
                    && let Some(free) = projection.free_after(&part.identity)
                {
                    shift = shift.max(free.saturating_sub(part.wave));
                }
            }
            for (part, attempt) in wave.iter().zip(attempts) {
                let (status, health) = match attempt {
                    Attempt::Refused(status) => (status, None),
                    Attempt::Settled(ObjectStatus::Unhealthy(why)) => (ObjectStatus::Unhealthy(why.clone()), Some(why)),
                    Attempt::Settled(status) => (status, None),
                    Attempt::Needed(..) if is_stopped => (ObjectStatus::Waiting, None),
                    Attempt::Needed(adoption, live, health) => {
                        let wave = part.wave.saturating_add(shift);
                        let verb = if live.is_some() { Verb::Share } else { Verb::Create };
                        let step = Step { verb, wave, live, patch: adoption.patch };
                        let before = unhealthy.iter().find(|(it, _)| self.precedes(it, part));
                        match before {
                            Some((it, why)) => {
                                projection.awaited.insert(part.identity.clone());
                                (ObjectStatus::Delayed(step, format!("`{}`: {why}", it.identity)), None)
                            }
                            None => {
                                projection.record(&part.identity, adoption.object, wave);
                                (ObjectStatus::Doing(step), health)
                            }
                        }
                    }
                };
                statuses.push(status);
                unhealthy.extend(health.map(|why| (part, why)));
            }
        }
        statuses
    }

    fn precedes(&self, first: &Part, second: &Part) -> bool {
        self.install.is_some_and(|it| it.precedes(first, second))
    }

    fn attempt(&self, view: View, part: &Part, projection: &Projection) -> Attempt {
        let live = match projection.observation(view, &part.identity) {
            Some(live) => live,
            None => return Attempt::Settled(ObjectStatus::Unknown),
        };
        if live.as_ref().is_some_and(|it| !names(it, &self.owner) && owners(it) >= MAX_OWNERS) {
            let message = format!("the object has {MAX_OWNERS} owners already, and each of them is written into it");
            let error =
                Error::new(Code::TooLarge, message).hint("uninstall OperatorVersions that are not used any more");
            return Attempt::Refused(ObjectStatus::Failed(error));
        }
        // Objects that cannot be owned are reported with the results, each at its place.
        let mut diagnostics = Vec::new();
        let adoption = match adopt(&self.owner, &part.object, live.as_ref(), view.settings.mode, &mut diagnostics) {
            Ok(adoption) => adoption,
            Err(error) => return Attempt::Refused(ObjectStatus::Failed(error)),
        };
        let health = match &live {
            Some(live) => health(live, checks(view)),
            None => health(&without_status(part.object.clone()), checks(view)),
        };
        match (adoption.action, health) {
            (AdoptAction::Fatal, _) => Attempt::Refused(ObjectStatus::Refused(adoption.differences)),
            (AdoptAction::None, _) if self.was_complete(part) => Attempt::Settled(ObjectStatus::Done),
            (_, Health::Failed(why)) => Attempt::Refused(ObjectStatus::Broken(why)),
            (AdoptAction::None, Health::Healthy) => Attempt::Settled(ObjectStatus::Done),
            (AdoptAction::None, Health::InProgress(why)) => Attempt::Settled(ObjectStatus::Unhealthy(why)),
            (_, Health::Healthy) => Attempt::Needed(adoption, live, None),
            (_, Health::InProgress(why)) => Attempt::Needed(adoption, live, Some(why)),
        }
    }

    /// Whether the step of an object was complete already. A plan runs once: a Pod that is replaced later does not
    /// start it again.
    fn was_complete(&self, part: &Part) -> bool {
        let Some(install) = self.install else { return false };
        let Some(phase) = install.phases.get(part.phase) else { return false };
        let named = |value: &Value, key: &str, name: Option<&Text>| {
            let mut items = value.get(key).and_then(Value::as_list).into_iter().flatten();
            items.find(|it| name.is_some_and(|name| it.text_at(&["name"]) == name)).cloned()
        };
        let plan = self.live.at(&["status", "planStatus", &install.plan]);
        let step = plan.and_then(|it| named(it, "phases", Some(&phase.name)));
        let step = step.and_then(|it| named(&it, "steps", phase.steps.get(part.step)));
        step.is_some_and(|it| it.text_at(&["status"]) == COMPLETE)
    }

    /// The status of each unwanted object; the waves start after those of this member's adoptions.
    pub fn release(&self, view: View, start: i64, projection: &mut Projection) -> Vec<(Target, ObjectStatus)> {
        let (mut wave, mut rank, mut statuses) = (start, None, Vec::new());
        for (target, its_rank) in self.unwanted(view) {
            if rank.is_some_and(|it| it != its_rank) {
                wave = wave.saturating_add(1);
            }
            rank = Some(its_rank);
            let identity = target.identity();
            let live = match projection.observation(view, &identity) {
                None => {
                    statuses.push((target, ObjectStatus::Unknown));
                    continue;
                }
                // An object that is being deleted needs no release.
                Some(live) => live.filter(|it| !is_terminating(it)),
            };
            let Some(live) = live else {
                statuses.push((target, ObjectStatus::Done));
                continue;
            };
            let status = match release(&self.owner, &live) {
                Err(error) => ObjectStatus::Failed(error),
                Ok(it) if it.action == ReleaseAction::None => ObjectStatus::Done,
                // It would be deleted, and created again by the one that is about to adopt it.
                Ok(it) if it.action == ReleaseAction::Delete && projection.awaited.contains(&identity) => {
                    ObjectStatus::Waiting
                }
                Ok(it) => {
                    wave = wave.max(projection.free_after(&identity).unwrap_or(wave));
                    let is_last = it.action == ReleaseAction::Delete;
                    let kept = patch(live.clone(), &it.patch, Mode::Strict, &mut Vec::new());
                    projection.record(&identity, kept.ok().filter(|_| !is_last), wave);
                    let verb = if is_last { Verb::Delete } else { Verb::Leave };
                    ObjectStatus::Doing(Step { verb, wave, live: Some(live), patch: it.patch })
                }
            };
            statuses.push((target, status));
        }
        statuses
    }
}

/// How many owners an object may have. Each new one writes the list of all, so n owners would write the square of n.
const MAX_OWNERS: usize = 100;

/// The owner references and claims of an object.
fn owners(live: &Value) -> usize {
    let references = live.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).map_or(0, Vec::len);
    references.saturating_add(claims_on(live).len())
}

/// What trying to adopt an object gives.
enum Attempt {
    Settled(ObjectStatus),
    /// The object as it is, and why it is not healthy.
    Needed(Adoption, Option<Value>, Option<String>),
    /// It stops the plan.
    Refused(ObjectStatus),
}

impl Projection {
    /// The object as it will be; nothing while it is not known.
    fn observation(&self, view: View, identity: &Identity) -> Option<Option<Value>> {
        if let Some((object, _)) = self.objects.get(identity) {
            return Some(object.clone());
        }
        match view.store.observation(HUB, identity) {
            Observation::Present(live) => Some(Some(live.clone())),
            Observation::Absent => Some(None),
            Observation::Unknown => None,
        }
    }

    /// The first wave after the actions on an object.
    fn free_after(&self, identity: &Identity) -> Option<i64> {
        self.objects.get(identity).map(|(_, wave)| wave.saturating_add(1))
    }

    /// A changed object has another version by then, so a later step must not ask for this one.
    fn record(&mut self, identity: &Identity, mut object: Option<Value>, wave: i64) {
        let metadata = object.as_mut().and_then(|it| it.get_mut("metadata")).and_then(Value::as_map_mut);
        if let Some(metadata) = metadata {
            metadata.remove("resourceVersion");
        }
        self.objects.insert(identity.clone(), (object, wave));
    }
}

/// Whether something keeps the plan from going on.
pub fn is_stopped(statuses: &[ObjectStatus]) -> bool {
    let goes_on = |it: &ObjectStatus| matches!(it, ObjectStatus::Unknown | ObjectStatus::Done | ObjectStatus::Doing(_));
    !statuses.iter().all(goes_on)
}

/// How the health of objects is checked.
fn checks(view: View) -> Checks {
    match view.settings.mode {
        Mode::Strict => STRICT,
        Mode::Compat => KUDO,
    }
}

/// An API server drops the status of a created object.
fn without_status(mut object: Value) -> Value {
    if let Some(map) = object.as_map_mut() {
        map.remove("status");
    }
    object
}

/// The first wave after all moves.
pub fn end_of<'s>(statuses: impl Iterator<Item = &'s ObjectStatus>, start: i64) -> i64 {
    let ends = statuses.filter_map(|it| match it {
        ObjectStatus::Doing(step) => Some(step.wave.saturating_add(1)),
        _ => None,
    });
    ends.fold(start, i64::max)
}
