//! One file a subcommand, and what they share: choosing the engine, printing, and failing with a hint.

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
pub mod plan;
pub mod preview;
pub mod run;
pub mod schema;
pub mod select;
pub mod serve;
pub mod vectors;
pub mod version;
pub mod webhook;
pub mod whatif;
pub mod written;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, GuestError, Limits, Module};
use fleetfold_core::Value;
use fleetfold_core::Workspace;

use crate::cli::Output;
use crate::render::finding::{Finding, Texts};
use crate::render::style::{Ink, Palette};
use crate::render::{json, yaml};
use fleetfold::quantity;

/// Where a command may paint.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    pub out: Palette,
    pub err: Palette,
}

/// Why a command could not do its work, and what to do about it.
#[derive(Debug)]
pub enum Failure {
    /// Something around the engine.
    Host { message: String, hint: String },
    /// The engine refused; with the text that it points into.
    Refused { finding: Box<Finding>, texts: Texts },
}

impl Failure {
    pub fn new(message: impl Display, hint: impl Display) -> Self {
        Self::Host { message: message.to_string(), hint: hint.to_string() }
    }

    /// The error of an answer. Its place is one in a text; a place in the request says nothing to who wrote no request.
    pub fn refused(error: &Value, texts: &Texts) -> Self {
        let mut finding = Finding::refusal(error);
        finding.file = Some(std::mem::take(&mut finding.file)).filter(|it| texts.contains_key(it)).unwrap_or_default();
        let shown = texts.iter().filter(|(name, _)| **name == finding.file);
        Self::Refused {
            texts: shown.map(|(name, text)| (name.clone(), text.clone())).collect(),
            finding: finding.into(),
        }
    }

    /// Whether the engine refused with this code.
    pub fn is(&self, code: &str) -> bool {
        matches!(self, Self::Refused { finding, .. } if finding.code == code)
    }

    /// The same, about what a file says.
    pub fn within(mut self, file: &str) -> Self {
        if let Self::Refused { finding, .. } = &mut self
            && finding.file.is_empty()
        {
            finding.file = file.to_owned();
        }
        self
    }

    /// The same as a diagnostic of the contract, for whoever is not at this terminal.
    pub fn to_diagnostic(&self, code: &str) -> Value {
        match self {
            Self::Host { message, hint } => {
                Value::map([("severity", "error"), ("code", code), ("message", message), ("hint", hint)])
            }
            Self::Refused { finding, .. } => finding.to_value(),
        }
    }

    pub fn report(&self, palette: Palette) {
        let shown = match self {
            Self::Host { message, hint } => {
                let (error, hint_word) = (palette.paint(Ink::Red, "error"), palette.paint(Ink::Blue, "hint"));
                format!("{error}: {message}\n{hint_word}: {hint}\n")
            }
            Self::Refused { finding, texts } => finding.render(texts, palette),
        };
        // Nobody is left to tell if standard error is closed.
        let _ = io::stderr().write_all(shown.as_bytes());
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
        load_module(self.module.as_deref())
    }
}

/// The module of a file, or the built-in one.
pub fn load_module(file: Option<&Path>) -> Result<Module, Failure> {
    let cache = Cache::of_user();
    if let Some(reason) = cache.refusal() {
        warn(&format!("compiled code is not kept: {reason}"));
    }
    let Some(file) = file else { return Ok(Module::embedded(&cache)?) };
    let wasm = std::fs::read(file).map_err(|error| {
        let message = format_args!("`{}` cannot be read: {error}", file.display()).to_string();
        Failure::new(message, "give the path of a `.wasm` file")
    })?;
    Ok(Module::load(&wasm, &cache)?)
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

/// Prints an answer in the form that was asked for: for programs as it is, for people as `table` or `names` tell it.
pub fn print_answer(
    output: Output,
    answer: &Value,
    table: impl FnOnce() -> String,
    names: impl FnOnce() -> Vec<String>,
) -> Result<(), Failure> {
    match output {
        Output::Table => print(table()),
        Output::Json => print(json::pretty(answer)),
        Output::Yaml => print(yaml::document(answer)),
        Output::Name => print(names().iter().map(|name| format!("{name}\n")).collect::<String>()),
    }
}

/// Prints a result. A reader that has seen enough and left is no error.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    quiet(write!(out, "{text}").and_then(|()| out.flush())).map(|_| ())
}

/// Tells something beside the result.
pub fn warn(message: &str) {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "warning: {message}");
}

/// Whether standard output still has a reader.
fn quiet(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format_args!("the result cannot be written: {error}"), "is the disk full?")),
    }
}
