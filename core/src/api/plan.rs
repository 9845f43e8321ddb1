//! `plan`: needs, actions, held actions and statuses.

use serde::{Deserialize, Serialize};

use super::Op;
use super::configure::natural;
use super::count;
use super::matching::DifferenceAnswer;
use super::patch::OperationAnswer;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::Identity;
use crate::object::redacted::{Redacted, Visibility};
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::MaybeAbsent;
use crate::value::collections::SortedSet;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::lint::{add_missing, of_documents};
use crate::workspace::lookup::subject_named;
use crate::workspace::plan::{Action, Event, Held, Need, Plan, RecentDelete, Target, Verb, planned, takes};

/// Plans the actions of the subjects.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanRequest {
    /// Only a part of the fleet. With clusters, actions of a subject as a whole are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeInput>,
    /// The time, in RFC 3339; without it, anything that depends on the time waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
    /// Include the contents of Secrets; only a runner needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reveal: Option<bool>,
    /// Include the changed conditions of statuses, for events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<bool>,
    /// Also report what `lint` finds. A runner that plans often leaves it out: it checks every document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint: Option<bool>,
    /// Deletes of earlier plans. Those within `limits.windowSeconds` count against the limits of this plan. With the
    /// list, even an empty one, actions have `takes`.
    #[serde(rename = "recentDeletes", skip_serializing_if = "Option::is_none")]
    pub recent_deletes: Option<Vec<RecentDeleteInput>>,
}

/// Deletes at one time.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecentDeleteInput {
    /// The time, in RFC 3339; without it, they are within the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Text>,
    /// How many objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<i64>,
    /// How many clusters left a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<i64>,
}

/// A part of the fleet.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScopeInput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Vec<Text>>,
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanAnswer {
    /// By wave, then subject, cluster and target.
    pub actions: Vec<ActionAnswer>,
    /// SHA-256 over all actions, including held ones.
    pub digest: String,
    pub held: Vec<ActionAnswer>,
    pub needs: Vec<NeedAnswer>,
    /// Statuses that differ from the desired ones.
    pub status: Vec<StatusAnswer>,
}

/// An object to read, or without a name a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NeedAnswer {
    pub api_version: Text,
    pub cluster: Text,
    pub kind: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
}

/// Names an object.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TargetAnswer {
    pub api_version: Text,
    pub kind: Text,
    pub name: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
}

/// One action. Actions of one wave may run in parallel.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionAnswer {
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub body: MaybeAbsent<Redacted>,
    pub cluster: Text,
    /// Why it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldReason>,
    /// Stable as long as the action does not change.
    pub id: String,
    /// Operations on the live object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Vec<OperationAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precondition: Option<Precondition>,
    pub reason: ActionReason,
    pub subject: String,
    /// The subresource that the patch is sent to, such as `status`; left out for the object itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<Text>,
    /// What it deletes, which counts against the limits; left out if it deletes nothing, or the request has no
    /// `recentDeletes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<TakesAnswer>,
    pub target: TargetAnswer,
    /// `create`, `patch` or `delete`.
    pub verb: Text,
    pub wave: i64,
}

/// What an action deletes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TakesAnswer {
    /// How many clusters leave a decision.
    pub clusters: i64,
    /// How many objects are deleted.
    pub objects: i64,
}

/// The live object that the action is for: it must not be replaced or changed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Precondition {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<Text>,
}

/// The reason for an action.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionReason {
    pub code: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<DifferenceAnswer>>,
    pub text: String,
}

/// Why an action is held, and how to release it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldReason {
    pub code: Text,
    pub hint: String,
    pub text: String,
}

/// A desired status.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusAnswer {
    pub cluster: Text,
    /// Conditions that change with it; left out if none does, or if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventAnswer>>,
    pub status: Redacted,
    pub subject: String,
    pub target: TargetAnswer,
}

/// An event for the object of a status.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventAnswer {
    pub note: String,
    pub reason: String,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: Text,
}

impl Op for PlanRequest {
    const NAME: &'static str = "plan";
    type Answer = PlanAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<PlanAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        let scope = self.scope.unwrap_or(ScopeInput { subjects: None, clusters: None });
        let subjects = scope.subjects.map(|refs| subjects_of(&refs, workspace)).transpose()?;
        let clusters = scope.clusters.map(|it| it.into_iter().collect());
        let reports_takes = self.recent_deletes.is_some();
        let recent = recent_deletes(self.recent_deletes.unwrap_or_default())?;
        let plan = planned(workspace, subjects.as_ref(), clusters.as_ref(), &recent, out);
        if self.lint.unwrap_or(false) {
            add_missing(of_documents(&workspace.store, &workspace.results), out);
        }
        let mut answer = PlanAnswer::of(&plan, self.reveal.unwrap_or(false), self.events.unwrap_or(false));
        if reports_takes {
            answer.set_takes(&plan);
        }
        Ok(answer)
    }
}

fn recent_deletes(given: Vec<RecentDeleteInput>) -> Result<Vec<RecentDelete>, Error> {
    let list = JsonPath::ROOT.key("recentDeletes");
    let read = |(index, it): (usize, RecentDeleteInput)| {
        let at = list.index(index);
        let time = |text: Text| {
            let bad = |problem| Error::new(Code::BadTime, format!("`{text}` is not a time: {problem}"));
            Timestamp::parse(&text).map_err(|problem| bad(problem).at(at.key("at")))
        };
        Ok(RecentDelete {
            at: it.at.map(time).transpose()?,
            objects: natural("objects", it.objects, &at)?.unwrap_or_default(),
            clusters: natural("clusters", it.clusters, &at)?.unwrap_or_default(),
        })
    };
    given.into_iter().enumerate().map(read).collect()
}

/// The time of a request.
pub fn timestamp(now: Option<&str>) -> Result<Option<Timestamp>, Error> {
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
        subjects.insert(subject_named(workspace, text, &at.index(index))?);
    }
    Ok(subjects)
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
                    status: Redacted::revealing_if(reveal, it.status.clone()),
                    events: (events && !it.events.is_empty()).then(|| it.events.iter().map(EventAnswer::of).collect()),
                })
                .collect(),
            digest: plan.digest(),
        }
    }

    fn set_takes(&mut self, plan: &Plan) {
        let actions = plan.actions.iter().chain(plan.held.iter().map(|it| &it.action));
        for (answer, action) in self.actions.iter_mut().chain(&mut self.held).zip(actions) {
            let [objects, clusters] = takes(action).map(|it| i64::try_from(it).unwrap_or(i64::MAX));
            answer.takes = Some(TakesAnswer { clusters, objects }).filter(|_| objects > 0 || clusters > 0);
        }
    }
}

impl EventAnswer {
    fn of(event: &Event) -> EventAnswer {
        let Event { is_warning, reason, note } = event.clone();
        EventAnswer { kind: Text::new_static(if is_warning { "Warning" } else { "Normal" }), reason, note }
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
        let shown = (!reveal && !action.concealed.is_empty()).then(|| action.shown());
        let action = shown.as_ref().unwrap_or(action);
        let text = |path: &[&str]| action.live.as_ref().map(|it| it.text_at(path)).filter(|it| !it.is_empty());
        let (uid, version) = (text(&["metadata", "uid"]), text(&["metadata", "resourceVersion"]));
        let precondition = (uid.is_some() || version.is_some())
            .then(|| Precondition { uid: uid.map(Text::from), resource_version: version.map(Text::from) });
        let objects: Vec<&Value> = action.live.iter().chain(&action.body).collect();
        let visibility = if reveal { Visibility::Everything } else { Visibility::Redacted(&objects) };
        let differences = action.reason.differences.clone();
        ActionAnswer {
            id: action.id(),
            subject: action.subject.to_string(),
            cluster: action.cluster.clone(),
            subresource: action.subresource.map(Text::new_static),
            takes: None,
            verb: action.verb.as_str().into(),
            target: TargetAnswer::of(&action.target),
            body: action.body.clone().map(|body| Redacted::revealing_if(reveal, body)).into(),
            patch: Some(OperationAnswer::list(action.patch.clone(), visibility)).filter(|it| !it.is_empty()),
            precondition,
            wave: action.wave,
            reason: ActionReason {
                code: action.reason.code.as_str().into(),
                text: action.reason.text.clone(),
                differences: Some(DifferenceAnswer::list(differences, visibility)).filter(|it| !it.is_empty()),
            },
            held: held.map(|it| HeldReason {
                code: it.code.as_str().into(),
                text: it.text.clone(),
                hint: it.hint.clone(),
            }),
        }
    }
}

/// How many actions of each kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionCounts {
    pub create: i64,
    pub delete: i64,
    pub held: i64,
    /// How many objects must be read before the plan is complete.
    pub needs: i64,
    pub patch: i64,
}

impl ActionCounts {
    /// The actions of a plan that another one does not have.
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
