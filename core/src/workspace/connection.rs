//! How a host gets to each cluster: by which documents and Secrets of the hub. Secrets are named here, never read.

use crate::diagnostic::{Code, Error};
use crate::object::document::{Document, Identity};
use crate::object::kinds::clusters::{AccessMethod, ClusterKind, KINDS};
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Text, Value};
use crate::workspace::store::Store;

/// The ways to one cluster, in the order to try, and what keeps another one from being there.
#[derive(Debug, Default)]
pub struct Reach {
    pub ways: Vec<Endpoint>,
    pub problem: Option<Error>,
}

/// One way to a cluster.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The document with the endpoint.
    pub document: Identity,
    pub access: Access,
}

#[derive(Clone, Debug)]
pub enum Access {
    Token { server: Text, ca_bundle: Text, proxy_url: Text, skips_checks: bool, secret: Text, key: &'static str },
    Kubeconfig { secret: Text, keys: &'static [&'static str] },
}

/// The ways to every cluster of the systems that the settings name.
pub fn reach(store: &Store) -> SortedMap<&Text, Reach> {
    let mut all: SortedMap<&Text, Reach> = SortedMap::new();
    let enabled = |it: &&ClusterKind| store.settings.dialects.iter().any(|name| name == it.dialect);
    for kind in KINDS.iter().filter(enabled) {
        let mut seen = SortedSet::new();
        for document in store.of_kind(kind.group, kind.kind, None) {
            let entry = all.entry(&document.identity.name).or_default();
            if !seen.insert(&document.identity.name) {
                // What is seen and done goes by the name alone, so one of the two would be taken for the other.
                entry.ways.retain(|it| it.document.kind != kind.kind);
                entry.problem.get_or_insert_with(|| several(document));
                continue;
            }
            match route(kind, document) {
                Ok(found) => entry.ways.extend(found),
                Err(problem) => drop(entry.problem.get_or_insert(problem)),
            }
        }
    }
    all
}

fn route(kind: &ClusterKind, document: &Document) -> Result<Option<Endpoint>, Error> {
    let text = |path: &[&str]| Text::from(document.value.text_at(path));
    let access = match &kind.way {
        AccessMethod::Nowhere => return Ok(None),
        AccessMethod::Kubeconfig { keys } => Access::Kubeconfig { secret: document.identity.name.clone(), keys },
        AccessMethod::Token { server, ca_bundle, proxy_url, unchecked, secret, key } => {
            for path in [server, secret] {
                if text(path).is_empty() {
                    return Err(missing(document, path));
                }
            }
            let unchecked = document.value.at(unchecked).and_then(Value::as_list);
            Access::Token {
                server: with_scheme(text(server)),
                ca_bundle: text(ca_bundle),
                proxy_url: text(proxy_url),
                skips_checks: unchecked.is_some_and(|it| it.iter().any(|it| it.as_text() == Some("*"))),
                secret: text(secret),
                key,
            }
        }
    };
    Ok(Some(Endpoint { document: document.identity.clone(), access }))
}

/// A server may be written as a host alone.
fn with_scheme(server: Text) -> Text {
    if server.contains("://") { server } else { format!("https://{server}").into() }
}

fn missing(document: &Document, path: &[&str]) -> Error {
    let field = path.join(".");
    let error = Error::new(Code::MissingField, format!("`{}` has no `{field}`", document.identity));
    error.hint(format!("set `{field}`, or join the cluster again"))
}

fn several(document: &Document) -> Error {
    let Identity { kind, name, .. } = &document.identity;
    let message = format!("`{name}` is the name of more than one {kind}, and only one of them could be meant");
    Error::new(Code::DuplicateCluster, message)
        .hint("run one engine a namespace, or give the clusters names of their own")
}
