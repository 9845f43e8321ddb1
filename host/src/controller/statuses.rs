//! Writes the statuses of documents, and publishes an event for each transition.
//!
//! A status that is planned again right after it was written did not stick: the server dropped a field that the
//! definition does not have, or another controller wrote over it. After a few times, writing it backs off.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use fleetfold_core::Value;
use fleetfold_core::api::plan::{EventAnswer, Precondition, StatusAnswer};
use tokio::sync::watch;

use super::events::EventSender;
use super::executor::while_leader;
use crate::clock::{micro_time, now};
use crate::cluster::{ApiError, Cluster, Effect, UnknownFields};
use crate::meta::Meta;
use crate::target::Target;

/// How often the same status may be written before it counts as one that does not stick.
const MAX_REPEATS: usize = 3;

/// A status write ended.
#[derive(Debug)]
pub struct StatusWritten {
    pub target: Target,
    /// Identifies what was written, regardless of times in it.
    pub fingerprint: u64,
    pub result: Result<Value, ApiError>,
}

#[derive(Debug)]
pub struct Statuses {
    hub: Cluster,
    events: EventSender<StatusWritten>,
    is_leader: watch::Receiver<bool>,
    /// The statuses that are being written.
    in_flight: BTreeSet<Target>,
    /// The last status that was written, and how often in a row; of those that are still planned.
    written: BTreeMap<Target, (u64, usize)>,
}

impl Statuses {
    pub fn new(hub: &Cluster, events: EventSender<StatusWritten>, is_leader: &watch::Receiver<bool>) -> Statuses {
        let (hub, is_leader) = (hub.clone(), is_leader.clone());
        Statuses { hub, events, is_leader, in_flight: BTreeSet::new(), written: BTreeMap::new() }
    }

    /// Writes a status, on condition that the document still has the version that was planned for.
    pub fn write(&mut self, target: Target, planned: &StatusAnswer, version: Option<&str>) {
        if !self.in_flight.insert(target.clone()) {
            return;
        }
        let (hub, events, is_leader) = (self.hub.clone(), self.events.clone(), self.is_leader.clone());
        let precondition = version.map(|it| Precondition { resource_version: Some(it.into()), uid: None });
        let (status, turns) = (planned.status.clone(), planned.events.clone().unwrap_or_default());
        let fingerprint = status_fingerprint(&status);
        tokio::spawn(async move {
            let writing = hub.put_status(&target, &status, UnknownFields::Refused, precondition.as_ref());
            let Some(result) = while_leader(is_leader, writing).await else { return };
            if let Ok(object) = &result {
                for event in &turns {
                    publish_event(&hub, object, event).await;
                }
            }
            events.send(StatusWritten { target, fingerprint, result });
        });
    }

    pub fn done(&mut self, target: &Target) {
        self.in_flight.remove(target);
    }

    /// Records a successful write; returns whether the same one was repeated too often.
    pub fn is_repeated(&mut self, target: &Target, fingerprint: u64) -> bool {
        repeat(&mut self.written, target, fingerprint) >= MAX_REPEATS
    }

    /// Forgets the statuses that are no longer planned: they are as they should be.
    pub fn retain_planned(&mut self, planned: &[Target]) {
        self.written.retain(|target, _| planned.contains(target));
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
    let regarding = target.to_value_with_uid(Meta::of(object).uid());
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
            let (code, hint) = (error.code(), error.hint());
            tracing::warn!(target = %target, code, hint, "cannot publish an event: {error}")
        }
    }
}

/// Counts a write; returns how often in a row the same was written.
fn repeat(written: &mut BTreeMap<Target, (u64, usize)>, target: &Target, fingerprint: u64) -> usize {
    let (last, count) = written.entry(target.clone()).or_insert((fingerprint, 0));
    *count = if *last == fingerprint { *count + 1 } else { 1 };
    *last = fingerprint;
    *count
}

/// Identifies a status. Times do not count: a condition that the server drops has another one each time.
fn status_fingerprint(status: &Value) -> u64 {
    fingerprint(&without_times(status).to_canonical())
}

fn without_times(value: &Value) -> Value {
    match value {
        Value::Map(fields) => Value::map(fields.iter().map(|(key, it)| (key.as_str(), without_times(it)))),
        Value::List(items) => Value::list(items.iter().map(without_times)),
        Value::Text(text) if text.parse::<jiff::Timestamp>().is_ok() => Value::Null,
        other => other.clone(),
    }
}

fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use fleetfold_core::value::json;

    use super::*;

    fn print_of(status: &str) -> u64 {
        status_fingerprint(&json::parse(status).unwrap())
    }

    #[test]
    fn a_status_differs_by_what_it_says_and_not_by_when() {
        let ready =
            |time: &str| print_of(&format!(r#"{{"conditions":[{{"type":"Ready","lastTransitionTime":"{time}"}}]}}"#));
        assert_eq!(ready("2026-01-01T00:00:00Z"), ready("2026-01-01T00:00:01Z"));
        assert_ne!(print_of(r#"{"ready":1}"#), print_of(r#"{"ready":2}"#));
        assert_ne!(print_of(r#"{"ready":"a"}"#), print_of(r#"{"ready":"b"}"#));
    }

    #[test]
    fn only_the_same_status_in_a_row_is_a_repetition() {
        let (mut written, target) = (BTreeMap::new(), Target::default());
        let counts: Vec<usize> = [1, 1, 2, 1, 1, 1].map(|it| repeat(&mut written, &target, it)).to_vec();
        assert_eq!(counts, [1, 2, 1, 1, 2, 3]);
    }
}
