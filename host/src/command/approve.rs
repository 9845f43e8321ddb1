//! `fleetfold approve`: approves a pending plan.

use std::process::ExitCode;

use fleetfold::cluster::{Effect, operation};
use fleetfold::controller::{APPROVED_ANNOTATION, fleet_plan_target, read_status};
use fleetfold::meta::Meta;
use fleetfold_core::Value;
use fleetfold_core::engine::patch::Verb;

use super::hub::{HubArgs, runtime};
use crate::command::output::{Failure, print};

/// Approve a pending plan by its digest
///
/// `fleetfold run --require-approval` waits until the digest of its plan is approved. An approval is for that plan
/// only: after any change it must be approved again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold approve sha256:3f…           the digest as `plan --from-cluster` and the FleetPlan show it
  fleetfold approve sha256:3f… --name eu-runner")]
pub struct Args {
    /// The digest of the plan
    #[arg(value_name = "DIGEST")]
    digest: String,

    /// The name of the runner
    #[arg(long, default_value = "fleetfold")]
    name: String,

    #[command(flatten)]
    hub: HubArgs,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let runtime = runtime()?;
    let done = runtime.block_on(approve(args));
    runtime.shutdown_background();
    done
}

async fn approve(args: &Args) -> Result<ExitCode, Failure> {
    let hub = args.hub.connect().await?;
    let target = fleet_plan_target(&args.name);
    let Some(fleet_plan) = hub.get(&target).await? else {
        let hint = "is `fleetfold run` running? give its name with `--name`";
        return Err(Failure::new(format_args!("there is no {target}"), hint));
    };
    let pending = read_status(&fleet_plan).digest.unwrap_or_default();
    if pending != args.digest {
        let hint = "run `fleetfold plan --from-cluster`, and approve the digest that it prints";
        return Err(Failure::new(format_args!("the pending plan is {pending}, not {}", args.digest), hint));
    }
    let mut operations = Vec::new();
    let add = |path: &str, value: Value| operation(Verb::Add, path, Some(value));
    if !Meta::of(&fleet_plan).has_annotations() {
        operations.push(add("/metadata/annotations", Value::map([] as [(&str, Value); 0])));
    }
    operations.push(add(
        &format!("/metadata/annotations/{}", APPROVED_ANNOTATION.replace('/', "~1")),
        args.digest.as_str().into(),
    ));
    // The plan may have changed since; the runner compares the digest again.
    hub.patch(&target, &operations, None, Effect::Real).await?;
    print(format_args!("approved {}\n", args.digest))?;
    Ok(ExitCode::SUCCESS)
}
