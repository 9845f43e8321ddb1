//! The CustomResourceDefinitions of the kinds that Fleetfold reads on a hub.
//!
//! The schemas of kinds that no other system installs are derived from the Rust types of this crate. Names, versions
//! and scopes of all kinds come from the engine's table of kinds.

mod condition;
mod derived;
mod fleet_plan;
mod greenhouse;
mod installation;
mod kudo;
mod overlay;

use std::collections::BTreeMap;

use fleetfold_core::dialect;
use fleetfold_core::object::Document;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::{Text, Value};
use fleetfold_core::workspace::HubKind;
use fleetfold_core::workspace::{Store, View};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion, CustomResourceSubresourceStatus, CustomResourceSubresources,
    CustomResourceValidation,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub use condition::{Condition, ConditionStatus};
pub use derived::{AnyObject, Anything};
use derived::{Column, DERIVED, DerivedKind, GROUP, OtherKind, schema_of};
pub use fleet_plan::{
    ClusterState, FleetPlan, FleetPlanSpec, FleetPlanStatus, HeldAction, MemberContact, PlanCounts, RecentDeletes, Verb,
};
pub use greenhouse::{Merge, OptionOverride, PluginOverride, PluginOverrideSpec};
pub use overlay::overlay;

pub use installation::{
    Bundle, BundleSpec, CertManagerDeployment, CertManagerDeploymentSpec, Component, CrdConditions, DangerZone,
    DeploymentConditions, Flag, FlagType, Health, Installation, InstallationSpec, InstallationStatus, Phase,
};
pub use kudo::{
    AggregatedStatus, ExecutionStatus, ObjectReference, OperatorVersion, OperatorVersionSpec, OperatorVersionStatus,
    PhaseStatus, PlanStatus, StepStatus,
};

/// No dialect reads the FleetPlan: only runners do.
const FLEET_PLAN: HubKind = HubKind::cluster_wide(GROUP, FleetPlan::KIND, "fleetplans", "v1").with_status();

/// The definitions, sorted by name: of the kinds that no other system installs, or of `all` kinds that a dialect reads.
///
/// The definitions of other systems' kinds accept any fields, which is enough for the hub of a test. `type_configs` are
/// the FederatedTypeConfigs that name the federated kinds.
pub fn crds(all: bool, type_configs: &[Value]) -> Vec<Value> {
    let mut store = Store::with(dialect::ALL);
    for config in type_configs {
        for document in Document::from_value(config, &Pointer::root(), &mut Vec::new()) {
            store.put(document, &mut Vec::new());
        }
    }
    let view = View { store: &store, now: None };
    let mut kinds: BTreeMap<String, HubKind> = BTreeMap::new();
    let read = dialect::ALL.iter().flat_map(|it| it.kinds(view));
    for kind in read.filter(|it| !is_built_in(it) && !it.plural.is_empty()).chain([FLEET_PLAN]) {
        kinds.entry(format!("{}.{}", kind.plural, kind.group)).or_insert(kind);
    }
    let wanted = kinds.into_iter().filter(|(_, kind)| all || derived(kind).is_some());
    wanted.map(|(name, kind)| to_value(&definition(name, &kind))).collect()
}

fn to_value(definition: &CustomResourceDefinition) -> Value {
    serde_json::to_value(definition).and_then(serde_json::from_value).expect("a definition is JSON")
}

/// Whether every API server has the kind.
fn is_built_in(kind: &HubKind) -> bool {
    kind.group.is_empty() || kind.group.ends_with(".k8s.io")
}

fn derived(kind: &HubKind) -> Option<&'static DerivedKind> {
    DERIVED.iter().find(|it| it.group == kind.group && it.kind == kind.kind)
}

fn definition(name: String, kind: &HubKind) -> CustomResourceDefinition {
    let derived = derived(kind);
    let owned = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect::<Vec<String>>();
    let names = CustomResourceDefinitionNames {
        kind: kind.kind.to_string(),
        list_kind: Some(format!("{}List", kind.kind)),
        plural: kind.plural.to_string(),
        singular: Some(kind.kind.to_ascii_lowercase()),
        categories: derived.map(|_| owned(&["fleetfold"])),
        short_names: derived.map(|it| owned(it.short_names)).filter(|it| !it.is_empty()),
    };
    let versions = kind.versions();
    let versions = versions.iter().enumerate().map(|(index, name)| version(name, index == 0, kind, derived));
    CustomResourceDefinition {
        metadata: ObjectMeta { name: Some(name), ..ObjectMeta::default() },
        spec: CustomResourceDefinitionSpec {
            group: kind.group.to_string(),
            names,
            scope: kind.scope.to_string(),
            versions: versions.collect(),
            ..CustomResourceDefinitionSpec::default()
        },
        status: None,
    }
}

fn version(
    name: &Text,
    is_stored: bool,
    kind: &HubKind,
    derived: Option<&DerivedKind>,
) -> CustomResourceDefinitionVersion {
    let schema = derived.map_or_else(schema_of::<OtherKind>, |it| (it.schema)());
    let status = CustomResourceSubresourceStatus(serde_json::Map::new().into());
    CustomResourceDefinitionVersion {
        name: name.to_string(),
        served: true,
        storage: is_stored,
        schema: Some(CustomResourceValidation { open_api_v3_schema: Some(schema) }),
        subresources: kind.has_status.then_some(CustomResourceSubresources { status: Some(status), scale: None }),
        additional_printer_columns: derived.map(|it| it.columns.iter().map(Column::definition).collect()),
        ..CustomResourceDefinitionVersion::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

    fn config(kind: &str) -> Value {
        let text = format!(
            r#"{{"apiVersion":"core.kubefed.io/v1beta1","kind":"FederatedTypeConfig","metadata":{{"name":"x","namespace":"n"}},
                "spec":{{"federatedType":{{"group":"types.kubefed.io","kind":"{kind}","version":"v1beta1"}}}}}}"#
        );
        fleetfold_core::value::json::parse(&text).expect("a test writes JSON")
    }

    fn names(crds: &[Value]) -> Vec<&str> {
        crds.iter().map(|it| it.text_at(&["metadata", "name"])).collect()
    }

    fn schemas(crd: &Value) -> impl Iterator<Item = &Value> {
        let versions = crd.at(&["spec", "versions"]).and_then(Value::as_list).into_iter().flatten();
        versions.map(|it| it.at(&["schema", "openAPIV3Schema"]).expect("a version has a schema"))
    }

    /// The rules of structural schemas, as far as these schemas could break them.
    #[track_caller]
    fn check(schema: &Value, at: &str) {
        const KNOWN: &[&str] = &[
            "additionalProperties",
            "description",
            "enum",
            "format",
            "items",
            "properties",
            "required",
            "type",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-list-type",
            PRESERVE,
        ];
        let map = schema.as_map().unwrap_or_else(|| panic!("{at} is no map"));
        let unknown: Vec<_> = map.keys().filter(|it| !KNOWN.contains(&it.as_str())).collect();
        assert!(unknown.is_empty(), "{at} has {unknown:?}");
        let kind = schema.text_at(&["type"]);
        assert!(!kind.is_empty() || map.get(PRESERVE).is_some(), "{at} has no type");
        assert_eq!(map.get("items").is_some(), kind == "array", "{at}");
        assert!(kind == "object" || map.get("properties").is_none(), "{at}");
        assert!(map.get("properties").is_none() || map.get("additionalProperties").is_none(), "{at}");
        let properties = map.get("properties").and_then(Value::as_map);
        for name in map.get("required").and_then(Value::as_list).into_iter().flatten() {
            let name = name.as_text().expect("a name");
            assert!(properties.is_some_and(|it| it.contains(name)), "{at} requires {name}");
        }
        for (name, property) in properties.into_iter().flat_map(|it| it.iter()) {
            check(property, &format!("{at}.{name}"));
        }
        for (key, inner) in [("items", "[]"), ("additionalProperties", "{}")] {
            map.get(key).into_iter().for_each(|it| check(it, &format!("{at}{inner}")));
        }
        for key in map.get("x-kubernetes-list-map-keys").and_then(Value::as_list).into_iter().flatten() {
            let required = schema.at(&["items", "required"]).and_then(Value::as_list);
            assert!(required.is_some_and(|it| it.contains(key)), "{at} has elements without a key");
        }
    }

    #[test]
    fn schemas_are_structural() {
        for crd in crds(true, &[config("FederatedConfigMap")]) {
            schemas(&crd).for_each(|it| check(it, crd.text_at(&["metadata", "name"])));
        }
    }

    #[test]
    fn what_is_ours_is_described_throughout() {
        fn is_described(schema: &Value) -> bool {
            let properties = schema.get("properties").and_then(Value::as_map).into_iter().flat_map(|it| it.iter());
            let mut inner = ["items", "additionalProperties"].into_iter().filter_map(|it| schema.get(it));
            let standard = ["apiVersion", "kind", "metadata"];
            properties.into_iter().all(|(name, it)| {
                standard.contains(&name.as_str()) || it.get("description").is_some() && is_described(it)
            }) && inner.all(is_described)
        }
        for crd in crds(false, &[]) {
            assert!(schemas(&crd).all(is_described), "{}", crd.text_at(&["metadata", "name"]));
        }
    }

    #[test]
    fn without_all_there_are_those_that_nobody_brings() {
        assert_eq!(
            names(&crds(false, &[])),
            [
                "bundles.fleetfold.dev",
                "certmanagerdeployments.operators.opdev.io",
                "fleetplans.fleetfold.dev",
                "installations.fleetfold.dev",
                "operatorversions.kudo.dev",
                "pluginoverrides.greenhouse.sap",
            ],
        );
    }

    #[test]
    fn with_all_there_are_those_of_every_dialect() {
        let crds = crds(true, &[config("FederatedConfigMap")]);
        let names = names(&crds);
        for name in ["federatedconfigmaps.types.kubefed.io", "managedclustersets.cluster.open-cluster-management.io"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert!(!names.iter().any(|it| it.ends_with(".k8s.io") || it.ends_with('.')), "{names:?}");
    }

    #[test]
    fn every_version_is_served_and_the_best_one_is_stored() {
        let crds = crds(true, &[]);
        let set = crds.iter().find(|it| it.text_at(&["spec", "names", "kind"]) == "ManagedClusterSet").unwrap();
        let versions = set.at(&["spec", "versions"]).and_then(Value::as_list).unwrap();
        let said =
            |it: &Value| (it.text_at(&["name"]).to_string(), it.get("served").cloned(), it.get("storage").cloned());
        let versions: Vec<_> = versions.iter().map(said).collect();
        let row = |name: &str, stored: bool| (name.to_string(), Some(true.into()), Some(stored.into()));
        assert_eq!(versions, [row("v1beta2", true), row("v1beta1", false)]);
    }
}
