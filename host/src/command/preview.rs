//! `fleetfold preview`: shows the result of each cluster.

use std::collections::BTreeSet;
use std::process::ExitCode;

use fleetfold_core::Value;

use super::fleet::{Fleet, FleetArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::{list, preview, text, texts};

/// Show the desired objects and values of each cluster; clusters with equal results are grouped
///
/// Without a subject, all subjects are shown. Exits with 1 when the result of a cluster is an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold preview -f fleet                                         everything
  fleetfold preview -f fleet PluginPreset/acme/metrics --origins     also where each value comes from
  fleetfold preview -f fleet PluginPreset/acme/metrics --cluster eu-1 -o yaml
  fleetfold preview -f fleet -l environment=prod                     on these clusters only
  fleetfold preview -f fleet -o name                                 the names of all subjects")]
pub struct Args {
    /// The subject: `Kind/name` or `Kind/namespace/name`
    subject: Option<String>,

    #[command(flatten)]
    fleet: FleetArgs,

    /// Only this cluster; may be given again
    #[arg(long = "cluster", value_name = "NAME")]
    clusters: Vec<String>,

    /// Only the clusters that match this selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,

    /// Also show the origin of each value, and the values that it overrides
    #[arg(long)]
    origins: bool,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let wanted = fleet.wanted(&args.clusters, args.selector.as_deref())?;
    let answers = match &args.subject {
        Some(subject) => vec![effective(args, subject, wanted.as_ref(), &mut fleet)?],
        None => all(args, wanted.as_ref(), &mut fleet)?,
    };
    let whole = match answers.as_slice() {
        [alone] if args.subject.is_some() => alone.clone(),
        all => Value::map([("subjects", Value::list(all.to_vec()))]),
    };
    let table = || {
        let shown: Vec<String> = answers.iter().map(|it| preview::subject(it, args.origins, screen.out)).collect();
        shown.join("\n")
    };
    let names = || match args.subject {
        Some(_) => answers.iter().flat_map(preview::names).collect(),
        None => answers.iter().map(|it| it.text_at(&["subject"]).to_owned()).collect(),
    };
    print_answer(args.output, &whole, table, names)?;
    Ok(fleet.finish(u8::from(answers.iter().any(preview::has_error)), screen.err))
}

/// The results of all subjects for the requested clusters, without empty ones.
fn all(args: &Args, wanted: Option<&BTreeSet<String>>, fleet: &mut Fleet) -> Result<Vec<Value>, Failure> {
    let mut answers = Vec::new();
    for subject in fleet.subjects()? {
        if subject.get("error").is_some() {
            answers.push(subject);
            continue;
        }
        let answer = effective(args, text(&subject, "subject"), wanted, fleet)?;
        if wanted.is_none() || !list(&answer, "results").is_empty() {
            answers.push(answer);
        }
    }
    Ok(answers)
}

fn effective(
    args: &Args,
    subject: &str,
    wanted: Option<&BTreeSet<String>>,
    fleet: &mut Fleet,
) -> Result<Value, Failure> {
    let mut fields = vec![("subject", Value::text(subject))];
    if let Some(wanted) = wanted {
        let mut names: Vec<&str> = wanted.iter().map(String::as_str).collect();
        // A subject rejects clusters outside of its fleet. That error is useful for a named cluster, not for a
        // selector.
        if args.subject.is_none() || args.selector.is_some() {
            let whole = fleet.ask("effective", Value::map(fields.clone()))?;
            let given: BTreeSet<&str> = list(&whole, "results").iter().flat_map(|it| texts(it, "clusters")).collect();
            names.retain(|name| given.contains(name));
        }
        fields.push(("clusters", Value::list(names)));
    }
    // The table of objects shows the fields that layers set, which needs their origins.
    if args.origins || args.output == Output::Table {
        fields.push(("origins", true.into()));
    }
    fleet.ask("effective", Value::map(fields))
}
