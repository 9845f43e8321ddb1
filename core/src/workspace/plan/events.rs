//! Events: conditions that change between one status and the next.
//!
//! | a condition | is published |
//! |---|---|
//! | whose status has changed | yes |
//! | that is new | unless it is `Unknown`, or reports that nothing is wrong |
//! | of which only the reason or message has changed | no: it would be published again and again |
//!
//! A KUDO status has no conditions, but a status word, which is published in the same way.

use crate::value::Value;

/// Something that happened to the object of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub is_warning: bool,
    pub reason: String,
    pub note: String,
}

/// Where statuses keep their conditions.
const CONDITIONS: &[&[&str]] = &[&["conditions"], &["statusConditions", "conditions"]];

/// The path of the status word of KUDO, which has no conditions.
const WORD: &[&str] = &["aggregatedStatus", "status"];
const STEPS: &[&str] = &["planStatus"];

/// The types of conditions that can be bad, and the status that is. Nothing is bad about others.
const BAD: &[(&str, &str)] = &[
    ("AllPluginsReady", "False"),
    ("Available", "False"),
    ("Bound", "False"),
    ("CRDsAreReady", "False"),
    ("ClusterListEmpty", "True"),
    ("Degraded", "True"),
    ("DeploymentsAreReady", "False"),
    ("Failed", "True"),
    ("Held", "True"),
    ("Offline", "True"),
    ("PlacementMisconfigured", "True"),
    ("PlacementSatisfied", "False"),
    ("PluginDefinitionNotFound", "True"),
    ("PluginFailed", "True"),
    ("PluginSkipped", "True"),
    ("Propagation", "False"),
    ("Ready", "False"),
    ("Stalled", "True"),
];

/// KUDO's status words, their event reasons, and which of them are failures.
const WORDS: &[(&str, &str, bool)] = &[
    ("COMPLETE", "PlanComplete", false),
    ("ERROR", "PlanError", true),
    ("FATAL_ERROR", "PlanFatalError", true),
    ("FatalError", "PlanFatalError", true),
    ("IN_PROGRESS", "PlanInProgress", false),
    ("PENDING", "PlanPending", false),
];

/// The events of a status that becomes another one.
pub fn events(before: &Value, after: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    for path in CONDITIONS {
        let listed = |status| Value::at(status, path).and_then(Value::as_list).into_iter().flatten();
        for condition in listed(after) {
            let kind = condition.text_at(&["type"]);
            let former = listed(before).find(|it| it.text_at(&["type"]) == kind);
            events.extend(turned(former.map(|it| it.text_at(&["status"])), condition));
        }
    }
    let word = after.text_at(WORD);
    if let Some((_, reason, is_warning)) = WORDS.iter().find(|(it, ..)| *it == word && before.text_at(WORD) != word) {
        let mut said = Vec::new();
        after.at(STEPS).into_iter().for_each(|it| messages(it, &mut said));
        let note = or(&said.join("; "), || format!("the plan is {word}"));
        events.push(Event { is_warning: *is_warning, reason: (*reason).into(), note });
    }
    events
}

fn turned(former: Option<&str>, condition: &Value) -> Option<Event> {
    let text = |key: &str| condition.text_at(&[key]);
    let (kind, status) = (text("type"), text("status"));
    let bad = BAD.iter().find(|(it, _)| *it == kind).map(|(_, bad)| *bad);
    let is_told = match former {
        Some(former) => former != status,
        // A new condition that reports no problem is not an event.
        None => status != "Unknown" && !(bad == Some("True") && status == "False"),
    };
    is_told.then(|| Event {
        is_warning: bad == Some(status),
        reason: or(text("reason"), || if status == "False" { format!("Not{kind}") } else { kind.into() }),
        note: or(text("message"), || format!("{kind} is {status}")),
    })
}

/// The messages anywhere in a value, in the order of its text.
fn messages<'v>(value: &'v Value, out: &mut Vec<&'v str>) {
    match value {
        Value::Map(map) => {
            out.extend(map.get("message").and_then(Value::as_text));
            map.iter().for_each(|(_, it)| messages(it, out));
        }
        Value::List(items) => items.iter().for_each(|it| messages(it, out)),
        _ => {}
    }
}

fn or(text: &str, otherwise: impl FnOnce() -> String) -> String {
    if text.is_empty() { otherwise() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, want: &[(&str, &str, &str)]) {
        let value = |text: &str| crate::value::json::parse(text).expect("a test writes JSON");
        let found = events(&value(before), &value(after));
        let word = |it: &Event| if it.is_warning { "Warning" } else { "Normal" };
        let found: Vec<_> = found.iter().map(|it| (word(it), it.reason.as_str(), it.note.as_str())).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn a_condition_that_turns_is_told() {
        check(
            r#"{"conditions":[{"type":"Ready","status":"True"}]}"#,
            r#"{"conditions":[{"type":"Ready","status":"False","reason":"Blocked","message":"why"}]}"#,
            &[("Warning", "Blocked", "why")],
        );
    }

    #[test]
    fn another_message_alone_is_not() {
        let ready =
            |message: &str| format!(r#"{{"conditions":[{{"type":"Ready","status":"False","message":"{message}"}}]}}"#);
        check(&ready("a"), &ready("b"), &[]);
    }

    #[test]
    fn what_is_new_and_unknown_or_harmless_is_not() {
        check(
            "{}",
            r#"{"conditions":[{"type":"Ready","status":"Unknown"},{"type":"Stalled","status":"False"},{"type":"Odd","status":"False"}]}"#,
            &[("Normal", "NotOdd", "Odd is False")],
        );
    }

    #[test]
    fn greenhouse_and_kudo_keep_theirs_elsewhere() {
        check(
            r#"{"aggregatedStatus":{"status":"PENDING"}}"#,
            r#"{"aggregatedStatus":{"status":"FatalError"},"statusConditions":{"conditions":[{"type":"PluginFailed","status":"True"}]}}"#,
            &[
                ("Warning", "PluginFailed", "PluginFailed is True"),
                ("Warning", "PlanFatalError", "the plan is FatalError"),
            ],
        );
    }
}
