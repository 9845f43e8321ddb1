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
use fleetfold_value::seeded;
pub use fleetfold_value::{choice, diagnostic, value};
pub use fleetfold_yaml as yaml;

pub mod object;

pub mod engine;

pub mod workspace;

pub mod dialect;

pub mod api;

pub use value::Value;
pub use workspace::Workspace;
