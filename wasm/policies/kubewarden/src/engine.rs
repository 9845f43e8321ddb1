//! How the engine is asked: in its own contract, as every other host does.

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::value::json;

/// The most bytes of a review that are read: as large as API servers send them, and settings beside it.
pub const REVIEW: usize = 8 << 20;

/// The most bytes that a host answers.
pub const ANSWER: usize = 32 << 20;

/// Answers wrap documents that are as deep as documents may be.
const DEPTH: usize = 2 * json::MAX_DEPTH;

/// An answer, and the errors that were found on the way to it.
#[derive(Debug)]
pub struct Answer {
    pub ok: Value,
    pub errors: Vec<String>,
}

/// Reads what a host sends, up to so many bytes.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read(bytes: &[u8], most: usize) -> Result<Value, String> {
    if bytes.len() > most {
        return Err(format!("it has {} bytes, and may have {most}", bytes.len()));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 from byte {} on", error.valid_up_to()))?;
    json::parse(text).map_err(|error| sentence_of_error(&error.into()))
}

/// Asks the engine. The fields are those of the op.
///
/// # Errors
///
/// Why there is no answer, in a sentence.
pub fn ask(workspace: &mut Workspace, op: &str, mut request: Value) -> Result<Answer, String> {
    if let Some(fields) = request.as_map_mut() {
        fields.insert("op", op);
    }
    let answer = workspace.call_text(&request.to_canonical());
    let answer = json::parse_within(&answer, DEPTH).map_err(|error| sentence_of_error(&error.into()))?;
    match (answer.get("ok"), answer.get("error")) {
        (Some(ok), _) => {
            let is_error = |it: &&Value| it.text_at(&["severity"]) == "error";
            let errors = list(&answer, "diagnostics").iter().filter(is_error).map(sentence).collect();
            Ok(Answer { ok: ok.clone(), errors })
        }
        (None, error) => Err(error.map(sentence).unwrap_or_default()),
    }
}

/// The elements of a list; none where it is left out.
pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_list).map_or(&[], Vec::as_slice)
}

/// An error or a finding of the engine in a sentence: what, where, and what to do about it.
pub fn sentence(problem: &Value) -> String {
    let line = |at: &Value| {
        let number = |key| at.get(key).and_then(Value::as_int).unwrap_or_default();
        format!("{}:{}:{}", at.text_at(&["file"]), number("line"), number("column"))
    };
    let place = match problem.get("at") {
        Some(Value::Text(at)) => at.to_string(),
        Some(at) if at.get("line").is_some() => line(at),
        Some(at) => at.text_at(&["path"]).to_owned(),
        None => String::new(),
    };
    worded(problem.text_at(&["message"]), &place, problem.text_at(&["hint"]))
}

/// The same of parts; empty ones are left out.
pub fn worded(message: &str, place: &str, hint: &str) -> String {
    let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    format!("{message}{place}{hint}")
}

/// A text on one line, of at most so many characters: whoever sent it may have put anything into it.
pub fn line(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

fn sentence_of_error(error: &fleetfold_core::diagnostic::Error) -> String {
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    worded(&error.message, &error.at.as_ref().map(ToString::to_string).unwrap_or_default(), &text(&error.hint))
}
