//! Discovery: the kinds that a server serves, and their paths. Cached; a miss asks the server again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use http::Method;
use kube::core::{ApiResource, GroupVersionKind};
use serde::Deserialize;

use super::{ApiError, Cluster, read_answer};
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

    fn list(api_version: &str, all: ResourceList) -> Vec<ApiKind> {
        let resources = all.resources.unwrap_or_default();
        let has = |wanted: String| resources.iter().any(|it| it.name == wanted);
        let kinds = resources.iter().filter(|it| !it.name.contains('/'));
        let api_kinds = kinds.map(|it| ApiKind {
            api_version: api_version.to_owned(),
            kind: it.kind.clone(),
            plural: it.name.clone(),
            is_namespaced: it.namespaced,
            has_status: has(format!("{}/status", it.name)),
            can_watch: it.verbs.iter().flatten().any(|verb| verb == "watch"),
        });
        api_kinds.collect()
    }
}

/// An `APIResourceList`, as far as it is used. Servers written in Go may write null for an empty list.
#[derive(Deserialize)]
struct ResourceList {
    resources: Option<Vec<Resource>>,
}

/// One resource of it; subresources have a `/` in their names.
#[derive(Deserialize)]
struct Resource {
    name: String,
    kind: String,
    namespaced: bool,
    verbs: Option<Vec<String>>,
}

/// An `APIGroupList`, as far as it is used.
#[derive(Deserialize)]
pub(super) struct GroupList {
    pub groups: Option<Vec<Group>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    pub name: String,
    preferred_version: Option<GroupVersion>,
    versions: Option<Vec<GroupVersion>>,
}

#[derive(Deserialize, PartialEq)]
struct GroupVersion {
    version: String,
}

impl Group {
    /// The versions, the preferred one first.
    pub fn versions(self) -> Vec<String> {
        let Group { preferred_version: preferred, versions, .. } = self;
        let mut all = versions.unwrap_or_default();
        all.sort_by_key(|it| preferred.as_ref() != Some(it));
        all.into_iter().map(|it| it.version).collect()
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
            Ok(all) => ApiKind::list(api_version, read_answer(all)?),
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
