//! Maps merged key by key, with the origin of every leaf.

use super::{Layer, LayerValue, Origins, Setting, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::value::path::OptionPath;
use crate::value::sorting::sort_by;
use crate::value::text::order;
use crate::value::{Map, Text, Value};

/// One option as set by one layer, at its own path or through a parent of it.
#[derive(Clone, Copy)]
pub struct Contribution<'a> {
    pub index: usize,
    pub layer: &'a Layer,
    pub setting: &'a Setting,
    /// The value at the path of the chain; none of a reference, and of a parent that has nothing there.
    pub value: Option<&'a Value>,
    /// Whether the setting is of a parent of the path.
    pub through_parent: bool,
}

impl<'a> Contribution<'a> {
    pub fn new(index: usize, layer: &'a Layer, setting: &'a Setting) -> Contribution<'a> {
        let value = match &setting.source {
            Source::Value(value) => Some(value),
            Source::Reference(_) => None,
        };
        Contribution { index, layer, setting, value, through_parent: false }
    }

    /// The value or reference that the layer gives to the path.
    pub fn source(&self) -> Option<Source> {
        match self.through_parent {
            true => self.value.cloned().map(Source::Value),
            false => Some(self.setting.source.clone()),
        }
    }

    pub fn origin(&self) -> LayerValue {
        let Layer { name, document, .. } = self.layer;
        LayerValue {
            layer: name.clone(),
            document: document.clone(),
            at: self.setting.at.clone(),
            source: self.source(),
            deep: self.setting.deep,
            via: self.through_parent.then(|| self.setting.path.clone()),
        }
    }
}

/// Only maps merge: any other value replaces, or is replaced. For a parent that is reported at its own path.
pub fn warn_mismatches(chain: &[Contribution], out: &mut Vec<Diagnostic>) {
    let mut fits = true;
    for Contribution { layer, setting, value, through_parent, .. } in chain {
        let mergeable = value.is_some_and(is_map);
        if setting.deep && !through_parent && !(fits && mergeable) {
            let (name, path) = (&layer.name, &setting.path);
            let message = format!("the layer `{name}` merges `{path}`, but only maps merge; its value replaces");
            out.push(layer.finding(Diagnostic::warning(Code::MergeMismatch, message).at(setting.at.clone())));
        }
        fits = mergeable || (*through_parent && value.is_none());
    }
}

/// A chain whose winner merges, merged: maps key by key, null drops a key, everything else replaces. Adds the chain of
/// each leaf, under the leaf's own option path, `path` being that of the chain.
pub fn merge(path: &str, chain: &[Contribution], origins: &mut Origins) -> Value {
    // Layers below one that replaces all of it, as a reference always does, have no part in any leaf.
    let start = chain.iter().rposition(|it| !it.setting.deep || it.value.is_none()).unwrap_or(0);
    let parts = chain.iter().skip(start);
    let parts = parts.filter_map(|it| Some(Part { of: *it, value: it.value?, deep: it.setting.deep }));
    Tracer { path: path.to_string(), origins }.trace(&parts.collect::<Vec<_>>()).unwrap_or_default()
}

/// How many maps are merged by walking them side by side.
const WALKED: usize = 8;

struct Tracer<'a> {
    path: String,
    origins: &'a mut Origins,
}

/// What one layer has at a place inside a merged map.
#[derive(Clone, Copy)]
struct Part<'a> {
    of: Contribution<'a>,
    value: &'a Value,
    deep: bool,
}

impl Tracer<'_> {
    /// Merges the parts of a place, lowest first, and traces its leaves. Nothing where it is dropped.
    fn trace(&mut self, parts: &[Part]) -> Option<Value> {
        let top = parts.last()?;
        // A merged null drops its key; one that was there before is a value.
        if top.value.is_null() && crate::seeded!(MergedNullStays, top.deep, false) {
            return None;
        }
        if !is_map(top.value) {
            let source = |part: &Part| Some(Source::Value(part.value.clone()));
            let origin = |part: &Part| LayerValue { source: source(part), deep: false, ..part.of.origin() };
            // What was there before a layer dropped the key has no part in the value of today.
            let since = parts.iter().rposition(|part| part.value.is_null() && part.deep).map_or(0, |at| at + 1);
            self.origins.push(self.path.as_str().into(), parts.iter().skip(since).rev().map(origin));
            return Some(top.value.clone());
        }
        // A scalar below a map is no part of it.
        let start = parts.iter().rposition(|part| !is_map(part.value)).map_or(0, |at| at + 1);
        let maps = parts.iter().skip(start).filter_map(|part| Some((part, part.value.as_map()?)));
        // A value that a single layer sets completely is shared.
        if start + 1 == parts.len() && !(top.deep && has_null(top.value)) {
            for (key, value) in maps.flat_map(|(_, map)| map.iter()) {
                self.below(key, &[Part { value, ..*top }]);
            }
            return Some(top.value.clone());
        }
        if parts.len().saturating_sub(start) > WALKED {
            return Some(self.merge_many(maps.flat_map(|(part, map)| map.iter().map(move |entry| (entry, part)))));
        }
        // The maps are sorted: they are walked side by side, each key by those that have it.
        let mut maps = maps.map(|(part, map)| (part, map.iter().peekable())).collect::<Vec<_>>();
        let mut below = Vec::with_capacity(maps.len());
        let mut merged = Vec::with_capacity(maps.iter().map(|(_, map)| map.len()).max().unwrap_or(0));
        loop {
            let heads = maps.iter_mut().filter_map(|(_, map)| map.peek().map(|(key, _)| *key));
            let Some(key) = heads.min_by(|a, b| order(a, b)) else { return Some(Map::from_entries(merged).0.into()) };
            below.clear();
            below.extend(maps.iter_mut().filter_map(|(part, map)| {
                let (_, value) = map.next_if(|(it, _)| *it == key)?;
                Some(Part { value, ..**part })
            }));
            merged.extend(self.below(key, &below).map(|value| (key.clone(), value)));
        }
    }

    /// Merges the entries of many layers, of which each may have few: looking at all layers for every key would take
    /// the square of their number.
    fn merge_many<'p>(&mut self, entries: impl Iterator<Item = ((&'p Text, &'p Value), &'p Part<'p>)>) -> Value {
        let mut entries: Vec<(&Text, Part)> =
            entries.map(|((key, value), part)| (key, Part { value, ..*part })).collect();
        // Entries of one key keep the order of their layers.
        sort_by(&mut entries, |(a, _), (b, _)| order(a, b));
        let mut merged = Vec::new();
        for entries in entries.chunk_by(|(a, _), (b, _)| a == b) {
            let parts: Vec<Part> = entries.iter().map(|(_, part)| *part).collect();
            if let Some((key, _)) = entries.first() {
                merged.extend(self.below(key, &parts).map(|value| ((*key).clone(), value)));
            }
        }
        Map::from_entries(merged).0.into()
    }

    fn below(&mut self, key: &str, parts: &[Part]) -> Option<Value> {
        let len = self.path.len();
        self.path.push('.');
        OptionPath::write_key(key, &mut self.path);
        let value = self.trace(parts);
        self.path.truncate(len);
        value
    }
}

/// Whether a merge of this drops keys, even absent ones.
fn has_null(value: &Value) -> bool {
    value.as_map().is_some_and(|map| map.iter().any(|(_, value)| value.is_null() || has_null(value)))
}

pub fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}
