//! The engine as a component without rules of its own; `wit/fleetfold.wit` has its functions.
//!
//! Texts are of the type `string`, which the host checks: invalid UTF-8 is not passed on.
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "what the macros write for the ABI")]

use std::cell::RefCell;

use exports::fleetfold::engine::contract::{Guest, GuestWorkspace};
use fleetfold_core::Workspace;

wit_bindgen::generate!({ path: "wit" });

struct Engine;

impl Guest for Engine {
    type Workspace = Held;

    fn call(request: String) -> String {
        Workspace::default().call_text(&request)
    }
}

#[derive(Default)]
struct Held(RefCell<Workspace>);

impl GuestWorkspace for Held {
    fn new() -> Held {
        Held::default()
    }

    fn call(&self, request: String) -> String {
        self.0.borrow_mut().call_text(&request)
    }
}

export!(Engine);
