//! `print`: values to YAML.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::choice;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::Value;
use crate::workspace::Workspace;
use crate::yaml::{self, TokenKind};

/// Prints documents as YAML that kubectl reads back as the same documents. Keys are sorted.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Print {
    /// The documents; any values.
    pub documents: Vec<Value>,
    /// Whether to return the lines with their places, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<bool>,
    /// Print the contents of Secrets; by default they are redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reveal: Option<bool>,
}

/// The documents as YAML.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrintAnswer {
    /// For each document, its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Vec<PrintLine>>>,
    /// All documents, with a `---` between two of them.
    pub text: String,
}

/// A printed line.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrintLine {
    /// A JSON pointer to the innermost value that starts or continues here.
    pub path: String,
    /// The parts of the line, in order.
    pub tokens: Vec<PrintToken>,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrintToken {
    pub kind: PrintKind,
    pub text: String,
}

choice! {
    /// The kind of a part of a line, for its colour. A `mark` is a sign of YAML, a `word` is `true`, `false` or `null`.
    pub enum PrintKind {
        Space = "space",
        Mark = "mark",
        Key = "key",
        String = "string",
        Number = "number",
        Word = "word",
    }
}

impl Op for Print {
    const NAME: &'static str = "print";
    type Answer = PrintAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<PrintAnswer, Error> {
        let reveal = self.reveal.unwrap_or_default();
        let secrets = if reveal { None } else { workspace.secret_values() };
        let documents = self.documents.into_iter().map(|mut it| {
            secrets.iter().for_each(|secrets| secrets.mask(&mut it));
            Redacted::revealing_if(reveal, it)
        });
        let documents: Vec<Redacted> = documents.collect();
        let lines = |document: &Redacted| yaml::print_lines(document).into_iter().map(PrintLine::from).collect();
        let lines = self.lines.unwrap_or_default().then(|| documents.iter().map(lines).collect());
        Ok(PrintAnswer { lines, text: yaml::print_all(documents.iter().map(|it| &**it)) })
    }
}

impl From<yaml::Line> for PrintLine {
    fn from(line: yaml::Line) -> PrintLine {
        let token = |yaml::Token { kind, text }| PrintToken { kind: kind.into(), text };
        PrintLine { path: line.pointer.to_string(), tokens: line.tokens.into_iter().map(token).collect() }
    }
}

impl From<TokenKind> for PrintKind {
    fn from(kind: TokenKind) -> PrintKind {
        match kind {
            TokenKind::Space => PrintKind::Space,
            TokenKind::Mark => PrintKind::Mark,
            TokenKind::Key => PrintKind::Key,
            TokenKind::String => PrintKind::String,
            TokenKind::Number => PrintKind::Number,
            TokenKind::Word => PrintKind::Word,
        }
    }
}
