//! The engine's knowledge about kinds, as tables: every row is a fact, and no stage has facts outside them.
//!
//! - [`defaults`]: the defaults of an API server.
//! - [`fields`]: the fields of built-in kinds, all the way down.
//! - [`lists`]: the keys of list elements.
//! - [`retention`]: which live values are carried over, in strict mode, by KubeFed and by Karmada.
//! - [`roots`]: the root fields of a kind.
//! - [`stored`]: how an API server normalizes objects.
//! - [`updates`]: what counts as a difference of each kind, and how an update mends it.
//! - [`health`]: when an object is healthy, in strict mode and for KUDO.
//! - [`flags`]: which flags a component takes, by version.
//! - [`upstreams`]: names of groups, kinds, labels and annotations that upstream systems use.
//! - [`clusters`]: which documents are clusters, and where each stores its endpoint and credentials.

pub mod clusters;
pub mod defaults;
pub mod fields;
pub mod flags;
pub mod health;
pub mod lists;
pub mod retention;
pub mod roots;
pub mod stored;
pub mod updates;
pub mod upstreams;
