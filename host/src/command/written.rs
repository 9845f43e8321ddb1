//! One document as somebody wrote it: its values as they are, and the places to tell about them.
//!
//! The engine's own answer to `parse` is for looking at and masks what Secrets hold. What is handed on must be whole, so it
//! is read here, by the same code.

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::diagnostic::{Code, Diagnostic, Severity as Told};
use fleetfold_core::value::path::Pointer;
use fleetfold_core::yaml::{self, Parsed, YamlError};

use super::Failure;
use crate::render::finding::{Finding, Severity, Texts};

#[derive(Debug)]
pub struct Written {
    name: String,
    text: String,
    parsed: Parsed,
    told: Vec<Diagnostic>,
}

impl Written {
    /// Reads a text that holds one document.
    pub fn read(name: &str, text: String) -> Result<Written, Failure> {
        let mut told = Vec::new();
        let mut documents = match yaml::parse(&text, Mode::Strict, &mut told) {
            Ok(documents) => documents,
            Err(error) => return Err(unreadable(name, text, error)),
        };
        if documents.len() != 1 {
            let message = format!("`{name}` holds {} documents in place of one", documents.len());
            return Err(Failure::new(message, "give one document of YAML or JSON"));
        }
        Ok(Written { name: name.to_owned(), text, parsed: documents.remove(0), told })
    }

    pub fn value(&self) -> &Value {
        &self.parsed.value
    }

    /// What the reader has to say about it.
    pub fn told(&self) -> Vec<Finding> {
        let tell = |it: &Diagnostic| {
            let at = it.at.path.clone().unwrap_or_default();
            let severity = match it.severity {
                Told::Error => Severity::Error,
                Told::Warning => Severity::Warning,
                Told::Info => Severity::Info,
            };
            self.finding(severity, it.code, &at, it.message.clone(), it.hint.clone().unwrap_or_default())
        };
        self.told.iter().map(tell).collect()
    }

    /// Something to say about the value at `at`, or about what is nearest to where it should be.
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

    /// The text, for findings to show lines of.
    pub fn texts(&self) -> Texts {
        Texts::from([(self.name.clone(), self.text.clone())])
    }

    /// What makes the whole text useless.
    pub fn failure(&self, code: Code, at: &Pointer, message: String, hint: String) -> Failure {
        let finding = self.finding(Severity::Error, code, at, message, hint);
        Failure::Refused { finding: finding.into(), texts: self.texts() }
    }
}

fn unreadable(name: &str, text: String, error: YamlError) -> Failure {
    let finding = Finding {
        severity: Severity::Error,
        code: error.code.as_str().to_owned(),
        message: error.message,
        hint: error.hint.unwrap_or_else(|| "mend the text there: it is YAML or JSON".to_owned()),
        document: String::new(),
        path: String::new(),
        file: name.to_owned(),
        line: Some(error.place.line as usize),
        column: Some(error.place.column as usize),
    };
    Failure::Refused { finding: finding.into(), texts: Texts::from([(name.to_owned(), text)]) }
}
