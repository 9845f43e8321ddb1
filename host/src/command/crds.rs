//! `fleetfold crds`: the CustomResourceDefinitions that a hub needs.

use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold_core::{Workspace, yaml};

use super::fleet::Fleet;
use crate::command::output::{Failure, Screen, print, warn};

/// Print the CustomResourceDefinitions that no other system installs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold crds | kubectl apply --server-side -f -
  fleetfold crds --all -f examples/kubefed     for a hub to try things on: every kind that is read, federated ones too
  kubectl get crds -o yaml | fleetfold crds --overlay -f - > overlay/kustomization.yaml")]
pub struct Args {
    /// Also the kinds of other systems, without their schemas: for a test hub
    #[arg(long)]
    all: bool,

    /// A kustomize component that adds the fields of Fleetfold to the definitions of installed systems, given by `-f`
    #[arg(long, conflicts_with = "all", requires = "files")]
    overlay: bool,

    /// With `--all`: documents that name further kinds. With `--overlay`: the installed definitions. May be given again
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let mut fleet = Fleet::load(&args.files, Box::new(Workspace::default()))?;
    if fleet.has_unreadable() {
        fleet.print_findings(screen.err);
        return Err(Failure::new("some documents cannot be read", "fix the documents, or leave out their files"));
    }
    if args.overlay {
        let overlay = fleetfold_crds::overlay(&fleet.documents()?);
        match overlay {
            Some(overlay) => print(yaml::print(&overlay))?,
            None => warn("the definitions need no change: each has or keeps the fields"),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let crds = fleetfold_crds::crds(args.all, &fleet.documents()?);
    print(yaml::print_all(&crds))?;
    Ok(ExitCode::SUCCESS)
}
