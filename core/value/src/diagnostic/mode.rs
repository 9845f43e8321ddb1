//! The two modes of every operation.

use crate::choice;

choice! {
    /// `strict` (upstream bugs fixed) or `compat` (bug for bug).
    #[derive(Default)]
    pub enum Mode {
        #[default]
        Strict = "strict",
        Compat = "compat",
    }
}
