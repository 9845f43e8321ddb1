//! `fleetfold schema`: the contract for programs.

use std::process::ExitCode;

use fleetfold_core::{Workspace, contract, json};

use super::{Failure, print};

/// Print the JSON Schema of the contract, or its TypeScript types
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print TypeScript types instead
    #[arg(long)]
    typescript: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.typescript {
        print(contract::typescript())?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = Workspace::default().call(r#"{"op":"describe"}"#);
    let answer = json::parse_within(&answer, 2 * json::MAX_DEPTH).unwrap_or_default();
    let Some(schema) = answer.at(&["ok", "schema"]) else {
        return Err(Failure::new("the engine does not describe itself", "this is a fault of the program: report it"));
    };
    print(format_args!("{}\n", schema.to_canonical()))?;
    Ok(ExitCode::SUCCESS)
}
