//! `fleetfold lint`: checks documents.

use std::process::ExitCode;

use clap::ValueEnum;
use fleetfold_core::{Value, yaml};

use super::fleet::{Fleet, FleetArgs, empty};
use crate::command::output::{Failure, Screen, print};
use crate::render::finding::{Finding, Severity};
use crate::render::style::Palette;
use crate::render::table::{Cell, Table};
use crate::render::{count, counted, github, json, sarif};

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
    let answer = fleet.ask("lint", empty())?;
    let findings = fleet.findings();
    match args.output {
        Format::Text => print(text(&fleet, &findings, &answer, screen.out))?,
        Format::Table => print(table(&findings).render("", screen.out))?,
        Format::Yaml => print(yaml::print(&whole(&findings, &answer)))?,
        Format::Json => print(json::pretty(&whole(&findings, &answer)))?,
        Format::Name => print(names(&findings))?,
        Format::Sarif => print(json::pretty(&sarif::log(&findings)))?,
        Format::Github => print(github::annotations(&findings))?,
    }
    let least = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    };
    Ok(ExitCode::from(u8::from(findings.iter().any(|it| it.severity >= least))))
}

fn number(findings: &[Finding], severity: Severity) -> i64 {
    i64::try_from(findings.iter().filter(|it| it.severity == severity).count()).unwrap_or(i64::MAX)
}

fn text(fleet: &Fleet, findings: &[Finding], answer: &Value, palette: Palette) -> String {
    let mut out = String::new();
    for finding in findings {
        out.push_str(&finding.render(fleet.texts(), palette));
        out.push('\n');
    }
    let severities = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")];
    let counts = severities.map(|(severity, word)| counted(number(findings, severity), word));
    out.push_str(&format!("{}: {}\n", counted(count(answer, "documents"), "document"), counts.join(", ")));
    out
}

fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new(["SEVERITY", "CODE", "AT", "MESSAGE"]);
    for it in findings {
        let severity = Cell::inked(it.severity.ink(), it.severity.as_str());
        table.row([severity, it.code.as_str().into(), it.place().into(), it.message.as_str().into()]);
    }
    table
}

/// The answer with all findings, those of loading included.
fn whole(findings: &[Finding], answer: &Value) -> Value {
    Value::map([
        ("documents", answer.get("documents").cloned().unwrap_or_default()),
        ("errors", number(findings, Severity::Error).into()),
        ("warnings", number(findings, Severity::Warning).into()),
        ("infos", number(findings, Severity::Info).into()),
        ("diagnostics", Value::list(findings.iter().map(Finding::to_value))),
    ])
}

/// The documents with findings.
fn names(findings: &[Finding]) -> String {
    let mut names: Vec<&str> = findings.iter().map(|it| it.document.as_str()).filter(|it| !it.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("{name}\n")).collect()
}
