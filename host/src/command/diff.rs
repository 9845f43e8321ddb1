//! `fleetfold diff`: compares two clusters.

use std::process::ExitCode;

use fleetfold_core::api::diff::Diff;
use fleetfold_core::object::folder;

use super::fleet::FleetArgs;
use super::time::TimeArgs;
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::explain;

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

    #[command(flatten)]
    time: TimeArgs,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let Args { subject, left, right, .. } = args;
    let [left_name, right_name] = [left, right].map(|it| folder::cluster_of(it).into());
    let answer =
        fleet.call(&Diff { subject: subject.into(), left: left_name, right: right_name, now: args.time.now() })?;
    let names = || {
        let causes = answer.differences.iter().filter_map(|it| it.cause.as_ref()?.document.clone());
        let mut names: Vec<String> = causes.collect();
        names.sort();
        names.dedup();
        names
    };
    let table = || explain::differences(left, right, &answer, screen.out);
    print_answer(args.output, &answer, table, names)?;
    Ok(fleet.finish(u8::from(!answer.differences.is_empty()), screen.err))
}
