//! The interface to the engine: the module under wasmtime, or the core linked into this program.

use fleetfold_core::Value;
use fleetfold_core::Workspace;

use crate::guest::{Guest, GuestError};

/// An engine with one workspace. Every call returns an answer of the contract; failures are error answers.
pub trait Engine {
    fn call(&mut self, request: &[u8]) -> String;

    /// Replaces the workspace by an empty one.
    fn fresh(&mut self);

    /// Whether the workspace was lost: the next call starts with an empty one.
    fn is_fresh(&self) -> bool;
}

impl Engine for Guest {
    fn call(&mut self, request: &[u8]) -> String {
        Guest::call(self, request).unwrap_or_else(|error| error.to_answer())
    }

    fn fresh(&mut self) {
        Guest::fresh(self);
    }

    fn is_fresh(&self) -> bool {
        Guest::is_fresh(self)
    }
}

/// The linked core has no deadline and no memory limit.
impl Engine for Workspace {
    fn call(&mut self, request: &[u8]) -> String {
        self.call_bytes(Some(request))
    }

    fn fresh(&mut self) {
        *self = Workspace::default();
    }

    fn is_fresh(&self) -> bool {
        false
    }
}

impl GuestError {
    /// The error as an answer of the contract.
    pub fn to_answer(&self) -> String {
        error_answer(self.code(), &self.to_string(), self.hint())
    }
}

/// An error answer of the host.
pub fn error_answer(code: &str, message: &str, hint: &str) -> String {
    let error = Value::map([("code", code), ("hint", hint), ("message", message)]);
    Value::map([("error", error)]).to_canonical()
}
