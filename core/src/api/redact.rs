//! `redact`: a text without what Secrets hold.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::secrets::{RedactedDocument, redact_text};
use crate::value::Text;
use crate::workspace::Workspace;

/// Redacts the Secrets in a text of YAML or JSON, to show or to share it. The text keeps its number of lines, and other
/// documents keep every byte.
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

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<RedactAnswer, Error> {
        let redacted = redact_text(&self.text);
        Ok(RedactAnswer { secrets: redacted.documents.into_iter().map(Into::into).collect(), text: redacted.text })
    }
}

impl From<RedactedDocument> for RedactSecret {
    fn from(RedactedDocument { line, name }: RedactedDocument) -> RedactSecret {
        RedactSecret { line: line.into(), name: name.map(|it| it.to_string()) }
    }
}
