//! A vector file as a person wrote it, read strictly: a misspelled field would be a case that tests nothing.

use fleetfold_core::Value;
use fleetfold_core::diagnostic::read::from_value;
use fleetfold_core::value::{MaybeAbsent, json};
use serde::Deserialize;

use super::DEPTH;

/// Where a vector may come from: one of the seed documents, or the contract itself.
const SEEDS: [&str; 6] = ["000", "001", "002", "003", "004", "contract"];

#[derive(Debug)]
pub struct Vector {
    pub name: String,
    /// Set-up requests: they run first, and their answers only have to be successful.
    pub given: Vec<String>,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub struct Step {
    pub request: String,
    pub want: Want,
}

#[derive(Debug)]
pub enum Want {
    Ok {
        ok: Value,
        diagnostics: Vec<Value>,
    },
    /// The given fields of the error.
    Error(Value),
    /// The complete answer, to the byte.
    Text(String),
}

/// Reads a vector.
///
/// # Errors
///
/// The file is not a vector; the text names the field.
pub fn read(text: &str) -> Result<Vector, String> {
    let file = json::parse_within(text, DEPTH).map_err(|error| format!("{} at {}", error.message, error.place));
    let file: VectorFile = from_value(file.map_err(unreadable)?).map_err(unreadable)?;
    if !SEEDS.contains(&file.seed.as_str()) {
        return Err(format!("`seed` must be one of {}", SEEDS.join(", ")));
    }
    if file.why.is_empty() {
        return Err("`why` must explain what would go wrong without the behaviour".to_owned());
    }
    if file.given.as_ref().is_some_and(Vec::is_empty) {
        return Err("`given` must be a list of at least one request, or left out".to_owned());
    }
    let single = StepFile { request: file.request, text: file.text, want: file.want, want_text: file.want_text };
    let steps = match (file.steps, single.is_empty()) {
        (Some(_), false) => return Err("`steps` replaces `request`, `text`, `want` and `wantText`".to_owned()),
        (Some(steps), true) if steps.is_empty() => return Err("`steps` must have at least one step".to_owned()),
        (Some(steps), true) => steps,
        (None, _) => vec![single],
    };
    Ok(Vector {
        name: file.name,
        given: file.given.unwrap_or_default().into_iter().map(given_request).collect::<Result<_, _>>()?,
        steps: steps.into_iter().map(StepFile::into_step).collect::<Result<_, _>>()?,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VectorFile {
    name: String,
    seed: String,
    why: String,
    given: Option<Vec<Value>>,
    steps: Option<Vec<StepFile>>,
    request: MaybeAbsent<Value>,
    text: Option<String>,
    want: Option<WantFile>,
    want_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepFile {
    request: MaybeAbsent<Value>,
    text: Option<String>,
    want: Option<WantFile>,
    want_text: Option<String>,
}

#[derive(Deserialize)]
struct WantFile {
    ok: MaybeAbsent<Value>,
    error: Option<Value>,
    diagnostics: Option<Vec<Value>>,
}

/// The fields that a wanted error may have. They are compared as they are written, so that this only checks them.
#[derive(Deserialize)]
#[expect(dead_code, reason = "the reader checks the fields")]
struct WantedError {
    code: String,
    at: MaybeAbsent<Value>,
    hint: Option<String>,
    message: Option<String>,
}

impl StepFile {
    fn is_empty(&self) -> bool {
        self.request.is_absent() && self.text.is_none() && self.want.is_none() && self.want_text.is_none()
    }

    fn into_step(self) -> Result<Step, String> {
        let request = match (self.request.0, self.text) {
            (Some(request), None) => request.to_canonical(),
            (None, Some(text)) => text,
            _ => return Err("it needs one of `request` and `text`".to_owned()),
        };
        let want = match (self.want, self.want_text) {
            (Some(want), None) => want.into_want()?,
            (None, Some(text)) => Want::Text(text),
            _ => return Err("it needs one of `want` and `wantText`".to_owned()),
        };
        Ok(Step { request, want })
    }
}

impl WantFile {
    fn into_want(self) -> Result<Want, String> {
        match (self.ok.0, self.error, self.diagnostics) {
            (_, _, Some(diagnostics)) if diagnostics.is_empty() => {
                Err("`diagnostics` must be a list of at least one, or left out".to_owned())
            }
            (Some(ok), None, diagnostics) => Ok(Want::Ok { ok, diagnostics: diagnostics.unwrap_or_default() }),
            (None, Some(error), None) => {
                from_value::<WantedError>(error.clone()).map_err(unreadable)?;
                Ok(Want::Error(error))
            }
            (None, Some(_), Some(_)) => Err("an answer with an `error` has no `diagnostics`".to_owned()),
            _ => Err("`want` needs one of `ok` and `error`".to_owned()),
        }
    }
}

/// A set-up request. One without an `op` is likely a step with its `request` and `want`, which belongs into `steps`.
fn given_request(request: Value) -> Result<String, String> {
    match request.text_at(&["op"]).is_empty() {
        true => Err("each request of `given` must have an `op`".to_owned()),
        false => Ok(request.to_canonical()),
    }
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("it cannot be read: {error}")
}
