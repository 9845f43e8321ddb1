//! A plan: the needs, the actions, the held actions, and the statuses.

mod budget;
mod events;
mod finalizer;
mod holds;
mod limits;
mod pause;
mod planner;
mod record;
mod seal;

pub use budget::{RecentDelete, takes};
pub use events::{Event, StatusTerms, StatusWord};
pub use finalizer::{has_finalizer, with_finalizer, without_finalizer};
pub use holds::HoldReport;
pub use limits::{ALLOW_DELETE, assemble};
pub use pause::{check as check_pause, is_paused};
pub use planner::{Decision, DesiredObject, Known, ObjectState, Planner};
pub use record::{APPLIED, last_applied};

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, ReasonCode, Severity};
use crate::engine::matching::Difference;
use crate::engine::patch::Operation;
use crate::object::concealed::Concealed;
use crate::object::document::Identity;
use crate::object::identity::group_of;
use crate::value::canonical::Writer;
use crate::value::collections::SortedSet;
use crate::value::sorting::sort;
use crate::value::text::hex;
use crate::value::{Map, Text, Value};
use crate::workspace::Workspace;
use crate::workspace::lint::place;
use crate::workspace::store::View;

/// Names an object in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    pub api_version: Text,
    pub kind: Text,
    /// Empty where the kind has none.
    pub namespace: Text,
    pub name: Text,
}

impl Target {
    pub fn of(object: &Value) -> Target {
        let text = |path: &[&str]| Text::from(object.text_at(path));
        Target {
            api_version: text(&["apiVersion"]),
            kind: text(&["kind"]),
            namespace: text(&["metadata", "namespace"]),
            name: text(&["metadata", "name"]),
        }
    }

    pub fn identity(&self) -> Identity {
        let Target { api_version, kind, namespace, name } = self.clone();
        Identity { kind, group: group_of(&api_version).into(), namespace, name }
    }
}

/// An object that the host must read before a subject can be planned; without a name, a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub cluster: Text,
    pub target: Target,
    pub label_selector: Text,
}

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Create,
    Patch,
    Delete,
}

impl Verb {
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub struct Action {
    pub subject: Identity,
    pub cluster: Text,
    pub verb: Verb,
    pub target: Target,
    /// Of a create.
    pub body: Option<Value>,
    /// Of a patch, on the live object.
    pub patch: Vec<Operation>,
    /// The observed live object; none if it is absent.
    pub live: Option<Value>,
    pub wave: i64,
    pub reason: Reason,
    /// Whether it is a delete that was requested by deleting the subject.
    pub is_consented: bool,
    /// SHA-256 over subject, cluster, verb, target and content. It is never published.
    pub hash: [u8; 32],
    /// The same without the contents of Secrets, for ids and digests. See [`seal`].
    pub sealed_hash: [u8; 32],
    /// What answers must not show of it.
    pub concealed: Arc<Concealed>,
    /// The part of the object that is written through its own path of the API, such as `status`.
    pub subresource: Option<&'static str>,
    /// The clusters that no longer get something because of it, where it is a decision about clusters.
    pub leaving: Vec<Text>,
}

/// Why an action is planned or held.
#[derive(Clone, Debug)]
pub struct Reason {
    pub code: ReasonCode,
    pub text: String,
    pub differences: Vec<Difference>,
}

impl Reason {
    pub fn new(code: ReasonCode, text: impl Into<String>) -> Reason {
        Reason { code, text: text.into(), differences: Vec::new() }
    }
}

impl Action {
    /// A name that stays the same as long as what would be done does.
    pub fn id(&self) -> String {
        hex(self.sealed_hash.get(..8).unwrap_or_default())
    }

    /// The action as answers show it.
    pub fn shown(&self) -> Action {
        let mut shown = self.clone();
        let Action { body, patch, reason, concealed, .. } = &mut shown;
        if !concealed.is_empty() {
            body.iter_mut().for_each(|it| concealed.mask(it));
            patch.iter_mut().filter_map(|it| it.value.as_mut()).for_each(|it| concealed.mask(it));
            let differences = reason.differences.iter_mut();
            differences.flat_map(|it| [&mut it.desired, &mut it.live]).flatten().for_each(|it| concealed.mask(it));
        }
        shown
    }

    fn content_hash(&self, body: Option<&Value>, patch: &[Option<Value>]) -> [u8; 32] {
        let Target { api_version, kind, namespace, name } = &self.target;
        let cluster = crate::seeded!(DigestWithoutCluster, self.cluster.as_str(), "");
        let mut writer = Writer::default();
        for text in [&*self.subject.to_string(), cluster, self.verb.as_str(), api_version, kind, namespace, name] {
            writer.text(text);
        }
        if let Some(subresource) = self.subresource {
            writer.text(subresource);
        }
        if let Some(body) = body {
            writer.value(body);
        }
        for (operation, value) in self.patch.iter().zip(patch) {
            writer.text(operation.verb.as_str());
            writer.text(&operation.path);
            writer.text(operation.from.as_deref().unwrap_or_default());
            writer.value(value.as_ref().unwrap_or(&Value::Null));
        }
        hmac_sha256::Hash::hash(writer.into_text().as_bytes())
    }
}

/// A step that is stopped, with what stops it.
#[derive(Clone, Debug)]
pub struct Held {
    pub action: Action,
    pub code: ReasonCode,
    pub text: String,
    /// How to let it pass.
    pub hint: String,
}

/// A status that is not what it should be.
#[derive(Clone, Debug)]
pub struct StatusPatch {
    pub subject: Identity,
    pub target: Target,
    pub status: Value,
    /// What turns with it.
    pub events: Vec<Event>,
}

/// The part of a plan that one subject contributes, for one cluster or for the subject itself.
#[derive(Clone, Debug, Default)]
pub struct SubjectPlan {
    pub needs: Vec<Need>,
    pub actions: Vec<Action>,
    /// Actions that are held regardless of the limits of the plan.
    pub held: Vec<Held>,
    pub status: Vec<StatusPatch>,
    /// How the status of the subject shows held actions.
    pub hold_report: Option<HoldReport>,
    /// How many live objects the subject manages here.
    pub managed: usize,
    /// How many clusters its decisions list now.
    pub listed: usize,
    pub diagnostics: Vec<Diagnostic>,
}

impl SubjectPlan {
    /// Until its needs are met, a result contributes needs and no actions.
    pub(crate) fn withheld(mut self) -> SubjectPlan {
        if crate::seeded!(NeedsDoNotWithhold, !self.needs.is_empty(), false) {
            self.actions.clear();
            self.held.clear();
            self.hold_report = None;
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        let SubjectPlan { needs, actions, held, status, hold_report, managed: _, listed: _, diagnostics } = self;
        needs.is_empty()
            && actions.is_empty()
            && held.is_empty()
            && status.is_empty()
            && hold_report.is_none()
            && diagnostics.is_empty()
    }
}

/// The plan of a fleet.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub needs: Vec<Need>,
    /// By wave, then subject, cluster and target.
    pub actions: Vec<Action>,
    pub held: Vec<Held>,
    pub status: Vec<StatusPatch>,
}

impl Plan {
    /// SHA-256 over the hashes of all actions, including held ones, in the order of those hashes. It does not depend on
    /// preconditions, needs, statuses or limits. The contents of Secrets cannot be guessed from it.
    pub fn digest(&self) -> String {
        let mut hashes: Vec<[u8; 32]> =
            self.actions.iter().chain(self.held.iter().map(|it| &it.action)).map(|it| it.sealed_hash).collect();
        sort(&mut hashes);
        let mut hash = hmac_sha256::Hash::new();
        for part in &hashes {
            hash.update(part);
        }
        format!("sha256:{}", hex(&hash.finalize()))
    }
}

/// The plan of the results as they were last refreshed, of some subjects and clusters or of all. What was deleted
/// recently counts against its limits.
pub fn planned(
    workspace: &mut Workspace,
    subjects: Option<&SortedSet<Identity>>,
    clusters: Option<&SortedSet<Text>>,
    recent: &[RecentDelete],
    out: &mut Vec<Diagnostic>,
) -> Plan {
    let Workspace { store, results, .. } = workspace;
    for (identity, state) in results.subjects() {
        if let Err(error) = state.subject() {
            let message = format!("`{identity}` keeps its last state: {}", error.message);
            let finding = Diagnostic { hint: error.hint.clone(), ..Diagnostic::error(error.code, message) };
            let path = error.pointer();
            out.push(finding.of(identity).at(path));
            // They are why: a plan names the cause as lint does.
            out.extend(state.diagnostics().iter().filter(|it| it.severity == Severity::Error).cloned());
        }
    }
    let steps = results.plan(store, subjects, clusters, out);
    let groups = steps.iter().map(|it| it.iter().map(AsRef::as_ref));
    let mut plan = assemble(store, groups, (recent, results.now()), out);
    let view = View { store, now: results.now() };
    holds::report(view, &mut plan, steps.iter().flatten().filter_map(|it| it.hold_report.as_ref()));
    out.iter_mut().for_each(|it| place(it, store));
    plan
}

/// An empty map where there is none, so that two statuses can be compared.
pub(crate) fn status_of(object: &Value) -> Value {
    object.get("status").cloned().unwrap_or_else(|| Map::new().into())
}
