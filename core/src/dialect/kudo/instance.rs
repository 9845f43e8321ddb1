//! Instances: which OperatorVersion they are of, and whether their parameters would be taken.
//!
//! | parameters of an Instance | answer of KUDO |
//! |---|---|
//! | one that its OperatorVersion does not have | denied |
//! | a value that is no string, not of the type, or not among the allowed ones | denied |
//! | an immutable one changed | denied |
//! | an upgrade that brings an immutable one, without a value for it | denied |
//! | changes that trigger different plans | denied: one change runs one plan |
//!
//! The change is the one from the Instance that the hub has to the document.

use super::package::items;
use super::{GROUP, INSTANCE, KIND};
use crate::diagnostic::{Code, Diagnostic};
use crate::object::document::{Document, Identity};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::suggest::{did_you_mean, suggest};
use crate::value::{Map, Number, Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::store::View;
use crate::yaml;

/// The plan that creating an Instance runs.
const DEPLOY: &str = "deploy";

/// The plan that changing a parameter runs by default.
const UPDATE: &str = "update";

/// The Instances of an OperatorVersion.
pub fn of_version<'a>(view: View<'a>, version: &'a Identity) -> impl Iterator<Item = &'a Document> {
    view.store.of_kind(GROUP, INSTANCE, None).filter(|it| version_of(&it.value, &it.identity.namespace) == *version)
}

/// The OperatorVersion of an Instance; without a namespace of its own it is in that of the Instance.
fn version_of(instance: &Value, namespace: &Text) -> Identity {
    let named = instance.text_at(&["spec", "operatorVersion", "namespace"]);
    Identity {
        kind: KIND.into(),
        group: GROUP.into(),
        namespace: if named.is_empty() { namespace.clone() } else { named.into() },
        name: instance.text_at(&["spec", "operatorVersion", "name"]).into(),
    }
}

/// Reports the errors of an Instance.
pub fn lint(view: View, instance: &Document, out: &mut Vec<Diagnostic>) {
    let version = version_of(&instance.value, &instance.identity.namespace);
    let at = Pointer::of(["spec", "operatorVersion", "name"]);
    let located = |finding: Diagnostic, at: Pointer| finding.of(&instance.identity).at(at);
    let Some(document) = view.store.document(&version) else {
        let known: Vec<&str> =
            view.store.of_kind(GROUP, KIND, Some(&version.namespace)).map(|it| it.identity.name.as_str()).collect();
        let hint = did_you_mean(&version.name, known);
        let finding = Diagnostic::error(Code::UnknownDocument, format!("`{version}` is not loaded"));
        out.push(Diagnostic { hint, ..located(finding, at) });
        return;
    };
    let spec = document.value.get("spec").unwrap_or(&Value::Null);
    if spec.at(&["plans", DEPLOY]).is_none() {
        let message = format!("`{version}` has no plan `{DEPLOY}`, so no Instance of it can be created");
        out.push(located(Diagnostic::error(Code::UnknownPlan, message), at));
    }
    let parameters = Parameters::of(spec);
    let before = earlier(view, instance);
    let root = Pointer::of(["spec", "parameters"]);
    let given = instance.value.at(&["spec", "parameters"]).and_then(Value::as_map);
    for (name, value) in given.into_iter().flat_map(Map::iter) {
        let Some(parameter) = parameters.find(name) else {
            let known: Vec<&str> = parameters.0.iter().map(|it| it.text_at(&["name"])).collect();
            let message = format!("`{version}` has no parameter `{name}`");
            let finding = located(Diagnostic::error(Code::UnknownParameter, message), root.child(name.clone()));
            out.push(finding.hint(suggest(name, &known, "parameters there")));
            continue;
        };
        if let Some(problem) = type_problem(parameter, value) {
            let message = format!("the parameter `{name}` {problem}");
            out.push(located(Diagnostic::error(Code::BadParameterValue, message), root.child(name.clone())));
        }
    }
    for parameter in &parameters.0 {
        let name = parameter.text_at(&["name"]);
        let required = parameter.get("required").and_then(Value::as_bool).unwrap_or(true);
        let is_given = given.is_some_and(|it| it.contains(name));
        if required && !is_given && parameter.get("default").is_none_or(Value::is_null) {
            let message = format!("the parameter `{name}` is required and has no value");
            out.push(located(Diagnostic::error(Code::MissingParameter, message), Pointer::of(["spec"])));
        }
    }
    if let Some(before) = before {
        lint_change(view, instance, before, &parameters, spec, out);
    }
}

/// The Instance that the hub has, where the document is a change of it.
fn earlier<'a>(view: View<'a>, instance: &Document) -> Option<&'a Value> {
    match view.store.observed(HUB)?.observation(&instance.identity) {
        Observation::Present(live) => Some(live),
        Observation::Absent | Observation::Unknown => None,
    }
}

fn lint_change(
    view: View,
    instance: &Document,
    before: &Value,
    parameters: &Parameters,
    spec: &Value,
    out: &mut Vec<Diagnostic>,
) {
    let old = version_of(before, &instance.identity.namespace);
    let old = view.store.document(&old).map(|it| Parameters::of(it.value.get("spec").unwrap_or(&Value::Null)));
    let value = |instance: &Value, name: &str| instance.at(&["spec", "parameters", name]).cloned();
    let mut triggered: SortedSet<Text> = SortedSet::new();
    for parameter in &parameters.0 {
        let name = parameter.text_at(&["name"]);
        let place = Pointer::of(["spec", "parameters", name]);
        let known_before = old.as_ref().is_none_or(|it| it.find(name).is_some());
        let (was, is) = (value(before, name), value(&instance.value, name));
        if parameter.get("immutable") == Some(&Value::Bool(true)) {
            let default = parameter.get("default").cloned();
            let problem = match (&was, &is) {
                (None, None) if !known_before => Some("comes with the upgrade, is immutable, and has no value"),
                (Some(was), is) if is.as_ref().or(default.as_ref()) != Some(was) => {
                    Some("is immutable, and is changed")
                }
                _ => None,
            };
            if let Some(problem) = problem {
                let message = format!("the parameter `{name}` {problem}");
                out.push(Diagnostic::error(Code::ImmutableParameter, message).of(&instance.identity).at(place));
                continue;
            }
        }
        if was != is {
            triggered.extend(trigger(parameter, spec));
        }
    }
    if triggered.len() > 1 {
        let plans: Vec<String> = triggered.iter().map(|it| format!("`{it}`")).collect();
        let message = format!("the changed parameters run different plans: {}", plans.join(", "));
        let finding = Diagnostic::error(Code::TriggerConflict, message).of(&instance.identity);
        let finding = finding.at(Pointer::of(["spec", "parameters"]));
        out.push(finding.hint("change them one plan at a time"));
    }
}

/// The plan that a change of a parameter runs, if there is one.
pub fn trigger(parameter: &Value, spec: &Value) -> Option<Text> {
    let said = parameter.text_at(&["trigger"]);
    let exists = |plan: &&str| spec.at(&["plans", *plan]).is_some();
    let plan = if said.is_empty() { [UPDATE, DEPLOY].into_iter().find(exists) } else { Some(said) };
    plan.map(Text::from)
}

struct Parameters<'v>(Vec<&'v Value>);

impl<'v> Parameters<'v> {
    fn of(spec: &'v Value) -> Parameters<'v> {
        Parameters(items(spec, "parameters", &Pointer::root()).into_iter().map(|(it, _)| it).collect())
    }

    fn find(&self, name: &str) -> Option<&'v Value> {
        self.0.iter().find(|it| it.text_at(&["name"]) == name).copied()
    }
}

/// The types of parameters, and what a value of each is, as KUDO reads it from the string.
type Accepts = fn(&Value) -> bool;
pub const TYPES: &[(&str, &str, Accepts)] = &[
    ("string", "a string", |_| true),
    ("integer", "an integer", |it| matches!(it, Value::Number(Number::Int(_)))),
    ("number", "a number", |it| matches!(it, Value::Number(_))),
    ("boolean", "true or false", |it| it.as_bool().is_some()),
    ("array", "a list", |it| it.as_list().is_some()),
    ("map", "a map", |it| it.as_map().is_some()),
];

/// What is wrong with the value of a parameter, if anything.
pub fn type_problem(parameter: &Value, value: &Value) -> Option<String> {
    let Some(text) = value.as_text() else {
        return Some(format!("is {}, and an Instance has strings only: put it in quotes", value.kind()));
    };
    let allowed = parameter.get("enum").and_then(Value::as_list);
    if allowed.is_some_and(|allowed| !allowed.iter().any(|it| it.as_text() == Some(text))) {
        return Some("has a value that is not among the allowed ones".into());
    }
    let said = parameter.text_at(&["value-type"]);
    let (_, wanted, accepts) = TYPES.iter().find(|(name, ..)| *name == said)?;
    let parsed = yaml::parse(text, crate::diagnostic::Mode::Compat, &mut Vec::new()).ok();
    let read = parsed.and_then(|it| it.into_iter().next()).map(|it| it.value).unwrap_or_default();
    (said != "string" && !accepts(&read)).then(|| format!("is not {wanted}"))
}
