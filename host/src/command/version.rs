//! `fleetfold version`: which program, which module, which runtime.

use std::process::ExitCode;

use fleetfold::guest::{EMBEDDED, digest};
use fleetfold::{VERSION, WASMTIME};
use fleetfold_core::Value;

use super::{Failure, print};
use crate::cli::Output;

/// Print the versions of the program and of what is in it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How to print them
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let module = digest(EMBEDDED);
    match args.output {
        Output::Table => print(format_args!("fleetfold {VERSION}\nmodule    {module}\nwasmtime  {WASMTIME}\n"))?,
        Output::Json => {
            let fields = [("module", module.as_str()), ("version", VERSION), ("wasmtime", WASMTIME)];
            print(format_args!("{}\n", Value::map(fields).to_canonical()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
