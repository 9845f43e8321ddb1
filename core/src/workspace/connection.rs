//! How a host connects to each cluster: the documents and Secrets of the hub with its endpoints and credentials.
//! Secrets are named here, never read.

use crate::diagnostic::{Code, Error};
use crate::object::document::{Document, Identity};
use crate::object::kinds::clusters::{AccessMethod, ClusterKind, KINDS};
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::store::Store;

/// The endpoints of one cluster, in the order to try, and why another one is missing.
#[derive(Debug, Default)]
pub struct Connection {
    pub endpoints: Vec<Endpoint>,
    pub problem: Option<Error>,
}

/// One endpoint of a cluster.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The document with the endpoint.
    pub document: Identity,
    pub access: Access,
    /// Whether the endpoint may be one without TLS or with an unchecked certificate.
    pub may_be_insecure: bool,
}

#[derive(Clone, Debug)]
pub enum Access {
    Token { server: Text, ca_bundle: Text, proxy_url: Text, skips_checks: bool, secret: Text, key: &'static str },
    Kubeconfig { secret: Text, keys: &'static [&'static str] },
}

/// The connections to all clusters of the dialects that the settings enable.
pub fn connections(store: &Store) -> SortedMap<&Text, Connection> {
    let mut all: SortedMap<&Text, Connection> = SortedMap::new();
    let enabled = |it: &&ClusterKind| store.settings.dialects.iter().any(|name| name == it.dialect);
    for kind in KINDS.iter().filter(enabled) {
        let mut seen = SortedSet::new();
        for document in store.of_kind(kind.group, kind.kind, None) {
            let entry = all.entry(&document.identity.name).or_default();
            if !store.is_member(&document.identity) {
                // Before names are compared: a cluster that is registered there must not replace a member.
                entry.problem.get_or_insert_with(|| Error { at: None, ..untrusted(store, &document.identity) });
                continue;
            }
            if !seen.insert(&document.identity.name) {
                // Observations and actions name a cluster by its name alone, so one of the two would be taken for the
                // other.
                entry.endpoints.retain(|it| it.document.kind != kind.kind);
                entry.problem.get_or_insert_with(|| several(document));
                continue;
            }
            match endpoint_of(store, kind, document) {
                Ok(found) => entry.endpoints.extend(found),
                Err(problem) => drop(entry.problem.get_or_insert(problem)),
            }
        }
    }
    all
}

/// How many namespaces a message names: there may be as many messages as clusters.
const SHOWN: usize = 10;

/// Why the clusters of a namespace are not members.
pub fn untrusted(store: &Store, cluster: &Identity) -> Error {
    let Identity { namespace, kind, .. } = cluster;
    let trusted = &store.settings.kubefed_namespaces;
    let (shown, more) = (trusted.get(..SHOWN).unwrap_or(trusted), trusted.len().saturating_sub(SHOWN));
    let others = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = match shown {
        [] => format!("no namespace is configured for {kind}s, so `{cluster}` is not a member"),
        shown => format!(
            "{kind}s are members only in `{}`{others}, so `{cluster}` is not one, and its Secret is not read",
            shown.join("`, `")
        ),
    };
    let dots = (more > 0).then_some("…");
    let listed: Vec<&str> = shown.iter().map(Text::as_str).chain(dots).chain([&**namespace]).collect();
    let hint = format!(
        "move it to the namespace of the control plane, or configure `kubefed: {{namespaces: [{}]}}` if one is there",
        listed.join(", ")
    );
    Error::new(Code::UntrustedNamespace, message).at(["metadata", "namespace"]).hint(hint)
}

/// What makes the endpoint of a cluster unfit for credentials: no TLS, or a certificate that is not to be checked.
///
/// One check of several that is to be left out counts as well: it cannot be left out alone here, so what the document
/// wants would not be done.
pub fn insecure(kind: &ClusterKind, cluster: &Document) -> Option<Error> {
    let AccessMethod::Token { server, unchecked, .. } = &kind.access else { return None };
    let endpoint = with_scheme(cluster.value.text_at(server).into());
    let scheme = endpoint.split_once("://").map_or("", |(scheme, _)| scheme);
    let refused = |path: &[&str], message: String| {
        let error = Error::new(Code::InsecureEndpoint, message).at(Pointer::of(path.iter().copied()));
        Some(error.hint("use `https://` with the certificates in `caBundle`, or configure `insecureEndpoints: true`"))
    };
    if !scheme.eq_ignore_ascii_case("https") {
        return refused(server, format!("`{endpoint}` is not an `https://` address"));
    }
    let left_out = cluster.value.at(unchecked).and_then(Value::as_list).is_some_and(|it| !it.is_empty());
    let field = unchecked.last().copied().unwrap_or_default();
    left_out.then(|| refused(unchecked, format!("`{field}` leaves out checks of the certificate")))?
}

fn endpoint_of(store: &Store, kind: &ClusterKind, document: &Document) -> Result<Option<Endpoint>, Error> {
    let text = |path: &[&str]| Text::from(document.value.text_at(path));
    let access = match &kind.access {
        AccessMethod::Nowhere => return Ok(None),
        AccessMethod::Kubeconfig { keys } => Access::Kubeconfig { secret: document.identity.name.clone(), keys },
        AccessMethod::Token { server, ca_bundle, proxy_url, unchecked, secret, key } => {
            for path in [server, secret] {
                if text(path).is_empty() {
                    return Err(missing(document, path));
                }
            }
            if let Some(problem) = insecure(kind, document).filter(|_| !store.settings.insecure_endpoints) {
                let message = format!("`{}`: {}, so no token is sent", document.identity, problem.message);
                return Err(Error { at: None, message, ..problem });
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
    let may_be_insecure = store.settings.insecure_endpoints;
    Ok(Some(Endpoint { document: document.identity.clone(), access, may_be_insecure }))
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
