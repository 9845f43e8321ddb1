//! What commands print, and how they fail.

use std::fmt::Display;
use std::io::{self, Write};

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fleetfold::cluster::ApiError;
use fleetfold::guest::GuestError;
use fleetfold::session::EngineError;
use fleetfold_core::api::{self, Refusal};
use fleetfold_core::diagnostic::{Error, Severity};
use fleetfold_core::yaml;
use serde::Serialize;

use crate::render::finding::{Finding, Texts};
use crate::render::json;
use crate::render::style::{Ink, Palette};
use crate::source::SourceError;

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    Table,
    Yaml,
    Json,
    Name,
}

impl Output {
    pub const ALL: [&'static str; 4] = ["table", "yaml", "json", "name"];
    /// The formats of answers without names.
    pub const NAMELESS: [&'static str; 3] = ["table", "yaml", "json"];

    /// A parser of one of `names`.
    pub fn among(names: &'static [&'static str]) -> impl TypedValueParser<Value = Output> {
        PossibleValuesParser::new(names).try_map(|name| Output::from_str(&name, false))
    }
}

/// The palettes of standard output and standard error.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    pub out: Palette,
    pub err: Palette,
}

/// Why a command failed, and what to do about it.
#[derive(Debug)]
pub enum Failure {
    /// An error outside of the engine.
    Host { message: String, hint: String },
    /// An error of the engine, with the text that it points into.
    Refused { finding: Box<Finding>, texts: Box<Texts> },
}

impl Failure {
    pub fn new(message: impl Display, hint: impl Display) -> Self {
        Self::Host { message: message.to_string(), hint: hint.to_string() }
    }

    /// The error of an answer. A location in the request is dropped: the user wrote no request.
    pub fn refused(refusal: &Refusal, texts: &Texts) -> Self {
        let mut finding = Finding::refused(refusal);
        finding.file = Some(std::mem::take(&mut finding.file)).filter(|it| texts.get(it).is_some()).unwrap_or_default();
        Self::Refused { texts: texts.only(&finding.file).into(), finding: finding.into() }
    }

    /// A subject that cannot be read, with its document and line.
    pub fn unreadable(mut finding: Finding, texts: &Texts) -> Self {
        finding.message = format!("`{}` keeps its last state: {}", finding.document, finding.message);
        Self::Refused { texts: texts.only(&finding.file).into(), finding: finding.into() }
    }

    /// Whether the engine returned this code.
    pub fn is(&self, code: &str) -> bool {
        matches!(self, Self::Refused { finding, .. } if finding.code == code)
    }

    /// The same, in this file.
    pub fn within(mut self, file: &str) -> Self {
        if let Self::Refused { finding, .. } = &mut self
            && finding.file.is_empty()
        {
            finding.file = file.to_owned();
        }
        self
    }

    /// The same as a finding of the contract; an error outside of the engine gets this code.
    pub fn to_finding(&self, code: &'static str) -> api::Finding {
        match self {
            Self::Host { message, hint } => api::Finding {
                at: None,
                code: code.into(),
                hint: Some(hint.clone()),
                message: message.clone(),
                severity: Severity::Error,
            },
            Self::Refused { finding, .. } => finding.to_answer(),
        }
    }

    pub fn report(&self, palette: Palette) {
        let shown = match self {
            Self::Host { message, hint } => {
                let (error, hint_word) = (palette.paint(Ink::Red, "error"), palette.paint(Ink::Blue, "hint"));
                format!("{error}: {message}\n{hint_word}: {hint}\n")
            }
            Self::Refused { finding, texts } => finding.render(texts, palette),
        };
        // Standard error may be closed.
        let _ = io::stderr().write_all(shown.as_bytes());
    }
}

/// A request that cannot be read from what the user wrote.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::refused(&Refusal::from(&error), &Texts::new())
    }
}

impl From<GuestError> for Failure {
    fn from(error: GuestError) -> Self {
        Self::new(&error, error.hint())
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::new(error.message, error.hint)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::new(&error, error.hint())
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::new(&error, error.hint())
    }
}

/// An answer with its findings, for programs.
#[derive(Debug, Serialize)]
pub struct Report<'a, A> {
    diagnostics: Vec<api::Finding>,
    #[serde(flatten)]
    answer: &'a A,
}

impl<'a, A> Report<'a, A> {
    pub fn of(answer: &'a A, findings: &[Finding]) -> Report<'a, A> {
        Report { diagnostics: findings.iter().map(Finding::to_answer).collect(), answer }
    }
}

/// Prints an answer in the requested format.
pub fn print_answer(
    output: Output,
    answer: &impl Serialize,
    table: impl FnOnce() -> String,
    names: impl FnOnce() -> Vec<String>,
) -> Result<(), Failure> {
    match output {
        Output::Table => print(table()),
        Output::Json => print(json::pretty(&json::value_of(answer))),
        Output::Yaml => print(yaml::print(&json::value_of(answer))),
        Output::Name => print(names().iter().map(|name| format!("{name}\n")).collect::<String>()),
    }
}

/// Prints a result. A closed pipe is not an error.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    ignore_closed_pipe(write!(out, "{text}").and_then(|()| out.flush())).map(|_| ())
}

/// Prints a warning on standard error.
pub fn warn(message: &str) {
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "warning: {message}");
}

/// Whether standard output still has a reader.
pub fn ignore_closed_pipe(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format_args!("the result cannot be written: {error}"), "is the disk full?")),
    }
}
