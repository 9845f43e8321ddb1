//! An OperatorVersion as a subject: its objects, and how it is installed and uninstalled.

use std::sync::Arc;

use super::group::{Group, GroupStatus, InstallStatus, OtherVersion};
use super::install::{Member, ObjectStatus, Step, Verb, end_of, is_stopped, live_of};
use super::package::{FIRST_WAVE, Install, Part};
use super::record::FINALIZER;
use super::{GROUP, INSTANCE, KIND, VERSION, claims, hold, instance, record, scope, status};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::ownership::{Owner, is_marked, marked, owned};
use crate::engine::rendered::{FieldOrigin, Origin, Rendered, RenderedObject};
use crate::engine::select::Cluster;
use crate::object::document::{Document, Identity};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{DesiredObject, Need, Planner, Reason, Target, has_finalizer, without_finalizer};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::Targets;

#[derive(Debug)]
pub struct Version {
    targets: Targets,
    depends: Vec<Dependency>,
    identity: Arc<Identity>,
    operator: Text,
    /// Whether the document is the object of the hub, and not a file that may become it.
    is_live: bool,
    install: Option<Arc<Install>>,
    group: Arc<Group>,
    /// The objects that are recorded, be they in the install plan or not.
    recorded: SortedSet<Identity>,
    /// Whether there may be more of them.
    is_incomplete: bool,
}

impl Version {
    pub(super) fn new(document: &Document, install: Option<Install>, group: Arc<Group>) -> Version {
        Version {
            targets: Targets::Hub,
            depends: vec![Dependency::kind(GROUP, KIND, None), Dependency::kind(scope::CRD.0, scope::CRD.1, None)],
            identity: Arc::new(document.identity.clone()),
            operator: document.value.text_at(&["spec", "operator", "name"]).into(),
            is_live: !document.value.text_at(&["metadata", "uid"]).is_empty(),
            install: install.map(Arc::new),
            group,
            recorded: record::read(&document.value).iter().map(Target::identity).collect(),
            is_incomplete: record::is_incomplete(&document.value),
        }
    }

    fn target(&self) -> Target {
        let (namespace, name) = (self.identity.namespace.clone(), self.identity.name.clone());
        Target { api_version: VERSION.into(), kind: KIND.into(), namespace, name }
    }

    /// What it gives: the object of the template, in its namespace, with its owner; and with the mark if it is or will
    /// be created here.
    fn product(&self, view: View, part: &Part, owner: Option<&Owner>) -> RenderedObject {
        let origin = |path: Pointer| Some(Origin { document: Arc::clone(&self.identity), path });
        let mut origins = Vec::new();
        let mut touch = |place: Pointer, layer: &str, from: Pointer, object: &Value| {
            let value = place.get(object).cloned();
            origins.push((place, Arc::new(vec![FieldOrigin { layer: layer.into(), origin: origin(from), value }])));
        };
        if part.is_placed {
            let namespace = Pointer::of(["metadata", "namespace"]);
            touch(namespace.clone(), "namespace", namespace, &part.object);
        }
        let mut object = part.object.clone();
        if let Some((owned, place)) = owner.and_then(|owner| owned(owner, &part.object)) {
            touch(place, "owner", Pointer::of(["metadata", "uid"]), &owned);
            object = owned;
        }
        let is_created = match view.store.observation(HUB, &part.identity) {
            Observation::Present(live) => is_marked(live),
            Observation::Absent | Observation::Unknown => true,
        };
        if is_created {
            let (marked, place) = marked(&object);
            touch(place, "managed-annotation", Pointer::of(["spec", "installPlan"]), &marked);
            object = marked;
        }
        let base = Origin { document: Arc::clone(&self.identity), path: part.origin() };
        RenderedObject { object, base, origins, retained: Vec::new(), wave: part.wave }
    }

    /// The statuses of the objects after the actions of others in the same plan.
    fn group_status(&self, view: View) -> Arc<GroupStatus> {
        GroupStatus::of(view, &self.group, &self.identity, self.install.as_deref())
    }

    fn adopt(&self, view: View, member: &Member, statuses: &[ObjectStatus], planner: &mut Planner) {
        for (part, status) in member.wanted().iter().zip(statuses) {
            let seen = planner.look(HUB, &Target::of(&part.object));
            planner.steps.managed =
                planner.steps.managed.saturating_add(usize::from(matches!(seen, Observation::Present(_))));
            if let Observation::Present(live) = seen {
                planner.steps.diagnostics.extend(claims::stale(view, live));
            }
            planner.steps.diagnostics.extend(self.finding(view, part, status));
            match status {
                ObjectStatus::Doing(step) => {
                    planner.steps.diagnostics.extend(claim_of(&member.owner, part, &self.identity, view));
                    self.intern_from(member, part, step, planner);
                }
                ObjectStatus::Delayed(step, before) => {
                    let since = planner.steps.actions.len();
                    self.intern_from(member, part, step, planner);
                    let text = format!("it waits for an object that is not healthy yet: {before}");
                    let hint = "the plan continues as soon as that object is healthy";
                    planner.hold(since, ReasonCode::WaitsForHealth, &text, hint);
                }
                _ => {}
            }
        }
    }

    fn intern_from(&self, member: &Member, part: &Part, step: &Step, planner: &mut Planner) {
        match &step.live {
            Some(live) => {
                let reason = Reason::new(ReasonCode::OwnerMissing, "the object fits, and is shared from now on");
                planner.patch(HUB, live, step.patch.clone(), step.wave, reason);
            }
            None => {
                let because = format!("the install plan has it in the template `{}`", part.template);
                let desired =
                    DesiredObject { cluster: HUB.into(), desired: part.object.clone(), wave: step.wave, because };
                let reported = planner.steps.diagnostics.len();
                if let Err(error) = planner.adopt(&member.owner, desired) {
                    planner.report(error, &Target::of(&part.object));
                } else {
                    // It was reported already, at the template.
                    planner.steps.diagnostics.truncate(reported);
                }
            }
        }
    }

    /// Why an object stops or delays the plan, at its template.
    fn finding(&self, view: View, part: &Part, status: &ObjectStatus) -> Option<Diagnostic> {
        let message = status::message(part, status)?;
        if matches!(status, ObjectStatus::Unhealthy(_)) {
            let finding = Diagnostic::info(Code::NotHealthy, format!("{message}: the install plan waits for it"));
            return Some(self.located(view, finding, part.origin(), ""));
        }
        let message = format!("{message}: the install plan stops here");
        let shares = |it: &&OtherVersion| it.operator == self.operator && it.identity != *self.identity;
        let (code, hint) = match status {
            ObjectStatus::Failed(error) => (error.code, error.hint.clone().unwrap_or_default()),
            ObjectStatus::Broken(_) => {
                (Code::ObjectFailed, "find out why it failed, then delete the object: the plan creates it again".into())
            }
            _ => match self.group.holders(&part.identity).find(shares) {
                Some(other) => (
                    Code::AdoptionRefused,
                    format!(
                        "`{}` of the same operator has this object too: uninstall that one first, or give the object \
                         of this version another name",
                        other.identity
                    ),
                ),
                None => (
                    Code::AdoptionRefused,
                    "existing objects are not changed: correct the template or the object, and the plan continues"
                        .into(),
                ),
            },
        };
        Some(self.located(view, Diagnostic::error(code, message), part.origin(), &hint))
    }

    /// A finding of the plan, with file and line.
    fn located(&self, view: View, finding: Diagnostic, at: Pointer, hint: &str) -> Diagnostic {
        let mut finding = finding.of(&self.identity).at(at);
        finding.hint = Some(hint.into()).filter(|it: &String| !it.is_empty());
        crate::workspace::lint::place(&mut finding, view.store);
        finding
    }

    fn release(&self, member: &Member, released: &[(Target, ObjectStatus)], planner: &mut Planner) {
        for (target, status) in released {
            let seen = planner.look(HUB, target);
            planner.steps.managed =
                planner.steps.managed.saturating_add(usize::from(matches!(seen, Observation::Present(_))));
            match status {
                ObjectStatus::Doing(Step { verb, wave, live: Some(live), patch }) => match verb {
                    Verb::Delete => {
                        let reason =
                            Reason::new(ReasonCode::LastOwnerLeaves, "the last owner leaves what was made for it");
                        // Deleting counts what it deletes.
                        planner.steps.managed = planner.steps.managed.saturating_sub(1);
                        match member.is_leaving {
                            true => planner.delete_with_subject(HUB, live, *wave, reason),
                            false => planner.delete(HUB, live, *wave, reason),
                        }
                    }
                    _ => {
                        let reason = Reason::new(ReasonCode::OwnerLeaves, "the owner leaves, and the object stays");
                        planner.patch(HUB, live, patch.clone(), *wave, reason);
                    }
                },
                ObjectStatus::Failed(error) => planner.report(error.clone(), target),
                _ => {}
            }
        }
    }

    /// The finalizer comes before the first object, and goes after the last one.
    fn guard(
        &self,
        member: &Member,
        statuses: &[ObjectStatus],
        released: &[(Target, ObjectStatus)],
        planner: &mut Planner,
    ) {
        let has = has_finalizer(member.live, FINALIZER);
        let acts = |it: &ObjectStatus| matches!(it, ObjectStatus::Doing(_));
        let holds = |it: &ObjectStatus| acts(it) || matches!(it, ObjectStatus::Done | ObjectStatus::Unhealthy(_));
        let is_clear = |(_, it): &(Target, ObjectStatus)| matches!(it, ObjectStatus::Done | ObjectStatus::Doing(_));
        if statuses.iter().any(acts) || !has && statuses.iter().any(holds) {
            let wanted: Vec<Target> = member.wanted().iter().map(|it| Target::of(&it.object)).collect();
            let text = match has {
                false => "the OperatorVersion must stay until its objects are released",
                true => "the kinds of its objects are recorded, so that they are found if its status is lost",
            };
            let patch = record::guard(member.live, wanted.iter().chain(&record::read(member.live)));
            let wave = FIRST_WAVE.saturating_sub(1);
            planner.patch(HUB, member.live, patch, wave, Reason::new(ReasonCode::Guarded, text));
        } else if has && member.wanted().is_empty() && released.iter().all(is_clear) {
            let reason = Reason::new(ReasonCode::AllReleased, "no object refers to the OperatorVersion any more");
            let wave = end_of(released.iter().map(|(_, it)| it), FIRST_WAVE);
            let mut patch = without_finalizer(member.live, FINALIZER);
            if !member.is_leaving {
                patch.extend(record::forget(member.live));
            }
            planner.patch(HUB, member.live, patch, wave, reason);
        }
    }

    fn plan_status(
        &self,
        view: View,
        member: &Member,
        statuses: &[ObjectStatus],
        released: &[(Target, ObjectStatus)],
        planner: &mut Planner,
    ) {
        if member.is_leaving || !planner.steps.needs.is_empty() {
            return;
        }
        let held = member.wanted().iter().map(|it| Target::of(&it.object));
        // In the order of the record: they are released last one first.
        let left = released.iter().rev().filter(|(_, it)| *it != ObjectStatus::Done).map(|(target, _)| target.clone());
        let left: Vec<Target> = if is_stopped(statuses) { self.strays(member) } else { left.collect() };
        let objects = record::written(held.chain(left));
        let Some(install) = self.install.as_deref() else {
            if !record::read(member.live).is_empty() {
                let gone = [("planStatus", Value::Null), ("aggregatedStatus", Value::Null), (record::OBJECTS, objects)];
                planner.status(member.live, Map::from_iter(gone).into());
            }
            return;
        };
        let (mut fields, is_complete) = status::of_version(install, statuses);
        fields.insert(record::OBJECTS, objects);
        planner.status(member.live, fields.into());
        for instance in instance::of_version(view, &self.identity) {
            if let Some(fields) = status::of_instance(&instance.value, is_complete) {
                planner.status(&instance.value, fields.into());
            }
        }
    }

    /// What is recorded and not wanted.
    fn strays(&self, member: &Member) -> Vec<Target> {
        let wanted: SortedSet<&Identity> = member.wanted().iter().map(|it| &it.identity).collect();
        record::read(member.live).into_iter().filter(|it| !wanted.contains(&it.identity())).collect()
    }
}

impl Subject for Version {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, view: View, _: &Cluster, _: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        let member = Member::of(view, &self.identity, self.install.as_deref());
        if member.as_ref().is_some_and(|it| it.is_leaving) {
            return Ok(Arc::new(Rendered::default()));
        }
        let mut rendered = Rendered::default();
        if let Some(member) = &member {
            let statuses = self.group_status(view).of_version(&self.identity).adopted;
            let found = member.wanted().iter().zip(&statuses).filter_map(|(part, it)| self.finding(view, part, it));
            rendered.diagnostics.extend(found);
        }
        for part in self.install.iter().flat_map(|it| &it.parts) {
            let owner = member.as_ref().map(|it| &it.owner);
            rendered.objects.push(self.product(view, part, owner));
            rendered.diagnostics.extend(owner.and_then(|owner| claim_of(owner, part, &self.identity, view)));
        }
        Ok(Arc::new(rendered))
    }

    fn plan(&self, view: View, _: &Text, _: &Rendered, planner: &mut Planner) {
        let Some(member) = Member::of(view, &self.identity, self.install.as_deref()) else {
            if self.install.is_some() {
                self.ask(view, planner);
            }
            return;
        };
        let group = self.group_status(view);
        let status = group.of_version(&self.identity);
        // Until others are sure of what they do, nothing is built on it.
        for target in group.unseen(&self.identity, &status) {
            planner.look(HUB, target);
        }
        let InstallStatus { adopted: statuses, released } = status;
        for query in record::queries(member.live) {
            planner.list(HUB, &query);
        }
        self.adopt(view, &member, &statuses, planner);
        self.release(&member, &released, planner);
        self.guard(&member, &statuses, &released, planner);
        self.plan_status(view, &member, &statuses, &released, planner);
        planner.report_holds(member.live, hold::write);
    }

    /// Everything is done with the hub's result: objects and status go together.
    fn plan_subject(&self, _: View, _: &ClusterResults, _: &mut Planner) {}

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        let is_kudo = object.group == GROUP && (object.kind == KIND || object.kind == INSTANCE);
        let mine = is_kudo || self.recorded.contains(object);
        // What a file will hold is recorded elsewhere, and any object may be one that the record lacks.
        if mine || !self.is_live || self.is_incomplete || self.group.concerns(object) {
            Invalidation::Whole
        } else {
            Invalidation::Nothing
        }
    }
}

impl Version {
    /// An owner is known by its uid, which only the hub gives.
    fn ask(&self, view: View, planner: &mut Planner) {
        let (code, message, hint) = match live_of(view, &self.identity) {
            Observation::Absent => (
                Code::NotInstalled,
                "the OperatorVersion is not on the hub, so nothing can be owned by it",
                "apply it, and its install plan runs",
            ),
            _ => {
                planner.steps.needs.push(Need {
                    cluster: HUB.into(),
                    target: self.target(),
                    label_selector: Text::default(),
                });
                (
                    Code::UnknownUid,
                    "the document has no uid, and what an OperatorVersion owns refers to that",
                    "look for the object on the hub",
                )
            }
        };
        let finding = self.located(view, Diagnostic::info(code, message), Pointer::of(["metadata"]), hint);
        planner.steps.diagnostics.push(finding);
    }
}

/// An install plan that cannot be read: nothing is done, and the status has the reason.
pub fn report_unreadable(view: View, identity: &Identity, error: &Error, planner: &mut Planner) {
    let Observation::Present(live) = live_of(view, identity) else { return };
    let plan = live.at(&["spec", "installPlan"]).and_then(Value::as_text);
    planner.status(live, status::of_invalid(plan, error).into());
    for instance in instance::of_version(view, identity) {
        if let Some(status) = status::of_instance(&instance.value, false) {
            planner.status(&instance.value, status.into());
        }
    }
}

/// The finding if an owner reference is not allowed.
fn claim_of(owner: &Owner, part: &Part, version: &Identity, view: View) -> Option<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Adopting an absent object reports it, whatever the object will be.
    crate::engine::ownership::adopt(owner, &part.object, None, view.settings.mode, &mut diagnostics).ok()?;
    let Diagnostic { severity, code, message, hint, .. } = diagnostics.pop()?;
    let message = format!("`{}`: {message}", part.identity);
    let mut finding = Diagnostic::new(severity, code, message).of(version).at(part.origin());
    finding.hint = hint;
    crate::workspace::lint::place(&mut finding, view.store);
    Some(finding)
}
