//! Lays layers over each other, lowest first, and keeps who set each value.
//!
//! The unit is the option, matched by its exact path; a later layer replaces the whole value. An entry may ask for
//! `merge: deep` instead: then maps merge key by key and null drops a key. The origin of every value falls out of the
//! folding itself: an option's chain is the list of its contributions, winner first.

mod tree;

use std::collections::BTreeMap;

use crate::contract::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::path::{OptionPath, Pointer};
use crate::select::{Cluster, Selector, selects};
use crate::value::{Map, Text, Value};

/// One source of values for a cluster. Its place in the list is its rank.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: Text,
    /// For which clusters; without it, for all.
    pub when: Option<Selector>,
    pub set: Vec<Setting>,
}

/// One option that a layer sets.
#[derive(Clone, Debug)]
pub struct Setting {
    /// As it was written: options are matched by exact text.
    pub path: Text,
    pub place: OptionPath,
    pub source: Source,
    pub deep: bool,
    /// Where it stands: in the request, or in the document it was read from.
    pub at: Pointer,
}

/// Where the value of an option comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    Value(Value),
    /// A reference, such as to a key of a Secret. It stays one: the engine never sees what it points to.
    Reference(Value),
}

#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// By path.
    pub options: Vec<Effective>,
    /// Winner first. A deeply merged map also has a chain for each of its leaves.
    pub origins: BTreeMap<Text, Vec<Origin>>,
    /// What Helm would get; references are left out.
    pub values: Value,
}

#[derive(Clone, Debug)]
pub struct Effective {
    pub path: Text,
    pub from: Text,
    pub source: Source,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub layer: Text,
    pub source: Source,
    pub deep: bool,
}

/// Folds the layers that apply to `cluster`.
///
/// In compat mode the answer is Greenhouse's: a name that a layer has twice is replaced only at its first place by later
/// layers while its last place wins, trees are built in list order, and options that cannot both be placed are an error.
pub fn fold(
    layers: &[Layer],
    cluster: Option<&Cluster>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<Folded, Error> {
    let mut applied = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        let applies = match (&layer.when, cluster) {
            (None, _) => true,
            (Some(selector), Some(cluster)) => selects(selector, cluster),
            (Some(_), None) => {
                let message = format!("the layer `{}` depends on the cluster, and none is given", layer.name);
                return Err(Error::new(Code::MissingCluster, message).at(format!("/layers/{index}/when")));
            }
        };
        if applies {
            applied.push((index, layer));
        }
    }
    match mode {
        Mode::Strict => Ok(fold_strict(&applied, out)),
        Mode::Compat => fold_compat(&applied),
    }
}

fn fold_strict(applied: &[(usize, &Layer)], out: &mut Vec<Diagnostic>) -> Folded {
    let mut chains: BTreeMap<&Text, Vec<Contribution>> = BTreeMap::new();
    for (index, layer) in applied {
        for setting in &layer.set {
            let chain = chains.entry(&setting.path).or_default();
            // A layer speaks once for an option; of two entries the last one counts.
            if chain.last().is_some_and(|it| it.index == *index) {
                let message = format!("the layer `{}` sets `{}` twice; the last one counts", layer.name, setting.path);
                let mut path = setting.at.clone();
                path.push("path");
                out.push(Diagnostic::warning(Code::DuplicateOption, message).at(path));
                chain.pop();
            }
            chain.push(Contribution { index: *index, layer: &layer.name, setting });
        }
    }
    let mut folded = Folded::default();
    let mut winners = Vec::with_capacity(chains.len());
    // Gathered in nearly the right order and sorted once: a fleet folds many leaves.
    let mut origins = Vec::new();
    for (path, chain) in chains {
        let Some(winner) = chain.last() else { continue };
        let source = combine(&chain, out);
        origins.push((path.clone(), chain.iter().rev().map(Contribution::origin).collect()));
        if winner.setting.deep && matches!(&source, Source::Value(value) if is_map(value)) {
            trace_leaves(path, &chain, &mut origins);
        }
        folded.options.push(Effective { path: path.clone(), from: winner.layer.clone(), source });
        winners.push(winner.setting);
    }
    folded.origins = origins.into_iter().collect();
    folded.values = tree::place(folded.options.iter().zip(winners), out);
    folded
}

/// What one layer says about one option.
#[derive(Clone, Copy)]
struct Contribution<'a> {
    index: usize,
    layer: &'a Text,
    setting: &'a Setting,
}

impl Contribution<'_> {
    fn origin(&self) -> Origin {
        Origin { layer: self.layer.clone(), source: self.setting.source.clone(), deep: self.setting.deep }
    }

    fn value(&self) -> Option<&Value> {
        match &self.setting.source {
            Source::Value(value) => Some(value),
            Source::Reference(_) => None,
        }
    }
}

/// The value of an option: the last whole one, and what was merged into it since.
fn combine(chain: &[Contribution], out: &mut Vec<Diagnostic>) -> Source {
    let mut result: Option<Source> = None;
    for contribution in chain {
        let next = &contribution.setting.source;
        result = Some(match (contribution.setting.deep, &result, next) {
            (true, Some(Source::Value(below)), Source::Value(above)) if is_map(below) && is_map(above) => {
                Source::Value(merge(below, above))
            }
            (true, below, above) => {
                let mergeable = matches!(above, Source::Value(value) if is_map(value));
                if below.is_some() || !mergeable {
                    let (layer, path) = (contribution.layer, &contribution.setting.path);
                    let message =
                        format!("the layer `{layer}` merges `{path}`, but only maps merge; its value replaces");
                    out.push(Diagnostic::warning(Code::MergeMismatch, message).at(contribution.setting.at.clone()));
                }
                match above {
                    // Null drops a key, also where there is none to drop.
                    Source::Value(value) if mergeable => Source::Value(merge(&Map::new().into(), value)),
                    other => other.clone(),
                }
            }
            (false, _, _) => next.clone(),
        });
    }
    result.unwrap_or(Source::Value(Value::Null))
}

/// `above` merged into `below`: maps key by key, null drops a key, everything else replaces.
fn merge(below: &Value, above: &Value) -> Value {
    let (Some(lower), Some(upper)) = (below.as_map(), above.as_map()) else { return above.clone() };
    let mut merged = lower.clone();
    for (key, value) in upper.iter() {
        match (value, lower.get(key)) {
            (Value::Null, _) => {
                merged.remove(key);
            }
            (Value::Map(_), below) => {
                let empty = Value::from(Map::new());
                let below = below.filter(|it| is_map(it)).unwrap_or(&empty);
                merged.insert(key.clone(), merge(below, value));
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged.into()
}

/// Adds the chain of each leaf of a merged map, under the leaf's own option path.
fn trace_leaves(path: &Text, chain: &[Contribution], origins: &mut Vec<(Text, Vec<Origin>)>) {
    // What stands below a layer that replaced the whole, as a reference always does, has no part in any leaf.
    let start = chain.iter().rposition(|it| !it.setting.deep || it.value().is_none()).unwrap_or(0);
    let parts = chain.iter().skip(start);
    let parts = parts.filter_map(|it| Some(Part { layer: it.layer, value: it.value()?, deep: it.setting.deep }));
    let mut tracer = Tracer { path: path.to_string(), origins };
    tracer.trace(&parts.collect::<Vec<_>>());
}

struct Tracer<'a> {
    path: String,
    origins: &'a mut Vec<(Text, Vec<Origin>)>,
}

/// What one layer has at a place inside a merged map.
#[derive(Clone, Copy)]
struct Part<'a> {
    layer: &'a Text,
    value: &'a Value,
    deep: bool,
}

impl Tracer<'_> {
    fn trace(&mut self, parts: &[Part]) {
        let Some(top) = parts.last() else { return };
        // A merged null drops its key; one that was there before is a value.
        if top.value.is_null() && top.deep {
            return;
        }
        if !is_map(top.value) {
            let origin = |part: &Part| Origin {
                layer: part.layer.clone(),
                source: Source::Value(part.value.clone()),
                deep: false,
            };
            self.origins.push((self.path.as_str().into(), parts.iter().rev().map(origin).collect()));
            return;
        }
        // A scalar below a map is no part of it.
        let start = parts.iter().rposition(|part| !is_map(part.value)).map_or(0, |at| at + 1);
        let maps = || parts.iter().skip(start).filter_map(|part| Some((part, part.value.as_map()?)));
        let mut keys: Vec<&Text> = maps().flat_map(|(_, map)| map.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let below: Vec<Part> =
                maps().filter_map(|(part, map)| Some(Part { value: map.get(key)?, ..*part })).collect();
            let len = self.path.len();
            self.path.push('.');
            OptionPath::write_key(key, &mut self.path);
            self.trace(&below);
            self.path.truncate(len);
        }
    }
}

fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}

fn fold_compat(applied: &[(usize, &Layer)]) -> Result<Folded, Error> {
    let mut list: Vec<Contribution> = Vec::new();
    for (index, layer) in applied {
        for setting in &layer.set {
            let next = Contribution { index: *index, layer: &layer.name, setting };
            // The first entry of an earlier layer is replaced where it stands; a layer's own repeats pile up.
            match list.iter_mut().find(|it| it.index != *index && it.setting.path == setting.path) {
                Some(place) => *place = next,
                None => list.push(next),
            }
        }
    }
    let winners: BTreeMap<&Text, Contribution> = list.iter().map(|it| (&it.setting.path, *it)).collect();
    let mut folded = Folded::default();
    for (path, winner) in &winners {
        let (path, from) = ((*path).clone(), winner.layer.clone());
        folded.origins.insert(path.clone(), compat_chain(applied, winner));
        folded.options.push(Effective { path, from, source: winner.setting.source.clone() });
    }
    let settled: BTreeMap<&Text, tree::Placed> =
        folded.options.iter().zip(winners.values()).map(|(it, winner)| (&it.path, (it, winner.setting))).collect();
    folded.values = tree::place_in_order(list.iter().filter_map(|it| settled.get(&it.setting.path).copied()))?;
    Ok(folded)
}

/// Everything said about an option, latest first, but what won on top: in the original that need not be the latest.
fn compat_chain(applied: &[(usize, &Layer)], winner: &Contribution) -> Vec<Origin> {
    let said = applied.iter().rev().flat_map(|(index, layer)| {
        layer.set.iter().rev().map(|setting| Contribution { index: *index, layer: &layer.name, setting })
    });
    let said = said.filter(|it| it.setting.path == winner.setting.path);
    let losers = said.filter(|it| !std::ptr::eq(it.setting, winner.setting));
    std::iter::once(winner.origin()).chain(losers.map(|it| it.origin())).collect()
}
