//! Shared by the test binaries.

pub mod generate;
pub mod oracles;
pub mod properties;
pub mod tree;
pub mod trust;
