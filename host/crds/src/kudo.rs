//! The OperatorVersion of KUDO with the install plan that KUDO proposed and never built.
//!
//! KUDO's own definition has neither `installPlan` nor a status, so that an API server would drop both.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::condition::Condition;
use crate::derived::{AGE, Column, DerivedKind, schema_of};

pub(crate) const OPERATOR_VERSION: DerivedKind = DerivedKind {
    group: "kudo.dev",
    kind: "OperatorVersion",
    short_names: &[],
    columns: &[
        Column::text("Operator", ".spec.operator.name"),
        Column::text("Version", ".spec.version"),
        Column::text("Install", ".status.aggregatedStatus.status"),
        AGE,
    ],
    schema: schema_of::<OperatorVersion>,
};

/// A version of an operator: its parameters, templates, tasks and plans.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct OperatorVersion {
    /// The fields of KUDO, and the install plan.
    pub spec: Option<OperatorVersionSpec>,
    /// How far the install plan is.
    pub status: Option<OperatorVersionStatus>,
}

/// The fields of KUDO, and the install plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct OperatorVersionSpec {
    /// The plan in `plans` whose objects are needed before there are Instances. Its templates must be rendered.
    pub install_plan: Option<String>,
}

/// How far the install plan is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorVersionStatus {
    /// The status of each plan, by name.
    pub plan_status: Option<BTreeMap<String, PlanStatus>>,
    /// The status of the OperatorVersion.
    pub aggregated_status: Option<AggregatedStatus>,
    /// The objects that the OperatorVersion created or adopted.
    pub objects: Option<Vec<ObjectReference>>,
    /// What is held.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<Condition>>,
}

/// The status of the OperatorVersion.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedStatus {
    /// How far the plan is.
    pub status: Option<ExecutionStatus>,
    /// The plan that is running.
    pub active_plan_name: Option<String>,
    /// Why the plan cannot be read.
    pub message: Option<String>,
}

/// The status of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PlanStatus {
    /// The plan.
    pub name: Option<String>,
    /// How far the plan is.
    pub status: Option<ExecutionStatus>,
    /// Why the plan cannot be read.
    pub message: Option<String>,
    /// Its phases, in their order.
    pub phases: Option<Vec<PhaseStatus>>,
}

/// The status of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PhaseStatus {
    /// The phase.
    pub name: Option<String>,
    /// How far the phase is.
    pub status: Option<ExecutionStatus>,
    /// Its steps, in their order.
    pub steps: Option<Vec<StepStatus>>,
}

/// The status of a step.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct StepStatus {
    /// The step.
    pub name: Option<String>,
    /// How far the step is.
    pub status: Option<ExecutionStatus>,
    /// The object that it waits for or fails at, and why.
    pub message: Option<String>,
}

/// How far a plan, a phase or a step is, in the words of KUDO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExecutionStatus {
    Pending,
    InProgress,
    Complete,
    Error,
    FatalError,
    NeverRun,
}

/// Names an object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// The API version of the object.
    pub api_version: Option<String>,
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object, where its kind has one.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
}
