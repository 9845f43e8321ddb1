//! The command line. Data goes to standard output, everything else to standard error.
//!
//! | exit | means |
//! |---|---|
//! | 0 | success; no differences, no findings |
//! | 1 | success; differences, findings, actions, a denial, or a failed vector |
//! | 2 | failure: wrong usage, a missing input, or a document that cannot be read |

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::command::output::Screen;
use crate::command::{
    apply, approve, authorize, call, compare, completion, crds, diff, example, explain, function, lint, module, plan,
    preview, run, schema, select, serve, vectors, version, webhook, whatif,
};
use crate::render::style::{Color, Palette};

/// Works out what every cluster of a fleet should have, why, and what would change
#[derive(Debug, Parser)]
#[command(
    name = "fleetfold",
    version,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  fleetfold example --clusters 1000 --dir fleet        a fleet to try things on
  fleetfold preview -f fleet                           what each cluster gets
  fleetfold explain -f fleet PluginPreset/acme/metrics --cluster cluster-000001 --path replicas
  fleetfold what-if -f fleet --change edit.yaml        what an edit would change, and where it is hidden
  fleetfold plan -f fleet                              what would be done

Exit codes: 0 same or clean, 1 differences or findings, 2 error."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    Preview(preview::Args),
    Explain(explain::Args),
    Diff(diff::Args),
    WhatIf(whatif::Args),
    Lint(lint::Args),
    Plan(plan::Args),
    Compare(compare::Args),
    Apply(apply::Args),
    Approve(approve::Args),
    Run(run::Args),
    Webhook(webhook::Args),
    Crds(crds::Args),
    Select(select::Args),
    Authorize(authorize::Args),
    Example(example::Args),
    Call(call::Args),
    Fn(function::Args),
    Module(module::Args),
    Vectors(vectors::Args),
    Serve(serve::Args),
    Schema(schema::Args),
    Completion(completion::Args),
    Version(version::Args),
}

/// The commands over documents. A person waits for them and can interrupt them, so they get a longer timeout.
const INTERACTIVE: &[&str] =
    &["preview", "explain", "diff", "what-if", "lint", "plan", "select", "authorize", "apply", "run", "fn"];

/// The complete command line, for parsing, help and completion.
pub fn command() -> clap::Command {
    INTERACTIVE.iter().fold(Cli::command(), |command, name| {
        command.mut_subcommand(name, |it| it.mut_arg("timeout", |timeout| timeout.default_value("1m")))
    })
}

pub fn run() -> ExitCode {
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    let screen = Screen { out: Palette::new(cli.color, &io::stdout()), err: Palette::new(cli.color, &io::stderr()) };
    let done = match &cli.command {
        Command::Preview(args) => preview::run(args, screen),
        Command::Explain(args) => explain::run(args, screen),
        Command::Diff(args) => diff::run(args, screen),
        Command::WhatIf(args) => whatif::run(args, screen),
        Command::Lint(args) => lint::run(args, screen),
        Command::Plan(args) => plan::run(args, screen),
        Command::Compare(args) => compare::run(args, screen),
        Command::Apply(args) => apply::run(args, screen),
        Command::Approve(args) => approve::run(args),
        Command::Run(args) => run::run(args),
        Command::Webhook(args) => webhook::run(args),
        Command::Crds(args) => crds::run(args, screen),
        Command::Select(args) => select::run(args, screen),
        Command::Authorize(args) => authorize::run(args, screen),
        Command::Example(args) => example::run(args),
        Command::Call(args) => call::run(args),
        Command::Fn(args) => function::run(args, screen),
        Command::Module(args) => module::run(args, screen),
        Command::Vectors(args) => vectors::run(args),
        Command::Serve(args) => serve::run(args, screen),
        Command::Schema(args) => schema::run(args),
        Command::Completion(args) => completion::run(args, &mut command()),
        Command::Version(args) => version::run(args),
    };
    done.unwrap_or_else(|failure| {
        failure.report(screen.err);
        ExitCode::from(2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        command().debug_assert();
    }

    /// Every command by its full name, subcommands included.
    fn commands() -> Vec<(String, clap::Command)> {
        fn below(name: &str, command: &clap::Command) -> Vec<(String, clap::Command)> {
            let each = |it: &clap::Command| {
                let name = format!("{name} {}", it.get_name());
                [vec![(name.clone(), it.clone())], below(&name, it)].concat()
            };
            command.get_subcommands().flat_map(each).collect()
        }
        below("fleetfold", &command())
    }

    #[test]
    fn every_command_has_an_example() {
        for (name, command) in commands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_example_is_a_command_line() {
        for (_, subcommand) in commands() {
            let help = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter_map(|line| line.trim().strip_prefix("fleetfold ")) {
                // The text after two spaces is a description; pipes and redirections are for the shell.
                let line = ["  ", " | ", " > ", " < "].iter().fold(line, |line, end| line.split(end).next().unwrap());
                let words = ["fleetfold"].into_iter().chain(line.split(' ')).map(|word| word.trim_matches('\''));
                let parsed = command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
