//! Writes the statuses of documents, and publishes an event for each transition.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use fleetfold_core::Value;
use fleetfold_core::api::plan::{EventAnswer, Precondition, StatusAnswer};
use tokio::sync::watch;

use super::events::EventSender;
use super::executor::while_leader;
use crate::clock::{micro_time, now};
use crate::cluster::{ApiError, Cluster, Effect};
use crate::target::Target;

/// A status write ended.
#[derive(Debug)]
pub struct StatusWritten {
    pub target: Target,
    pub result: Result<Value, ApiError>,
}

#[derive(Debug)]
pub struct Statuses {
    hub: Cluster,
    events: EventSender<StatusWritten>,
    is_leader: watch::Receiver<bool>,
    /// The statuses that are being written.
    in_flight: BTreeSet<Target>,
}

impl Statuses {
    pub fn new(hub: &Cluster, events: EventSender<StatusWritten>, is_leader: &watch::Receiver<bool>) -> Statuses {
        Statuses { hub: hub.clone(), events, is_leader: is_leader.clone(), in_flight: BTreeSet::new() }
    }

    /// Writes a status, on condition that the document still has the version that was planned for.
    pub fn write(&mut self, target: Target, planned: &StatusAnswer, version: Option<&str>) {
        if !self.in_flight.insert(target.clone()) {
            return;
        }
        let (hub, events, is_leader) = (self.hub.clone(), self.events.clone(), self.is_leader.clone());
        let precondition = version.map(|it| Precondition { resource_version: Some(it.into()), uid: None });
        let (status, turns) = (planned.status.clone(), planned.events.clone().unwrap_or_default());
        tokio::spawn(async move {
            let writing = hub.put_status(&target, &status, precondition.as_ref());
            let Some(result) = while_leader(is_leader, writing).await else { return };
            if let Ok(object) = &result {
                for event in &turns {
                    publish_event(&hub, object, event).await;
                }
            }
            events.send(StatusWritten { target, result });
        });
    }

    pub fn done(&mut self, target: &Target) {
        self.in_flight.remove(target);
    }

    /// Forgets the writes in flight: losing leadership cancels them.
    pub fn abort(&mut self) {
        self.in_flight.clear();
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }
}

/// Publishes an event about a transition. A failure is only logged: the status carries the same information.
pub async fn publish_event(hub: &Cluster, object: &Value, event: &EventAnswer) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (target, time) = (Target::of(object), now());
    // Two events in the same second need different names.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name: String = format!("{}.{:x}-{count:x}", target.name, fingerprint(&time));
    let namespace = if target.namespace.is_empty() { "default" } else { &target.namespace };
    let mut regarding = target.to_value();
    if let Some(fields) = regarding.as_map_mut() {
        fields.insert("uid", object.text_at(&["metadata", "uid"]));
    }
    let note: String = event.note.chars().take(1000).collect();
    let body = Value::map([
        ("apiVersion", Value::text("events.k8s.io/v1")),
        ("kind", "Event".into()),
        ("metadata", Value::map([("name", name.as_str()), ("namespace", namespace)])),
        ("eventTime", micro_time(&time).into()),
        ("reportingController", "fleetfold.dev/runner".into()),
        ("reportingInstance", "fleetfold".into()),
        ("action", "Reconcile".into()),
        ("type", event.kind.clone().into()),
        ("reason", event.reason.as_str().into()),
        ("note", note.into()),
        ("regarding", regarding),
    ]);
    match hub.create(&body, Effect::Real).await {
        Ok(_) | Err(ApiError::Conflict { .. }) => {}
        Err(error) => {
            tracing::warn!(target = %target, code = error.code(), hint = error.hint(), "cannot publish an event: {error}")
        }
    }
}

fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
