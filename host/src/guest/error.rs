//! The errors of the module, each with a stable code.

use std::fmt;
use std::time::Duration;

use wasmtime::Trap;

use super::limits::{Limits, MemoryLimitReached};

/// The first five are about a module; the others end a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestError {
    /// Wasmtime does not start.
    NoRuntime {
        reason: String,
    },
    NotAModule {
        reason: String,
    },
    ModuleImports {
        import: String,
    },
    MissingExport {
        export: &'static str,
    },
    WrongAbi {
        got: u32,
        want: u32,
    },
    RequestTooLarge {
        limit: usize,
    },
    DeadlineExceeded {
        limit: Duration,
    },
    MemoryLimit {
        limit: usize,
    },
    Trap {
        reason: String,
    },
    BadAnswer {
        reason: &'static str,
    },
}

impl GuestError {
    /// A stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRuntime { .. } => "no-runtime",
            Self::NotAModule { .. } => "not-a-module",
            Self::ModuleImports { .. } => "module-imports",
            Self::MissingExport { .. } => "missing-export",
            Self::WrongAbi { .. } => "wrong-abi",
            Self::RequestTooLarge { .. } => "request-too-large",
            Self::DeadlineExceeded { .. } => "deadline-exceeded",
            Self::MemoryLimit { .. } => "memory-limit",
            Self::Trap { .. } => "trap",
            Self::BadAnswer { .. } => "bad-answer",
        }
    }

    /// What to do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoRuntime { .. } => "this machine may forbid threads or executable memory",
            Self::NotAModule { .. } => "give a core WebAssembly module, as `fleetfold.wasm` is",
            Self::ModuleImports { .. } => {
                "use the raw module, which imports nothing; the module for JavaScript does not run here"
            }
            Self::MissingExport { .. } => {
                "a module exports `memory`, `fleetfold_abi`, `fleetfold_alloc`, `fleetfold_free` and `fleetfold_call`"
            }
            Self::WrongAbi { .. } => "use the module and the program of one release",
            Self::RequestTooLarge { .. } => "send the documents in several requests; the workspace is as it was",
            Self::DeadlineExceeded { .. } => {
                "raise the timeout, or send a smaller request; the workspace is now empty: load its documents again"
            }
            Self::MemoryLimit { .. } => {
                "raise the memory limit, or load less at once; the workspace is now empty: load its documents again"
            }
            Self::Trap { .. } => {
                "this is a fault of the module: report it with the request; the workspace is now empty: load its \
                 documents again"
            }
            Self::BadAnswer { .. } => {
                "this is a fault of the module: use one that can be trusted; the workspace is now empty: load its \
                 documents again"
            }
        }
    }

    /// The error for a call that wasmtime ended.
    pub(super) fn fault(error: &wasmtime::Error, limits: Limits) -> Self {
        if error.is::<MemoryLimitReached>() {
            return Self::MemoryLimit { limit: limits.memory };
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => Self::DeadlineExceeded { limit: limits.deadline },
            Some(trap) => Self::Trap { reason: trap.to_string().replace("wasm trap: ", "") },
            None => Self::Trap { reason: error.to_string() },
        }
    }
}

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRuntime { reason } => write!(f, "the runtime does not start: {reason}"),
            Self::NotAModule { reason } => write!(f, "this is not a module that can be run: {reason}"),
            Self::ModuleImports { import } => write!(f, "the module imports `{import}`"),
            Self::MissingExport { export } => write!(f, "the module has no export `{export}` of the right type"),
            Self::WrongAbi { got, want } => write!(f, "the module speaks version {got} of the interface, not {want}"),
            Self::RequestTooLarge { limit } => write!(f, "the request is longer than {limit} bytes"),
            Self::DeadlineExceeded { limit } => write!(f, "the call took longer than {limit:?}"),
            Self::MemoryLimit { limit } => write!(f, "the call needs more memory than {limit} bytes"),
            Self::Trap { reason } => write!(f, "the module stopped: {reason}"),
            Self::BadAnswer { reason } => write!(f, "the answer of the module cannot be used: {reason}"),
        }
    }
}

impl std::error::Error for GuestError {}
