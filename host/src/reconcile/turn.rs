//! One turn of the loop: what was told is taken in, and a plan is asked for and carried out.

use std::collections::BTreeSet;

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;

use super::conditions::Facts;
use super::documents::{self, Changes};
use super::inbox::Message;
use super::sights::Need;
use super::work::{Action, in_cluster};
use super::{GRACE, Known, Runner};
use crate::answer::{list, text};
use crate::cluster::connect::Access;
use crate::cluster::{Fault, Sighting, Target};
use crate::quantity::now;
use crate::session::compare::{Difference, compare};
use crate::session::{Answer, Refusal};

impl Runner {
    /// Takes in what a task has to tell.
    pub(super) fn take(&mut self, message: Message) -> Result<(), Refusal> {
        self.is_stirred = true;
        match message {
            Message::Surveyed(found) => {
                let gone = self.documents.surveyed(found).unload;
                self.unload(&gone)?;
            }
            Message::Document(kind, sighting) => {
                if let Sighting::Failed(fault) = &sighting {
                    self.metrics.fault("watch", fault);
                }
                let Changes { load, unload } = self.documents.take(&kind, sighting);
                self.unload(&unload)?;
                self.load(load)?;
            }
            Message::Relisted(kind, listed) => {
                let Changes { load, unload } = self.documents.relisted(&kind, listed);
                self.unload(&unload)?;
                self.load(load)?;
            }
            Message::Own(sighting) => self.report.own(sighting),
            Message::Reached(name, reached) => self.reached(&name, reached)?,
            Message::Silent(name, fault) => self.suspect(&name, &fault)?,
            Message::AccessChanged(name) => {
                self.forget(&name)?;
                self.members.reconnect(&name);
            }
            Message::Seen { cluster, need, found } => match found {
                Ok(found) => self.seen(&cluster, &need, found)?,
                Err(fault) => self.unseen(&cluster, &need, fault)?,
            },
            Message::Stirred { cluster, place, sighting } => {
                if let Sighting::Failed(fault) = &sighting {
                    self.metrics.fault("watch", fault);
                    self.members.probe(&cluster);
                }
                if let Some(at) = self.members.ready(&cluster) {
                    let gone = self.sights.stirred(&at, &place, &sighting);
                    self.load_absent(&cluster, &gone)?;
                }
            }
            Message::Acted { cluster, target, id, done } => self.acted(&cluster, &target, &id, done)?,
            Message::Stated { target, done } => self.stated(&target, done)?,
            Message::Rivals { cluster, target, managers } => {
                let others = if managers.is_empty() { "somebody".to_owned() } else { managers.join(", ") };
                tracing::warn!(cluster, target = %target, managers = managers.join(","), hint = CONTESTED_HINT,
                    "{target}{} is changed back again and again by {others}: it is left alone for now", in_cluster(&cluster));
                self.work.rivals(&cluster, &target, managers);
            }
            Message::Reported(done) => self.report.reported(done),
            Message::Resync(done) => {
                self.waiting.push(done);
                self.resync();
            }
        }
        Ok(())
    }

    /// Plans, looks, acts and reports, as far as there is news.
    pub(super) fn turn(&mut self) -> Result<(), Refusal> {
        if !std::mem::take(&mut self.is_stirred) {
            return Ok(());
        }
        self.enable()?;
        if std::mem::take(&mut self.has_news) {
            self.ask_kinds()?;
        }
        let asks = [("now", Value::text(now())), ("reveal", true.into()), ("events", true.into())];
        let plan = self.session.ask("plan", Value::map(asks))?;
        self.metrics.planned(self.session.took);
        let needs: BTreeSet<(String, Need)> =
            list(&plan.ok, "needs").iter().map(|it| (text(it, "cluster").to_owned(), Need::read(it))).collect();
        self.sights.keep_only(&needs);
        for (cluster, need) in needs {
            self.seek(&cluster, need)?;
        }
        self.metrics.in_flight(self.work.in_flight());
        let is_known =
            self.documents.is_settled() && !self.sights.is_looking(GRACE) && !self.members.is_connecting(GRACE);
        // What was just answered without asking anybody, or was asked and is on its way, makes another plan.
        if !is_known || self.is_stirred {
            return Ok(());
        }
        let actions: Vec<Action> = list(&plan.ok, "actions").iter().map(Action::read).collect();
        self.follow(&plan, &actions);
        if self.may_write() {
            self.act(&actions, text(&plan.ok, "digest"));
            self.state(list(&plan.ok, "status"));
        }
        self.conclude(&plan, &actions);
        Ok(())
    }

    /// Keeps the plan that is being carried out, or takes up another one.
    fn follow(&mut self, plan: &Answer, actions: &[Action]) {
        let ids: BTreeSet<String> = actions.iter().map(|it| it.id.clone()).collect();
        let had = !self.approved.is_empty();
        self.approved.retain(|id| ids.contains(id));
        if had && self.approved.is_empty() {
            self.report.take_approval();
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
        self.shadow();
        self.current = (digest.to_owned(), ids);
    }

    /// Asks the second engine for the same plan, where there is one, and tells where it differs. Both without the contents
    /// of Secrets, as it is told.
    fn shadow(&mut self) {
        let asks = Value::map([("now", now())]);
        let Some(shadowed) = self.session.ask_shadow("plan", asks.clone()) else { return };
        match (self.session.ask("plan", asks), shadowed) {
            (Ok(own), Ok(shadowed)) => {
                let compared = compare(&own.ok, &shadowed.ok);
                self.metrics.shadow_differs(compared.differences.len());
                for difference in compared.differences.iter().take(20) {
                    let target = Target::read(&difference.target);
                    let Difference { cluster, subject, .. } = difference;
                    tracing::warn!(cluster, subject, target = %target, "the shadow engine plans something else for {target}{}", in_cluster(cluster));
                }
            }
            (_, Err(refusal)) | (Err(refusal), _) => {
                tracing::warn!(code = refusal.code, "the shadow engine has no plan: {refusal}");
            }
        }
    }

    fn act(&mut self, actions: &[Action], digest: &str) {
        if self.options.require_approval && self.work.in_flight() == 0 && self.report.is_approved(digest) {
            self.approved = actions.iter().map(|it| it.id.clone()).collect();
        }
        let doubtful = self.doubt(actions);
        let may = |it: &Action| {
            !doubtful.contains(&it.id) && (!self.options.require_approval || self.approved.contains(&it.id))
        };
        let ready: Vec<Action> = self.work.ready(actions).into_iter().filter(|it| may(it)).cloned().collect();
        for action in ready {
            let Some(cluster) = self.members.get(&action.cluster) else { continue };
            self.work.start(&action, &cluster);
        }
    }

    /// The deletes that must wait: before something goes, every document is read once more, as a server may have told old
    /// news. What is still planned then is done.
    fn doubt(&mut self, actions: &[Action]) -> BTreeSet<String> {
        let deletes: BTreeSet<String> =
            actions.iter().filter(|it| it.verb == "delete").map(|it| it.id.clone()).collect();
        self.sure.append(&mut self.doubted);
        self.sure.retain(|id| deletes.contains(id));
        let doubtful: BTreeSet<String> = deletes.difference(&self.sure).cloned().collect();
        if !doubtful.is_empty() {
            self.documents.relist();
            self.doubted = doubtful.clone();
        }
        doubtful
    }

    fn state(&mut self, statuses: &[Value]) {
        for status in statuses {
            let target = status.get("target").map(Target::read).unwrap_or_default();
            if !self.work.is_status_delayed(&target) {
                let version = self.documents.version(&target).map(str::to_owned);
                self.statuses.write(target, status, version);
            }
        }
    }

    /// Says how everything stands, once nothing is under way.
    fn conclude(&mut self, plan: &Answer, actions: &[Action]) {
        let statuses: Vec<Target> =
            list(&plan.ok, "status").iter().filter_map(|it| it.get("target")).map(Target::read).collect();
        self.work.keep_only(actions, &statuses);
        self.metrics.plan_counts(actions.len(), list(&plan.ok, "held").len());
        self.metrics.unreachable(self.members.standings().filter(|(_, fault)| fault.is_some()).count());
        let is_busy = self.work.in_flight() > 0 || self.statuses.in_flight() > 0;
        if is_busy || self.work.is_outrun() || !self.doubted.is_empty() {
            return;
        }
        let may_write = self.may_write();
        let Runner { documents, members, sights, work, options, approved, report, .. } = self;
        let requires_approval = options.require_approval;
        let waits = requires_approval && actions.iter().any(|it| !approved.contains(&it.id));
        let facts = Facts { plan, actions, documents, members, sights, work, waits, requires_approval };
        report.write(&facts, may_write);
        self.problems = report.problems();
        self.metrics.ready(true);
        if !self.report.is_busy() {
            for waiting in self.waiting.drain(..) {
                // Whoever waited may have gone.
                let _ = waiting.send(());
            }
            if let Some(known) = &self.known {
                known.send_replace(true);
            }
            if let Some(follower) = &self.follower {
                let digest = text(&plan.ok, "digest").to_owned();
                follower.send_replace(Known { digest, problems: self.problems.clone() });
            }
        }
    }

    /// Plans for the dialects whose kinds can all be read, and for no other.
    fn enable(&mut self) -> Result<(), Refusal> {
        let readable: Vec<String> = self.documents.readable(&self.wanted).into_iter().cloned().collect();
        if self.enabled.as_ref() != Some(&readable) {
            self.session
                .ask("configure", Value::map([("dialects", Value::list(readable.iter().map(String::as_str)))]))?;
            (self.enabled, self.has_news) = (Some(readable), true);
        }
        Ok(())
    }

    /// Asks which kinds to watch, and how clusters are reached: both may depend on documents.
    pub(super) fn ask_kinds(&mut self) -> Result<(), Refusal> {
        let dialects = || Value::list(self.wanted.iter().map(String::as_str));
        let kinds = self.session.ask("kinds", Value::map([("dialects", dialects())]))?;
        if self.documents.want(&kinds.ok) {
            self.survey();
        }
        let reach = self.session.ask("reach", Value::map([] as [(&str, Value); 0]))?;
        for name in self.members.reach(reach.ok) {
            self.forget(&name)?;
        }
        Ok(())
    }

    fn load(&mut self, documents: Vec<Value>) -> Result<(), Refusal> {
        if documents.is_empty() {
            return Ok(());
        }
        let found = documents::load(&mut self.session, &documents)?;
        self.report.loaded(&documents, found);
        self.has_news = true;
        Ok(())
    }

    fn unload(&mut self, identities: &[Identity]) -> Result<(), Refusal> {
        if identities.is_empty() {
            return Ok(());
        }
        documents::unload(&mut self.session, identities)?;
        identities.iter().for_each(|it| self.report.unloaded(&it.to_string()));
        self.has_news = true;
        Ok(())
    }

    /// Loads what was seen in a cluster.
    fn load_live(&mut self, cluster: &str, mut fields: Vec<(&str, Value)>) -> Result<(), Refusal> {
        fields.push(("live", cluster.into()));
        match self.session.ask("load", Value::map(fields)) {
            Err(refusal) if refusal.is_lost => Err(refusal),
            Err(refusal) => {
                tracing::error!(
                    cluster,
                    code = refusal.code,
                    hint = refusal.hint,
                    "what was seen cannot be taken in: {refusal}"
                );
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    fn load_absent(&mut self, cluster: &str, gone: &[Target]) -> Result<(), Refusal> {
        if gone.is_empty() {
            return Ok(());
        }
        self.load_live(cluster, vec![("absent", Value::list(gone.iter().map(Target::to_value)))])
    }

    /// Finds what the engine must see: among the documents, or by looking.
    fn seek(&mut self, name: &str, need: Need) -> Result<(), Refusal> {
        if name.is_empty() && self.documents.covers(&need.target) {
            // It would be a document if it were there.
            self.is_stirred = true;
            return self.load_found(name, &need, Vec::new());
        }
        if let Some(cluster) = self.members.get(name) {
            self.sights.seek(&cluster, need);
        }
        Ok(())
    }

    fn seen(&mut self, name: &str, need: &Need, found: super::inbox::Found) -> Result<(), Refusal> {
        let Some(cluster) = self.members.ready(name) else { return Ok(()) };
        if name.is_empty() && self.documents.covers(&need.target) {
            return self.seen_document(&need.target, found.listed.objects.into_iter().next());
        }
        let is_there = !found.listed.objects.is_empty();
        let news = self.sights.found(&cluster, need, found);
        if !need.is_list() && is_there && news.is_empty() {
            return Ok(());
        }
        if !is_there && !need.is_list() {
            self.sights.drop_object(name, &need.target);
        }
        self.load_found(name, need, news)
    }

    /// Takes in a document that was looked at apart from its watch.
    fn seen_document(&mut self, target: &Target, found: Option<Value>) -> Result<(), Refusal> {
        match found {
            Some(object) => {
                let version = object.text_at(&["metadata", "resourceVersion"]);
                if super::is_newer(version, self.documents.version(target)) && self.documents.note(&object) {
                    return self.load(vec![object]);
                }
                Ok(())
            }
            None if self.documents.drop_document(target) => self.unload(&[target.identity()]),
            None => Ok(()),
        }
    }

    fn load_found(&mut self, name: &str, need: &Need, objects: Vec<Value>) -> Result<(), Refusal> {
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

    fn unseen(&mut self, cluster: &str, need: &Need, fault: Fault) -> Result<(), Refusal> {
        self.metrics.fault("look", &fault);
        tracing::warn!(cluster, target = %need.target, code = fault.code(), hint = fault.hint(), "{}{} cannot be seen: {fault}", need.target, in_cluster(cluster));
        self.sights.failed(cluster, need, fault.clone());
        self.suspect(cluster, &fault)
    }

    /// Takes in that a cluster failed as a whole, if it did: all that was seen there is unknown now.
    fn suspect(&mut self, cluster: &str, fault: &Fault) -> Result<(), Refusal> {
        if cluster.is_empty() || !fault.is_of_server() || !self.members.failed(cluster, fault) {
            return Ok(());
        }
        self.unreachable(cluster, fault)
    }

    /// Takes in that what was seen in a cluster is no longer watched: it is unknown, and whoever needs it looks again.
    fn forget(&mut self, cluster: &str) -> Result<(), Refusal> {
        self.sights.forget(cluster);
        self.load_live(cluster, vec![("unreachable", true.into())])?;
        self.load_live(cluster, vec![("unreachable", false.into())])
    }

    fn unreachable(&mut self, cluster: &str, fault: &Fault) -> Result<(), Refusal> {
        tracing::warn!(
            cluster,
            code = fault.code(),
            hint = fault.hint(),
            "the cluster `{cluster}` cannot be reached: {fault}"
        );
        self.sights.forget(cluster);
        self.load_live(cluster, vec![("unreachable", true.into()), ("reason", fault.to_string().into())])
    }

    fn reached(&mut self, name: &str, reached: Result<Access, Fault>) -> Result<(), Refusal> {
        let fault = reached.as_ref().err().cloned();
        let is_news = self.members.reached(name, reached);
        match fault {
            None => {
                tracing::info!(cluster = name, "the cluster `{name}` can be reached");
                self.load_live(name, vec![("unreachable", false.into())])
            }
            Some(fault) if is_news => self.unreachable(name, &fault),
            Some(_) => Ok(()),
        }
    }

    fn acted(
        &mut self,
        name: &str,
        target: &Target,
        id: &str,
        done: Result<Option<Value>, Fault>,
    ) -> Result<(), Refusal> {
        let digest = self.current.0.clone();
        match done {
            Ok(object) => {
                self.metrics.acted(name);
                tracing::info!(digest, action = id, cluster = name, target = %target, "done: {target}{}", in_cluster(name));
                self.work.done(name, target, id);
                match object {
                    Some(object) => self.written(name, object),
                    // It may stay while it has finalizers.
                    None => {
                        self.look_again(name, target);
                        Ok(())
                    }
                }
            }
            Err(fault) => {
                self.metrics.fault("act", &fault);
                if self.work.failed(name, target, &fault) {
                    tracing::warn!(digest, action = id, cluster = name, target = %target, code = fault.code(), hint = fault.hint(), "{target}{}: {fault}", in_cluster(name));
                }
                if matches!(fault, Fault::Conflict { .. } | Fault::NotFound { .. } | Fault::NoPath { .. }) {
                    self.look_again(name, target);
                }
                self.suspect(name, &fault)
            }
        }
    }

    fn stated(&mut self, target: &Target, done: Result<Value, Fault>) -> Result<(), Refusal> {
        self.statuses.written(target);
        match done {
            Ok(object) => {
                self.work.status_done(target);
                self.metrics.acted("");
                self.written("", object)
            }
            Err(fault) => {
                self.metrics.fault("status", &fault);
                if self.work.status_failed(target, &fault) {
                    tracing::warn!(target = %target, code = fault.code(), hint = fault.hint(), "the status of {target}: {fault}");
                }
                if matches!(fault, Fault::Conflict { .. } | Fault::NotFound { .. } | Fault::NoPath { .. }) {
                    self.look_again("", target);
                }
                Ok(())
            }
        }
    }

    /// Takes in an object as a write left it.
    fn written(&mut self, name: &str, object: Value) -> Result<(), Refusal> {
        if name.is_empty() && self.documents.note(&object) {
            return self.load(vec![object]);
        }
        self.sights.note(name, &object);
        self.load_live(name, vec![("documents", Value::list([object]))])
    }

    /// Looks at an object again, be it a document or not.
    fn look_again(&self, name: &str, target: &Target) {
        if let Some(cluster) = self.members.ready(name) {
            self.sights.look_again(&cluster, target);
        }
    }
}

const CONTESTED_HINT: &str = "let one of them set it: retain the field, or stop the other";
