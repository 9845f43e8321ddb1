//! Option paths that lie inside each other: `tls`, and `tls.enabled` below it.
//!
//! 1. A higher `tls` replaces everything that lower layers set below it; where it has `enabled`, that is the value.
//! 2. A higher `tls.enabled` is set inside a lower `tls`.
//! 3. A higher `tls` with `merge: deep` replaces only the keys that it has.

use super::merge::Contribution;
use super::{Folded, Setting, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, OptionStep};
use crate::value::{Text, Value};

/// Whether one option path is a parent of another, at any distance.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::fold::is_above;
/// use fleetfold_core::value::path::OptionPath;
///
/// let path = |text: &str| OptionPath::parse(text).unwrap();
/// assert!(is_above(&path("tls"), &path("tls.enabled")));
/// assert!(!is_above(&path("tls"), &path("tlsVersion")));
/// ```
pub fn is_above(parent: &OptionPath, child: &OptionPath) -> bool {
    parent.steps().len() < child.steps().len() && child.steps().starts_with(parent.steps())
}

/// Whether an entry of a higher layer replaces one of a lower layer: it sets the same option or a parent of it.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::fold::{Setting, replaces};
///
/// let (tls, enabled) = (Setting::new("tls", "off").unwrap(), Setting::new("tls.enabled", true).unwrap());
/// assert!(replaces(&tls, &enabled));
/// assert!(!replaces(&enabled, &tls));
/// ```
pub fn replaces(higher: &Setting, lower: &Setting) -> bool {
    !higher.deep && (higher.path == lower.path || is_above(&higher.place, &lower.place))
}

/// The value that a value has at further steps.
pub fn project<'v>(value: &'v Value, steps: &[OptionStep]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |here, step| match step {
        OptionStep::Key(key) => here.get(key),
        OptionStep::Index(index) => here.as_list()?.get(*index),
    })
}

type Chains<'a> = SortedMap<&'a Text, Vec<Contribution<'a>>>;

/// Adds to every chain the layers that set a parent of its path.
pub fn with_parents<'a>(chains: &Chains<'a>) -> Vec<(&'a Text, &'a OptionPath, Vec<Contribution<'a>>)> {
    let place_of = |chain: &Vec<Contribution<'a>>| chain.first().map(|it| &it.setting.place);
    let mut by_place: SortedMap<&[OptionStep], &Vec<Contribution>> = SortedMap::new();
    by_place.extend(chains.values().filter_map(|chain| Some((place_of(chain)?.steps(), chain))));
    let chain = |(path, chain): (&&'a Text, &Vec<Contribution<'a>>)| {
        let place = place_of(chain)?;
        let depths = 1..place.steps().len();
        let parents: Vec<Contribution<'a>> = depths
            .filter_map(|depth| place.steps().split_at_checked(depth))
            .filter_map(|(parent, rest)| Some((*by_place.get(parent)?, rest)))
            .flat_map(|(of_parent, rest)| of_parent.iter().filter_map(|it| through_parent(it, rest)))
            .collect();
        Some((*path, place, if parents.is_empty() { chain.clone() } else { joined(chain, parents) }))
    };
    chains.iter().filter_map(chain).collect()
}

/// The value that a layer sets at a path through a parent of it. A merged parent without the key does not affect the
/// path, unless a value on the path is not a map: only maps merge, so that replaces everything below it.
fn through_parent<'a>(of_parent: &Contribution<'a>, rest: &[OptionStep]) -> Option<Contribution<'a>> {
    let value = of_parent.value.and_then(|it| project(it, rest));
    let is_part = value.is_some() || !of_parent.setting.deep || is_blocked(of_parent.value, rest);
    is_part.then_some(Contribution { value, through_parent: true, ..*of_parent })
}

/// Whether a merged value ends above a path with something that cannot hold it.
fn is_blocked(value: Option<&Value>, rest: &[OptionStep]) -> bool {
    let (Some(here), Some((step, below))) = (value, rest.split_first()) else { return true };
    match (here, step) {
        (Value::Map(map), OptionStep::Key(key)) => map.get(key).is_some_and(|it| is_blocked(Some(it), below)),
        _ => true,
    }
}

/// A chain with what comes through parents, lowest first. A layer that sets the path itself counts with that alone, and
/// a parent without the key is of interest only where it removes something.
fn joined<'a>(own: &[Contribution<'a>], parents: Vec<Contribution<'a>>) -> Vec<Contribution<'a>> {
    let lowest = own.first().map_or(0, |it| it.index);
    let mut by_layer: SortedMap<usize, Contribution> = SortedMap::new();
    by_layer.extend(parents.into_iter().filter(|it| it.value.is_some() || it.index > lowest).map(|it| (it.index, it)));
    by_layer.extend(own.iter().map(|it| (it.index, *it)));
    by_layer.into_values().collect()
}

/// Greenhouse matches options by exact name: reports where a lower layer keeps its value though a higher layer sets a
/// parent of the option to something else.
pub fn warn_of_children(winners: &SortedMap<&Text, Contribution>, folded: &Folded, out: &mut Vec<Diagnostic>) {
    let mut by_place: SortedMap<&[OptionStep], Vec<&Contribution>> = SortedMap::new();
    for winner in winners.values() {
        by_place.entry(winner.setting.place.steps()).or_default().push(winner);
    }
    for child in winners.values() {
        let steps = child.setting.place.steps();
        let above = (0..steps.len()).filter_map(|depth| by_place.get(steps.get(..depth)?));
        let parents = above.flatten().copied();
        let Some(parent) = parents.filter(|it| it.index > child.index).max_by_key(|it| it.index) else { continue };
        let rest = steps.get(parent.setting.place.steps().len()..).unwrap_or_default();
        let wanted = parent.value.and_then(|it| project(it, rest));
        if matches!(parent.setting.source, Source::Value(_)) && project(&folded.values, steps) != wanted {
            let (path, above) = (&child.setting.path, &parent.setting.path);
            let message = format!(
                "`{path}` of the layer `{}` stays, though the higher layer `{}` sets `{above}`: \
                 Greenhouse matches options by name",
                child.layer.name, parent.layer.name
            );
            let hint = format!("set `{path}` in the higher layer, too");
            let finding = Diagnostic::warning(Code::NestedOption, message).at(parent.setting.at.clone()).hint(hint);
            out.push(parent.layer.finding(finding));
        }
    }
}

/// Whether a layer decides over a key inside its value that the result does not have: it merges null there or replaces
/// a map around it, or it replaces all of the value.
fn removes(link: &super::LayerValue, rest: &[OptionStep]) -> bool {
    match &link.source {
        Some(Source::Value(value)) => !link.deep || is_blocked(Some(value), rest),
        _ => false,
    }
}

impl Folded {
    /// The chain of an option, or of a key inside the value of one, winner first. Empty where no layer sets it. Of a
    /// key that a layer removes, that layer is the first, without a value. `place` is what `path` spells.
    pub fn chain(&self, path: &str, place: &OptionPath) -> Vec<super::LayerValue> {
        if let Some(chain) = self.origins.get(path) {
            return chain.to_vec();
        }
        let is_there = project(&self.values, place.steps()).is_some();
        let above = self.options.iter().filter_map(|it| Some((it, OptionPath::parse(&it.path).ok()?)));
        let above = above.filter(|(_, it)| is_above(it, place)).max_by_key(|(_, it)| it.steps().len());
        let Some((option, above)) = above else { return Vec::new() };
        let rest = place.steps().get(above.steps().len()..).unwrap_or_default();
        let inside = |link: &super::LayerValue| match &link.source {
            Some(Source::Value(value)) => {
                let source = Some(Source::Value(project(value, rest)?.clone()));
                let via = link.via.clone().unwrap_or_else(|| option.path.clone());
                Some(super::LayerValue { source, via: Some(via), ..link.clone() })
            }
            _ => None,
        };
        let links = self.origins.get(&option.path).unwrap_or_default();
        if is_there {
            return links.iter().filter_map(inside).collect();
        }
        let mut links = links.iter().skip_while(|it| !removes(it, rest));
        let Some(remover) = links.next() else { return Vec::new() };
        let lower: Vec<super::LayerValue> = links.filter_map(inside).collect();
        if lower.is_empty() {
            return lower;
        }
        let via = Some(remover.via.clone().unwrap_or_else(|| option.path.clone()));
        std::iter::once(super::LayerValue { source: None, via, ..remover.clone() }).chain(lower).collect()
    }

    /// Whether a layer of the chain of a path gives some key of the merged value there.
    pub fn has_part_of(&self, path: &str, place: &OptionPath, link: &super::LayerValue) -> bool {
        // Only `explain` reads the paths of leaves: parsing them here costs less than keeping a place for every leaf.
        let below = |it: &str| it.len() > path.len() && OptionPath::parse(it).is_ok_and(|it| is_above(place, &it));
        let mut leaves = self.origins.iter().filter(|(it, _)| below(it));
        leaves.any(|(_, chain)| chain.first().is_some_and(|it| it.layer == link.layer && it.at == link.at))
    }

    /// The value at a path of the tree: an option, or a key inside one.
    pub fn value_at(&self, place: &OptionPath) -> Option<Source> {
        project(&self.values, place.steps()).cloned().map(Source::Value)
    }
}
