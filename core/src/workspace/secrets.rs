//! What the loaded and observed Secrets hold, to recognize copies of it in answers.

use std::sync::Arc;

use crate::object::document::{Document, Identity};
use crate::object::secrets::{SECRET_KINDS, SecretValues, has_secret};
use crate::value::collections::SortedSet;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::observed::ObservedCluster;
use crate::workspace::store::Store;
use crate::workspace::trial::Journal;

/// The documents that hold Secrets, and their values once they were requested.
#[derive(Debug, Default)]
pub struct LoadedSecrets {
    documents: SortedSet<Identity>,
    /// The clusters in which Secrets were observed: few of a large fleet.
    clusters: SortedSet<Text>,
    /// The clusters that were observed since, with Secrets or without.
    changed: SortedSet<Text>,
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

    /// Notes a cluster whose observed state changes.
    pub fn observe(&mut self, cluster: &Text) {
        self.forget();
        self.changed.insert(cluster.clone());
    }

    /// Lets the values be collected again: what they depend on changes.
    fn forget(&mut self) {
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
        let observed = self.secrets.clusters.iter().filter_map(|it| self.observed(it));
        documents.chain(observed.flat_map(secrets_in))
    }

    /// Finds out which of the clusters that changed have Secrets now.
    fn settle_secrets(&mut self) {
        for cluster in std::mem::take(&mut self.secrets.changed) {
            let has_secrets = self.observed(&cluster).is_some_and(|it| secrets_in(it).next().is_some());
            match has_secrets {
                true => self.secrets.clusters.insert(cluster),
                false => self.secrets.clusters.remove(&cluster),
            };
        }
    }

    /// Keeps the Secrets of a change that is about to be undone, until the answer is written.
    pub fn keep_tried(&mut self, journal: &Journal) {
        let documents = journal.documents().filter(|it| self.secrets.documents.contains(*it));
        let mut tried: Vec<Value> = documents.filter_map(|it| self.document(it)).map(|it| it.value.clone()).collect();
        for observed in journal.observed().filter_map(|it| self.observed(it)) {
            tried.extend(secrets_in(observed).cloned());
        }
        self.secrets.tried.extend(tried);
    }
}

impl Workspace {
    /// What the loaded and observed Secrets hold, and those of a change that this request tries. Nothing if there are
    /// none.
    pub(crate) fn secret_values(&mut self) -> Option<Arc<SecretValues>> {
        self.store.settle_secrets();
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

fn secrets_in(cluster: &ObservedCluster) -> impl Iterator<Item = &Value> {
    SECRET_KINDS.iter().flat_map(|kind| cluster.of_kind(kind))
}

/// The names of documents, namespaces and clusters: a Secret that has one in it does not make it a secret.
fn names(store: &Store) -> SortedSet<&str> {
    let identities = store.documents().map(|it| &it.identity);
    identities.flat_map(|it| [&it.name, &it.namespace]).map(Text::as_str).collect()
}

#[cfg(test)]
mod tests {
    use crate::workspace::Workspace;

    const SECRET: &str = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"d"},
        "stringData":{"password":"correct-horse-battery"}}"#;

    #[track_caller]
    fn check(workspace: &mut Workspace, is_masked: bool) {
        let answer = workspace.call_text(r#"{"op":"effective","subject":"Plugin/a/correct-horse-battery"}"#);
        assert_eq!(answer.contains("correct-horse-battery"), !is_masked, "{answer}");
        assert!(answer.contains("unknown-document"), "{answer}");
    }

    #[test]
    fn secrets_of_a_cluster_are_known_as_long_as_they_are_observed() {
        let mut workspace = Workspace::default();
        let observe = |workspace: &mut Workspace, cluster: &str, documents: &str| {
            let complete = format!(r#""live":"{cluster}","complete":true,"documents":[{documents}]"#);
            let answer = workspace.call_text(&format!(r#"{{"op":"load",{complete}}}"#));
            assert!(answer.starts_with(r#"{"ok""#), "{answer}");
        };
        observe(&mut workspace, "eu-1", "");
        check(&mut workspace, false);
        observe(&mut workspace, "eu-1", SECRET);
        check(&mut workspace, true);
        observe(&mut workspace, "us-1", "");
        check(&mut workspace, true);
        observe(&mut workspace, "us-1", SECRET);
        observe(&mut workspace, "eu-1", "");
        check(&mut workspace, true);
        observe(&mut workspace, "us-1", "");
        check(&mut workspace, false);
    }
}
