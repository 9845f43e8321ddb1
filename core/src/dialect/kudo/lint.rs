//! What is wrong with the documents of KUDO beyond what keeps an install plan from being read.

use super::package::{self, Install, STRATEGIES, TASKS, items, tasks};
use super::scope::Scopes;
use super::{GROUP, INSTANCE, KIND, OPERATOR, claims, instance};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::matching::differences;
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::suggest::{Hints, suggest};
use crate::value::{Map, Text, Value};
use crate::workspace::store::View;

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    for version in view.store.of_kind(GROUP, KIND, None) {
        lint_version(view, version, out);
    }
    for instance in view.store.of_kind(GROUP, INSTANCE, None) {
        instance::lint(view, instance, out);
    }
    for operator in view.store.of_kind(GROUP, OPERATOR, None) {
        lint_install_plan(operator, out);
    }
    claims::lint(view, out);
    lint_shared(view, out);
}

/// In a KUDO package `installPlan` is written in `operator.yaml`, which is not the Operator.
fn lint_install_plan(operator: &Document, out: &mut Vec<Diagnostic>) {
    for at in [&["spec", "installPlan"][..], &["installPlan"]] {
        if operator.value.at(at).is_some() {
            let message = "`installPlan` of an Operator has no effect";
            let finding = Diagnostic::warning(Code::IgnoredField, message).of(&operator.identity);
            let hint = "write `spec.installPlan` in the OperatorVersion, next to the plan that it names";
            out.push(finding.at(Pointer::of(at.iter().copied())).hint(hint));
        }
    }
}

fn lint_version(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    let spec = document.value.get("spec").unwrap_or(&Value::Null);
    let mut found = Vec::new();
    lint_operator(view, document, spec, &mut found);
    lint_parameters(spec, &mut found);
    lint_tasks(spec, &mut found);
    lint_plans(spec, &mut found);
    out.extend(found.into_iter().map(|it: Diagnostic| it.of(&document.identity)));
}

fn lint_operator(view: View, document: &Document, spec: &Value, out: &mut Vec<Diagnostic>) {
    let name = spec.text_at(&["operator", "name"]);
    let operator = Identity {
        kind: OPERATOR.into(),
        group: GROUP.into(),
        namespace: document.identity.namespace.clone(),
        name: name.into(),
    };
    if view.store.document(&operator).is_none() {
        let message = format!("`{operator}` is not loaded");
        out.push(Diagnostic::warning(Code::UnknownDocument, message).at(Pointer::of(["spec", "operator", "name"])));
    }
}

fn lint_parameters(spec: &Value, out: &mut Vec<Diagnostic>) {
    let parameters = items(spec, "parameters", &Pointer::of(["spec"]));
    repeated(&parameters, "parameter", out);
    let mut hints = Hints::default();
    for (parameter, at) in &parameters {
        let name = parameter.text_at(&["name"]);
        let kind = parameter.text_at(&["value-type"]);
        let known: Vec<&str> = instance::TYPES.iter().map(|(it, ..)| *it).collect();
        if !kind.is_empty() && !known.contains(&kind) {
            let message = format!("unknown parameter type `{kind}`");
            let finding = Diagnostic::error(Code::UnknownValue, message).at(at.child("value-type"));
            out.push(finding.hint(suggest(kind, &known, "one of")));
        }
        if let Some(default) = parameter.get("default").filter(|it| it.as_text().is_some())
            && let Some(problem) = instance::type_problem(parameter, default)
        {
            let message = format!("the default of the parameter `{name}` {problem}");
            out.push(Diagnostic::error(Code::BadParameterValue, message).at(at.child("default")));
        }
        match instance::trigger(parameter, spec) {
            Some(plan) if spec.at(&["plans", &plan]).is_some() => {}
            Some(plan) => {
                let message = format!("the parameter `{name}` runs the plan `{plan}`, which there is not");
                let finding = Diagnostic::error(Code::UnknownPlan, message).at(at.child("trigger"));
                out.push(finding.hint(hints.suggest(&plan, &plans(spec), "plans here")));
            }
            None => {
                let message = format!("the parameter `{name}` runs no plan: there is neither `update` nor `deploy`");
                out.push(Diagnostic::warning(Code::UnknownPlan, message).at(at.clone()));
            }
        }
    }
}

fn plans(spec: &Value) -> Vec<&str> {
    spec.get("plans").and_then(Value::as_map).into_iter().flat_map(Map::keys).map(Text::as_str).collect()
}

/// Tasks of the install plan are checked when it is read; these are the others.
fn lint_tasks(spec: &Value, out: &mut Vec<Diagnostic>) {
    let tasks = items(spec, "tasks", &Pointer::of(["spec"]));
    repeated(&tasks, "task", out);
    let templates = spec.get("templates").and_then(Value::as_map);
    let known: Vec<&str> = templates.into_iter().flat_map(Map::keys).map(Text::as_str).collect();
    let (installed, mut hints) = (installed(spec), Hints::default());
    for (task, at) in tasks.iter().filter(|(task, _)| !installed.contains(&task.text_at(&["name"]))) {
        let kind = task.text_at(&["kind"]);
        if !TASKS.iter().any(|(it, _)| *it == kind) {
            let kinds: Vec<&str> = TASKS.iter().map(|(it, _)| *it).collect();
            let finding = Diagnostic::error(Code::UnknownValue, format!("unknown task kind `{kind}`"));
            out.push(finding.at(at.child("kind")).hint(suggest(kind, &kinds, "one of")));
        }
        for (resource, at) in task.get("spec").into_iter().flat_map(|it| items(it, "resources", &at.child("spec"))) {
            let resource = resource.as_text().unwrap_or_default();
            if templates.is_none_or(|it| !it.contains(resource)) {
                let finding = Diagnostic::error(Code::UnknownTemplate, format!("there is no template `{resource}`"));
                out.push(finding.at(at).hint(hints.suggest(resource, &known, "templates here")));
            }
        }
    }
}

/// The tasks of the install plan.
fn installed(spec: &Value) -> SortedSet<&str> {
    let Some(plan) = spec.at(&["plans", spec.text_at(&["installPlan"])]) else { return SortedSet::new() };
    let root = Pointer::root();
    let phases = items(plan, "phases", &root).into_iter();
    let steps = phases.flat_map(|(phase, _)| items(phase, "steps", &root));
    let tasks = steps.flat_map(|(step, _)| items(step, "tasks", &root));
    tasks.filter_map(|(task, _)| task.as_text()).collect()
}

fn lint_plans(spec: &Value, out: &mut Vec<Diagnostic>) {
    let install = spec.text_at(&["installPlan"]);
    let (tasks, mut hints) = (tasks(spec), Hints::default());
    let list = spec.get("tasks").and_then(Value::as_list).into_iter().flatten();
    let known: Vec<&str> = list.map(|it| it.text_at(&["name"])).collect();
    for name in plans(spec) {
        let plan = spec.at(&["plans", name]).unwrap_or(&Value::Null);
        let at = Pointer::of(["spec", "plans", name]);
        let phases = items(plan, "phases", &at);
        repeated(&phases, "phase", out);
        let is_told = name == install;
        let mut ordered = vec![(plan, at)];
        for (phase, at) in phases {
            let steps = items(phase, "steps", &at);
            repeated(&steps, "step", out);
            ordered.push((phase, at));
            for (task_name, at) in steps.iter().filter(|_| !is_told).flat_map(|(step, at)| items(step, "tasks", at)) {
                let task_name = task_name.as_text().unwrap_or_default();
                if tasks.get(task_name).is_none() {
                    let finding = Diagnostic::error(Code::UnknownTask, format!("there is no task `{task_name}`"));
                    out.push(finding.at(at).hint(hints.suggest(task_name, &known, "tasks here")));
                }
            }
        }
        for (part, at) in ordered.into_iter().filter(|_| !is_told) {
            let strategy = part.text_at(&["strategy"]);
            if !strategy.is_empty() && !STRATEGIES.contains(&strategy) {
                let finding = Diagnostic::error(Code::UnknownValue, format!("unknown strategy `{strategy}`"));
                out.push(finding.at(at.child("strategy")).hint(suggest(strategy, &STRATEGIES, "one of")));
            }
        }
    }
}

/// Of two things with one name, KUDO takes either.
fn repeated(named: &[(&Value, Pointer)], what: &str, out: &mut Vec<Diagnostic>) {
    let mut known = SortedSet::new();
    for (item, at) in named {
        let name = item.text_at(&["name"]);
        if !known.insert(name) {
            let message = format!("there is another {what} `{name}`");
            out.push(Diagnostic::error(Code::DuplicateName, message).at(at.child("name")));
        }
    }
}

/// Tells of objects that two OperatorVersions want with different contents: the second to come will not get its own.
fn lint_shared(view: View, out: &mut Vec<Diagnostic>) {
    let scopes = Scopes::of(view);
    let mut first: SortedMap<Identity, (&Identity, Value)> = SortedMap::new();
    for version in view.store.of_kind(GROUP, KIND, None).filter(|it| !is_terminating(&it.value)) {
        let Ok(Some(Install { parts, .. })) = package::read(version, &scopes, &mut Vec::new()) else { continue };
        for part in parts {
            let Some((other, object)) = first.get(&part.identity) else {
                first.insert(part.identity.clone(), (&version.identity, part.object));
                continue;
            };
            if !differences(&part.object, object, None).is_empty() {
                let message =
                    format!("`{}` is in the install plan of `{other}` too, with other contents", part.identity);
                let hint = "one of the two cannot be installed while the other is: make them equal, or rename one";
                let finding = Diagnostic::warning(Code::ObjectConflict, message).of(&version.identity);
                out.push(finding.at(part.origin()).hint(hint));
            }
        }
    }
}
