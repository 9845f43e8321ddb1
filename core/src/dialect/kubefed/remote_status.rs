//! `statusCollection: Enabled` in a FederatedTypeConfig: the hub shows the status of every copy.
//!
//! | `statusType` | where |
//! |---|---|
//! | absent | `status.clusters[].remoteStatus` of the federated object |
//! | given | `clusterStatus` of the object of that kind and name, as `[{clusterName, status}]` |
//!
//! An unknown status of a cluster stays as it was written before. A copy that is absent has none.

use std::sync::Arc;

use super::control_plane::{self as plane, is_ready};
use super::{Federated, LAST_WAVE, Leaving};
use crate::diagnostic::ReasonCode;
use crate::engine::diff::diff;
use crate::object::document::{Document, Identity};
use crate::value::{Map, Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Planner, Reason, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;

/// Where the statuses of copies are collected.
#[derive(Debug)]
pub enum Collection {
    /// In the status of the federated object.
    Field,
    /// In an object of its own.
    Object(Target),
}

impl Collection {
    /// Where a FederatedTypeConfig collects the statuses of this object, if it does.
    pub fn of(config: Option<&Document>, federated: &Arc<Identity>) -> Option<Collection> {
        let config = config.filter(|it| it.value.text_at(&["spec", "statusCollection"]) == "Enabled")?;
        Some(match plane::status_type(config) {
            Some((api_version, kind)) => Collection::Object(Target {
                api_version,
                kind,
                namespace: federated.namespace.clone(),
                name: federated.name.clone(),
            }),
            None => Collection::Field,
        })
    }

    pub fn is_object(&self, identity: &Identity) -> bool {
        matches!(self, Collection::Object(target) if target.identity() == *identity)
    }
}

/// What is known of the status of a copy.
pub enum Remote<'a> {
    /// Nothing: what was written before stays.
    Unknown,
    /// There is no copy, or it has no status.
    None,
    Is(&'a Value),
}

/// The status of the copy in a cluster.
pub fn remote<'a>(federated: &Federated, view: View<'a>, cluster: &str) -> Remote<'a> {
    if !is_ready(view, &federated.scope, cluster) {
        return Remote::Unknown;
    }
    match view.store.observation(cluster, &federated.object) {
        Observation::Unknown => Remote::Unknown,
        Observation::Absent => Remote::None,
        Observation::Present(live) => match live.get("status").filter(|it| !it.is_empty()) {
            Some(status) => Remote::Is(status),
            None => Remote::None,
        },
    }
}

/// Writes the object that has the statuses of all copies, where the type wants one.
pub fn collect(federated: &Federated, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
    let (Some(Collection::Object(target)), Leaving::No) = (&federated.collects, federated.leaving) else { return };
    let Some(document) = view.store.document(&federated.subject) else { return };
    let live = match planner.look(HUB, target) {
        Observation::Unknown => return,
        Observation::Absent => None,
        Observation::Present(live) => Some(live),
    };
    let before = live.and_then(|it| it.get("clusterStatus")).and_then(Value::as_list).map_or(&[][..], Vec::as_slice);
    let mut entries: Vec<Value> = Vec::new();
    for name in cluster_results.keys() {
        match remote(federated, view, name) {
            Remote::Is(status) => entries.push(entry(name, status)),
            Remote::None => {}
            Remote::Unknown => entries.extend(before.iter().find(|it| it.text_at(&["clusterName"]) == *name).cloned()),
        }
    }
    let text = "the FederatedTypeConfig collects the statuses of copies";
    match live {
        None => {
            let reason = Reason::new(ReasonCode::Absent, text);
            planner.create(HUB, body(target, document, entries), LAST_WAVE, reason);
        }
        Some(live) => {
            let mut wanted = live.clone();
            if let Some(map) = wanted.as_map_mut() {
                map.insert("clusterStatus", entries);
            }
            planner.patch(HUB, live, diff(live, &wanted), LAST_WAVE, Reason::new(ReasonCode::Differs, text));
        }
    }
}

fn entry(cluster: &Text, status: &Value) -> Value {
    Value::map([("clusterName", Value::text(cluster.clone())), ("status", status.clone())])
}

/// The garbage collector deletes it with the federated object, which only an owner with a uid can see to.
fn body(target: &Target, document: &Document, entries: Vec<Value>) -> Value {
    let mut metadata = Map::from_iter([("name", target.name.clone())]);
    if !target.namespace.is_empty() {
        metadata.insert("namespace", target.namespace.clone());
    }
    let uid = document.value.text_at(&["metadata", "uid"]);
    if !uid.is_empty() {
        let owner = [
            ("apiVersion", document.value.text_at(&["apiVersion"])),
            ("kind", document.identity.kind.as_str()),
            ("name", document.identity.name.as_str()),
            ("uid", uid),
        ];
        metadata.insert("ownerReferences", vec![Value::map(owner)]);
    }
    Value::map([
        ("apiVersion", Value::text(target.api_version.clone())),
        ("kind", Value::text(target.kind.clone())),
        ("metadata", metadata.into()),
        ("clusterStatus", entries.into()),
    ])
}
