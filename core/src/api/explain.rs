//! `explain`: why a value is what it is, a cluster is in or out, an action is taken, or a permission is granted.

use super::WorkspaceOperation;
use super::authorize::{AuthorizeCheck, AuthorizeGrant, AuthorizeUser};
use super::diff::result_of;
use super::effective::{cluster_of, subject_of};
use super::null::{Explicit, Given};
use super::place::{PlaceAnswer, shown, split};
use super::plan::{ActionAnswer, moment, planned};
use super::select::ReasonAnswer;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::authorize::rbac::{Rbac, User, is_rbac};
use crate::engine::authorize::{Permission, Question, authorize};
use crate::engine::fold::Source;
use crate::engine::select::cluster_set::is_cluster_set;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::object::secrets;
use crate::record;
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Map, Text, Value};
use crate::workspace::Workspace;
use crate::workspace::explain::{Link, object_chain, option_chain, option_value};
use crate::workspace::store::{Scope, Store, View};

record! {
    request
    /// Asks why. With `subject`, `cluster` and `path`: why a value is what it is. Without `path`: why the cluster is in or
    /// out. With `action`: why a step is taken. With `user`, `cluster` and `labels`: whether and why a user may set labels.
    /// With `user` and `set`: whether and why a user may bind a set of clusters.
    pub struct Explain {
        subject "subject": Option<Text>,
        cluster "cluster": Option<Text>,
        /// An option path, or a JSON pointer into the object.
        path "path": Option<Text>,
        /// `Kind/namespace/name`, where the subject gives several objects.
        object "object": Option<Text>,
        /// The id of an action of the plan.
        action "action": Option<Text>,
        /// The time that the plan was asked for with.
        now "now": Option<Text>,
        user "user": Option<AuthorizeUser>,
        /// The labels to set; null takes one off.
        labels "labels": Option<SortedMap<Text, Given>>,
        /// The set to bind.
        set "set": Option<Text>,
    }
}

record! {
    answer
    /// Why. Which fields there are depends on what was asked.
    pub struct ExplainAnswer {
        value "value": Option<Explicit>,
        value_from "valueFrom": Option<Value>,
        /// Every layer that has something to say about the value, winner first.
        chain "chain": Option<Vec<LinkAnswer>>,
        /// Whether the subject picks the cluster.
        selected "selected": Option<bool>,
        reasons "reasons": Option<Vec<ReasonAnswer>>,
        action "action": Option<ActionAnswer>,
        allowed "allowed": Option<bool>,
        checks "checks": Option<Vec<AuthorizeCheck>>,
        joins "joins": Option<Vec<Text>>,
        leaves "leaves": Option<Vec<Text>>,
    }
}

record! {
    answer
    /// What one layer says about the value.
    pub struct LinkAnswer {
        layer "layer": Text,
        document "document": Option<String>,
        path "path": Option<String>,
        file "file": Option<String>,
        line "line": Option<i64>,
        column "column": Option<i64>,
        value "value": Option<Explicit>,
        value_from "valueFrom": Option<Value>,
        /// `wins`, `shadowed`, `not-applied` or `retained`.
        state "state": &'static str,
        /// Why it has no say.
        reason "reason": Option<ReasonAnswer>,
    }
}

const EMPTY: ExplainAnswer = ExplainAnswer {
    value: None,
    value_from: None,
    chain: None,
    selected: None,
    reasons: None,
    action: None,
    allowed: None,
    checks: None,
    joins: None,
    leaves: None,
};

impl WorkspaceOperation for Explain {
    const NAME: &'static str = "explain";
    type Answer = ExplainAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<ExplainAnswer, Error> {
        workspace.refresh(moment(self.now.as_deref())?);
        match (self.subject, self.cluster, self.action, self.user, self.set) {
            (Some(subject), Some(cluster), None, None, None) => {
                explain_result(workspace, &subject, &cluster, self.path.as_ref(), self.object.as_ref())
            }
            (None, None, Some(action), None, None) => explain_action(workspace, &action, out),
            (None, None, None, Some(user), Some(set)) => {
                Ok(explain_binding(workspace, &User::new(user.name, user.groups), &set, out))
            }
            (None, Some(cluster), None, Some(user), None) => {
                let user = User::new(user.name, user.groups);
                explain_permission(workspace, &user, &cluster, self.labels.unwrap_or_default(), out)
            }
            _ => {
                let message = "`explain` takes `subject` and `cluster`, or `action`, or `user`, `cluster` and `labels`, or `user` and `set`";
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
    let identity = subject_of(workspace, subject, &root.key("subject"))?;
    let Some(state) = workspace.results.get(&identity) else { return Ok(EMPTY) };
    let cluster = cluster_of(store, state, name, &root.key("cluster"))?;
    let subject = state.subject().map_err(Error::clone)?;
    let Some(path) = path else {
        let (selected, reasons) = subject.explain(View { store, now: None }, &cluster);
        let reasons = reasons.into_iter().map(ReasonAnswer::from).collect();
        return Ok(ExplainAnswer { selected: Some(selected), reasons: Some(reasons), ..EMPTY });
    };
    let rendered = result_of(store, state, name, &root.key("cluster"))?;
    if let Some(folded) = &rendered.options {
        let chain = option_chain(subject, &cluster, folded, path);
        let source = option_value(folded, path);
        if chain.is_empty() {
            let known: Vec<&str> = folded.options.iter().map(|it| it.path.as_str()).collect();
            return Err(nothing(path).hint(suggest(path, &known, "options here")));
        }
        let hides = secrets::holds_secret(&folded.values);
        let cover = |source: Option<Source>| match source {
            Some(Source::Value(mut value)) if hides => {
                let place = crate::value::path::OptionPath::parse(path).map(|it| it.pointer()).unwrap_or_default();
                secrets::cover_part(&mut value, &place, &folded.values);
                Some(Source::Value(value))
            }
            source => source,
        };
        let (value, value_from) = split(cover(source).as_ref());
        let chain = chain.into_iter().map(|link| {
            let said = split(cover(link.source.clone()).as_ref());
            LinkAnswer::of(link, said, store)
        });
        return Ok(ExplainAnswer { value, value_from, chain: Some(chain.collect()), ..EMPTY });
    }
    let Some(product) = rendered.object(object, &root.key("object"))? else { return Err(nothing(path)) };
    let pointer = Pointer::parse(path).map_err(|error| {
        Error::new(Code::BadPointer, error.message).at(root.key("path")).hint("a JSON pointer, as `/spec/replicas`")
    })?;
    let chain = object_chain(subject, &cluster, product, &pointer);
    if chain.is_empty() {
        return Err(nothing(path));
    }
    let value = pointer.get(&product.object).map(|it| shown(it.clone(), &product.object, &pointer));
    let chain = chain.into_iter().map(|link| {
        let (value, reference) = split(link.source.as_ref());
        let value = value.map(|it| shown(it.0, &product.object, &pointer));
        LinkAnswer::of(link, (value, reference), store)
    });
    Ok(ExplainAnswer { value, chain: Some(chain.collect()), ..EMPTY })
}

fn nothing(path: &Text) -> Error {
    Error::new(Code::NothingThere, format!("no layer sets `{path}`")).at(JsonPath::ROOT.key("path"))
}

impl LinkAnswer {
    fn of(link: Link, (value, value_from): (Option<Explicit>, Option<Value>), store: &Store) -> LinkAnswer {
        let PlaceAnswer { document, path, file, line, column } = PlaceAnswer::origin(link.cause.origin.as_ref(), store);
        LinkAnswer {
            layer: link.cause.layer,
            document,
            path,
            file,
            line,
            column,
            value,
            value_from,
            state: link.state.as_str(),
            reason: link.reason.map(ReasonAnswer::from),
        }
    }
}

fn explain_action(workspace: &mut Workspace, id: &Text, out: &mut Vec<Diagnostic>) -> Result<ExplainAnswer, Error> {
    let plan = planned(workspace, None, None, out);
    let held = plan.held.iter().find(|it| it.action.id() == **id);
    let action = plan.actions.iter().find(|it| it.id() == **id).or(held.map(|it| &it.action));
    let Some(action) = action else {
        let error = Error::new(Code::UnknownAction, format!("the plan has no action `{id}`"));
        return Err(error.at(JsonPath::ROOT.key("action")).hint("an id is of a plan of what is loaded now"));
    };
    Ok(ExplainAnswer { action: Some(ActionAnswer::of(action, held, false)), ..EMPTY })
}

fn explain_permission(
    workspace: &Workspace,
    user: &User,
    name: &Text,
    labels: SortedMap<Text, Given>,
    out: &mut Vec<Diagnostic>,
) -> Result<ExplainAnswer, Error> {
    let store = &workspace.store;
    let scope = Scope { kind: MANAGED_CLUSTER.into(), namespace: Text::default() };
    let Some(document) = store.cluster_document(&scope, name) else {
        let message = format!("there is no ManagedCluster `{name}`");
        return Err(Error::new(Code::UnknownCluster, message).at(JsonPath::ROOT.key("cluster")));
    };
    let mut new = document.value.clone();
    let metadata = new.get_mut("metadata").and_then(Value::as_map_mut);
    let here = metadata.and_then(|it| it.entry_or("labels", || Map::new().into())).and_then(Value::as_map_mut);
    if let Some(here) = here {
        for (key, value) in labels {
            match value.0 {
                Some(Value::Null) | None => here.remove(&key),
                Some(value) => here.insert(key, value),
            };
        }
    }
    let documents: Vec<Value> =
        store.documents().map(|it| &it.value).filter(|it| is_rbac(it) || is_cluster_set(it)).cloned().collect();
    let question = Question {
        user,
        old: Some(&document.value),
        new: Some(&new),
        documents: &documents,
        reviews: &[],
        roles: true,
        stage: store.settings.stage,
        mode: store.settings.mode,
    };
    let verdict = authorize(&question, out)?;
    Ok(ExplainAnswer {
        allowed: Some(verdict.allowed()),
        checks: Some(verdict.checks.into_iter().map(AuthorizeCheck::from).collect()),
        joins: Some(verdict.joins),
        leaves: Some(verdict.leaves),
        ..EMPTY
    })
}

fn explain_binding(workspace: &Workspace, user: &User, set: &Text, out: &mut Vec<Diagnostic>) -> ExplainAnswer {
    let documents = workspace.store.documents().map(|it| &it.value).filter(|it| is_rbac(it));
    let permission = Permission::bind(set.clone());
    let granted_by = Rbac::read(documents, out).allows(user, permission.request());
    let check = AuthorizeCheck {
        label: set.to_string(),
        change: "bind",
        granted: granted_by.is_some(),
        asked: vec![permission.to_string()],
        granted_by: granted_by.map(AuthorizeGrant::from),
    };
    ExplainAnswer { allowed: Some(check.granted), checks: Some(vec![check]), ..EMPTY }
}
