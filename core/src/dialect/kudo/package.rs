//! The install plan of an OperatorVersion: which objects it has, where each is written, and in which wave it comes.
//!
//! A plan has phases, a phase has steps, a step has tasks, and a task applies templates. `serial` parts run one after
//! the other, `parallel` ones share their waves. The tasks of a step run in parallel, as in KUDO; only namespaces and
//! definitions come one wave before the objects that may need them. Templates must be rendered already.

use std::cmp::Ordering;

use super::fields;
use super::scope::{CRD, Scopes};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::object::document::{Document, Identity};
use crate::object::fields::scope_error;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::suggest::{Hints, close, suggest};
use crate::value::{JsonPath, Map, Text, Value};
use crate::yaml;

/// The wave of the first objects. The one before is for the finalizer of the OperatorVersion.
pub const FIRST_WAVE: i64 = 1;

/// What installing an OperatorVersion means.
#[derive(Clone, Debug)]
pub struct Install {
    pub plan: Text,
    /// Whether each phase waits for the one before.
    pub is_serial: bool,
    pub phases: Vec<Phase>,
    /// By wave, then in the order of the plan.
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub struct Phase {
    pub name: Text,
    /// Whether each step waits for the one before.
    pub is_serial: bool,
    pub steps: Vec<Text>,
}

impl Install {
    /// Whether an object must be healthy before another one is created or adopted.
    pub fn precedes(&self, first: &Part, second: &Part) -> bool {
        let is_serial = self.phases.get(first.phase).is_none_or(|it| it.is_serial);
        match first.phase.cmp(&second.phase) {
            Ordering::Less => self.is_serial,
            Ordering::Greater => false,
            Ordering::Equal if first.step == second.step => first.wave < second.wave,
            Ordering::Equal => is_serial && first.step < second.step,
        }
    }
}

/// One object of an install plan.
#[derive(Clone, Debug)]
pub struct Part {
    pub object: Value,
    pub identity: Identity,
    /// The name of the template that it is written in.
    pub template: Text,
    pub phase: usize,
    pub step: usize,
    pub wave: i64,
    /// Whether the template leaves the namespace to the OperatorVersion.
    pub is_placed: bool,
}

impl Part {
    /// Where the object is written.
    pub fn origin(&self) -> Pointer {
        template_at(&self.template)
    }
}

pub fn template_at(name: &str) -> Pointer {
    Pointer::of(["spec", "templates", name])
}

/// What the tasks of KUDO do, and why some are not for installing.
pub const TASKS: &[(&str, Option<&str>)] = &[
    ("Apply", None),
    ("Dummy", None),
    ("Delete", Some("installing adds objects and deletes none")),
    ("Toggle", Some("it depends on a parameter of an Instance")),
    ("Pipe", Some("it runs a pod and takes files out of it")),
    ("KudoOperator", Some("it installs another operator")),
];

pub const STRATEGIES: [&str; 2] = ["serial", "parallel"];

/// Reads the install plan, if there is one. Warnings go to `out`.
///
/// # Errors
///
/// The plan, a task or a template of it cannot be used. All but the first of the reasons go to `out`.
pub fn read(document: &Document, scopes: &Scopes, out: &mut Vec<Diagnostic>) -> Result<Option<Install>, Error> {
    if let Some(error) = scope_error(&document.value, &fields::VERSION, &JsonPath::ROOT) {
        return Err(error);
    }
    let spec = document.value.get("spec").unwrap_or(&Value::Null);
    let name = match spec.get("installPlan") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Text(name)) => name,
        Some(other) => {
            let message = format!("`installPlan` must be the name of a plan, not {}", other.kind());
            return Err(Error::new(Code::WrongType, message).at(["spec", "installPlan"]));
        }
    };
    let identity = &document.identity;
    if identity.namespace.is_empty() {
        let message = "an OperatorVersion lives in a namespace, and this one names none";
        let hint = "its objects go to that namespace unless they name another: write `metadata.namespace`";
        return Err(Error::new(Code::MissingField, message).at(["metadata"]).hint(hint));
    }
    let Some(plan) = spec.at(&["plans", name]) else {
        let known: Vec<&str> =
            spec.get("plans").and_then(Value::as_map).into_iter().flat_map(Map::keys).map(Text::as_str).collect();
        let error = Error::new(Code::UnknownPlan, format!("there is no plan `{name}` to install"));
        return Err(error.at(["spec", "installPlan"]).hint(suggest(name, &known, "plans here")));
    };
    let mut reader = Reader {
        spec,
        tasks: tasks(spec),
        identity,
        scopes: scopes.clone(),
        out,
        errors: Vec::new(),
        hints: Hints::default(),
        parts: Vec::new(),
    };
    let (is_serial, phases) = reader.phases(plan, &Pointer::of(["spec", "plans", name]));
    reader.finish(name, is_serial, phases).map(Some)
}

pub type Tasks<'v> = SortedMap<&'v str, (&'v Value, Pointer)>;

/// The tasks of an OperatorVersion by name, each with its place. Of two with one name, the first counts.
pub fn tasks(spec: &Value) -> Tasks<'_> {
    let tasks = items(spec, "tasks", &Pointer::of(["spec"]));
    tasks.into_iter().rev().map(|(task, at)| (task.text_at(&["name"]), (task, at))).collect()
}

/// The elements of a list with their places; none where there is no list.
pub fn items<'v>(value: &'v Value, key: &str, at: &Pointer) -> Vec<(&'v Value, Pointer)> {
    let list = value.get(key).and_then(Value::as_list).into_iter().flatten();
    list.enumerate().map(|(index, item)| (item, at.child(key).child(index.to_string()))).collect()
}

struct Reader<'a> {
    spec: &'a Value,
    tasks: Tasks<'a>,
    identity: &'a Identity,
    scopes: Scopes,
    out: &'a mut Vec<Diagnostic>,
    errors: Vec<Error>,
    hints: Hints,
    parts: Vec<Part>,
}

impl Reader<'_> {
    fn phases(&mut self, plan: &Value, at: &Pointer) -> (bool, Vec<Phase>) {
        let serial = self.is_serial(plan, at);
        let mut start = FIRST_WAVE;
        let mut phases = Vec::new();
        for (number, (phase, at)) in self.list(plan, "phases", at).into_iter().enumerate() {
            let steps_serial = self.is_serial(phase, &at);
            let (mut begin, mut end, mut names) = (start, start, Vec::new());
            for (step_number, (step, at)) in self.list(phase, "steps", &at).into_iter().enumerate() {
                let after = self.step(step, &at, (number, step_number), begin);
                end = end.max(after);
                if steps_serial {
                    begin = after;
                }
                names.push(step.text_at(&["name"]).into());
            }
            if serial {
                start = end;
            }
            phases.push(Phase { name: phase.text_at(&["name"]).into(), is_serial: steps_serial, steps: names });
        }
        (serial, phases)
    }

    /// The elements of a list that must be there: a plan that lacks a part would install less, and delete the rest.
    fn list<'v>(&mut self, value: &'v Value, key: &str, at: &Pointer) -> Vec<(&'v Value, Pointer)> {
        let error = match value.get(key) {
            Some(Value::List(_)) => return items(value, key, at),
            Some(other) if !other.is_null() => {
                Error::new(Code::WrongType, format!("`{key}` must be a list, not {}", other.kind()))
            }
            _ => {
                let keys = value.as_map().into_iter().flat_map(Map::keys).map(Text::as_str);
                let hint = match close(key, keys) {
                    Some(written) => format!("rename `{written}` to `{key}`"),
                    None => format!("write `{key}: []` if there is nothing to do"),
                };
                Error::new(Code::MissingField, format!("`{key}` is missing")).hint(hint)
            }
        };
        self.errors.push(error.at(at.child(key)));
        Vec::new()
    }

    /// Serial is KUDO's default.
    fn is_serial(&mut self, value: &Value, at: &Pointer) -> bool {
        let strategy = value.text_at(&["strategy"]);
        if !strategy.is_empty() && !STRATEGIES.contains(&strategy) {
            let error = Error::new(Code::UnknownValue, format!("unknown strategy `{strategy}`"));
            self.errors.push(error.at(at.child("strategy")).hint(suggest(strategy, &STRATEGIES, "one of")));
        }
        strategy != "parallel"
    }

    /// Reads a step that begins in a wave; answers the wave after it.
    fn step(&mut self, step: &Value, at: &Pointer, (phase, number): (usize, usize), begin: i64) -> i64 {
        let mut found: Vec<(Value, Text)> = Vec::new();
        for (name, at) in self.list(step, "tasks", at) {
            let name = name.as_text().unwrap_or_default();
            match self.tasks.get(name).map(|it| (it.0, it.1.clone())) {
                Some((task, task_at)) => self.task(task, &task_at, &mut found),
                None => {
                    let tasks = self.spec.get("tasks").and_then(Value::as_list).into_iter().flatten();
                    let known: Vec<&str> = tasks.map(|it| it.text_at(&["name"])).collect();
                    let error = Error::new(Code::UnknownTask, format!("there is no task `{name}`"));
                    self.errors.push(error.at(at).hint(self.hints.suggest(name, &known, "tasks here")));
                }
            }
        }
        let ground = found.iter().filter(|(it, _)| is_ground(it)).count();
        let on_top = i64::from(ground > 0);
        for (object, template) in &found {
            let wave = if is_ground(object) { begin } else { begin.saturating_add(on_top) };
            let identity = Identity::of(object).unwrap_or_default();
            let (object, template) = (object.clone(), template.clone());
            self.parts.push(Part { object, identity, template, phase, step: number, wave, is_placed: false });
        }
        let length = on_top.saturating_add(i64::from(found.len() > ground));
        begin.saturating_add(length)
    }

    fn task(&mut self, task: &Value, at: &Pointer, found: &mut Vec<(Value, Text)>) {
        let (name, kind) = (task.text_at(&["name"]), task.text_at(&["kind"]));
        let Some((_, why_not)) = TASKS.iter().find(|(it, _)| *it == kind) else {
            let known: Vec<&str> = TASKS.iter().map(|(it, _)| *it).collect();
            let error = Error::new(Code::UnknownValue, format!("unknown task kind `{kind}`"));
            self.errors.push(error.at(at.child("kind")).hint(suggest(kind, &known, "one of")));
            return;
        };
        if let Some(why) = why_not {
            let message = format!("the task `{name}` is a `{kind}`, which an install plan cannot have: {why}");
            let error = Error::new(Code::TaskNotInstallable, message).at(at.child("kind"));
            self.errors
                .push(error.hint("install with `Apply` tasks alone, and leave the others to plans of Instances"));
            return;
        }
        if kind != "Apply" {
            return;
        }
        for (resource, at) in self.list(task.get("spec").unwrap_or(&Value::Null), "resources", &at.child("spec")) {
            let resource = resource.as_text().unwrap_or_default();
            match self.spec.at(&["templates", resource]).and_then(Value::as_text) {
                Some(text) => {
                    let objects = self.template(resource, text);
                    found.extend(objects.into_iter().map(|object| (object, Text::from(resource))));
                }
                None => {
                    let templates = self.spec.get("templates").and_then(Value::as_map).into_iter();
                    let known: Vec<&str> = templates.flat_map(Map::keys).map(Text::as_str).collect();
                    let error = Error::new(Code::UnknownTemplate, format!("there is no template `{resource}`"));
                    self.errors.push(error.at(at).hint(self.hints.suggest(resource, &known, "templates here")));
                }
            }
        }
    }

    /// The objects of a template.
    fn template(&mut self, name: &str, text: &str) -> Vec<Value> {
        let at = template_at(name);
        if let Some((before, _)) = text.split_once("{{") {
            let line = before.matches('\n').count().saturating_add(1);
            let message = format!("line {line} of the template `{name}` has `{{{{`: it is not rendered");
            let error = Error::new(Code::UnrenderedTemplate, message).at(&at);
            self.errors.push(error.hint("an install plan takes objects as they are: render the template before"));
            return Vec::new();
        }
        let (mut objects, mut findings) = (Vec::new(), Vec::new());
        for parsed in yaml::parse_each(text, Mode::Strict, &mut findings) {
            let parsed = match parsed {
                Ok(parsed) => parsed,
                Err(error) => {
                    let message = format!("line {} of the template `{name}`: {}", error.place.line, error.message);
                    self.errors.push(Error::new(error.code, message).at(&at).maybe_hint(error.hint));
                    continue;
                }
            };
            let mut refused = Vec::new();
            for document in Document::from_value(&parsed.value, &Pointer::root(), &mut refused) {
                if document.value.text_at(&["apiVersion"]).is_empty() {
                    let message = format!("`{}` in the template `{name}` has no `apiVersion`", document.identity);
                    self.errors.push(Error::new(Code::NotAnObject, message).at(&at));
                }
                objects.push(document.value);
            }
            let line = parsed.places.nearest(&Pointer::root()).map_or(1, |it| it.line);
            for it in refused {
                let message = format!("line {line} of the template `{name}`: {}", it.message);
                self.errors.push(Error::new(it.code, message).at(&at));
            }
        }
        for finding in findings {
            let line = finding.at.place.map_or(1, |it| it.line);
            let message = format!("line {line} of the template `{name}`: {}", finding.message);
            let diagnostic = Diagnostic::new(finding.severity, finding.code, message).of(self.identity).at(at.clone());
            self.out.push(Diagnostic { hint: finding.hint, ..diagnostic });
        }
        objects
    }

    /// Sets the namespaces of objects, each once, and returns the install plan unless it has errors.
    fn finish(mut self, plan: &Text, is_serial: bool, phases: Vec<Phase>) -> Result<Install, Error> {
        for part in self.parts.iter().filter(|it| is_kind(&it.object, CRD)) {
            self.scopes.learn(&part.object);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut places: SortedMap<Identity, usize> = SortedMap::new();
        for mut part in std::mem::take(&mut self.parts) {
            self.place(&mut part);
            let place = *places.entry(part.identity.clone()).or_insert(parts.len());
            match parts.get(place) {
                None => parts.push(part),
                Some(first) if first.object == part.object => {}
                Some(first) => {
                    let (name, other) = (&part.identity, &first.template);
                    let message = format!("the template `{other}` also contains `{name}`, with other contents");
                    self.errors.push(Error::new(Code::ObjectConflict, message).at(part.origin()));
                }
            }
        }
        sort_by(&mut parts, |a, b| a.wave.cmp(&b.wave));
        let mut errors = self.errors.into_iter();
        let first = errors.next();
        self.out.extend(errors.map(|it| it.into_diagnostic(Severity::Error).of(self.identity)));
        match first {
            Some(error) => Err(error),
            None => Ok(Install { plan: plan.clone(), is_serial, phases, parts }),
        }
    }

    fn place(&mut self, part: &mut Part) {
        let metadata = part.object.get_mut("metadata").and_then(Value::as_map_mut);
        let Some(metadata) = metadata else { return };
        let says = metadata.get("namespace").is_some_and(|it| !it.is_empty());
        let namespaced = self.scopes.is_namespaced(&part.object);
        let Some(metadata) = part.object.get_mut("metadata").and_then(Value::as_map_mut) else { return };
        if namespaced && !says {
            metadata.insert("namespace", self.identity.namespace.clone());
            part.is_placed = true;
        } else if !namespaced && metadata.remove("namespace").is_some() && says {
            let message =
                format!("objects of the kind `{}` have no namespace: the one given does not count", part.identity.kind);
            self.out.push(Diagnostic::warning(Code::ScopeMismatch, message).of(self.identity).at(part.origin()));
        }
        part.identity = Identity::of(&part.object).unwrap_or_default();
    }
}

/// Whether other objects may need this one: those in a namespace, or of a kind that is being defined.
fn is_ground(object: &Value) -> bool {
    is_kind(object, CRD) || is_kind(object, ("", "Namespace"))
}

fn is_kind(object: &Value, (group, kind): (&str, &str)) -> bool {
    object.text_at(&["kind"]) == kind && crate::object::identity::group_of(object.text_at(&["apiVersion"])) == group
}
