//! Results of comparisons: similar clusters share most of an object in memory, desired and live, so each pair of shared
//! parts is compared once for all of them.

use std::sync::Arc;

use crate::value::Value;

/// Pairs of shared parts, each with the result of its comparison.
///
/// A part counts as compared before if desired, live and last applied have the same addresses, in the same field of
/// the same kind. The cache keeps all three alive, so no other value can get their addresses.
#[derive(Debug, Default)]
pub struct PairCache {
    /// By the hash of the addresses; a later pair replaces an earlier one. Empty until something is kept.
    slots: Vec<Option<Slot>>,
    /// How many pairs were kept.
    kept: usize,
}

#[derive(Debug)]
struct Slot {
    desired: Value,
    live: Value,
    last: Option<Value>,
    field: Box<[u8]>,
    compared: Compared,
}

/// The result for a pair.
#[derive(Clone, Debug)]
pub enum Compared {
    /// There is no difference.
    Same,
    /// What an update writes.
    Merged(Value),
}

/// A pair and the field that it is compared for.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub desired: &'a Value,
    pub live: &'a Value,
    pub last: Option<&'a Value>,
    pub field: &'a Field<'a>,
    /// Whether it is merged; otherwise it is compared.
    pub is_merge: bool,
}

/// A field of a kind: the keys from the root, steps into lists left out.
#[derive(Debug)]
pub struct Field<'a> {
    keys: Vec<&'a str>,
    /// The API version, the kind and the keys, each with its length, so that fields are compared at once.
    written: Vec<u8>,
}

impl<'a> Field<'a> {
    pub fn of(api_version: &str, kind: &str, keys: &[&'a str]) -> Field<'a> {
        let mut field = Field { keys: Vec::with_capacity(16), written: Vec::with_capacity(256) };
        field.write(api_version);
        field.write(kind);
        keys.iter().for_each(|key| field.push(key));
        field
    }

    pub fn keys(&self) -> &[&'a str] {
        &self.keys
    }

    pub fn push(&mut self, key: &'a str) {
        self.keys.push(key);
        self.write(key);
    }

    pub fn pop(&mut self) {
        let key = self.keys.pop().unwrap_or_default();
        self.written.truncate(self.written.len().saturating_sub(key.len() + size_of::<usize>()));
    }

    fn write(&mut self, text: &str) {
        self.written.extend_from_slice(text.as_bytes());
        self.written.extend_from_slice(&text.len().to_le_bytes());
    }
}

impl PairCache {
    /// Enough for one object. There are more as more is kept: most plans are of few clusters.
    const FEWEST: usize = 64;
    const MOST: usize = 2048;

    pub fn get(&self, pair: Pair) -> Option<&Compared> {
        let slot = self.slots.get(pair.slot(self.slots.len())?)?.as_ref()?;
        slot.is_of(pair).then_some(&slot.compared)
    }

    /// Keeps the result for a pair, if both parts are shared: others do not come again.
    pub fn keep(&mut self, pair: Pair, compared: impl FnOnce() -> Compared) {
        if !is_shared(pair.desired) || !is_shared(pair.live) {
            return;
        }
        if self.kept >= self.slots.len() && self.slots.len() < PairCache::MOST {
            // In other slots, nothing that was kept would be found.
            let slots = (self.slots.len() * 4).clamp(PairCache::FEWEST, PairCache::MOST);
            self.slots.clear();
            self.slots.resize_with(slots, || None);
        }
        self.kept += 1;
        let Some(at) = pair.slot(self.slots.len()) else { return };
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Some(Slot {
                desired: pair.desired.clone(),
                live: pair.live.clone(),
                last: pair.last.cloned(),
                field: pair.field.written.as_slice().into(),
                compared: compared(),
            });
        }
    }
}

impl Slot {
    fn is_of(&self, pair: Pair) -> bool {
        let is_same_last = match (&self.last, pair.last) {
            (None, None) => true,
            (Some(a), Some(b)) => a.ptr_eq(b),
            _ => false,
        };
        self.desired.ptr_eq(pair.desired)
            && self.live.ptr_eq(pair.live)
            && is_same_last
            && matches!(self.compared, Compared::Merged(_)) == pair.is_merge
            && *self.field == *pair.field.written
    }
}

impl Pair<'_> {
    /// Where the pair is kept among so many; nowhere unless both are maps or lists.
    fn slot(self, slots: usize) -> Option<usize> {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let (desired, live) = (place(self.desired)? as u64, place(self.live)? as u64);
        let hash = (desired.rotate_left(32) ^ live ^ u64::from(self.is_merge)).wrapping_mul(ODD);
        usize::try_from(hash >> 32).ok()?.checked_rem(slots)
    }
}

fn place(value: &Value) -> Option<usize> {
    match value {
        Value::Map(map) => Some(Arc::as_ptr(map).addr()),
        Value::List(items) => Some(Arc::as_ptr(items).addr()),
        _ => None,
    }
}

fn is_shared(value: &Value) -> bool {
    match value {
        Value::Map(map) => Arc::strong_count(map) > 1,
        Value::List(items) => Arc::strong_count(items) > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{differences, differences_with, update_always, update_always_with};
    use super::*;
    use crate::value::json;

    fn parse(text: &str) -> Value {
        json::parse(text).expect("a test writes JSON")
    }

    /// Compares and updates with one cache and without, in this order.
    #[track_caller]
    fn check(pairs: &[(&Value, &Value, Option<&Value>)]) {
        let mut cache = PairCache::default();
        for (desired, live, last) in pairs.iter().chain(pairs) {
            assert_eq!(differences_with(&mut cache, desired, live, *last), differences(desired, live, *last));
            let with = update_always_with(&mut cache, desired, live, *last).unwrap();
            let without = update_always(desired, live, *last).unwrap();
            assert_eq!(
                (with.differences, with.patch, with.object),
                (without.differences, without.patch, without.object)
            );
        }
    }

    #[test]
    fn the_cache_changes_no_answer() {
        let desired = parse(
            r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":"1"}},"spec":{"replicas":2,
                "template":{"spec":{"containers":[{"name":"c","image":"i:1","args":["x"]}]}}}}"#,
        );
        let live = parse(
            r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":"1","b":"2"}},"spec":{"replicas":3,
                "template":{"spec":{"containers":[{"name":"c","image":"i:1","args":["x"],"tty":false}],"x":1}}}}"#,
        );
        let mut scaled = desired.clone();
        *scaled.get_mut("spec").and_then(|it| it.get_mut("replicas")).unwrap() = 3_i64.into();
        let mut drifted = live.clone();
        drifted.get_mut("spec").and_then(Value::as_map_mut).unwrap().remove("template");
        let last = parse(r#"{"spec":{"paused":true,"template":{"spec":{"x":1}}}}"#);
        check(&[
            (&desired, &live, None),
            (&scaled, &live, None),
            (&scaled, &live, Some(&last)),
            (&desired, &drifted, None),
            (&desired, &live, Some(&desired)),
            (&scaled, &live, None),
        ]);
    }

    #[test]
    fn the_same_parts_in_another_field_or_kind_are_compared_again() {
        let verbs = Value::list(["get", "list"].map(Value::from));
        let reversed = Value::list(["list", "get"].map(Value::from));
        let role = |verbs: &Value| {
            let rule = Value::map([("verbs", verbs.clone()), ("args", verbs.clone())]);
            let base = r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role"}"#;
            let mut role = parse(base);
            role.as_map_mut().unwrap().insert("rules", Value::list([rule]));
            role
        };
        // Verbs are a set, arguments are not.
        check(&[(&role(&verbs), &role(&reversed), None)]);
        let object = |kind: &str, list: &Value| {
            let mut object = parse(&format!(r#"{{"apiVersion":"example.com/v1","kind":"{kind}"}}"#));
            object.as_map_mut().unwrap().insert("rules", Value::list([Value::map([("verbs", list.clone())])]));
            object
        };
        check(&[
            (&role(&verbs), &role(&reversed), None),
            (&object("Other", &verbs), &object("Other", &reversed), None),
        ]);
    }
}
