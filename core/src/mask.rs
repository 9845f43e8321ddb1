//! Secrets never leave: the contents of Secret objects, and of the copies that tools keep of them, are replaced before an
//! answer is written. Everything before that works on the real values.

use crate::path::Pointer;
use crate::value::{Map, Text, Value};

/// What stands in an answer where a secret value would be.
pub const MASK: &str = "(masked)";

/// Annotations in which tools keep a copy of the object they applied.
const COPIES: &[&str] = &["kubectl.kubernetes.io/last-applied-configuration", "kudo.dev/last-applied-configuration"];

/// What makes a map a Secret.
const SIGN: (&str, &str) = ("kind", "Secret");

/// Writes an answer, with the contents of every Secret in it replaced.
pub fn write(mut answer: Value) -> String {
    let (text, secret) = answer.to_canonical_watching(SIGN);
    if !secret {
        return text;
    }
    cover(&mut answer);
    answer.to_canonical()
}

/// Whether a place of one of the objects lies in what a Secret keeps to itself, be it the object or one inside it, as in
/// a list of objects.
pub fn is_hidden(objects: &[&Value], place: &Pointer) -> bool {
    let segments: Vec<&str> = place.segments().map(Text::as_str).collect();
    objects.iter().any(|object| {
        let inside = (0..=segments.len()).filter_map(|depth| segments.split_at_checked(depth));
        inside.into_iter().any(|(above, below)| {
            is_secret_place(below) && Pointer::of(above.iter().copied()).get(object).is_some_and(is_secret)
        })
    })
}

fn is_secret(object: &Value) -> bool {
    object.as_map().is_some_and(is_secret_map)
}

/// Whether a top-level field of a Secret, or a copy among its annotations, holds what must not be shown.
fn is_secret_place(segments: &[&str]) -> bool {
    match segments {
        [] | ["data" | "stringData", ..] | ["metadata"] | ["metadata", "annotations"] => true,
        ["metadata", "annotations", key, ..] => COPIES.contains(key),
        _ => false,
    }
}

fn is_secret_map(map: &Map) -> bool {
    map.get(SIGN.0).and_then(Value::as_text) == Some(SIGN.1)
}

fn cover(value: &mut Value) {
    if let Some(items) = value.as_list_mut() {
        items.iter_mut().for_each(cover);
    }
    let Some(map) = value.as_map_mut() else { return };
    if is_secret_map(map) {
        for field in ["data", "stringData"] {
            if let Some(content) = map.get_mut(field) {
                cover_content(content);
            }
        }
        let annotations = map.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
        for (_, copy) in
            annotations.into_iter().flat_map(Map::iter_mut).filter(|(key, _)| COPIES.contains(&key.as_str()))
        {
            *copy = MASK.into();
        }
    } else {
        map.iter_mut().for_each(|(_, value)| cover(value));
    }
}

/// The keys of a Secret are shown, its values are not.
fn cover_content(content: &mut Value) {
    if let Some(map) = content.as_map_mut() {
        map.iter_mut().for_each(|(_, value)| *value = MASK.into());
    } else if !content.is_null() {
        *content = MASK.into();
    }
}
