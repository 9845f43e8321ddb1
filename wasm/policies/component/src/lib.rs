//! The engine as a component, and no rule: `wit/fleetfold.wit` says what it offers.
//!
//! Texts cross as `string`, which the host has to check: what is no UTF-8 does not come in.
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
