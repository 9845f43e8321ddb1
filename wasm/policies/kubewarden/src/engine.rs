//! Calls to the engine, and its errors as sentences.

use fleetfold_core::api::{Answered, Finding, Op, Refusal};
use fleetfold_core::diagnostic::{Error, Severity, read};
use fleetfold_core::value::json;
use fleetfold_core::{Value, Workspace};

/// The largest review that is read, in bytes: the largest of an API server, and settings.
pub const REVIEW: usize = 8 << 20;

/// The largest answer of a host, in bytes.
pub const ANSWER: usize = 32 << 20;

/// Reads a text of the host, up to so many bytes.
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

/// Calls the engine.
///
/// # Errors
///
/// Why there is no answer, in a sentence.
pub fn ask<O: Op>(workspace: &mut Workspace, request: O) -> Result<Answered<O::Answer>, String> {
    workspace.call(request).map_err(|error| sentence(&error))
}

/// Reads a request from the fields of settings.
///
/// # Errors
///
/// The first mistake in them, in a sentence.
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

/// Message, location and hint.
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

/// A problem in a sentence; empty parts are left out.
pub fn worded(message: &str, place: &str, hint: &str) -> String {
    let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    format!("{message}{place}{hint}")
}

/// A text on one line, of at most so many characters: the sender may have put anything into it.
pub fn line(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it.is_control() { ' ' } else { it }).collect()
}
