//! `fleetfold fn`: a KRM function, for kustomize, kpt and other orchestrators.
//!
//! 1. `list.rs` reads the ResourceList: items with their files, and the function's configuration.
//! 2. `config.rs` reads that configuration: the task and its clusters.
//! 3. The items are loaded as documents of a workspace, as in every other command.
//! 4. `render.rs` turns answers into items; `results.rs` turns findings into results.
//!
//! A function that fails returns its items unchanged, with results that explain the failure, and exits with a code
//! other than 0.

mod config;
mod list;
mod render;
mod results;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::load::Load;
use fleetfold_core::{Value, yaml};

use self::config::{Config, Task};
use self::list::{ResourceList, is_ours};
use super::EngineArgs;
use super::fleet::{Fleet, empty_map};
use crate::command::output::{Failure, Screen, print};
use crate::render::finding::{Finding, Severity, Texts, is_at_least};
use crate::render::style::Palette;
use crate::source::{MAX_FILE_SIZE, read_text};

/// Render or check the items of a ResourceList: a KRM function for kustomize and kpt
///
/// Reads a ResourceList (config.kubernetes.io/v1) from standard input and writes one to standard output. Its
/// functionConfig, of the kind Fleetfold (fleetfold.dev/v1alpha1), sets these fields in `spec`; a ConfigMap sets them
/// as strings in `data`:
///
///   run       `lint` (default): keep the items and report findings in `results`; `render`: replace the items by the
///             desired objects of the clusters
///   files     files and folders of further documents, as `-f` of other commands
///   settings  settings of the engine, as in a `fleetfold.yaml`
///   failOn    lint: the least severity that fails, `error` (default), `warning`, `info` or `never`
///   clusters, selector, subjects
///             render: only these clusters, the clusters that the selector matches, these subjects; default: all
///   folder    render: the folder with one folder for each cluster
///   keep      render: `true` also keeps the items
///
/// Every rendered item names its cluster in the annotation `fleetfold.dev/cluster`. Secret data is not redacted.
/// Exits with 1 when a finding fails the run.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  fleetfold fn < resources.yaml
  kustomize build --enable-alpha-plugins --enable-exec overlays/berlin     with this as a transformer:
    apiVersion: fleetfold.dev/v1alpha1
    kind: Fleetfold
    metadata:
      name: berlin
      annotations:
        config.kubernetes.io/function: |
          exec: {path: fleetfold, args: [fn]}
    spec: {run: render, clusters: [berlin]}"
)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let list = ResourceList::read(read_text(Path::new("-"), MAX_FILE_SIZE)?)?;
    let done = Config::read(&list).and_then(|config| work(args, &list, &config).map_err(Refused::from));
    let Done { items, findings, texts, code } = done.unwrap_or_else(|refused| refused.into_done(&list));
    print_findings(&findings, &texts, screen.err);
    let results = findings.iter().map(|it| results::result(it, list.item_of(it)));
    print(yaml::print(&list.with(items, results.collect())))?;
    Ok(ExitCode::from(code))
}

/// The outcome of a run.
struct Done {
    items: Vec<Value>,
    findings: Vec<Finding>,
    /// The texts that findings quote.
    texts: Texts,
    code: u8,
}

/// Why a run has no outcome.
enum Refused {
    /// All problems of the configuration.
    Config(Vec<Finding>),
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Failed(failure)
    }
}

impl Refused {
    /// The unchanged items with the reason.
    fn into_done(self, list: &ResourceList) -> Done {
        let (findings, texts) = match self {
            Refused::Config(findings) => (findings, list.texts()),
            Refused::Failed(Failure::Refused { finding, texts }) => (vec![*finding], *texts),
            Refused::Failed(failure) => (vec![Finding::from(&failure.to_finding("failed"))], Texts::new()),
        };
        Done { items: list.values(), findings, texts, code: 2 }
    }
}

fn work(args: &Args, list: &ResourceList, config: &Config) -> Result<Done, Failure> {
    let mut fleet = Fleet::load(&config.files, args.engine.start()?)?;
    let settings = list.settings().chain(config.settings.clone());
    for settings in settings {
        fleet.configure(settings)?;
    }
    fleet.call(&Load { documents: Some(list.documents()), ..Load::default() })?;
    match config.task {
        Task::Lint => {
            fleet.call(&Lint::default())?;
            let findings = findings(list, &fleet, Vec::new());
            let fails = |it: &Finding| config.fail_on.is_some_and(|least| is_at_least(it.severity, least));
            let code = u8::from(findings.iter().any(fails));
            Ok(Done { items: list.values(), findings, texts: fleet.texts().clone(), code })
        }
        Task::Render => {
            let (made, rendered) = render::items(&mut fleet, config)?;
            let findings = findings(list, &fleet, rendered);
            let fails = findings.iter().any(|it| it.severity == Severity::Error);
            let kept = list.values().into_iter().filter(|it| config.keep && !is_ours(it));
            let items = if fails { list.values() } else { kept.chain(made).collect() };
            Ok(Done { items, findings, texts: fleet.texts().clone(), code: u8::from(fails) })
        }
    }
}

/// All findings, located in the files of their items.
fn findings(list: &ResourceList, fleet: &Fleet, rendered: Vec<Finding>) -> Vec<Finding> {
    let all = list.diagnostics().into_iter().chain(fleet.findings()).chain(rendered);
    all.map(|it| list.placed(it)).collect()
}

/// Prints all errors and the first warnings on standard error: kustomize does not show results.
fn print_findings(findings: &[Finding], texts: &Texts, palette: Palette) {
    const WARNINGS: usize = 5;
    let of = |severity: Severity| findings.iter().filter(move |it| it.severity == severity);
    let shown = of(Severity::Error).chain(of(Severity::Warning).take(WARNINGS));
    let out: String = shown.map(|it| it.render(texts, palette)).collect();
    // A closed standard error is ignored.
    let _ = io::stderr().write_all(out.as_bytes());
}
