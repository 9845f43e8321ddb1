//! Maps and sets in the order of their keys.
//!
//! They are used as the standard ones are. Of those the compiler makes some five kilobytes of module for every type
//! that is kept in one, and core keeps sixty; of these it makes one. Entries lie in runs, each a sorted list that is
//! split when it grows long: that is a tree of two levels, which is as fast up to many more entries than a fleet has.

mod iterate;
mod serde;
mod set;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;

pub use iterate::{IntoIter, Iter, IterMut};
pub use set::SortedSet;

/// How many entries a run holds at most. Putting one in moves half of them on average.
const RUN: usize = 256;

/// A map sorted by key, in runs of bounded length so that inserting in the middle stays cheap.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::collections::SortedMap;
///
/// let mut replicas: SortedMap<&str, u32> = [("us-1", 2), ("eu-1", 3)].into_iter().collect();
/// replicas.entry("ap-1").or_insert(1);
/// assert_eq!(replicas.keys().copied().collect::<Vec<_>>(), ["ap-1", "eu-1", "us-1"]);
/// assert_eq!(replicas.iter_from("b").next(), Some((&"eu-1", &3)));
/// assert_eq!(replicas.last_before("eu-1"), Some((&"ap-1", &1)));
/// ```
#[derive(Clone)]
pub struct SortedMap<K, V> {
    /// None of them is empty.
    runs: Vec<Vec<(K, V)>>,
}

/// Where a key is, or else belongs.
#[derive(Clone, Copy, Debug)]
struct Position {
    run: usize,
    at: usize,
    found: bool,
}

impl<K, V> SortedMap<K, V> {
    pub const fn new() -> SortedMap<K, V> {
        SortedMap { runs: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(&self.runs)
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(&mut self.runs)
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for run in &mut self.runs {
            run.retain_mut(|(key, value)| keep(key, value));
        }
        self.runs.retain(|run| !run.is_empty());
    }

    pub fn clear(&mut self) {
        self.runs.clear();
    }

    fn entry_at(&self, place: Position) -> Option<&(K, V)> {
        self.runs.get(place.run)?.get(place.at).filter(|_| place.found)
    }

    fn entry_at_mut(&mut self, place: Position) -> Option<&mut (K, V)> {
        self.runs.get_mut(place.run)?.get_mut(place.at).filter(|_| place.found)
    }

    fn take(&mut self, place: Position) -> Option<(K, V)> {
        let run = self.runs.get_mut(place.run).filter(|_| place.found)?;
        let taken = run.remove(place.at);
        if run.is_empty() {
            self.runs.remove(place.run);
        }
        Some(taken)
    }

    /// Puts in what was not found.
    fn put(&mut self, mut place: Position, key: K, value: V) -> &mut V {
        match self.runs.get_mut(place.run) {
            None => {
                place.run = self.runs.len();
                self.runs.push(Vec::new());
            }
            Some(run) if run.len() >= RUN => {
                // At the end, where keys come in order, runs stay full.
                let kept = if place.at == run.len() { run.len() } else { run.len() / 2 };
                let rest = run.split_off(kept);
                if place.at >= kept && (place.at > kept || rest.is_empty()) {
                    place = Position { run: place.run + 1, at: place.at - kept, ..place };
                    self.runs.insert(place.run, rest);
                } else {
                    self.runs.insert(place.run + 1, rest);
                }
            }
            Some(_) => {}
        }
        #[expect(clippy::indexing_slicing, reason = "the run was found or made just now")]
        let run = &mut self.runs[place.run];
        &mut run.insert_mut(place.at, (key, value)).1
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entry_at(self.find(key)).map(|(_, value)| value)
    }

    /// An entry, with the key as it is kept.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.entry_at(self.find(key)).map(|(key, value)| (key, value))
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.entry_at_mut(self.find(key)).map(|(_, value)| value)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).found
    }

    /// Sets a key; returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.find(&key);
        match self.entry_at_mut(place) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.put(place, key, value);
                None
            }
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.take(self.find(key)).map(|(_, value)| value)
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { place: self.find(&key), map: self, key }
    }

    /// The entries from a key on, itself included.
    pub fn iter_from<Q: Ord + ?Sized>(&self, key: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key);
        Iter::from(&self.runs, place.run, place.at)
    }

    /// The last entry before a key.
    pub fn last_before<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let Position { run, at, .. } = self.find(key);
        let within = at.checked_sub(1).and_then(|at| self.runs.get(run)?.get(at));
        within.or_else(|| self.runs.get(run.checked_sub(1)?)?.last()).map(|(key, value)| (key, value))
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Position
    where
        K: Borrow<Q>,
    {
        let order = |entry: Option<&(K, V)>| entry.map_or(Ordering::Greater, |(it, _)| it.borrow().cmp(key));
        let run = match search(self.runs.len(), &|at| order(self.runs.get(at).and_then(|run| run.first()))) {
            Ok(run) => return Position { run, at: 0, found: true },
            Err(after) => after.saturating_sub(1),
        };
        let Some(entries) = self.runs.get(run) else { return Position { run, at: 0, found: false } };
        match search(entries.len(), &|at| order(entries.get(at))) {
            Ok(at) => Position { run, at, found: true },
            Err(at) => Position { run, at, found: false },
        }
    }
}

/// The index of an item among `count`, or where it belongs. Compiled once for all types: `compare` is a parameter.
fn search(count: usize, order: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        match order(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

/// A key and where it is or belongs.
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    place: Position,
    key: K,
}

impl<'a, K, V> Entry<'a, K, V> {
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        if !self.place.found {
            return self.map.put(self.place, self.key, make());
        }
        #[expect(clippy::indexing_slicing, reason = "it was found just now")]
        let (_, value) = &mut self.map.runs[self.place.run][self.place.at];
        value
    }

    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }
}

impl<'a, K, V: Default> Entry<'a, K, V> {
    pub fn or_default(self) -> &'a mut V {
        self.or_insert_with(V::default)
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> SortedMap<K, V> {
        SortedMap::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &SortedMap<K, V>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

/// Equal maps may lie in other runs.
impl<K: std::hash::Hash, V: std::hash::Hash> std::hash::Hash for SortedMap<K, V> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            // Keys mostly come in order, and go behind the last one.
            let last = self.runs.last().and_then(|run| run.last());
            if last.is_some_and(|(last, _)| *last < key) {
                let run = self.runs.len().saturating_sub(1);
                let at = self.runs.last().map_or(0, Vec::len);
                self.put(Position { run, at, found: false }, key, value);
            } else {
                self.insert(key, value);
            }
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> SortedMap<K, V> {
        let mut map = SortedMap::new();
        map.extend(entries);
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that can be done, in no order, beside the standard map: far beyond one run.
    #[test]
    fn holds_what_the_standard_map_holds() {
        let (mut ours, mut theirs) = (SortedMap::new(), std::collections::BTreeMap::new());
        let mut state = 1_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let key = (state >> 33) % 3_000;
            match state >> 61 {
                0 | 1 => assert_eq!(ours.remove(&key), theirs.remove(&key)),
                2 => assert_eq!(ours.entry(key).or_insert(step), theirs.entry(key).or_insert(step)),
                _ => assert_eq!(ours.insert(key, step), theirs.insert(key, step)),
            }
            let (near, far) = (theirs.range(..key).next_back(), theirs.range(key..).next());
            assert_eq!((ours.last_before(&key), ours.iter_from(&key).next()), (near, far));
            assert_eq!(ours.get(&key), theirs.get(&key));
        }
        assert!(ours.runs.len() > 4 && ours.len() == theirs.len());
        assert!(ours.iter().eq(&theirs) && ours.iter_mut().eq(&mut theirs));
        ours.retain(|key, _| key % 500 == 0);
        theirs.retain(|key, _| key % 500 == 0);
        assert!(ours.runs.iter().all(|run| !run.is_empty()));
        assert!(ours.into_iter().eq(theirs));
    }

    #[test]
    fn keys_that_come_in_order_fill_runs() {
        let map: SortedMap<usize, ()> = (0..10 * RUN).map(|key| (key, ())).collect();
        assert_eq!(map.runs.len(), 10);
    }
}
