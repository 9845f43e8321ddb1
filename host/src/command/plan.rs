//! `fleetfold plan`: shows the plan.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest, ScopeInput};
use fleetfold_core::yaml;

use super::fleet::{Fleet, FleetArgs};
use super::limits::LimitArgs;
use super::time::TimeArgs;
use crate::command::output::{Failure, Output, Report, Screen, print_answer};
use crate::render::{json, plan};

/// Show the plan: the actions wave by wave, the held actions, and the live objects that the planner needs
///
/// A live object that was not read is unknown, not absent: the plan lists it as needed and has no action for it. Put
/// live objects into `live/<cluster>/` next to the documents. Exits with 0 when there is nothing to do, with 1 when
/// there is, and with 2 and without a plan when a document cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold plan -f fleet
  fleetfold plan -f fleet -o plan.json                                 write it to a file, and show it
  fleetfold plan -f fleet --subject PluginPreset/acme/metrics -l region=eu
  fleetfold plan -f fleet --max-deletes 20 --max-delete-percent 50     allow more deletes
  fleetfold plan -f fleet --now 2026-01-01T00:00:00Z                   at that time")]
pub struct Args {
    #[command(flatten)]
    fleet: FleetArgs,

    #[command(flatten)]
    time: TimeArgs,

    /// Only this subject; may be given again
    #[arg(long = "subject", value_name = "REF")]
    subjects: Vec<String>,

    /// Only this cluster; may be given again
    #[arg(long = "cluster", value_name = "NAME")]
    clusters: Vec<String>,

    /// Only the clusters that match this selector
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with = "clusters")]
    selector: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    /// The output format: table, yaml, json or name; or a .json or .yaml file to write
    #[arg(short, long, value_name = "FORMAT|FILE", default_value = "table", value_parser = Target::read)]
    output: Target,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Print(Output),
    Write(PathBuf),
}

impl Target {
    fn read(text: &str) -> Result<Target, String> {
        if let Ok(output) = Output::from_str(text, false) {
            return Ok(Target::Print(output));
        }
        match Path::new(text).extension().and_then(|it| it.to_str()) {
            Some("json" | "yaml" | "yml") => Ok(Target::Write(text.into())),
            _ => Err("it is one of table, yaml, json and name, or a file that ends in .json or .yaml".to_owned()),
        }
    }
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    fleet.show_infos();
    if fleet.has_unreadable() {
        fleet.print_findings(screen.err);
        let hint = "fix the documents, or leave out their files";
        return Err(Failure::new("cannot plan: some documents cannot be read", hint));
    }
    if let Some(limits) = args.limits.settings() {
        fleet.call(&Configure { limits: Some(limits), ..Configure::default() })?;
    }
    let scope = scope(args, &mut fleet)?;
    // The findings about all documents would hide those about the requested part.
    let lint = scope.is_none().then_some(true);
    let recent_deletes = fleet.recent_deletes.clone();
    let request = PlanRequest { now: args.time.now(), scope, lint, recent_deletes, ..PlanRequest::default() };
    let answer = fleet.call(&request)?;
    let findings = fleet.findings();
    let report = Report::of(&answer, &findings);
    let output = match &args.output {
        Target::Print(output) => *output,
        Target::Write(path) => {
            write(path, &report)?;
            Output::Table
        }
    };
    print_answer(output, &report, || plan::plan(&answer, screen.out), || plan::names(&answer))?;
    Ok(fleet.finish(u8::from(!plan::is_empty(&answer)), screen.err))
}

fn scope(args: &Args, fleet: &mut Fleet) -> Result<Option<ScopeInput>, Failure> {
    let subjects = (!args.subjects.is_empty()).then(|| args.subjects.iter().map(Into::into).collect());
    let clusters = match &args.selector {
        Some(selector) => Some(fleet.clusters(Some(selector))?),
        None => Some(args.clusters.clone()).filter(|it| !it.is_empty()),
    };
    let clusters = clusters.map(|it| it.into_iter().map(Into::into).collect());
    let scope = ScopeInput { subjects, clusters };
    Ok(Some(scope).filter(|it| it.subjects.is_some() || it.clusters.is_some()))
}

fn write(path: &Path, answer: &Report<PlanAnswer>) -> Result<(), Failure> {
    let is_json = path.extension().is_some_and(|it| it == "json");
    let answer = json::value_of(answer);
    let text = if is_json { json::pretty(&answer) } else { yaml::print(&answer) };
    fs::write(path, text).map_err(|error| {
        Failure::new(
            format_args!("`{}` cannot be written: {error}", path.display()),
            "give a file in a writable folder",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_a_format_or_a_file() {
        assert_eq!(Target::read("yaml"), Ok(Target::Print(Output::Yaml)));
        assert_eq!(Target::read("out/plan.json"), Ok(Target::Write("out/plan.json".into())));
        assert!(Target::read("jsno").is_err());
        assert!(Target::read("plan.txt").is_err());
    }
}
