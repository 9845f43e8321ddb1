//! One reconcile: loads what changed, requests a plan, fetches what it needs, starts its actions, publishes the state.

use std::collections::BTreeSet;

use fleetfold_core::Value;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::kinds::Kinds;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::plan::{ActionAnswer, PlanAnswer, PlanRequest, StatusAnswer};
use fleetfold_core::api::reach::Reach;
use fleetfold_core::api::{Answered, Finding};
use fleetfold_core::diagnostic::{ReasonCode, Severity};
use fleetfold_core::object::Identity;

use super::action::Action;
use super::conditions::Facts;
use super::documents;
use super::executor::in_cluster;
use super::live_cache::Need;
use super::{FETCH_GRACE, Runner, SyncState};
use crate::clock::now;
use crate::session::EngineError;
use crate::session::compare::{Difference, compare};
use crate::target::Target;

impl Runner {
    /// Plans, fetches, acts and publishes, if anything happened since the last time.
    pub(super) fn reconcile(&mut self) -> Result<(), EngineError> {
        let is_stalled = self.stalled.is_some_and(|it| !it.is_over());
        if is_stalled || !std::mem::take(&mut self.dirty) {
            return Ok(());
        }
        self.configure_dialects()?;
        if std::mem::take(&mut self.documents_changed) {
            self.refresh_kinds()?;
        }
        let request = PlanRequest {
            now: Some(now().into()),
            reveal: Some(true),
            events: Some(true),
            recent_deletes: Some(self.fleet_plan.recent_deletes()),
            ..PlanRequest::default()
        };
        self.session.retry_quarantined(&request);
        let plan = self.session.call(&request)?;
        self.stalled = None;
        self.metrics.planned(self.session.took);
        self.metrics.quarantined(self.session.quarantine().iter().count());
        let needs: BTreeSet<(String, Need)> =
            plan.answer.needs.iter().map(|it| (it.cluster.to_string(), Need::from(it))).collect();
        self.live_cache.retain_needed(&needs);
        for (cluster, need) in needs {
            self.fetch(&cluster, need)?;
        }
        self.metrics.in_flight(self.executor.in_flight());
        let is_known = self.documents.is_settled()
            && !self.live_cache.is_fetching(FETCH_GRACE)
            && !self.members.is_connecting(FETCH_GRACE);
        // An incomplete plan is not acted on; a need that was met from the documents calls for another plan at once.
        if !is_known || self.dirty {
            return Ok(());
        }
        let actions: Vec<Action> = plan.answer.actions.iter().cloned().map(Action::from).collect();
        self.adopt_plan(&plan.answer, &actions);
        if self.may_write() {
            self.start_actions(&actions, &plan.answer);
            self.write_statuses(&plan.answer.status);
        }
        self.log_warnings(&plan.findings);
        self.publish_state(&plan, &actions);
        Ok(())
    }

    /// Logs each warning of a plan once, until a plan is without it. Errors are conditions of the FleetPlan.
    fn log_warnings(&mut self, findings: &[Finding]) {
        let mut current = BTreeSet::new();
        for finding in findings.iter().filter(|it| it.severity == Severity::Warning) {
            let document = finding.at.as_ref().and_then(|it| it.document.as_deref()).unwrap_or_default();
            let text = format!("{document}: {}", finding.message);
            if !self.warned.contains(&text) {
                let hint = finding.hint.as_deref().unwrap_or_default();
                tracing::warn!(code = %finding.code, hint, "{text}");
            }
            current.insert(text);
        }
        self.warned = current;
    }

    /// Keeps the current plan while its actions are a subset of it; otherwise replaces it.
    fn adopt_plan(&mut self, plan: &PlanAnswer, actions: &[Action]) {
        let ids: BTreeSet<String> = actions.iter().map(|it| it.id.clone()).collect();
        let was_approved = !self.approved.is_empty();
        let waiting: BTreeSet<&String> = waiting_for_health(plan).collect();
        self.approved.retain(|id| ids.contains(id) || waiting.contains(id));
        if was_approved && self.approved.is_empty() {
            self.fleet_plan.remove_approval();
        }
        let digest = plan.digest.as_str();
        if ids.is_subset(&self.current.1) && !ids.is_empty() || digest == self.current.0 {
            return;
        }
        let held = plan.held.len();
        tracing::info!(digest, actions = ids.len(), held, "plan: {} to do, {held} held", ids.len());
        for action in actions {
            let Action { id, verb, cluster, target, subject, reason, wave, .. } = action;
            tracing::debug!(
                digest,
                action = id,
                verb,
                cluster,
                target = %target,
                subject,
                wave,
                "would {verb} {target}: {reason}"
            );
        }
        self.compare_with_shadow();
        self.current = (digest.to_owned(), ids);
    }

    /// Logs where the shadow engine plans something else. Both plans are without Secret data, as logs must be.
    fn compare_with_shadow(&mut self) {
        let request = PlanRequest { now: Some(now().into()), ..PlanRequest::default() };
        let Some(shadow) = self.session.call_shadow(&request) else { return };
        match (self.session.call(&request), shadow) {
            (Ok(plan), Ok(shadow)) => {
                let compared = compare(&plan.answer, &shadow.answer);
                self.metrics.shadow_differs(compared.differences.len());
                for difference in compared.differences.iter().take(20) {
                    let Difference { cluster, subject, target, .. } = difference;
                    let place = in_cluster(cluster);
                    let message = format!("the shadow engine plans {target}{place} differently");
                    tracing::warn!(cluster, subject, target = %target, "{message}");
                }
            }
            (_, Err(error)) | (Err(error), _) => {
                tracing::warn!(code = error.code(), "the shadow engine cannot plan: {error}");
            }
        }
    }

    fn start_actions(&mut self, actions: &[Action], plan: &PlanAnswer) {
        let is_idle = self.executor.in_flight() == 0;
        if self.options.require_approval && is_idle && self.fleet_plan.is_approved(&plan.digest) {
            let ids = actions.iter().map(|it| &it.id).chain(waiting_for_health(plan));
            self.approved = ids.cloned().collect();
        }
        let unconfirmed = self.confirm_deletes(actions);
        // Without the FleetPlan it is unknown how much of the budget is used.
        let knows_recent = self.fleet_plan.knows_recent_deletes();
        let may_start = |it: &Action| {
            !unconfirmed.contains(&it.id)
                && (knows_recent || it.takes.is_none())
                && (!self.options.require_approval || self.approved.contains(&it.id))
        };
        if is_idle {
            self.fleet_plan.retain_intents(actions);
        }
        let mut ready: Vec<&Action> = self.executor.ready(actions).into_iter().filter(|it| may_start(it)).collect();
        self.fleet_plan.intend(&ready);
        ready.retain(|it| self.fleet_plan.may_start(it));
        for action in ready {
            let Some(cluster) = self.members.get(&action.cluster) else { continue };
            if self.executor.start(action, &cluster) {
                self.fleet_plan.started(&action.id);
            }
        }
    }

    /// Returns the deletes that must wait. A watch may be stale, so all documents are relisted before a delete; a
    /// delete that is still planned afterwards is confirmed.
    fn confirm_deletes(&mut self, actions: &[Action]) -> BTreeSet<String> {
        let deletes: BTreeSet<String> =
            actions.iter().filter(|it| it.verb == "delete").map(|it| it.id.clone()).collect();
        self.confirmed.append(&mut self.unconfirmed);
        self.confirmed.retain(|id| deletes.contains(id));
        let unconfirmed: BTreeSet<String> = deletes.difference(&self.confirmed).cloned().collect();
        if !unconfirmed.is_empty() {
            self.documents.relist();
            self.unconfirmed = unconfirmed.clone();
        }
        unconfirmed
    }

    fn write_statuses(&mut self, statuses: &[StatusAnswer]) {
        for status in statuses {
            let target = Target::from(&status.target);
            if !self.executor.is_status_delayed(&target) {
                let version = self.documents.version(&target);
                self.statuses.write(target, status, version);
            }
        }
    }

    /// Publishes conditions, metrics and the sync state once no write is in flight.
    fn publish_state(&mut self, plan: &Answered<PlanAnswer>, actions: &[Action]) {
        let statuses: Vec<Target> = plan.answer.status.iter().map(|it| Target::from(&it.target)).collect();
        self.executor.retain_planned(actions, &statuses);
        self.statuses.retain_planned(&statuses);
        self.metrics.plan_counts(actions.len(), plan.answer.held.len());
        self.metrics.unreachable(self.members.connections().filter(|(_, error)| error.is_some()).count());
        let is_busy = self.executor.in_flight() > 0 || self.statuses.in_flight() > 0;
        let is_waiting = !self.unconfirmed.is_empty() || self.fleet_plan.delays_actions();
        if is_busy || self.executor.is_retrying_conflict() || is_waiting {
            return;
        }
        let may_write = self.may_write();
        let Runner { session, documents, members, live_cache, executor, options, approved, fleet_plan, .. } = self;
        let quarantine = session.quarantine();
        let requires_approval = options.require_approval;
        let is_waiting = requires_approval && actions.iter().any(|it| !approved.contains(&it.id));
        let facts = Facts {
            plan,
            actions,
            documents,
            members,
            live_cache,
            executor,
            quarantine,
            is_waiting,
            requires_approval,
        };
        fleet_plan.write(&facts, may_write);
        self.problems = fleet_plan.problems();
        self.metrics.ready(true);
        if !self.fleet_plan.is_busy() {
            for waiter in self.resync_waiters.drain(..) {
                // The caller may have given up.
                let _ = waiter.send(());
            }
            if let Some(synced) = &self.synced {
                synced.send_replace(true);
            }
            if let Some(follower) = &self.follower {
                let digest = plan.answer.digest.clone();
                follower.send_replace(SyncState { digest, problems: self.problems.clone() });
            }
        }
    }

    /// Enables only the dialects whose kinds can all be read.
    fn configure_dialects(&mut self) -> Result<(), EngineError> {
        let readable = self.documents.readable(&self.wanted);
        if self.enabled.as_ref() != Some(&readable) {
            self.session.change(Configure { dialects: Some(readable.clone()), ..Configure::default() })?;
            (self.enabled, self.documents_changed) = (Some(readable), true);
        }
        Ok(())
    }

    /// Requests the kinds to watch and the ways to members: both may depend on documents.
    pub(super) fn refresh_kinds(&mut self) -> Result<(), EngineError> {
        let kinds = self.session.call(&Kinds { dialects: Some(self.wanted.clone()) })?;
        if self.documents.set_kinds(kinds.answer) {
            self.discover();
        }
        let reach = self.session.call(&Reach {})?;
        for name in self.members.set_ways(reach.answer) {
            self.forget_cluster(&name)?;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, documents: Vec<Value>) -> Result<(), EngineError> {
        if documents.is_empty() {
            return Ok(());
        }
        let targets: Vec<Target> = documents.iter().map(Target::of).collect();
        let found = documents::load(&mut self.session, documents)?;
        self.fleet_plan.documents_loaded(&targets, found);
        self.documents_changed = true;
        Ok(())
    }

    pub(super) fn unload(&mut self, identities: &[Identity]) -> Result<(), EngineError> {
        if identities.is_empty() {
            return Ok(());
        }
        documents::unload(&mut self.session, identities)?;
        identities.iter().for_each(|it| self.fleet_plan.document_unloaded(&it.to_string()));
        self.documents_changed = true;
        Ok(())
    }

    /// Loads the observed state of a cluster.
    pub(super) fn load_live(&mut self, cluster: &str, observed: Load) -> Result<(), EngineError> {
        match self.session.change(Load { live: Some(cluster.into()), ..observed }) {
            Err(error) if error.is_lost => Err(error),
            Err(error) => {
                let (code, hint) = (error.code(), error.hint());
                tracing::error!(cluster, code, hint, "the engine rejects the observed state: {error}");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    pub(super) fn load_absent(&mut self, cluster: &str, deleted: &[Target]) -> Result<(), EngineError> {
        if deleted.is_empty() {
            return Ok(());
        }
        let absent = Some(deleted.iter().map(Target::to_input).collect());
        self.load_live(cluster, Load { absent, ..Load::default() })
    }

    /// Meets a need from the documents, or fetches it.
    fn fetch(&mut self, name: &str, need: Need) -> Result<(), EngineError> {
        if name.is_empty() && self.documents.covers(&need.target) {
            // All objects of the kind are loaded as documents, so this one does not exist.
            self.dirty = true;
            return self.load_fetched(name, &need, Vec::new());
        }
        if let Some(cluster) = self.members.get(name) {
            self.live_cache.request(&cluster, need);
        }
        Ok(())
    }

    /// Loads the result of a fetch: objects, a complete list, or the absence of an object.
    pub(super) fn load_fetched(&mut self, name: &str, need: &Need, objects: Vec<Value>) -> Result<(), EngineError> {
        if !need.is_list() && objects.is_empty() {
            return self.load_absent(name, std::slice::from_ref(&need.target));
        }
        let query = need.is_list().then(|| need.to_query());
        let complete = query.is_some().then_some(true);
        self.load_live(name, Load { documents: Some(objects), complete, query, ..Load::default() })
    }

    /// Makes everything in a cluster unknown, so that the next plan needs it again.
    pub(super) fn forget_cluster(&mut self, cluster: &str) -> Result<(), EngineError> {
        self.live_cache.clear(cluster);
        for unreachable in [true, false] {
            self.load_live(cluster, Load { unreachable: Some(unreachable), ..Load::default() })?;
        }
        Ok(())
    }
}

/// The ids of held actions that follow on their own once objects before them are healthy: whoever approves the plan
/// approves them with it.
fn waiting_for_health(plan: &PlanAnswer) -> impl Iterator<Item = &String> {
    let waits =
        |it: &&ActionAnswer| it.held.as_ref().is_some_and(|why| why.code == ReasonCode::WaitsForHealth.as_str());
    plan.held.iter().filter(waits).map(|it| &it.id)
}
