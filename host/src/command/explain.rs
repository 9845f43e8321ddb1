//! `fleetfold explain`: explains values, clusters, actions and permissions.

use std::process::ExitCode;

use fleetfold_core::api::effective::Effective;
use fleetfold_core::api::explain::{Explain, ExplainAnswer};
use fleetfold_core::value::Text;
use serde::Serialize;

use super::authorize;
use super::fleet::{Fleet, FleetArgs};
use super::time::TimeArgs;
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::explain::Rows;
use crate::render::{clusters, explain, plan};

/// Explain a value, a cluster, an action of a plan, or a permission
///
/// 1. With a path: every layer that sets the value, winner first, and why the others lost.
/// 2. Without a path: why the subject selects the cluster or not, requirement by requirement.
/// 3. With an action: the differences that cause it.
/// 4. With a user: the permissions that a label change needs, and what grants them.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  fleetfold explain -f fleet PluginPreset/acme/metrics --cluster eu-1 --path replicas
  fleetfold explain -f fleet PluginPreset/acme/metrics --path replicas       on every cluster, equal ones together
  fleetfold explain -f fleet PluginPreset/acme/metrics --cluster eu-1        why it is selected, or not
  fleetfold explain -f fleet FederatedDeployment/shop/web --cluster eu-1 --path /spec/replicas \
    --object Deployment/shop/web
  fleetfold explain -f fleet --action a1b2c3                                 an id that `plan` printed
  fleetfold explain -f fleet --user eve --group dev --cluster c1 --label env=prod --label old-")]
pub struct Args {
    /// The subject: `Kind/name` or `Kind/namespace/name`
    #[arg(required_unless_present_any = ["action", "user"])]
    subject: Option<String>,

    #[command(flatten)]
    fleet: FleetArgs,

    #[command(flatten)]
    time: TimeArgs,

    /// The cluster
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,

    /// The option path or JSON pointer of a value
    #[arg(long, requires = "subject")]
    path: Option<String>,

    /// The object of the value, if the subject has several
    #[arg(long, value_name = "KIND/NAMESPACE/NAME", requires = "path")]
    object: Option<String>,

    /// The id of an action
    #[arg(long, value_name = "ID", conflicts_with_all = ["subject", "user", "cluster"])]
    action: Option<String>,

    /// The user who changes labels
    #[arg(long, value_name = "NAME", conflicts_with = "subject", requires_all = ["cluster", "labels"])]
    user: Option<String>,

    /// A group of the user; may be given again
    #[arg(long = "group", value_name = "NAME", requires = "user")]
    groups: Vec<String>,

    /// `key=value` adds a label, `key-` removes it; may be given again
    #[arg(long = "label", value_name = "LABEL", requires = "user", value_parser = authorize::label)]
    labels: Vec<(String, Option<String>)>,

    /// Also list the layers for other clusters
    #[arg(long, requires = "path")]
    all: bool,

    /// The output format; `name` prints the documents involved
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

impl Args {
    fn rows(&self) -> Rows {
        if self.all { Rows::All } else { Rows::OfCluster }
    }
}

/// What is explained, for one cluster or for groups of them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Explained {
    One(Box<ExplainAnswer>),
    Groups { results: Vec<ExplainedGroup> },
}

#[derive(Debug, Serialize)]
struct ExplainedGroup {
    clusters: Vec<Text>,
    explained: ExplainAnswer,
}

impl From<ExplainAnswer> for Explained {
    fn from(answer: ExplainAnswer) -> Explained {
        Explained::One(Box::new(answer))
    }
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let (answer, table) = match (&args.action, &args.user, &args.subject) {
        (Some(action), _, _) => {
            let answer =
                fleet.call(&Explain { action: Some(action.into()), now: args.time.now(), ..Explain::default() })?;
            let chain = answer.chain.as_ref().map(|_| explain::chain("because of", &answer, args.rows(), screen.out));
            let table = plan::explained(&answer, screen.out) + &chain.unwrap_or_default();
            (answer.into(), table)
        }
        (None, Some(user), _) => {
            let cluster = args.cluster.as_deref().unwrap_or_default();
            let answer = authorize::ask(&mut fleet, user, &args.groups, cluster, &args.labels)?;
            let table = explain::permission(user, (&answer).into(), screen.out);
            (answer.into(), table)
        }
        (None, None, subject) => {
            let subject = subject.as_deref().unwrap_or_default();
            let explained = match &args.path {
                Some(path) => value(args, subject, path, &mut fleet, screen),
                None => selection(args, subject, &mut fleet, screen),
            };
            explained.map_err(|failure| fleet.about(subject, failure))?
        }
    };
    print_answer(args.output, &answer, || table, || documents(&answer))?;
    // A denial exits as that of `authorize` does.
    let denied = matches!(&answer, Explained::One(answer) if is_denied(answer));
    Ok(fleet.finish(u8::from(denied), screen.err))
}

fn is_denied(answer: &ExplainAnswer) -> bool {
    answer.allowed == Some(false) || answer.object.as_ref().is_some_and(|it| !it.granted)
}

/// Explains a value on one cluster, or on one cluster of each group with equal results.
fn value(
    args: &Args,
    subject: &str,
    path: &str,
    fleet: &mut Fleet,
    screen: Screen,
) -> Result<(Explained, String), Failure> {
    let ask = |fleet: &mut Fleet, cluster: &str| {
        fleet.call(&Explain {
            subject: Some(subject.into()),
            cluster: Some(cluster.into()),
            path: Some(path.into()),
            object: args.object.as_ref().map(Into::into),
            now: args.time.now(),
            ..Explain::default()
        })
    };
    if let Some(cluster) = &args.cluster {
        let answer = ask(fleet, cluster)?;
        let table = explain::chain(&format!("{path} on {cluster}"), &answer, args.rows(), screen.out);
        return Ok((answer.into(), table));
    }
    let groups = fleet.call(&Effective { subject: subject.into(), now: args.time.now(), ..Effective::default() })?;
    let (mut results, mut tables) = (Vec::new(), Vec::new());
    for group in groups.results.into_iter().filter(|it| it.error.is_none()) {
        let Some(first) = group.clusters.first() else { continue };
        let explained = ask(fleet, first)?;
        let title = format!("{path} on {}", clusters(&group.clusters));
        tables.push(explain::chain(&title, &explained, args.rows(), screen.out));
        results.push(ExplainedGroup { clusters: group.clusters, explained });
    }
    if results.is_empty() {
        let hint = "run `fleetfold explain SUBJECT` without `--path` for the reason";
        return Err(Failure::new(format_args!("`{subject}` produces nothing for any cluster"), hint));
    }
    Ok((Explained::Groups { results }, tables.join("\n")))
}

/// Explains why a subject selects one cluster or not, or every cluster.
fn selection(args: &Args, subject: &str, fleet: &mut Fleet, screen: Screen) -> Result<(Explained, String), Failure> {
    let ask = |fleet: &mut Fleet, cluster: &str| {
        let (subject, cluster) = (Some(subject.into()), Some(cluster.into()));
        fleet.call(&Explain { subject, cluster, now: args.time.now(), ..Explain::default() })
    };
    if let Some(cluster) = &args.cluster {
        let answer = ask(fleet, cluster)?;
        let table = explain::selection(subject, cluster, &answer, screen.out);
        return Ok((answer.into(), table));
    }
    let mut names = fleet.clusters(None)?;
    // A subject of the hub has no other cluster.
    names.push(String::new());
    let mut answers: Vec<(Text, ExplainAnswer)> = Vec::new();
    for name in &names {
        match ask(fleet, name) {
            Ok(answer) => answers.push((name.into(), answer)),
            // Clusters of other dialects are not in the fleet of this subject.
            Err(failure) if failure.is("unknown-cluster") => {}
            Err(failure) => return Err(failure),
        }
    }
    let table = explain::selections(&answers, screen.out);
    let each = answers.into_iter().map(|(name, explained)| ExplainedGroup { clusters: vec![name], explained });
    Ok((Explained::Groups { results: each.collect() }, table))
}

/// The documents in the answer, in order, without duplicates.
fn documents(answer: &Explained) -> Vec<String> {
    let parts: Vec<&ExplainAnswer> = match answer {
        Explained::One(answer) => vec![answer],
        Explained::Groups { results } => results.iter().map(|it| &it.explained).collect(),
    };
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        let layers = part.chain.iter().flatten().filter_map(|it| it.document.as_ref());
        let roles = part.checks.iter().flatten().filter_map(|it| it.granted_by.as_ref()?.role.as_ref());
        let subject = part.action.iter().map(|it| &it.subject);
        for name in layers.chain(roles).chain(subject) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}
