//! Targets that call the engine.

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::cel::Program;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::diff::diff;
use fleetfold_core::engine::patch::patch as apply;
use fleetfold_core::object::secrets::redact_text;
use fleetfold_core::value::json;

use crate::{text_of, two_texts};

/// A request whose answer is known: it follows hostile ones.
const GOOD: &str =
    r#"{"op":"select","selector":"env in (prod)","clusters":[{"name":"a","labels":{"env":"prod"}},{"name":"b"}]}"#;
const GOOD_ANSWER: &str = r#"{"ok":{"clusters":["a"]}}"#;

/// What shows the state of a workspace.
const LOOKS: [&str; 4] =
    [r#"{"op":"plan","reveal":true}"#, r#"{"op":"subjects"}"#, r#"{"op":"clusters"}"#, r#"{"op":"lint"}"#];

const CANARY: &str = "canary-6f2b91c4";

/// An expression compiles and evaluates within its budget, or is refused.
pub fn cel(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    let Ok(program) = Program::compile(text, &["object", "name"]) else { return };
    let object = Value::map([("labels", Value::map([("env", "prod")])), ("replicas", Value::from(3i64))]);
    let variables = [("object", object), ("name", Value::text("eu-1"))];
    let first = program.evaluate(&variables);
    assert_eq!(format!("{first:?}"), format!("{:?}", program.evaluate(&variables)));
}

/// Any bytes get an answer, and the next request gets the right one.
pub fn request(data: &[u8]) {
    let mut workspace = Workspace::default();
    is_answer(&workspace.call_bytes(Some(data)));
    assert_eq!(workspace.call_text(GOOD), GOOD_ANSWER);
}

/// A request a line:
///
/// 1. Each gets an answer.
/// 2. Requests that were refused leave no trace: a workspace that did not receive them is in the same state.
pub fn history(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    let (mut every, mut accepted) = (Workspace::default(), Workspace::default());
    for line in text.lines().take(24) {
        let answer = every.call_text(line);
        is_answer(&answer);
        if !answer.starts_with(r#"{"error""#) {
            assert_eq!(accepted.call_text(line), answer);
        }
    }
    for look in LOOKS {
        assert_eq!(every.call_text(look), accepted.call_text(look));
    }
}

/// Two JSON values, a line each: the difference, applied to the first, gives the second.
pub fn patch(data: &[u8]) {
    let Some((first, second)) = two_texts(data) else { return };
    let (Ok(from), Ok(to)) = (json::parse(first), json::parse(second)) else { return };
    let operations = diff(&from, &to);
    // The identity of an object cannot be patched.
    let Ok(patched) = apply(from, &operations, Mode::Strict, &mut Vec::new()) else { return };
    assert_eq!(patched, to);
}

/// A Secret in any document of a text is redacted, whatever surrounds it.
pub fn redact(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    let redacted = redact_text(text);
    assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count(), "{text}");
    // The line break before the separator ends whatever the input began.
    let secret = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{password: {CANARY}}}\n");
    assert!(!redact_text(&format!("{secret}---\n{text}\n")).text.contains(CANARY), "{text}");
}

fn is_answer(answer: &str) {
    let value = json::parse_answer(answer).unwrap_or_else(|error| panic!("{error:?}: {answer}"));
    let is_one = ["ok", "error"].iter().any(|it| value.get(it).is_some());
    assert!(is_one, "{answer}");
}
