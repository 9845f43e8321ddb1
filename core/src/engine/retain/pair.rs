//! Which element of a live list is the same thing as which element of the desired one.

use std::fmt;

use crate::object::kinds::lists::{Key, ListKind};
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::sorting::sort;
use crate::value::{Number, Text, Value};

/// The pairs of two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// For each desired element, the index of its live partner.
    pub partners: Vec<Option<usize>>,
    /// The live elements without a partner, in their order.
    pub extra: Vec<usize>,
}

/// Why the elements of two lists cannot be paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpairable {
    /// An element lacks one of the keys, or is not a map.
    NoKey { side: Side, index: usize, key: &'static str },
    /// Two elements of one side have the same keys.
    SameKey { side: Side, first: usize, second: usize, keys: Vec<&'static str> },
    /// The list has no key, and the lengths differ.
    Lengths { desired: usize, live: usize },
}

/// The desired or the live list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Desired,
    Live,
}

const NAME: &[Key] = &[Key { name: "name", default: None }];

/// Pairs the elements of two lists.
///
/// 1. A keyed list pairs by all its keys, defaults filled in. If names are unique too, the rest pairs by name: a port
///    with another number is still the same port.
/// 2. A set pairs equal elements. A duplicate counts once.
/// 3. An ordered list pairs by place; surplus elements of one side stay alone.
///
/// # Errors
///
/// In a keyed list, an element without a key, or two elements of one side with the same keys.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::retain::pair::pair, object::kinds::lists::list_kind, value::json};
///
/// let desired = json::parse(r#"[{"name":"web"},{"name":"proxy"}]"#)?;
/// let live = json::parse(r#"[{"name":"injected"},{"name":"web"}]"#)?;
/// let kind = list_kind("v1", "Pod", &["spec", "containers"]);
/// let pairing = pair(desired.as_list().unwrap(), live.as_list().unwrap(), kind).unwrap();
/// assert_eq!(pairing.partners, [Some(1), None]);
/// assert_eq!(pairing.extra, [0]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn pair(desired: &[Value], live: &[Value], kind: ListKind) -> Result<Pairing, Unpairable> {
    match kind {
        ListKind::Keyed(keys) if is_aligned(desired, live, keys) => Ok(by_place(desired, live)),
        ListKind::Keyed(keys) => {
            let wanted = keys_of(desired, keys, Side::Desired)?;
            let found = keys_of(live, keys, Side::Live)?;
            // Nearly always both sides have the same elements in the same order, and no side has one twice.
            Ok(if wanted == found { by_place(desired, live) } else { join(&wanted, &found) })
        }
        ListKind::KeyedOrNamed(keys) => {
            let pairing = pair(desired, live, ListKind::Keyed(keys))?;
            let is_whole = pairing.extra.is_empty() || pairing.partners.iter().all(Option::is_some);
            Ok(if is_whole { pairing } else { pair_by_keys(desired, live, &[keys, NAME]).0 })
        }
        ListKind::Set => {
            let texts = |items: &[Value]| items.iter().map(Value::to_canonical).collect::<Vec<_>>();
            Ok(join(&texts(desired), &texts(live)))
        }
        ListKind::Ordered => Ok(by_place(desired, live)),
    }
}

/// Whether two short lists have the same texts under their one key, in one order and each once: this is by far the most
/// common case, so it is checked first.
fn is_aligned(desired: &[Value], live: &[Value], keys: &[Key]) -> bool {
    const SHORT: usize = 16;
    let ([key], true) = (keys, desired.len() == live.len() && desired.len() <= SHORT) else { return false };
    let mut names: Vec<&str> = Vec::with_capacity(desired.len());
    desired.iter().zip(live).all(|(wanted, found)| {
        let name = wanted.get(key.name).and_then(Value::as_text);
        let is_next = |it: &&str| found.get(key.name).and_then(Value::as_text) == Some(it) && !names.contains(it);
        name.filter(is_next).map(|it| names.push(it)).is_some()
    })
}

/// Pairs the elements of two lists for a retention path, which may run through any list.
///
/// 1. By the keys of the list, if it has keys and they are unique.
/// 2. By `name`, where every element of both sides has one and no two of a side share it.
/// 3. By place, where the list has no keys and both sides are equally long.
///
/// # Errors
///
/// When none of these holds: a guess could hand one element's value to another.
pub fn pair_for_retention(desired: &[Value], live: &[Value], kind: ListKind) -> Result<Pairing, Unpairable> {
    let by_name = || pair(desired, live, ListKind::Keyed(NAME));
    match kind {
        ListKind::Keyed(_) | ListKind::KeyedOrNamed(_) => {
            crate::seeded!(RetentionPairsByIndex, pair(desired, live, kind), Ok(by_place(desired, live)))
                .or_else(|unpairable| by_name().map_err(|_| unpairable))
        }
        ListKind::Set | ListKind::Ordered => by_name().or_else(|_| {
            let (wanted, found) = (desired.len(), live.len());
            let equal = wanted == found;
            equal.then(|| by_place(desired, live)).ok_or(Unpairable::Lengths { desired: wanted, live: found })
        }),
    }
}

/// Pairs by the first group of keys, then the rest by the next group. An element that is ambiguous in one group waits
/// for the next; the second result reports an element that remained ambiguous.
pub fn pair_by_keys(desired: &[Value], live: &[Value], groups: &[&[Key]]) -> (Pairing, Option<Unpairable>) {
    let mut partners: Vec<Option<usize>> = vec![None; desired.len()];
    let mut alike = Vec::new();
    for keys in groups {
        let taken: SortedSet<usize> = partners.iter().flatten().copied().collect();
        let free = partners.iter().enumerate().filter(|(_, partner)| partner.is_none()).map(|(index, _)| index);
        let wanted = index_by_key(desired, keys, free);
        let found = index_by_key(live, keys, (0..live.len()).filter(|index| !taken.contains(index)));
        for (key, here) in wanted {
            match (here.as_slice(), found.get(&key).map(Vec::as_slice)) {
                ([index], Some([partner])) => {
                    if let Some(place) = partners.get_mut(*index) {
                        *place = Some(*partner);
                    }
                }
                ([first, second, ..], Some(_)) => alike.push((*first, Side::Desired, *first, *second, keys)),
                ([index, ..], Some([first, second, ..])) => alike.push((*index, Side::Live, *first, *second, keys)),
                _ => {}
            }
        }
    }
    let taken: SortedSet<usize> = partners.iter().flatten().copied().collect();
    let extra = (0..live.len()).filter(|index| !taken.contains(index)).collect();
    let left = alike.into_iter().find(|(index, ..)| partners.get(*index) == Some(&None));
    let unpairable = left.map(|(_, side, first, second, keys)| Unpairable::SameKey {
        side,
        first,
        second,
        keys: keys.iter().map(|key| key.name).collect(),
    });
    (Pairing { partners, extra }, unpairable)
}

/// The elements of a list by their keys, to find the partner of one element after the other: each call of [`pair`] with
/// one element would read the keys of the complete list.
#[derive(Debug)]
pub struct Partners<'a> {
    list: &'a [Value],
    keys: &'static [Key],
    by_key: SortedMap<ElementKey, Vec<usize>>,
    /// Where names are unique too.
    by_name: Option<SortedMap<ElementKey, Vec<usize>>>,
}

impl<'a> Partners<'a> {
    /// Nothing has a partner in a list that [`pair`] refuses, or in one without keys.
    pub fn of(list: &'a [Value], kind: ListKind) -> Partners<'a> {
        let (keys, is_named) = match kind {
            ListKind::Keyed(keys) => (keys, false),
            ListKind::KeyedOrNamed(keys) => (keys, true),
            ListKind::Set | ListKind::Ordered => (&[][..], false),
        };
        let is_known = !keys.is_empty() && keys_of(list, keys, Side::Live).is_ok();
        let index = |keys| index_by_key(list, keys, 0..list.len());
        let by_key = if is_known { index(keys) } else { SortedMap::new() };
        Partners { list, keys, by_key, by_name: (is_known && is_named).then(|| index(NAME)) }
    }

    /// The element that is the same thing as `item`.
    pub fn get(&self, item: &Value) -> Option<&'a Value> {
        let key = key_of(item, self.keys).ok()?;
        let place = match self.by_key.get(&key).map(Vec::as_slice) {
            Some([place, ..]) => *place,
            // A name that several elements have identifies none.
            _ => match self.by_name.as_ref()?.get(&key_of(item, NAME).ok()?).map(Vec::as_slice) {
                Some([place]) => *place,
                _ => return None,
            },
        };
        self.list.get(place)
    }
}

fn index_by_key(items: &[Value], keys: &[Key], of: impl Iterator<Item = usize>) -> SortedMap<ElementKey, Vec<usize>> {
    let mut places = SortedMap::<ElementKey, Vec<usize>>::new();
    for index in of {
        let key = items.get(index).and_then(|item| key_of(item, keys).ok());
        if let Some(key) = key {
            places.entry(key).or_default().push(index);
        }
    }
    places
}

/// The key of an element: equal only for equal keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ElementKey {
    /// One key whose value is a text, as nearly all are.
    Name(Text),
    /// Everything else, as canonical JSON.
    Written(String),
}

/// The keys of an element, or the key that it lacks.
fn key_of(item: &Value, keys: &[Key]) -> Result<ElementKey, &'static str> {
    if let [key] = keys
        && let Some(Value::Text(name)) = item.get(key.name)
    {
        return Ok(ElementKey::Name(name.clone()));
    }
    let parts = keys.iter().map(|key| {
        let value = item.get(key.name).filter(|it| !it.is_null()).cloned();
        value.or_else(|| item.as_map().and(key.default).map(Value::from)).ok_or(key.name)
    });
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    match parts.as_slice() {
        [Value::Text(name)] => Ok(ElementKey::Name(name.clone())),
        _ => Ok(ElementKey::Written(Value::from(parts).to_canonical())),
    }
}

fn keys_of(items: &[Value], keys: &[Key], side: Side) -> Result<Vec<ElementKey>, Unpairable> {
    let mut known = Vec::with_capacity(items.len());
    let mut lacking = None;
    for (index, item) in items.iter().enumerate() {
        match key_of(item, keys) {
            Ok(key) => known.push(key),
            Err(key) => {
                lacking = Some(Unpairable::NoKey { side, index, key });
                break;
            }
        }
    }
    let places = by_key(&known);
    let repeats = places.iter().zip(places.iter().skip(1)).filter(|(first, second)| first.0 == second.0);
    // The first error is reported: an element without a key comes after all that were checked.
    if let Some((first, second)) = repeats.min_by_key(|(_, second)| second.1) {
        let keys = keys.iter().map(|key| key.name).collect();
        return Err(Unpairable::SameKey { side, first: first.1, second: second.1, keys });
    }
    lacking.map_or(Ok(known), Err)
}

/// The keys in their order, each with its place. The lists of manifests are short: a sorted one beats a tree.
fn by_key<K: Ord>(keys: &[K]) -> Vec<(&K, usize)> {
    let mut places: Vec<_> = keys.iter().zip(0..).collect();
    sort(&mut places);
    places
}

/// The first place of a key.
fn place_of<K: Ord>(places: &[(&K, usize)], key: &K) -> Option<usize> {
    let at = places.partition_point(|(it, _)| *it < key);
    places.get(at).filter(|(it, _)| *it == key).map(|(_, place)| *place)
}

/// An element that is compared by its keys and has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmapped {
    pub side: Side,
    pub index: usize,
    pub kind: &'static str,
}

/// Every pair of elements whose values under all of `keys` are equal without defaults: absent and null are the same,
/// `1` and `1.0` are not. Nothing if there are more pairs than `most`.
///
/// # Errors
///
/// An element that is not a map, as soon as it is compared.
pub fn pair_raw(
    desired: &[Value],
    live: &[Value],
    keys: &[&str],
    most: usize,
) -> Result<Option<Vec<(usize, usize)>>, Unmapped> {
    check_maps(desired, live)?;
    let mut places: SortedMap<String, Vec<usize>> = SortedMap::new();
    for (index, item) in live.iter().enumerate() {
        places.entry(raw_key(item, keys)).or_default().push(index);
    }
    let partners = |(here, item)| {
        let found = places.get(&raw_key(item, keys)).map(Vec::as_slice).unwrap_or_default();
        found.iter().map(move |there| (here, *there))
    };
    let pairs: Vec<(usize, usize)> =
        desired.iter().enumerate().flat_map(partners).take(most.saturating_add(1)).collect();
    Ok(Some(pairs).filter(|it| it.len() <= most))
}

/// The live elements that go with no desired one, nor with a live one before them.
///
/// # Errors
///
/// As [`pair_raw`].
pub fn raw_extra(desired: &[Value], live: &[Value], keys: &[&str]) -> Result<Vec<usize>, Unmapped> {
    check_maps(desired, live)?;
    let mut known: SortedSet<String> = desired.iter().map(|it| raw_key(it, keys)).collect();
    let is_new = |(_, item): &(usize, &Value)| known.insert(raw_key(item, keys));
    Ok(live.iter().enumerate().filter(is_new).map(|(index, _)| index).collect())
}

/// Every element is compared with all of the other side, the first desired one first. Without another side, none is.
fn check_maps(desired: &[Value], live: &[Value]) -> Result<(), Unmapped> {
    if desired.is_empty() || live.is_empty() {
        return Ok(());
    }
    let desired = desired.iter().enumerate().map(|(index, item)| (Side::Desired, index, item));
    let live = live.iter().enumerate().map(|(index, item)| (Side::Live, index, item));
    let mut compared = desired.clone().take(1).chain(live).chain(desired.skip(1));
    let odd = compared.find(|(_, _, item)| item.as_map().is_none());
    odd.map_or(Ok(()), |(side, index, item)| Err(Unmapped { side, index, kind: item.kind() }))
}

/// A text that two elements share exactly if their values under all of the keys are equal.
fn raw_key(item: &Value, keys: &[&str]) -> String {
    let mut text = String::new();
    for key in keys {
        let value = item.get(key).unwrap_or(&Value::Null);
        text.push(if matches!(value, Value::Number(Number::Double(_))) { 'd' } else { ' ' });
        text.push_str(&value.to_canonical());
    }
    text
}

fn join<K: Ord>(desired: &[K], live: &[K]) -> Pairing {
    let (wanted, found) = (by_key(desired), by_key(live));
    let partners = desired.iter().map(|key| place_of(&found, key)).collect();
    // A wanted element is not extra, and neither is its repetition.
    let is_extra =
        |(index, key): &(usize, &K)| place_of(&wanted, key).is_none() && place_of(&found, key) == Some(*index);
    let extra = live.iter().enumerate().filter(is_extra).map(|(index, _)| index).collect();
    Pairing { partners, extra }
}

fn by_place(desired: &[Value], live: &[Value]) -> Pairing {
    let partners = (0..desired.len()).map(|index| (index < live.len()).then_some(index)).collect();
    Pairing { partners, extra: (desired.len()..live.len()).collect() }
}

impl fmt::Display for Unpairable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpairable::NoKey { side, index, key } => write!(f, "element {index} of the {side} list has no `{key}`"),
            Unpairable::SameKey { side, first, second, keys } => {
                let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
                write!(f, "elements {first} and {second} of the {side} list have the same {keys}")
            }
            Unpairable::Lengths { desired, live } => {
                write!(f, "no key identifies the elements, and the desired list has {desired}, the live one {live}")
            }
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Desired => "desired",
            Side::Live => "live",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::kinds::lists::list_kind;
    use crate::value::json;

    const PORTS: ListKind =
        ListKind::Keyed(&[Key { name: "port", default: None }, Key { name: "protocol", default: Some("TCP") }]);

    fn list(text: &str) -> Vec<Value> {
        json::parse(text).unwrap().as_list().unwrap().clone()
    }

    #[track_caller]
    fn check(kind: ListKind, desired: &str, live: &str, partners: &[Option<usize>], extra: &[usize]) {
        let pairing = pair(&list(desired), &list(live), kind).unwrap();
        assert_eq!((pairing.partners.as_slice(), pairing.extra.as_slice()), (partners, extra));
    }

    #[track_caller]
    fn refuses(kind: ListKind, desired: &str, live: &str, want: &str) {
        assert_eq!(pair_for_retention(&list(desired), &list(live), kind).unwrap_err().to_string(), want);
    }

    #[track_caller]
    fn falls_back(kind: ListKind, desired: &str, live: &str, partners: &[Option<usize>]) {
        assert_eq!(pair_for_retention(&list(desired), &list(live), kind).unwrap().partners, partners);
    }

    #[test]
    fn keys_pair_whatever_the_order_and_defaults_are_filled_in() {
        let live = r#"[{"port":53,"protocol":"UDP"},{"port":53,"protocol":"TCP"},{"port":80,"protocol":"TCP"}]"#;
        check(PORTS, r#"[{"port":80},{"port":53},{"port":443}]"#, live, &[Some(2), Some(1), None], &[0]);
        check(PORTS, r#"[{"port":80,"protocol":null}]"#, live, &[Some(2)], &[0, 1]);
    }

    #[test]
    fn a_set_ignores_order_and_repetition() {
        check(ListKind::Set, r#"["b","a","b"]"#, r#"["a","b","a","c","c"]"#, &[Some(1), Some(0), Some(1)], &[3]);
        check(ListKind::Set, "[1.0]", "[1]", &[Some(0)], &[]);
    }

    #[test]
    fn an_ordered_list_pairs_by_place() {
        check(ListKind::Ordered, "[1,2,3]", "[9]", &[Some(0), None, None], &[]);
        check(ListKind::Ordered, "[1]", "[9,9,9]", &[Some(0)], &[1, 2]);
    }

    #[test]
    fn the_same_keys_twice_on_one_side_cannot_be_paired() {
        let unpairable = pair(&list(r#"[{"port":80},{"port":80,"protocol":"TCP"}]"#), &[], PORTS).unwrap_err();
        assert_eq!(unpairable.to_string(), "elements 0 and 1 of the desired list have the same `port` and `protocol`");
    }

    #[test]
    fn keys_of_different_types_are_different() {
        check(PORTS, r#"[{"port":"80"}]"#, r#"[{"port":80}]"#, &[None], &[0]);
    }

    #[test]
    fn retention_falls_back_to_names_and_then_to_places() {
        let rows = list_kind("v1", "Unknown", &["spec", "rows"]);
        falls_back(rows, r#"[{"name":"b"},{"name":"a"}]"#, r#"[{"name":"a"}]"#, &[None, Some(0)]);
        falls_back(rows, r#"[{"x":1},{"x":2}]"#, r#"[{"x":2},{"x":1}]"#, &[Some(0), Some(1)]);
        falls_back(PORTS, r#"[{"name":"a"}]"#, r#"[{"name":"b"},{"name":"a"}]"#, &[Some(1)]);
    }

    #[test]
    fn a_later_group_of_keys_pairs_what_an_earlier_one_left() {
        const NAME: Key = Key { name: "name", default: Some("") };
        const PORT: Key = Key { name: "port", default: None };
        let desired = list(r#"[{"name":"b","port":2},{"port":1},{"name":"c","port":9}]"#);
        let live = list(r#"[{"name":"a","port":1},{"name":"b","port":2},{"name":"c","port":3}]"#);
        let (pairing, left) = pair_by_keys(&desired, &live, &[&[NAME, PORT], &[PORT], &[NAME]]);
        assert_eq!((pairing.partners, pairing.extra, left), (vec![Some(1), Some(0), Some(2)], vec![], None));
    }

    #[test]
    fn elements_that_no_group_tells_apart_are_named() {
        const PORT: Key = Key { name: "port", default: None };
        let (pairing, left) = pair_by_keys(&list(r#"[{"port":1},{"port":1}]"#), &list(r#"[{"port":1}]"#), &[&[PORT]]);
        assert_eq!(pairing.partners, [None, None]);
        assert_eq!(left.unwrap().to_string(), "elements 0 and 1 of the desired list have the same `port`");
    }

    #[test]
    fn retention_does_not_guess() {
        let lengths = "no key identifies the elements, and the desired list has 1, the live one 2";
        refuses(ListKind::Ordered, "[{}]", "[{},{}]", lengths);
        // Keyed lists never pair by place: their order has no meaning.
        refuses(PORTS, "[{}]", "[{}]", "element 0 of the desired list has no `port`");
    }
}
