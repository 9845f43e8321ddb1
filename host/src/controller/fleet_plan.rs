//! The runner's `FleetPlan`: conditions for `kubectl wait`, the digests of the plan and of the engine, and the
//! approval.
//!
//! Where the hub does not serve the kind, the conditions are only logged.

pub mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use fleetfold_core::Value;
use fleetfold_core::api::Finding;
use fleetfold_core::api::plan::{ActionAnswer, EventAnswer, HeldReason, Precondition, RecentDeleteInput, TakesAnswer};
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::engine::patch::Verb as PatchVerb;
use fleetfold_core::value::Text;
use fleetfold_crds::{FleetPlanStatus, HeldAction, PlanCounts, Verb};
use tokio::task::AbortHandle;

use super::backoff::Backoff;
use super::conditions::{self, Condition, Facts};
use super::events::EventSender;
use super::recent_deletes::{of_status, to_input, with_recent_deletes};
use super::statuses::publish_event;
use super::{action::Action, delete_log::DeleteLog, is_newer};
use crate::clock::now;
use crate::cluster::contacts::approved_endpoints;
use crate::cluster::{ApiError, Cluster, Effect, UnknownFields, WatchEvent, operation};
use crate::meta::{self, Meta};
use crate::target::Target;
use status::{FLEET_PLAN_API_VERSION, FLEET_PLAN_KIND, fleet_plan_target, new_fleet_plan, read_status};

/// What the tasks around the FleetPlan report.
#[derive(Debug)]
pub enum FleetPlanEvent {
    Watch(WatchEvent),
    /// A write ended.
    Written(Result<Value, ApiError>),
}

/// The annotation that approves a plan by its digest.
pub const APPROVED_ANNOTATION: &str = "fleetfold.dev/approved";

/// The field of the status with the recent deletes.
const LIST: &str = "recentDeletes";

/// How many held actions the status lists.
const MAX_HELD: usize = 50;

#[derive(Debug)]
pub struct FleetPlan {
    hub: Cluster,
    events: EventSender<FleetPlanEvent>,
    name: String,
    /// The digest of the engine's module; empty if it is not known.
    engine_digest: String,
    watch: Option<AbortHandle>,
    /// The FleetPlan on the hub, if there is one.
    live: Option<Value>,
    is_synced: bool,
    /// The hub does not serve the kind, or does not let the runner read it.
    is_unreadable: bool,
    is_writing: bool,
    backoff: Option<Backoff>,
    /// The status that is being written.
    sent: Option<Value>,
    /// The errors in loaded documents, by document.
    findings: BTreeMap<String, Vec<Finding>>,
    conditions: Vec<Condition>,
    deletes: DeleteLog,
    /// The status on the hub cannot be written: there is no such kind, or no permission.
    is_unwritable: bool,
}

impl Drop for FleetPlan {
    fn drop(&mut self) {
        self.watch.iter().for_each(AbortHandle::abort);
    }
}

impl FleetPlan {
    pub fn new(hub: &Cluster, events: EventSender<FleetPlanEvent>, name: &str, engine_digest: &str) -> FleetPlan {
        FleetPlan {
            hub: hub.clone(),
            events,
            name: name.to_owned(),
            engine_digest: engine_digest.to_owned(),
            watch: None,
            live: None,
            is_synced: false,
            is_unreadable: false,
            is_writing: false,
            backoff: None,
            sent: None,
            findings: BTreeMap::new(),
            conditions: Vec::new(),
            deletes: DeleteLog::default(),
            is_unwritable: false,
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
        let is_this = |it: &Value| Meta::of(it).name() == self.name;
        if let WatchEvent::Failed(error) = &event {
            self.is_unreadable = matches!(error, ApiError::NotServed { .. } | ApiError::Forbidden { .. });
        }
        match event {
            WatchEvent::Replaced(objects) => {
                self.live = objects.into_iter().find(is_this);
                self.is_synced = true;
            }
            // Events may arrive after the response to a later write.
            WatchEvent::Changed(object) if is_this(&object) => {
                let known = self.live.as_ref().map(|it| Meta::of(it).resource_version());
                if is_newer(Meta::of(&object).resource_version(), known) {
                    self.live = Some(object);
                }
            }
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

    pub fn set_delete_window(&mut self, seconds: i64) {
        self.deletes.set_window(seconds);
    }

    /// Records what an action took.
    pub fn deleted(&mut self, id: &str, took: &TakesAnswer) {
        self.deletes.done(id, took, &now());
    }

    /// An action starts.
    pub fn started(&mut self, id: &str) {
        self.deletes.started(id);
    }

    /// The server refused an action, so it took nothing.
    pub fn refused(&mut self, id: &str) {
        self.deletes.refused(id);
    }

    /// Writes what these actions are about to take, unless the status on the hub has it.
    pub fn intend(&mut self, actions: &[&Action]) {
        let taking = actions.iter().filter_map(|it| Some((it.id.as_str(), it.takes.as_ref()?)));
        self.deletes.intend(taking, &now());
        if !self.is_saving_intents() || !self.may_write() {
            return;
        }
        let Some(live) = &self.live else { return self.create() };
        let list = self.deletes.list(of_status(&read_status(live)), &now());
        let body = with_recent_deletes(live, &list);
        self.put(body, Vec::new());
    }

    /// Whether an action may start: it takes nothing, or the status on the hub counts what it takes.
    pub fn may_start(&self, action: &Action) -> bool {
        action.takes.is_none() || self.is_unreadable || self.is_unwritable || self.deletes.is_saved(&action.id)
    }

    /// Whether actions are about to start, once the status on the hub counts what they take.
    pub fn delays_actions(&self) -> bool {
        self.is_saving_intents() && self.backoff.is_none()
    }

    fn is_saving_intents(&self) -> bool {
        self.deletes.has_unsaved_intents() && !self.is_unreadable && !self.is_unwritable
    }

    /// Drops what was intended and is no longer planned. No action may be in flight.
    pub fn retain_intents(&mut self, actions: &[Action]) {
        let ids: BTreeSet<&str> = actions.iter().map(|it| it.id.as_str()).collect();
        self.deletes.retain_intents(|id| ids.contains(id));
    }

    /// Whether it is known what was deleted before this runner started: its FleetPlan was read, or cannot be.
    pub fn knows_recent_deletes(&self) -> bool {
        self.is_synced || self.is_unreadable
    }

    /// What was deleted recently, as `plan` takes it.
    pub fn recent_deletes(&self) -> Vec<RecentDeleteInput> {
        let saved = self.live.as_ref().map(read_status).unwrap_or_default();
        to_input(&self.deletes.done_list(of_status(&saved), &now()))
    }

    /// Whether the FleetPlan approves this digest.
    pub fn is_approved(&self, digest: &str) -> bool {
        let approved = self.live.as_ref().and_then(|it| Meta::of(it).annotation(APPROVED_ANNOTATION));
        !digest.is_empty() && approved == Some(digest)
    }

    /// The endpoints that the FleetPlan approves.
    pub fn approved_endpoints(&self) -> BTreeSet<String> {
        self.live.as_ref().map(approved_endpoints).unwrap_or_default()
    }

    /// Removes the approval: it was for one plan, which is complete.
    pub fn remove_approval(&mut self) {
        let Some(live) = &mut self.live else { return };
        if !meta::remove_annotation(live, APPROVED_ANNOTATION) {
            return;
        }
        let path = format!("/metadata/annotations/{}", APPROVED_ANNOTATION.replace('/', "~1"));
        let removal = operation(PatchVerb::Remove, &path, None);
        let (hub, target, events) = (self.hub.clone(), fleet_plan_target(&self.name), self.events.clone());
        tokio::spawn(async move {
            match hub.patch(&target, &[removal], None, Effect::Real).await {
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
    pub fn documents_loaded(&mut self, documents: &[Target], found: Vec<Finding>) {
        for document in documents {
            self.findings.remove(&document.to_string());
        }
        for finding in found.into_iter().filter(|it| it.severity == Severity::Error) {
            let document = finding.at.as_ref().and_then(|it| it.document.clone()).unwrap_or_default();
            let (code, hint) = (finding.code.as_str(), finding.hint.as_deref().unwrap_or_default());
            tracing::warn!(document, code, hint, "{}", finding.message);
            self.findings.entry(document).or_default().push(finding);
        }
    }

    pub fn document_unloaded(&mut self, target: &str) {
        self.findings.remove(target);
    }

    /// Logs the conditions that changed and, if it may, writes the status.
    pub fn write(&mut self, facts: &Facts, may_write: bool) {
        let conditions = conditions::conditions(facts, self.findings.values().flatten());
        for condition in &conditions {
            let before = self.conditions.iter().find(|it| it.kind == condition.kind);
            if before.is_none_or(|it| (it.holds, &it.message) != (condition.holds, &condition.message)) {
                condition.log();
            }
        }
        self.conditions = conditions;
        if !may_write || !self.may_write() {
            return;
        }
        let Some(live) = &self.live else { return self.create() };
        let before = read_status(live);
        let status = self.status(facts, live, &before);
        let body = status_value(&status);
        if Meta::of(live).status() == Some(&body) {
            return;
        }
        let [earlier, later] = [&before, &status].map(|it| it.conditions.as_deref().unwrap_or_default());
        let mut transitions = conditions::transitions(earlier, later);
        if let Some(change) = engine_change(before.engine_digest.as_deref(), status.engine_digest.as_deref()) {
            tracing::warn!(reason = change.reason, "{}", change.note);
            transitions.push(change);
        }
        self.put(body, transitions);
    }

    fn may_write(&self) -> bool {
        self.is_synced && !self.is_writing && self.backoff.is_none_or(Backoff::is_over)
    }

    fn create(&mut self) {
        self.is_writing = true;
        let (hub, events, body) = (self.hub.clone(), self.events.clone(), new_fleet_plan(&self.name));
        tokio::spawn(async move { events.send(FleetPlanEvent::Written(hub.create(&body, Effect::Real).await)) });
    }

    /// Writes a status with the list of deletes, on condition that nobody else wrote it.
    fn put(&mut self, body: Value, transitions: Vec<EventAnswer>) {
        (self.is_writing, self.sent) = (true, Some(body.clone()));
        self.deletes.write_started();
        let (hub, events, target) = (self.hub.clone(), self.events.clone(), fleet_plan_target(&self.name));
        let precondition = self
            .live
            .as_ref()
            .map(|it| Precondition { uid: None, resource_version: Some(Meta::of(it).resource_version().into()) });
        tokio::spawn(async move {
            // With the definition of an older release, the digest that waits for approval and the recent deletes still
            // count.
            let result = hub.put_status(&target, &body, UnknownFields::Dropped, precondition.as_ref()).await;
            if let Err(ApiError::Conflict { .. }) = &result
                && let Ok(Some(object)) = hub.get(&target).await
            {
                events.send(FleetPlanEvent::Watch(WatchEvent::Changed(object)));
            }
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
        self.deletes.write_ended(result.is_ok());
        match result {
            Ok(object) => {
                let sent = self.sent.take();
                // With the definition of an older release, the hub drops the list.
                self.is_unwritable = sent
                    .as_ref()
                    .is_some_and(|it| it.get(LIST) != Meta::of(&object).status().and_then(|it| it.get(LIST)));
                let is_kept = sent.is_none_or(|sent| Meta::of(&object).status() == Some(&sent));
                self.live = Some(object);
                self.backoff = match self.backoff {
                    _ if is_kept => None,
                    // Each write would be followed by the next one: an older definition drops new fields.
                    None => {
                        let error = ApiError::NotKept;
                        tracing::warn!(
                            code = error.code(),
                            hint = error.hint(),
                            "the status of the FleetPlan: {error}"
                        );
                        Some(Backoff::first())
                    }
                    Some(backoff) => Some(backoff.further()),
                };
            }
            Err(ApiError::Conflict { .. }) => {}
            Err(error) => {
                self.is_unwritable = matches!(error, ApiError::NotServed { .. } | ApiError::Forbidden { .. });
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

    fn status(&self, facts: &Facts, live: &Value, before: &FleetPlanStatus) -> FleetPlanStatus {
        let plan = &facts.plan.answer;
        let number = |count: usize| Some(i64::try_from(count).unwrap_or(i64::MAX));
        let verbs = |verb: &str| number(facts.actions.iter().filter(|it| it.verb == verb).count());
        let earlier = before.conditions.as_deref().unwrap_or_default();
        FleetPlanStatus {
            observed_generation: Meta::of(live).generation(),
            digest: Some(plan.digest.clone()),
            engine_digest: Some(self.engine_digest.clone()).filter(|it| !it.is_empty()),
            approved_digest: None,
            plan: Some(PlanCounts {
                actions: number(facts.actions.len()),
                held: number(plan.held.len()),
                needs: number(plan.needs.len()),
                create: verbs("create"),
                patch: verbs("patch"),
                delete: verbs("delete"),
            }),
            held: Some(plan.held.iter().take(MAX_HELD).map(held).collect()),
            recent_deletes: Some(self.deletes.list(of_status(before), &now())).filter(|it| !it.is_empty()),
            clusters: Some(facts.clusters()),
            contacts: Some(facts.members.contacts().over(before.contacts.as_deref().unwrap_or_default()))
                .filter(|it| !it.is_empty()),
            conditions: Some(self.conditions.iter().map(|it| it.to_status(earlier, &now())).collect()),
        }
    }
}

fn status_value(status: &FleetPlanStatus) -> Value {
    serde_json::to_value(status).and_then(serde_json::from_value).expect("a status is JSON")
}

/// The event for another engine than the one that planned before. Modules may plan differently, so the change is
/// reported and, since upgrades are wanted, not refused: `--verify-key` and `--require-approval` are for that.
fn engine_change(before: Option<&str>, now: Option<&str>) -> Option<EventAnswer> {
    let (before, now) = (before?, now?);
    (before != now).then(|| EventAnswer {
        kind: Text::new_static("Normal"),
        reason: "EngineChanged".to_owned(),
        note: format!("the engine changed from {before} to {now}"),
    })
}

/// The summary of a held action.
fn held(action: &ActionAnswer) -> HeldAction {
    let verb = match action.verb.as_str() {
        "create" => Some(Verb::Create),
        "patch" => Some(Verb::Patch),
        "delete" => Some(Verb::Delete),
        _ => None,
    };
    let why = |part: fn(&HeldReason) -> &str| Some(action.held.as_ref().map(part).unwrap_or_default().to_owned());
    HeldAction {
        id: action.id.clone(),
        subject: Some(action.subject.clone()),
        cluster: Some(action.cluster.to_string()),
        verb,
        target: Some(Target::from(&action.target).to_string()),
        code: why(|it| &it.code),
        text: why(|it| &it.text),
        hint: why(|it| &it.hint),
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
            r#"{"status":{"observedGeneration":2,"digest":"d","engineDigest":"sha256:e","plan":{"actions":1,"held":0},
                "held":[{"id":"a","verb":"delete"}],"clusters":[{"name":"eu-1","reachable":false,"message":"refused"}],
                "conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#,
        );
        assert_eq!(Some(&status_value(&read_status(&live))), Meta::of(&live).status());
    }

    #[test]
    fn an_absent_or_unreadable_status_is_empty() {
        for live in ["{}", r#"{"status":null}"#, r#"{"status":{"digest":1}}"#] {
            assert_eq!(read_status(&parse(live)), FleetPlanStatus::default(), "{live}");
        }
    }

    #[test]
    fn another_engine_is_an_event_and_the_first_one_is_none() {
        for (before, now) in [(None, Some("a")), (Some("a"), Some("a")), (Some("a"), None)] {
            assert_eq!(engine_change(before, now), None, "{before:?} {now:?}");
        }
        let event = engine_change(Some("sha256:a"), Some("sha256:b")).expect("an event");
        assert_eq!(event.reason, "EngineChanged");
        assert_eq!(event.note, "the engine changed from sha256:a to sha256:b");
    }

    #[test]
    fn a_held_action_names_its_object_and_the_reason() {
        let action = r#"{"id":"a","subject":"s","cluster":"eu-1","verb":"delete","wave":0,
            "held":{"code":"c","text":"t","hint":"h"},"reason":{"code":"r","text":"because"},
            "target":{"apiVersion":"v1","kind":"ConfigMap","namespace":"n","name":"x"}}"#;
        let action: ActionAnswer =
            fleetfold_core::diagnostic::read::from_text(action).expect("a test writes an action");
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
