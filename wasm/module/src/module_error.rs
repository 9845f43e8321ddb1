//! Why bytes are not what they should be.

use std::fmt;

use wasmparser::BinaryReaderError;

/// What is wrong with a binary, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleError {
    pub what: String,
    /// The byte at which it was noticed, from the start of the file.
    pub at: usize,
    pub hint: &'static str,
}

impl ModuleError {
    pub(crate) fn new(what: impl Into<String>, at: usize, hint: &'static str) -> Self {
        Self { what: what.into(), at, hint }
    }

    /// The section that starts at `at` is not in order.
    pub(crate) fn broken(error: &BinaryReaderError) -> Self {
        // Some messages say their place in a second line.
        let message = error.message().lines().next().unwrap_or_default();
        Self::new(message, error.offset(), "the file is damaged or cut off: build or fetch it again")
    }
}

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

impl std::error::Error for ModuleError {}
