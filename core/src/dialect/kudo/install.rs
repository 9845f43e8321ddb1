//! What installing and uninstalling does to objects, worked out before anything is done.
//!
//! Several OperatorVersions may need one object within one plan. They are taken in the order of their names: first all adopt,
//! then all let go. Each sees the objects as the ones before it leave them, and comes in a later wave. So one of them creates
//! what the others share, and nothing is deleted that another one is about to adopt.

use super::package::{FIRST_WAVE, Install, Part};
use super::{KIND, VERSION, record};
use crate::diagnostic::Error;
use crate::diagnostic::Mode;
use crate::engine::matching::Difference;
use crate::engine::ownership::{AdoptAction, Adoption, Owner, ReleaseAction, adopt, release};
use crate::engine::patch::{Operation, patch};
use crate::object::document::Identity;
use crate::object::identity::is_terminating;
use crate::value::collections::SortedMap;
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

/// How an object stands.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectStatus {
    /// It was not looked at yet.
    Unknown,
    /// Nothing is left to do.
    Done,
    Doing(Step),
    /// Something before it stops the plan.
    Waiting,
    /// It differs from what is desired.
    Refused(Vec<Difference>),
    Failed(Error),
}

/// What is done to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub deed: Verb,
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

/// The objects as earlier steps of the plan leave them, with the wave of the last step. Nothing stands for one that goes.
#[derive(Debug, Default)]
pub struct Projection(SortedMap<Identity, (Option<Value>, i64)>);

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

    /// The objects that it should let go of, last ones first: of an install plan that is left, and what it took hold of
    /// under an earlier one. Those of equal rank go together.
    fn unwanted(&self) -> Vec<(Target, i64)> {
        let left = self.install.filter(|_| self.is_leaving).map_or(&[][..], |it| &it.parts);
        let mut unwanted: Vec<(Target, i64)> = left.iter().map(|it| (Target::of(&it.object), it.wave)).collect();
        let mut rank = left.last().map_or(FIRST_WAVE, |it| it.wave);
        let all = self.install.map_or(&[][..], |it| &it.parts);
        for target in record::read(self.live) {
            if !all.iter().any(|it| it.identity == target.identity()) {
                rank = rank.saturating_add(1);
                unwanted.push((target, rank));
            }
        }
        sort_by(&mut unwanted, |(_, a), (_, b)| b.cmp(a));
        unwanted
    }

    /// How each of the wanted objects stands.
    ///
    /// 1. A wave in which one object cannot be adopted is not done, nor is any after it. What is held stays held.
    /// 2. What an earlier member does to an object comes first, and what follows moves back with it.
    pub fn adopt(&self, view: View, projection: &mut Projection) -> Vec<ObjectStatus> {
        let (mut stands, mut shift, mut is_stopped) = (Vec::new(), 0_i64, false);
        for wave in self.wanted().chunk_by(|a, b| a.wave == b.wave) {
            let tried: Vec<_> = wave.iter().map(|part| self.attempt(view, part, projection)).collect();
            is_stopped |= tried.iter().any(|it| matches!(it, Attempt::Refused(_)));
            for (part, attempt) in wave.iter().zip(&tried) {
                if matches!(attempt, Attempt::Needed(..))
                    && let Some(free) = projection.free_after(&part.identity)
                {
                    shift = shift.max(free.saturating_sub(part.wave));
                }
            }
            for (part, attempt) in wave.iter().zip(tried) {
                stands.push(match attempt {
                    Attempt::Refused(stand) | Attempt::Settled(stand) => stand,
                    Attempt::Needed(..) if is_stopped => ObjectStatus::Waiting,
                    Attempt::Needed(adoption, live) => {
                        let wave = part.wave.saturating_add(shift);
                        projection.note(&part.identity, adoption.object, wave);
                        let deed = if live.is_some() { Verb::Share } else { Verb::Create };
                        ObjectStatus::Doing(Step { deed, wave, live, patch: adoption.patch })
                    }
                });
            }
        }
        stands
    }

    fn attempt(&self, view: View, part: &Part, projection: &Projection) -> Attempt {
        let live = match projection.observation(view, &part.identity) {
            Some(live) => live,
            None => return Attempt::Settled(ObjectStatus::Unknown),
        };
        // What cannot be owned is told with the results, for every object at its place.
        let mut told = Vec::new();
        match adopt(&self.owner, &part.object, live.as_ref(), view.settings.mode, &mut told) {
            Ok(adoption) => match adoption.action {
                AdoptAction::None => Attempt::Settled(ObjectStatus::Done),
                AdoptAction::Fatal => Attempt::Refused(ObjectStatus::Refused(adoption.differences)),
                AdoptAction::Create | AdoptAction::AppendOwner => Attempt::Needed(adoption, live),
            },
            Err(error) => Attempt::Refused(ObjectStatus::Failed(error)),
        }
    }

    /// How each of the unwanted objects stands, the waves starting after what this member adopts.
    pub fn release(&self, view: View, start: i64, projection: &mut Projection) -> Vec<(Target, ObjectStatus)> {
        let (mut wave, mut rank, mut stands) = (start, None, Vec::new());
        for (target, its_rank) in self.unwanted() {
            if rank.is_some_and(|it| it != its_rank) {
                wave = wave.saturating_add(1);
            }
            rank = Some(its_rank);
            let identity = target.identity();
            let live = match projection.observation(view, &identity) {
                None => {
                    stands.push((target, ObjectStatus::Unknown));
                    continue;
                }
                // What is being deleted needs no letting go.
                Some(live) => live.filter(|it| !is_terminating(it)),
            };
            let Some(live) = live else {
                stands.push((target, ObjectStatus::Done));
                continue;
            };
            let stand = match release(&self.owner, &live) {
                Err(error) => ObjectStatus::Failed(error),
                Ok(it) if it.action == ReleaseAction::None => ObjectStatus::Done,
                Ok(it) => {
                    wave = wave.max(projection.free_after(&identity).unwrap_or(wave));
                    let is_last = it.action == ReleaseAction::Delete;
                    let kept = patch(live.clone(), &it.patch, Mode::Strict, &mut Vec::new());
                    projection.note(&identity, kept.ok().filter(|_| !is_last), wave);
                    let deed = if is_last { Verb::Delete } else { Verb::Leave };
                    ObjectStatus::Doing(Step { deed, wave, live: Some(live), patch: it.patch })
                }
            };
            stands.push((target, stand));
        }
        stands
    }
}

/// What trying to adopt an object gives.
enum Attempt {
    Settled(ObjectStatus),
    Needed(Adoption, Option<Value>),
    /// It stops the plan.
    Refused(ObjectStatus),
}

impl Projection {
    /// The object as it will be; nothing while it is not known.
    fn observation(&self, view: View, identity: &Identity) -> Option<Option<Value>> {
        if let Some((object, _)) = self.0.get(identity) {
            return Some(object.clone());
        }
        match view.store.observation(HUB, identity) {
            Observation::Present(live) => Some(Some(live.clone())),
            Observation::Absent => Some(None),
            Observation::Unknown => None,
        }
    }

    /// The first wave after what is done to an object.
    fn free_after(&self, identity: &Identity) -> Option<i64> {
        self.0.get(identity).map(|(_, wave)| wave.saturating_add(1))
    }

    /// A changed object has another version by then, so a later step must not ask for this one.
    fn note(&mut self, identity: &Identity, mut object: Option<Value>, wave: i64) {
        let metadata = object.as_mut().and_then(|it| it.get_mut("metadata")).and_then(Value::as_map_mut);
        if let Some(metadata) = metadata {
            metadata.remove("resourceVersion");
        }
        self.0.insert(identity.clone(), (object, wave));
    }
}

/// Whether something keeps the plan from going on.
pub fn is_stopped(stands: &[ObjectStatus]) -> bool {
    stands.iter().any(|it| matches!(it, ObjectStatus::Refused(_) | ObjectStatus::Failed(_)))
}

/// The first wave after all moves.
pub fn end_of<'s>(stands: impl Iterator<Item = &'s ObjectStatus>, start: i64) -> i64 {
    let ends = stands.filter_map(|it| match it {
        ObjectStatus::Doing(step) => Some(step.wave.saturating_add(1)),
        _ => None,
    });
    ends.fold(start, i64::max)
}

/// Whether an OperatorVersion may have to do with objects of these names: it records one, or a text of its templates has the
/// name in it.
pub fn mentions(version: &Value, names: &[Text]) -> bool {
    let templates = version.at(&["spec", "templates"]).and_then(Value::as_map).into_iter().flat_map(|it| it.iter());
    let mut texts = templates.filter_map(|(_, text)| text.as_text());
    texts.any(|text| names.iter().any(|name| text.contains(name.as_str())))
        || record::read(version).iter().any(|it| names.contains(&it.name))
}
