//! The runner's `FleetPlan`: conditions for `kubectl wait`, the digest of the plan, and its approval.
//!
//! Where the hub does not serve the kind, the conditions are only logged.

use std::collections::BTreeMap;
use std::time::Instant;

use fleetfold_core::Value;
use fleetfold_crds::{FleetPlanStatus, HeldAction, PlanCounts, Verb};
use tokio::task::AbortHandle;

use super::backoff::Backoff;
use super::conditions::{self, Condition, Facts};
use super::events::EventSender;
use super::statuses::publish_event;
use crate::answer::{list, text};
use crate::clock::now;
use crate::cluster::{ApiError, Cluster, Effect, WatchEvent};
use crate::target::Target;

/// What the tasks around the FleetPlan report.
#[derive(Debug)]
pub enum FleetPlanEvent {
    Watch(WatchEvent),
    /// A write ended.
    Written(Result<Value, ApiError>),
}

pub const FLEET_PLAN_API_VERSION: &str = fleetfold_crds::FleetPlan::API_VERSION;
pub const FLEET_PLAN_KIND: &str = fleetfold_crds::FleetPlan::KIND;

/// The annotation that approves a plan by its digest.
pub const APPROVED_ANNOTATION: &str = "fleetfold.dev/approved";

/// How many held actions the status lists.
const MAX_HELD: usize = 50;

#[derive(Debug)]
pub struct FleetPlan {
    hub: Cluster,
    events: EventSender<FleetPlanEvent>,
    name: String,
    watch: Option<AbortHandle>,
    /// The FleetPlan on the hub, if there is one.
    live: Option<Value>,
    is_synced: bool,
    is_writing: bool,
    backoff: Option<Backoff>,
    /// The errors in loaded documents, by document.
    findings: BTreeMap<String, Vec<Value>>,
    conditions: Vec<Condition>,
}

impl Drop for FleetPlan {
    fn drop(&mut self) {
        self.watch.iter().for_each(AbortHandle::abort);
    }
}

impl FleetPlan {
    pub fn new(hub: &Cluster, events: EventSender<FleetPlanEvent>, name: &str) -> FleetPlan {
        FleetPlan {
            hub: hub.clone(),
            events,
            name: name.to_owned(),
            watch: None,
            live: None,
            is_synced: false,
            is_writing: false,
            backoff: None,
            findings: BTreeMap::new(),
            conditions: Vec::new(),
        }
    }

    /// Watches the FleetPlan as soon as the hub serves the kind.
    pub fn watch(&mut self) {
        let (hub, events) = (self.hub.clone(), self.events.clone());
        let task = tokio::spawn(async move {
            const RETRY: std::time::Duration = std::time::Duration::from_secs(5);
            loop {
                match hub.api_kind(FLEET_PLAN_API_VERSION, FLEET_PLAN_KIND).await {
                    Ok(api_kind) => {
                        let sender = events.clone();
                        let watch = hub.watch(&api_kind, "", move |event| sender.send(FleetPlanEvent::Watch(event)));
                        std::future::pending::<()>().await;
                        drop(watch);
                    }
                    Err(error) => events.send(FleetPlanEvent::Watch(WatchEvent::Failed(error))),
                }
                tokio::time::sleep(RETRY).await;
            }
        });
        self.watch = Some(task.abort_handle());
    }

    pub fn handle(&mut self, event: FleetPlanEvent) {
        match event {
            FleetPlanEvent::Watch(event) => self.handle_watch(event),
            FleetPlanEvent::Written(result) => self.written(result),
        }
    }

    fn handle_watch(&mut self, event: WatchEvent) {
        let is_this = |it: &Value| it.text_at(&["metadata", "name"]) == self.name;
        match event {
            WatchEvent::Replaced(objects) => {
                self.live = objects.into_iter().find(is_this);
                self.is_synced = true;
            }
            WatchEvent::Changed(object) if is_this(&object) => self.live = Some(object),
            WatchEvent::Deleted(object) if is_this(&object) => self.live = None,
            WatchEvent::Failed(error) if !self.is_synced && self.backoff.is_none() => {
                tracing::warn!(
                    code = error.code(),
                    hint = error.hint(),
                    "cannot watch the FleetPlan; logging conditions instead: {error}"
                );
                self.backoff = Some(Backoff::first());
            }
            _ => {}
        }
    }

    /// Whether the FleetPlan approves this digest.
    pub fn is_approved(&self, digest: &str) -> bool {
        let approved =
            self.live.as_ref().map_or("", |it| it.text_at(&["metadata", "annotations", APPROVED_ANNOTATION]));
        !digest.is_empty() && approved == digest
    }

    /// Removes the approval: it was for one plan, which is complete.
    pub fn remove_approval(&mut self) {
        let Some(live) = &mut self.live else { return };
        let annotations = live.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
        if annotations.and_then(|it| it.remove(APPROVED_ANNOTATION)).is_none() {
            return;
        }
        let path = format!("/metadata/annotations/{}", APPROVED_ANNOTATION.replace('/', "~1"));
        let operation = Value::map([("op", "remove"), ("path", path.as_str())]);
        let (hub, target, events) = (self.hub.clone(), self.target(), self.events.clone());
        tokio::spawn(async move {
            match hub.patch(&target, &[operation], &Value::Null, Effect::Real).await {
                Ok(object) => events.send(FleetPlanEvent::Watch(WatchEvent::Changed(object))),
                // It was removed already.
                Err(ApiError::Invalid { .. } | ApiError::NotFound { .. }) => {}
                Err(error) => {
                    tracing::warn!(code = error.code(), hint = error.hint(), "cannot remove the approval: {error}")
                }
            }
        });
    }

    /// Replaces the errors of these documents by those that loading found.
    pub fn documents_loaded(&mut self, documents: &[Value], found: Vec<Value>) {
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

    pub fn document_unloaded(&mut self, target: &str) {
        self.findings.remove(target);
    }

    /// Logs the conditions that changed and, if it may, writes the status.
    pub fn write(&mut self, facts: &Facts, may_write: bool) {
        let findings: Vec<Value> = self.findings.values().flatten().cloned().collect();
        let conditions = conditions::conditions(facts, &findings);
        for condition in &conditions {
            let before = self.conditions.iter().find(|it| it.kind == condition.kind);
            if before.is_none_or(|it| (it.holds, &it.message) != (condition.holds, &condition.message)) {
                condition.log();
            }
        }
        self.conditions = conditions;
        if !may_write || !self.is_synced || self.is_writing || self.backoff.is_some_and(|it| !it.is_over()) {
            return;
        }
        let (hub, events, target) = (self.hub.clone(), self.events.clone(), self.target());
        let Some(live) = &self.live else {
            self.is_writing = true;
            let body = Value::map([
                ("apiVersion", Value::text(FLEET_PLAN_API_VERSION)),
                ("kind", FLEET_PLAN_KIND.into()),
                ("metadata", Value::map([("name", self.name.as_str())])),
            ]);
            tokio::spawn(async move { events.send(FleetPlanEvent::Written(hub.create(&body, Effect::Real).await)) });
            return;
        };
        let before = read_status(live);
        let status = self.status(facts, live, &before);
        let body = status_value(&status);
        if live.get("status") == Some(&body) {
            return;
        }
        self.is_writing = true;
        let [earlier, later] = [&before, &status].map(|it| it.conditions.as_deref().unwrap_or_default());
        let transitions = conditions::transitions(earlier, later);
        tokio::spawn(async move {
            let result = hub.put_status(&target, &body, &Value::Null).await;
            if let Ok(object) = &result {
                for transition in &transitions {
                    publish_event(&hub, object, transition).await;
                }
            }
            events.send(FleetPlanEvent::Written(result));
        });
    }

    fn written(&mut self, result: Result<Value, ApiError>) {
        self.is_writing = false;
        match result {
            Ok(object) => (self.live, self.backoff) = (Some(object), None),
            Err(ApiError::Conflict { .. }) => {}
            Err(error) => {
                tracing::warn!(code = error.code(), hint = error.hint(), "cannot write the FleetPlan: {error}");
                self.backoff = Some(self.backoff.map_or_else(Backoff::first, Backoff::further));
            }
        }
    }

    /// The messages of the conditions that do not hold.
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
            api_version: FLEET_PLAN_API_VERSION.into(),
            kind: FLEET_PLAN_KIND.into(),
            namespace: String::new(),
            name: self.name.clone(),
        }
    }

    fn status(&self, facts: &Facts, live: &Value, before: &FleetPlanStatus) -> FleetPlanStatus {
        let plan = &facts.plan.ok;
        let number = |count: usize| Some(i64::try_from(count).unwrap_or(i64::MAX));
        let verbs = |verb: &str| number(facts.actions.iter().filter(|it| it.verb == verb).count());
        let earlier = before.conditions.as_deref().unwrap_or_default();
        FleetPlanStatus {
            observed_generation: live.at(&["metadata", "generation"]).and_then(Value::as_int),
            digest: Some(text(plan, "digest").to_owned()),
            approved_digest: None,
            plan: Some(PlanCounts {
                actions: number(facts.actions.len()),
                held: number(list(plan, "held").len()),
                needs: number(list(plan, "needs").len()),
                create: verbs("create"),
                patch: verbs("patch"),
                delete: verbs("delete"),
            }),
            held: Some(list(plan, "held").iter().take(MAX_HELD).map(held).collect()),
            clusters: Some(facts.clusters()),
            conditions: Some(self.conditions.iter().map(|it| it.to_status(earlier, &now())).collect()),
        }
    }
}

/// The status on the hub. An absent or unreadable status is empty.
fn read_status(live: &Value) -> FleetPlanStatus {
    let status = live.get("status").and_then(|it| serde_json::to_value(it).ok());
    status.and_then(|it| serde_json::from_value(it).ok()).unwrap_or_default()
}

fn status_value(status: &FleetPlanStatus) -> Value {
    serde_json::to_value(status).and_then(serde_json::from_value).expect("a status is JSON")
}

/// The summary of a held action.
fn held(action: &Value) -> HeldAction {
    let part = |key| Some(text(action, key).to_owned());
    let why = |key| Some(action.text_at(&["held", key]).to_owned());
    let verb = match text(action, "verb") {
        "create" => Some(Verb::Create),
        "patch" => Some(Verb::Patch),
        "delete" => Some(Verb::Delete),
        _ => None,
    };
    HeldAction {
        id: text(action, "id").to_owned(),
        subject: part("subject"),
        cluster: part("cluster"),
        verb,
        target: Some(action.get("target").map(Target::read).unwrap_or_default().to_string()),
        code: why("code"),
        text: why("text"),
        hint: why("hint"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Value {
        fleetfold_core::value::json::parse(text).expect("a test writes JSON")
    }

    #[test]
    fn a_status_is_read_as_it_was_written() {
        let live = parse(
            r#"{"status":{"observedGeneration":2,"digest":"d","plan":{"actions":1,"held":0},
                "held":[{"id":"a","verb":"delete"}],"clusters":[{"name":"eu-1","reachable":false,"message":"refused"}],
                "conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#,
        );
        assert_eq!(Some(&status_value(&read_status(&live))), live.get("status"));
    }

    #[test]
    fn an_absent_or_unreadable_status_is_empty() {
        for live in ["{}", r#"{"status":null}"#, r#"{"status":{"digest":1}}"#] {
            assert_eq!(read_status(&parse(live)), FleetPlanStatus::default(), "{live}");
        }
    }

    #[test]
    fn a_held_action_names_its_object_and_the_reason() {
        let action = parse(
            r#"{"id":"a","subject":"s","cluster":"eu-1","verb":"delete","held":{"code":"c","text":"t","hint":"h"},
                "target":{"apiVersion":"v1","kind":"ConfigMap","namespace":"n","name":"x"}}"#,
        );
        let text = |it: &str| Some(it.to_owned());
        let want = HeldAction {
            id: "a".to_owned(),
            subject: text("s"),
            cluster: text("eu-1"),
            verb: Some(Verb::Delete),
            target: text("ConfigMap/n/x"),
            code: text("c"),
            text: text("t"),
            hint: text("h"),
        };
        assert_eq!(held(&action), want);
    }
}
