//! Groups of clusters with equal results.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::value::collections::SortedMap;
use crate::value::sorting::{sort, sort_by};
use crate::value::{Text, WordHasher};
use crate::workspace::results::ClusterResult;

/// Groups clusters whose results look the same through `view`, by first cluster.
///
/// 1. Results that clusters share are viewed once, with all their clusters.
/// 2. Other results may still look the same: those are one group, too.
pub fn group<'a, T: Hash + PartialEq>(
    results: impl Iterator<Item = (&'a Text, &'a ClusterResult)>,
    mut view: impl FnMut(&ClusterResult, &[&Text]) -> T,
) -> Vec<(Vec<Text>, T)> {
    let mut shared: SortedMap<usize, usize> = SortedMap::new();
    let mut distinct: Vec<(&ClusterResult, Vec<&Text>)> = Vec::new();
    for (name, result) in results {
        let key = match &result.rendered {
            Ok(rendered) => Arc::as_ptr(rendered).addr(),
            Err(error) => Arc::as_ptr(error).addr(),
        };
        let at = *shared.entry(key).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some((_, clusters)) => clusters.push(name),
            None => distinct.push((result, vec![name])),
        }
    }
    let mut groups: Groups<T, Vec<Text>> = Groups::default();
    for (result, clusters) in distinct {
        let at = groups.index_of(view(result, &clusters));
        groups.at_mut(at).into_iter().for_each(|names| names.extend(clusters.iter().map(|it| (*it).clone())));
    }
    let mut groups: Vec<(Vec<Text>, T)> = groups.all.into_iter().map(|(it, clusters)| (clusters, it)).collect();
    groups.iter_mut().for_each(|(clusters, _)| sort(clusters));
    sort_by(&mut groups, |(a, _), (b, _)| a.cmp(b));
    groups
}

/// Values, each with what belongs to all that are equal to it. Nothing orders values, so they are found by their
/// hashes.
#[derive(Debug)]
pub struct Groups<T, V> {
    pub all: Vec<(T, V)>,
    by_hash: SortedMap<u64, Vec<usize>>,
}

impl<T, V> Default for Groups<T, V> {
    fn default() -> Groups<T, V> {
        Groups { all: Vec::new(), by_hash: SortedMap::new() }
    }
}

impl<T: Hash + PartialEq, V: Default> Groups<T, V> {
    /// The index of the value, which is added if it is new.
    pub fn index_of(&mut self, value: T) -> usize {
        let mut hasher = WordHasher::default();
        value.hash(&mut hasher);
        let candidates = self.by_hash.entry(hasher.finish()).or_default();
        let known = candidates.iter().copied().find(|at| self.all.get(*at).is_some_and(|(it, _)| *it == value));
        known.unwrap_or_else(|| {
            let index = self.all.len();
            candidates.push(index);
            self.all.push((value, V::default()));
            index
        })
    }

    /// What belongs to the value of this index.
    pub fn at_mut(&mut self, index: usize) -> Option<&mut V> {
        self.all.get_mut(index).map(|(_, belongs)| belongs)
    }
}
