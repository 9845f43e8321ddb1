//! What the loaded and observed Secrets hold, to recognize copies of it in answers.

use std::sync::Arc;

use crate::object::document::{Document, Identity};
use crate::object::secrets::{SECRET_KINDS, SecretValues, has_secret};
use crate::value::collections::SortedSet;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::store::Store;
use crate::workspace::trial::Journal;

/// The documents that hold Secrets, and their values once they were requested.
#[derive(Debug, Default)]
pub struct LoadedSecrets {
    documents: SortedSet<Identity>,
    /// The Secrets of a change that was tried: the answer shows what would follow from it.
    tried: Vec<Value>,
    values: Option<Arc<SecretValues>>,
}

impl LoadedSecrets {
    /// Notes a document that is loaded.
    pub fn put(&mut self, document: &Document) {
        self.forget();
        match has_secret(&document.value) {
            true => self.documents.insert(document.identity.clone()),
            false => self.documents.remove(&document.identity),
        };
    }

    /// Notes a document that is unloaded.
    pub fn remove(&mut self, identity: &Identity) {
        self.forget();
        self.documents.remove(identity);
    }

    /// Lets the values be collected again: what they depend on changes.
    pub fn forget(&mut self) {
        self.values = None;
    }

    /// Lets go of the change that the last request tried.
    pub fn forget_tried(&mut self) {
        if !self.tried.is_empty() {
            self.tried.clear();
            self.forget();
        }
    }
}

impl Store {
    fn objects_with_secrets(&self) -> impl Iterator<Item = &Value> {
        let documents = self.secrets.documents.iter().filter_map(|it| self.document(it)).map(|it| &it.value);
        let observed = self.all_observed().flat_map(|it| SECRET_KINDS.iter().flat_map(|kind| it.of_kind(kind)));
        documents.chain(observed)
    }

    /// Keeps the Secrets of a change that is about to be undone, until the answer is written.
    pub fn keep_tried(&mut self, journal: &Journal) {
        let documents = journal.documents().filter(|it| self.secrets.documents.contains(*it));
        let mut tried: Vec<Value> = documents.filter_map(|it| self.document(it)).map(|it| it.value.clone()).collect();
        for observed in journal.observed().filter_map(|it| self.observed(it)) {
            tried.extend(SECRET_KINDS.iter().flat_map(|kind| observed.of_kind(kind)).cloned());
        }
        self.secrets.tried.extend(tried);
    }
}

impl Workspace {
    /// What the loaded and observed Secrets hold, and those of a change that this request tries. Nothing if there are
    /// none.
    pub(crate) fn secret_values(&mut self) -> Option<Arc<SecretValues>> {
        let store = &self.store;
        if store.secrets.values.is_none() {
            let secrets: Vec<&Value> = store.objects_with_secrets().chain(&store.secrets.tried).collect();
            let values = match secrets.is_empty() {
                true => SecretValues::default(),
                false => {
                    let names = names(store);
                    SecretValues::of(secrets, |it| names.contains(it))
                }
            };
            self.store.secrets.values = Some(Arc::new(values));
        }
        self.store.secrets.values.clone().filter(|it| !it.is_empty())
    }
}

/// The names of documents, namespaces and clusters: a Secret that has one in it does not make it a secret.
fn names(store: &Store) -> SortedSet<&str> {
    let identities = store.documents().map(|it| &it.identity);
    identities.flat_map(|it| [&it.name, &it.namespace]).map(Text::as_str).collect()
}
