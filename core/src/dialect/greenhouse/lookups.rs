//! What linting looks up for many documents: read once, and shared.

use std::sync::Arc;

use super::definition::Definition;
use super::hidden::Overrides;
use super::{CLUSTER, CLUSTER_DEFINITION, DEFINITION, GROUP, ORGANIZATION, PLUGIN, PRESET};
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::suggest::Hints;
use crate::workspace::store::View;

/// Definitions by name.
pub type Definitions = SortedMap<Text, Vec<Identity>>;

/// The kinds whose documents show that their namespace is one of an organization. A preset or a Plugin shows it only
/// where no Organization is loaded: its own namespace may be misspelled.
pub fn in_organizations(view: View) -> &'static [&'static str] {
    match view.store.of_kind(GROUP, ORGANIZATION, None).next() {
        Some(_) => &[CLUSTER],
        None => &[CLUSTER, PRESET, PLUGIN],
    }
}

/// What is known while documents are linted.
#[derive(Debug)]
pub struct Lookups {
    pub hints: Hints,
    organizations: Option<Arc<SortedSet<Text>>>,
    definitions: SortedMap<Identity, Arc<Definition>>,
    /// By namespace, as are the following.
    known: SortedMap<Text, Arc<Definitions>>,
    declared: SortedMap<Text, Option<Arc<SortedSet<Text>>>>,
    overrides: SortedMap<Text, Overrides>,
}

impl Lookups {
    pub fn new() -> Lookups {
        Lookups {
            hints: Hints::default(),
            organizations: None,
            definitions: SortedMap::new(),
            known: SortedMap::new(),
            declared: SortedMap::new(),
            overrides: SortedMap::new(),
        }
    }

    /// The names of all organizations, also of those whose document is not loaded.
    pub fn organizations(&mut self, view: View) -> Arc<SortedSet<Text>> {
        let names = || {
            let named = view.store.of_kind(GROUP, ORGANIZATION, None).map(|it| it.identity.name.clone());
            let inside = in_organizations(view).iter().flat_map(|kind| view.store.of_kind(GROUP, kind, None));
            let namespaces = inside.map(|it| it.identity.namespace.clone()).filter(|it| !it.is_empty());
            Arc::new(named.chain(namespaces).collect())
        };
        Arc::clone(self.organizations.get_or_insert_with(names))
    }

    /// A definition without its errors, which are reported with the definition itself.
    pub fn definition(&mut self, document: &Document) -> Arc<Definition> {
        let read = || Arc::new(Definition::read(document, &mut Vec::new()));
        Arc::clone(self.definitions.entry(document.identity.clone()).or_insert_with(read))
    }

    /// The definitions that plugins of a namespace may have, by name.
    pub fn known(&mut self, view: View, namespace: &Text) -> Arc<Definitions> {
        let by_name = || {
            let mut by_name: Definitions = SortedMap::new();
            let own = view.store.of_kind(GROUP, DEFINITION, Some(namespace));
            for document in own.chain(view.store.of_kind(GROUP, CLUSTER_DEFINITION, None)) {
                by_name.entry(document.identity.name.clone()).or_default().push(document.identity.clone());
            }
            Arc::new(by_name)
        };
        Arc::clone(self.known.entry(namespace.clone()).or_insert_with(by_name))
    }

    /// The options that the definitions of these names declare, or all of a namespace where none is named. Nothing if
    /// one of them takes any option.
    pub fn declared(&mut self, view: View, namespace: &Text, only: &[Text]) -> Option<Arc<SortedSet<Text>>> {
        let known = self.known(view, namespace);
        if !only.is_empty() {
            return self.names_of(view, only.iter().filter_map(|name| known.get(name)).flatten());
        }
        if let Some(declared) = self.declared.get(namespace) {
            return declared.clone();
        }
        let declared = self.names_of(view, known.values().flatten());
        self.declared.insert(namespace.clone(), declared.clone());
        declared
    }

    fn names_of<'d>(
        &mut self,
        view: View,
        definitions: impl Iterator<Item = &'d Identity>,
    ) -> Option<Arc<SortedSet<Text>>> {
        let mut names = SortedSet::new();
        for document in definitions.filter_map(|it| view.store.document(it)) {
            let definition = self.definition(document);
            if definition.options.is_empty() {
                return None;
            }
            names.extend(definition.options.iter().map(|it| it.name.clone()));
        }
        Some(Arc::new(names))
    }

    /// The overrides of a namespace.
    pub fn overrides(&mut self, view: View, namespace: &Text) -> &mut Overrides {
        self.overrides.entry(namespace.clone()).or_insert_with(|| Overrides::of(view, namespace))
    }
}
