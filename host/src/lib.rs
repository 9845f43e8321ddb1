//! Runs the engine, and puts it in front of people and programs.
//!
//! 1. [`guest`] runs the engine as the module under wasmtime, with a deadline and a memory limit.
//! 2. [`cache`] keeps what was compiled for it.
//! 3. [`engine`] is the one interface to the engine, in the module or linked in; [`answer`] reads what it says, and a
//!    [`session`] is a workspace with everything that was put to it.
//! 4. [`cluster`] is one API server, and the only caller of its client.
//! 5. [`reconcile`] watches, asks, fetches what the engine needs, and does what it says.
//! 6. [`admission`] answers what an API server asks before a change is made, over [`tls`].
//! 7. [`serve`] is the page, and the fleet that it shows.
//! 8. [`vectors`] puts the conformance cases to an engine.
//!
//! No rule about fleets lives here: what a cluster should have is decided in `fleetfold-core`.

pub mod admission;
pub mod answer;
pub mod cache;
pub mod cluster;
pub mod engine;
pub mod guest;
pub mod quantity;
pub mod reconcile;
pub mod serve;
pub mod session;
pub mod tls;
pub mod vectors;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of wasmtime that runs the module.
pub const WASMTIME: &str = env!("FLEETFOLD_WASMTIME");
