//! A document with the positions of its values.
//!
//! The engine's answer to `parse` redacts Secret data. A document that is passed on must be complete, so it is parsed
//! here, with the same parser.

use fleetfold_core::Value;
use fleetfold_core::diagnostic::{Code, Diagnostic, Mode, Severity};
use fleetfold_core::value::path::Pointer;
use fleetfold_core::yaml::{self, Parsed, YamlError};

use crate::command::output::Failure;
use crate::render::finding::{Finding, Texts};

#[derive(Debug)]
pub struct SourcedDocument {
    name: String,
    text: String,
    parsed: Parsed,
    diagnostics: Vec<Diagnostic>,
}

impl SourcedDocument {
    /// Parses a text with one document.
    pub fn read(name: &str, text: String) -> Result<SourcedDocument, Failure> {
        let mut diagnostics = Vec::new();
        let mut documents = match yaml::parse(&text, Mode::Strict, &mut diagnostics) {
            Ok(documents) => documents,
            Err(error) => return Err(unreadable(name, text, error)),
        };
        if documents.len() != 1 {
            let message = format!("`{name}` holds {} documents in place of one", documents.len());
            return Err(Failure::new(message, "give one document of YAML or JSON"));
        }
        Ok(SourcedDocument { name: name.to_owned(), text, parsed: documents.remove(0), diagnostics })
    }

    pub fn value(&self) -> &Value {
        &self.parsed.value
    }

    /// The diagnostics of the parser.
    pub fn diagnostics(&self) -> Vec<Finding> {
        let to_finding = |it: &Diagnostic| {
            let at = it.at.path.clone().unwrap_or_default();
            self.finding(it.severity, it.code, &at, it.message.clone(), it.hint.clone().unwrap_or_default())
        };
        self.diagnostics.iter().map(to_finding).collect()
    }

    /// A finding about the value at `at`, or about the nearest value where it is missing.
    pub fn finding(&self, severity: Severity, code: Code, at: &Pointer, message: String, hint: String) -> Finding {
        let place = self.parsed.places.nearest(at);
        Finding {
            severity,
            code: code.as_str().to_owned(),
            message,
            hint,
            document: String::new(),
            path: at.to_string(),
            file: self.name.clone(),
            line: place.map(|it| it.line as usize),
            column: place.map(|it| it.column as usize),
        }
    }

    /// The text, to show lines of it with findings.
    pub fn texts(&self) -> Texts {
        Texts::from([(self.name.clone(), self.text.clone())])
    }

    /// An error that makes the document unusable.
    pub fn failure(&self, code: Code, at: &Pointer, message: String, hint: String) -> Failure {
        let finding = self.finding(Severity::Error, code, at, message, hint);
        Failure::Refused { finding: finding.into(), texts: self.texts().into() }
    }
}

fn unreadable(name: &str, text: String, error: YamlError) -> Failure {
    let finding = Finding {
        severity: Severity::Error,
        code: error.code.as_str().to_owned(),
        message: error.message,
        hint: error.hint.unwrap_or_else(|| "fix the text there: it must be YAML or JSON".to_owned()),
        document: String::new(),
        path: String::new(),
        file: name.to_owned(),
        line: Some(error.place.line as usize),
        column: Some(error.place.column as usize),
    };
    Failure::Refused { finding: finding.into(), texts: Box::new(Texts::from([(name.to_owned(), text)])) }
}
