//! The `fleetfold` program.

mod cli;
mod command;
mod quantity;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
