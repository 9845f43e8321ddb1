//! `fleetfold vectors`: runs the conformance cases.

use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold::vectors;
use fleetfold_core::Value;

use super::EngineArgs;
use crate::command::output::{Failure, Output, print};

/// Run the conformance cases in a folder
///
/// Exits with 1 when one fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold vectors tests/vectors
  fleetfold vectors tests/vectors --module other.wasm -o json
  fleetfold vectors tests/vectors --requests | fleetfold vectors -")]
pub struct Args {
    /// The folder; every `.json` file in it and below it is a case. With `-`, answer the lines that `--requests` prints
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    #[arg(value_parser = Output::among(&["table", "json"]))]
    output: Output,

    /// Print the requests instead of running them, a JSON list of strings for each case: for other hosts
    #[arg(long)]
    requests: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let unreadable = |error: std::io::Error| {
        let folder = args.folder.display();
        Failure::new(format_args!("`{folder}` cannot be run: {error}"), "give a folder of vectors, as `tests/vectors`")
    };
    if args.requests {
        for requests in vectors::requests(&args.folder).map_err(unreadable)? {
            print(format_args!("{}\n", Value::list(requests).to_canonical()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut engine = args.engine.start()?;
    if args.folder.as_os_str() == "-" {
        let answered = vectors::answer(std::io::stdin().lock(), engine.as_mut())
            .map_err(|error| Failure::new(error, "pipe in what `fleetfold vectors DIR --requests` prints"))?;
        print(format_args!("answers {}\n{} answered\n", answered.digest, answered.lines))?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = vectors::run(&args.folder, engine.as_mut()).map_err(unreadable)?;
    match args.output {
        Output::Json => print(format_args!("{}\n", report.to_json()))?,
        _ => print(&report)?,
    }
    Ok(if report.counts().failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
