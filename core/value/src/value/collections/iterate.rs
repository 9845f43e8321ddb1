//! Going through the entries of a map: run by run.

use std::{slice, vec};

use super::SortedMap;

#[derive(Debug)]
pub struct Iter<'a, K, V> {
    run: slice::Iter<'a, (K, V)>,
    runs: slice::Iter<'a, Vec<(K, V)>>,
}

#[derive(Debug)]
pub struct IterMut<'a, K, V> {
    run: slice::IterMut<'a, (K, V)>,
    runs: slice::IterMut<'a, Vec<(K, V)>>,
}

#[derive(Debug)]
pub struct IntoIter<K, V> {
    run: vec::IntoIter<(K, V)>,
    runs: vec::IntoIter<Vec<(K, V)>>,
}

impl<'a, K, V> Iter<'a, K, V> {
    pub(super) fn new(runs: &'a [Vec<(K, V)>]) -> Iter<'a, K, V> {
        Iter { run: [].iter(), runs: runs.iter() }
    }

    /// From the entry `at` of a run on.
    pub(super) fn from(runs: &'a [Vec<(K, V)>], run: usize, at: usize) -> Iter<'a, K, V> {
        let mut runs = runs.get(run..).unwrap_or_default().iter();
        let run = runs.next().and_then(|run| run.get(at..)).unwrap_or_default();
        Iter { run: run.iter(), runs }
    }
}

impl<'a, K, V> IterMut<'a, K, V> {
    pub(super) fn new(runs: &'a mut [Vec<(K, V)>]) -> IterMut<'a, K, V> {
        IterMut { run: [].iter_mut(), runs: runs.iter_mut() }
    }
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { run: self.run.clone(), runs: self.runs.clone() }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            if let Some((key, value)) = self.run.next() {
                return Some((key, value));
            }
            self.run = self.runs.next()?.iter();
        }
    }
}

impl<'a, K, V> Iterator for IterMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);

    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        loop {
            if let Some((key, value)) = self.run.next() {
                return Some((key, value));
            }
            self.run = self.runs.next()?.iter_mut();
        }
    }
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(entry) = self.run.next() {
                return Some(entry);
            }
            self.run = self.runs.next()?.into_iter();
        }
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut SortedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter { run: Vec::new().into_iter(), runs: self.runs.into_iter() }
    }
}
