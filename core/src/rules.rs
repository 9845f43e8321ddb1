//! What the engine knows about kinds, as tables: every row is a fact, and no stage has a fact of its own.
//!
//! - [`lists`]: how the elements of a list are told apart.
//! - [`updates`]: what counts as a difference of each kind, and how an update mends it.
//! - [`molds`]: which flags a component takes, by version.

pub mod lists;
pub mod molds;
pub mod updates;
