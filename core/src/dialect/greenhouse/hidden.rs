//! Overrides whose options never count, because another one that is above them reaches all of their clusters and
//! plugins.
//!
//! An override hides an option if it sets the same one, and in strict mode also if it sets a parent of it. The
//! overrides of an Organization and of a Cluster are below all PluginOverrides, so one for every cluster and plugin
//! hides them.
//!
//! Overrides that are for the same definitions and clusters form a class: which class includes which is decided once
//! for all of their members, and of a class the first member by name that is above an override is found by search.

use std::cmp::Ordering;

use super::account::difference;
use super::entries::Part;
use super::overrides::Override;
use super::{GROUP, OVERRIDE};
use crate::diagnostic::{Code, Diagnostic, Mode};
use crate::engine::fold::Setting;
use crate::engine::select::Selector;
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::value::path::{OptionStep, Pointer};
use crate::value::sorting::{sort, sort_by};
use crate::workspace::settings::Precedence;
use crate::workspace::store::View;

/// How many definitions are compared in one namespace, of overrides that are for several each. Beyond that, further
/// ones are not compared any more.
pub const MAX_COMPARED: usize = 1_000_000;

/// The overrides of one namespace, by what they set.
#[derive(Debug)]
pub struct Overrides {
    precedence: Precedence,
    /// In the order of their names, each with its class.
    all: Vec<(Override, Identity, Class)>,
    by_path: SortedMap<Text, Setters>,
    /// The same by place, in strict mode.
    by_place: SortedMap<Vec<OptionStep>, Setters>,
    compared: usize,
}

/// For which definitions and clusters an override is: the definitions, sorted, and the number of its selector.
type Class = (Vec<Text>, Option<usize>);

/// The overrides that set one option and replace the layers below.
#[derive(Debug, Default)]
struct Setters {
    path: Text,
    members: SortedMap<Class, Members>,
    /// The classes that are for a definition and for the clusters of a selector.
    naming: SortedMap<(Text, Option<usize>), Vec<Class>>,
}

/// The overrides of a class that set an option, as indices.
#[derive(Debug)]
struct Members {
    /// The first by name.
    first: usize,
    /// Those with a time, latest first, each with the first by name among itself and those before.
    timed: Vec<(usize, usize)>,
}

impl Overrides {
    pub fn of(view: View, namespace: &str) -> Overrides {
        let precedence = view.settings.precedence;
        let is_strict = view.settings.mode == Mode::Strict;
        let (by_path, by_place) = (SortedMap::new(), SortedMap::new());
        let mut overrides = Overrides { precedence, all: Vec::new(), by_path, by_place, compared: 0 };
        let mut selectors = Selectors::default();
        for (index, document) in view.store.of_kind(GROUP, OVERRIDE, Some(namespace)).enumerate() {
            let it = Override::read(view, document, &mut Vec::new());
            let mut definitions = it.definitions.clone();
            sort(&mut definitions);
            definitions.dedup();
            let class = (definitions, it.part.layer.when.as_ref().map(|selector| selectors.number(selector)));
            for setting in it.part.layer.set.iter().filter(|it| !it.deep) {
                let has_time = it.created().is_some();
                overrides.by_path.entry(setting.path.clone()).or_default().add(index, setting, &class, has_time);
                if is_strict {
                    let place = setting.place.steps().to_vec();
                    overrides.by_place.entry(place).or_default().add(index, setting, &class, has_time);
                }
            }
            overrides.all.push((it, document.identity.clone(), class));
        }
        let setters = overrides.by_path.values_mut().chain(overrides.by_place.values_mut());
        for members in setters.flat_map(|it| it.members.values_mut()) {
            members.put_in_order(&overrides.all);
        }
        overrides
    }

    /// Reports the entries of an override that never count.
    pub fn report_hidden(&mut self, document: &Document, out: &mut Vec<Diagnostic>) {
        let Overrides { precedence, all, by_path, by_place, compared } = self;
        let Ok(own) = all.binary_search_by(|(_, identity, _)| identity.cmp(&document.identity)) else { return };
        let Some((it, identity, class)) = all.get(own) else { return };
        let is_done = *compared > MAX_COMPARED;
        for setting in &it.part.layer.set {
            let mut above: Option<(usize, &Text)> = None;
            for setters in setters_above(by_path, by_place, setting) {
                let including = setters.including(class, compared).into_iter();
                let first = including.filter_map(|it| it.first_above(all, own, *precedence)).min();
                above = above.into_iter().chain(first.map(|it| (it, &setters.path))).min();
            }
            if let Some((path, (other, name, _))) = above.and_then(|(at, path)| Some((path, all.get(at)?))) {
                let why = difference(*precedence, (other, name), (it, identity));
                out.push(hidden(setting, identity, (path, name), &why));
            }
        }
        if *compared > MAX_COMPARED && !is_done {
            let message = format!(
                "the namespace has overrides for so many lists of definitions that, after {MAX_COMPARED} comparisons, \
                 further options that others hide are not reported"
            );
            let finding = Diagnostic::info(Code::TooLarge, message).of(identity);
            out.push(finding.at(Pointer::of(["spec", "pluginDefinitionNames"])).hint("name one definition in each"));
        }
    }

    /// Reports the entries of an Organization or a Cluster that never count.
    pub fn report_hidden_below(&self, part: &Part, of: &Identity, out: &mut Vec<Diagnostic>) {
        let everywhere: Class = (Vec::new(), None);
        for setting in &part.layer.set {
            let setters = setters_above(&self.by_path, &self.by_place, setting);
            let first = setters.filter_map(|it| Some((it.members.get(&everywhere)?.first, &it.path))).min();
            if let Some((path, (_, name, _))) = first.and_then(|(at, path)| Some((path, self.all.get(at)?))) {
                let why = format!("PluginOverrides are above those of the {}", of.kind);
                out.push(hidden(setting, of, (path, name), &why));
            }
        }
    }
}

/// The overrides that set an option or a parent of it.
fn setters_above<'a>(
    by_path: &'a SortedMap<Text, Setters>,
    by_place: &'a SortedMap<Vec<OptionStep>, Setters>,
    setting: &'a Setting,
) -> impl Iterator<Item = &'a Setters> {
    let steps = setting.place.steps();
    let parents = (1..steps.len()).filter_map(|depth| by_place.get(steps.get(..depth)?));
    by_path.get(&setting.path).into_iter().chain(parents)
}

impl Setters {
    fn add(&mut self, index: usize, setting: &Setting, class: &Class, has_time: bool) {
        if self.members.is_empty() {
            self.path = setting.path.clone();
        }
        let (definitions, when) = class;
        if !self.members.contains_key(class) {
            for definition in definitions {
                self.naming.entry((definition.clone(), *when)).or_default().push(class.clone());
            }
        }
        let members = self.members.entry(class.clone()).or_insert_with(|| Members { first: index, timed: Vec::new() });
        // An override may set an option twice.
        if has_time && members.timed.last().is_none_or(|(last, _)| *last != index) {
            members.timed.push((index, index));
        }
    }

    /// The members of the classes that reach every plugin and every cluster that a class reaches.
    fn including(&self, (definitions, when): &Class, compared: &mut usize) -> Vec<&Members> {
        let whens = [None, *when];
        let whens = whens.get(..if when.is_some() { 2 } else { 1 }).unwrap_or_default();
        let mut including = Vec::new();
        for when in whens {
            including.extend(self.members.get(&(Vec::new(), *when)));
            // All of them are in the list of each of the definitions: the shortest one is enough.
            let naming =
                definitions.iter().map(|it| self.naming.get(&(it.clone(), *when)).map_or(&[][..], Vec::as_slice));
            for class in naming.min_by_key(|it| it.len()).unwrap_or_default() {
                *compared = compared.saturating_add(definitions.len());
                if *compared > MAX_COMPARED {
                    return including;
                }
                if definitions.iter().all(|it| class.0.binary_search(it).is_ok()) {
                    including.extend(self.members.get(class));
                }
            }
        }
        including
    }
}

impl Members {
    fn put_in_order(&mut self, all: &[(Override, Identity, Class)]) {
        let time = |index: usize| (all.get(index).and_then(|(it, ..)| it.created()), index);
        sort_by(&mut self.timed, |(a, _), (b, _)| time(*b).cmp(&time(*a)));
        let mut first = usize::MAX;
        for (index, first_so_far) in &mut self.timed {
            first = first.min(*index);
            *first_so_far = first;
        }
    }

    /// The first by name that is always applied after an override. A hub may order two overrides of the same precedence
    /// differently unless both have a time, which is another finding.
    fn first_above(&self, all: &[(Override, Identity, Class)], own: usize, precedence: Precedence) -> Option<usize> {
        let (it, ..) = all.get(own)?;
        let (first, ..) = all.get(self.first)?;
        match first.rank(precedence).cmp(&it.rank(precedence)) {
            Ordering::Greater => Some(self.first),
            Ordering::Less => None,
            Ordering::Equal => {
                let time = (Some(it.created()?), own);
                let is_later = |(index, _): &(usize, usize)| {
                    all.get(*index).is_some_and(|(other, ..)| (other.created(), *index) > time)
                };
                let later = self.timed.partition_point(is_later);
                self.timed.get(later.checked_sub(1)?).map(|(_, first)| *first)
            }
        }
    }
}

/// Numbers for selectors: equal ones have the same.
#[derive(Default)]
struct Selectors {
    /// Under a text that equal selectors have in common.
    known: SortedMap<String, Vec<(Selector, usize)>>,
    count: usize,
}

impl Selectors {
    fn number(&mut self, selector: &Selector) -> usize {
        let alike = self.known.entry(text_of(selector)).or_default();
        if let Some((_, number)) = alike.iter().find(|(it, _)| it == selector) {
            return *number;
        }
        self.count = self.count.saturating_add(1);
        alike.push((selector.clone(), self.count));
        self.count
    }
}

fn text_of(selector: &Selector) -> String {
    let list = |names: &[Text]| names.join(",");
    match selector {
        Selector::Labels(labels) => labels.to_string(),
        Selector::AnyOf(any) => any.iter().map(text_of).collect::<Vec<_>>().join("|"),
        Selector::Union { labels, names, ignored } => {
            let labels = labels.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{labels}+{}-{}", names.as_ref().map(|it| list(it)).unwrap_or_default(), list(ignored))
        }
        Selector::Listed(names) => list(names),
        Selector::Members(members) => format!("{}-{}", members.of, list(&members.ignored)),
        Selector::Nothing | Selector::Affinity(_) => String::new(),
    }
}

fn hidden(setting: &Setting, own: &Identity, (path, name): (&Text, &Identity), why: &str) -> Diagnostic {
    let how = match *path == setting.path {
        true => format!("`{name}` always hides it"),
        false => format!("`{name}` sets `{path}`, which always hides it"),
    };
    let message = format!("`{}` has no effect here: {how} ({why})", setting.path);
    let finding = Diagnostic::warning(Code::ShadowedOption, message).of(own).at(setting.at.clone());
    finding.hint("remove it here, or narrow the other one to some clusters or plugins")
}

#[cfg(test)]
mod tests;
