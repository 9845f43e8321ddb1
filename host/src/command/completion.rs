//! `fleetfold completion`: completion scripts for shells.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::command::output::{Failure, print};

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold completion bash > ~/.local/share/bash-completion/completions/fleetfold
  fleetfold completion zsh > ~/.zfunc/_fleetfold
  fleetfold completion fish > ~/.config/fish/completions/fleetfold.fish")]
pub struct Args {
    shell: Shell,
}

pub fn run(args: &Args, command: &mut clap::Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "fleetfold", &mut script);
    print(String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
