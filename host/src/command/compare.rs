//! `fleetfold compare`: compares the plans of two modules for the same documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use fleetfold::args;
use fleetfold::clock::now;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Module};
use fleetfold::session::compare::{Comparison, compare};
use fleetfold_core::Value;
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest};
use fleetfold_core::api::{self, Answered, Refusal, read_response, request_text};
use fleetfold_core::diagnostic::Error;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::json::parse_answer;
use serde::{Deserialize, Serialize};

use super::ModuleArgs;
use super::fleet::Fleet;
use super::hub::{HubArgs, LoadedHub, MemberArgs};
use crate::command::output::{Failure, Output, Screen, print_answer};
use crate::render::compare::{Sides, table};
use crate::render::finding::{Finding, Severity, Texts};
use crate::render::json::value_of;

/// The name of the embedded module.
const BUILTIN: &str = "builtin";

/// Show where the plans of two modules differ over the same documents, by cluster and field
///
/// Both modules get the same documents and the same time. Findings of only one module are shown, too. Secret data stays
/// redacted: if only that differs, the output says so without the data.
///
/// Exits with 0 when the plans are the same, with 1 when they are not.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold compare old.wasm new.wasm -f fleet
  fleetfold compare old.wasm builtin -f fleet                                is it safe to upgrade to this program?
  fleetfold compare old.wasm builtin -f fleet --now 2026-01-01T00:00:00Z -o json
  fleetfold compare old.wasm builtin --from-cluster --context hub            with what a real fleet has")]
pub struct Args {
    /// A module: a `.wasm` file, or `builtin` for the embedded one
    #[arg(value_name = "OLD.wasm")]
    old: PathBuf,

    /// The module to compare it with
    #[arg(value_name = "NEW.wasm")]
    new: PathBuf,

    /// A file or folder of documents, or `-` for standard input; may be given again
    #[arg(short = 'f', long = "filename", value_name = "FILE", required_unless_present = "from_cluster")]
    files: Vec<PathBuf>,

    /// Read the documents of a hub, and the live objects that the plan of the new module needs
    #[arg(long, conflicts_with = "files")]
    from_cluster: bool,

    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    members: MemberArgs,

    /// The time to plan for, in RFC 3339; default: now
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    /// How long one call may take, as `500ms`, `2s` or `1m`
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = args::duration)]
    timeout: Duration,

    /// How much memory each module may have, as `512MiB` or `1GiB`
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = args::size)]
    memory: usize,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::NAMELESS))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let now = args.now.clone().unwrap_or_else(now);
    let (old, new) = (args.load(&args.old)?, args.load(&args.new)?);
    let requests = args.requests(&new, screen)?;
    // Both get the same requests: one module may reject what the other accepts.
    let mut sides = [args.start(&old, &args.old)?, args.start(&new, &args.new)?];
    for side in &mut sides {
        requests.iter().try_for_each(|request| side.load(request))?;
    }
    let [unread, also] = [&sides[0], &sides[1]].map(|side| errors(&side.findings));
    let [old_plan, new_plan] = [sides[0].plan(&now)?, sides[1].plan(&now)?];
    let compared = compare(&old_plan, &new_plan);
    let [old_findings, new_findings] = sides.map(Side::into_findings);
    let findings = apart(old_findings, new_findings);
    let is_same = compared.is_same() && findings.old.is_empty() && findings.new.is_empty();
    let modules = Pair { new: new.digest(), old: old.digest() };
    let report = report(&compared, &findings, modules, &now, is_same);
    print_answer(args.output, &report, || table(&compared, &findings, screen.out), Vec::new)?;
    // Documents that neither module can read were not compared.
    Ok(ExitCode::from(if unread.is_disjoint(&also) { u8::from(!is_same) } else { 2 }))
}

impl Args {
    /// The arguments of one module.
    fn module(&self, file: &Path) -> ModuleArgs {
        let module = Some(file.to_owned()).filter(|it| it.as_os_str() != BUILTIN);
        ModuleArgs { module, verify_key: None, timeout: self.timeout, memory: self.memory }
    }

    fn load(&self, file: &Path) -> Result<Module, Failure> {
        self.module(file).load().map_err(|failure| of_module(failure, file))
    }

    fn start(&self, module: &Module, file: &Path) -> Result<Side, Failure> {
        let started = Guest::new(module, self.module(file).limits());
        let engine = started.map_err(|error| of_module(error.into(), file))?;
        Ok(Side { engine, name: file.display().to_string(), findings: Vec::new() })
    }

    /// The requests that load everything. The new module determines the live objects to read from a hub.
    fn requests(&self, module: &Module, screen: Screen) -> Result<Vec<String>, Failure> {
        let engine = Box::new(self.start(module, &self.new)?.engine);
        let fleet = match self.from_cluster {
            true => {
                let LoadedHub { engine, requests, .. } = self.members.load(&self.hub, engine)?;
                Fleet::over(engine, requests)
            }
            false => Fleet::load(&self.files, engine)?,
        };
        if fleet.has_unreadable() {
            fleet.print_findings(screen.err);
        }
        Ok(fleet.into_requests())
    }
}

/// Adds the name of the module to a failure.
fn of_module(failure: Failure, file: &Path) -> Failure {
    let name = format!("`{}`", file.display());
    match failure {
        Failure::Host { message, hint } if !message.contains(&name) => {
            Failure::new(format_args!("{name}: {message}"), hint)
        }
        other => other,
    }
}

/// One of the two engines.
struct Side {
    engine: Guest,
    /// The module as given on the command line.
    name: String,
    findings: Vec<Finding>,
}

impl Side {
    /// Sends a request that changes the workspace; an error is a finding.
    fn load(&mut self, request: &str) -> Result<(), Failure> {
        /// What the responses to all of them have.
        #[derive(Deserialize)]
        struct Response {
            diagnostics: Option<Vec<api::Finding>>,
            error: Option<Refusal>,
        }
        let text = Engine::call(&mut self.engine, request.as_bytes());
        let response: Result<Response, Error> =
            parse_answer(&text).map_err(Error::from).and_then(from_value_ignoring_unknown);
        let Response { diagnostics, error } = response.map_err(|problem| self.unreadable(&problem))?;
        match error {
            // The workspace was lost, so there is nothing to compare.
            Some(error) if self.engine.is_fresh() => return Err(self.refused(&error)),
            Some(error) => self.findings.push(Finding::refused(&error)),
            None => self.findings.extend(Finding::all(&diagnostics.unwrap_or_default())),
        }
        Ok(())
    }

    fn plan(&mut self, now: &str) -> Result<PlanAnswer, Failure> {
        let request = request_text(&PlanRequest { now: Some(now.into()), ..PlanRequest::default() });
        let text = Engine::call(&mut self.engine, request.as_bytes());
        let response = read_response::<PlanRequest>(&text).map_err(|problem| self.unreadable(&problem))?;
        let Answered { answer, findings } = response.map_err(|refusal| self.refused(&refusal))?;
        self.findings.extend(Finding::all(&findings));
        Ok(answer)
    }

    /// The findings without duplicates.
    fn into_findings(mut self) -> Vec<Finding> {
        Finding::sort(&mut self.findings);
        self.findings
    }

    fn refused(&self, refusal: &Refusal) -> Failure {
        Failure::refused(refusal, &Texts::new()).within(&self.name)
    }

    fn unreadable(&self, problem: &Error) -> Failure {
        let message = format!("an answer of `{}` cannot be read: {problem}", self.name);
        Failure::new(message, "is it a module of this engine?")
    }
}

/// File, document and code: findings with equal keys match, since messages may be reworded.
type Key = (String, String, String);

fn key(finding: &Finding) -> Key {
    (finding.file.clone(), finding.document.clone(), finding.code.clone())
}

/// The errors among findings.
fn errors(findings: &[Finding]) -> BTreeSet<Key> {
    findings.iter().filter(|it| it.severity == Severity::Error).map(key).collect()
}

/// The findings of only one side, in their order.
fn apart(old: Vec<Finding>, new: Vec<Finding>) -> Sides<Finding> {
    let count = |findings: &[Finding]| {
        let mut counts: BTreeMap<Key, usize> = BTreeMap::new();
        findings.iter().for_each(|it| *counts.entry(key(it)).or_default() += 1);
        counts
    };
    let rest = |findings: Vec<Finding>, mut others: BTreeMap<Key, usize>| -> Vec<Finding> {
        let is_alone = |finding: &Finding| match others.get_mut(&key(finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        findings.into_iter().filter(is_alone).collect()
    };
    let (of_old, of_new) = (count(&old), count(&new));
    Sides { old: rest(old, of_new), new: rest(new, of_old) }
}

/// A value for each module, as JSON.
#[derive(Debug, Serialize)]
struct Pair<T> {
    new: T,
    old: T,
}

/// The result as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    diagnostics: Pair<Vec<api::Finding>>,
    differences: Value,
    digests: Pair<&'a str>,
    modules: Pair<&'a str>,
    now: &'a str,
    same: bool,
}

fn report(compared: &Comparison, findings: &Sides<Finding>, modules: Pair<&str>, now: &str, same: bool) -> Value {
    let answers = |findings: &[Finding]| findings.iter().map(Finding::to_answer).collect::<Vec<_>>();
    let diagnostics = Pair { new: answers(&findings.new), old: answers(&findings.old) };
    let digests = Pair { new: compared.digests.1.as_str(), old: compared.digests.0.as_str() };
    value_of(&Report { diagnostics, differences: compared.differences_value(), digests, modules, now, same })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[test]
    fn a_finding_that_both_have_is_none_of_either() {
        let finding = |code: &str, message: &str| {
            let text =
                format!(r#"{{"severity":"error","code":"{code}","message":"{message}","at":{{"document":"A/b"}}}}"#);
            Finding::from(&read_answer::<api::Finding>(&text))
        };
        let old = vec![finding("a", "one"), finding("a", "two"), finding("b", "three")];
        let new = vec![finding("a", "another wording"), finding("c", "four")];
        let apart = apart(old, new);
        let messages = |findings: &[Finding]| findings.iter().map(|it| it.message.clone()).collect::<Vec<_>>();
        assert_eq!(messages(&apart.old), ["two", "three"]);
        assert_eq!(messages(&apart.new), ["four"]);
    }
}
