//! The client of one API server, of the hub or of a member. Nothing else uses the kube client.
//!
//! Objects are the engine's values. Nothing here knows a kind: paths come from the server's discovery.

pub mod connect;
pub mod contacts;
mod discovery;
mod error;
mod watch;

pub use discovery::ApiKind;
pub use error::ApiError;
pub use watch::{Watch, WatchEvent};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fleetfold_core::Value;
use fleetfold_core::api::patch::PatchOperation;
use fleetfold_core::api::plan::Precondition;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::engine::patch::Verb;
use fleetfold_core::object::managed_fields;
use fleetfold_core::value::canonical::to_text_as_declared;
use fleetfold_core::value::json;
use http::{Method, Request};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{DeleteOptions, Preconditions};
use kube::Client;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::meta::{self, Meta};
use crate::target::Target;
use discovery::{GroupList, Kinds};

/// The field manager of all writes.
pub const FIELD_MANAGER: &str = managed_fields::MANAGER;

/// How many requests one server gets at the same time, and how long each may take.
const MAX_CONCURRENT_REQUESTS: usize = 16;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// How many objects one page of a list holds.
const PAGE_SIZE: usize = 500;

/// A list with its resourceVersion.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    pub objects: Vec<Value>,
    pub version: String,
}

/// Whether a write takes effect or is a server-side dry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Real,
    DryRun,
}

/// What the server does with fields that its definition of the kind lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    /// It refuses the write.
    Refused,
    /// It keeps the rest.
    Dropped,
}

impl UnknownFields {
    fn as_str(self) -> &'static str {
        match self {
            UnknownFields::Refused => "Strict",
            UnknownFields::Dropped => "Ignore",
        }
    }
}

/// One API server. Clones share the connection.
#[derive(Clone)]
pub struct Cluster(Arc<Inner>);

struct Inner {
    name: String,
    client: Client,
    kinds: Kinds,
    permits: Semaphore,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({:?})", self.0.name)
    }
}

impl Cluster {
    fn new(name: &str, client: Client) -> Cluster {
        let permits = Semaphore::new(MAX_CONCURRENT_REQUESTS);
        Cluster(Arc::new(Inner { name: name.to_owned(), client, kinds: Kinds::default(), permits }))
    }

    /// The engine's name for the cluster; empty for the hub.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The client, for watches.
    pub fn client(&self) -> Client {
        self.0.client.clone()
    }

    /// Checks that the server responds.
    pub async fn probe(&self) -> Result<(), ApiError> {
        self.send(Method::GET, "/version", None, &Target::default()).await.map(drop)
    }

    /// Finds a kind by discovery.
    pub async fn api_kind(&self, api_version: &str, kind: &str) -> Result<ApiKind, ApiError> {
        self.0.kinds.find(self, api_version, kind).await
    }

    /// All kinds of an API version; none where the server does not serve it.
    pub async fn api_kinds(&self, api_version: &str) -> Result<Vec<ApiKind>, ApiError> {
        self.0.kinds.list(self, api_version).await
    }

    /// The served groups with their versions, the preferred one first.
    pub async fn groups(&self) -> Result<BTreeMap<String, Vec<String>>, ApiError> {
        let answer = self.send(Method::GET, "/apis", None, &Target::default()).await?;
        let GroupList { groups } = read_answer(answer)?;
        Ok(groups.into_iter().flatten().map(|it| (it.name.clone(), it.versions())).collect())
    }

    /// Clears the discovery cache.
    pub fn clear_discovery(&self) {
        self.0.kinds.clear();
    }

    /// Reads an object; returns nothing where it does not exist.
    pub async fn get(&self, target: &Target) -> Result<Option<Value>, ApiError> {
        let path = self.path(target).await?;
        match self.send(Method::GET, &path, None, target).await {
            Ok(object) => Ok(Some(object)),
            Err(ApiError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists the objects of a kind that match a selector, in one namespace or all. Fails rather than returning part of
    /// them.
    pub async fn list(&self, target: &Target, label_selector: &str) -> Result<Listed, ApiError> {
        let path = self.path(target).await?;
        let (mut listed, mut page) = (Listed::default(), String::new());
        loop {
            let query = [("labelSelector", label_selector), ("continue", &page), ("limit", &PAGE_SIZE.to_string())];
            let answer = self.send(Method::GET, &format!("{path}{}", query_of(&query)), None, target).await?;
            let ObjectList { items, metadata } = read_answer(answer)?;
            for mut object in items.unwrap_or_default() {
                // List items carry neither apiVersion nor kind.
                meta::set_type(&mut object, &target.api_version, &target.kind);
                listed.objects.push(self.trimmed(object));
            }
            listed.version = metadata.resource_version.unwrap_or_default();
            page = metadata.r#continue.unwrap_or_default();
            if page.is_empty() {
                return Ok(listed);
            }
        }
    }

    pub async fn create(&self, body: &Value, effect: Effect) -> Result<Value, ApiError> {
        let target = Target::of(body);
        let path = self.path(&Target { name: String::new(), ..target.clone() }).await?;
        let content = Some(("application/json", body.to_canonical()));
        self.send(Method::POST, &format!("{path}{}", write_query(effect)), content, &target).await
    }

    /// Applies a JSON patch (RFC 6902), on condition that uid and resourceVersion still match.
    pub async fn patch(
        &self,
        target: &Target,
        operations: &[impl Serialize],
        precondition: Option<&Precondition>,
        effect: Effect,
    ) -> Result<Value, ApiError> {
        let path = self.path(target).await?;
        self.send_patch(&format!("{path}{}", write_query(effect)), target, operations, precondition).await
    }

    /// Applies a JSON patch to the status of an object, at the status subresource where the kind has one.
    pub async fn patch_status(
        &self,
        target: &Target,
        operations: &[impl Serialize],
        precondition: Option<&Precondition>,
        effect: Effect,
    ) -> Result<Value, ApiError> {
        let api_kind = self.api_kind(&target.api_version, &target.kind).await?;
        let below = if api_kind.has_status { "/status" } else { "" };
        let path = format!("{}{below}{}", api_kind.path(&target.namespace, &target.name), write_query(effect));
        self.send_patch(&path, target, operations, precondition).await
    }

    /// Writes a status, to the status subresource where the kind has one.
    pub async fn put_status(
        &self,
        target: &Target,
        status: &Value,
        unknown_fields: UnknownFields,
        precondition: Option<&Precondition>,
    ) -> Result<Value, ApiError> {
        let api_kind = self.api_kind(&target.api_version, &target.kind).await?;
        let below = if api_kind.has_status { "/status" } else { "" };
        let query = query_of(&[("fieldManager", FIELD_MANAGER), ("fieldValidation", unknown_fields.as_str())]);
        let path = format!("{}{below}{query}", api_kind.path(&target.namespace, &target.name));
        self.send_patch(&path, target, &[operation(Verb::Add, "/status", Some(status.clone()))], precondition).await
    }

    /// Deletes an object, on condition that uid and resourceVersion still match. An absent object counts as deleted.
    pub async fn delete(
        &self,
        target: &Target,
        precondition: Option<&Precondition>,
        effect: Effect,
    ) -> Result<(), ApiError> {
        let path = self.path(target).await?;
        let preconditions = precondition.map(|it| Preconditions {
            uid: it.uid.as_ref().map(ToString::to_string),
            resource_version: it.resource_version.as_ref().map(ToString::to_string),
        });
        let options = DeleteOptions {
            api_version: Some("v1".to_owned()),
            kind: Some("DeleteOptions".to_owned()),
            preconditions,
            // With options in the body, an API server ignores those of the query.
            dry_run: (effect == Effect::DryRun).then(|| vec!["All".to_owned()]),
            propagation_policy: Some("Background".to_owned()),
            ..DeleteOptions::default()
        };
        let content = Some(("application/json", written(&options)?));
        let query = if effect == Effect::DryRun { "?dryRun=All" } else { "" };
        match self.send(Method::DELETE, &format!("{path}{query}"), content, target).await {
            Ok(_) | Err(ApiError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn send_patch(
        &self,
        path: &str,
        target: &Target,
        operations: &[impl Serialize],
        precondition: Option<&Precondition>,
    ) -> Result<Value, ApiError> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Part<'a, O> {
            Version(PatchOperation),
            Given(&'a O),
        }
        // The server returns a conflict if uid or resourceVersion differ.
        let versions = precondition.into_iter().flat_map(|it| {
            let (uid, version) = (it.uid.clone(), it.resource_version.clone());
            [("/metadata/uid", uid), ("/metadata/resourceVersion", version)]
        });
        let versions = versions.filter_map(|(field, it)| Some(operation(Verb::Replace, field, Some(it?.into()))));
        let all: Vec<Part<_>> = versions.map(Part::Version).chain(operations.iter().map(Part::Given)).collect();
        let content = Some(("application/json-patch+json", written(&all)?));
        self.send(Method::PATCH, path, content, target).await
    }

    async fn path(&self, target: &Target) -> Result<String, ApiError> {
        let api_kind = self.api_kind(&target.api_version, &target.kind).await?;
        Ok(api_kind.path(&target.namespace, &target.name))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content: Option<(&str, String)>,
        target: &Target,
    ) -> Result<Value, ApiError> {
        let unreachable = |message: String| ApiError::Unreachable { message };
        let mut request = Request::builder().method(method).uri(path).header("accept", "application/json");
        let body = match content {
            Some((kind, body)) => {
                request = request.header("content-type", kind);
                body.into_bytes()
            }
            None => Vec::new(),
        };
        let request =
            request.body(body).map_err(|error| unreachable(format!("`{path}` is not a valid request: {error}")))?;
        // The semaphore is never closed.
        let _permit = self.0.permits.acquire().await;
        let response = tokio::time::timeout(REQUEST_TIMEOUT, self.0.client.request_text(request)).await;
        let response =
            response.map_err(|_| unreachable(format!("no answer within {} s", REQUEST_TIMEOUT.as_secs())))?;
        let body =
            response.map_err(ApiError::from).map_err(|it| if target.is_secret() { it.without_values() } else { it })?;
        read_json(&body)
            .map(|object| self.trimmed(object))
            .map_err(|problem| ApiError::Server { code: 0, message: format!("the answer cannot be read: {problem}") })
    }

    /// Reduces `managedFields` to what the engine uses. Of the documents on the hub it uses nothing.
    fn trimmed(&self, mut object: Value) -> Value {
        if self.0.name.is_empty() {
            meta::remove_managed_fields(&mut object);
        } else {
            managed_fields::reduce(&mut object);
        }
        object
    }

    /// Performs a SubjectAccessReview; returns whether the user is allowed.
    pub async fn review(&self, review: &Value) -> Result<bool, ApiError> {
        let answer = self.create(review, Effect::Real).await?;
        let status = Meta::of(&answer).status();
        Ok(status.and_then(|it| it.get("allowed")).and_then(Value::as_bool).unwrap_or(false))
    }

    /// The other field managers of an object, latest first.
    pub async fn other_managers(&self, target: &Target) -> Result<Vec<String>, ApiError> {
        let path = self.path(target).await?;
        let request = Request::builder().uri(&path).body(Vec::new());
        let request = request.map_err(|error| ApiError::Unreachable { message: error.to_string() })?;
        let body = self.0.client.request_text(request).await.map_err(ApiError::from)?;
        let object: Managed = read_answer(read_json(&body).unwrap_or_default())?;
        let mut others = object.metadata.managed_fields.unwrap_or_default();
        others.sort_unstable_by(|a, b| b.cmp(a));
        let mut names: Vec<String> = others.into_iter().filter_map(|it| it.manager).collect();
        names.retain(|it| it != FIELD_MANAGER);
        names.dedup();
        Ok(names)
    }
}

/// An operation of a JSON patch.
pub fn operation(op: Verb, path: &str, value: Option<Value>) -> PatchOperation {
    PatchOperation { op: Some(op), path: path.into(), from: None, value: value.into() }
}

/// Parses JSON of an API server, which may be deeper than a document and have longer integers; the error is a message.
pub(crate) fn read_json(text: &str) -> Result<Value, String> {
    json::parse_answer(text).map_err(|error| format!("{} at {}", error.message, error.place))
}

/// A page of a list. Servers written in Go may write null for a list without items.
#[derive(Deserialize)]
struct ObjectList {
    items: Option<Vec<Value>>,
    metadata: ListMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: Option<String>,
    r#continue: Option<String>,
}

/// An object, as far as its field managers are used.
#[derive(Deserialize)]
struct Managed {
    metadata: ManagedMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManagedMeta {
    managed_fields: Option<Vec<FieldManager>>,
}

/// Ordered by time.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct FieldManager {
    time: Option<String>,
    manager: Option<String>,
}

/// An answer of the API server as a type with the fields that are used.
fn read_answer<T: DeserializeOwned>(answer: Value) -> Result<T, ApiError> {
    from_value_ignoring_unknown(answer)
        .map_err(|error| ApiError::Server { code: 0, message: format!("the answer cannot be read: {error}") })
}

fn written(body: &impl Serialize) -> Result<String, ApiError> {
    to_text_as_declared(body)
        .map_err(|error| ApiError::Invalid { message: format!("cannot serialize the request: {error}") })
}

fn write_query(effect: Effect) -> String {
    let dry = if effect == Effect::DryRun { "All" } else { "" };
    query_of(&[("fieldManager", FIELD_MANAGER), ("fieldValidation", UnknownFields::Refused.as_str()), ("dryRun", dry)])
}

/// A query string of the parameters that are not empty.
fn query_of(parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let written: Vec<String> = given.map(|(key, value)| format!("{key}={}", escaped(value))).collect();
    if written.is_empty() { String::new() } else { format!("?{}", written.join("&")) }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parameters_are_left_out() {
        assert_eq!(query_of(&[("a", ""), ("b", "x in (1,2)")]), "?b=x%20in%20%281%2C2%29");
        assert_eq!(query_of(&[("a", "")]), "");
    }
}
