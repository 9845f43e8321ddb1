//! One reconcile: loads what changed, requests a plan, fetches what it needs, starts its actions, publishes the state.

use std::collections::BTreeSet;

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;

use super::conditions::Facts;
use super::documents;
use super::executor::{Action, in_cluster};
use super::live_cache::Need;
use super::{FETCH_GRACE, Runner, SyncState};
use crate::answer::{list, text};
use crate::clock::now;
use crate::session::compare::{Difference, compare};
use crate::session::{Answer, EngineError};
use crate::target::Target;

impl Runner {
    /// Plans, fetches, acts and publishes, if anything happened since the last time.
    pub(super) fn reconcile(&mut self) -> Result<(), EngineError> {
        if !std::mem::take(&mut self.dirty) {
            return Ok(());
        }
        self.configure_dialects()?;
        if std::mem::take(&mut self.documents_changed) {
            self.refresh_kinds()?;
        }
        let request = [("now", Value::text(now())), ("reveal", true.into()), ("events", true.into())];
        let plan = self.session.ask("plan", Value::map(request))?;
        self.metrics.planned(self.session.took);
        let needs: BTreeSet<(String, Need)> =
            list(&plan.ok, "needs").iter().map(|it| (text(it, "cluster").to_owned(), Need::read(it))).collect();
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
        let actions: Vec<Action> = list(&plan.ok, "actions").iter().map(Action::read).collect();
        self.adopt_plan(&plan, &actions);
        if self.may_write() {
            self.start_actions(&actions, text(&plan.ok, "digest"));
            self.write_statuses(list(&plan.ok, "status"));
        }
        self.publish_state(&plan, &actions);
        Ok(())
    }

    /// Keeps the current plan while its actions are a subset of it; otherwise replaces it.
    fn adopt_plan(&mut self, plan: &Answer, actions: &[Action]) {
        let ids: BTreeSet<String> = actions.iter().map(|it| it.id.clone()).collect();
        let was_approved = !self.approved.is_empty();
        self.approved.retain(|id| ids.contains(id));
        if was_approved && self.approved.is_empty() {
            self.fleet_plan.remove_approval();
        }
        let digest = text(&plan.ok, "digest");
        if ids.is_subset(&self.current.1) && !ids.is_empty() || digest == self.current.0 {
            return;
        }
        let held = list(&plan.ok, "held").len();
        tracing::info!(digest, actions = ids.len(), held, "plan: {} to do, {held} held", ids.len());
        for action in actions {
            let Action { id, verb, cluster, target, subject, reason, wave, .. } = action;
            tracing::debug!(digest, action = id, verb, cluster, target = %target, subject, wave, "would {verb} {target}: {reason}");
        }
        self.compare_with_shadow();
        self.current = (digest.to_owned(), ids);
    }

    /// Logs where the shadow engine plans something else. Both plans are without Secret data, as logs must be.
    fn compare_with_shadow(&mut self) {
        let request = Value::map([("now", now())]);
        let Some(shadow) = self.session.ask_shadow("plan", request.clone()) else { return };
        match (self.session.ask("plan", request), shadow) {
            (Ok(plan), Ok(shadow)) => {
                let compared = compare(&plan.ok, &shadow.ok);
                self.metrics.shadow_differs(compared.differences.len());
                for difference in compared.differences.iter().take(20) {
                    let target = Target::read(&difference.target);
                    let Difference { cluster, subject, .. } = difference;
                    tracing::warn!(cluster, subject, target = %target, "the shadow engine plans something else for {target}{}", in_cluster(cluster));
                }
            }
            (_, Err(error)) | (Err(error), _) => {
                tracing::warn!(code = error.code, "the shadow engine has no plan: {error}");
            }
        }
    }

    fn start_actions(&mut self, actions: &[Action], digest: &str) {
        if self.options.require_approval && self.executor.in_flight() == 0 && self.fleet_plan.is_approved(digest) {
            self.approved = actions.iter().map(|it| it.id.clone()).collect();
        }
        let unconfirmed = self.confirm_deletes(actions);
        let may_start = |it: &Action| {
            !unconfirmed.contains(&it.id) && (!self.options.require_approval || self.approved.contains(&it.id))
        };
        let ready: Vec<Action> = self.executor.ready(actions).into_iter().filter(|it| may_start(it)).cloned().collect();
        for action in ready {
            let Some(cluster) = self.members.get(&action.cluster) else { continue };
            self.executor.start(&action, &cluster);
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

    fn write_statuses(&mut self, statuses: &[Value]) {
        for status in statuses {
            let target = status.get("target").map(Target::read).unwrap_or_default();
            if !self.executor.is_status_delayed(&target) {
                let version = self.documents.version(&target).map(str::to_owned);
                self.statuses.write(target, status, version);
            }
        }
    }

    /// Publishes conditions, metrics and the sync state once no write is in flight.
    fn publish_state(&mut self, plan: &Answer, actions: &[Action]) {
        let statuses: Vec<Target> =
            list(&plan.ok, "status").iter().filter_map(|it| it.get("target")).map(Target::read).collect();
        self.executor.retain_planned(actions, &statuses);
        self.metrics.plan_counts(actions.len(), list(&plan.ok, "held").len());
        self.metrics.unreachable(self.members.connections().filter(|(_, error)| error.is_some()).count());
        let is_busy = self.executor.in_flight() > 0 || self.statuses.in_flight() > 0;
        if is_busy || self.executor.is_retrying_conflict() || !self.unconfirmed.is_empty() {
            return;
        }
        let may_write = self.may_write();
        let Runner { documents, members, live_cache, executor, options, approved, fleet_plan, .. } = self;
        let requires_approval = options.require_approval;
        let is_waiting = requires_approval && actions.iter().any(|it| !approved.contains(&it.id));
        let facts = Facts { plan, actions, documents, members, live_cache, executor, is_waiting, requires_approval };
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
                let digest = text(&plan.ok, "digest").to_owned();
                follower.send_replace(SyncState { digest, problems: self.problems.clone() });
            }
        }
    }

    /// Enables only the dialects whose kinds can all be read.
    fn configure_dialects(&mut self) -> Result<(), EngineError> {
        let readable: Vec<String> = self.documents.readable(&self.wanted).into_iter().cloned().collect();
        if self.enabled.as_ref() != Some(&readable) {
            self.session
                .ask("configure", Value::map([("dialects", Value::list(readable.iter().map(String::as_str)))]))?;
            (self.enabled, self.documents_changed) = (Some(readable), true);
        }
        Ok(())
    }

    /// Requests the kinds to watch and the credentials of members: both may depend on documents.
    pub(super) fn refresh_kinds(&mut self) -> Result<(), EngineError> {
        let dialects = || Value::list(self.wanted.iter().map(String::as_str));
        let kinds = self.session.ask("kinds", Value::map([("dialects", dialects())]))?;
        if self.documents.set_kinds(&kinds.ok) {
            self.discover();
        }
        let endpoints = self.session.ask("reach", Value::map([] as [(&str, Value); 0]))?;
        for name in self.members.set_endpoints(endpoints.ok) {
            self.forget_cluster(&name)?;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, documents: Vec<Value>) -> Result<(), EngineError> {
        if documents.is_empty() {
            return Ok(());
        }
        let found = documents::load(&mut self.session, &documents)?;
        self.fleet_plan.documents_loaded(&documents, found);
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
    pub(super) fn load_live(&mut self, cluster: &str, mut fields: Vec<(&str, Value)>) -> Result<(), EngineError> {
        fields.push(("live", cluster.into()));
        match self.session.ask("load", Value::map(fields)) {
            Err(error) if error.is_lost => Err(error),
            Err(error) => {
                tracing::error!(
                    cluster,
                    code = error.code,
                    hint = error.hint,
                    "the engine rejects the observed state: {error}"
                );
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    pub(super) fn load_absent(&mut self, cluster: &str, deleted: &[Target]) -> Result<(), EngineError> {
        if deleted.is_empty() {
            return Ok(());
        }
        self.load_live(cluster, vec![("absent", Value::list(deleted.iter().map(Target::to_value)))])
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
        let fields = match (need.is_list(), objects.is_empty()) {
            (true, _) => {
                let mut query = need.target.to_value();
                if let (Some(query), false) = (query.as_map_mut(), need.label_selector.is_empty()) {
                    query.insert("labelSelector", need.label_selector.as_str());
                }
                vec![("documents", Value::list(objects)), ("complete", true.into()), ("query", query)]
            }
            (false, true) => vec![("absent", Value::list([need.target.to_value()]))],
            (false, false) => vec![("documents", Value::list(objects))],
        };
        self.load_live(name, fields)
    }

    /// Makes everything in a cluster unknown, so that the next plan needs it again.
    pub(super) fn forget_cluster(&mut self, cluster: &str) -> Result<(), EngineError> {
        self.live_cache.clear(cluster);
        self.load_live(cluster, vec![("unreachable", true.into())])?;
        self.load_live(cluster, vec![("unreachable", false.into())])
    }
}
