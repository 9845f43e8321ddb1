//! The update for the differences of an object, section by section.

use super::pair_cache::{Compared, Field, Pair, PairCache};
use super::stored::{is_stored_as, is_string_data};
use super::{Difference, DifferenceKind, Members, differences_at, differences_with};
use crate::diagnostic::Error;
use crate::diagnostic::Mode;
use crate::engine::diff::diff;
use crate::engine::patch::Operation;
use crate::engine::retain::pair::{Partners, pair};
use crate::engine::retain::{Retained, Rules, retain, take};
use crate::object::kinds::lists::{ListKind, is_exact, list_kind};
use crate::object::kinds::retention::INJECTED;
use crate::object::kinds::updates::{How, Section, immutable, sections, some_sections};
use crate::value::path::Pointer;
use crate::value::{Map, Value};

/// The differences under the policy of a kind, and the update that removes them.
#[derive(Clone, Debug, Default)]
pub struct Update {
    pub differences: Vec<Difference>,
    /// The complete object to send; none if no update is needed or possible.
    pub object: Option<Value>,
    /// The same as operations on the live object.
    pub patch: Vec<Operation>,
}

/// Compares by the policy of the kind, and computes the update.
///
/// 1. Only the sections of the policy count, and only a section that differs is written.
/// 2. A merged section lays desired values over live ones: lists that have keys merge element by element and keep
///    further live elements; sets become the desired ones; of an ordered list the elements that differ do, and all of
///    them where the length does.
/// 3. A replaced section becomes the desired one; where that is absent or null, it is removed.
/// 4. Immutable places stay as they are; their differences are reported.
/// 5. What was applied last and is no longer desired is removed from a merged section. Finalizers of others stay.
/// 6. A CA bundle that an injector wrote stays in a replaced section, unless the desired object has one.
///
/// After the update, comparing again finds nothing but immutable differences.
///
/// # Errors
///
/// In compat mode, a section on which the cert-manager deployment operator crashes.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::matching::update, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment",
///     "spec":{"replicas":3,"revisionHistoryLimit":10}}"#)?;
/// let update = update(&desired, &live, None, Mode::Strict)?;
/// assert_eq!(update.patch[0].path, "/spec/replicas");
/// let object = update.object.unwrap();
/// assert_eq!(object.at(&["spec", "revisionHistoryLimit"]).unwrap().as_int(), Some(10), "the spec is merged");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn update(desired: &Value, live: &Value, last_applied: Option<&Value>, mode: Mode) -> Result<Update, Error> {
    update_with(&mut PairCache::default(), desired, live, last_applied, mode)
}

/// The same for one of many like objects, with what was compared for the others.
///
/// # Errors
///
/// As [`update`].
pub(crate) fn update_with(
    cache: &mut PairCache,
    desired: &Value,
    live: &Value,
    last_applied: Option<&Value>,
    mode: Mode,
) -> Result<Update, Error> {
    let mut update = mend(cache, sections(desired, last_applied), desired, live, last_applied, mode)?;
    if mode == Mode::Strict
        && let Some(object) = update.object.take()
    {
        let object = keep_injected(object, live, &update.differences)?;
        update.patch = diff(live, &object);
        update.object = (!update.patch.is_empty()).then_some(object);
    }
    Ok(update)
}

/// The strict update for upstreams that keep objects of every kind up to date: kinds that the policy never updates are
/// merged like any other. What stays of the cluster is for retention to decide, so no CA bundle is carried over.
///
/// # Errors
///
/// None today: strict comparison always succeeds.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::matching::{update, update_always}, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"v1","kind":"Namespace",
///     "metadata":{"name":"shop","labels":{"team":"a"}}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}"#)?;
/// assert!(update(&desired, &live, None, Mode::Strict)?.object.is_none(), "the policy never updates a Namespace");
/// assert!(update_always(&desired, &live, None)?.object.is_some());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn update_always(desired: &Value, live: &Value, last_applied: Option<&Value>) -> Result<Update, Error> {
    update_always_with(&mut PairCache::default(), desired, live, last_applied)
}

/// The same for one of many like objects, with what was compared for the others.
///
/// # Errors
///
/// As [`update_always`].
pub(crate) fn update_always_with(
    cache: &mut PairCache,
    desired: &Value,
    live: &Value,
    last_applied: Option<&Value>,
) -> Result<Update, Error> {
    mend(cache, some_sections(desired, last_applied), desired, live, last_applied, Mode::Strict)
}

fn mend(
    cache: &mut PairCache,
    sections: Vec<Section>,
    desired: &Value,
    live: &Value,
    last_applied: Option<&Value>,
    mode: Mode,
) -> Result<Update, Error> {
    let mut object = live.clone();
    let (mut found, mut is_written) = (Vec::new(), false);
    let is_inside = |place: &[&str]| sections.iter().any(|it| place.starts_with(&it.path()));
    let has_others = immutable(desired).iter().any(|place| !is_inside(place));
    for section in sections {
        if mode == Mode::Compat && section.unseen_by_operator {
            continue;
        }
        let here = section_differences(cache, &section, desired, live, last_applied, mode)?;
        if here.iter().any(|it| it.kind != DifferenceKind::Immutable) {
            is_written = true;
            let path = section.path();
            match written(cache, &section, &here, desired, live, last_applied, mode) {
                Some(value) => put(&mut object, &path, value),
                None => remove(&mut object, &path),
            }
        }
        found.extend(here);
    }
    if mode == Mode::Strict && has_others {
        found.extend(unlisted_immutables(cache, desired, live, &found));
    }
    if !is_written {
        return Ok(Update { differences: found, ..Update::default() });
    }
    if mode == Mode::Strict {
        restore_immutables(&mut object, live);
    }
    let patch = diff(live, &object);
    Ok(Update { differences: found, object: (!patch.is_empty()).then_some(object), patch })
}

/// The updated object with what an injector wrote into the live one. What was applied here and is extra now is not
/// kept.
fn keep_injected(object: Value, live: &Value, found: &[Difference]) -> Result<Value, Error> {
    let rules = Rules { builtin: INJECTED, ..Rules::default() };
    let Retained { mut object, retained } = retain(&object, live, &rules, &mut Vec::new())?;
    let is_extra = |place: &Pointer| found.iter().any(|it| it.kind == DifferenceKind::Extra && it.path == *place);
    for it in retained.iter().filter(|it| is_extra(&it.path)) {
        take(&mut object, &it.path);
    }
    Ok(object)
}

fn section_differences(
    cache: &mut PairCache,
    section: &Section,
    desired: &Value,
    live: &Value,
    last: Option<&Value>,
    mode: Mode,
) -> Result<Vec<Difference>, Error> {
    let path = section.path();
    if mode == Mode::Strict
        && let Some(differences) = differences_at(cache, &path, desired, live, last)
    {
        return Ok(differences);
    }
    let only = |object: &Value| {
        // The kind goes along: the tables of lists and immutable places need it.
        let mut part =
            Value::map(["apiVersion", "kind"].into_iter().filter_map(|key| Some((key, object.get(key)?.clone()))));
        match (object.at(&path), path.split_last()) {
            (Some(value), _) => put(&mut part, &path, value.clone()),
            // The parent of the section is included: it is not missing.
            (None, Some((_, above))) if !above.is_empty() && object.at(above).is_some() => {
                put(&mut part, above, Map::new().into());
            }
            (None, _) => {}
        }
        part
    };
    let (wanted, found) = (only(desired), only(live));
    let mut differences = match mode {
        Mode::Strict => differences_with(cache, &wanted, &found, last.map(only).as_ref()),
        Mode::Compat => super::matches_operator(&wanted, &found)?,
    };
    if mode == Mode::Strict {
        // Of a Secret, one section is stored in another.
        differences.retain(|it| !is_string_data(it, desired, live));
    }
    let root = Pointer::of(path);
    differences.retain(|it| root.contains(&it.path) || it.path.contains(&root));
    Ok(differences)
}

/// The new value of a section that differs; `None` if it is removed.
fn written(
    cache: &mut PairCache,
    section: &Section,
    found: &[Difference],
    desired: &Value,
    live: &Value,
    last: Option<&Value>,
    mode: Mode,
) -> Option<Value> {
    let path = section.path();
    let (wanted, kept, last) = (desired.at(&path), live.at(&path), last.and_then(|it| it.at(&path)));
    match (section.how, mode) {
        (How::Replace, Mode::Compat) => wanted.cloned(),
        (How::Replace, Mode::Strict) => wanted.filter(|it| !it.is_null()).cloned(),
        (How::Merge, Mode::Compat) => wanted.map(|wanted| super::compat::merge(wanted, kept)),
        (How::Merge, Mode::Strict) => {
            let root = Pointer::of(path.iter().copied());
            if found.iter().any(|it| it.kind == DifferenceKind::Extra && it.path == root) {
                return None;
            }
            let nothing = match kept {
                Some(Value::List(_)) => Value::List(Default::default()),
                _ => Map::new().into(),
            };
            let merged = Merger::new(cache, desired, &path).merge(wanted.unwrap_or(&nothing), kept, last);
            Some(merged).filter(|it| wanted.is_some() || !it.is_empty())
        }
    }
}

/// Immutable places outside the sections, such as the role of a binding.
fn unlisted_immutables(cache: &mut PairCache, desired: &Value, live: &Value, found: &[Difference]) -> Vec<Difference> {
    let all = differences_with(cache, desired, live, None);
    let immutable = all.into_iter().filter(|it| it.kind == DifferenceKind::Immutable);
    immutable.filter(|it| !found.iter().any(|known| known.path == it.path)).collect()
}

fn restore_immutables(object: &mut Value, live: &Value) {
    for path in immutable(live) {
        if let Some(value) = live.at(&path) {
            put(object, &path, value.clone());
        }
    }
}

/// Sets the value at the end of a chain of keys, creating missing maps.
fn put(object: &mut Value, path: &[&str], value: Value) {
    let mut here = object;
    for key in path {
        if here.as_map().is_none() {
            *here = Map::new().into();
        }
        let Some(next) = here.as_map_mut().and_then(|map| map.entry_or(key, || Value::Null)) else { return };
        here = next;
    }
    *here = value;
}

fn remove(object: &mut Value, path: &[&str]) {
    let Some((last, above)) = path.split_last() else { return };
    let map = above.iter().try_fold(object, |here, key| here.get_mut(key)).and_then(Value::as_map_mut);
    if let Some(map) = map {
        map.remove(last);
    }
}

struct Merger<'a, 'm> {
    cache: &'m mut PairCache,
    api_version: &'a str,
    kind: &'a str,
    field: Field<'a>,
}

impl<'a, 'm> Merger<'a, 'm> {
    fn new(cache: &'m mut PairCache, desired: &'a Value, path: &[&'a str]) -> Merger<'a, 'm> {
        let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
        Merger { cache, api_version, kind, field: Field::of(api_version, kind, path) }
    }

    /// The live value itself if nothing changes, so it stays shared.
    fn merge(&mut self, desired: &'a Value, live: Option<&'a Value>, last: Option<&'a Value>) -> Value {
        let Some(live) = live else { return desired.clone() };
        match (desired, live) {
            (Value::Null, live) => live.clone(),
            (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => {
                let known = Pair { desired, live, last, field: &self.field, is_merge: true };
                if let Some(Compared::Merged(merged)) = self.cache.get(known) {
                    return merged.clone();
                }
                let merged = self.merge_parts(desired, live, last);
                let pair = Pair { desired, live, last, field: &self.field, is_merge: true };
                self.cache.keep(pair, || Compared::Merged(merged.clone()));
                merged
            }
            _ => desired.clone(),
        }
    }

    fn merge_parts(&mut self, desired: &'a Value, live: &'a Value, last: Option<&'a Value>) -> Value {
        match (desired, live) {
            (Value::Map(wanted), Value::Map(found)) => {
                let mut changed: Option<Map> = None;
                for (key, value, kept) in wanted.beside(found) {
                    self.field.push(key);
                    let value = match (value, kept) {
                        (Value::Null, None) => None,
                        (value, kept) if self.is_stored(value, kept) => kept.cloned(),
                        (value, kept) => Some(self.merge(value, kept, last.and_then(|it| it.get(key)))),
                    };
                    self.field.pop();
                    if let Some(value) = value.filter(|it| !kept.is_some_and(|kept| is_unchanged(it, kept))) {
                        changed.get_or_insert_with(|| (**found).clone()).insert(key.clone(), value);
                    }
                }
                for (key, _) in last.and_then(Value::as_map).into_iter().flat_map(|it| it.iter()) {
                    if !wanted.contains(key) && found.contains(key) {
                        changed.get_or_insert_with(|| (**found).clone()).remove(key);
                    }
                }
                changed.map_or_else(|| live.clone(), Value::from)
            }
            (Value::List(wanted), Value::List(found)) => {
                let merged = self.merge_lists(wanted, found, last.and_then(Value::as_list));
                let is_same =
                    merged.len() == found.len() && merged.iter().zip(found.iter()).all(|(a, b)| is_unchanged(a, b));
                if is_same { live.clone() } else { merged.into() }
            }
            _ => desired.clone(),
        }
    }

    /// Whether the API server made the live value of the desired one: writing it again would change nothing.
    fn is_stored(&self, desired: &Value, live: Option<&Value>) -> bool {
        is_stored_as(desired, live, self.api_version, self.kind, self.field.keys())
    }

    fn merge_lists(&mut self, wanted: &'a [Value], found: &'a [Value], last: Option<&'a Vec<Value>>) -> Vec<Value> {
        let Merger { api_version, kind, ref field, .. } = *self;
        let keys = field.keys();
        let (is_exact, is_shared) = (is_exact(api_version, kind, keys), keys.first() == Some(&"metadata"));
        match list_kind(api_version, kind, keys) {
            kind @ (ListKind::Keyed(_) | ListKind::KeyedOrNamed(_)) => match pair(wanted, found, kind) {
                Ok(pairing) => {
                    // Live elements keep their places; missing ones are appended.
                    let mut merged: Vec<Option<Value>> = found.iter().cloned().map(Some).collect();
                    let mut added = Vec::new();
                    let earlier = last.map(|last| Partners::of(last, kind));
                    let earlier = |item| earlier.as_ref().and_then(|it| it.get(item));
                    for (item, at) in wanted.iter().zip(&pairing.partners) {
                        match at.and_then(|at| Some((merged.get_mut(at)?, found.get(at)?))) {
                            Some((place, kept)) => *place = Some(self.merge(item, Some(kept), earlier(item))),
                            None => added.push(item.clone()),
                        }
                    }
                    for index in pairing.extra {
                        let was_applied = found.get(index).is_some_and(|item| earlier(item).is_some());
                        let gone = is_exact || was_applied;
                        if let (true, Some(place)) = (gone, merged.get_mut(index)) {
                            *place = None;
                        }
                    }
                    merged.into_iter().flatten().chain(added).collect()
                }
                Err(_) => wanted.to_vec(),
            },
            ListKind::Ordered if wanted.len() == found.len() && !super::is_permutation(wanted, found) => {
                // An element that lacks nothing stays; half of it and half of another would be neither.
                let last = super::same_length(last, wanted);
                let mut merged = Vec::with_capacity(wanted.len());
                for (index, (item, kept)) in wanted.iter().zip(found).enumerate() {
                    merged.push(match self.merge(item, Some(kept), last.and_then(|it| it.get(index))) {
                        merged if merged == *kept => merged,
                        _ => item.clone(),
                    });
                }
                merged
            }
            ListKind::Set if is_shared => {
                let (in_wanted, in_found) = (Members::of(wanted), Members::of(found));
                let in_last = last.map(|it| Members::of(it));
                let was_applied = |item: &Value| in_last.as_ref().is_some_and(|it| it.contains(item));
                let kept = found.iter().filter(|item| in_wanted.contains(item) || !was_applied(item));
                kept.chain(wanted.iter().filter(|item| !in_found.contains(item))).cloned().collect()
            }
            ListKind::Set | ListKind::Ordered => wanted.to_vec(),
        }
    }
}

/// Whether a merged value is the live one: a part that nothing changed is the same place in memory.
fn is_unchanged(merged: &Value, live: &Value) -> bool {
    match live {
        Value::Map(_) | Value::List(_) => merged.ptr_eq(live),
        _ => merged == live,
    }
}
