//! Which kinds a server has, and under which paths. Asked once, and again when something is missing.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fleetfold_core::Value;
use http::Method;
use kube::core::{ApiResource, GroupVersionKind};

use super::{Cluster, Fault, Target};
use crate::answer::{list, text, texts};

/// One kind as a server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    pub api_version: String,
    pub kind: String,
    pub plural: String,
    pub is_namespaced: bool,
    pub has_status: bool,
    pub can_watch: bool,
}

impl Served {
    /// The path of an object, or without a name of a list; without a namespace, of all of them.
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

    fn read(api_version: &str, all: &Value) -> Vec<Served> {
        let resources = list(all, "resources");
        let has = |name: String| resources.iter().any(|it| text(it, "name") == name);
        let own = resources.iter().filter(|it| !text(it, "name").contains('/'));
        let served = own.map(|it| Served {
            api_version: api_version.to_owned(),
            kind: text(it, "kind").to_owned(),
            plural: text(it, "name").to_owned(),
            is_namespaced: it.get("namespaced").and_then(Value::as_bool).unwrap_or(false),
            has_status: has(format!("{}/status", text(it, "name"))),
            can_watch: texts(it, "verbs").contains(&"watch"),
        });
        served.collect()
    }
}

/// The kinds of a server that were asked for, by API version.
#[derive(Debug, Default)]
pub(super) struct Kinds(Mutex<BTreeMap<String, Vec<Served>>>);

impl Kinds {
    /// A kind; where it is missing the server is asked once more, as it may be new.
    pub async fn find(&self, cluster: &Cluster, api_version: &str, kind: &str) -> Result<Served, Fault> {
        let known = self.known(api_version);
        let is_this = |it: &Served| it.kind == kind;
        if let Some(served) = known.into_iter().flatten().find(is_this) {
            return Ok(served);
        }
        self.forget_one(api_version);
        let found = self.list(cluster, api_version).await?.into_iter().find(is_this);
        found.ok_or_else(|| Fault::NotServed { kind: kind.to_owned(), api_version: api_version.to_owned() })
    }

    pub async fn list(&self, cluster: &Cluster, api_version: &str) -> Result<Vec<Served>, Fault> {
        if let Some(known) = self.known(api_version) {
            return Ok(known);
        }
        let root = if api_version.contains('/') { "/apis" } else { "/api" };
        let found = match cluster.send(Method::GET, &format!("{root}/{api_version}"), None, &Target::default()).await {
            Ok(all) => Served::read(api_version, &all),
            Err(fault @ Fault::NoPath { .. }) => {
                // A server that knows its groups and not this one does not have it; any other says nothing.
                let (group, version) = api_version.rsplit_once('/').ok_or(fault)?;
                let groups = cluster.groups().await?;
                let is_listed = groups.get(group).is_some_and(|it| it.iter().any(|it| it == version));
                return if is_listed { Err(not_yet(api_version)) } else { Ok(Vec::new()) };
            }
            Err(fault) => return Err(fault),
        };
        self.lock().insert(api_version.to_owned(), found.clone());
        Ok(found)
    }

    pub fn forget(&self) {
        self.lock().clear();
    }

    fn known(&self, api_version: &str) -> Option<Vec<Served>> {
        self.lock().get(api_version).cloned()
    }

    fn forget_one(&self, api_version: &str) {
        self.lock().remove(api_version);
    }

    /// Whoever held it left it whole: it is a map that is read or replaced.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<Served>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_yet(api_version: &str) -> Fault {
    Fault::NoPath { message: format!("the server lists `{api_version}` and does not have it") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_group_scope_and_name() {
        let served = |api_version: &str, is_namespaced| Served {
            api_version: api_version.into(),
            kind: "Thing".into(),
            plural: "things".into(),
            is_namespaced,
            has_status: false,
            can_watch: true,
        };
        assert_eq!(served("v1", true).path("n", "a"), "/api/v1/namespaces/n/things/a");
        assert_eq!(served("g/v1", true).path("", ""), "/apis/g/v1/things");
        assert_eq!(served("g/v1", false).path("n", "a"), "/apis/g/v1/things/a");
    }
}
