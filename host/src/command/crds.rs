//! `fleetfold crds`: the CustomResourceDefinitions that a hub needs.

use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold_core::{Workspace, yaml};

use super::fleet::Fleet;
use crate::command::output::{Failure, print};

/// Print the CustomResourceDefinitions that no other system installs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold crds | kubectl apply --server-side -f -
  fleetfold crds --all -f examples/kubefed     for a hub to try things on: every kind that is read, federated ones too")]
pub struct Args {
    /// Also the kinds of other systems, without their schemas: for a test hub
    #[arg(long)]
    all: bool,

    /// Documents that name further kinds; may be given again
    #[arg(short = 'f', long = "filename", value_name = "FILE", requires = "all")]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut fleet = Fleet::load(&args.files, Box::new(Workspace::default()))?;
    let crds = fleetfold_crds::crds(args.all, &fleet.documents()?);
    print(yaml::print_all(&crds))?;
    Ok(ExitCode::SUCCESS)
}
