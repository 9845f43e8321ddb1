//! Works out what every cluster of a fleet should have, why, and what would change.
//!
//! The stages, in the order that data walks through them:
//!
//! 1. [`json`] and [`yaml`] read what people wrote into a [`value`]; [`canonical`] writes it back, to the byte.
//! 2. [`path`] names places: JSON pointers, option paths, retention paths; [`identity`] tells objects apart.
//! 3. [`label`], [`select`] and [`clusterset`] find the clusters that are meant; [`fleet`] does it for many at once, and
//!    [`placement`] decides among those of the sets that a namespace may use.
//!    [`cel`] evaluates conditions over them, and expressions.
//! 4. [`fold`] lays layers over each other and keeps the origin of every value; [`patch`] is the other way to vary.
//! 5. [`retain`] carries over what a cluster's own controllers wrote, pairing lists with [`pair`].
//!    [`product`] builds an object from a base, what is retained and patches, with the origin of every touched place.
//! 6. [`matching`] finds where live does not contain desired, and [`diff`] the operations that mend it.
//! 7. [`own`] shares objects between owners; [`authorize`] guards labels, over [`rbac`]; [`refresh`] restarts what uses a
//!    renewed secret; [`mold`] checks flags. [`admit`] decides over changes before they are made, also by what they would do to clusters.
//!
//! What these know about Kubernetes kinds are tables in [`rules`]. Around them: a [`document`] is a value with an identity
//! and a place, [`diagnostic`] holds every code, [`nearest`] finds the name that was meant, [`mask`] keeps secrets in,
//! [`reach`] tells how to get to a cluster, [`crds`] writes the definitions of the kinds that are read,
//! [`contract`] is the JSON promise, and [`workspace`] holds what is loaded and is what a host talks to.
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

pub mod admit;
pub mod authorize;
pub mod canonical;
pub mod cel;
pub mod clusterset;
pub mod compare;
pub mod contract;
pub mod crds;
pub mod diagnostic;
pub mod dialect;
pub mod diff;
pub mod document;
pub mod explain;
pub mod fleet;
pub mod fold;
pub mod identity;
pub mod json;
pub mod label;
pub mod layers;
pub mod lint;
pub mod live;
pub mod mask;
pub mod matching;
pub mod mold;
pub mod nearest;
pub mod ordered;
pub mod outcome;
pub mod own;
pub mod pair;
pub mod patch;
pub mod path;
pub mod placement;
pub mod plan;
pub mod product;
pub mod rbac;
pub mod reach;
pub mod refresh;
pub mod results;
pub mod retain;
pub mod rules;
pub mod select;
pub mod settings;
pub mod sorting;
pub mod store;
pub mod text;
pub mod value;
pub mod who;
pub mod workspace;
pub mod yaml;

pub use value::Value;
pub use workspace::Workspace;
