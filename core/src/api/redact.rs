//! `redact`: a text without the contents of Secrets.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::secrets::{RedactedDocument, RedactedText, redact_text};
use crate::value::Text;
use crate::workspace::Workspace;

/// Redacts the Secrets in a text of YAML or JSON, to show or to share it. The text keeps its number of lines, and other
/// documents keep every byte, except for values that a loaded Secret holds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Redact {
    /// The text.
    pub text: Text,
}

/// The redacted text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactAnswer {
    /// The documents that hold Secrets, in order.
    pub secrets: Vec<RedactSecret>,
    /// The text without their contents.
    pub text: String,
}

/// A document that holds a Secret.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactSecret {
    /// The first line of the document.
    pub line: i64,
    /// `Kind/namespace/name`. Left out if the document cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Op for Redact {
    const NAME: &'static str = "redact";
    type Answer = RedactAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<RedactAnswer, Error> {
        let RedactedText { documents, text } = redact_text(&self.text);
        let redacted = workspace.secret_values().and_then(|it| it.mask_text(&text));
        let secrets = documents.into_iter().map(Into::into).collect();
        Ok(RedactAnswer { secrets, text: redacted.unwrap_or(text) })
    }
}

impl From<RedactedDocument> for RedactSecret {
    fn from(RedactedDocument { line, name }: RedactedDocument) -> RedactSecret {
        RedactSecret { line: line.into(), name: name.map(|it| it.to_string()) }
    }
}
