//! `fleetfold module`: inspects, annotates, signs and verifies WebAssembly modules.

mod annotate;
mod inspect;
mod metadata;
mod sign;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use fleetfold::bounded_read::{MAX_LARGE, read_file, read_to_limit};
use fleetfold_module::ModuleError;

use crate::command::output::{Failure, Screen};
use crate::source::name_of;

/// Inspect WebAssembly modules and components, add metadata to them, sign and verify them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold module inspect                                       the module in this program
  fleetfold module inspect target/policies/fleetfold-extism.wasm
  fleetfold module annotate policy.wasm --metadata metadata.yml -o annotated.wasm
  fleetfold module sign fleetfold.wasm --key private.pem -o signed.wasm
  fleetfold module verify signed.wasm --key public.pem")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Inspect(inspect::Args),
    Annotate(annotate::Args),
    Sign(sign::SignArgs),
    Verify(sign::VerifyArgs),
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    match &args.verb {
        Verb::Inspect(args) => inspect::run(args, screen),
        Verb::Annotate(args) => annotate::run(args, screen),
        Verb::Sign(args) => sign::run_sign(args),
        Verb::Verify(args) => sign::run_verify(args),
    }
}

/// The bytes of a file, or of standard input for `-`.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes =
        if path.as_os_str() == "-" { read_to_limit(io::stdin().lock(), MAX_LARGE) } else { read_file(path, MAX_LARGE) };
    bytes.map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", name_of(path));
        Failure::new(message, "give the path of a file, or `-` for standard input")
    })
}

/// The failure of a binary that cannot be read.
fn flawed(name: &str, flaw: &ModuleError) -> Failure {
    Failure::new(format_args!("`{name}`: {flaw}"), flaw.hint)
}
