//! The FleetPlan as an object of the hub, and its status.

use fleetfold_core::Value;
use fleetfold_crds::FleetPlanStatus;

use crate::meta::Meta;
use crate::target::Target;

pub const FLEET_PLAN_API_VERSION: &str = fleetfold_crds::FleetPlan::API_VERSION;
pub const FLEET_PLAN_KIND: &str = fleetfold_crds::FleetPlan::KIND;

/// The FleetPlan of this name; all of them where it is empty.
pub fn fleet_plan_target(name: &str) -> Target {
    Target {
        api_version: FLEET_PLAN_API_VERSION.into(),
        kind: FLEET_PLAN_KIND.into(),
        namespace: String::new(),
        name: name.to_owned(),
    }
}

/// A new FleetPlan of this name.
pub fn new_fleet_plan(name: &str) -> Value {
    Value::map([
        ("apiVersion", Value::text(FLEET_PLAN_API_VERSION)),
        ("kind", FLEET_PLAN_KIND.into()),
        ("metadata", Value::map([("name", name)])),
    ])
}

/// The status on the hub. An absent or unreadable status is empty.
pub fn read_status(live: &Value) -> FleetPlanStatus {
    let status = Meta::of(live).status().and_then(|it| serde_json::to_value(it).ok());
    status.and_then(|it| serde_json::from_value(it).ok()).unwrap_or_default()
}
