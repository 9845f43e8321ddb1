//! `fleetfold explain`: explains values, clusters, actions and permissions.

use std::process::ExitCode;

use fleetfold_core::Value;

use super::authorize;
use super::fleet::{Fleet, FleetArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::{clusters, explain, list, plan, text, texts};

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
  fleetfold explain -f fleet FederatedDeployment/shop/web --cluster eu-1 --path /spec/replicas --object Deployment/shop/web
  fleetfold explain -f fleet --action a1b2c3                                 an id that `plan` printed
  fleetfold explain -f fleet --user eve --group dev --cluster c1 --label env=prod --label old-")]
pub struct Args {
    /// The subject: `Kind/name` or `Kind/namespace/name`
    #[arg(required_unless_present_any = ["action", "user"])]
    subject: Option<String>,

    #[command(flatten)]
    fleet: FleetArgs,

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

    /// The output format; `name` prints the documents involved
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let (answer, table) = match (&args.action, &args.user, &args.subject) {
        (Some(action), _, _) => {
            let answer = fleet.ask("explain", Value::map([("action", action.as_str())]))?;
            let chain = answer.get("chain").map(|_| explain::chain("because of", &answer, screen.out));
            let table = plan::explained(&answer, screen.out) + &chain.unwrap_or_default();
            (answer, table)
        }
        (None, Some(user), _) => {
            let cluster = args.cluster.as_deref().unwrap_or_default();
            let answer = authorize::ask(&mut fleet, user, &args.groups, cluster, &args.labels)?;
            let table = explain::permission(user, &answer, screen.out);
            (answer, table)
        }
        (None, None, subject) => {
            let subject = subject.as_deref().unwrap_or_default();
            match &args.path {
                Some(path) => value(args, subject, path, &mut fleet, screen)?,
                None => selection(args, subject, &mut fleet, screen)?,
            }
        }
    };
    print_answer(args.output, &answer, || table, || documents(&answer))?;
    Ok(fleet.finish(0, screen.err))
}

/// Explains a value on one cluster, or on one cluster of each group with equal results.
fn value(
    args: &Args,
    subject: &str,
    path: &str,
    fleet: &mut Fleet,
    screen: Screen,
) -> Result<(Value, String), Failure> {
    let ask = |fleet: &mut Fleet, cluster: &str| {
        let object = args.object.as_deref().map(|it| ("object", it));
        let fields = [("subject", subject), ("cluster", cluster), ("path", path)];
        fleet.ask("explain", Value::map(fields.into_iter().chain(object)))
    };
    if let Some(cluster) = &args.cluster {
        let answer = ask(fleet, cluster)?;
        let table = explain::chain(&format!("{path} on {cluster}"), &answer, screen.out);
        return Ok((answer, table));
    }
    let groups = fleet.ask("effective", Value::map([("subject", subject)]))?;
    let (mut answers, mut tables) = (Vec::new(), Vec::new());
    for group in list(&groups, "results").iter().filter(|it| it.get("error").is_none()) {
        let names = texts(group, "clusters");
        let Some(first) = names.first() else { continue };
        let answer = ask(fleet, first)?;
        tables.push(explain::chain(&format!("{path} on {}", clusters(&names)), &answer, screen.out));
        answers.push(Value::map([("clusters", Value::list(names)), ("explained", answer)]));
    }
    if answers.is_empty() {
        let hint = "`fleetfold explain SUBJECT` without `--path` says why";
        return Err(Failure::new(format_args!("`{subject}` gives nothing to any cluster"), hint));
    }
    Ok((Value::map([("results", Value::list(answers))]), tables.join("\n")))
}

/// Explains why a subject selects one cluster or not, or every cluster.
fn selection(args: &Args, subject: &str, fleet: &mut Fleet, screen: Screen) -> Result<(Value, String), Failure> {
    let ask = |fleet: &mut Fleet, cluster: &str| {
        fleet.ask("explain", Value::map([("subject", subject), ("cluster", cluster)]))
    };
    if let Some(cluster) = &args.cluster {
        let answer = ask(fleet, cluster)?;
        let table = explain::selection(subject, cluster, &answer, screen.out);
        return Ok((answer, table));
    }
    let mut names = fleet.clusters(None)?;
    // A subject of the hub has no other cluster.
    names.push(String::new());
    let mut answers = Vec::new();
    for name in &names {
        match ask(fleet, name) {
            Ok(answer) => answers.push((name.as_str(), answer)),
            // Clusters of other dialects are not in the fleet of this subject.
            Err(failure) if failure.is("unknown-cluster") => {}
            Err(failure) => return Err(failure),
        }
    }
    let table = explain::selections(&answers, screen.out);
    let each = answers
        .into_iter()
        .map(|(name, answer)| Value::map([("clusters", Value::list([name])), ("explained", answer)]));
    Ok((Value::map([("results", Value::list(each))]), table))
}

/// The documents in the answer, in order, without duplicates.
fn documents(answer: &Value) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let explained = list(answer, "results").iter().filter_map(|it| it.get("explained"));
    for part in [answer].into_iter().chain(explained) {
        let entries = ["chain", "reasons"].iter().flat_map(|key| list(part, key));
        let roles = list(part, "checks").iter().map(|it| it.text_at(&["grantedBy", "role"]));
        let named = entries.map(|it| text(it, "document")).chain(roles);
        for name in named.chain([part.text_at(&["action", "subject"])]).filter(|it| !it.is_empty()) {
            if !names.iter().any(|it| it == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}
