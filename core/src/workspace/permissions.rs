//! Whether the loaded roles let a user label a cluster or bind a cluster set.

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::authorize::rbac::{Grant, Rbac, User, is_rbac};
use crate::engine::authorize::{Permission, Question, Verdict, authorize};
use crate::engine::select::cluster_set::is_cluster_set;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::value::collections::SortedMap;
use crate::value::{Map, Text, Value};
use crate::workspace::store::{Scope, Store};

/// Whether a user may set labels of a ManagedCluster, by the loaded roles. A label with null is removed.
///
/// # Errors
///
/// There is no such cluster, or a label is not valid.
pub fn may_label(
    store: &Store,
    user: &User,
    cluster: &Text,
    labels: SortedMap<Text, Value>,
    out: &mut Vec<Diagnostic>,
) -> Result<Verdict, Error> {
    let scope = Scope { kind: MANAGED_CLUSTER.into(), namespace: Text::default() };
    let Some(document) = store.cluster_document(&scope, cluster) else {
        let message = format!("there is no ManagedCluster `{cluster}`");
        return Err(Error::new(Code::UnknownCluster, message).at(["cluster"]));
    };
    let mut new = document.value.clone();
    let metadata = new.get_mut("metadata").and_then(Value::as_map_mut);
    let here = metadata.and_then(|it| it.entry_or("labels", || Map::new().into())).and_then(Value::as_map_mut);
    if let Some(here) = here {
        for (key, value) in labels {
            match value {
                Value::Null => here.remove(&key),
                value => here.insert(key, value),
            };
        }
    }
    let documents: Vec<Value> =
        store.documents().map(|it| &it.value).filter(|it| is_rbac(it) || is_cluster_set(it)).cloned().collect();
    let question = Question {
        user,
        old: Some(&document.value),
        new: Some(&new),
        documents: &documents,
        reviews: &[],
        roles: true,
        stage: store.settings.stage,
        mode: store.settings.mode,
    };
    authorize(&question, out)
}

/// The permission that binding a cluster set needs, and what grants it to the user, if anything does.
pub fn may_bind(store: &Store, user: &User, set: &Text, out: &mut Vec<Diagnostic>) -> (Permission, Option<Grant>) {
    let documents = store.documents().map(|it| &it.value).filter(|it| is_rbac(it));
    let permission = Permission::bind(set.clone());
    let granted_by = Rbac::read(documents, out).allows(user, permission.request());
    (permission, granted_by)
}
