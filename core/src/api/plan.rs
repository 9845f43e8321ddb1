//! `plan`: what must be seen first, what would be done, what is held, and what the statuses would say.

use super::WorkspaceOperation;
use super::effective::subject_of;
use super::load::count;
use super::matching::DifferenceAnswer;
use super::patch::OperationAnswer;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::Identity;
use crate::object::timestamp::Timestamp;
use crate::record;
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::lint::place;
use crate::workspace::plan::{Action, Event, Held, Need, Plan, Target, Verb, assemble};

record! {
    request
    /// What would be done.
    pub struct PlanRequest {
        /// Only some of it. With clusters, what concerns a subject as a whole is left out.
        scope "scope": Option<ScopeInput>,
        /// The time, in RFC 3339; what depends on it waits without.
        now "now": Option<Text>,
        /// Carry what Secrets hold; only a runner needs it.
        reveal "reveal": Option<bool>,
        /// Tell what statuses turn to, for events.
        events "events": Option<bool>,
    }
}

record! {
    request
    /// A part of the fleet.
    pub struct ScopeInput {
        subjects "subjects": Option<Vec<Text>>,
        clusters "clusters": Option<Vec<Text>>,
    }
}

record! {
    answer
    /// A plan.
    pub struct PlanAnswer {
        needs "needs": Vec<NeedAnswer>,
        /// By wave, then subject, cluster and target.
        actions "actions": Vec<ActionAnswer>,
        held "held": Vec<ActionAnswer>,
        /// Statuses that are not what they should be.
        status "status": Vec<StatusAnswer>,
        /// SHA-256 over what would be done, be it held or not.
        digest "digest": String,
    }
}

record! {
    answer
    /// An object that must be seen, or without a name a list.
    pub struct NeedAnswer {
        cluster "cluster": Text,
        api_version "apiVersion": Text,
        kind "kind": Text,
        namespace "namespace": Option<Text>,
        name "name": Option<Text>,
        label_selector "labelSelector": Option<Text>,
    }
}

record! {
    answer
    /// Names an object.
    pub struct TargetAnswer {
        api_version "apiVersion": Text,
        kind "kind": Text,
        namespace "namespace": Option<Text>,
        name "name": Text,
    }
}

record! {
    answer
    /// One step. Steps of one wave may run side by side.
    pub struct ActionAnswer {
        /// Stays the same as long as what would be done does.
        id "id": String,
        subject "subject": String,
        cluster "cluster": Text,
        /// `create`, `patch` or `delete`.
        verb "verb": &'static str,
        target "target": TargetAnswer,
        body "body": Option<Value>,
        /// Operations on the live object.
        patch "patch": Option<Vec<OperationAnswer>>,
        precondition "precondition": Option<Precondition>,
        wave "wave": i64,
        reason "reason": ActionReason,
        /// What stops it.
        held "held": Option<HeldReason>,
    }
}

record! {
    answer
    /// The live object that the step is for: another one of its name, or a changed one, is not meant.
    pub struct Precondition {
        uid "uid": Option<Text>,
        resource_version "resourceVersion": Option<Text>,
    }
}

record! {
    answer
    /// Why a step is taken.
    pub struct ActionReason {
        code "code": &'static str,
        text "text": String,
        differences "differences": Option<Vec<DifferenceAnswer>>,
    }
}

record! {
    answer
    /// Why a step is stopped, and how to let it pass.
    pub struct HeldReason {
        code "code": &'static str,
        text "text": String,
        hint "hint": String,
    }
}

record! {
    answer
    /// What a status should be.
    pub struct StatusAnswer {
        subject "subject": String,
        cluster "cluster": Text,
        target "target": TargetAnswer,
        status "status": Value,
        /// Conditions that turn with it; left out where none does, or nobody asks.
        events "events": Option<Vec<EventAnswer>>,
    }
}

record! {
    answer
    /// What happened to the object of a status.
    pub struct EventAnswer {
        /// `Normal` or `Warning`.
        kind "type": &'static str,
        reason "reason": String,
        note "note": String,
    }
}

impl WorkspaceOperation for PlanRequest {
    const NAME: &'static str = "plan";
    type Answer = PlanAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<PlanAnswer, Error> {
        workspace.refresh(moment(self.now.as_deref())?);
        let scope = self.scope.unwrap_or(ScopeInput { subjects: None, clusters: None });
        let subjects = scope.subjects.map(|refs| subjects_of(&refs, workspace)).transpose()?;
        let clusters = scope.clusters.map(|it| it.into_iter().collect());
        let plan = planned(workspace, subjects.as_ref(), clusters.as_ref(), out);
        Ok(PlanAnswer::of(&plan, self.reveal.unwrap_or(false), self.events.unwrap_or(false)))
    }

    fn reveals(&self) -> bool {
        self.reveal.unwrap_or(false)
    }
}

/// The time that a request gives.
pub fn moment(now: Option<&str>) -> Result<Option<Timestamp>, Error> {
    let read = |text| {
        Timestamp::parse(text)
            .map_err(|problem| Error::new(Code::BadTime, format!("`{text}` is not a time: {problem}")).at(["now"]))
    };
    now.map(read).transpose()
}

fn subjects_of(refs: &[Text], workspace: &Workspace) -> Result<SortedSet<Identity>, Error> {
    let (scope, mut subjects) = (JsonPath::ROOT.key("scope"), SortedSet::new());
    let at = scope.key("subjects");
    for (index, text) in refs.iter().enumerate() {
        subjects.insert(subject_of(workspace, text, &at.index(index))?);
    }
    Ok(subjects)
}

/// The plan of a workspace that is settled.
pub fn planned(
    workspace: &mut Workspace,
    subjects: Option<&SortedSet<Identity>>,
    clusters: Option<&SortedSet<Text>>,
    out: &mut Vec<Diagnostic>,
) -> Plan {
    let Workspace { store, results, .. } = workspace;
    for (identity, state) in results.subjects() {
        if let Err(error) = state.subject() {
            let message = format!("`{identity}` keeps its last state: {}", error.message);
            let finding = Diagnostic { hint: error.hint.clone(), ..Diagnostic::error(error.code, message) };
            let path = error.pointer();
            out.push(finding.of(identity).at(path));
        }
    }
    let steps = results.plan(store, subjects, clusters);
    let plan = assemble(store, steps.iter().map(AsRef::as_ref), out);
    out.iter_mut().for_each(|it| place(it, store));
    plan
}

impl PlanAnswer {
    fn of(plan: &Plan, reveal: bool, events: bool) -> PlanAnswer {
        PlanAnswer {
            needs: plan.needs.iter().map(NeedAnswer::of).collect(),
            actions: plan.actions.iter().map(|it| ActionAnswer::of(it, None, reveal)).collect(),
            held: plan.held.iter().map(|it| ActionAnswer::of(&it.action, Some(it), reveal)).collect(),
            status: plan
                .status
                .iter()
                .map(|it| StatusAnswer {
                    subject: it.subject.to_string(),
                    cluster: Text::default(),
                    target: TargetAnswer::of(&it.target),
                    status: it.status.clone(),
                    events: (events && !it.events.is_empty()).then(|| it.events.iter().map(EventAnswer::of).collect()),
                })
                .collect(),
            digest: plan.digest(),
        }
    }
}

impl EventAnswer {
    fn of(event: &Event) -> EventAnswer {
        let Event { is_warning, reason, note } = event.clone();
        EventAnswer { kind: if is_warning { "Warning" } else { "Normal" }, reason, note }
    }
}

impl NeedAnswer {
    fn of(need: &Need) -> NeedAnswer {
        let given = |text: &Text| Some(text.clone()).filter(|it| !it.is_empty());
        let Target { api_version, kind, namespace, name } = &need.target;
        NeedAnswer {
            cluster: need.cluster.clone(),
            api_version: api_version.clone(),
            kind: kind.clone(),
            namespace: given(namespace),
            name: given(name),
            label_selector: given(&need.label_selector),
        }
    }
}

impl TargetAnswer {
    fn of(target: &Target) -> TargetAnswer {
        let Target { api_version, kind, namespace, name } = target.clone();
        TargetAnswer { api_version, kind, namespace: Some(namespace).filter(|it| !it.is_empty()), name }
    }
}

impl ActionAnswer {
    pub fn of(action: &Action, held: Option<&Held>, reveal: bool) -> ActionAnswer {
        let text = |path: &[&str]| action.live.as_ref().map(|it| it.text_at(path)).filter(|it| !it.is_empty());
        let (uid, version) = (text(&["metadata", "uid"]), text(&["metadata", "resourceVersion"]));
        let precondition = (uid.is_some() || version.is_some())
            .then(|| Precondition { uid: uid.map(Text::from), resource_version: version.map(Text::from) });
        let objects: Vec<&Value> = if reveal { Vec::new() } else { action.live.iter().chain(&action.body).collect() };
        let differences = action.reason.differences.clone();
        ActionAnswer {
            id: action.id(),
            subject: action.subject.to_string(),
            cluster: action.cluster.clone(),
            verb: action.verb.as_str(),
            target: TargetAnswer::of(&action.target),
            body: action.body.clone(),
            patch: Some(OperationAnswer::list(action.patch.clone(), &objects)).filter(|it| !it.is_empty()),
            precondition,
            wave: action.wave,
            reason: ActionReason {
                code: action.reason.code.as_str(),
                text: action.reason.text.clone(),
                differences: Some(DifferenceAnswer::list(differences, &objects)).filter(|it| !it.is_empty()),
            },
            held: held.map(|it| HeldReason { code: it.code.as_str(), text: it.text.clone(), hint: it.hint.clone() }),
        }
    }
}

record! {
    answer
    /// How many steps of each kind.
    pub struct ActionCounts {
        create "create": i64,
        patch "patch": i64,
        delete "delete": i64,
        held "held": i64,
        /// What must be seen before more can be said.
        needs "needs": i64,
    }
}

impl ActionCounts {
    /// The steps of a plan that another one does not have.
    pub fn new_in(plan: &Plan, before: &Plan) -> ActionCounts {
        let all = before.actions.iter().chain(before.held.iter().map(|it| &it.action));
        let mut known: SortedSet<[u8; 32]> = SortedSet::new();
        known.extend(all.map(|it| it.hash));
        let fresh = |verb| count(plan.actions.iter().filter(|it| it.verb == verb && !known.contains(&it.hash)).count());
        ActionCounts {
            create: fresh(Verb::Create),
            patch: fresh(Verb::Patch),
            delete: fresh(Verb::Delete),
            held: count(plan.held.iter().filter(|it| !known.contains(&it.action.hash)).count()),
            needs: count(plan.needs.len()),
        }
    }
}
