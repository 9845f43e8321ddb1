//! One file a subcommand, and what they share: choosing the engine, printing, and failing with a hint.

pub mod call;
pub mod schema;
pub mod serve;
pub mod vectors;
pub mod version;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, GuestError, Limits, Module};
use fleetfold_core::Workspace;

use crate::quantity;

/// Why a command could not do its work, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: String,
}

impl Failure {
    pub fn new(message: impl Display, hint: impl Display) -> Self {
        Self { message: message.to_string(), hint: hint.to_string() }
    }

    pub fn report(&self) {
        // Nobody is left to tell if standard error is closed.
        let _ = writeln!(io::stderr(), "error: {}\nhint: {}", self.message, self.hint);
    }
}

impl From<GuestError> for Failure {
    fn from(error: GuestError) -> Self {
        Self::new(&error, error.hint())
    }
}

/// Which module runs, and how far it may go.
#[derive(Debug, clap::Args)]
pub struct ModuleArgs {
    /// Run this module in place of the built-in one
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,

    /// How long one call may take, as `500ms`, `2s` or `1m`
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = quantity::duration)]
    timeout: Duration,

    /// How much memory the module may have, as `512MiB` or `1GiB`
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = quantity::size)]
    memory: usize,
}

impl ModuleArgs {
    pub fn limits(&self) -> Limits {
        Limits { deadline: self.timeout, memory: self.memory, ..Limits::default() }
    }

    pub fn load(&self) -> Result<Module, Failure> {
        let cache = Cache::of_user();
        if let Some(reason) = cache.refusal() {
            let _ = writeln!(io::stderr(), "warning: compiled code is not kept: {reason}");
        }
        let Some(file) = &self.module else { return Ok(Module::embedded(&cache)?) };
        let wasm = std::fs::read(file).map_err(|error| {
            Failure::new(
                format_args!("`{}` cannot be read: {error}", file.display()),
                "give the path of a `.wasm` file",
            )
        })?;
        Ok(Module::load(&wasm, &cache)?)
    }
}

/// The engine as a command was told to run it.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    /// Run the engine linked into this program: no module, no limits
    #[arg(long, conflicts_with_all = ["module", "timeout", "memory"])]
    native: bool,

    #[command(flatten)]
    module: ModuleArgs,
}

impl EngineArgs {
    pub fn limits(&self) -> Limits {
        self.module.limits()
    }

    pub fn start(&self) -> Result<Box<dyn Engine>, Failure> {
        if self.native {
            return Ok(Box::new(Workspace::default()));
        }
        Ok(Box::new(Guest::new(&self.module.load()?, self.limits())?))
    }
}

/// Prints a result. A reader that has seen enough and left is no error.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    quiet(write!(out, "{text}").and_then(|()| out.flush())).map(|_| ())
}

/// Whether standard output still has a reader.
fn quiet(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format_args!("the result cannot be written: {error}"), "is the disk full?")),
    }
}
