//! The command line. Data goes to standard output, everything else to standard error.
//!
//! | exit | means |
//! |---|---|
//! | 0 | done; nothing is amiss |
//! | 1 | done; something is amiss (a vector failed) |
//! | 2 | not done: wrong usage, or something that is needed is missing |

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::command::{call, schema, serve, vectors, version};

/// Works out what every cluster of a fleet should have, why, and what would change
#[derive(Debug, Parser)]
#[command(name = "fleetfold", version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Call(call::Args),
    Vectors(vectors::Args),
    Serve(serve::Args),
    Schema(schema::Args),
    Version(version::Args),
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    Table,
    Json,
}

pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Call(args) => call::run(&args),
        Command::Vectors(args) => vectors::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Version(args) => version::run(&args),
    };
    done.unwrap_or_else(|failure| {
        failure.report();
        ExitCode::from(2)
    })
}
