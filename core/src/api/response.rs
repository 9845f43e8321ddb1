//! A response: an answer with findings beside it, or an error.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Op;
use super::place::PlaceAnswer;
use crate::diagnostic::{Code, Diagnostic, Error, Severity, read};
use crate::object::redacted::Redacted;
use crate::object::secrets::SecretValues;
use crate::value::canonical::{to_text, to_text_as_declared, to_text_marking};
use crate::value::{Text, json};

/// An answer, and the findings beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<A> {
    pub answer: A,
    pub findings: Vec<Finding>,
}

/// Why a request cannot be answered.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// Where: a JSON pointer into the request, or `line:column` of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The stable name of the error.
    pub code: Text,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The error message.
    pub message: String,
}

/// A finding beside the answer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<PlaceAnswer>,
    /// The stable name of the finding.
    pub code: Text,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The message of the finding.
    pub message: String,
    pub severity: Severity,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Refusal {
        let Error { message, at, hint, .. } = error.clone();
        Refusal { at: at.map(|at| at.to_string()), code: Text::new_static(error.code.as_str()), hint, message }
    }
}

impl From<Diagnostic> for Finding {
    fn from(Diagnostic { severity, code, message, at, hint }: Diagnostic) -> Finding {
        let at = Some(PlaceAnswer::of(at)).filter(PlaceAnswer::is_known);
        Finding { at, code: Text::new_static(code.as_str()), hint, message, severity }
    }
}

/// For logs and terminals: the message, its place, and the hint.
impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(at) = &self.at {
            write!(f, " (at {at})")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// The text of a response to a request that can be answered. `secrets` returns the values that it must not show, and is
/// called only if the response could contain them.
pub(super) fn answered<A: Serialize>(
    answer: &A,
    findings: &mut [Finding],
    secrets: &mut dyn FnMut() -> Option<Arc<SecretValues>>,
) -> Result<String, Error> {
    #[derive(Serialize)]
    struct Response<'a, A> {
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        diagnostics: &'a [Finding],
        ok: &'a A,
    }
    let unwritable = |error| Error::new(Code::BadRequest, format!("the answer cannot be written: {error}"));
    let write = |findings: &[Finding]| {
        to_text_marking(&Response { diagnostics: findings, ok: answer }, Redacted::NAME).map_err(unwritable)
    };
    without_secrets(&write, findings, secrets)
}

/// A text, and the parts of it that may have values of Secrets.
type Marked = (String, Vec<(usize, usize)>);

/// The rest of it, which is compiled once and not for every answer.
fn without_secrets(
    write: &dyn Fn(&[Finding]) -> Result<Marked, Error>,
    findings: &mut [Finding],
    secrets: &mut dyn FnMut() -> Option<Arc<SecretValues>>,
) -> Result<String, Error> {
    let (text, parts) = write(findings)?;
    if findings.is_empty() && parts.is_empty() {
        return Ok(text);
    }
    let Some(secrets) = secrets() else { return Ok(text) };
    let mut is_covered = false;
    for finding in findings.iter_mut() {
        is_covered |= mask_message(&secrets, &mut finding.message, &mut finding.hint);
    }
    let (text, parts) = if is_covered { write(findings)? } else { (text, parts) };
    Ok(secrets.mask_json(text, &parts))
}

/// Replaces values of Secrets in a message and its hint. Returns whether there were any.
fn mask_message(secrets: &SecretValues, message: &mut String, hint: &mut Option<String>) -> bool {
    let mut is_covered = false;
    for text in std::iter::once(message).chain(hint) {
        if let Some(masked) = secrets.mask_text(text) {
            *text = masked;
            is_covered = true;
        }
    }
    is_covered
}

/// The text of a response to a request that cannot be answered.
pub fn refused(error: &Error) -> String {
    refused_without(error, None)
}

/// The same without the values of these Secrets.
pub(super) fn refused_without(error: &Error, secrets: Option<&SecretValues>) -> String {
    #[derive(Serialize)]
    struct Response {
        error: Refusal,
    }
    let mut refusal = Refusal::from(error);
    if let Some(secrets) = secrets {
        mask_message(secrets, &mut refusal.message, &mut refusal.hint);
    }
    to_text(&Response { error: refusal }).unwrap_or_default()
}

/// The text of a request, for an engine behind a boundary.
///
/// ```
/// use fleetfold_core::api::mold::Mold;
/// use fleetfold_core::api::{read_response, request_text};
///
/// let request = Mold { component: "webhook".into(), ..Mold::default() };
/// assert_eq!(request_text(&request), r#"{"op":"mold","component":"webhook","flags":null}"#);
///
/// let mut workspace = fleetfold_core::Workspace::default();
/// let refusal = read_response::<Mold>(&workspace.call_text(&request_text(&request)))?.unwrap_err();
/// assert_eq!(refusal.to_string(), "`flags` must be a map or a list, not null (at /flags)");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn request_text<O: Op>(request: &O) -> String {
    #[derive(Serialize)]
    struct Request<'a, O> {
        op: &'static str,
        #[serde(flatten)]
        fields: &'a O,
    }
    to_text_as_declared(&Request { op: O::NAME, fields: request }).unwrap_or_default()
}

/// Reads the text of a response. Unknown fields are those of a newer engine, and ignored.
///
/// # Errors
///
/// The text is not a response to this request.
pub fn read_response<O: Op>(text: &str) -> Result<Result<Answered<O::Answer>, Refusal>, Error> {
    #[derive(Deserialize)]
    #[serde(bound = "A: serde::de::DeserializeOwned")]
    struct Response<A> {
        diagnostics: Option<Vec<Finding>>,
        error: Option<Refusal>,
        ok: Option<A>,
    }
    let response: Response<O::Answer> = read::from_value_ignoring_unknown(json::parse_answer(text)?)?;
    match response {
        Response { ok: Some(answer), diagnostics, .. } => {
            Ok(Ok(Answered { answer, findings: diagnostics.unwrap_or_default() }))
        }
        Response { error: Some(refusal), .. } => Ok(Err(refusal)),
        _ => Err(Error::new(Code::MissingField, "the response has neither `ok` nor `error`")),
    }
}
