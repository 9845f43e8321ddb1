//! `fleetfold schema`: the contract for programs.

use std::process::ExitCode;

use fleetfold_core::contract;

use super::{Failure, print};

/// Print the JSON Schema of the contract, or its TypeScript types
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold schema > fleetfold.schema.json
  fleetfold schema --typescript > contract.ts")]
pub struct Args {
    /// Print TypeScript types instead
    #[arg(long)]
    typescript: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.typescript {
        print(contract::typescript())?;
    } else {
        print(format_args!("{}\n", contract::schema().to_canonical()))?;
    }
    Ok(ExitCode::SUCCESS)
}
