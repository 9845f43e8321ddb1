//! Works out what every cluster of a fleet should have, why, and what would change.
//!
//! The rooms, in the order that data walks through them. Each may use the ones above it and none below; a test over
//! `use crate::` holds them to it.
//!
//! 1. [`value`]: values with exact integers, paths into them, reading and canonical writing of JSON.
//! 2. [`diagnostic`]: stable codes, locations, errors.
//! 3. [`yaml`] and [`cel`]: YAML as kubectl reads it, CEL as cel-go evaluates it. Crates of their own.
//! 4. [`object`]: documents, identities, labels, and the tables about Kubernetes kinds.
//! 5. [`engine`]: one stateless verb a folder: select, fold, patch, retain, match, compose, authorize, place, ….
//! 6. [`workspace`]: what is loaded, and what follows from it: results, explain, lint, what-if, plan, admit.
//! 7. [`dialect`]: five upstreams, each turning its documents into subjects.
//! 8. [`api`]: the JSON contract, an op a file.
//!
//! The crate is pure: no clock, no I/O, no randomness, no threads, no global state. The same request gives the same bytes,
//! natively and in WebAssembly.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::panic,
        clippy::unreachable,
        reason = "bad input is an answer, never a trap"
    )
)]

pub use fleetfold_cel as cel;
pub use fleetfold_value::{choice, diagnostic, value};
pub use fleetfold_yaml as yaml;

pub mod object;

pub mod engine;

pub mod workspace;

pub mod dialect;

pub mod api;

pub use value::Value;
pub use workspace::Workspace;
