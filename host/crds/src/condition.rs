//! Conditions of a status, as `kubectl wait` reads them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One aspect of the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The aspect.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the condition holds.
    pub status: ConditionStatus,
    /// Why, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the status last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub last_transition_time: Option<String>,
    /// The generation of the spec that the condition describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ConditionStatus {
    True,
    False,
    Unknown,
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> ConditionStatus {
        if holds { ConditionStatus::True } else { ConditionStatus::False }
    }
}
