//! The host of the engine: command line, controller, webhook and server.
//!
//! 1. [`guest`] runs the engine as the module under wasmtime, with a deadline and a memory limit.
//! 2. [`cache`] keeps the compiled module between runs; [`signature`] tells who made a module.
//! 3. [`engine`] is the interface to the engine, as a module or linked in; a [`session`] is one workspace with the
//!    requests that it received.
//! 4. [`cluster`] is the client of one API server; [`target`] names the objects there, [`meta`] their common fields.
//! 5. [`controller`] watches the hub, requests plans, fetches what they need, and applies them.
//! 6. [`admission`] is the validating webhook, served over [`tls`]. [`http_server`] is the server of all ports.
//! 7. [`serve`] serves the page and the fleet that it shows.
//! 8. [`vectors`] runs the conformance cases against an engine.
//! 9. [`args`], [`bounded_read`], [`clock`] and [`digest`] are shared helpers.
//!
//! No rule about fleets lives here: `fleetfold-core` decides what a cluster should have.

pub mod admission;
pub mod args;
pub mod bounded_read;
pub mod cache;
pub mod clock;
pub mod cluster;
pub mod controller;
pub mod digest;
pub mod engine;
pub mod guest;
pub mod http_server;
pub mod meta;
pub mod serve;
pub mod session;
pub mod signature;
pub mod target;
pub mod tls;

pub use fleetfold_vectors as vectors;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of wasmtime that runs the module.
pub const WASMTIME: &str = env!("FLEETFOLD_WASMTIME");
