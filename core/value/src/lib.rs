//! The floor of the engine: what a value is, and how a finding about one is reported.
//!
//! 1. [`value`]: values with exact integers, paths into them, reading and canonical writing of JSON.
//! 2. [`diagnostic`]: stable codes, locations, errors.
//!
//! The crate is pure: no clock, no I/O, no randomness, no threads, no global state.
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

/// The digest of this crate's source.
#[doc(hidden)]
pub const SOURCE_DIGEST: &str = env!("FLEETFOLD_SOURCE_DIGEST");

pub mod diagnostic;
#[doc(hidden)]
pub mod seeded;
pub mod value;
