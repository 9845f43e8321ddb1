//! `fleetfold lint`: checks documents.

use std::process::ExitCode;

use clap::ValueEnum;
use fleetfold_core::api::Finding as FindingAnswer;
use fleetfold_core::api::lint::{Lint, LintAnswer};
use fleetfold_core::yaml;
use serde::Serialize;

use super::fleet::{Fleet, FleetArgs};
use super::time::TimeArgs;
use crate::command::output::{Failure, Screen, print};
use crate::render::finding::{Finding, Severity, ink, is_at_least};
use crate::render::style::Palette;
use crate::render::table::{Cell, Table};
use crate::render::{counted, github, json, sarif};

/// Check the documents for errors and probable mistakes
///
/// Exits with 1 when there are errors or warnings; `--fail-on` sets the lowest severity that fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold lint -f fleet
  fleetfold lint -f fleet --fail-on error                only errors count
  fleetfold lint -f fleet -o github                      annotations on a pull request
  fleetfold lint -f fleet -o sarif > fleetfold.sarif     for code scanning")]
pub struct Args {
    #[command(flatten)]
    fleet: FleetArgs,

    #[command(flatten)]
    time: TimeArgs,

    /// The output format; `text` quotes the lines
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    /// The lowest severity that fails
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Table,
    Yaml,
    Json,
    Name,
    Sarif,
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let answer = fleet.call(&Lint { now: args.time.now() })?;
    let findings = fleet.findings();
    match args.output {
        Format::Text => print(text(&fleet, &findings, &answer, screen.out))?,
        Format::Table => print(table(&findings).render("", screen.out))?,
        Format::Yaml => print(yaml::print(&json::value_of(&Report::of(&findings, &answer))))?,
        Format::Json => print(json::pretty(&json::value_of(&Report::of(&findings, &answer))))?,
        Format::Name => print(names(&findings))?,
        Format::Sarif => print(json::pretty(&sarif::log(&findings)))?,
        Format::Github => print(github::annotations(&findings))?,
    }
    let least = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    };
    Ok(ExitCode::from(u8::from(findings.iter().any(|it| is_at_least(it.severity, least)))))
}

fn number(findings: &[Finding], severity: Severity) -> i64 {
    i64::try_from(findings.iter().filter(|it| it.severity == severity).count()).unwrap_or(i64::MAX)
}

fn text(fleet: &Fleet, findings: &[Finding], answer: &LintAnswer, palette: Palette) -> String {
    let mut out = String::new();
    for finding in findings {
        out.push_str(&finding.render(fleet.texts(), palette));
        out.push('\n');
    }
    let severities = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")];
    let counts = severities.map(|(severity, word)| counted(number(findings, severity), word));
    out.push_str(&format!("{}: {}\n", counted(answer.documents, "document"), counts.join(", ")));
    out
}

fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new(["SEVERITY", "CODE", "AT", "MESSAGE"]);
    for it in findings {
        let severity = Cell::inked(ink(it.severity), it.severity.as_str());
        table.row([severity, it.code.as_str().into(), it.location().into(), it.message.as_str().into()]);
    }
    table
}

/// The answer with all findings, those of loading included.
#[derive(Debug, Serialize)]
struct Report {
    diagnostics: Vec<FindingAnswer>,
    documents: i64,
    errors: i64,
    infos: i64,
    warnings: i64,
}

impl Report {
    fn of(findings: &[Finding], answer: &LintAnswer) -> Report {
        Report {
            diagnostics: findings.iter().map(Finding::to_answer).collect(),
            documents: answer.documents,
            errors: number(findings, Severity::Error),
            infos: number(findings, Severity::Info),
            warnings: number(findings, Severity::Warning),
        }
    }
}

/// The documents with findings.
fn names(findings: &[Finding]) -> String {
    let mut names: Vec<&str> = findings.iter().map(|it| it.document.as_str()).filter(|it| !it.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("{name}\n")).collect()
}
