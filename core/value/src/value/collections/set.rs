//! A set is a map to nothing.

use std::borrow::Borrow;
use std::fmt;

use super::{IntoIter, Iter, SortedMap};

/// A sorted set over [`SortedMap`].
///
/// # Example
///
/// ```
/// use fleetfold_value::value::collections::SortedSet;
///
/// let mut clusters: SortedSet<&str> = ["us-1", "eu-1"].into_iter().collect();
/// assert!(!clusters.insert("eu-1"), "it is a member already");
/// assert_eq!(clusters.iter().copied().collect::<Vec<_>>(), ["eu-1", "us-1"]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SortedSet<T>(SortedMap<T, ()>);

impl<T> SortedSet<T> {
    pub const fn new() -> SortedSet<T> {
        SortedSet(SortedMap::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> Items<'_, T> {
        Items(self.0.iter())
    }
}

impl<T: Ord> SortedSet<T> {
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    /// Whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    /// Whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }
}

#[derive(Debug)]
pub struct Items<'a, T>(Iter<'a, T, ()>);

#[derive(Debug)]
pub struct IntoItems<T>(IntoIter<T, ()>);

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Items(self.0.clone())
    }
}

impl<'a, T> Iterator for Items<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.0.next().map(|(item, ())| item)
    }
}

impl<T> Iterator for IntoItems<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next().map(|(item, ())| item)
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Items<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = IntoItems<T>;

    fn into_iter(self) -> IntoItems<T> {
        IntoItems(self.0.into_iter())
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> SortedSet<T> {
        SortedSet::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> SortedSet<T> {
        let mut set = SortedSet::new();
        set.extend(items);
        set
    }
}
