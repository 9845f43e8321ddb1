#![doc = include_str!("../README.md")]
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
pub use fleetfold_value::diagnostic;
use fleetfold_value::{choice, seeded};
pub use fleetfold_yaml as yaml;

/// Values with exact integers, paths into them, reading and canonical writing of JSON.
pub mod value {
    pub use fleetfold_value::value::{
        Fact, JsonPath, Map, MaybeAbsent, Number, OneOrMany, Position, SHARED_PART, Text, Value, WordHasher, canonical,
        index_text, json, path, suggest, text,
    };
    /// Implementation details: small replacements of std's collections and sort.
    pub(crate) use fleetfold_value::value::{collections, sorting};
}

pub mod object;

pub mod engine;

pub mod workspace;

pub mod dialect;

pub mod api;

pub use value::Value;
pub use workspace::Workspace;
