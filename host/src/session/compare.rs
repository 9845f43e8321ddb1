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

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::value::path::Pointer;

use crate::answer::{list, text};

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
    /// The object as the answer names it: `apiVersion`, `kind`, `namespace`, `name`.
    pub target: Value,
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
pub fn compare(old: &Value, new: &Value) -> Comparison {
    let mut found = Found(Vec::new());
    found.actions(old, new);
    found.statuses(old, new);
    found.needs(old, new);
    let mut differences = found.0;
    // The sort is stable: steps for one object keep their order.
    differences.sort_by_cached_key(|it| (Key::of(&it.cluster, &it.subject, &it.target), it.part));
    let digest = |answer| text(answer, "digest").to_owned();
    Comparison { digests: (digest(old), digest(new)), differences }
}

impl Comparison {
    /// Whether actions, statuses and needs of both plans are equal.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.digests.0 == self.digests.1
    }

    /// The JSON form.
    pub fn to_value(&self) -> Value {
        let digests = Value::map([("new", self.digests.1.as_str()), ("old", self.digests.0.as_str())]);
        Value::map([
            ("differences", Value::list(self.differences.iter().map(Difference::to_value))),
            ("digests", digests),
            ("same", self.is_same().into()),
        ])
    }
}

impl Difference {
    fn to_value(&self) -> Value {
        let mut fields = vec![
            ("cluster", Value::text(self.cluster.as_str())),
            ("target", self.target.clone()),
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
    fn new(place: &str, old: Option<&Value>, new: Option<&Value>) -> Field {
        Field { place: place.to_owned(), old: old.cloned(), new: new.cloned() }
    }

    fn to_value(&self) -> Value {
        let sides = [("old", self.old.clone()), ("new", self.new.clone())];
        let sides = sides.into_iter().filter_map(|(key, value)| Some((key, value?)));
        Value::map(sides.chain([("path", self.place.as_str().into())]))
    }
}

/// The key that matches steps, in sort order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    cluster: String,
    subject: String,
    kind: String,
    namespace: String,
    name: String,
    group: String,
    /// The selector of a needed list.
    selector: String,
}

impl Key {
    fn of(cluster: &str, subject: &str, target: &Value) -> Key {
        let part = |key| text(target, key).to_owned();
        let group = text(target, "apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
        Key {
            cluster: cluster.to_owned(),
            subject: subject.to_owned(),
            kind: part("kind"),
            namespace: part("namespace"),
            name: part("name"),
            group: group.to_owned(),
            selector: part("labelSelector"),
        }
    }

    fn of_step(step: &Value) -> Key {
        Key::of(text(step, "cluster"), text(step, "subject"), target(step))
    }
}

/// Pairs the steps of both plans.
type Sides<'a> = BTreeMap<Key, (Vec<&'a Value>, Vec<&'a Value>)>;

fn sides<'a>(old: impl Iterator<Item = &'a Value>, new: impl Iterator<Item = &'a Value>) -> Sides<'a> {
    let mut sides = Sides::new();
    old.for_each(|it| sides.entry(Key::of_step(it)).or_default().0.push(it));
    new.for_each(|it| sides.entry(Key::of_step(it)).or_default().1.push(it));
    sides
}

struct Found(Vec<Difference>);

impl Found {
    fn actions(&mut self, old: &Value, new: &Value) {
        fn all(plan: &Value) -> impl Iterator<Item = &Value> {
            list(plan, "actions").iter().chain(list(plan, "held"))
        }
        for (mut old, mut new) in sides(all(old), all(new)).into_values() {
            // An object may be deleted and created again: steps with equal verbs are paired first, then the rest.
            let mut pairs = Vec::new();
            old.retain(|step| match new.iter().position(|it| text(it, "verb") == text(step, "verb")) {
                Some(at) => {
                    pairs.push((*step, new.remove(at)));
                    false
                }
                None => true,
            });
            let both = old.len().min(new.len());
            pairs.extend(old.drain(..both).zip(new.drain(..both)));
            for (old, new) in pairs {
                let fields = step(old, new);
                self.differs(new, Part::Action, text(new, "verb"), fields);
            }
            old.into_iter().for_each(|it| self.add(it, Part::Action, Change::OnlyOld(text(it, "verb").to_owned())));
            new.into_iter().for_each(|it| self.add(it, Part::Action, Change::OnlyNew(text(it, "verb").to_owned())));
        }
    }

    fn statuses(&mut self, old: &Value, new: &Value) {
        for (old, new) in sides(list(old, "status").iter(), list(new, "status").iter()).into_values() {
            for at in 0..old.len().max(new.len()) {
                match (old.get(at), new.get(at)) {
                    (Some(old), Some(new)) => {
                        let mut fields = Vec::new();
                        version(old, new, &mut fields);
                        walk(&mut Pointer::of(["status"]), old.get("status"), new.get("status"), &mut fields);
                        self.differs(new, Part::Status, "", fields);
                    }
                    (Some(old), None) => self.add(old, Part::Status, Change::OnlyOld(String::new())),
                    (None, Some(new)) => self.add(new, Part::Status, Change::OnlyNew(String::new())),
                    (None, None) => {}
                }
            }
        }
    }

    fn needs(&mut self, old: &Value, new: &Value) {
        let all = |plan| list(plan, "needs").iter().map(|it| (it.to_canonical(), it)).collect::<BTreeMap<_, _>>();
        let (old, new) = (all(old), all(new));
        for (key, need) in &old {
            if !new.contains_key(key) {
                self.add(need, Part::Need, Change::OnlyOld(String::new()));
            }
        }
        for (key, need) in &new {
            if !old.contains_key(key) {
                self.add(need, Part::Need, Change::OnlyNew(String::new()));
            }
        }
    }

    fn differs(&mut self, step: &Value, part: Part, verb: &str, fields: Vec<Field>) {
        if !fields.is_empty() {
            self.add(step, part, Change::Differs { verb: verb.to_owned(), fields });
        }
    }

    fn add(&mut self, step: &Value, part: Part, change: Change) {
        let mut target = target(step).clone();
        // A need is its own target, so it also holds the cluster.
        if let Some(fields) = target.as_map_mut() {
            fields.remove("cluster");
        }
        let (cluster, subject) = (text(step, "cluster").to_owned(), text(step, "subject").to_owned());
        self.0.push(Difference { cluster, subject, target, part, change });
    }
}

/// The target of a step; a need is its own target.
fn target(step: &Value) -> &Value {
    step.get("target").unwrap_or(step)
}

/// The fields in which two steps for the same object differ.
fn step(old: &Value, new: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    for (place, keys) in [("verb", &["verb"][..]), ("wave", &["wave"]), ("held", &["held", "code"])] {
        if old.at(keys) != new.at(keys) {
            fields.push(Field::new(place, old.at(keys), new.at(keys)));
        }
    }
    version(old, new, &mut fields);
    // A body and a patch cannot be compared.
    if text(old, "verb") != text(new, "verb") {
        return fields;
    }
    let before = fields.len();
    walk(&mut Pointer::root(), old.get("body"), new.get("body"), &mut fields);
    patches(list(old, "patch"), list(new, "patch"), &mut fields);
    if fields.len() == before && old.get("id") != new.get("id") && target(old) == target(new) {
        fields.push(Field::new("id", old.get("id"), new.get("id")));
    }
    fields
}

fn version(old: &Value, new: &Value, out: &mut Vec<Field>) {
    let of = |step| target(step).get("apiVersion");
    if of(old) != of(new) {
        out.push(Field::new("apiVersion", of(old), of(new)));
    }
}

/// Compares maps key by key, and lists index by index after the common prefix and suffix are removed: otherwise an
/// inserted element would make all later ones differ.
fn walk(path: &mut Pointer, old: Option<&Value>, new: Option<&Value>, out: &mut Vec<Field>) {
    match (old, new) {
        (Some(Value::Map(old)), Some(Value::Map(new))) => {
            for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
                path.push(key.clone());
                walk(path, old.get(key), new.get(key), out);
                path.pop();
            }
        }
        (Some(Value::List(old)), Some(Value::List(new))) => {
            let shorter = old.len().min(new.len());
            let begin = old.iter().zip(new.iter()).take_while(|(old, new)| old == new).count();
            let ends = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new);
            let end = ends.take(shorter - begin).count();
            let (old, new) = (old.get(..old.len() - end), new.get(..new.len() - end));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            for index in begin..old.len().max(new.len()) {
                path.push(index.to_string());
                walk(path, old.get(index), new.get(index), out);
                path.pop();
            }
        }
        _ if old == new => {}
        _ => out.push(Field::new(&path.to_string(), old, new)),
    }
}

/// Compares patches by path. With equal operations at a path, the values are compared like bodies; otherwise the
/// operations differ.
fn patches(old: &[Value], new: &[Value], out: &mut Vec<Field>) {
    let (old, new) = (by_path(old), by_path(new));
    for path in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (old.get(path).map_or(&[][..], Vec::as_slice), new.get(path).map_or(&[][..], Vec::as_slice));
        if let ([old], [new]) = (old, new)
            && (old.get("op"), old.get("from")) == (new.get("op"), new.get("from"))
            && let Ok(mut place) = Pointer::parse(path)
        {
            walk(&mut place, old.get("value"), new.get("value"), out);
        } else if old != new {
            let whole = |operations: &[Value]| match operations {
                [] => None,
                [one] => Some(one.clone()),
                many => Some(Value::from(many.to_vec())),
            };
            out.push(Field { place: (*path).to_owned(), old: whole(old), new: whole(new) });
        }
    }
}

/// The operations by path, without their path.
fn by_path(patch: &[Value]) -> BTreeMap<&str, Vec<Value>> {
    let mut paths: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for operation in patch {
        let mut rest = operation.clone();
        if let Some(fields) = rest.as_map_mut() {
            fields.remove("path");
        }
        paths.entry(text(operation, "path")).or_default().push(rest);
    }
    paths
}

#[cfg(test)]
mod tests;
