//! Shared by the test binaries.

pub mod generate;
pub mod laws;
pub mod peers;
pub mod tree;
