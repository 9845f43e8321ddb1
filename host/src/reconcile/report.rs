//! The runner's own object: how everything stands, as conditions that `kubectl wait` reads, and what is approved.
//!
//! It is a `FleetPlan` with the runner's name. Where the hub does not know the kind, the log alone says it.

use std::collections::BTreeMap;
use std::time::Instant;

use fleetfold_core::Value;
use fleetfold_core::value::Map;
use tokio::task::AbortHandle;

use super::backoff::Backoff;
use super::conditions::{self, Condition, Facts};
use super::inbox::{Message, Outbox};
use super::statuses::tell_event;
use crate::answer::{list, text};
use crate::cluster::{Cluster, Effect, Fault, Sighting, Target};
use crate::quantity::now;

pub const OWN_API_VERSION: &str = "fleetfold.dev/v1";
pub const OWN_KIND: &str = "FleetPlan";

/// The annotation that approves a plan by its digest.
pub const APPROVED: &str = "fleetfold.dev/approved";

/// How many held actions are listed.
const LISTED: usize = 50;

#[derive(Debug)]
pub struct Report {
    hub: Cluster,
    outbox: Outbox,
    name: String,
    watch: Option<AbortHandle>,
    /// The object as it is; nothing while it was not looked for or is not there.
    own: Option<Value>,
    is_looked_for: bool,
    is_writing: bool,
    backoff: Option<Backoff>,
    /// What is wrong with documents that were loaded, by document.
    findings: BTreeMap<String, Vec<Value>>,
    conditions: Vec<Condition>,
}

impl Drop for Report {
    fn drop(&mut self) {
        self.watch.iter().for_each(AbortHandle::abort);
    }
}

impl Report {
    pub fn new(hub: &Cluster, outbox: &Outbox, name: &str) -> Report {
        Report {
            hub: hub.clone(),
            outbox: outbox.clone(),
            name: name.to_owned(),
            watch: None,
            own: None,
            is_looked_for: false,
            is_writing: false,
            backoff: None,
            findings: BTreeMap::new(),
            conditions: Vec::new(),
        }
    }

    /// Watches the runner's own object, from when the hub knows its kind.
    pub fn watch(&mut self) {
        let (hub, outbox) = (self.hub.clone(), self.outbox.clone());
        let task = tokio::spawn(async move {
            const AGAIN: std::time::Duration = std::time::Duration::from_secs(5);
            loop {
                match hub.served(OWN_API_VERSION, OWN_KIND).await {
                    Ok(served) => {
                        let tell = outbox.clone();
                        let watch = hub.watch(&served, "", move |sighting| tell.send(Message::Own(sighting)));
                        std::future::pending::<()>().await;
                        drop(watch);
                    }
                    Err(fault) => outbox.send(Message::Own(Sighting::Failed(fault))),
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
        self.watch = Some(task.abort_handle());
    }

    /// Takes in what the watch of the own object tells.
    pub fn own(&mut self, sighting: Sighting) {
        let is_own = |it: &Value| it.text_at(&["metadata", "name"]) == self.name;
        match sighting {
            Sighting::All(objects) => {
                self.own = objects.into_iter().find(is_own);
                self.is_looked_for = true;
            }
            Sighting::Changed(object) if is_own(&object) => self.own = Some(object),
            Sighting::Gone(object) if is_own(&object) => self.own = None,
            Sighting::Failed(fault) if !self.is_looked_for && self.backoff.is_none() => {
                tracing::warn!(
                    code = fault.code(),
                    hint = fault.hint(),
                    "the state of the runner is told in the log alone: {fault}"
                );
                self.backoff = Some(Backoff::first());
            }
            _ => {}
        }
    }

    /// Whether this digest is approved.
    pub fn is_approved(&self, digest: &str) -> bool {
        let approved = self.own.as_ref().map_or("", |it| it.text_at(&["metadata", "annotations", APPROVED]));
        !digest.is_empty() && approved == digest
    }

    /// Takes the approval off: it was for one plan, and that is done.
    pub fn take_approval(&mut self) {
        let Some(own) = &mut self.own else { return };
        let annotations = own.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
        if annotations.and_then(|it| it.remove(APPROVED)).is_none() {
            return;
        }
        let path = format!("/metadata/annotations/{}", APPROVED.replace('/', "~1"));
        let operation = Value::map([("op", "remove"), ("path", path.as_str())]);
        let (hub, target, outbox) = (self.hub.clone(), self.target(), self.outbox.clone());
        tokio::spawn(async move {
            match hub.patch(&target, &[operation], &Value::Null, Effect::Real).await {
                Ok(object) => outbox.send(Message::Own(Sighting::Changed(object))),
                // Whoever took it off before had the same wish.
                Err(Fault::Invalid { .. } | Fault::NotFound { .. }) => {}
                Err(fault) => tracing::warn!(
                    code = fault.code(),
                    hint = fault.hint(),
                    "the approval cannot be taken off: {fault}"
                ),
            }
        });
    }

    /// Takes in what loading documents said of them.
    pub fn loaded(&mut self, documents: &[Value], found: Vec<Value>) {
        for document in documents {
            self.findings.remove(&Target::of(document).to_string());
        }
        for finding in found.into_iter().filter(|it| text(it, "severity") == "error") {
            let document = finding.text_at(&["at", "document"]).to_owned();
            tracing::warn!(
                document,
                code = text(&finding, "code"),
                hint = text(&finding, "hint"),
                "{}",
                text(&finding, "message")
            );
            self.findings.entry(document).or_default().push(finding);
        }
    }

    /// Takes in that a document is gone, and what was wrong with it.
    pub fn unloaded(&mut self, target: &str) {
        self.findings.remove(target);
    }

    /// Says how everything stands: in the log what changed, and where it may, in the own object.
    pub fn write(&mut self, facts: &Facts, may_write: bool) {
        let findings: Vec<Value> = self.findings.values().flatten().cloned().collect();
        let conditions = conditions::of(facts, &findings);
        for condition in &conditions {
            let before = self.conditions.iter().find(|it| it.kind == condition.kind);
            if before.is_none_or(|it| (it.holds, &it.message) != (condition.holds, &condition.message)) {
                condition.log();
            }
        }
        self.conditions = conditions;
        if !may_write || !self.is_looked_for || self.is_writing || self.backoff.is_some_and(|it| !it.is_over()) {
            return;
        }
        let (hub, outbox, target) = (self.hub.clone(), self.outbox.clone(), self.target());
        let Some(own) = &self.own else {
            self.is_writing = true;
            let body = Value::map([
                ("apiVersion", Value::text(OWN_API_VERSION)),
                ("kind", OWN_KIND.into()),
                ("metadata", Value::map([("name", self.name.as_str())])),
            ]);
            tokio::spawn(async move { outbox.send(Message::Reported(hub.create(&body, Effect::Real).await)) });
            return;
        };
        let before = own.get("status").cloned().unwrap_or_default();
        let status = self.status(facts, own);
        if status == before {
            return;
        }
        self.is_writing = true;
        let events = conditions::transitions(&before, &status);
        tokio::spawn(async move {
            let done = hub.put_status(&target, &status, &Value::Null).await;
            if let Ok(object) = &done {
                for event in &events {
                    tell_event(&hub, object, event).await;
                }
            }
            outbox.send(Message::Reported(done));
        });
    }

    /// Takes in that the own object was written, or not.
    pub fn reported(&mut self, done: Result<Value, Fault>) {
        self.is_writing = false;
        match done {
            Ok(object) => (self.own, self.backoff) = (Some(object), None),
            Err(Fault::Conflict { .. }) => {}
            Err(fault) => {
                tracing::warn!(
                    code = fault.code(),
                    hint = fault.hint(),
                    "the state of the runner cannot be written: {fault}"
                );
                self.backoff = Some(self.backoff.map_or_else(Backoff::first, Backoff::further));
            }
        }
    }

    /// What is wrong, in a line each.
    pub fn problems(&self) -> Vec<String> {
        self.conditions.iter().filter(|it| !it.holds && it.kind != "Ready").map(|it| it.message.clone()).collect()
    }

    pub fn is_busy(&self) -> bool {
        self.is_writing
    }

    pub fn next_try(&self) -> Option<Instant> {
        self.backoff.map(Backoff::until).filter(|it| *it > Instant::now())
    }

    fn target(&self) -> Target {
        Target {
            api_version: OWN_API_VERSION.into(),
            kind: OWN_KIND.into(),
            namespace: String::new(),
            name: self.name.clone(),
        }
    }

    fn status(&self, facts: &Facts, own: &Value) -> Value {
        let before = own.get("status").cloned().unwrap_or_default();
        let plan = &facts.plan.ok;
        let verbs = |verb: &str| facts.actions.iter().filter(|it| it.verb == verb).count();
        let number = |count: usize| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        let counts = [
            ("actions", facts.actions.len()),
            ("create", verbs("create")),
            ("patch", verbs("patch")),
            ("delete", verbs("delete")),
            ("held", list(plan, "held").len()),
            ("needs", list(plan, "needs").len()),
        ];
        let mut status = Map::new();
        status.insert("observedGeneration", own.at(&["metadata", "generation"]).cloned().unwrap_or_default());
        status.insert("digest", text(plan, "digest"));
        status.insert("plan", Value::map(counts.map(|(key, count)| (key, number(count)))));
        let held: Vec<Value> = list(plan, "held").iter().take(LISTED).map(held).collect();
        status.insert("held", held);
        status.insert("clusters", facts.clusters());
        let conditions: Vec<Value> = self.conditions.iter().map(|it| it.to_value(&before, &now())).collect();
        status.insert("conditions", conditions);
        status.into()
    }
}

/// What a held action is, in short.
fn held(action: &Value) -> Value {
    let part = |key| (key, Value::text(text(action, key)));
    let why = |key| (key, Value::text(action.text_at(&["held", key])));
    let target = action.get("target").map(Target::read).unwrap_or_default().to_string();
    let target = ("target", Value::text(target));
    Value::map([
        part("id"),
        part("subject"),
        part("cluster"),
        part("verb"),
        target,
        why("code"),
        why("text"),
        why("hint"),
    ])
}
