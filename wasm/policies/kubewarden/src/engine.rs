//! How the engine is asked, and its errors as sentences.

use fleetfold_core::api::{Answered, Finding, Op, Refusal};
use fleetfold_core::diagnostic::{Error, Severity, read};
use fleetfold_core::value::json;
use fleetfold_core::{Value, Workspace};

/// The most bytes of a review that are read: as large as API servers send them, and settings beside it.
pub const REVIEW: usize = 8 << 20;

/// The most bytes that a host answers.
pub const ANSWER: usize = 32 << 20;

/// Reads what a host sends, up to so many bytes.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read_json(bytes: &[u8], most: usize) -> Result<Value, String> {
    if bytes.len() > most {
        return Err(format!("it has {} bytes, and may have {most}", bytes.len()));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 from byte {} on", error.valid_up_to()))?;
    json::parse(text).map_err(|error| sentence(&error.into()))
}

/// Asks the engine.
///
/// # Errors
///
/// Why there is no answer, in a sentence.
pub fn ask<O: Op>(workspace: &mut Workspace, request: O) -> Result<Answered<O::Answer>, String> {
    workspace.call(request).map_err(|error| sentence(&error))
}

/// Reads a request from fields that people wrote.
///
/// # Errors
///
/// What is wrong with them, in a sentence.
pub fn read_fields<O: Op>(fields: Value) -> Result<O, String> {
    read::from_value(fields).map_err(|error| sentence(&error))
}

/// The errors beside an answer, each in a sentence.
pub fn errors<A>(answered: &Answered<A>) -> Vec<String> {
    answered.findings.iter().filter(|it| it.severity == Severity::Error).map(sentence_of_finding).collect()
}

fn sentence(error: &Error) -> String {
    Refusal::from(error).to_string()
}

/// What, where, and what to do about it.
fn sentence_of_finding(finding: &Finding) -> String {
    let place = match &finding.at {
        Some(at) if at.line.is_some() => {
            let file = at.file.as_deref().unwrap_or_default();
            format!("{file}:{}:{}", at.line.unwrap_or_default(), at.column.unwrap_or_default())
        }
        Some(at) => at.path.clone().unwrap_or_default(),
        None => String::new(),
    };
    worded(&finding.message, &place, finding.hint.as_deref().unwrap_or_default())
}

/// A problem in a sentence; what is empty is left out.
pub fn worded(message: &str, place: &str, hint: &str) -> String {
    let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    format!("{message}{place}{hint}")
}

/// A text on one line, of at most so many characters: whoever sent it may have put anything into it.
pub fn line(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it.is_control() { ' ' } else { it }).collect()
}
