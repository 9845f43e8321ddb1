//! The origin of each place of an object, by the pointers of the object in its current form.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Base;
use crate::engine::rendered::{Chain, FieldOrigin, Origin};
use crate::value::index_text;
use crate::value::path::{Pointer, list_index};
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};

/// Sorted by path: everything below a path follows it directly.
#[derive(Clone, Debug)]
pub struct OriginTracker<'b> {
    base: &'b Base,
    entries: Vec<(Pointer, Chain)>,
    /// Whether something was touched that other places can lie inside of.
    has_wholes: bool,
}

impl OriginTracker<'_> {
    pub fn new(base: &Base) -> OriginTracker<'_> {
        let mut entries = Vec::with_capacity(base.given.len().saturating_add(24));
        entries.extend(base.given.iter().cloned());
        OriginTracker { base, entries, has_wholes: false }
    }

    /// The entries, to continue from in another tracker for the same base.
    pub fn entries(&self) -> (&[(Pointer, Chain)], bool) {
        (&self.entries, self.has_wholes)
    }

    /// Continues from the entries of another tracker.
    pub fn after<'b>(base: &'b Base, (before, has_wholes): (&[(Pointer, Chain)], bool)) -> OriginTracker<'b> {
        let mut entries = Vec::with_capacity(before.len().saturating_add(12));
        entries.extend_from_slice(before);
        OriginTracker { base, entries, has_wholes }
    }

    pub fn finish(self) -> Vec<(Pointer, Chain)> {
        self.entries
    }

    /// Whether the value of a place is the live object's.
    pub fn is_live(&self, place: &Pointer) -> bool {
        let found = self.find(place).ok().and_then(|at| self.entries.get(at));
        found.and_then(|(_, chain)| chain.first()).is_some_and(|it| it.origin.is_none())
    }

    /// Records that a layer set a path and everything below it.
    pub fn touch(&mut self, place: Pointer, set_by: FieldOrigin) {
        let (from, to) = self.inside(&place);
        let is_new = self.entries.get(from).is_none_or(|(it, _)| *it != place);
        for (inner, chain) in self.entries.get_mut(from..to).unwrap_or_default() {
            put_first(chain, narrowed(&set_by, &place, inner));
        }
        if is_new {
            self.add(from, place, Some(set_by));
        }
    }

    /// Records an element that was inserted into a list, which moves those behind it.
    pub fn insert(&mut self, place: Pointer, set_by: FieldOrigin, object: &Value) {
        let Some((list, at, len)) = element(&place, object) else { return };
        // The elements that moved, under the indices that they had.
        for index in at..len.saturating_sub(1) {
            self.know(list.child(index_text(index)));
        }
        self.shift(&list, |index| Some(if index < at { index } else { index.saturating_add(1) }));
        let from = self.find(&place).unwrap_or_else(|at| at);
        self.has_wholes |= is_whole(&set_by);
        self.entries.insert(from, (place, Arc::new(vec![set_by])));
    }

    /// Records an element that was removed from a list. The origin goes to the list.
    pub fn remove(&mut self, place: &Pointer, set_by: FieldOrigin, object: &Value) {
        let Some((list, at, len)) = element(place, object) else { return };
        for index in 0..=len {
            self.know(list.child(index_text(index)));
        }
        self.shift(&list, |index| match index.cmp(&at) {
            Ordering::Less => Some(index),
            Ordering::Equal => None,
            Ordering::Greater => Some(index.saturating_sub(1)),
        });
        let set_by = FieldOrigin { value: list.get(object).cloned(), ..set_by };
        match self.find(&list) {
            Ok(at) => {
                if let Some((_, chain)) = self.entries.get_mut(at) {
                    put_first(chain, set_by);
                }
            }
            Err(at) => self.add(at, list, Some(set_by)),
        }
    }

    /// Records the origin of a place, so that it can move.
    fn know(&mut self, place: Pointer) {
        if let Err(at) = self.find(&place) {
            self.add(at, place, None);
        }
    }

    /// A new entry: the latest origin, then the origins of enclosing paths, down to the base.
    fn add(&mut self, at: usize, place: Pointer, set_by: Option<FieldOrigin>) {
        let around = self.entries.get(..at).filter(|_| self.has_wholes).unwrap_or_default();
        // Of the size it needs: results are kept, and have dozens of chains.
        let chain = match around.iter().rev().find(|(it, _)| it.contains(&place)) {
            Some((outer, chain)) => {
                let before = chain.iter().map(|it| narrowed(it, outer, &place));
                set_by.into_iter().chain(before.filter(|it| it.value.is_some() || it.layer != BASE)).collect::<Vec<_>>()
            }
            None => match (set_by, self.base_origin(&place)) {
                (Some(set_by), Some(base_origin)) => vec![set_by, base_origin],
                (set_by, base_origin) => set_by.or(base_origin).into_iter().collect(),
            },
        };
        self.has_wholes |= chain.iter().any(is_whole);
        self.entries.insert(at.min(self.entries.len()), (place, Arc::new(chain)));
    }

    /// The value of the base at a path.
    fn base_origin(&self, place: &Pointer) -> Option<FieldOrigin> {
        let value = place.get(&self.base.object)?.clone();
        let Origin { document, path } = &self.base.origin;
        let origin = Some(Origin { document: Arc::clone(document), path: path.join(place) });
        Some(FieldOrigin { layer: BASE, origin, value: Some(value) })
    }

    fn find(&self, place: &Pointer) -> Result<usize, usize> {
        self.entries.binary_search_by(|(it, _)| it.cmp(place))
    }

    /// The entries at a place and inside it.
    fn inside(&self, place: &Pointer) -> (usize, usize) {
        let from = self.find(place).unwrap_or_else(|at| at);
        let behind = self.entries.get(from..).unwrap_or_default();
        // Mostly there is none or one.
        let inside = behind.iter().take_while(|(it, _)| place.contains(it)).count();
        (from, from.saturating_add(inside))
    }

    /// Gives the elements of a list new indices; elements without one are removed.
    fn shift(&mut self, list: &Pointer, moved: impl Fn(usize) -> Option<usize>) {
        let (from, to) = self.inside(list);
        let depth = list.segments().len();
        let mut inside: Vec<(Pointer, Chain)> = self.entries.drain(from..to).collect();
        inside.retain_mut(|(place, _)| {
            let index = place.segments().nth(depth).and_then(|it| list_index(it));
            let Some(index) = index else { return true };
            let to = moved(index);
            if let Some(to) = to {
                place.set(depth, index_text(to));
            }
            to.is_some()
        });
        sort_by(&mut inside, |(a, _), (b, _)| a.cmp(b));
        self.entries.splice(from..from, inside);
    }
}

pub const BASE: Text = Text::new_static("base");

/// Puts a new winner in front of a chain, which others may share.
fn put_first(chain: &mut Chain, set_by: FieldOrigin) {
    match Arc::get_mut(chain) {
        Some(chain) => chain.insert(0, set_by),
        None => {
            let mut longer = Vec::with_capacity(chain.len().saturating_add(1));
            longer.push(set_by);
            longer.extend_from_slice(chain);
            *chain = Arc::new(longer);
        }
    }
}

/// The list that has the element, the element's index, and how long the list is now.
fn element(place: &Pointer, object: &Value) -> Option<(Pointer, usize, usize)> {
    let (list, last) = place.split_last()?;
    let len = list.get(object).and_then(Value::as_list)?.len();
    Some((list, list_index(&last)?, len))
}

/// The origin of a path, narrowed to a path inside it.
fn narrowed(set_by: &FieldOrigin, outer: &Pointer, inner: &Pointer) -> FieldOrigin {
    if inner.segments().len() == outer.segments().len() {
        return set_by.clone();
    }
    let rest = Pointer::of(inner.segments().skip(outer.segments().len()).cloned());
    let value = set_by.value.as_ref().and_then(|it| rest.get(it)).cloned();
    let origin = set_by.origin.clone().map(|mut it| {
        // The base is written out, so that the place inside it is a place in the document too.
        if set_by.layer == BASE {
            it.path = it.path.join(&rest);
        }
        it
    });
    FieldOrigin { layer: set_by.layer.clone(), origin, value }
}

/// Whether other places can lie inside: a map, a list, or something that was taken away.
fn is_whole(set_by: &FieldOrigin) -> bool {
    !matches!(&set_by.value, Some(Value::Bool(_) | Value::Number(_) | Value::Text(_)))
}
