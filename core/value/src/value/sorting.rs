//! One sort for all lists that are short or sorted once per answer.
//!
//! The compiler instantiates the standard sort for every sorted type, and again for every collected `SortedMap` and
//! `SortedSet`: about eight kilobytes of module each time. This one sorts numbers, and is compiled once: with std's
//! collections and sorts the module was 78 KB (brotli) larger.

use std::cmp::Ordering;

/// Sorts; equal items keep their order.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

/// Sorts by a comparison; equal items keep their order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let order = sorted(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut places: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| places.get_mut(place).and_then(Option::take)));
}

/// The indices below `count` in the order of their items: runs of two, then of four, and so on, are merged.
fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut width = 1_usize;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for run in order.chunks(width.saturating_mul(2)) {
            let (mut left, mut right) = run.split_at_checked(width).unwrap_or((run, &[]));
            while let (Some((a, rest_left)), Some((b, rest_right))) = (left.split_first(), right.split_first()) {
                if compare(*a, *b).is_le() {
                    merged.push(*a);
                    left = rest_left;
                } else {
                    merged.push(*b);
                    right = rest_right;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        order = merged;
        width = width.saturating_mul(2);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_one_does() {
        let mut state = 1_u64;
        for count in 0..200_usize {
            let mut items: Vec<(u64, usize)> = Vec::new();
            for place in 0..count {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                items.push(((state >> 33) % 20, place));
            }
            let mut standard = items.clone();
            standard.sort_by_key(|it| it.0);
            sort_by(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, standard);
        }
    }
}
