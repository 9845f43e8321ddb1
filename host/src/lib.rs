//! Runs the engine, and puts it in front of people and programs.
//!
//! 1. [`guest`] runs the engine as the module under wasmtime, with a deadline and a memory limit.
//! 2. [`cache`] keeps what was compiled for it.
//! 3. [`engine`] is the one interface to the engine, in the module or linked in.
//! 4. [`vectors`] puts the conformance cases to either.
//! 5. [`serve`] answers on a loopback port, with a page to try requests on.
//! 6. [`example`] writes a fleet of any size to try all of it on.
//!
//! No rule about fleets lives here: what a cluster should have is decided in `fleetfold-core`.

pub mod cache;
pub mod engine;
pub mod example;
pub mod guest;
pub mod serve;
pub mod vectors;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of wasmtime that runs the module.
pub const WASMTIME: &str = env!("FLEETFOLD_WASMTIME");
