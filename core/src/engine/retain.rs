//! Retention: values that belong to the cluster are carried from the live object into the desired one.
//!
//! 1. The built-in rules run first, in the order of their [table](crate::object::kinds::retention).
//! 2. Then the user's fields and labels. They are conditional: what the template sets, even to an empty value or null,
//!    is not retained.
//!
//! Elements of lists are [paired](crate::engine::retain::pair) before anything is carried from one to the other.
//!
//! # Guarantees
//!
//! With our own rules:
//!
//! - Retaining twice changes nothing more.
//! - Retaining from a live object that equals the desired one changes nothing.
//! - Retaining one phase after the other, with no layers between them, is retaining all.

pub mod local;
pub mod pair;
mod union;
mod unknown;
mod wanted;

pub(crate) use unknown::warn_unknown;

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::retain::pair::{Side, Unmapped, Unpairable, pair_by_keys, pair_for_retention, pair_raw};
use crate::object::identity::{ObjectName, not_another};
use crate::object::kinds::lists::{ListKind, list_kind};
use crate::object::kinds::retention::{Keep, Pairs, Phase, Quirk, Rule, STRICT, Table, Wanted, When};
use crate::value::collections::SortedMap;
use crate::value::index_text;
use crate::value::path::{Pointer, RetentionPath, RetentionStep, list_index};
use crate::value::sorting::sort_by;
use crate::value::{Map, Text, Value};
use wanted::Fit;

/// What is carried over.
#[derive(Clone, Debug)]
pub struct Rules {
    pub builtin: Table,
    /// Only the rules of this phase; the user's belong to the one before the layers. All of them when left open.
    pub phase: Option<Phase>,
    pub fields: Vec<RetentionPath>,
    pub labels: Vec<Text>,
    pub retain_replicas: bool,
}

/// The built-in rules, and none of a user.
impl Default for Rules {
    fn default() -> Rules {
        Rules { builtin: STRICT, phase: None, fields: Vec::new(), labels: Vec::new(), retain_replicas: false }
    }
}

/// The desired object with what was carried over.
#[derive(Clone, Debug)]
pub struct Retained {
    pub object: Value,
    /// Where the live value took the place of the template's, sorted by path.
    pub retained: Vec<Retention>,
}

/// One value that the live object gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The place in the result.
    pub path: Pointer,
    pub rule: Text,
    pub mode: Keep,
}

/// Carries values of `live` over into `desired`. A live object that is null does not exist yet, so it gives nothing.
///
/// # Errors
///
/// The two are not the same object; or, with the rules of KubeFed or Karmada, a value has a type that blocks the
/// update.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::retain::{Rules, retain}, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
///     "spec":{"type":"ClusterIP"}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
///     "spec":{"clusterIP":"10.0.0.7"}}"#)?;
/// let result = retain(&desired, &live, &Rules::default(), &mut Vec::new())?;
/// assert_eq!(result.object.text_at(&["spec", "clusterIP"]), "10.0.0.7");
/// assert!(result.retained.iter().any(|it| it.path.to_string() == "/spec/clusterIP"));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn retain(desired: &Value, live: &Value, rules: &Rules, out: &mut Vec<Diagnostic>) -> Result<Retained, Error> {
    let mut ctx = Ctx { object: desired.clone(), live, retained: Vec::new(), out };
    if live.is_null() {
        return Ok(ctx.finish());
    }
    not_another(desired, live)?;
    let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
    let runs = |phase: Phase| rules.phase.is_none_or(|only| only == phase);
    for rule in rules.builtin.rows.iter().filter(|rule| runs(rule.phase) && rule.kinds.contains(api_version, kind)) {
        let mut holds = true;
        for when in rule.when {
            holds = holds && ctx.holds(*when, rules.retain_replicas)?;
        }
        if holds {
            ctx.built_in(rule, &rules.builtin)?;
        }
    }
    if runs(Phase::Before) {
        for path in &rules.fields {
            ctx.custom(path.to_string().into(), path.steps())?;
        }
        for label in &rules.labels {
            let steps = ["metadata", "labels", label].map(|key| RetentionStep::Key(key.into()));
            ctx.custom(format!("label:{label}").into(), &steps)?;
        }
    }
    Ok(ctx.finish())
}

/// How many pairs one list may have: where keys repeat, KubeFed pairs each element with all that are alike.
const MAX_PAIRS: usize = 100_000;

struct Ctx<'a> {
    object: Value,
    live: &'a Value,
    /// In the order in which they were carried over.
    retained: Vec<Retention>,
    out: &'a mut Vec<Diagnostic>,
}

/// A rule that is applied to the two objects.
struct Carry<'a> {
    name: Text,
    upstream: &'static str,
    steps: &'a [RetentionStep],
    mode: Keep,
    wanted: Wanted,
    pairs: Pairs,
    quirks: &'a [Quirk],
    refuses: bool,
}

impl Carry<'_> {
    fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// Whether a live object without the value matters.
    fn minds_absence(&self) -> bool {
        self.quirks.iter().any(|it| it.minds_absence())
    }
}

/// The places that a rule leads to, in a desired object that may not have them, and what the live object has there. Of
/// several partners of one element the last one counts.
type Sites = SortedMap<Pointer, Option<Value>>;

impl Ctx<'_> {
    fn finish(self) -> Retained {
        let Ctx { object, mut retained, .. } = self;
        sort_by(&mut retained, |a, b| a.path.text_order(&b.path));
        // Of two rules for one place, the later one carried it over.
        retained.dedup_by(|later, earlier| {
            let is_same = later.path == earlier.path;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        Retained { object, retained }
    }

    fn holds(&self, when: When, retain_replicas: bool) -> Result<bool, Error> {
        Ok(match when {
            When::RetainReplicas => retain_replicas,
            When::DesiredHas(key) => self.object.get(key).is_some(),
            When::DesiredAt(path) => self.object.at(path).is_some(),
            When::Label(key, value) => {
                let labels = self.object.at(&["metadata", "labels"]);
                if labels.is_some_and(|labels| Wanted::TextMap.fit(labels) == Fit::Wrong) {
                    let error =
                        Error::new(Code::WrongType, "the labels of the desired object are not a map of strings");
                    return Err(error.at(["desired", "metadata", "labels"]));
                }
                labels.is_some_and(|labels| labels.text_at(&[key]) == value)
            }
            When::SecretType { is, or_live } => match self.object.get("type") {
                None if or_live => self.live.text_at(&["type"]) == is,
                found => found.and_then(Value::as_text) == Some(is),
            },
            When::Agree(path) => self.object.at(path) == self.live.at(path),
        })
    }

    fn built_in(&mut self, rule: &Rule, table: &Table) -> Result<(), Error> {
        if rule.quirks.iter().all(|it| !it.minds_absence()) && self.lacks(rule.path) {
            return Ok(());
        }
        // A test parses every row.
        let Ok(path) = RetentionPath::parse(rule.path) else { return Ok(()) };
        let Rule { mode, wanted, pairs, quirks, .. } = *rule;
        let Table { upstream, refuses, .. } = *table;
        self.run(&Carry { name: rule.name.into(), upstream, steps: path.steps(), mode, wanted, pairs, quirks, refuses })
    }

    /// Whether the live object has nothing at the first two keys of a path, which is quickly checked. Further down, the
    /// desired object would have to be read first.
    fn lacks(&self, path: &str) -> bool {
        let mut at = Some(self.live);
        for key in path.split('.').take(2).take_while(|it| !it.contains('[')) {
            at = match at {
                Some(Value::Map(map)) => map.get(key),
                Some(Value::Null) | None => None,
                Some(_) => return false,
            };
        }
        at.is_none() && self.object.as_map().is_some()
    }

    fn custom(&mut self, name: Text, steps: &[RetentionStep]) -> Result<(), Error> {
        // `[]` at the end names all elements, which is the list.
        let end = steps.iter().rposition(|step| *step != RetentionStep::Each).map_or(0, |last| last + 1);
        let steps = steps.get(..end).unwrap_or_default();
        let (mode, wanted, pairs) = (Keep::Conditional, Wanted::Any, Pairs::ByKind);
        self.run(&Carry { name, upstream: STRICT.upstream, steps, mode, wanted, pairs, quirks: &[], refuses: false })
    }

    fn run(&mut self, carry: &Carry) -> Result<(), Error> {
        let desired = self.object.clone();
        let mut sites = Sites::new();
        self.walk(carry, carry.steps, Some(&desired), Some(self.live), Pointer::root(), &mut sites)?;
        sites.into_iter().try_for_each(|(place, live)| self.carry_place(carry, place, live))
    }

    /// Finds the places that the rest of the path leads to.
    fn walk(
        &mut self,
        carry: &Carry,
        steps: &[RetentionStep],
        desired: Option<&Value>,
        live: Option<&Value>,
        place: Pointer,
        sites: &mut Sites,
    ) -> Result<(), Error> {
        match steps.split_first() {
            None => {
                sites.insert(place, live.cloned());
            }
            Some((RetentionStep::Key(key), rest)) => {
                let live = match live {
                    None | Some(Value::Null) => None,
                    Some(Value::Map(map)) => map.get(key),
                    Some(other) => return self.blocked(carry, "live", other, &place),
                };
                if live.is_none() && !carry.minds_absence() {
                    return Ok(());
                }
                let desired = match desired {
                    None => None,
                    Some(Value::Map(map)) => map.get(key),
                    // KubeFed and Karmada fail only when they write it.
                    Some(_) if carry.refuses => None,
                    Some(other) => return self.blocked(carry, "desired", other, &place),
                };
                self.walk(carry, rest, desired, live, place.child(key.clone()), sites)?;
            }
            Some((RetentionStep::Each, rest)) => {
                let live = match live {
                    Some(Value::List(items)) => items,
                    None => return Ok(()),
                    Some(Value::Null) if !carry.refuses => return Ok(()),
                    Some(other) => return self.blocked(carry, "live", other, &place),
                };
                let desired = match desired {
                    Some(Value::List(items)) => items,
                    None => {
                        let writes = carry.has(Quirk::WritesEmptyList);
                        return if writes { self.put(&place, Vec::new().into()) } else { Ok(()) };
                    }
                    Some(other) => return self.blocked(carry, "desired", other, &place),
                };
                for (here, there) in self.pairs(carry, desired, live, &place)? {
                    self.walk(carry, rest, desired.get(here), live.get(there), place.child(here.to_string()), sites)?;
                }
            }
        }
        Ok(())
    }

    /// Which desired element goes with which live one, by their indices.
    fn pairs(
        &mut self,
        carry: &Carry,
        desired: &[Value],
        live: &[Value],
        place: &Pointer,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let (pairing, unpairable) = match carry.pairs {
            Pairs::ByRaw(keys) => {
                let pairs = pair_raw(desired, live, keys, MAX_PAIRS).map_err(|error| not_a_map(error, place))?;
                return pairs.ok_or_else(|| {
                    let message =
                        format!("elements of the list have the same keys, which makes more than {MAX_PAIRS} pairs");
                    Error::new(Code::TooLarge, message).at(Pointer::of(["desired"]).join(place))
                });
            }
            Pairs::ByKeys(groups) => pair_by_keys(desired, live, groups),
            Pairs::ByKind => match pair_for_retention(desired, live, self.list_kind(place)) {
                Ok(pairing) => (pairing, None),
                Err(unpairable) => (Default::default(), Some(unpairable)),
            },
        };
        if let Some(unpairable) = unpairable {
            self.unpaired(carry, &unpairable, place);
        }
        Ok(pairing.partners.iter().enumerate().filter_map(|(here, there)| Some((here, (*there)?))).collect())
    }

    fn list_kind(&self, place: &Pointer) -> ListKind {
        let mut keys = Vec::new();
        let mut value = Some(&self.object);
        for segment in place.segments() {
            value = match value {
                Some(Value::List(items)) => list_index(segment).and_then(|index| items.get(index)),
                other => {
                    keys.push(segment.as_str());
                    other.and_then(|it| it.get(segment))
                }
            };
        }
        list_kind(self.object.text_at(&["apiVersion"]), self.object.text_at(&["kind"]), &keys)
    }

    /// Decides one place.
    fn carry_place(&mut self, carry: &Carry, place: Pointer, live: Option<Value>) -> Result<(), Error> {
        let desired = place.get(&self.object).cloned();
        // No server writes null; for KubeFed and Karmada it is an ordinary value.
        let live = live.filter(|live| carry.refuses || !live.is_null());
        if let Some(value) = desired.as_ref().filter(|value| carry.wanted.fit(value) == Fit::Wrong)
            && carry.has(Quirk::DesiredMustFit)
        {
            return Err(bad_value(Code::WrongType, carry, value, &place).at(Pointer::of(["desired"]).join(&place)));
        }
        let fit = live.as_ref().map_or(Fit::Empty, |live| carry.wanted.fit(live));
        if carry.mode == Keep::Conditional && !is_unset(desired.as_ref(), carry) {
            return Ok(());
        }
        match (fit, live) {
            (Fit::Wrong, Some(value)) if !carry.has(Quirk::WrongIsAbsent) => self.bad_live(carry, &value, &place),
            (Fit::Good, Some(live)) if carry.mode == Keep::Union => self.unite(carry, desired, &live, &place),
            (Fit::Good, Some(live)) => {
                if desired.as_ref() != Some(&live) {
                    self.put(&place, live)?;
                    self.record(carry, &place);
                }
                Ok(())
            }
            _ => self.absent(carry, desired, &place),
        }
    }

    /// The live object has nothing to give.
    fn absent(&mut self, carry: &Carry, desired: Option<Value>, place: &Pointer) -> Result<(), Error> {
        if carry.has(Quirk::AbsentIsError) {
            let message = format!("`{}` needs a value at `{place}`, and the live object has none", carry.name);
            return Err(Error::new(Code::BadLiveValue, message).at(Pointer::of(["live"]).join(place)));
        }
        if carry.has(Quirk::WritesNull) && desired.as_ref().is_none_or(Value::is_empty) {
            self.put(place, Value::Null)?;
        }
        if carry.has(Quirk::AbsentRemoves) && desired.is_some() {
            take(&mut self.object, place);
            let message = format!("{} drops `{place}`, because the live object has none", carry.upstream);
            self.say(Diagnostic::warning(Code::Dropped, message), place);
        }
        Ok(())
    }

    /// Sets a place of the result, making the maps that lead there.
    fn put(&mut self, place: &Pointer, value: Value) -> Result<(), Error> {
        if set(&mut self.object, place, value).is_some() {
            return Ok(());
        }
        let message = format!("`{place}` cannot be set in the desired object: what leads there is not a map");
        Err(Error::new(Code::PathBlocked, message).at(Pointer::of(["desired"]).join(place)))
    }

    fn record(&mut self, carry: &Carry, place: &Pointer) {
        let retention = Retention { path: place.clone(), rule: carry.name.clone(), mode: carry.mode };
        self.retained.push(retention);
    }

    fn bad_live(&mut self, carry: &Carry, live: &Value, place: &Pointer) -> Result<(), Error> {
        let error = bad_value(Code::BadLiveValue, carry, live, place);
        if carry.refuses {
            return Err(error.at(Pointer::of(["live"]).join(place)));
        }
        self.say(error.into_diagnostic(Severity::Warning), place);
        Ok(())
    }

    fn blocked(&mut self, carry: &Carry, side: &str, found: &Value, place: &Pointer) -> Result<(), Error> {
        let message = format!("`{}` leads through {} at `{place}` of the {side} object", carry.name, found.kind());
        if carry.refuses {
            return Err(Error::new(Code::PathBlocked, message).at(Pointer::of([side.to_string()]).join(place)));
        }
        self.say(Diagnostic::warning(Code::PathBlocked, message), place);
        Ok(())
    }

    fn unpaired(&mut self, carry: &Carry, why: &Unpairable, place: &Pointer) {
        let message = format!("`{}` cannot pair the elements of `{place}`: {why}", carry.name);
        self.say(Diagnostic::warning(Code::Unpaired, message), place);
    }

    fn say(&mut self, diagnostic: Diagnostic, place: &Pointer) {
        let diagnostic = diagnostic.at(place.clone());
        let document = ObjectName::of(&self.object);
        self.out.push(if document.is_whole() { diagnostic.of(document) } else { diagnostic });
    }
}

fn is_unset(desired: Option<&Value>, carry: &Carry) -> bool {
    let blank = |value: &Value| value.is_empty() || value.as_int() == Some(0);
    desired.is_none_or(|value| carry.has(Quirk::EmptyIsUnset) && blank(value))
}

fn bad_value(code: Code, carry: &Carry, value: &Value, place: &Pointer) -> Error {
    let wanted = carry.wanted.describe();
    let found = match value {
        Value::List(_) if wanted.starts_with("a list") => "another list",
        Value::Map(_) if wanted.starts_with("a map") => "another map",
        other => other.kind(),
    };
    Error::new(code, format!("`{}` carries over {wanted}, and `{place}` is {found}", carry.name))
}

/// KubeFed and Karmada crash on such an element.
fn not_a_map(Unmapped { side, index, kind }: Unmapped, place: &Pointer) -> Error {
    let message = format!("element {index} of the {side} list `{place}` is {kind}, not a map");
    let code = if side == Side::Live { Code::BadLiveValue } else { Code::WrongType };
    Error::new(code, message).at(Pointer::of([side.to_string()]).join(place).child(index_text(index)))
}

/// Sets a place, making the maps that lead there. Nothing where something else leads there.
pub(crate) fn set(object: &mut Value, place: &Pointer, value: Value) -> Option<()> {
    let path = place.segments().try_fold(object, |at, segment| match at {
        Value::List(_) => list_index(segment).and_then(|index| at.as_list_mut()?.get_mut(index)),
        _ => at.as_map_mut()?.entry_or(segment, || Map::new().into()),
    });
    *path? = value;
    Some(())
}

/// Takes a value out of the map or list that has it.
pub(crate) fn take(object: &mut Value, place: &Pointer) {
    let Some((parent, last)) = place.split_last() else { return };
    let holder = parent.segments().try_fold(object, |at, segment| match at {
        Value::List(_) => list_index(segment).and_then(|index| at.as_list_mut()?.get_mut(index)),
        _ => at.get_mut(segment),
    });
    match holder {
        Some(Value::List(items)) => {
            if let Some(index) = list_index(&last).filter(|index| *index < items.len()) {
                Arc::make_mut(items).remove(index);
            }
        }
        Some(map) => drop(map.as_map_mut().and_then(|it| it.remove(&last))),
        None => {}
    }
}
