//! What the engine knows about kinds, as tables: every row is a fact, and no stage has a fact of its own.
//!
//! - [`lists`]: what tells the elements of a list apart.
//! - [`retention`]: which values of a live object are carried over, for us and for the originals.
//! - [`roots`]: which fields stand at the root of a kind.
//! - [`stored`]: what an API server makes of what it is given.
//! - [`updates`]: what counts as a difference of each kind, and how an update mends it.
//! - [`flags`]: which flags a component takes, by version.
//! - [`upstreams`]: names of groups, kinds, labels and annotations that upstream systems use.
//! - [`clusters`]: which documents are clusters, and how each says the way there.

pub mod clusters;
pub mod flags;
pub mod lists;
pub mod retention;
pub mod roots;
pub mod stored;
pub mod updates;
pub mod upstreams;
