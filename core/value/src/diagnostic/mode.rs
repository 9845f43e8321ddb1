//! The two modes of every operation.

use crate::choice;

choice! {
    /// The repaired answer, or the original's with its quirks.
    #[derive(Default)]
    pub enum Mode {
        #[default]
        Strict = "strict",
        Compat = "compat",
    }
}
