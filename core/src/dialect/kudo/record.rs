//! What an OperatorVersion took hold of.
//!
//! 1. Its status lists the objects: a template that is changed later must not hide them.
//! 2. Its annotation lists their kinds. A status can be lost, as when an object is restored from a backup; then the
//!    objects of these kinds are listed, and those that name the OperatorVersion are its objects.
//! 3. A status that was restored may be older than the objects. Before the OperatorVersion goes, the kinds are listed
//!    too: an object whose only owner is gone is deleted by the garbage collector, also one that was only borrowed.

use crate::engine::diff::diff;
use crate::engine::ownership::{Owner, names};
use crate::engine::patch::{Operation, patch};
use crate::object::document::Identity;
use crate::object::identity::is_terminating;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Map, Text, Value, json};
use crate::workspace::observed::{HUB, Query};
use crate::workspace::plan::{Target, has_finalizer, with_finalizer};
use crate::workspace::store::View;

/// Keeps an OperatorVersion until nothing refers to it.
pub const FINALIZER: &str = "fleetfold.dev/release";

/// The field of the status.
pub const OBJECTS: &str = "objects";

/// The annotation: a JSON list of `apiVersion/kind`.
const KINDS: &str = "fleetfold.dev/held-kinds";

pub fn read(live: &Value) -> Vec<Target> {
    let objects = live.at(&["status", OBJECTS]).and_then(Value::as_list).into_iter().flatten();
    let text = |object: &Value, key: &str| Text::from(object.text_at(&[key]));
    objects
        .map(|it| Target {
            api_version: text(it, "apiVersion"),
            kind: text(it, "kind"),
            namespace: text(it, "namespace"),
            name: text(it, "name"),
        })
        .filter(|it| !it.kind.is_empty() && !it.name.is_empty())
        .collect()
}

/// The record of some objects; null for none.
pub fn written(objects: impl Iterator<Item = Target>) -> Value {
    let entry = |it: Target| {
        let Target { api_version, kind, namespace, name } = it;
        let fields = [("apiVersion", api_version), ("kind", kind), ("namespace", namespace), ("name", name)];
        Value::from(Map::from_iter(fields.into_iter().filter(|(_, text)| !text.is_empty())))
    };
    let all: Vec<Value> = objects.map(entry).collect();
    if all.is_empty() { Value::Null } else { all.into() }
}

/// Whether an OperatorVersion may hold objects that its status does not list.
pub fn is_incomplete(live: &Value) -> bool {
    has_finalizer(live, FINALIZER) && (live.at(&["status", OBJECTS]).is_none() || is_terminating(live))
}

/// The lists in which the objects of an incomplete record are.
pub fn queries(live: &Value) -> Vec<Query> {
    let query = |text: &Text| {
        let (api_version, kind) = text.rsplit_once('/')?;
        Some(Query { api_version: api_version.into(), kind: kind.into(), ..Query::default() })
    };
    if is_incomplete(live) { kinds(live).iter().filter_map(query).collect() } else { Vec::new() }
}

/// The objects that an incomplete record does not list, as far as they were read.
pub fn found(view: View, live: &Value, owner: &Owner) -> Vec<Target> {
    if !is_incomplete(live) {
        return Vec::new();
    }
    let observed = view.store.observed(HUB).into_iter().flat_map(|it| it.objects()).map(|(_, object)| object);
    let objects = view.store.documents().map(|it| &it.value).chain(observed);
    let mut found: SortedMap<Identity, Target> = SortedMap::new();
    for object in objects.filter(|it| names(it, owner)) {
        let target = Target::of(object);
        found.insert(target.identity(), target);
    }
    for listed in read(live) {
        found.remove(&listed.identity());
    }
    found.into_values().collect()
}

/// The operations that put the finalizer on, and record the kinds of all objects. None if nothing is missing.
pub fn guard<'t>(live: &Value, objects: impl Iterator<Item = &'t Target>) -> Vec<Operation> {
    let mut all = kinds(live);
    all.extend(objects.map(|it| Text::from(format!("{}/{}", it.api_version, it.kind))));
    let text = Value::list(all).to_canonical();
    let mut operations = if has_finalizer(live, FINALIZER) { Vec::new() } else { with_finalizer(live, FINALIZER) };
    let Ok(guarded) = patch(live.clone(), &operations, crate::diagnostic::Mode::Strict, &mut Vec::new()) else {
        return operations;
    };
    operations.extend(diff(&guarded, &annotated(&guarded, Some(text.into()))));
    operations
}

/// The operations that take the record off again.
pub fn forget(live: &Value) -> Vec<Operation> {
    diff(live, &annotated(live, None))
}

fn kinds(live: &Value) -> SortedSet<Text> {
    let list = json::parse(live.text_at(&["metadata", "annotations", KINDS])).ok();
    let list = list.as_ref().and_then(Value::as_list).into_iter().flatten();
    list.filter_map(Value::as_text).map(Text::from).collect()
}

fn annotated(live: &Value, text: Option<Value>) -> Value {
    let mut object = live.clone();
    let metadata = object.get_mut("metadata").and_then(Value::as_map_mut);
    let Some(metadata) = metadata else { return object };
    let annotations = metadata.entry_or("annotations", || Map::new().into());
    let Some(annotations) = annotations.and_then(Value::as_map_mut) else { return object };
    match text {
        Some(text) => annotations.insert(KINDS, text),
        None => annotations.remove(KINDS),
    };
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
    object
}
