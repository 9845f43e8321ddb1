//! What is held of an OperatorVersion, as the condition `Held` of its status.

use super::kubectl;
use crate::diagnostic::ReasonCode;
use crate::object::timestamp::Timestamp;
use crate::value::{Map, Value};
use crate::workspace::plan::{ALLOW_DELETE, Held};

const HELD: &str = "Held";
const CONDITIONS: &str = "conditions";

/// How many objects a message lists.
const MOST: usize = 5;

/// Writes the condition; without anything held there is none. What waits for other objects alone is not held by a
/// person.
pub fn write(status: &mut Value, held: &[&Held], now: Option<Timestamp>) {
    let waits = |it: &&&Held| matches!(it.code, ReasonCode::WaitsForHeld | ReasonCode::WaitsForHealth);
    let held: Vec<&Held> = held.iter().filter(|it| !waits(it)).copied().collect();
    let Some(status) = status.as_map_mut() else { return };
    let before = status.get(CONDITIONS).and_then(Value::as_list).cloned().unwrap_or_default();
    let (ours, mut all): (Vec<Value>, Vec<Value>) = before.into_iter().partition(|it| it.text_at(&["type"]) == HELD);
    if let Some(first) = held.first() {
        let mut condition = Map::from_iter([
            ("type", Value::from(HELD)),
            ("status", "True".into()),
            ("reason", camel_case(first.code.as_str()).into()),
            ("message", message(&held).into()),
        ]);
        let since = ours.iter().find_map(|it| it.get("lastTransitionTime").cloned());
        if let Some(time) = since.or_else(|| now.map(|it| it.to_string().into())) {
            condition.insert("lastTransitionTime", time);
        }
        all.push(condition.into());
    }
    match all.is_empty() {
        true => status.remove(CONDITIONS),
        false => status.insert(CONDITIONS, all),
    };
}

/// Why actions are held and how to release them, each reason once.
fn message(held: &[&Held]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for Held { action, code, text, hint } in held {
        let line = match code {
            ReasonCode::ProtectedKind => format!(
                "`{}` is not deleted: {text}; to delete it, run `{} {ALLOW_DELETE}=true`",
                action.target.identity(),
                kubectl::annotate(&action.target)
            ),
            _ => format!("{text}; {hint}"),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join(". ")
}

/// A code as the reason of a condition: `protected-kind` is `ProtectedKind`.
fn camel_case(code: &str) -> String {
    let mut text = String::new();
    for word in code.split('-') {
        let mut letters = word.chars();
        text.extend(letters.next().map(|it| it.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}
