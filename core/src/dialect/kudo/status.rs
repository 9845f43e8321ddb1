//! The statuses of an install, in the words of KUDO's Instances.

use super::install::ObjectStatus;
use super::package::{Install, Part};
use crate::diagnostic::Error;
use crate::engine::matching::Difference;
use crate::object::redacted::Visibility;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Map, Value};
use crate::workspace::plan::{StatusTerms, StatusWord};

/// KUDO's statuses have a word; `Held` is a condition that is added to it.
pub const TERMS: StatusTerms = StatusTerms {
    conditions: &[],
    bad: &[("Held", "True")],
    word: Some(StatusWord {
        path: &["aggregatedStatus", "status"],
        messages: &["planStatus"],
        words: &[
            ("COMPLETE", "PlanComplete", false),
            ("ERROR", "PlanError", true),
            ("FATAL_ERROR", "PlanFatalError", true),
            ("FatalError", "PlanFatalError", true),
            ("IN_PROGRESS", "PlanInProgress", false),
            ("PENDING", "PlanPending", false),
        ],
    }),
};

/// KUDO's status of a plan, a phase or a step with nothing left to do.
pub const COMPLETE: &str = "COMPLETE";

/// How far a step, a phase or a plan is, the least of its parts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    FatalError,
    Error,
    InProgress,
    Pending,
    Complete,
}

impl Word {
    pub fn as_str(self) -> &'static str {
        match self {
            Word::FatalError => "FATAL_ERROR",
            Word::Error => "ERROR",
            Word::InProgress => "IN_PROGRESS",
            Word::Pending => "PENDING",
            Word::Complete => COMPLETE,
        }
    }

    /// The status of several parts: an error counts first. If some are complete, it is in progress.
    fn of(words: impl Iterator<Item = Word>) -> Word {
        let words: Vec<Word> = words.collect();
        match words.iter().min().copied().unwrap_or(Word::Complete) {
            Word::Pending if words.contains(&Word::Complete) => Word::InProgress,
            word => word,
        }
    }
}

/// The status of an OperatorVersion with these objects, and whether its install plan is complete.
pub fn of_version(install: &Install, statuses: &[ObjectStatus]) -> (Map, bool) {
    let parts = || install.parts.iter().zip(statuses);
    let mut by_step: SortedMap<(usize, usize), Vec<(&Part, &ObjectStatus)>> = SortedMap::new();
    for (part, status) in parts() {
        by_step.entry((part.phase, part.step)).or_default().push((part, status));
    }
    let open = parts().filter(|(_, status)| matches!(status, ObjectStatus::Doing(_)));
    let front = open.map(|(part, _)| part.wave).min();
    let (mut phases, mut words) = (Vec::new(), Vec::new());
    for (number, phase) in install.phases.iter().enumerate() {
        let (mut steps, mut step_words) = (Vec::new(), Vec::new());
        for (step, name) in phase.steps.iter().enumerate() {
            let mine = || by_step.get(&(number, step)).into_iter().flatten();
            let word = Word::of(mine().map(|(part, status)| word_of(part, status, front)));
            let mut entry = Map::from_iter([("name", Value::from(name.clone())), ("status", word.as_str().into())]);
            let messages: Vec<String> = mine().filter_map(|(part, status)| message(part, status)).collect();
            if !messages.is_empty() {
                entry.insert("message", messages.join("; "));
            }
            steps.push(Value::from(entry));
            step_words.push(word);
        }
        let word = Word::of(step_words.into_iter());
        phases.push(Value::map([
            ("name", Value::from(phase.name.clone())),
            ("status", word.as_str().into()),
            ("steps", steps.into()),
        ]));
        words.push(word);
    }
    let word = Word::of(words.into_iter());
    let plan = Value::map([
        ("name", Value::from(install.plan.clone())),
        ("status", word.as_str().into()),
        ("phases", phases.into()),
    ]);
    let mut aggregated = Map::from_iter([("status", word.as_str())]);
    if !matches!(word, Word::Complete | Word::FatalError) {
        aggregated.insert("activePlanName", install.plan.clone());
    }
    let plans = Value::map([(install.plan.clone(), plan)]);
    let status = Map::from_iter([("planStatus", plans), ("aggregatedStatus", aggregated.into())]);
    (status, word == Word::Complete)
}

/// The status of an OperatorVersion whose install plan cannot be read.
pub fn of_invalid(plan: Option<&str>, error: &Error) -> Map {
    let fatal = || [("status", Value::from(Word::FatalError.as_str())), ("message", error.message.as_str().into())];
    let mut status = Map::from_iter([("aggregatedStatus", Value::map(fatal()))]);
    if let Some(plan) = plan {
        let entry = [("name", Value::from(plan))].into_iter().chain(fatal());
        status.insert("planStatus", Value::map([(plan, Value::map(entry))]));
    }
    status
}

fn word_of(part: &Part, status: &ObjectStatus, front: Option<i64>) -> Word {
    match status {
        ObjectStatus::Done => Word::Complete,
        ObjectStatus::Doing(_) if front == Some(part.wave) => Word::InProgress,
        ObjectStatus::Unhealthy(_) => Word::InProgress,
        ObjectStatus::Doing(_) | ObjectStatus::Delayed(..) | ObjectStatus::Waiting | ObjectStatus::Unknown => {
            Word::Pending
        }
        stopped if stopped.is_fatal() => Word::FatalError,
        ObjectStatus::Failed(_) | ObjectStatus::Refused(_) | ObjectStatus::Broken(_) => Word::Error,
    }
}

/// Why an object stops or delays the plan.
pub fn message(part: &Part, status: &ObjectStatus) -> Option<String> {
    let why = match status {
        ObjectStatus::Refused(differences) => {
            return Some(format!("`{}` differs at {}", part.identity, places(part, differences)));
        }
        ObjectStatus::Failed(error) => &error.message,
        ObjectStatus::Unhealthy(why) | ObjectStatus::Broken(why) => why,
        _ => return None,
    };
    Some(format!("`{}`: {why}", part.identity))
}

/// Where two objects differ, with both values as far as they may be shown.
fn places(part: &Part, differences: &[Difference]) -> String {
    let objects = [&part.object];
    let visibility = Visibility::Redacted(&objects);
    let shown = |value: &Option<Value>, at: &Pointer| match value {
        Some(value) => shortened(&visibility.show(value.clone(), at).to_canonical()),
        None => "absent".into(),
    };
    let place = |it: &Difference| {
        let (desired, live) = (shown(&it.desired, &it.path), shown(&it.live, &it.path));
        format!("`{}` ({}: desired {desired}, live {live})", it.path, it.kind.as_str())
    };
    differences.iter().map(place).collect::<Vec<_>>().join(", ")
}

/// A status has room for a glance at a value, not for all of it.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}

/// What the status of an Instance becomes while it waits for the install plan of its OperatorVersion, and after that;
/// nothing where it has a life of its own already.
pub fn of_instance(instance: &Value, is_complete: bool) -> Option<Map> {
    let waiting = Value::map([("status", Word::Pending.as_str())]);
    let before = instance.at(&["status", "aggregatedStatus"]);
    let word = before.map_or("", |it| it.text_at(&["status"]));
    let next = match is_complete {
        // Only a status from here is reverted: a plan of its own that is about to start has a name.
        true => before.filter(|it| **it == waiting).map(|_| Value::map([("status", NEVER_RUN)])),
        false => matches!(word, "" | NEVER_RUN).then_some(waiting),
    };
    next.map(|it| Map::from_iter([("aggregatedStatus", it)]))
}

/// KUDO's status of plans that were never requested.
const NEVER_RUN: &str = "NEVER_RUN";
