//! Redaction: the contents of Secrets, and of copies that tools keep of them, are replaced in everything that answers
//! show ([`Redacted`](super::redacted::Redacted)). The engine works on the real values.

mod copies;
mod excerpt;
mod options;
mod search;
mod text;
mod values;

use std::sync::Arc;

use crate::object::kinds::upstreams::kubefed;
use crate::object::weight::weight;
use crate::value::path::{Pointer, list_index};
use crate::value::{Fact, Map, Text, Value};

use copies::Copies;
pub use copies::secret_in_annotation;
pub use excerpt::{Excerpt, Excerpts};
pub use text::{RedactedDocument, RedactedText, redact_text};
pub use values::SecretValues;

/// The text that replaces a secret value.
pub const MASK: &str = "(masked)";

/// The field that marks a map as a Secret or as a holder of Secrets.
const KIND: &str = "kind";

/// The kinds that hold Secrets, of objects that a server returns.
pub const SECRET_KINDS: &[&str] = &["Secret", kubefed::SECRET];

/// How a map keeps what must not be shown.
#[derive(Clone, Copy)]
enum Holder {
    /// It is a Secret.
    Secret,
    /// Its `items` are Secrets without a `kind`, as an API server lists them.
    SecretList,
    /// KubeFed's wrapper: its template is a Secret, with or without a `kind`, and its overrides hold parts of one.
    FederatedSecret,
}

impl Holder {
    fn of(map: &Map) -> Option<Holder> {
        Holder::named(map.get(KIND)?.as_text()?)
    }

    fn named(kind: &str) -> Option<Holder> {
        match kind {
            "Secret" => Some(Holder::Secret),
            "SecretList" => Some(Holder::SecretList),
            kubefed::SECRET => Some(Holder::FederatedSecret),
            _ => None,
        }
    }

    /// Whether a place below the holder lies in what must not be shown, or has it below itself. `value` is what the
    /// object has at the place.
    fn hides(self, place: &[&str], value: &Value) -> bool {
        match (self, place) {
            (_, []) => true,
            (Holder::Secret, ["data" | "stringData", ..] | ["metadata"] | ["metadata", "annotations"]) => true,
            (Holder::Secret, ["metadata", "annotations", key, ..]) => ANY.include_on_secret(key, value),
            (Holder::SecretList, ["items"]) => true,
            (Holder::SecretList, ["items", _, place @ ..]) => Holder::Secret.hides(place, value),
            (Holder::FederatedSecret, ["spec"] | ["spec", "overrides", ..]) => true,
            (Holder::FederatedSecret, ["spec", "template", place @ ..] | place @ ["metadata", ..]) => {
                Holder::Secret.hides(place, value)
            }
            _ => false,
        }
    }

    fn redact(self, map: &mut Map, copies: Copies) {
        match self {
            Holder::Secret => redact_secret(map, copies),
            Holder::SecretList => {
                let items = map.get_mut("items").and_then(Value::as_list_mut);
                items.into_iter().flatten().filter_map(Value::as_map_mut).for_each(|it| redact_secret(it, copies));
            }
            Holder::FederatedSecret => {
                redact_copies(map, copies);
                let Some(spec) = map.get_mut("spec") else { return };
                if let Some(template) = spec.get_mut("template").and_then(Value::as_map_mut) {
                    redact_secret(template, copies);
                }
                if let Some(overrides) = spec.get_mut("overrides") {
                    redact_values(overrides);
                }
            }
        }
    }
}

/// Whether a path of one of the objects is inside the contents of a Secret; the object may be the Secret or contain it,
/// as a list does.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::secrets::is_hidden, value::{json, path::Pointer}};
///
/// let secret = json::parse(r#"{"kind":"Secret","metadata":{"name":"tls"},"data":{"tls.key":"aGlkZGVu"}}"#)?;
/// assert!(is_hidden(&[&secret], &Pointer::of(["data", "tls.key"])));
/// assert!(!is_hidden(&[&secret], &Pointer::of(["metadata", "name"])));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn is_hidden(objects: &[&Value], place: &Pointer) -> bool {
    hides(objects, place, None)
}

/// The same for a value that one of the objects has at the place, or will have.
pub fn is_part_hidden(objects: &[&Value], place: &Pointer, part: &Value) -> bool {
    hides(objects, place, Some(part))
}

fn hides(objects: &[&Value], place: &Pointer, part: Option<&Value>) -> bool {
    objects.iter().any(|object| {
        let (mut here, mut below) = (*object, place.segments());
        loop {
            if let Some(holder) = here.as_map().and_then(Holder::of) {
                let steps = below.clone().map(Text::as_str).collect::<Vec<_>>();
                let found = below.clone().try_fold(here, |at, step| at.step(step));
                if found.into_iter().chain(part).any(|value| holder.hides(&steps, value))
                    || holder.hides(&steps, &Value::Null)
                {
                    return true;
                }
            }
            let Some(next) = below.next() else { return false };
            let Some(inner) = here.step(next) else { return false };
            if ANY.include(next, inner) {
                return true;
            }
            here = inner;
        }
    })
}

/// Redacts every Secret in a value. The structure stays: only leaves are replaced.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::secrets, value::json};
///
/// let mut list = json::parse(r#"[{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}},
///     {"kind":"ConfigMap","data":{"a":"b"}}]"#)?;
/// secrets::redact(&mut list);
/// assert_eq!(list.as_list().unwrap()[0].text_at(&["data", "tls.key"]), secrets::MASK);
/// assert_eq!(list.as_list().unwrap()[1].text_at(&["data", "a"]), "b");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn redact(value: &mut Value) {
    redact_below(value, ANY);
}

/// Redacts the contents of Secrets, and of copies of them only those that are known by name: for the record of what was
/// applied, which is on the object that holds the others.
pub fn redact_contents(value: &mut Value) {
    redact_below(value, Copies::Named);
}

/// Redacts what an object has at a place as [`redact`] does, and leaves the rest. Returns the size of the visited part,
/// roughly in bytes; a Secret on the path is redacted completely.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::secrets, value::{json, path::Pointer}};
///
/// let mut both = json::parse(r#"{"a":{"kind":"Secret","data":{"k":"aGlkZGVu"}},
///     "b":{"kind":"Secret","data":{"k":"eA=="}}}"#)?;
/// secrets::redact_at(&mut both, &Pointer::of(["a", "data", "k"]));
/// assert_eq!(both.text_at(&["a", "data", "k"]), secrets::MASK);
/// assert_eq!(both.text_at(&["b", "data", "k"]), "eA==");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn redact_at(object: &mut Value, place: &Pointer) -> usize {
    let (mut here, mut below) = (object, place.segments());
    while here.as_map().and_then(Holder::of).is_none() {
        // If the path is not plain, as with an index from the end, everything that it may mean is redacted.
        let Some(next) = below.next().filter(|it| here.step(it).is_some()) else { break };
        here = match here {
            Value::List(items) => {
                let Some(item) = list_index(next).and_then(|at| Arc::make_mut(items).get_mut(at)) else { return 0 };
                item
            }
            other => {
                let Some(field) = other.get_mut(next) else { return 0 };
                field
            }
        };
    }
    redact(here);
    weight(here)
}

/// Copies, recognized by their contents, in an object.
const ANY: Copies = Copies::Any { depth: 0 };

fn redact_below(value: &mut Value, copies: Copies) {
    // Nearly all values end here, and stay shared.
    if !may_hold_secret(value) {
        return;
    }
    if copies.include("", value) {
        *value = MASK.into();
    }
    if let Some(items) = value.as_list_mut() {
        items.iter_mut().for_each(|it| redact_below(it, copies));
    }
    let Some(map) = value.as_map_mut() else { return };
    match Holder::of(map) {
        Some(holder) => holder.redact(map, copies),
        None => map.iter_mut().for_each(|(key, value)| match copies.include(key, value) {
            true => *value = MASK.into(),
            false if value.as_text().is_some() => {}
            false => redact_below(value, copies),
        }),
    }
}

/// Whether a value contains a Secret, or a string that is the manifest of one.
pub fn holds_secret(value: &Value) -> bool {
    match value {
        Value::Text(text) => copies::is_copy(text, 0),
        Value::List(items) => items.iter().any(holds_secret),
        // Looking at each key is cheaper here than looking one up.
        Value::Map(map) => map.is(Fact::HoldsSecret, |map| {
            map.iter().any(|(key, value)| match value {
                Value::Text(text) => (key == KIND && Holder::named(text).is_some()) || copies::is_copy(text, 0),
                value => holds_secret(value),
            })
        }),
        _ => false,
    }
}

/// Whether there is a string in a value with which a Secret or a copy of one would be there: its kind, an escape that
/// may hide the kind, or the beginning of an encoded text.
fn may_hold_secret(value: &Value) -> bool {
    match value {
        Value::Text(text) => copies::may_be_copy(text),
        Value::List(items) => items.iter().any(may_hold_secret),
        Value::Map(map) => map.is(Fact::MayHoldSecret, |map| map.iter().any(|(_, value)| may_hold_secret(value))),
        _ => false,
    }
}

/// Whether a value is or contains a Secret. Its strings do not count.
pub fn has_secret(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_secret),
        Value::Map(map) => map.iter().any(|(key, value)| match value {
            Value::Text(text) => key == KIND && Holder::named(text).is_some(),
            value => has_secret(value),
        }),
        _ => false,
    }
}

/// Redacts a part of a tree: where the tree has a Secret, the part has one too, with or without a `kind`.
pub fn redact_part(part: &mut Value, place: &Pointer, tree: &Value) {
    match place.get(tree) {
        Some(whole) if whole.as_map().is_some_and(|it| Holder::of(it).is_some()) => redact_like(part, whole),
        _ if is_hidden(&[tree], place) => redact_leaves(part),
        Some(whole) => redact_like(part, whole),
        None => {}
    }
}

/// Redacts the places of the value where `whole`, of which it is a layer, has the contents of Secrets.
fn redact_like(value: &mut Value, whole: &Value) {
    let (Some(map), Some(whole)) = (value.as_map_mut(), whole.as_map()) else { return };
    match Holder::of(whole) {
        Some(holder) => holder.redact(map, ANY),
        None => map.iter_mut().filter_map(|(key, value)| Some((value, whole.get(key)?))).for_each(|(value, whole)| {
            redact_like(value, whole);
        }),
    }
}

fn redact_secret(map: &mut Map, copies: Copies) {
    for content in ["data", crate::seeded!(StringDataIsShown, "stringData", "data")] {
        match map.get_mut(content) {
            Some(Value::Null) | None => {}
            Some(content) => redact_leaves(content),
        }
    }
    redact_copies(map, copies);
}

fn redact_copies(map: &mut Map, copies: Copies) {
    let annotations = map.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
    let annotations = annotations.into_iter().flat_map(Map::iter_mut);
    let copies = annotations.filter_map(|(key, it)| copies.include_on_secret(key, it).then_some(it));
    copies.for_each(redact_leaves);
}

/// The keys of a Secret are shown, its values are not.
fn redact_leaves(value: &mut Value) {
    if let Some(items) = value.as_list_mut() {
        items.iter_mut().for_each(redact_leaves);
    } else if let Some(map) = value.as_map_mut() {
        map.iter_mut().for_each(|(_, value)| redact_leaves(value));
    } else {
        *value = MASK.into();
    }
}

/// Redacts the values of overrides; their clusters and paths are not secret.
fn redact_values(value: &mut Value) {
    if let Some(items) = value.as_list_mut() {
        items.iter_mut().for_each(redact_values);
    }
    let Some(map) = value.as_map_mut() else { return };
    for (key, value) in map.iter_mut() {
        if key == "value" { redact_leaves(value) } else { redact_values(value) }
    }
}
