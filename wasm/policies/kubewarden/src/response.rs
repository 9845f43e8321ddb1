//! What Kubewarden takes as an answer.

use fleetfold_core::Value;
use fleetfold_core::api::admit::AdmitAnswer;
use fleetfold_core::value::Text;

use crate::engine::line;

/// How many problems of settings are reported, and how many characters of each.
const MAX_PROBLEMS: usize = 20;
const MAX_PROBLEM_LENGTH: usize = 1_000;

/// How many characters of a message are reported.
const MAX_MESSAGE_LENGTH: usize = 5_000;

/// What the engine decided.
#[derive(Debug)]
pub struct Verdict {
    /// The answer of `admit`.
    pub answer: AdmitAnswer,
    /// The object with defaults, where some were added.
    pub mutated: Option<Value>,
}

/// Why nothing could be decided, which rejects the change.
#[derive(Debug)]
pub struct Refusal {
    code: i64,
    message: String,
}

impl Verdict {
    /// Message, code and warnings are what the webhook says.
    pub fn respond(&self) -> Value {
        let accepted = self.answer.allowed;
        let mut response = vec![("accepted", Value::from(accepted))];
        if !accepted {
            response.push(("code", Value::from(403_i64)));
            response.push(("message", self.answer.message.as_deref().unwrap_or_default().into()));
        }
        if let Some(mutated) = self.mutated.as_ref().filter(|_| accepted) {
            response.push(("mutated_object", mutated.clone()));
        }
        if let Some(warnings) = &self.answer.warnings {
            response.push(("warnings", Value::list(warnings.iter().map(String::as_str))));
        }
        let annotations = self.annotations();
        if !annotations.is_empty() {
            response.push(("audit_annotations", Value::map(annotations)));
        }
        Value::map(response)
    }

    /// What an audit log should have beside the message.
    fn annotations(&self) -> Vec<(&'static str, String)> {
        let AdmitAnswer { code, joins, leaves, .. } = &self.answer;
        let names = |names: &Option<Vec<Text>>| names.as_deref().unwrap_or_default().join(",");
        let code = code.as_deref().unwrap_or_default().to_owned();
        let all = [("code", code), ("joins", names(joins)), ("leaves", names(leaves))];
        all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
    }
}

impl Refusal {
    /// What was sent cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Refusal {
        Refusal { code: 400, message: message.into() }
    }

    /// The policy is set up wrongly.
    pub fn misconfigured(message: impl Into<String>) -> Refusal {
        Refusal { code: 500, message: message.into() }
    }

    /// What is needed could not be had.
    pub fn unanswered(message: impl AsRef<str>) -> Refusal {
        Refusal { code: 503, message: format!("cannot review the change: {}", message.as_ref()) }
    }

    pub fn respond(&self) -> Value {
        let message = Value::text(line(&self.message, MAX_MESSAGE_LENGTH));
        Value::map([("accepted", Value::from(false)), ("code", self.code.into()), ("message", message)])
    }
}

/// Whether settings can be used.
pub fn settings(problems: &[String]) -> Value {
    let mut answer = vec![("valid", Value::from(problems.is_empty()))];
    if !problems.is_empty() {
        answer.push(("message", report(problems).into()));
    }
    Value::map(answer)
}

/// The first problems, and the number of the others.
pub fn report(problems: &[String]) -> String {
    let mut reported: Vec<String> = problems.iter().take(MAX_PROBLEMS).map(|it| line(it, MAX_PROBLEM_LENGTH)).collect();
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        reported.push(format!("and {more} more"));
    }
    reported.join("; ")
}
