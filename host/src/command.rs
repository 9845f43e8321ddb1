//! One file per subcommand, and the arguments that they share.

pub mod apply;
pub mod approve;
pub mod authorize;
pub mod call;
pub mod compare;
pub mod completion;
pub mod crds;
pub mod diff;
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
use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold_core::Workspace;

use output::{Failure, warn};

/// The module and its limits.
#[derive(Debug, clap::Args)]
pub struct ModuleArgs {
    /// Run this module in place of the built-in one
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,

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
        load_module(self.module.as_deref())
    }
}

/// Loads the module of a file, or the built-in one.
pub fn load_module(file: Option<&Path>) -> Result<Module, Failure> {
    let cache = Cache::of_user();
    if let Some(reason) = cache.disabled_reason() {
        warn(&format!("compiled code is not kept: {reason}"));
    }
    let Some(file) = file else { return Ok(Module::embedded(&cache)?) };
    let wasm = std::fs::read(file).map_err(|error| {
        let message = format_args!("`{}` cannot be read: {error}", file.display()).to_string();
        Failure::new(message, "give the path of a `.wasm` file")
    })?;
    Ok(Module::load(&wasm, &cache)?)
}

/// The engine: the module, or the one linked into this program.
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
