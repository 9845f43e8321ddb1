//! Statuses and events: what documents say of themselves, written where it changed, and told once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use fleetfold_core::Value;
use tokio::sync::watch;

use super::inbox::{Message, Outbox};
use super::work::while_leading;
use crate::answer::{list, text};
use crate::cluster::{Cluster, Effect, Fault, Target};
use crate::quantity::now;

#[derive(Debug)]
pub struct Statuses {
    hub: Cluster,
    outbox: Outbox,
    leads: watch::Receiver<bool>,
    /// Those that are being written.
    flights: BTreeSet<Target>,
}

impl Statuses {
    pub fn new(hub: &Cluster, outbox: &Outbox, leads: &watch::Receiver<bool>) -> Statuses {
        Statuses { hub: hub.clone(), outbox: outbox.clone(), leads: leads.clone(), flights: BTreeSet::new() }
    }

    /// Writes a status of the plan, if the document still has the version that was planned for.
    pub fn write(&mut self, target: Target, entry: &Value, version: Option<String>) {
        if !self.flights.insert(target.clone()) {
            return;
        }
        let (hub, outbox, leads, entry) = (self.hub.clone(), self.outbox.clone(), self.leads.clone(), entry.clone());
        tokio::spawn(async move {
            let precondition = Value::map(version.map(|it| ("resourceVersion", it)));
            let status = entry.get("status").cloned().unwrap_or_default();
            let writing = hub.put_status(&target, &status, &precondition);
            let Some(done) = while_leading(leads, writing).await else { return };
            if let Ok(object) = &done {
                for event in list(&entry, "events") {
                    tell_event(&hub, object, event).await;
                }
            }
            outbox.send(Message::Stated { target, done });
        });
    }

    /// Takes in that a write ended.
    pub fn written(&mut self, target: &Target) {
        self.flights.remove(target);
    }

    /// Lets go of what was under way: it ends by itself.
    pub fn abort(&mut self) {
        self.flights.clear();
    }

    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }
}

/// Tells of a transition. An event that is lost is no reason to stop: the status says the same.
pub async fn tell_event(hub: &Cluster, object: &Value, event: &Value) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let target = Target::of(object);
    let moment = now();
    // Two events of one second must not have one name.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name: String = format!("{}.{:x}-{count:x}", target.name, fingerprint(&moment));
    let namespace = if target.namespace.is_empty() { "default" } else { &target.namespace };
    let mut regarding = target.to_value();
    if let Some(fields) = regarding.as_map_mut() {
        fields.insert("uid", object.text_at(&["metadata", "uid"]));
    }
    let note: String = text(event, "note").chars().take(1000).collect();
    let body = Value::map([
        ("apiVersion", Value::text("events.k8s.io/v1")),
        ("kind", "Event".into()),
        ("metadata", Value::map([("name", name.as_str()), ("namespace", namespace)])),
        ("eventTime", moment.replace('Z', ".000000Z").into()),
        ("reportingController", "fleetfold.dev/runner".into()),
        ("reportingInstance", "fleetfold".into()),
        ("action", "Reconcile".into()),
        ("type", text(event, "type").into()),
        ("reason", text(event, "reason").into()),
        ("note", note.into()),
        ("regarding", regarding),
    ]);
    match hub.create(&body, Effect::Real).await {
        Ok(_) | Err(Fault::Conflict { .. }) => {}
        Err(fault) => {
            tracing::warn!(target = %target, code = fault.code(), hint = fault.hint(), "an event cannot be told: {fault}")
        }
    }
}

fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
