//! One API server, of the hub or of a member: what is read there, and what is done. The only caller of the kube client.
//!
//! Objects come and go as the engine's values. Nothing here knows what a kind means: which path it has is asked of the
//! server, once.

pub mod connect;
mod fault;
mod served;
mod watch;

pub use fault::Fault;
pub use served::Served;
pub use watch::{Sighting, Watch};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;
use http::{Method, Request};
use kube::Client;
use tokio::sync::Semaphore;

use crate::answer::{list, text};
use served::Kinds;

/// Who writes, as the server keeps it with every field.
pub const FIELD_MANAGER: &str = "fleetfold";

/// How many requests one server gets at once, and how long each of them may take.
const AT_ONCE: usize = 16;
const PATIENCE: Duration = Duration::from_secs(15);

/// How many objects come with one page of a list.
const PAGE: usize = 500;

/// Names an object in a cluster, or without a name a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub api_version: String,
    pub kind: String,
    /// Empty for all namespaces, and for kinds that have none.
    pub namespace: String,
    pub name: String,
}

impl Target {
    /// The target of an action, a status or a need.
    pub fn read(value: &Value) -> Target {
        let part = |key| text(value, key).to_owned();
        Target { api_version: part("apiVersion"), kind: part("kind"), namespace: part("namespace"), name: part("name") }
    }

    /// What names an object that is there.
    pub fn of(object: &Value) -> Target {
        Target {
            namespace: object.text_at(&["metadata", "namespace"]).to_owned(),
            name: object.text_at(&["metadata", "name"]).to_owned(),
            ..Target::read(object)
        }
    }

    pub fn group(&self) -> &str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }

    pub fn identity(&self) -> Identity {
        Identity {
            kind: self.kind.as_str().into(),
            group: self.group().into(),
            namespace: self.namespace.as_str().into(),
            name: self.name.as_str().into(),
        }
    }

    pub fn to_value(&self) -> Value {
        let parts = [
            ("apiVersion", &self.api_version),
            ("kind", &self.kind),
            ("namespace", &self.namespace),
            ("name", &self.name),
        ];
        Value::map(parts.into_iter().filter(|(_, it)| !it.is_empty()).map(|(key, it)| (key, it.as_str())))
    }

    fn is_secret(&self) -> bool {
        self.kind == "Secret" && self.group().is_empty()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.kind.as_str(), &self.namespace, &self.name];
        f.write_str(&parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/"))
    }
}

/// A list, and the version of everything when it was made.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    pub objects: Vec<Value>,
    pub version: String,
}

/// Whether a write is done, or only tried by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Real,
    DryRun,
}

/// One API server. A clone is the same one.
#[derive(Clone)]
pub struct Cluster(Arc<Inner>);

struct Inner {
    name: String,
    client: Client,
    kinds: Kinds,
    gate: Semaphore,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({:?})", self.0.name)
    }
}

impl Cluster {
    fn new(name: &str, client: Client) -> Cluster {
        let gate = Semaphore::new(AT_ONCE);
        Cluster(Arc::new(Inner { name: name.to_owned(), client, kinds: Kinds::default(), gate }))
    }

    /// The name that the engine knows it by; the hub has none.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The client, for what keeps a connection open: watches and events.
    pub fn client(&self) -> Client {
        self.0.client.clone()
    }

    /// Whether the server answers.
    pub async fn probe(&self) -> Result<(), Fault> {
        self.send(Method::GET, "/version", None, &Target::default()).await.map(drop)
    }

    /// How the server knows a kind.
    pub async fn served(&self, api_version: &str, kind: &str) -> Result<Served, Fault> {
        self.0.kinds.find(self, api_version, kind).await
    }

    /// Every kind of a group in a version; none where the server does not have it.
    pub async fn served_in(&self, api_version: &str) -> Result<Vec<Served>, Fault> {
        self.0.kinds.list(self, api_version).await
    }

    /// The groups that the server has, each with its versions, the preferred one first.
    pub async fn groups(&self) -> Result<BTreeMap<String, Vec<String>>, Fault> {
        let answer = self.send(Method::GET, "/apis", None, &Target::default()).await?;
        let versions = |group: &Value| {
            let preferred = group.text_at(&["preferredVersion", "version"]).to_owned();
            let all = list(group, "versions").iter().map(|it| text(it, "version").to_owned());
            std::iter::once(preferred.clone()).chain(all.filter(|it| *it != preferred)).collect()
        };
        Ok(list(&answer, "groups").iter().map(|it| (text(it, "name").to_owned(), versions(it))).collect())
    }

    /// Forgets which kinds there are: a new one is found only by asking again.
    pub fn forget_kinds(&self) {
        self.0.kinds.forget();
    }

    /// An object; nothing where there is none.
    pub async fn get(&self, target: &Target) -> Result<Option<Value>, Fault> {
        let path = self.path(target).await?;
        match self.send(Method::GET, &path, None, target).await {
            Ok(object) => Ok(Some(object)),
            Err(Fault::NotFound { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// All objects of a kind, in one namespace or all, that a selector picks; page by page, and whole or not at all.
    pub async fn list(&self, target: &Target, label_selector: &str) -> Result<Listed, Fault> {
        let path = self.path(target).await?;
        let (mut listed, mut page) = (Listed::default(), String::new());
        loop {
            let query = [("labelSelector", label_selector), ("continue", &page), ("limit", &PAGE.to_string())];
            let answer = self.send(Method::GET, &format!("{path}{}", query_of(&query)), None, target).await?;
            for mut object in list(&answer, "items").iter().cloned() {
                // The items of a list do not say what they are.
                if let Some(fields) = object.as_map_mut() {
                    fields.insert("apiVersion", target.api_version.as_str());
                    fields.insert("kind", target.kind.as_str());
                }
                listed.objects.push(stripped(object));
            }
            listed.version = answer.text_at(&["metadata", "resourceVersion"]).to_owned();
            page = answer.text_at(&["metadata", "continue"]).to_owned();
            if page.is_empty() {
                return Ok(listed);
            }
        }
    }

    pub async fn create(&self, body: &Value, effect: Effect) -> Result<Value, Fault> {
        let target = Target::of(body);
        let path = self.path(&Target { name: String::new(), ..target.clone() }).await?;
        let content = Some(("application/json", body.to_canonical()));
        self.send(Method::POST, &format!("{path}{}", write_query(effect)), content, &target).await
    }

    /// Changes an object by operations of RFC 6902, if it still is the one that was seen.
    pub async fn patch(
        &self,
        target: &Target,
        operations: &[Value],
        precondition: &Value,
        effect: Effect,
    ) -> Result<Value, Fault> {
        let path = self.path(target).await?;
        self.send_patch(&format!("{path}{}", write_query(effect)), target, operations, precondition).await
    }

    /// Makes a status what it should be, in the status subresource where the kind has one.
    pub async fn put_status(&self, target: &Target, status: &Value, precondition: &Value) -> Result<Value, Fault> {
        let served = self.served(&target.api_version, &target.kind).await?;
        let below = if served.has_status { "/status" } else { "" };
        let path = format!("{}{below}{}", served.path(&target.namespace, &target.name), write_query(Effect::Real));
        let put = Value::map([("op", Value::text("add")), ("path", "/status".into()), ("value", status.clone())]);
        self.send_patch(&path, target, &[put], precondition).await
    }

    /// Deletes an object, if it still is the one that was seen. One that is gone already is as it should be.
    pub async fn delete(&self, target: &Target, precondition: &Value, effect: Effect) -> Result<(), Fault> {
        let path = self.path(target).await?;
        let options = Value::map([
            ("apiVersion", Value::text("v1")),
            ("kind", "DeleteOptions".into()),
            ("preconditions", precondition.clone()),
            ("propagationPolicy", "Background".into()),
        ]);
        let content = Some(("application/json", options.to_canonical()));
        let query = if effect == Effect::DryRun { "?dryRun=All" } else { "" };
        match self.send(Method::DELETE, &format!("{path}{query}"), content, target).await {
            Ok(_) | Err(Fault::NotFound { .. }) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    async fn send_patch(
        &self,
        path: &str,
        target: &Target,
        operations: &[Value],
        precondition: &Value,
    ) -> Result<Value, Fault> {
        let mut all = Vec::new();
        // A server that finds another uid or version answers with a conflict.
        for (key, field) in [("uid", "/metadata/uid"), ("resourceVersion", "/metadata/resourceVersion")] {
            if let Some(value) = precondition.get(key) {
                all.push(Value::map([
                    ("op", Value::text("replace")),
                    ("path", field.into()),
                    ("value", value.clone()),
                ]));
            }
        }
        all.extend(operations.iter().cloned());
        let content = Some(("application/json-patch+json", Value::list(all).to_canonical()));
        self.send(Method::PATCH, path, content, target).await
    }

    async fn path(&self, target: &Target) -> Result<String, Fault> {
        let served = self.served(&target.api_version, &target.kind).await?;
        Ok(served.path(&target.namespace, &target.name))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content: Option<(&str, String)>,
        target: &Target,
    ) -> Result<Value, Fault> {
        let unreachable = |message: String| Fault::Unreachable { message };
        let mut request = Request::builder().method(method).uri(path).header("accept", "application/json");
        let body = match content {
            Some((kind, body)) => {
                request = request.header("content-type", kind);
                body.into_bytes()
            }
            None => Vec::new(),
        };
        let request = request.body(body).map_err(|error| unreachable(format!("`{path}` is no request: {error}")))?;
        // The gate is never closed.
        let _permit = self.0.gate.acquire().await;
        let answered = tokio::time::timeout(PATIENCE, self.0.client.request_text(request)).await;
        let answered = answered.map_err(|_| unreachable(format!("no answer within {} s", PATIENCE.as_secs())))?;
        let said =
            answered.map_err(Fault::from).map_err(|it| if target.is_secret() { it.without_values() } else { it })?;
        let value = crate::answer::read(&said);
        value
            .map(stripped)
            .map_err(|problem| Fault::Server { code: 0, message: format!("the answer cannot be read: {problem}") })
    }

    /// Whether a user may do something, as the server itself decides it.
    pub async fn review(&self, review: &Value) -> Result<bool, Fault> {
        let answer = self.create(review, Effect::Real).await?;
        Ok(answer.at(&["status", "allowed"]).and_then(Value::as_bool).unwrap_or(false))
    }

    /// Who else writes an object, latest first.
    pub async fn other_managers(&self, target: &Target) -> Result<Vec<String>, Fault> {
        let path = self.path(target).await?;
        let request = Request::builder().uri(&path).body(Vec::new());
        let request = request.map_err(|error| Fault::Unreachable { message: error.to_string() })?;
        let said = self.0.client.request_text(request).await.map_err(Fault::from)?;
        let object = crate::answer::read(&said).unwrap_or_default();
        let entries = object.at(&["metadata", "managedFields"]).and_then(Value::as_list).cloned().unwrap_or_default();
        let mut others: Vec<(&str, &str)> = entries.iter().map(|it| (text(it, "time"), text(it, "manager"))).collect();
        others.retain(|(_, manager)| *manager != FIELD_MANAGER);
        others.sort_unstable_by(|a, b| b.cmp(a));
        let mut names: Vec<String> = others.into_iter().map(|(_, manager)| manager.to_owned()).collect();
        names.dedup();
        Ok(names)
    }
}

/// An object without the server's notes on who wrote which field: they are half of it, and mean nothing to the engine.
fn stripped(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
        metadata.remove("managedFields");
    }
    object
}

/// What base64 stands for.
fn base64(text: &str) -> Option<Vec<u8>> {
    serde_json::from_value::<k8s_openapi::ByteString>(text.into()).ok().map(|it| it.0)
}

fn write_query(effect: Effect) -> String {
    let dry = if effect == Effect::DryRun { "All" } else { "" };
    query_of(&[("fieldManager", FIELD_MANAGER), ("fieldValidation", "Strict"), ("dryRun", dry)])
}

/// The parameters that say something, as a query.
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
    fn a_query_has_only_what_says_something() {
        assert_eq!(query_of(&[("a", ""), ("b", "x in (1,2)")]), "?b=x%20in%20%281%2C2%29");
        assert_eq!(query_of(&[("a", "")]), "");
    }

    #[test]
    fn a_target_reads_as_people_write_it() {
        let target = Target {
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            namespace: "n".into(),
            name: "d".into(),
        };
        assert_eq!((target.to_string().as_str(), target.group()), ("Deployment/n/d", "apps"));
    }
}
