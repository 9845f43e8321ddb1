//! `fleetfold version`: the versions of program, module and runtime.

use std::process::ExitCode;

use fleetfold::guest::EMBEDDED_DIGEST;
use fleetfold::{VERSION, WASMTIME};
use fleetfold_core::{Value, yaml};

use crate::command::output::{Failure, Output, print};

/// Print the versions of the program, the module and the runtime
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold version
  fleetfold version -o json")]
pub struct Args {
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::NAMELESS))]
    output: Output,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let module = EMBEDDED_DIGEST;
    let versions = Value::map([("module", module), ("version", VERSION), ("wasmtime", WASMTIME)]);
    match args.output {
        Output::Json => print(format_args!("{}\n", versions.to_canonical()))?,
        Output::Yaml => print(yaml::print(&versions))?,
        _ => print(format_args!("fleetfold {VERSION}\nmodule    {module}\nwasmtime  {WASMTIME}\n"))?,
    }
    Ok(ExitCode::SUCCESS)
}
