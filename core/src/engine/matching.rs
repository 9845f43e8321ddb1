//! Is what a cluster has what it should have? Live contains desired, or here is where it does not.
//!
//! A live object always has more fields than the desired one: defaults, status, fields of other controllers. So the
//! comparison is "contains", not "equals", and the result is the list of differences.

mod compat;
mod pair_cache;
mod stored;
mod update;

pub use compat::{matches_kubefed, matches_operator};
pub use pair_cache::PairCache;
pub use update::{Update, update, update_always};
pub(crate) use update::{update_always_with, update_with};

use pair_cache::{Compared, Field, Pair};
pub use stored::Quantity;
use stored::{is_stored_as, is_string_data};

use crate::engine::retain::pair::{Partners, pair};
use crate::object::kinds::lists::{ListKind, exact_lists, has_exact_keys, is_exact, list_kind};
use crate::object::kinds::stored::is_server_set;
use crate::object::kinds::updates::{aggregation, immutable};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Map, Text, Value};

/// A place where live does not contain desired.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The place in the desired object; of something extra, the place in the live one.
    pub path: Pointer,
    pub kind: DifferenceKind,
    pub desired: Option<Value>,
    pub live: Option<Value>,
}

/// How two objects differ at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Both have a value there, another one.
    Changed,
    /// Live lacks it.
    Missing,
    /// The elements are the same, their order is not.
    Order,
    /// Live has it and should not.
    Extra,
    /// It differs, and no update can change it.
    Immutable,
}

impl DifferenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            DifferenceKind::Changed => "changed",
            DifferenceKind::Missing => "missing",
            DifferenceKind::Order => "order",
            DifferenceKind::Extra => "extra",
            DifferenceKind::Immutable => "immutable",
        }
    }
}

/// Where `live` does not contain `desired`.
///
/// 1. Null matches anything, also nothing.
/// 2. A map matches a map that has all its keys, each with a match. Further live keys are fine. `{}` matches any map,
///    but not a missing one.
/// 3. Scalars match if they are equal: `1` and `1.0` are, `1` and `"1"` are not, integers compare exactly.
/// 4. A list that has keys (containers, env, ports) matches if every desired element has a live partner that matches;
///    further live elements are fine, but for the subjects of a binding.
/// 5. A list that is a set (verbs, resources) matches if both have the same elements in whatever order.
/// 6. Any other list matches one of the same length, element by element: reordered arguments are a difference.
/// 7. What an API server stores in another spelling matches that, and fields that the server sets do not count: see
///    [`stored`](crate::object::kinds::stored).
/// 8. The rules of a ClusterRole that aggregates others do not count. An aggregation that is not desired is extra.
/// 9. Permissions are exact: the rules of a role and the subjects of a binding are empty where they are absent or null,
///    and a live rule has no further keys.
///
/// With `last_applied`, a field that it had and `desired` no longer has is a difference while the live object still has
/// it: this is how removals are found. In a list without keys, elements are those of the same places while their number
/// is.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::matching::{DifferenceKind, differences}, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment",
///     "spec":{"replicas":3,"revisionHistoryLimit":10}}"#)?;
/// let found = differences(&desired, &live, None);
/// assert_eq!(found.len(), 1, "fields that only the live object has are no difference");
/// assert_eq!((found[0].path.to_string().as_str(), found[0].kind), ("/spec/replicas", DifferenceKind::Changed));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn differences(desired: &Value, live: &Value, last_applied: Option<&Value>) -> Vec<Difference> {
    differences_with(&mut PairCache::default(), desired, live, last_applied)
}

/// The same for one of many like objects, with what was compared for the others.
pub(crate) fn differences_with(
    cache: &mut PairCache,
    desired: &Value,
    live: &Value,
    last_applied: Option<&Value>,
) -> Vec<Difference> {
    let fixed = immutable(desired);
    let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
    let mut ctx = Ctx {
        cache,
        api_version,
        kind,
        filled: aggregation(desired).filter(|it| it.is_on(desired)).map(|it| it.fills),
        field: Field::of(api_version, kind, &[]),
        path: Vec::new(),
        found: Vec::new(),
    };
    ctx.compare(desired, Some(live), last_applied);
    ctx.compare_absent(desired, live);
    if let Some((by, left)) = aggregation(desired)
        .filter(|it| it.is_on(live) && desired.get(it.by).is_none())
        .and_then(|it| Some((it.by, live.get(it.by)?)))
    {
        let path = Pointer::of([by]);
        // It was applied here and is desired no more: that is known already.
        if !ctx.found.iter().any(|it| it.path == path) {
            let (kind, live) = (DifferenceKind::Extra, Some(left.clone()));
            ctx.found.push(Difference { path, kind, desired: None, live });
        }
    }
    ctx.found.retain(|it| !is_string_data(it, desired, live));
    mark_immutable(&mut ctx.found, &fixed, live);
    ctx.found
}

/// The same for the part at the end of a chain of keys, without copying: most parts of most objects do not differ.
/// `None` if the part alone does not decide: one side lacks it, or other fields of the kind affect it.
fn differences_at(
    cache: &mut PairCache,
    keys: &[&str],
    desired: &Value,
    live: &Value,
    last_applied: Option<&Value>,
) -> Option<Vec<Difference>> {
    let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
    let (wanted, found) = (desired.at(keys)?, live.at(keys)?);
    // Of a Secret, one section is stored in another; and null may mean an empty list.
    if aggregation(desired).is_some() || kind == "Secret" || wanted.is_null() {
        return None;
    }
    if (1..=keys.len()).any(|depth| keys.get(..depth).is_some_and(|it| is_server_set(api_version, it))) {
        return Some(Vec::new());
    }
    let mut path = Vec::with_capacity(16);
    path.extend(keys.iter().map(|key| Segment::Requested(key)));
    let field = Field::of(api_version, kind, keys);
    let mut ctx = Ctx { cache, api_version, kind, filled: None, field, path, found: Vec::new() };
    ctx.compare(wanted, Some(found), last_applied.and_then(|it| it.at(keys)));
    if !ctx.found.is_empty() {
        mark_immutable(&mut ctx.found, &immutable(desired), live);
    }
    Some(ctx.found)
}

/// A place that live does not have yet can still be set; inside one that it has, nothing can, nor can what holds it go.
fn mark_immutable(found: &mut [Difference], fixed: &[Vec<&str>], live: &Value) {
    let fixed: Vec<Pointer> =
        fixed.iter().filter(|place| live.at(place).is_some()).map(|it| Pointer::of(it.iter().copied())).collect();
    let touches = |it: &Difference| fixed.iter().any(|place| place.contains(&it.path) || it.path.contains(place));
    for difference in found.iter_mut().filter(|it| touches(it)) {
        difference.kind = DifferenceKind::Immutable;
    }
}

struct Ctx<'a, 'm> {
    cache: &'m mut PairCache,
    api_version: &'a str,
    kind: &'a str,
    /// The root field that a controller fills, so that it does not count.
    filled: Option<&'static str>,
    /// What the tables go by.
    field: Field<'a>,
    path: Vec<Segment<'a>>,
    found: Vec<Difference>,
}

/// A step of the path, written out only where something differs.
#[derive(Clone, Copy)]
enum Segment<'a> {
    Key(&'a Text),
    /// A key of the requested path.
    Requested(&'a str),
    Index(usize),
}

impl<'a> Ctx<'a, '_> {
    fn compare(&mut self, desired: &'a Value, live: Option<&'a Value>, last: Option<&'a Value>) {
        let is_scalar = !matches!(desired, Value::Map(_) | Value::List(_));
        // As nearly all are.
        if is_scalar && live == Some(desired) {
            return;
        }
        // Fields are left out where they are empty, elements of a list are not.
        let is_element = matches!(self.path.last(), Some(Segment::Index(_)));
        let is_left_out = is_element && live.is_none_or(Value::is_null);
        if !is_left_out && is_stored_as(desired, live, self.api_version, self.kind, self.field.keys()) {
            return;
        }
        let Some(live) = live else {
            if is_element || !desired.is_null() {
                self.report(DifferenceKind::Missing, Some(desired), None);
            }
            return;
        };
        if desired.is_null() || desired.ptr_eq(live) && last.is_none() {
            return;
        }
        if is_scalar {
            return self.report(DifferenceKind::Changed, Some(desired), Some(live));
        }
        if self.cache.get(Pair { desired, live, last, field: &self.field, is_merge: false }).is_some() {
            return;
        }
        let known = self.found.len();
        self.compare_parts(desired, live, last);
        if self.found.len() == known {
            self.cache.keep(Pair { desired, live, last, field: &self.field, is_merge: false }, || Compared::Same);
        }
    }

    fn compare_parts(&mut self, desired: &'a Value, live: &'a Value, last: Option<&'a Value>) {
        match (desired, live) {
            (Value::Map(wanted), Value::Map(found)) => {
                for (key, value, live) in wanted.beside(found) {
                    if self.counts(key) {
                        self.below_key(key, |ctx| ctx.compare(value, live, last.and_then(|it| it.get(key))));
                    }
                }
                for (key, earlier) in last.and_then(Value::as_map).into_iter().flat_map(|it| it.iter()) {
                    if let (None, Some(left), true) = (wanted.get(key), found.get(key), self.counts(key)) {
                        self.below_key(key, |ctx| ctx.removed(earlier, left));
                    }
                }
                if has_exact_keys(self.api_version, self.kind, self.field.keys()) {
                    self.compare_exactly(wanted, found, last);
                }
            }
            (Value::List(wanted), Value::List(found)) => self.compare_lists(desired, wanted, live, found, last),
            _ if desired == live => {}
            _ => self.report(DifferenceKind::Changed, Some(desired), Some(live)),
        }
    }

    /// Reports further live keys of a map that must have the desired ones alone. Null and an empty value are no key.
    fn compare_exactly(&mut self, wanted: &'a Map, found: &'a Map, last: Option<&'a Value>) {
        let is_known = |key: &Text| !wanted.contains(key) && last.is_some_and(|it| it.get(key).is_some());
        for (key, left) in found.iter().filter(|(key, left)| !left.is_empty() && !is_known(key)) {
            if wanted.get(key).is_none_or(Value::is_null) {
                self.below_key(key, |ctx| ctx.report(DifferenceKind::Extra, None, Some(left)));
            }
        }
    }

    /// Reports the elements of lists that are empty where the desired object does not have them.
    fn compare_absent(&mut self, desired: &'a Value, live: &'a Value) {
        let lists = exact_lists(self.api_version, self.kind).filter(|it| self.filled != Some(*it));
        let lists: Vec<&'static str> = lists.filter(|it| desired.get(it).is_none_or(Value::is_null)).collect();
        for name in lists {
            let place = Pointer::of([name]);
            // It was applied here and is desired no more: that is known already.
            if self.found.iter().any(|it| it.path == place) {
                continue;
            }
            for (index, item) in live.get(name).and_then(Value::as_list).into_iter().flatten().enumerate() {
                let path = place.child(index.to_string());
                let live = Some(item.clone());
                self.found.push(Difference { path, kind: DifferenceKind::Extra, desired: None, live });
            }
        }
    }

    /// Whether a field below this place is compared at all.
    fn counts(&self, key: &Text) -> bool {
        match self.field.keys() {
            [] => self.filled != Some(key.as_str()) && !is_server_set(self.api_version, &[key]),
            [above] => !is_server_set(self.api_version, &[above, key]),
            _ => true,
        }
    }

    /// What was applied last and is desired no more. Labels, annotations and finalizers are shared with others: of
    /// those, only the ones that were applied.
    fn removed(&mut self, earlier: &'a Value, left: &'a Value) {
        match (self.field.keys(), earlier, left) {
            (["metadata", "annotations" | "labels"], Value::Map(earlier), Value::Map(left)) => {
                for (key, _) in earlier.iter() {
                    if let Some(left) = left.get(key) {
                        self.below_key(key, |ctx| ctx.report(DifferenceKind::Extra, None, Some(left)));
                    }
                }
            }
            (["metadata", "finalizers"], Value::List(earlier), Value::List(left)) => {
                self.compare_sets(&[], left, Some(earlier));
            }
            _ => self.report(DifferenceKind::Extra, None, Some(left)),
        }
    }

    fn compare_lists(
        &mut self,
        desired: &'a Value,
        wanted: &'a [Value],
        live: &'a Value,
        found: &'a [Value],
        last: Option<&'a Value>,
    ) {
        let last = last.and_then(Value::as_list);
        match list_kind(self.api_version, self.kind, self.field.keys()) {
            kind @ (ListKind::Keyed(_) | ListKind::KeyedOrNamed(_)) => match pair(wanted, found, kind) {
                Ok(pairing) => {
                    let earlier = last.map(|last| Partners::of(last, kind));
                    let earlier = |item| earlier.as_ref().and_then(|it| it.get(item));
                    for (index, (item, partner)) in wanted.iter().zip(&pairing.partners).enumerate() {
                        let partner = partner.and_then(|at| found.get(at));
                        self.below_index(index, |ctx| ctx.compare(item, partner, earlier(item)));
                    }
                    let is_exact = is_exact(self.api_version, self.kind, self.field.keys());
                    for index in pairing.extra {
                        let Some(item) = found.get(index) else { continue };
                        if is_exact || earlier(item).is_some() {
                            self.below_index(index, |ctx| ctx.report(DifferenceKind::Extra, None, Some(item)));
                        }
                    }
                }
                // If elements cannot be identified, only their order can be compared.
                Err(_) => self.compare_ordered(desired, wanted, live, found, last),
            },
            ListKind::Set => self.compare_sets(wanted, found, last),
            ListKind::Ordered => self.compare_ordered(desired, wanted, live, found, last),
        }
    }

    fn compare_sets(&mut self, wanted: &'a [Value], found: &'a [Value], last: Option<&'a Vec<Value>>) {
        if wanted == found {
            return;
        }
        let (in_wanted, in_found) = (Members::of(wanted), Members::of(found));
        let in_last = last.map(|it| Members::of(it));
        for (index, item) in wanted.iter().enumerate().filter(|(_, item)| !in_found.contains(item)) {
            self.below_index(index, |ctx| ctx.report(DifferenceKind::Missing, Some(item), None));
        }
        // Others put their own marks into metadata; a rule that allows more than it should is another matter.
        let is_shared = self.field.keys().first() == Some(&"metadata");
        let was_applied = |item: &Value| in_last.as_ref().is_some_and(|it| it.contains(item));
        let is_ours = |item: &Value| crate::seeded!(ExtraSetElementsMatch, !is_shared, false) || was_applied(item);
        let is_extra = |item: &Value| !in_wanted.contains(item) && is_ours(item);
        for (index, item) in found.iter().enumerate().filter(|(_, item)| is_extra(item)) {
            self.below_index(index, |ctx| ctx.report(DifferenceKind::Extra, None, Some(item)));
        }
    }

    fn compare_ordered(
        &mut self,
        desired: &'a Value,
        wanted: &'a [Value],
        live: &'a Value,
        found: &'a [Value],
        last: Option<&'a Vec<Value>>,
    ) {
        if wanted != found && is_permutation(wanted, found) {
            return self.report(DifferenceKind::Order, Some(desired), Some(live));
        }
        for (index, item) in wanted.iter().enumerate() {
            let earlier = same_length(last, wanted).and_then(|it| it.get(index));
            self.below_index(index, |ctx| ctx.compare(item, found.get(index), earlier));
        }
        for (index, item) in found.iter().enumerate().skip(wanted.len()) {
            self.below_index(index, |ctx| ctx.report(DifferenceKind::Extra, None, Some(item)));
        }
    }

    fn below_key(&mut self, key: &'a Text, visit: impl FnOnce(&mut Self)) {
        self.field.push(key);
        self.path.push(Segment::Key(key));
        visit(self);
        self.path.pop();
        self.field.pop();
    }

    fn below_index(&mut self, index: usize, visit: impl FnOnce(&mut Self)) {
        self.path.push(Segment::Index(index));
        visit(self);
        self.path.pop();
    }

    fn report(&mut self, kind: DifferenceKind, desired: Option<&Value>, live: Option<&Value>) {
        let path = Pointer::of(self.path.iter().map(|segment| match segment {
            Segment::Key(key) => (*key).clone(),
            Segment::Requested(key) => (*key).into(),
            Segment::Index(index) => index.to_string().into(),
        }));
        self.found.push(Difference { path, kind, desired: desired.cloned(), live: live.cloned() });
    }
}

/// The last applied list, if its elements have the same places: after an insertion or removal, places do not identify
/// them.
fn same_length<'a>(last: Option<&'a Vec<Value>>, wanted: &[Value]) -> Option<&'a Vec<Value>> {
    last.filter(|it| it.len() == wanted.len())
}

/// The elements of a list by their canonical text, which is equal exactly for equal values.
struct Members(SortedSet<String>);

impl Members {
    fn of(list: &[Value]) -> Members {
        Members(list.iter().map(Value::to_canonical).collect())
    }

    fn contains(&self, item: &Value) -> bool {
        self.0.contains(&item.to_canonical())
    }
}

fn is_permutation(a: &[Value], b: &[Value]) -> bool {
    let sorted = |list: &[Value]| {
        let mut texts: Vec<String> = list.iter().map(Value::to_canonical).collect();
        sort(&mut texts);
        texts
    };
    a.len() == b.len() && sorted(a) == sorted(b)
}
