//! `fleetfold schema`: the machine-readable contract.

use std::process::ExitCode;

use fleetfold_core::api;

use crate::command::output::{Failure, print};

/// Print the JSON Schema of the contract, its TypeScript types, or the page of all codes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold schema > fleetfold.schema.json
  fleetfold schema --typescript > contract.ts
  fleetfold schema --codes > codes.md")]
pub struct Args {
    /// Print TypeScript types instead
    #[arg(long, conflicts_with = "codes")]
    typescript: bool,

    /// Print every code of findings and reasons with its meaning, as Markdown
    #[arg(long)]
    codes: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.typescript {
        print(api::typescript(&api::schema()))?;
    } else if args.codes {
        print(api::codes())?;
    } else {
        print(format_args!("{}\n", api::schema().to_canonical()))?;
    }
    Ok(ExitCode::SUCCESS)
}
