//! Responses in Kubewarden's format.

use fleetfold_core::Value;
use fleetfold_core::api::admit::AdmitAnswer;
use fleetfold_core::value::Text;

use crate::engine::line;

/// How many problems of settings are reported, and how many characters of each.
const MAX_PROBLEMS: usize = 20;
const MAX_PROBLEM_LENGTH: usize = 1_000;

/// How many characters of a message are reported.
const MAX_MESSAGE_LENGTH: usize = 5_000;

/// The decision of the engine.
#[derive(Debug)]
pub struct Verdict {
    /// The answer of `admit`.
    pub answer: AdmitAnswer,
    /// The object with defaults, if some were added.
    pub mutated: Option<Value>,
}

/// A change that is rejected because there is no verdict, and why.
#[derive(Debug)]
pub struct Rejection {
    code: i64,
    message: String,
}

impl Verdict {
    /// Message, code and warnings are those of the webhook.
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

    /// The audit annotations beside the message.
    fn annotations(&self) -> Vec<(&'static str, String)> {
        let AdmitAnswer { code, joins, leaves, .. } = &self.answer;
        let names = |names: &Option<Vec<Text>>| names.as_deref().unwrap_or_default().join(",");
        let code = code.as_deref().unwrap_or_default().to_owned();
        let all = [("code", code), ("joins", names(joins)), ("leaves", names(leaves))];
        all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
    }
}

impl Rejection {
    /// The request cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Rejection {
        Rejection { code: 400, message: message.into() }
    }

    /// The settings of the policy are wrong.
    pub fn misconfigured(message: impl Into<String>) -> Rejection {
        Rejection { code: 500, message: message.into() }
    }

    /// Documents or access reviews are not available.
    pub fn unanswered(message: impl AsRef<str>) -> Rejection {
        Rejection { code: 503, message: format!("cannot review the change: {}", message.as_ref()) }
    }

    pub fn respond(&self) -> Value {
        let message = Value::text(line(&self.message, MAX_MESSAGE_LENGTH));
        Value::map([("accepted", Value::from(false)), ("code", self.code.into()), ("message", message)])
    }
}

/// Whether settings are valid.
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
