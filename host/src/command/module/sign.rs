//! `fleetfold module sign` and `verify`: who made a module.

use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold::digest::digest;
use fleetfold::signature::{SignatureError, SigningKey, VerifyKey, sign, verify};

use super::annotate::write;
use super::read;
use crate::command::output::{Failure, print};
use crate::source::name_of;

/// Sign a module with an Ed25519 key
///
/// The signature covers every byte of the module and is added as a custom section, so sign last. Create a key with
/// `openssl genpkey -algorithm ed25519 -out private.pem`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold module sign fleetfold.wasm --key private.pem -o signed.wasm
  fleetfold module verify signed.wasm --key public.pem
  fleetfold run --module signed.wasm --verify-key public.pem")]
pub struct SignArgs {
    /// A module or component, or `-` for standard input
    file: PathBuf,

    /// The private key, as PEM
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Check who signed a module
///
/// Exits with 1 if the key did not sign it, or if it was changed afterwards.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  openssl pkey -in private.pem -pubout -out public.pem
  fleetfold module verify signed.wasm --key public.pem")]
pub struct VerifyArgs {
    /// A module or component, or `-` for standard input
    file: PathBuf,

    /// The public key, as PEM
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
}

pub fn run_sign(args: &SignArgs) -> Result<ExitCode, Failure> {
    let key = SigningKey::from_pem(&read(&args.key)?).map_err(|error| failure(&name_of(&args.key), &error))?;
    let signed = sign(&read(&args.file)?, &key).map_err(|error| failure(&name_of(&args.file), &error))?;
    write(&args.output, &signed)?;
    Ok(ExitCode::SUCCESS)
}

pub fn run_verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let name = name_of(&args.file);
    let key = VerifyKey::from_pem(&read(&args.key)?).map_err(|error| failure(&name_of(&args.key), &error))?;
    let module = read(&args.file)?;
    match verify(&module, &key) {
        Ok(()) => {
            print(format_args!("{name}: signed by {}\ndigest {}\n", key.id(), digest(&module)))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ SignatureError::NotAModule(_)) => Err(failure(&name, &error)),
        Err(error) => {
            print(format_args!("{name}: {error}\n"))?;
            Ok(ExitCode::from(1))
        }
    }
}

fn failure(name: &str, error: &SignatureError) -> Failure {
    Failure::new(format_args!("`{name}`: {error}"), error.hint())
}
