//! Handles the events of the tasks around the loop. Only the loop talks to the engine, so events are handled in order.

use fleetfold_core::Value;
use fleetfold_core::api::load::Load;
use tokio::sync::oneshot;

use super::documents::{Changes, DocumentEvent};
use super::executor::{ActionEvent, Left, in_cluster};
use super::fleet_plan::FleetPlanEvent;
use super::live_cache::{Fetched, LiveEvent, Need};
use super::members::MemberEvent;
use super::statuses::StatusWritten;
use super::{Runner, is_newer};
use crate::cluster::connect::Access;
use crate::cluster::{ApiError, WatchEvent};
use crate::meta::Meta;
use crate::session::EngineError;
use crate::target::Target;

const CONFLICT_HINT: &str = "let only one manager set it: retain the field, or stop the other one";

/// Everything that the loop of a runner handles.
#[derive(Debug)]
pub(super) enum Event {
    Documents(DocumentEvent),
    Members(MemberEvent),
    Live(LiveEvent),
    Action(ActionEvent),
    Status(StatusWritten),
    FleetPlan(FleetPlanEvent),
    /// Read everything again, then signal.
    Resync(oneshot::Sender<()>),
}

macro_rules! events {
    ($($variant:ident($event:ty)),* $(,)?) => {
        $(impl From<$event> for Event {
            fn from(event: $event) -> Event {
                Event::$variant(event)
            }
        })*
    };
}

events! {
    Documents(DocumentEvent),
    Members(MemberEvent),
    Live(LiveEvent),
    Action(ActionEvent),
    Status(StatusWritten),
    FleetPlan(FleetPlanEvent),
    Resync(oneshot::Sender<()>),
}

impl Runner {
    pub(super) fn handle(&mut self, event: Event) -> Result<(), EngineError> {
        self.dirty = true;
        match event {
            Event::Documents(event) => self.handle_documents(event),
            Event::Members(event) => self.handle_member(event),
            Event::Live(event) => self.handle_live(event),
            Event::Action(event) => self.handle_action(event),
            Event::Status(StatusWritten { target, fingerprint, result }) => {
                self.status_written(&target, fingerprint, result)
            }
            Event::FleetPlan(event) => {
                let before = self.fleet_plan.approved_endpoints();
                self.fleet_plan.handle(event);
                if self.fleet_plan.approved_endpoints() != before {
                    self.members.retry_held();
                }
                Ok(())
            }
            Event::Resync(done) => {
                self.resync_waiters.push(done);
                self.resync();
                Ok(())
            }
        }
    }

    fn handle_documents(&mut self, event: DocumentEvent) -> Result<(), EngineError> {
        if let DocumentEvent::Watch(_, WatchEvent::Failed(error)) = &event {
            self.metrics.api_error("watch", error);
        }
        let Changes { load, unload } = self.documents.handle(event);
        self.unload(&unload)?;
        self.load(load)
    }

    fn handle_member(&mut self, event: MemberEvent) -> Result<(), EngineError> {
        match event {
            MemberEvent::Connected(name, result) => self.member_connected(&name, result),
            MemberEvent::Unresponsive(name, error) => self.check_outage(&name, &error),
            MemberEvent::CredentialsChanged(name) => {
                self.forget_cluster(&name)?;
                self.members.reconnect(&name);
                Ok(())
            }
        }
    }

    fn handle_live(&mut self, event: LiveEvent) -> Result<(), EngineError> {
        match event {
            LiveEvent::Fetched { cluster, need, result: Ok(fetched) } => self.fetched(&cluster, &need, fetched),
            LiveEvent::Fetched { cluster, need, result: Err(error) } => self.fetch_failed(&cluster, &need, error),
            LiveEvent::Watch { cluster, scope, event } => {
                if let WatchEvent::Failed(error) = &event {
                    self.metrics.api_error("watch", error);
                    self.members.probe(&cluster);
                }
                let Some(at) = self.members.ready(&cluster) else { return Ok(()) };
                let deleted = self.live_cache.handle_watch(&at, &scope, &event);
                self.load_absent(&cluster, &deleted)
            }
        }
    }

    fn handle_action(&mut self, event: ActionEvent) -> Result<(), EngineError> {
        match event {
            ActionEvent::Done { cluster, target, id, takes, result } => {
                match (&takes, &result) {
                    (Some(took), Ok(_)) => self.fleet_plan.deleted(&id, took),
                    (Some(_), Err(error)) if error.is_refusal() => self.fleet_plan.refused(&id),
                    _ => {}
                }
                self.action_done(&cluster, &target, &id, result)
            }
            ActionEvent::OtherManagers { cluster, target, managers } => {
                let others = if managers.is_empty() { "somebody".to_owned() } else { managers.join(", ") };
                tracing::warn!(cluster, target = %target, managers = managers.join(","), hint = CONFLICT_HINT,
                    "{target}{} is repeatedly reverted by {others}: pausing writes to it", in_cluster(&cluster));
                self.executor.set_other_managers(&cluster, &target, managers);
                Ok(())
            }
        }
    }

    fn fetched(&mut self, name: &str, need: &Need, fetched: Fetched) -> Result<(), EngineError> {
        let Some(cluster) = self.members.ready(name) else { return Ok(()) };
        if name.is_empty() && self.documents.covers(&need.target) {
            return self.document_fetched(&need.target, fetched.listed.objects.into_iter().next());
        }
        let is_present = !fetched.listed.objects.is_empty();
        let changed = self.live_cache.fetched(&cluster, need, fetched);
        if !need.is_list() && is_present && changed.is_empty() {
            return Ok(());
        }
        if !is_present && !need.is_list() {
            self.live_cache.remove(name, &need.target);
        }
        self.load_fetched(name, need, changed)
    }

    /// A document that was fetched outside of its watch.
    fn document_fetched(&mut self, target: &Target, found: Option<Value>) -> Result<(), EngineError> {
        match found {
            Some(object) => {
                let version = Meta::of(&object).resource_version();
                if is_newer(version, self.documents.version(target)) && self.documents.record_write(&object) {
                    return self.load(vec![object]);
                }
                Ok(())
            }
            None if self.documents.remove(target) => self.unload(&[target.identity()]),
            None => Ok(()),
        }
    }

    fn fetch_failed(&mut self, cluster: &str, need: &Need, error: ApiError) -> Result<(), EngineError> {
        self.metrics.api_error("look", &error);
        tracing::warn!(
            cluster,
            target = %need.target,
            code = error.code(),
            hint = error.hint(),
            "{}{} cannot be read: {error}",
            need.target,
            in_cluster(cluster)
        );
        self.live_cache.fetch_failed(cluster, need, error.clone());
        self.check_outage(cluster, &error)
    }

    /// Marks a member unreachable if the error is about its whole API server.
    fn check_outage(&mut self, cluster: &str, error: &ApiError) -> Result<(), EngineError> {
        if cluster.is_empty() || !error.is_of_server() || !self.members.failed(cluster, error) {
            return Ok(());
        }
        self.mark_unreachable(cluster, error)
    }

    fn mark_unreachable(&mut self, cluster: &str, error: &ApiError) -> Result<(), EngineError> {
        tracing::warn!(
            cluster,
            code = error.code(),
            hint = error.hint(),
            "the cluster `{cluster}` cannot be reached: {error}"
        );
        self.live_cache.clear(cluster);
        let reason = Some(error.to_string().into());
        self.load_live(cluster, Load { unreachable: Some(true), reason, ..Load::default() })
    }

    fn member_connected(&mut self, name: &str, result: Result<Access, ApiError>) -> Result<(), EngineError> {
        let error = result.as_ref().err().cloned();
        let is_news = self.members.connected(name, result);
        match error {
            None => {
                tracing::info!(cluster = name, "the cluster `{name}` can be reached");
                self.load_live(name, Load { unreachable: Some(false), ..Load::default() })
            }
            Some(error) if is_news => self.mark_unreachable(name, &error),
            Some(_) => Ok(()),
        }
    }

    fn action_done(
        &mut self,
        name: &str,
        target: &Target,
        id: &str,
        result: Result<Left, ApiError>,
    ) -> Result<(), EngineError> {
        let digest = self.current.0.clone();
        match result {
            Ok(left) => {
                self.metrics.acted(name);
                let place = in_cluster(name);
                tracing::info!(digest, action = id, cluster = name, target = %target, "done: {target}{place}");
                self.executor.done(name, target, id);
                match left {
                    Left::Object(object) => self.object_written(name, object),
                    Left::Absent => self.object_deleted(name, target),
                    Left::Unknown => {
                        self.refetch(name, target);
                        Ok(())
                    }
                }
            }
            Err(error) => {
                self.metrics.api_error("act", &error);
                if self.executor.failed(name, target, &error) {
                    tracing::warn!(
                        digest,
                        action = id,
                        cluster = name,
                        target = %target,
                        code = error.code(),
                        hint = error.hint(),
                        "{target}{}: {error}",
                        in_cluster(name)
                    );
                }
                if is_stale(&error) {
                    self.refetch(name, target);
                }
                self.check_outage(name, &error)
            }
        }
    }

    fn status_written(
        &mut self,
        target: &Target,
        fingerprint: u64,
        result: Result<Value, ApiError>,
    ) -> Result<(), EngineError> {
        self.statuses.done(target);
        match result {
            Ok(object) => {
                // If the server keeps it this time, the next plan does not have it, and the delay is dropped.
                if !self.statuses.is_repeated(target, fingerprint) {
                    self.executor.status_done(target);
                } else if self.executor.status_failed(target, &ApiError::NotKept) {
                    let (code, hint) = (ApiError::NotKept.code(), ApiError::NotKept.hint());
                    tracing::warn!(target = %target, code, hint, "the status of {target}: {}", ApiError::NotKept);
                }
                self.metrics.acted("");
                self.object_written("", object)
            }
            Err(error) => {
                self.metrics.api_error("status", &error);
                if self.executor.status_failed(target, &error) {
                    let (code, hint) = (error.code(), error.hint());
                    tracing::warn!(target = %target, code, hint, "the status of {target}: {error}");
                }
                if is_stale(&error) {
                    self.refetch("", target);
                }
                Ok(())
            }
        }
    }

    /// Loads an object as the server returned it from a write.
    fn object_written(&mut self, name: &str, object: Value) -> Result<(), EngineError> {
        if name.is_empty() && self.documents.record_write(&object) {
            return self.load(vec![object]);
        }
        self.live_cache.record_write(name, &object);
        self.load_live(name, Load { documents: Some(vec![object]), ..Load::default() })
    }

    /// Unloads an object that a delete removed, whether it is a document or a live object.
    fn object_deleted(&mut self, name: &str, target: &Target) -> Result<(), EngineError> {
        if name.is_empty() && self.documents.covers(target) {
            return self.document_fetched(target, None);
        }
        self.live_cache.remove(name, target);
        self.load_absent(name, std::slice::from_ref(target))
    }

    /// Fetches an object again, whether it is a document or a live object.
    fn refetch(&self, name: &str, target: &Target) {
        if let Some(cluster) = self.members.ready(name) {
            self.live_cache.refetch(&cluster, target);
        }
    }
}

/// Whether a write failed because the cached object is out of date.
fn is_stale(error: &ApiError) -> bool {
    matches!(error, ApiError::Conflict { .. } | ApiError::NotFound { .. } | ApiError::EndpointNotFound { .. })
}
