//! Something that answers requests: the module under wasmtime, or the engine linked into this program.

use fleetfold_core::Value;
use fleetfold_core::Workspace;

use crate::guest::{Guest, GuestError};

/// One workspace at a time. Every request gets an answer of the contract, whatever happens.
pub trait Engine {
    fn call(&mut self, request: &[u8]) -> String;

    /// Leaves the workspace behind for an empty one.
    fn fresh(&mut self);

    /// Whether the workspace was lost, so that the next call finds an empty one.
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

/// Native: no deadline, no limit.
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

/// An answer that a host gives in place of the engine.
pub fn error_answer(code: &str, message: &str, hint: &str) -> String {
    let error = Value::map([("code", code), ("hint", hint), ("message", message)]);
    Value::map([("error", error)]).to_canonical()
}
