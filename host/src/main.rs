//! The `fleetfold` program.

mod cli;
mod command;
mod render;
mod source;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
