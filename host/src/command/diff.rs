//! `fleetfold diff`: compares two clusters.

use std::process::ExitCode;

use fleetfold_core::Value;

use super::fleet::FleetArgs;
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::{explain, list};

/// Show the differences between two clusters for a subject, and the layers that cause them
///
/// Exits with 0 when there are none, with 1 when there are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold diff -f fleet PluginPreset/acme/metrics eu-1 us-1
  fleetfold diff -f fleet PluginPreset/acme/metrics eu-1 us-1 -o name     the documents that make the difference")]
pub struct Args {
    /// The subject: `Kind/name` or `Kind/namespace/name`
    subject: String,

    /// One cluster
    left: String,

    /// The other cluster
    right: String,

    #[command(flatten)]
    fleet: FleetArgs,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let request = [("subject", &args.subject), ("left", &args.left), ("right", &args.right)];
    let answer = fleet.ask("diff", Value::map(request.map(|(key, value)| (key, value.as_str()))))?;
    let differences = list(&answer, "differences");
    let names = || {
        let causes = differences.iter().map(|it| it.text_at(&["cause", "document"]).to_owned());
        let mut names: Vec<String> = causes.filter(|it| !it.is_empty()).collect();
        names.sort();
        names.dedup();
        names
    };
    let table = || explain::differences(&args.left, &args.right, &answer, screen.out);
    print_answer(args.output, &answer, table, names)?;
    Ok(fleet.finish(u8::from(!differences.is_empty()), screen.err))
}
