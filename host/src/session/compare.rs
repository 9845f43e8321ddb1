//! Compares two plans over the same documents.
//!
//! Two steps match if cluster, subject and object are equal: the object by its group, kind, namespace and name.
//!
//! 1. A step that only one plan has is a difference.
//! 2. Matching steps may differ in verb, wave, hold and the version of the object; with equal verbs also in fields of
//!    the body or operations of the patch.
//! 3. A step with equal fields and another id differs in redacted data.
//! 4. Statuses are compared like bodies. A need is a difference if only one plan has it.
//!
//! Reasons and preconditions are not compared: they do not change what is applied.

mod fields;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::api::plan::{ActionAnswer, NeedAnswer, PlanAnswer, StatusAnswer, TargetAnswer};

use crate::target::Target;

/// The differences of two plans.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The digests of the old plan and the new one.
    pub digests: (String, String),
    /// By cluster, subject and target.
    pub differences: Vec<Difference>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Empty for the hub.
    pub cluster: String,
    /// Empty for a need.
    pub subject: String,
    pub target: Target,
    /// The selector of a needed list.
    pub label_selector: String,
    pub part: Part,
    pub change: Change,
}

/// The part of a plan that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Action,
    Status,
    Need,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Only the old plan has it, with this verb; empty for parts without verbs.
    OnlyOld(String),
    /// Only the new plan has it.
    OnlyNew(String),
    /// Both have it, with this verb in the new one.
    Differs { verb: String, fields: Vec<Field> },
}

/// One field that differs; an absent value is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// A JSON pointer into the object, or one of `verb`, `wave`, `held`, `apiVersion` and `id`.
    pub place: String,
    pub old: Option<Value>,
    pub new: Option<Value>,
}

/// Compares two answers to `plan`.
pub fn compare(old: &PlanAnswer, new: &PlanAnswer) -> Comparison {
    let mut found = Found(Vec::new());
    found.actions(old, new);
    found.statuses(&old.status, &new.status);
    found.needs(&old.needs, &new.needs);
    let mut differences = found.0;
    // The sort is stable: steps for one object keep their order.
    differences.sort_by(|(a, first), (b, second)| a.cmp(b).then(first.part.cmp(&second.part)));
    let differences = differences.into_iter().map(|(_, it)| it).collect();
    Comparison { digests: (old.digest.clone(), new.digest.clone()), differences }
}

impl Comparison {
    /// Whether actions, statuses and needs of both plans are equal.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.digests.0 == self.digests.1
    }

    /// The JSON form of the differences.
    pub fn differences_value(&self) -> Value {
        Value::list(self.differences.iter().map(Difference::to_value))
    }
}

impl Difference {
    fn to_value(&self) -> Value {
        let mut target = self.target.to_value();
        if let (Some(fields), false) = (target.as_map_mut(), self.label_selector.is_empty()) {
            fields.insert("labelSelector", self.label_selector.as_str());
        }
        let mut fields = vec![
            ("cluster", Value::text(self.cluster.as_str())),
            ("target", target),
            ("part", self.part.as_str().into()),
        ];
        if !self.subject.is_empty() {
            fields.push(("subject", self.subject.as_str().into()));
        }
        let (verb, only) = match &self.change {
            Change::OnlyOld(verb) => (verb, Some("old")),
            Change::OnlyNew(verb) => (verb, Some("new")),
            Change::Differs { verb, fields: differing } => {
                fields.push(("fields", Value::list(differing.iter().map(Field::to_value))));
                (verb, None)
            }
        };
        fields.extend(only.map(|it| ("only", it.into())));
        if !verb.is_empty() {
            fields.push(("verb", verb.as_str().into()));
        }
        Value::map(fields)
    }
}

impl Part {
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Action => "action",
            Part::Status => "status",
            Part::Need => "need",
        }
    }
}

impl Field {
    fn new(place: &str, old: Option<impl Into<Value>>, new: Option<impl Into<Value>>) -> Field {
        Field { place: place.to_owned(), old: old.map(Into::into), new: new.map(Into::into) }
    }

    fn to_value(&self) -> Value {
        let sides = [("old", self.old.clone()), ("new", self.new.clone())];
        let sides = sides.into_iter().filter_map(|(key, value)| Some((key, value?)));
        Value::map(sides.chain([("path", self.place.as_str().into())]))
    }
}

/// The key that matches steps, in sort order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    cluster: &'a str,
    subject: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    group: &'a str,
    /// The selector of a needed list.
    selector: &'a str,
}

fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// What both plans may have for one object.
trait Step {
    fn key(&self) -> Key<'_>;

    fn target(&self) -> Target;
}

impl Step for ActionAnswer {
    /// A plan may create an object and fill its status.
    fn key(&self) -> Key<'_> {
        let selector = self.subresource.as_deref().unwrap_or_default();
        Key { selector, ..key(&self.cluster, &self.subject, &self.target) }
    }

    fn target(&self) -> Target {
        Target::from(&self.target)
    }
}

impl Step for StatusAnswer {
    fn key(&self) -> Key<'_> {
        key(&self.cluster, &self.subject, &self.target)
    }

    fn target(&self) -> Target {
        Target::from(&self.target)
    }
}

fn key<'a>(cluster: &'a str, subject: &'a str, target: &'a TargetAnswer) -> Key<'a> {
    let TargetAnswer { api_version, kind, name, namespace } = target;
    let namespace = namespace.as_deref().unwrap_or_default();
    Key { cluster, subject, kind, namespace, name, group: group(api_version), selector: "" }
}

impl Step for NeedAnswer {
    fn key(&self) -> Key<'_> {
        Key {
            cluster: &self.cluster,
            subject: "",
            kind: &self.kind,
            namespace: self.namespace.as_deref().unwrap_or_default(),
            name: self.name.as_deref().unwrap_or_default(),
            group: group(&self.api_version),
            selector: self.label_selector.as_deref().unwrap_or_default(),
        }
    }

    fn target(&self) -> Target {
        Target::from(self)
    }
}

/// Pairs the steps of both plans.
type Sides<'a, S> = BTreeMap<Key<'a>, (Vec<&'a S>, Vec<&'a S>)>;

fn sides<'a, S: Step>(old: impl IntoIterator<Item = &'a S>, new: impl IntoIterator<Item = &'a S>) -> Sides<'a, S> {
    let mut sides = Sides::new();
    old.into_iter().for_each(|it| sides.entry(it.key()).or_default().0.push(it));
    new.into_iter().for_each(|it| sides.entry(it.key()).or_default().1.push(it));
    sides
}

struct Found<'a>(Vec<(Key<'a>, Difference)>);

impl<'a> Found<'a> {
    fn actions(&mut self, old: &'a PlanAnswer, new: &'a PlanAnswer) {
        let sides = sides(old.actions.iter().chain(&old.held), new.actions.iter().chain(&new.held));
        for (mut old, mut new) in sides.into_values() {
            // An object may be deleted and created again: steps with equal verbs are paired first, then the rest.
            let mut pairs = Vec::new();
            old.retain(|step| match new.iter().position(|it| it.verb == step.verb) {
                Some(at) => {
                    pairs.push((*step, new.remove(at)));
                    false
                }
                None => true,
            });
            let both = old.len().min(new.len());
            pairs.extend(old.drain(..both).zip(new.drain(..both)));
            for (old, new) in pairs {
                self.differs(new, Part::Action, &new.verb, fields::of_actions(old, new));
            }
            old.into_iter().for_each(|it| self.add(it, Part::Action, Change::OnlyOld(it.verb.to_string())));
            new.into_iter().for_each(|it| self.add(it, Part::Action, Change::OnlyNew(it.verb.to_string())));
        }
    }

    fn statuses(&mut self, old: &'a [StatusAnswer], new: &'a [StatusAnswer]) {
        for (old, new) in sides(old, new).into_values() {
            for at in 0..old.len().max(new.len()) {
                match (old.get(at), new.get(at)) {
                    (Some(old), Some(new)) => {
                        self.differs(*new, Part::Status, "", fields::of_statuses(old, new));
                    }
                    (Some(old), None) => self.add(*old, Part::Status, Change::OnlyOld(String::new())),
                    (None, Some(new)) => self.add(*new, Part::Status, Change::OnlyNew(String::new())),
                    (None, None) => {}
                }
            }
        }
    }

    fn needs(&mut self, old: &'a [NeedAnswer], new: &'a [NeedAnswer]) {
        let only = |these: &[&'a NeedAnswer], those: &[&'a NeedAnswer]| {
            these.iter().copied().filter(|it| !those.contains(it)).collect::<Vec<_>>()
        };
        for (old, new) in sides(old, new).into_values() {
            for need in only(&old, &new) {
                self.add(need, Part::Need, Change::OnlyOld(String::new()));
            }
            for need in only(&new, &old) {
                self.add(need, Part::Need, Change::OnlyNew(String::new()));
            }
        }
    }

    fn differs(&mut self, step: &'a impl Step, part: Part, verb: &str, fields: Vec<Field>) {
        if !fields.is_empty() {
            self.add(step, part, Change::Differs { verb: verb.to_owned(), fields });
        }
    }

    fn add(&mut self, step: &'a impl Step, part: Part, change: Change) {
        let key = step.key();
        let difference = Difference {
            cluster: key.cluster.to_owned(),
            subject: key.subject.to_owned(),
            target: step.target(),
            label_selector: key.selector.to_owned(),
            part,
            change,
        };
        self.0.push((key, difference));
    }
}
