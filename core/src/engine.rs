//! The stateless verbs, one folder each. Each is a plain function over values; none has access to the workspace.

pub mod authorize;
pub mod compose;
pub mod diff;
pub mod flags;
pub mod fold;
pub mod matching;
pub mod ownership;
pub mod patch;
pub mod placement;
pub mod refresh;
pub(crate) mod rendered;
pub mod retain;
pub mod select;
mod upstream;

pub use rendered::{FieldOrigin, LocalField, Origin, Rendered, RenderedObject};
pub use upstream::Upstream;
