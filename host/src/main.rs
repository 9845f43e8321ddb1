//! The `fleetfold` program.

mod answer;
mod cli;
mod command;
mod quantity;
mod render;
mod source;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
