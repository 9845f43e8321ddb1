//! Overrides whose options never count, because another one that is above them reaches all of their clusters and
//! plugins.
//!
//! Overrides that are for the same definitions and clusters form a class: which class includes which is decided once
//! for all of their members, and of a class the first member by name that is above an override is found by search.

use std::cmp::Ordering;

use super::account::difference;
use super::overrides::Override;
use super::{GROUP, OVERRIDE};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::fold::Setting;
use crate::engine::select::Selector;
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
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
    compared: usize,
}

/// For which definitions and clusters an override is: the definitions, sorted, and the number of its selector.
type Class = (Vec<Text>, Option<usize>);

/// The overrides that set one option and replace the layers below.
#[derive(Debug, Default)]
struct Setters {
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
        let mut overrides = Overrides { precedence, all: Vec::new(), by_path: SortedMap::new(), compared: 0 };
        let mut selectors = Selectors::default();
        for (index, document) in view.store.of_kind(GROUP, OVERRIDE, Some(namespace)).enumerate() {
            let it = Override::read(view, document, &mut Vec::new());
            let mut definitions = it.definitions.clone();
            sort(&mut definitions);
            definitions.dedup();
            let class = (definitions, it.part.layer.when.as_ref().map(|selector| selectors.number(selector)));
            for setting in it.part.layer.set.iter().filter(|it| !it.deep) {
                overrides.by_path.entry(setting.path.clone()).or_default().add(index, &class, it.created().is_some());
            }
            overrides.all.push((it, document.identity.clone(), class));
        }
        for members in overrides.by_path.values_mut().flat_map(|it| it.members.values_mut()) {
            members.put_in_order(&overrides.all);
        }
        overrides
    }

    /// Reports the entries of an override that never count.
    pub fn report_hidden(&mut self, document: &Document, out: &mut Vec<Diagnostic>) {
        let Overrides { precedence, all, by_path, compared } = self;
        let Ok(own) = all.binary_search_by(|(_, identity, _)| identity.cmp(&document.identity)) else { return };
        let Some((it, identity, class)) = all.get(own) else { return };
        let is_done = *compared > MAX_COMPARED;
        for setting in &it.part.layer.set {
            let Some(setters) = by_path.get(&setting.path) else { continue };
            let including = setters.including(class, compared);
            let above = including.into_iter().filter_map(|it| it.first_above(all, own, *precedence));
            if let Some((other, name, _)) = above.min().and_then(|at| all.get(at)) {
                out.push(hidden(setting, (it, identity), (other, name), *precedence));
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
}

impl Setters {
    fn add(&mut self, index: usize, class: &Class, has_time: bool) {
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

fn hidden(
    setting: &Setting,
    (it, own): (&Override, &Identity),
    (other, name): (&Override, &Identity),
    precedence: Precedence,
) -> Diagnostic {
    let why = difference(precedence, (other, name), (it, own));
    let message = format!("`{}` has no effect here: `{name}` always hides it ({why})", setting.path);
    let finding = Diagnostic::warning(Code::ShadowedOption, message).of(own).at(setting.at.clone());
    finding.hint("remove it here, or narrow the other one to some clusters or plugins")
}

#[cfg(test)]
mod tests;
