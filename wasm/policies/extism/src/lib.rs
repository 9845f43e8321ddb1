//! The engine as an Extism plugin without rules of its own: takes bytes, returns the answer as text.
//!
//! An instance of the plugin holds one workspace. `call` takes a request as the raw module does; each op is a function
//! of its own too, which takes the other fields of the request. README.md shows how a host calls them.
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "exported names; there is no unsafe block")]

use std::cell::RefCell;

use extism_pdk::{input_bytes, output};
use fleetfold_core::Workspace;
use fleetfold_core::api::OPS;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Exports a function for each op. Names of exports must be literals; a missing one does not compile.
macro_rules! ops {
    ($($name:literal)*) => {
        $(const _: () = {
            #[unsafe(export_name = $name)]
            extern "C" fn op() -> i32 {
                answer(|workspace, fields| workspace.call_op($name, fields))
            }
        };)*

        const _: () = assert!(is_contract(&[$($name),*]), "these are not the ops of the contract, in their order");
    };
}

ops! {
    "describe" "parse" "print" "redact" "sources" "select" "fold" "retain" "patch" "match" "adopt" "release" "authorize"
    "refresh" "mold"
    "load" "unload" "configure" "clusters" "kinds" "reach" "subjects" "effective" "explain" "diff" "lint" "plan"
    "whatIf" "admit" "defaults"
}

/// Answers a request.
#[unsafe(no_mangle)]
extern "C" fn call() -> i32 {
    answer(|workspace, request| workspace.call_bytes(Some(request)))
}

/// Passes the host's input to the workspace and returns its answer. Errors of a request are part of the answer, so
/// every call succeeds, unless the host has no memory for the answer.
fn answer(call: impl FnOnce(&mut Workspace, &[u8]) -> String) -> i32 {
    let answer = WORKSPACE.with_borrow_mut(|workspace| call(workspace, &input_bytes()));
    i32::from(output(answer).is_err())
}

const fn is_contract(names: &[&str]) -> bool {
    let mut same = names.len() == OPS.len();
    let mut at = 0;
    while same && at < names.len() {
        same = is_same(names[at].as_bytes(), OPS[at].name.as_bytes());
        at += 1;
    }
    same
}

/// Texts cannot be compared at compile time, their bytes can.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut same = one.len() == other.len();
    let mut at = 0;
    while same && at < one.len() {
        same = one[at] == other[at];
        at += 1;
    }
    same
}
