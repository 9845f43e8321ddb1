//! Pauses: an annotation on an object, its subject, its cluster or its namespace that holds every action.
//!
//! | value of `fleetfold.dev/paused` | |
//! |---|---|
//! | absent, or `"false"` | not paused |
//! | `"true"` | paused |
//! | any other, such as `"True"` or `"yes"` | paused, and a finding: somebody meant something by it |

use super::Action;
use crate::diagnostic::{Code, Diagnostic};
use crate::object::document::{Document, Identity};
use crate::object::kinds::upstreams::PAUSE_SCOPES;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::observed::HUB;
use crate::workspace::store::{Scope, Store};

/// The annotation that stops everything about an object, a cluster or a subject.
const PAUSED: &str = "fleetfold.dev/paused";

const VALUES: [&str; 2] = ["true", "false"];

/// What is paused, in words, and how to end the pause.
pub struct Pause {
    pub text: String,
    pub hint: String,
}

impl Pause {
    /// The pause that stops an action, if there is one.
    pub fn of(store: &Store, action: &Action) -> Option<Pause> {
        if store.settings.paused {
            return Some(Pause { text: "the fleet is paused".into(), hint: "configure `paused: false`".into() });
        }
        let subject = || store.document(&action.subject).map(|it| &it.value);
        let holder = || holder_of(store, &action.subject);
        Pause::by(subject(), || format!("`{}`", action.subject))
            .or_else(|| Pause::by(action.live.as_ref(), || format!("`{}`", action.target.identity())))
            .or_else(|| holder().and_then(|it| Pause::by(Some(&it.value), || format!("`{}`", it.identity))))
            .or_else(|| {
                let cluster = cluster_of(store, action)?;
                Pause::by(Some(&cluster.value), || format!("the cluster `{}`", cluster.identity.name))
            })
    }

    fn by(object: Option<&Value>, name: impl FnOnce() -> String) -> Option<Pause> {
        let value = annotation(object?).filter(|it| it.as_text() != Some("false"))?;
        let why = match value.as_text() {
            Some("true") => String::new(),
            _ => format!(": the value of `{PAUSED}` is {}, which pauses like `\"true\"`", shown(value)),
        };
        Some(Pause { text: format!("{} is paused{why}", name()), hint: format!("remove the annotation `{PAUSED}`") })
    }
}

/// Whether everything that a subject does is stopped.
pub fn is_paused(store: &Store, subject: &Identity) -> bool {
    store.document(subject).is_some_and(|it| pauses(&it.value)) || holder_of(store, subject).is_some()
}

/// Reports a value that is neither true nor false.
pub fn check(document: &Document, out: &mut Vec<Diagnostic>) {
    let Some(value) = annotation(&document.value) else { return };
    if !value.as_text().is_some_and(|it| VALUES.contains(&it)) {
        let message = format!("{} is neither `\"true\"` nor `\"false\"`, and pauses like `\"true\"`", shown(value));
        let place = Pointer::of(["metadata", "annotations", PAUSED]);
        let finding = Diagnostic::warning(Code::UnknownValue, message).of(&document.identity).at(place);
        out.push(finding.hint(format!("write `{PAUSED}: \"true\"`, or remove the annotation")));
    }
}

fn annotation(object: &Value) -> Option<&Value> {
    object.at(&["metadata", "annotations", PAUSED])
}

fn pauses(object: &Value) -> bool {
    annotation(object).is_some_and(|it| it.as_text() != Some("false"))
}

fn shown(value: &Value) -> String {
    match value.as_text() {
        Some(text) => format!("`\"{text}\"`"),
        None => format!("`{}`", value.to_canonical()),
    }
}

/// The Organization or Namespace of a subject, if it is paused.
fn holder_of<'s>(store: &'s Store, subject: &Identity) -> Option<&'s Document> {
    let holder = |(kind, group): (&str, &str)| {
        let namespace = "".into();
        store.document(&Identity { kind: kind.into(), group: group.into(), namespace, name: subject.namespace.clone() })
    };
    PAUSE_SCOPES.into_iter().filter_map(holder).find(|it| pauses(&it.value))
}

/// The cluster of an action, if it is paused. A cluster is known by its name in whichever system has it; what it needs
/// on the hub carries its name, and a decision takes it out.
fn cluster_of<'s>(store: &'s Store, action: &Action) -> Option<&'s Document> {
    let name = match action.cluster.as_str() {
        HUB => action.body.as_ref().or(action.live.as_ref()).map_or("", |it| it.text_at(&["spec", "clusterName"])),
        name => name,
    };
    let names = || [name].into_iter().chain(action.leaving.iter().map(Text::as_str)).filter(|it| !it.is_empty());
    let paused = |scope: &Scope, name: &str| store.cluster_document(scope, name).filter(|it| pauses(&it.value));
    store.fleets().find_map(|(scope, _)| names().find_map(|name| paused(scope, name)))
}
