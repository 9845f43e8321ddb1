//! `explain`: the reason for a value, a selection, an action or a permission.

use serde::{Deserialize, Serialize};

use super::Op;
use super::authorize::{AuthorizeCheck, AuthorizeGrant, AuthorizeObject, AuthorizeUser};
use super::place::{PlaceAnswer, split};
use super::plan::{ActionAnswer, timestamp};
use super::select::ReasonAnswer;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::authorize::rbac::User;
use crate::engine::fold::{Folded, Source};
use crate::engine::rendered::{Fate, LocalField, RenderedObject};
use crate::engine::retain::local::LocalChange;
use crate::engine::select::{Cluster, Reason};
use crate::object::concealed::Concealed;
use crate::object::kinds::retention::note;
use crate::object::redacted::{Redacted, Visibility};
use crate::object::secrets;
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, Pointer};
use crate::value::suggest::suggest;
use crate::value::{JsonPath, MaybeAbsent, Text, Value};
use crate::workspace::Workspace;
use crate::workspace::explain::{LayerState, Link, OptionName, object_chain, option_chain, option_value};
use crate::workspace::lookup::{cluster_named, result_of, subject_named};
use crate::workspace::permissions::{may_bind, may_label};
use crate::workspace::plan::planned;
use crate::workspace::store::{Store, View};
use crate::workspace::subject::Subject;

/// Explains a decision. With `subject`, `cluster` and `path`: the origin of a value. Without `path`: why the cluster is
/// selected or not. With `action`: the reason for an action. With `user`, `cluster` and `labels`: whether and why a
/// user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explain {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Text>,
    /// An option path, or a JSON pointer into the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Text>,
    /// `Kind/namespace/name`, if the subject produces several objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Text>,
    /// The id of an action of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Text>,
    /// The time, in RFC 3339; for an action, that of its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<AuthorizeUser>,
    /// The labels to set; null removes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<SortedMap<Text, Value>>,
    /// The set to bind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<Text>,
}

/// The explanation. Its fields depend on the request.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExplainAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
    /// Every layer that sets the value, winner first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Vec<LinkAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<AuthorizeCheck>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joins: Option<Vec<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Vec<Text>>,
    /// Whether the user may update the ManagedCluster at all, where roles are loaded. `allowed` is about labels alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<AuthorizeObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<ReasonAnswer>>,
    /// Whether the subject picks the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value_from: MaybeAbsent<Redacted>,
}

/// The value of one layer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkAnswer {
    /// Why it is above the next layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beats: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub layer: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why the layer does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonAnswer>,
    /// The rule that retains the live value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleAnswer>,
    pub state: LayerState,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value_from: MaybeAbsent<Redacted>,
}

/// A rule that retains a live value.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleAnswer {
    /// The place of the rule; built-in rules have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<PlaceAnswer>,
    /// `always`, `conditional` or `union`.
    pub mode: Text,
    /// The built-in rule, the retention path, or `label:` and the key.
    pub name: Text,
    /// Why the value belongs to the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Text>,
}

impl Op for Explain {
    const NAME: &'static str = "explain";
    type Answer = ExplainAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<ExplainAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        match (self.subject, self.cluster, self.action, self.user, self.set) {
            (Some(subject), Some(cluster), None, None, None) => {
                explain_result(workspace, &subject, &cluster, self.path.as_ref(), self.object.as_ref())
            }
            (None, None, Some(action), None, None) => explain_action(workspace, &action, out),
            (None, None, None, Some(user), Some(set)) => {
                Ok(explain_binding(&workspace.store, &User::new(user.name, user.groups), &set, out))
            }
            (None, Some(cluster), None, Some(user), None) => {
                let (user, labels) = (User::new(user.name, user.groups), self.labels.unwrap_or_default());
                let verdict = may_label(&workspace.store, &user, &cluster, labels, out)?;
                let checks = verdict.checks.len();
                Ok(ExplainAnswer {
                    object: verdict.object.as_ref().map(|it| AuthorizeObject::of(it, &user.name, checks)),
                    allowed: Some(verdict.allowed()),
                    checks: Some(verdict.checks.into_iter().map(AuthorizeCheck::from).collect()),
                    joins: Some(verdict.joins),
                    leaves: Some(verdict.leaves),
                    ..ExplainAnswer::default()
                })
            }
            _ => {
                let message = "`explain` takes `subject` and `cluster`, or `action`, or `user`, `cluster` and \
                               `labels`, or `user` and `set`";
                Err(Error::new(Code::MissingField, message).at(JsonPath::ROOT.key("subject")))
            }
        }
    }
}

fn explain_result(
    workspace: &Workspace,
    subject: &Text,
    name: &Text,
    path: Option<&Text>,
    object: Option<&Text>,
) -> Result<ExplainAnswer, Error> {
    let (root, store) = (JsonPath::ROOT, &workspace.store);
    let identity = subject_named(workspace, subject, &root.key("subject"))?;
    let Some(entry) = workspace.results.get(&identity) else { return Ok(ExplainAnswer::default()) };
    let cluster = cluster_named(store, entry, name, &root.key("cluster"))?;
    let subject = entry.subject().map_err(Error::clone)?;
    let Some(path) = path else {
        let (selected, reasons) = subject.explain(View { store, now: None }, &cluster);
        let reasons = reasons.into_iter().map(ReasonAnswer::from).collect();
        return Ok(ExplainAnswer { selected: Some(selected), reasons: Some(reasons), ..ExplainAnswer::default() });
    };
    let rendered = result_of(store, entry, name, &root.key("cluster"))?;
    if let Some(folded) = &rendered.options {
        return explain_option(store, subject, &cluster, (folded, &rendered.concealed), path);
    }
    match rendered.object(object, &root.key("object"))? {
        Some(object) => explain_field(store, subject, &cluster, object, &rendered.local, path),
        None => Err(nothing(path)),
    }
}

fn explain_option(
    store: &Store,
    subject: &dyn Subject,
    cluster: &Cluster,
    (folded, concealed): (&Folded, &Concealed),
    path: &Text,
) -> Result<ExplainAnswer, Error> {
    let unknown = || {
        let known: Vec<&str> = folded.options.iter().map(|it| it.path.as_str()).collect();
        nothing(path).hint(suggest(path, &known, "options here"))
    };
    let place = OptionPath::parse(path).map_err(|_| unknown())?;
    let option = OptionName { path, place: &place };
    let chain = option_chain(View { store, now: None }, subject, cluster, folded, option);
    if chain.is_empty() {
        return Err(unknown());
    }
    let hides = secrets::holds_secret(&folded.values);
    let redact = |source: Option<Source>| match source.map(|it| it.without(concealed)) {
        Some(Source::Value(mut value)) if hides => {
            secrets::redact_part(&mut value, &place.pointer(), &folded.values);
            Some(Source::Value(value))
        }
        source => source,
    };
    let (value, value_from) = split(redact(option_value(folded, option)));
    let chain = chain.into_iter().map(|mut link| {
        link.source = redact(link.source);
        LinkAnswer::of(link, store)
    });
    Ok(ExplainAnswer { value, value_from, chain: Some(chain.collect()), ..ExplainAnswer::default() })
}

fn explain_field(
    store: &Store,
    subject: &dyn Subject,
    cluster: &Cluster,
    object: &RenderedObject,
    local: &[LocalField],
    path: &Text,
) -> Result<ExplainAnswer, Error> {
    let pointer = Pointer::parse(path).map_err(|error| {
        let error = Error::new(Code::BadPointer, error.message).at(JsonPath::ROOT.key("path"));
        error.hint("a JSON pointer, as `/spec/replicas`")
    })?;
    let chain = object_chain(subject, cluster, object, &pointer);
    if chain.is_empty() {
        return explain_local(local, &pointer).ok_or_else(|| nothing(path));
    }
    let rule = |state: LayerState| {
        let retention = object.retained.iter().filter(|_| state == LayerState::Retained);
        let retention = retention.filter(|it| it.path.contains(&pointer)).max_by_key(|it| it.path.segments().len())?;
        Some(RuleAnswer {
            at: subject.retention_origin(&retention.rule).map(|it| PlaceAnswer::of(store.locate(it))),
            mode: retention.mode.as_str().into(),
            name: retention.rule.clone(),
            note: note(&retention.rule).map(Text::new_static),
        })
    };
    let objects = [&object.object];
    let show = |value: Value| Visibility::Redacted(&objects).show(value, &pointer);
    let value = MaybeAbsent(pointer.get(&object.object).cloned().map(show));
    let chain = chain.into_iter().map(|mut link| {
        link.source = match link.source {
            Some(Source::Value(value)) => Some(Source::Value(show(value).into_value())),
            other => other,
        };
        let rule = rule(link.state);
        LinkAnswer { rule, ..LinkAnswer::of(link, store) }
    });
    Ok(ExplainAnswer { value, chain: Some(chain.collect()), ..ExplainAnswer::default() })
}

/// Why a field that only the live object has stays or is removed.
fn explain_local(local: &[LocalField], path: &Pointer) -> Option<ExplainAnswer> {
    let field = local.iter().find(|it| it.change.path.contains(path) || path.contains(&it.change.path))?;
    let LocalChange { path, managers } = &field.change;
    let by = match managers.as_slice() {
        [] => format!("only the live object has `{path}`"),
        names => format!("`{}` set `{path}` in the cluster", names.join("`, `")),
    };
    let text = format!("{by}: {}", field.fate.text());
    let reason = Reason { code: ReasonCode::LocalChange, text, holds: field.fate != Fate::Overwritten };
    let (chain, reasons) = (Some(Vec::new()), Some(vec![ReasonAnswer::from(reason)]));
    Some(ExplainAnswer { chain, reasons, ..ExplainAnswer::default() })
}

fn nothing(path: &Text) -> Error {
    Error::new(Code::NothingThere, format!("no layer sets `{path}`")).at(JsonPath::ROOT.key("path"))
}

impl LinkAnswer {
    fn of(link: Link, store: &Store) -> LinkAnswer {
        let PlaceAnswer { document, path, file, line, column } = PlaceAnswer::origin(link.cause.origin.as_ref(), store);
        let (value, value_from) = split(link.source);
        LinkAnswer {
            layer: link.cause.layer,
            document,
            path,
            file,
            line,
            column,
            value,
            value_from,
            state: link.state,
            rule: None,
            reason: link.reason.map(ReasonAnswer::from),
            beats: link.beats,
        }
    }
}

fn explain_action(workspace: &mut Workspace, id: &Text, out: &mut Vec<Diagnostic>) -> Result<ExplainAnswer, Error> {
    let plan = planned(workspace, None, None, &[], out);
    let held = plan.held.iter().find(|it| it.action.id() == **id);
    let action = plan.actions.iter().find(|it| it.id() == **id).or(held.map(|it| &it.action));
    let Some(action) = action else {
        let error = Error::new(Code::UnknownAction, format!("the plan has no action `{id}`"));
        return Err(error
            .at(JsonPath::ROOT.key("action"))
            .hint("action ids change with the plan; take one from the current `plan` answer"));
    };
    Ok(ExplainAnswer { action: Some(ActionAnswer::of(action, held, false)), ..ExplainAnswer::default() })
}

fn explain_binding(store: &Store, user: &User, set: &Text, out: &mut Vec<Diagnostic>) -> ExplainAnswer {
    let (permission, granted_by) = may_bind(store, user, set, out);
    let check = AuthorizeCheck {
        label: set.to_string(),
        change: Text::new_static("bind"),
        granted: granted_by.is_some(),
        asked: vec![permission.to_string()],
        granted_by: granted_by.map(AuthorizeGrant::from),
    };
    ExplainAnswer { allowed: Some(check.granted), checks: Some(vec![check]), ..ExplainAnswer::default() }
}
