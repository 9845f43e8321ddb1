//! Discovery: the kinds that a server serves, and their paths. Cached; a miss asks the server again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fleetfold_core::Value;
use http::Method;
use kube::core::{ApiResource, GroupVersionKind};

use super::{ApiError, Cluster, list_at};
use crate::target::Target;

/// One kind as a server serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKind {
    pub api_version: String,
    pub kind: String,
    pub plural: String,
    pub is_namespaced: bool,
    pub has_status: bool,
    pub can_watch: bool,
}

impl ApiKind {
    /// The path of an object or, without a name, of a list; without a namespace, of all namespaces.
    pub fn path(&self, namespace: &str, name: &str) -> String {
        let root = if self.api_version.contains('/') { "/apis" } else { "/api" };
        let mut path = format!("{root}/{}", self.api_version);
        if self.is_namespaced && !namespace.is_empty() {
            path.push_str(&format!("/namespaces/{namespace}"));
        }
        path.push_str(&format!("/{}", self.plural));
        if !name.is_empty() {
            path.push_str(&format!("/{name}"));
        }
        path
    }

    pub fn group(&self) -> &str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }

    pub(super) fn resource(&self) -> ApiResource {
        let (group, version) = self.api_version.rsplit_once('/').unwrap_or(("", &self.api_version));
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, &self.kind), &self.plural)
    }

    fn read(api_version: &str, all: &Value) -> Vec<ApiKind> {
        let resources = list_at(all, "resources");
        let name = |it: &Value| it.text_at(&["name"]).to_owned();
        let has = |wanted: String| resources.iter().any(|it| it.text_at(&["name"]) == wanted);
        let kinds = resources.iter().filter(|it| !it.text_at(&["name"]).contains('/'));
        let api_kinds = kinds.map(|it| ApiKind {
            api_version: api_version.to_owned(),
            kind: it.text_at(&["kind"]).to_owned(),
            plural: name(it),
            is_namespaced: it.get("namespaced").and_then(Value::as_bool).unwrap_or(false),
            has_status: has(format!("{}/status", name(it))),
            can_watch: list_at(it, "verbs").iter().any(|verb| verb.as_text() == Some("watch")),
        });
        api_kinds.collect()
    }
}

/// The discovered kinds, by API version.
#[derive(Debug, Default)]
pub(super) struct Kinds(Mutex<BTreeMap<String, Vec<ApiKind>>>);

impl Kinds {
    /// A kind. On a cache miss the server is asked again, since the kind may be new.
    pub async fn find(&self, cluster: &Cluster, api_version: &str, kind: &str) -> Result<ApiKind, ApiError> {
        let cached = self.cached(api_version);
        let is_this = |it: &ApiKind| it.kind == kind;
        if let Some(api_kind) = cached.into_iter().flatten().find(is_this) {
            return Ok(api_kind);
        }
        self.remove(api_version);
        let found = self.list(cluster, api_version).await?.into_iter().find(is_this);
        found.ok_or_else(|| ApiError::NotServed { kind: kind.to_owned(), api_version: api_version.to_owned() })
    }

    pub async fn list(&self, cluster: &Cluster, api_version: &str) -> Result<Vec<ApiKind>, ApiError> {
        if let Some(cached) = self.cached(api_version) {
            return Ok(cached);
        }
        let root = if api_version.contains('/') { "/apis" } else { "/api" };
        let found = match cluster.send(Method::GET, &format!("{root}/{api_version}"), None, &Target::default()).await {
            Ok(all) => ApiKind::read(api_version, &all),
            Err(error @ ApiError::EndpointNotFound { .. }) => {
                // Only the list of groups tells a missing version from a server that is starting.
                let (group, version) = api_version.rsplit_once('/').ok_or(error)?;
                let groups = cluster.groups().await?;
                let is_listed = groups.get(group).is_some_and(|it| it.iter().any(|it| it == version));
                return if is_listed { Err(not_yet(api_version)) } else { Ok(Vec::new()) };
            }
            Err(error) => return Err(error),
        };
        self.lock().insert(api_version.to_owned(), found.clone());
        Ok(found)
    }

    pub fn clear(&self) {
        self.lock().clear();
    }

    fn cached(&self, api_version: &str) -> Option<Vec<ApiKind>> {
        self.lock().get(api_version).cloned()
    }

    fn remove(&self, api_version: &str) {
        self.lock().remove(api_version);
    }

    /// The map is consistent even if a thread panicked while holding the lock.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<ApiKind>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_yet(api_version: &str) -> ApiError {
    ApiError::EndpointNotFound { message: format!("the server lists `{api_version}` and does not have it") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_group_scope_and_name() {
        let api_kind = |api_version: &str, is_namespaced| ApiKind {
            api_version: api_version.into(),
            kind: "Thing".into(),
            plural: "things".into(),
            is_namespaced,
            has_status: false,
            can_watch: true,
        };
        assert_eq!(api_kind("v1", true).path("n", "a"), "/api/v1/namespaces/n/things/a");
        assert_eq!(api_kind("g/v1", true).path("", ""), "/apis/g/v1/things");
        assert_eq!(api_kind("g/v1", false).path("n", "a"), "/apis/g/v1/things/a");
    }
}
