//! Why a cluster is chosen or not: one step for each condition that was checked.

use crate::diagnostic::ReasonCode;
use crate::engine::select::Reason;
use crate::value::path::Pointer;

/// One condition that a cluster met or failed, and the place in the Placement that sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub reason: Reason,
    pub at: Option<Pointer>,
}

/// The steps of a cluster; none if they are not requested.
pub type Explanation = Option<Vec<Step>>;

pub fn step(code: ReasonCode, holds: bool, at: Option<Pointer>, text: String) -> Step {
    Step { reason: Reason { code, text, holds }, at }
}

/// Adds a step; the text is formatted only if steps are requested.
pub fn record(
    explanation: &mut Explanation,
    code: ReasonCode,
    holds: bool,
    at: Option<&Pointer>,
    text: impl FnOnce() -> String,
) {
    if let Some(explanation) = explanation {
        explanation.push(step(code, holds, at.cloned(), text()));
    }
}
