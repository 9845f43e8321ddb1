//! The FleetPlan, in which a runner reports its state and finds the approval of a plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::derived::{AGE, Column, DerivedKind, GROUP, READY, schema_of};

pub(crate) const FLEET_PLAN: DerivedKind = DerivedKind {
    group: GROUP,
    kind: FleetPlan::KIND,
    short_names: &["fplan"],
    columns: &[
        READY,
        Column::text("Digest", ".status.digest"),
        Column::integer("Actions", ".status.plan.actions"),
        Column::integer("Held", ".status.plan.held"),
        Column::text("Approved", ".status.approvedDigest"),
        AGE,
    ],
    schema: schema_of::<FleetPlan>,
};

/// The plan of a runner: the actions it would take now, what it waits for, and what was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetPlan {
    /// Has no fields yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<FleetPlanSpec>,
    /// The current plan and the state of the runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<FleetPlanStatus>,
}

impl FleetPlan {
    pub const API_VERSION: &str = "fleetfold.dev/v1";
    pub const KIND: &str = "FleetPlan";
}

/// Has no fields yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetPlanSpec {}

/// The current plan and the state of the runner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetPlanStatus {
    /// The generation of the spec that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The digest of the plan; approve this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the engine module that made the plan, as `fleetfold module inspect` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_digest: Option<String>,
    /// The digest that was approved last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_digest: Option<String>,
    /// The number of actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanCounts>,
    /// The held actions; only the first of many.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["id"]))]
    pub held: Option<Vec<HeldAction>>,
    /// What the runner deleted recently, which counts against the limits of the next plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub recent_deletes: Option<Vec<RecentDeletes>>,
    /// The clusters, and whether they are reachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub clusters: Option<Vec<ClusterState>>,
    /// The endpoints that got credentials of members. Known credentials go to another endpoint only after approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["secretUid"]))]
    pub contacts: Option<Vec<MemberContact>>,
    /// The state of the runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<Condition>>,
}

/// The number of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCounts {
    /// The actions that the runner would take now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<i64>,
    /// The actions that are held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<i64>,
    /// The objects that the runner must read to complete the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<i64>,
    /// The actions that create an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create: Option<i64>,
    /// The actions that change an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<i64>,
    /// The actions that delete an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<i64>,
}

/// An action that is held, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldAction {
    /// The id of the action; stays the same until the action changes.
    pub id: String,
    /// The document that causes the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The cluster; empty for the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The kind of change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<Verb>,
    /// The object, as `Kind/namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why it is held, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Why it is held, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How to release it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    Create,
    Patch,
    Delete,
}

/// What the runner deleted at about the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecentDeletes {
    /// The time of the last of these deletes.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// The number of deleted objects.
    pub objects: i64,
    /// The number of clusters that left the decision of a Placement.
    pub clusters: i64,
}

/// An endpoint that got the credentials of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberContact {
    /// The name of the cluster.
    pub cluster: String,
    /// The digest of the endpoint and of the certificates that it is checked against.
    pub digest: String,
    /// The address of the API server.
    pub endpoint: String,
    /// The Secret with the credentials, as `namespace/name`.
    pub secret: String,
    /// The uid of the Secret.
    pub secret_uid: String,
}

/// A cluster, and whether it is reachable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterState {
    /// The name of the cluster.
    pub name: String,
    /// Whether the runner can connect to it.
    pub reachable: bool,
    /// The error if it is not reachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
