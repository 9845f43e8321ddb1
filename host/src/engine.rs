//! The interface to the engine: the module under wasmtime, or the core linked into this program.

use std::time::Duration;

use fleetfold_core::Workspace;
use fleetfold_core::api::Refusal;
use fleetfold_core::value::Text;
use fleetfold_core::value::canonical::to_text;
use serde::Serialize;

use crate::guest::{Guest, GuestError};

/// An engine with one workspace. Every call returns an answer of the contract; failures are error answers.
pub trait Engine {
    fn call(&mut self, request: &[u8]) -> String;

    /// Replaces the workspace by an empty one.
    fn fresh(&mut self);

    /// Whether the workspace was lost: the next call starts with an empty one.
    fn is_fresh(&self) -> bool;

    /// How long a call may take; nothing without a limit.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Gives the next calls another deadline, or their usual one again. Without a limit it does nothing.
    fn set_deadline(&mut self, _: Option<Duration>) {}
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

    fn deadline(&self) -> Option<Duration> {
        Some(Guest::deadline(self))
    }

    fn set_deadline(&mut self, deadline: Option<Duration>) {
        Guest::set_deadline(self, deadline);
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

impl fleetfold_vectors::Engine for dyn Engine + '_ {
    fn call(&mut self, request: &[u8]) -> String {
        Engine::call(self, request)
    }

    fn fresh(&mut self) {
        Engine::fresh(self);
    }

    fn is_fresh(&self) -> bool {
        Engine::is_fresh(self)
    }
}

impl GuestError {
    /// The error as the contract has it.
    pub fn to_refusal(&self) -> Refusal {
        refusal(self.code(), &self.to_string(), self.hint())
    }

    /// The error as an answer of the contract.
    pub fn to_answer(&self) -> String {
        error_answer(&self.to_refusal())
    }
}

/// A refusal of the host.
pub fn refusal(code: &'static str, message: &str, hint: &str) -> Refusal {
    Refusal { at: None, code: Text::new_static(code), hint: Some(hint.to_owned()), message: message.to_owned() }
}

/// The text of an answer that refuses a request.
pub fn error_answer(refusal: &Refusal) -> String {
    #[derive(Serialize)]
    struct Response<'a> {
        error: &'a Refusal,
    }
    to_text(&Response { error: refusal }).unwrap_or_default()
}
