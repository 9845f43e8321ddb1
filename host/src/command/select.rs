//! `fleetfold select`: evaluates a selector.

use std::collections::BTreeMap;
use std::process::ExitCode;

use fleetfold_core::Value;

use super::fleet::{Fleet, FleetArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::style::{Ink, Palette};
use crate::render::table::{Cell, Table};
use crate::render::{list, name_of, text, texts};

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
    let answer = match (&selector, args.why) {
        (Some(selector), true) => why(selector, &mut fleet)?,
        _ => fleet.ask("clusters", Value::map(selector.map(|it| ("selector", it))))?,
    };
    let clusters = list(&answer, "clusters");
    let table = || if args.why { reasons(clusters, screen.out) } else { table(clusters, args.show_labels, screen.out) };
    let names = || {
        let picked = clusters.iter().filter(|it| it.get("selected").and_then(Value::as_bool) != Some(false));
        picked.map(name_of).collect()
    };
    print_answer(args.output, &answer, table, names)?;
    Ok(fleet.finish(0, screen.err))
}

/// Parses a selector: YAML if it starts like a map or a list, otherwise the syntax of kubectl.
fn read(selector: &str, fleet: &mut Fleet) -> Result<Value, Failure> {
    if !selector.trim_start().starts_with(['{', '[']) {
        return Ok(Value::text(selector));
    }
    let documents = fleet.parse("<selector>", selector)?;
    Ok(documents.into_iter().next().unwrap_or_default())
}

/// Evaluates the clusters of one kind and namespace at a time, in which names are unique.
fn why(selector: &Value, fleet: &mut Fleet) -> Result<Value, Failure> {
    let all = fleet.ask("clusters", super::fleet::empty())?;
    let mut scopes: BTreeMap<(&str, &str), Vec<Value>> = BTreeMap::new();
    for cluster in list(&all, "clusters") {
        let labels = cluster.get("labels").cloned().unwrap_or_default();
        let input = Value::map([("name", Value::text(text(cluster, "name"))), ("labels", labels)]);
        scopes.entry((text(cluster, "kind"), text(cluster, "namespace"))).or_default().push(input);
    }
    let mut explained = Vec::new();
    for ((kind, namespace), clusters) in scopes {
        let fields = [("selector", selector.clone()), ("clusters", Value::list(clusters)), ("why", true.into())];
        let answer = fleet.ask("select", Value::map(fields))?;
        for it in list(&answer, "explained") {
            let mut it = it.clone();
            if let Some(fields) = it.as_map_mut() {
                fields.insert("kind", kind);
                if !namespace.is_empty() {
                    fields.insert("namespace", namespace);
                }
            }
            explained.push(it);
        }
    }
    Ok(Value::map([("clusters", Value::list(explained))]))
}

fn table(clusters: &[Value], show_labels: bool, palette: Palette) -> String {
    let mut table = Table::new(["NAME", "KIND", "NAMESPACE", "SETS", "LABELS"]);
    for cluster in clusters {
        let labels = cluster.get("labels").and_then(Value::as_map).filter(|_| show_labels);
        let labels = labels.into_iter().flat_map(|it| it.iter());
        let labels: Vec<String> =
            labels.map(|(key, value)| format!("{key}={}", value.as_text().unwrap_or(""))).collect();
        table.row([
            text(cluster, "name").into(),
            text(cluster, "kind").into(),
            text(cluster, "namespace").into(),
            texts(cluster, "sets").join(",").into(),
            labels.join(",").into(),
        ]);
    }
    if table.is_empty() { "no cluster\n".to_owned() } else { table.render("", palette) }
}

fn reasons(clusters: &[Value], palette: Palette) -> String {
    let mut table = Table::new(["NAME", "KIND", "SELECTED", "REASONS"]);
    for cluster in clusters {
        let selected = match cluster.get("selected").and_then(Value::as_bool) {
            Some(true) => Cell::inked(Ink::Green, "yes"),
            _ => Cell::inked(Ink::Red, "no"),
        };
        let reasons: Vec<&str> = list(cluster, "reasons").iter().map(|it| text(it, "text")).collect();
        table.row([text(cluster, "name").into(), text(cluster, "kind").into(), selected, reasons.join("; ").into()]);
    }
    table.render("", palette)
}
