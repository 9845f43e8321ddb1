//! Events: conditions that change between one status and the next.
//!
//! | a condition | is published |
//! |---|---|
//! | whose status has changed | yes |
//! | that is new | unless it is `Unknown`, or reports that nothing is wrong |
//! | of which only the reason or message has changed | no: it would be published again and again |
//!
//! A status word, of an upstream whose statuses have one instead of conditions, is published in the same way. Dialects
//! name the conditions and words of their upstream ([`StatusTerms`]).

use crate::value::Value;
use crate::workspace::store::Store;

/// Something that happened to the object of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub is_warning: bool,
    pub reason: String,
    pub note: String,
}

/// How the statuses of an upstream report problems.
#[derive(Clone, Copy, Debug)]
pub struct StatusTerms {
    /// Where statuses keep conditions, besides `conditions`.
    pub conditions: &'static [&'static [&'static str]],
    /// The types of conditions that can be bad, and the status that is. Nothing is bad about others.
    pub bad: &'static [(&'static str, &'static str)],
    pub word: Option<StatusWord>,
}

/// A word in a status, and the messages that explain it.
#[derive(Clone, Copy, Debug)]
pub struct StatusWord {
    pub path: &'static [&'static str],
    /// Where the messages are, at any depth.
    pub messages: &'static [&'static str],
    /// The words, their event reasons, and which of them are failures.
    pub words: &'static [(&'static str, &'static str, bool)],
}

impl StatusTerms {
    pub const NONE: StatusTerms = StatusTerms { conditions: &[], bad: &[], word: None };
}

/// The terms of Kubernetes' own conditions, which upstreams share.
const COMMON: StatusTerms = StatusTerms {
    conditions: &[&["conditions"]],
    bad: &[("Available", "False"), ("Degraded", "True"), ("Failed", "True"), ("Ready", "False"), ("Stalled", "True")],
    word: None,
};

/// The events of a status that becomes another one.
pub fn events(store: &Store, before: &Value, after: &Value) -> Vec<Event> {
    let terms: Vec<&StatusTerms> =
        std::iter::once(&COMMON).chain(store.all_dialects().iter().map(|it| it.status_terms())).collect();
    let mut events = Vec::new();
    for path in terms.iter().flat_map(|it| it.conditions) {
        let listed = |status| Value::at(status, path).and_then(Value::as_list).into_iter().flatten();
        for condition in listed(after) {
            let kind = condition.text_at(&["type"]);
            let former = listed(before).find(|it| it.text_at(&["type"]) == kind);
            let bad = terms.iter().flat_map(|it| it.bad).find(|(it, _)| *it == kind).map(|(_, bad)| *bad);
            events.extend(turned(former.map(|it| it.text_at(&["status"])), condition, bad));
        }
    }
    for StatusWord { path, messages, words } in terms.iter().filter_map(|it| it.word) {
        let word = after.text_at(path);
        let row = words.iter().find(|(it, ..)| *it == word && before.text_at(path) != word);
        if let Some((_, reason, is_warning)) = row {
            let mut found = Vec::new();
            after.at(messages).into_iter().for_each(|it| add_messages(it, &mut found));
            let note = or(&found.join("; "), || format!("the plan is {word}"));
            events.push(Event { is_warning: *is_warning, reason: (*reason).into(), note });
        }
    }
    events
}

/// The event of a condition, if it is one; `bad` is the status of its type that is a problem.
fn turned(former: Option<&str>, condition: &Value, bad: Option<&str>) -> Option<Event> {
    let text = |key: &str| condition.text_at(&[key]);
    let (kind, status) = (text("type"), text("status"));
    let is_published = match former {
        Some(former) => former != status,
        // A new condition that reports no problem is not an event.
        None => status != "Unknown" && !(bad == Some("True") && status == "False"),
    };
    is_published.then(|| Event {
        is_warning: bad == Some(status),
        reason: or(text("reason"), || if status == "False" { format!("Not{kind}") } else { kind.into() }),
        note: or(text("message"), || format!("{kind} is {status}")),
    })
}

/// The messages anywhere in a value, in the order of its text.
fn add_messages<'v>(value: &'v Value, out: &mut Vec<&'v str>) {
    match value {
        Value::Map(map) => {
            out.extend(map.get("message").and_then(Value::as_text));
            map.iter().for_each(|(_, it)| add_messages(it, out));
        }
        Value::List(items) => items.iter().for_each(|it| add_messages(it, out)),
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
        let workspace = crate::Workspace::default();
        let found = events(&workspace.store, &value(before), &value(after));
        let word = |it: &Event| if it.is_warning { "Warning" } else { "Normal" };
        let found: Vec<_> = found.iter().map(|it| (word(it), it.reason.as_str(), it.note.as_str())).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn a_condition_that_changes_is_an_event() {
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
            r#"{"conditions":[{"type":"Ready","status":"Unknown"},{"type":"Stalled","status":"False"},
                {"type":"Odd","status":"False"}]}"#,
            &[("Normal", "NotOdd", "Odd is False")],
        );
    }

    #[test]
    fn greenhouse_and_kudo_keep_theirs_elsewhere() {
        check(
            r#"{"aggregatedStatus":{"status":"PENDING"}}"#,
            r#"{"aggregatedStatus":{"status":"FatalError"},
                "statusConditions":{"conditions":[{"type":"PluginFailed","status":"True"}]}}"#,
            &[
                ("Warning", "PluginFailed", "PluginFailed is True"),
                ("Warning", "PlanFatalError", "the plan is FatalError"),
            ],
        );
    }
}
