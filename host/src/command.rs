//! One file per subcommand, and the arguments that they share.

pub mod apply;
pub mod approve;
pub mod authorize;
pub mod call;
pub mod compare;
pub mod completion;
pub mod crds;
pub mod diff;
pub mod digest_key;
pub mod example;
pub mod explain;
pub mod fleet;
pub mod function;
pub mod hub;
pub mod limits;
pub mod lint;
pub mod module;
pub mod output;
pub mod plan;
pub mod preview;
pub mod run;
pub mod schema;
pub mod select;
pub mod serve;
pub mod sourced_document;
pub mod time;
pub mod vectors;
pub mod version;
pub mod webhook;
pub mod whatif;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fleetfold::args;
use fleetfold::bounded_read::{MAX_CREDENTIALS, MAX_LARGE, read_file};
use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::signature::{SignatureError, VerifyKey, verify};
use fleetfold_core::Workspace;

use output::{Failure, warn};

/// The module and its limits.
#[derive(Debug, clap::Args)]
pub struct ModuleArgs {
    /// Run this module in place of the built-in one
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,

    /// Refuse the module of `--module` unless this public key signed it; a PEM file, see `fleetfold module sign`
    #[arg(long, value_name = "FILE", requires = "module")]
    verify_key: Option<PathBuf>,

    /// How long one call may take, as `500ms`, `2s` or `1m`
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = args::duration)]
    timeout: Duration,

    /// How much memory the module may have, as `512MiB` or `1GiB`
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = args::size)]
    memory: usize,
}

impl ModuleArgs {
    pub fn limits(&self) -> Limits {
        Limits { deadline: self.timeout, memory: self.memory, ..Limits::default() }
    }

    pub fn load(&self) -> Result<Module, Failure> {
        load_module(self.module.as_deref(), self.verify_key.as_deref())
    }

    /// Loads another module, on the same condition.
    pub fn load_other(&self, file: &Path) -> Result<Module, Failure> {
        load_module(Some(file), self.verify_key.as_deref())
    }
}

/// Loads the module of a file, which `verify_key` must have signed if there is one, or the built-in module.
fn load_module(file: Option<&Path>, verify_key: Option<&Path>) -> Result<Module, Failure> {
    let cache = Cache::of_user();
    if let Some(reason) = cache.disabled_reason() {
        warn(&format!("compiled code is not kept: {reason}"));
    }
    let Some(file) = file else { return Ok(Module::embedded(&cache)?) };
    let wasm = read_file(file, MAX_LARGE).map_err(|error| {
        let message = format_args!("`{}` cannot be read: {error}", file.display()).to_string();
        Failure::new(message, "give the path of a `.wasm` file")
    })?;
    if let Some(key) = verify_key {
        check_signature(&wasm, file, key)?;
    }
    Ok(Module::load(&wasm, &cache)?)
}

/// Refuses a module that the key did not sign.
fn check_signature(wasm: &[u8], file: &Path, key_file: &Path) -> Result<(), Failure> {
    let failure =
        |file: &Path, error: SignatureError| Failure::new(format_args!("`{}`: {error}", file.display()), error.hint());
    let pem = read_file(key_file, MAX_CREDENTIALS).map_err(|error| {
        Failure::new(format_args!("`{}` cannot be read: {error}", key_file.display()), "give a public key as PEM")
    })?;
    let key = VerifyKey::from_pem(&pem).map_err(|error| failure(key_file, error))?;
    verify(wasm, &key).map_err(|error| failure(file, error))
}

/// The engine: the module, or the one linked into this program.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    /// Run the engine linked into this program: no module, no limits
    #[arg(long, conflicts_with_all = ["module", "verify_key", "timeout", "memory"])]
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
