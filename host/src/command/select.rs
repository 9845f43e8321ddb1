//! `fleetfold select`: evaluates a selector.

use std::collections::BTreeMap;
use std::process::ExitCode;

use fleetfold_core::Value;
use fleetfold_core::api::clusters::{ClusterAnswer, Clusters};
use fleetfold_core::api::select::{ClusterInput, Explained, ReasonAnswer, Select};
use fleetfold_core::value::{MaybeAbsent, Text};
use serde::Serialize;

use super::fleet::{Fleet, FleetArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::named;
use crate::render::style::{Ink, Palette};
use crate::render::table::{Cell, Table};

/// Show the clusters that a selector matches
///
/// The selector has the syntax of `kubectl -l`, or is YAML: a label selector, a Greenhouse cluster selector, a KubeFed
/// placement. Without a selector, all clusters are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold select -f fleet
  fleetfold select -f fleet -l environment=prod --show-labels
  fleetfold select -f fleet -l tier!=gold --why             why each cluster is in or out
  fleetfold select -f fleet -l '{\"clusterNames\":[\"eu-1\"]}'   a selector in YAML")]
pub struct Args {
    #[command(flatten)]
    fleet: FleetArgs,

    /// The selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,

    /// Explain for every cluster why it matches or not
    #[arg(long, requires = "selector")]
    why: bool,

    /// Also show the labels
    #[arg(long, conflicts_with = "why")]
    show_labels: bool,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = args.fleet.load()?;
    let selector = args.selector.as_deref().map(|it| read(it, &mut fleet)).transpose()?;
    if let (Some(selector), true) = (&selector, args.why) {
        let answer = why(selector, &mut fleet)?;
        let picked = answer.clusters.iter().filter(|it| it.selected);
        let names = || picked.map(|it| qualified(&it.kind, it.namespace.as_ref(), &it.name)).collect();
        print_answer(args.output, &answer, || reasons(&answer.clusters, screen.out), names)?;
    } else {
        let answer = fleet.call(&Clusters { selector: MaybeAbsent(selector) })?;
        let names = || answer.clusters.iter().map(|it| qualified(&it.kind, it.namespace.as_ref(), &it.name)).collect();
        let table = || table(&answer.clusters, args.show_labels, screen.out);
        print_answer(args.output, &answer, table, names)?;
    }
    Ok(fleet.finish(0, screen.err))
}

fn qualified(kind: &str, namespace: Option<&Text>, name: &str) -> String {
    named(kind, namespace.map_or("", Text::as_str), name)
}

/// Parses a selector: YAML if it starts like a map or a list, otherwise the syntax of kubectl.
fn read(selector: &str, fleet: &mut Fleet) -> Result<Value, Failure> {
    if !selector.trim_start().starts_with(['{', '[']) {
        return Ok(Value::text(selector));
    }
    let documents = fleet.parse("<selector>", selector)?;
    Ok(documents.into_iter().next().unwrap_or_default())
}

/// Every cluster, with the reasons for which it is selected or not.
#[derive(Debug, Serialize)]
struct Reasons {
    clusters: Vec<ClusterReasons>,
}

#[derive(Debug, Serialize)]
struct ClusterReasons {
    kind: Text,
    name: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<Text>,
    reasons: Vec<ReasonAnswer>,
    selected: bool,
}

/// Evaluates the clusters of one kind and namespace at a time, in which names are unique.
fn why(selector: &Value, fleet: &mut Fleet) -> Result<Reasons, Failure> {
    let all = fleet.call(&Clusters::default())?;
    let mut scopes: BTreeMap<(Text, Option<Text>), Vec<ClusterInput>> = BTreeMap::new();
    for ClusterAnswer { kind, namespace, name, labels, .. } in all.clusters {
        let input = ClusterInput { name, labels: Some(labels.into_iter().collect()), ..ClusterInput::default() };
        scopes.entry((kind, namespace)).or_default().push(input);
    }
    let mut explained = Vec::new();
    for ((kind, namespace), clusters) in scopes {
        let request = Select { selector: selector.clone(), clusters, why: Some(true), ..Select::default() };
        for Explained { name, reasons, selected } in fleet.call(&request)?.explained.into_iter().flatten() {
            let (kind, namespace) = (kind.clone(), namespace.clone());
            explained.push(ClusterReasons { kind, name, namespace, reasons, selected });
        }
    }
    Ok(Reasons { clusters: explained })
}

fn table(clusters: &[ClusterAnswer], show_labels: bool, palette: Palette) -> String {
    let mut table = Table::new(["NAME", "KIND", "NAMESPACE", "SETS", "LABELS"]);
    for cluster in clusters {
        let labels = cluster.labels.iter().filter(|_| show_labels);
        let labels: Vec<String> = labels.map(|(key, value)| format!("{key}={value}")).collect();
        let sets: Vec<&str> = cluster.sets.iter().flatten().map(Text::as_str).collect();
        table.row([
            (&cluster.name).into(),
            (&cluster.kind).into(),
            cluster.namespace.as_deref().unwrap_or_default().into(),
            sets.join(",").into(),
            labels.join(",").into(),
        ]);
    }
    if table.is_empty() { "no cluster\n".to_owned() } else { table.render("", palette) }
}

fn reasons(clusters: &[ClusterReasons], palette: Palette) -> String {
    let mut table = Table::new(["NAME", "KIND", "SELECTED", "REASONS"]);
    for cluster in clusters {
        let (ink, word) = if cluster.selected { (Ink::Green, "yes") } else { (Ink::Red, "no") };
        let reasons: Vec<&str> = cluster.reasons.iter().map(|it| it.text.as_str()).collect();
        let selected = Cell::inked(ink, word);
        table.row([(&cluster.name).into(), (&cluster.kind).into(), selected, reasons.join("; ").into()]);
    }
    table.render("", palette)
}
