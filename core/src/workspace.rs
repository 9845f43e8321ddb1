//! The workspace: what a host talks to, and the only state. One instance of the module holds one.

use std::collections::BTreeMap;

use crate::clusterset::{self, ClusterSet, Stage};
use crate::contract::record::Spot;
use crate::contract::{self, Mode};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::document::{Document, Identity, Reference};
use crate::fleet::Fleet;
use crate::label::Labels;
use crate::path::Pointer;
use crate::rules::clusters::is_cluster;
use crate::select::Cluster;
use crate::value::{Map, Text, Value};

/// Answers requests. It never fails and never panics: what is wrong with a request is said in the answer, and a request
/// that is refused leaves everything as it was.
///
/// ```
/// let mut workspace = fleetfold_core::Workspace::default();
/// let answer = workspace.call(r#"{"op":"patch","object":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#);
/// assert_eq!(answer, r#"{"ok":{"object":{}}}"#);
/// ```
#[derive(Debug, Default)]
pub struct Workspace {
    /// By identity, never in the order in which they came.
    documents: BTreeMap<Identity, Document>,
    fleets: BTreeMap<Scope, Fleet>,
    pub(crate) stage: Stage,
}

/// Within a scope a name stands for one cluster: a kind of cluster and, where that kind has one, a namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    pub kind: Text,
    pub namespace: Text,
}

impl Workspace {
    pub fn call(&mut self, request: &str) -> String {
        contract::call(self, request)
    }

    /// The same for bytes that came over a boundary; nothing stands for a buffer that was never given out.
    pub fn call_bytes(&mut self, request: Option<&[u8]>) -> String {
        match request.map(std::str::from_utf8) {
            Some(Ok(request)) => self.call(request),
            Some(Err(error)) => refuse(format!("the request is not UTF-8 from byte {} on", error.valid_up_to())),
            None => refuse("the request is not in a buffer of this module"),
        }
    }

    /// Takes a document in; answers whether it took the place of another.
    pub fn put(&mut self, document: Document, out: &mut Vec<Diagnostic>) -> bool {
        let identity = document.identity.clone();
        if is_cluster(&identity) {
            self.put_cluster(&document, out);
        }
        self.documents.insert(identity, document).is_some()
    }

    /// Lets a document go; answers whether it was there.
    pub fn remove(&mut self, identity: &Identity) -> bool {
        if is_cluster(identity) {
            let scope = scope_of(identity);
            if let Some(fleet) = self.fleets.get_mut(&scope) {
                fleet.remove(&identity.name);
                if fleet.is_empty() {
                    self.fleets.remove(&scope);
                }
            }
        }
        self.documents.remove(identity).is_some()
    }

    /// The one document that a reference names.
    ///
    /// # Errors
    ///
    /// There is none, or there are several of different groups.
    pub fn find(&self, reference: &Reference) -> Result<&Document, Error> {
        let from = self.documents.range(reference.first()..);
        let of_kind = from.take_while(|(identity, _)| identity.kind == *reference.kind());
        let found: Vec<&Document> =
            of_kind.filter(|(it, _)| reference.names(it)).map(|(_, document)| document).collect();
        match found.as_slice() {
            [document] => Ok(document),
            [] => Err(Error::new(Code::UnknownDocument, format!("`{reference}` is not loaded"))),
            [one, other, ..] => {
                let message =
                    format!("`{reference}` could be of `{}` or of `{}`", one.identity.group, other.identity.group);
                let hint = format!("write `{}.{}/…`", one.identity.kind, one.identity.group);
                Err(Error::new(Code::AmbiguousReference, message).hint(hint))
            }
        }
    }

    /// Every cluster with its scope, by name, then namespace, then kind.
    pub fn clusters(&self) -> Vec<(&Scope, &Cluster)> {
        let all = self.fleets.iter().flat_map(|(scope, fleet)| fleet.clusters().map(move |cluster| (scope, cluster)));
        let mut all: Vec<(&Scope, &Cluster)> = all.collect();
        all.sort_by_key(|(scope, cluster)| (&cluster.name, &scope.namespace, &scope.kind));
        all
    }

    pub fn cluster_count(&self) -> usize {
        self.fleets.values().map(Fleet::len).sum()
    }

    /// The sets of Open Cluster Management; what is wrong with one is told, and nothing joins it.
    pub fn cluster_sets(&self, out: &mut Vec<Diagnostic>) -> Vec<ClusterSet> {
        clusterset::read(self.documents.values().map(|it| &it.value), self.stage, Mode::Strict, out)
    }

    /// A label that cannot be one is told, and the cluster stays in the fleet without any: nothing selects it by mistake.
    fn put_cluster(&mut self, document: &Document, out: &mut Vec<Diagnostic>) {
        let (metadata, identity) = (Spot::ROOT.key("metadata"), &document.identity);
        let labels = match document.value.at(&["metadata", "labels"]).unwrap_or(&Value::Null) {
            Value::Map(labels) => Labels::read(labels, &metadata.key("labels")),
            Value::Null => Labels::read(&Map::new(), &metadata),
            other => Err(metadata.key("labels").wrong_type("a map", other)),
        };
        let labels = labels.unwrap_or_else(|error| {
            let path = error.at.as_deref().and_then(|at| Pointer::parse(at).ok()).unwrap_or_default();
            out.push(Diagnostic {
                at: document.at(path),
                hint: error.hint,
                ..Diagnostic::error(error.code, error.message)
            });
            Labels::default()
        });
        let cluster = Cluster { name: identity.name.clone(), labels, ..Cluster::default() };
        self.fleets.entry(scope_of(identity)).or_default().insert(cluster);
    }
}

fn scope_of(identity: &Identity) -> Scope {
    Scope { kind: identity.kind.clone(), namespace: identity.namespace.clone() }
}

fn refuse(message: impl Into<String>) -> String {
    contract::refuse(&Error::new(Code::BadRequest, message))
}
