//! `fleetfold apply`: applies a saved plan.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use fleetfold::bounded_read::{MAX_LARGE, read_text_file};
use fleetfold::clock::{self, now};
use fleetfold::cluster::{ApiError, Cluster, Effect};
use fleetfold::controller::{Action, Snapshot, recent_deletes};
use fleetfold::session::compare::compare;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest, RecentDeleteInput};
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::json::parse_answer;
use fleetfold_crds::RecentDeletes;
use futures::future::join_all;

use super::EngineArgs;
use super::hub::{HubArgs, MemberArgs, runtime};
use super::limits::LimitArgs;
use crate::command::output::{Failure, Screen, print, warn};
use crate::render::compare::{Sides, table};
use crate::render::style::{Ink, Palette};

/// Apply a saved plan; fail if the hub has changed since
///
/// Reads the hub and plans again. If the digest is that of the saved plan, applies the actions wave by wave, each on
/// condition that the object has not changed since. Exits with 0 when everything was applied, with 1 when the plan is
/// out of date or an action failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold plan --from-cluster -o plan.json     review it, and save it
  fleetfold apply plan.json --dry-run=server     server-side dry run
  fleetfold apply plan.json                      apply that plan")]
pub struct Args {
    /// The plan, as `fleetfold plan -o plan.json` wrote it
    #[arg(value_name = "PLAN")]
    plan: PathBuf,

    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    members: MemberArgs,

    /// Use a server-side dry run
    #[arg(long, value_name = "WHERE", default_value = "none")]
    dry_run: DryRun,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DryRun {
    None,
    Server,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let saved = read(&args.plan)?;
    let engine = args.engine.start()?;
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut snapshot = args.members.snapshot(&args.hub, engine).await?;
        let recent_deletes = Some(known(&snapshot.recent_deletes)?);
        snapshot.warn();
        let settings = Configure { limits: args.limits.settings(), ..Configure::default() };
        let window_seconds = snapshot.session.change(settings)?.answer.limits.window_seconds;
        let request =
            PlanRequest { now: Some(now().into()), reveal: Some(true), recent_deletes, ..PlanRequest::default() };
        let plan = snapshot.session.call(&request)?.answer;
        if plan.digest != saved.digest {
            return report_stale(&saved, &mut snapshot, screen);
        }
        let effect = if args.dry_run == DryRun::Server { Effect::DryRun } else { Effect::Real };
        apply(&plan, &Servers { clusters: &snapshot.clusters, effect, window_seconds }, screen.out).await
    });
    runtime.shutdown_background();
    done
}

fn read(path: &Path) -> Result<PlanAnswer, Failure> {
    let hint = "give a file that `fleetfold plan -o plan.json` wrote";
    let wrong =
        |problem: String| Failure::new(format_args!("`{}` is not a saved plan: {problem}", path.display()), hint);
    let written = read_text_file(path, MAX_LARGE).map_err(|error| wrong(error.to_string()))?;
    let plan = if path.extension().is_some_and(|it| it == "json") {
        parse_answer(&written).map_err(|error| wrong(format!("{} at {}", error.message, error.place)))?
    } else {
        let parsed = fleetfold_core::yaml::parse_each(&written, Default::default(), &mut Vec::new());
        let first = parsed.into_iter().next().and_then(Result::ok);
        first.map(|it| it.value).ok_or_else(|| wrong("it cannot be read".into()))?
    };
    let plan: PlanAnswer = from_value_ignoring_unknown(plan).map_err(|error| wrong(error.to_string()))?;
    if plan.digest.is_empty() {
        return Err(wrong("it has no digest".into()));
    }
    Ok(plan)
}

/// Prints where the current plan differs from the saved one.
fn report_stale(saved: &PlanAnswer, snapshot: &mut Snapshot, screen: Screen) -> Result<ExitCode, Failure> {
    // Without Secret data, as in the file.
    let plan = snapshot.session.call(&PlanRequest { now: Some(now().into()), ..PlanRequest::default() })?.answer;
    let none = Sides { old: Vec::new(), new: Vec::new() };
    print(table(&compare(saved, &plan), &none, screen.out))?;
    let message = format!("the plan has changed: it is now {}, not {}", plan.digest, saved.digest);
    Failure::new(message, "review the new plan with `fleetfold plan --from-cluster -o plan.json`").report(screen.err);
    Ok(ExitCode::from(1))
}

/// What was deleted recently. A plan that does not count it could delete more than the limits allow.
fn known(recent: &Result<Vec<RecentDeleteInput>, ApiError>) -> Result<Vec<RecentDeleteInput>, Failure> {
    recent.clone().map_err(|error| {
        let message = format_args!("nothing is applied, because FleetPlans cannot be read: {error}").to_string();
        Failure::new(message, "let this user list `fleetplans`: recent deletes count against the limits")
    })
}

/// Where a plan is applied.
struct Servers<'a> {
    /// The hub and the reachable members.
    clusters: &'a [Cluster],
    effect: Effect,
    /// For how long deletes count.
    window_seconds: i64,
}

impl Servers<'_> {
    fn named(&self, name: &str) -> Result<&Cluster, String> {
        let cluster = self.clusters.iter().find(|it| it.name() == name);
        cluster.ok_or_else(|| "the cluster cannot be reached".to_owned())
    }

    async fn apply(&self, action: &Action) -> Result<(), String> {
        let applied = action.apply(self.named(&action.cluster)?, self.effect).await;
        applied.map(drop).map_err(|error| format!("{error} ({})", error.hint()))
    }

    /// Records what actions took, for the limits of the next plans.
    async fn record(&self, took: &[RecentDeletes]) -> Result<(), String> {
        if took.is_empty() || self.effect == Effect::DryRun || self.window_seconds == 0 {
            return Ok(());
        }
        let saved = recent_deletes::save(self.named("")?, took, self.window_seconds).await;
        saved.map_err(|error| format!("{error} ({})", error.hint()))
    }
}

/// Applies the actions wave by wave. A failure stops only the later waves of its subject.
async fn apply(plan: &PlanAnswer, servers: &Servers<'_>, palette: Palette) -> Result<ExitCode, Failure> {
    let actions: Vec<Action> = plan.actions.iter().cloned().map(Action::from).collect();
    let waves: BTreeSet<i64> = actions.iter().map(|it| it.wave).collect();
    let mut failed: BTreeSet<&str> = BTreeSet::new();
    let (mut done, mut not_done) = (0, 0);
    for wave in waves {
        let (now, later): (Vec<&Action>, Vec<&Action>) =
            actions.iter().filter(|it| it.wave == wave).partition(|it| !failed.contains(it.subject.as_str()));
        for action in later {
            not_done += 1;
            print(line(action, palette.paint(Ink::Yellow, "not done"), "a wave before it failed"))?;
        }
        let results = join_all(now.iter().map(|action| servers.apply(action))).await;
        let mut took = Vec::new();
        for (action, result) in now.into_iter().zip(results) {
            match result {
                Ok(()) => {
                    done += 1;
                    action.takes.iter().for_each(|it| recent_deletes::record(&mut took, it, &clock::now()));
                    print(line(action, palette.paint(Ink::Green, "done"), &action.reason))?;
                }
                Err(problem) => {
                    not_done += 1;
                    failed.insert(&action.subject);
                    print(line(action, palette.paint(Ink::Red, "failed"), &problem))?;
                }
            }
        }
        // After each wave: a command that is stopped has recorded all waves but one.
        if let Err(problem) = servers.record(&took).await {
            warn(&format!("the next plans will not count the deletes of wave {wave}: {problem}"));
        }
    }
    let held = plan.held.len();
    let tried = if servers.effect == Effect::DryRun { " by the servers alone" } else { "" };
    print(format_args!("{done} done{tried}, {not_done} not done, {held} held\ndigest {}\n", plan.digest))?;
    Ok(ExitCode::from(u8::from(not_done > 0)))
}

fn line(action: &Action, word: impl std::fmt::Display, why: &str) -> String {
    let Action { verb, target, cluster, .. } = action;
    let place = if cluster.is_empty() { String::new() } else { format!(" in {cluster}") };
    format!("{word} {verb} {target}{place}: {why}\n")
}
