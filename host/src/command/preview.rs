//! `fleetfold preview`: shows the result of each cluster.

use std::collections::BTreeSet;
use std::process::ExitCode;

use fleetfold_core::api::effective::{Effective, EffectiveAnswer};
use fleetfold_core::value::Text;
use serde::Serialize;

use super::fleet::{Fleet, FleetArgs};
use super::time::TimeArgs;
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::clusters;
use crate::render::preview::Subject;

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

    #[command(flatten)]
    time: TimeArgs,

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
    let preview = match &args.subject {
        Some(subject) => {
            let only = match effective(args, subject, wanted.as_ref(), &mut fleet) {
                Ok(answer) => Subject::Results(answer),
                Err(failure) => return Err(fleet.about(subject, failure)),
            };
            Preview::One(Box::new([only]))
        }
        None => Preview::All { subjects: all(args, wanted.as_ref(), &mut fleet)? },
    };
    let subjects = preview.subjects();
    let requested: Vec<&String> = wanted.iter().flatten().collect();
    let table = || {
        let tables: Vec<String> = subjects.iter().map(|it| it.table(args.origins, &requested, screen.out)).collect();
        match (tables.is_empty(), requested.is_empty(), wanted.is_some()) {
            (true, false, _) => format!("no subject selects {}\n", clusters(&requested)),
            (true, true, true) => "the selector matches no cluster\n".to_owned(),
            _ => tables.join("\n"),
        }
    };
    let names = || match args.subject {
        Some(_) => subjects.iter().flat_map(Subject::object_names).collect(),
        None => subjects.iter().map(|it| it.name().to_owned()).collect(),
    };
    print_answer(args.output, &preview, table, names)?;
    Ok(fleet.finish(u8::from(subjects.iter().any(Subject::has_error)), screen.err))
}

/// The requested subject, or all.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Preview {
    One(#[serde(serialize_with = "only")] Box<[Subject; 1]>),
    All { subjects: Vec<Subject> },
}

impl Preview {
    fn subjects(&self) -> &[Subject] {
        match self {
            Preview::One(subject) => subject.as_slice(),
            Preview::All { subjects } => subjects,
        }
    }
}

fn only<S: serde::Serializer>(only: &[Subject; 1], serializer: S) -> Result<S::Ok, S::Error> {
    let [subject] = only;
    subject.serialize(serializer)
}

/// The results of all subjects for the requested clusters, without empty ones.
fn all(args: &Args, wanted: Option<&BTreeSet<String>>, fleet: &mut Fleet) -> Result<Vec<Subject>, Failure> {
    let mut subjects = Vec::new();
    for subject in fleet.subjects()? {
        if subject.error.is_some() {
            let at = fleet.reading_finding(&subject).map(|it| it.location());
            subjects.push(Subject::Failed { answer: subject, at: at.unwrap_or_default() });
            continue;
        }
        let answer = effective(args, &subject.subject, wanted, fleet)?;
        if wanted.is_none() || !answer.results.is_empty() {
            subjects.push(Subject::Results(answer));
        }
    }
    Ok(subjects)
}

fn effective(
    args: &Args,
    subject: &str,
    wanted: Option<&BTreeSet<String>>,
    fleet: &mut Fleet,
) -> Result<EffectiveAnswer, Failure> {
    let mut request = Effective { subject: subject.into(), now: args.time.now(), ..Effective::default() };
    if let Some(wanted) = wanted {
        let mut names: Vec<Text> = wanted.iter().map(Into::into).collect();
        // A subject rejects clusters outside of its fleet. That error is useful for a named cluster, not for a
        // selector.
        if args.subject.is_none() || args.selector.is_some() {
            let whole = fleet.call(&request)?;
            let given: BTreeSet<&Text> = whole.results.iter().flat_map(|it| &it.clusters).collect();
            names.retain(|name| given.contains(name));
        }
        request.clusters = Some(names);
    }
    // The table of objects shows the fields that layers set, which needs their origins.
    if args.origins || args.output == Output::Table {
        request.origins = Some(true);
    }
    fleet.call(&request)
}
