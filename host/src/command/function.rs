//! `fleetfold fn`: a KRM function, for kustomize, kpt and whoever else passes ResourceLists around.
//!
//! 1. `list.rs` reads the ResourceList: items with their files, and the function's configuration.
//! 2. `config.rs` reads that: what to do, for which clusters.
//! 3. The items become documents of a workspace, and the engine is asked, as by every other command.
//! 4. `render.rs` makes items of what it answers; `results.rs` makes results of what it found.
//!
//! A function that fails hands its items back as they came, with results that say why, and exits with something other than 0.

mod config;
mod list;
mod render;
mod results;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use fleetfold_core::Value;

use self::config::{Config, Task};
use self::list::{ResourceList, is_ours};
use super::EngineArgs;
use super::fleet::{Fleet, empty};
use crate::command::output::{Failure, Screen, print};
use crate::render::finding::{Finding, Severity, Texts};
use crate::render::style::Palette;
use crate::render::yaml;
use crate::source::read_text;

/// Render or check the items of a ResourceList: a KRM function for kustomize and kpt
///
/// Reads a ResourceList (config.kubernetes.io/v1) from standard input and writes one to standard output. What to do stands in
/// its functionConfig, of the kind Fleetfold (fleetfold.dev/v1alpha1), in `spec`, or as texts in the `data` of a ConfigMap:
///
///   run       `lint` (default): items stay as they are, and what is wrong with them is in `results`; `render`: what clusters
///             should have, in place of the items
///   files     files and folders of documents to read beside the items, as `-f` of other commands
///   settings  settings of the engine, as in a `fleetfold.yaml`
///   failOn    lint: the least severity that fails, `error` (default), `warning`, `info` or `never`
///   clusters, selector, subjects
///             render: for these clusters, for those that the selector picks, of these subjects; all if left out
///   folder    render: the folder in which each cluster gets one
///   keep      render: `true` keeps the items beside what is rendered
///
/// Every rendered item says in the annotation `fleetfold.dev/cluster` whose it is. What Secrets hold is in it, as it was in
/// the documents. Exits with 1 when something fails it.
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
    let list = ResourceList::read(read_text(Path::new("-"))?)?;
    let done = Config::read(&list).and_then(|config| work(args, &list, &config).map_err(Refused::from));
    let Done { items, findings, texts, code } = done.unwrap_or_else(|refused| refused.into_done(&list));
    tell(&findings, &texts, screen.err);
    let results = findings.iter().map(|it| results::result(it, list.item_of(it)));
    print(yaml::document(&list.with(items, results.collect())))?;
    Ok(ExitCode::from(code))
}

/// What comes of it.
struct Done {
    items: Vec<Value>,
    findings: Vec<Finding>,
    /// What findings show lines of.
    texts: Texts,
    code: u8,
}

/// Why nothing could be done.
enum Refused {
    /// The configuration is wrong, in all these ways.
    Config(Vec<Finding>),
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Failed(failure)
    }
}

impl Refused {
    /// The items as they came, and why.
    fn into_done(self, list: &ResourceList) -> Done {
        let (findings, texts) = match self {
            Refused::Config(findings) => (findings, list.texts()),
            Refused::Failed(Failure::Refused { finding, texts }) => (vec![*finding], texts),
            Refused::Failed(failure) => (vec![Finding::read(&failure.to_diagnostic("failed"))], Texts::new()),
        };
        Done { items: list.values(), findings, texts, code: 2 }
    }
}

fn work(args: &Args, list: &ResourceList, config: &Config) -> Result<Done, Failure> {
    let mut fleet = Fleet::load(&config.files, args.engine.start()?)?;
    let settings = list.settings().chain(config.settings.clone());
    for settings in settings {
        fleet.ask("configure", settings)?;
    }
    fleet.ask("load", Value::map([("documents", Value::list(list.documents()))]))?;
    match config.task {
        Task::Lint => {
            fleet.ask("lint", empty())?;
            let findings = findings(list, &fleet, Vec::new());
            let fails = |it: &Finding| config.fail_on.is_some_and(|least| it.severity >= least);
            let code = u8::from(findings.iter().any(fails));
            Ok(Done { items: list.values(), findings, texts: fleet.texts().clone(), code })
        }
        Task::Render => {
            let (made, told) = render::items(&mut fleet, config)?;
            let findings = findings(list, &fleet, told);
            let fails = findings.iter().any(|it| it.severity == Severity::Error);
            let kept = list.values().into_iter().filter(|it| config.keep && !is_ours(it));
            let items = if fails { list.values() } else { kept.chain(made).collect() };
            Ok(Done { items, findings, texts: fleet.texts().clone(), code: u8::from(fails) })
        }
    }
}

/// Everything that was found, with the files of the items that it is about.
fn findings(list: &ResourceList, fleet: &Fleet, told: Vec<Finding>) -> Vec<Finding> {
    let all = list.diagnostics().into_iter().chain(fleet.findings()).chain(told);
    all.map(|it| list.placed(it)).collect()
}

/// Tells errors, and a few warnings, to who sees no results: kustomize shows only this.
fn tell(findings: &[Finding], texts: &Texts, palette: Palette) {
    const WARNINGS: usize = 5;
    let of = |severity: Severity| findings.iter().filter(move |it| it.severity == severity);
    let shown = of(Severity::Error).chain(of(Severity::Warning).take(WARNINGS));
    let out: String = shown.map(|it| it.render(texts, palette)).collect();
    // Nobody is left to tell if standard error is closed.
    let _ = io::stderr().write_all(out.as_bytes());
}
