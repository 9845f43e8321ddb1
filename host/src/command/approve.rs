//! `fleetfold approve`: lets a runner that waits do the plan that somebody has seen.

use std::process::ExitCode;

use fleetfold::cluster::{Effect, Target};
use fleetfold::reconcile::{APPROVED, OWN_API_VERSION, OWN_KIND};
use fleetfold_core::Value;

use super::hub::{HubArgs, runtime};
use super::{Failure, print};

/// Approve the plan that a runner waits with, by its digest
///
/// `fleetfold run --require-approval` does nothing until the digest of its plan is approved. An approval is for that plan
/// alone: when anything about it changes, it must be approved anew.
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
    let target = Target {
        api_version: OWN_API_VERSION.into(),
        kind: OWN_KIND.into(),
        namespace: String::new(),
        name: args.name.clone(),
    };
    let Some(own) = hub.get(&target).await? else {
        let hint = "is `fleetfold run` running? give its name with `--name`";
        return Err(Failure::new(format_args!("there is no {target}"), hint));
    };
    let waiting = own.text_at(&["status", "digest"]);
    if waiting != args.digest {
        let hint = "look at it with `fleetfold plan --from-cluster`, and approve the digest that it shows";
        return Err(Failure::new(format_args!("the plan that waits is {waiting}, and not {}", args.digest), hint));
    }
    let mut operations = Vec::new();
    let add =
        |path: &str, value: Value| Value::map([("op", Value::text("add")), ("path", path.into()), ("value", value)]);
    if own.at(&["metadata", "annotations"]).is_none() {
        operations.push(add("/metadata/annotations", Value::map([] as [(&str, Value); 0])));
    }
    operations
        .push(add(&format!("/metadata/annotations/{}", APPROVED.replace('/', "~1")), args.digest.as_str().into()));
    // The plan may be another one by now; the runner compares again.
    hub.patch(&target, &operations, &Value::Null, Effect::Real).await?;
    print(format_args!("approved {}\n", args.digest))?;
    Ok(ExitCode::SUCCESS)
}
