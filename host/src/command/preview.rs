//! `fleetfold preview`: what each cluster gets.

use std::process::ExitCode;

use fleetfold_core::Value;

use super::fleet::FleetArgs;
use super::{Failure, Screen, print_answer};
use crate::cli::Output;
use crate::render::preview;

/// Show what each cluster gets; clusters that get the same stand together
///
/// Without a subject, all subjects are shown. Exits with 1 when a cluster cannot be answered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold preview -f fleet                                         everything
  fleetfold preview -f fleet PluginPreset/acme/metrics --origins     also where each value comes from
  fleetfold preview -f fleet PluginPreset/acme/metrics --cluster eu-1 -o yaml
  fleetfold preview -f fleet -l environment=prod                     on these clusters only
  fleetfold preview -f fleet -o name                                 the names of all subjects")]
pub struct Args {
    /// What to show: `Kind/name` or `Kind/namespace/name`
    subject: Option<String>,

    #[command(flatten)]
    fleet: FleetArgs,

    /// On this cluster only; may be given again
    #[arg(long = "cluster", value_name = "NAME")]
    clusters: Vec<String>,

    /// On the clusters that this selector picks only
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,

    /// Also show where each value comes from, and what it hides
    #[arg(long)]
    origins: bool,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let mut clusters = (!args.clusters.is_empty()).then(|| args.clusters.clone());
    if let Some(selector) = &args.selector {
        let picked = fleet.clusters(Some(selector))?;
        clusters = Some(match clusters {
            Some(named) => named.into_iter().filter(|name| picked.contains(name)).collect(),
            None => picked,
        });
    }
    let subjects = match &args.subject {
        Some(subject) => vec![subject.clone()],
        None => fleet.subjects()?,
    };
    let mut answers = Vec::new();
    for subject in subjects {
        let mut fields = vec![("subject", Value::text(subject))];
        if let Some(names) = &clusters {
            fields.push(("clusters", Value::list(names.iter().map(String::as_str))));
        }
        // A table of objects shows what layers set, which only their origins tell.
        if args.origins || args.output == Output::Table {
            fields.push(("origins", true.into()));
        }
        answers.push(fleet.ask("effective", Value::map(fields))?);
    }
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
