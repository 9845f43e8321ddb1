//! The changes that the CustomResourceDefinitions of installed systems need, so that their hubs store our additions.

use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::patch::{Operation, Verb, patch};
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::{Value, json};
use fleetfold_core::yaml;

/// A field or a value that an upstream's definition may lack.
struct Addition {
    group: &'static str,
    /// Ends in `*` for every kind of the group with this prefix.
    kind: &'static str,
    version: &'static str,
    /// From the object on; `[]` is the elements of a list.
    path: &'static [&'static str],
    adds: Adds,
}

enum Adds {
    /// A property with this schema, as JSON.
    Property(&'static str),
    /// A further value of an `enum`.
    Value(&'static str),
}

const KEEPS: &str = "x-kubernetes-preserve-unknown-fields";
const STRING: &str = r#"{"type":"string"}"#;
const STRINGS: &str = r#"{"items":{"type":"string"},"type":"array"}"#;
const OBJECT: &str = r#"{"type":"object","x-kubernetes-preserve-unknown-fields":true}"#;
const OBJECTS: &str = r#"{"items":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"type":"array"}"#;
const LABEL: &str = r#"{"properties":{"key":{"type":"string"},"value":{"type":"string"}},"type":"object"}"#;

/// Every addition to a kind of another system.
const ADDITIONS: &[Addition] = &[
    greenhouse("Organization", &["spec", "pluginOverrides"], OBJECTS),
    greenhouse("Cluster", &["spec", "pluginOverrides"], OBJECTS),
    greenhouse("PluginPreset", &["spec", "clusterSelector", "clusterNames"], STRINGS),
    greenhouse("PluginPreset", &["spec", "clusterSelector", "clusterSets"], STRINGS),
    greenhouse("PluginPreset", &["spec", "clusterSelector", "ignoreClusters"], STRINGS),
    greenhouse("PluginPreset", &["spec", "clusterSelector", "labelSelector"], OBJECT),
    greenhouse("PluginPreset", &["spec", "clusterSelector", "placementRef"], OBJECT),
    greenhouse("PluginPreset", &["spec", "plugin", "optionValues", "[]", "merge"], STRING),
    greenhouse("PluginPreset", &["spec", "clusterOptionOverrides", "[]", "overrides", "[]", "merge"], STRING),
    greenhouse("PluginPreset", &["status", "clusters"], OBJECTS),
    greenhouse("Plugin", &["status", "appliedOverrides"], OBJECTS),
    Addition { adds: Adds::Value("ExclusiveLabel"), ..cluster_set(&["spec", "clusterSelector", "selectorType"]) },
    Addition { adds: Adds::Property(LABEL), ..cluster_set(&["spec", "clusterSelector", "exclusiveLabel"]) },
    Addition { group: "core.kubefed.io", kind: "FederatedTypeConfig", ..federated(&["spec", "retention"], OBJECT) },
    federated(&["spec", "placement", "clusterSets"], STRINGS),
    federated(&["spec", "placement", "placementRef"], OBJECT),
    federated(&["spec", "overrides", "[]", "clusterSelector"], OBJECT),
    federated(&["spec", "retention"], OBJECT),
    kudo("OperatorVersion", &["spec", "installPlan"], STRING),
    kudo("OperatorVersion", &["status"], OBJECT),
    kudo("Instance", &["status", "aggregatedStatus"], OBJECT),
];

const fn greenhouse(kind: &'static str, path: &'static [&'static str], schema: &'static str) -> Addition {
    Addition { group: "greenhouse.sap", kind, version: "v1alpha1", path, adds: Adds::Property(schema) }
}

/// Of every kind that a FederatedTypeConfig brings.
const fn federated(path: &'static [&'static str], schema: &'static str) -> Addition {
    let (group, kind, adds) = ("types.kubefed.io", "Federated*", Adds::Property(schema));
    Addition { group, kind, version: "v1beta1", path, adds }
}

const fn kudo(kind: &'static str, path: &'static [&'static str], schema: &'static str) -> Addition {
    Addition { group: "kudo.dev", kind, version: "v1beta1", path, adds: Adds::Property(schema) }
}

const fn cluster_set(path: &'static [&'static str]) -> Addition {
    Addition {
        group: "cluster.open-cluster-management.io",
        kind: "ManagedClusterSet",
        version: "v1beta2",
        path,
        adds: Adds::Property(OBJECT),
    }
}

/// A kustomize component with a JSON patch for each of these definitions that lacks an addition; nothing if none does.
///
/// 1. A definition that keeps unknown fields at the place needs no change.
/// 2. Parents that are missing are added with the field.
/// 3. A field that the definition has without any property, so that an API server drops its content, keeps unknown
///    fields from then on.
/// 4. Each patch tests the name of the version first, so that it fails on another definition instead of changing it.
pub fn overlay(definitions: &[Value]) -> Option<Value> {
    let patches: Vec<Value> = definitions.iter().filter_map(patch_of).collect();
    (!patches.is_empty()).then(|| {
        Value::map([
            ("apiVersion", Value::text("kustomize.config.k8s.io/v1alpha1")),
            ("kind", "Component".into()),
            ("patches", Value::list(patches)),
        ])
    })
}

fn patch_of(definition: &Value) -> Option<Value> {
    let spec = |path: &[&str]| definition.text_at(&[&["spec"], path].concat());
    let (group, kind) = (spec(&["group"]), spec(&["names", "kind"]));
    let versions = definition.at(&["spec", "versions"])?.as_list()?;
    let mut operations = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let name = version.text_at(&["name"]);
        let of_version = |it: &&Addition| it.group == group && it.is_of(kind) && it.version == name;
        let at = Pointer::of(["spec", "versions"]).child(index.to_string());
        let Some(mut schema) = version.at(&["schema", "openAPIV3Schema"]).cloned() else { continue };
        let root = at.child("schema").child("openAPIV3Schema");
        let mut added = Vec::new();
        for addition in ADDITIONS.iter().filter(of_version) {
            if let Some((place, value)) = addition.missing(&schema) {
                added.push(operation("add", &root.join(&place), value.clone()));
                put(&mut schema, &place, value);
            }
        }
        if !added.is_empty() {
            operations.push(operation("test", &at.child("name"), name.into()));
            operations.extend(added);
        }
    }
    (!operations.is_empty()).then(|| {
        let target = Value::map([
            ("group", Value::text("apiextensions.k8s.io")),
            ("kind", "CustomResourceDefinition".into()),
            ("name", definition.text_at(&["metadata", "name"]).into()),
            ("version", "v1".into()),
        ]);
        Value::map([("patch", Value::text(yaml::print(&Value::list(operations)))), ("target", target)])
    })
}

impl Addition {
    fn is_of(&self, kind: &str) -> bool {
        match self.kind.strip_suffix('*') {
            Some(prefix) => kind.starts_with(prefix),
            None => kind == self.kind,
        }
    }

    /// Where a schema lacks it, and what to add there.
    fn missing(&self, schema: &Value) -> Option<(Pointer, Value)> {
        let (mut here, mut place) = (schema, Pointer::root());
        for (index, step) in self.path.iter().enumerate() {
            if here.get(KEEPS) == Some(&true.into()) {
                return None;
            }
            let steps: &[&str] = if *step == "[]" { &["items"] } else { &["properties", step] };
            match here.at(steps) {
                Some(inner) => {
                    steps.iter().for_each(|it| place.push(*it));
                    here = inner;
                }
                None => {
                    let Adds::Property(schema) = self.adds else { return None };
                    let rest = self.path.get(index + 1..).unwrap_or_default();
                    let added = nested(rest, json::parse(schema).ok()?);
                    // A schema without any property yet.
                    if *step != "[]" && here.get("properties").is_none() {
                        place.push("properties");
                        return Some((place, Value::map([(*step, added)])));
                    }
                    steps.iter().for_each(|it| place.push(*it));
                    return Some((place, added));
                }
            }
        }
        match self.adds {
            Adds::Property(wanted) => {
                let is_open = json::parse(wanted).ok()?.get(KEEPS) == Some(&true.into());
                let has_content = [KEEPS, "properties", "additionalProperties"].iter().any(|it| here.get(it).is_some());
                (is_open && !has_content).then(|| (place.child(KEEPS), true.into()))
            }
            Adds::Value(value) => {
                let known = here.get("enum")?.as_list()?;
                let is_known = known.iter().any(|it| it.as_text() == Some(value));
                (!is_known).then(|| (place.child("enum").child("-"), value.into()))
            }
        }
    }
}

/// A schema inside the parents that lead to it.
fn nested(path: &[&str], schema: Value) -> Value {
    path.iter().rev().fold(schema, |inner, step| match *step {
        "[]" => Value::map([("items", inner), ("type", "array".into())]),
        name => Value::map([("properties", Value::map([(name, inner)])), ("type", "object".into())]),
    })
}

/// Notes what is added, so that the next addition finds its parents.
fn put(schema: &mut Value, place: &Pointer, value: Value) {
    let operation = Operation::on(Verb::Add, place.clone(), Some(value));
    if let Ok(patched) = patch(schema.clone(), &[operation], Mode::Strict, &mut Vec::new()) {
        *schema = patched;
    }
}

fn operation(op: &str, path: &Pointer, value: Value) -> Value {
    Value::map([("op", Value::text(op)), ("path", path.to_string().into()), ("value", value)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(kind: &str, version: &str, schema: &str) -> Value {
        let group = match kind {
            "ManagedClusterSet" => "cluster.open-cluster-management.io",
            "OperatorVersion" => "kudo.dev",
            _ if kind.starts_with("Federated") => "types.kubefed.io",
            _ => "greenhouse.sap",
        };
        json::parse(&format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                "metadata":{{"name":"x.{group}"}},"spec":{{"group":"{group}","names":{{"kind":"{kind}"}},
                "versions":[{{"name":"old"}},{{"name":"{version}","schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
        ))
        .expect("a test writes JSON")
    }

    fn patch_text(definition: &Value) -> Option<String> {
        let overlay = overlay(std::slice::from_ref(definition))?;
        Some(overlay.get("patches")?.as_list()?.first()?.text_at(&["patch"]).to_owned())
    }

    #[test]
    fn a_missing_field_is_added_behind_a_test_of_the_version() {
        let found = patch_text(&definition("Organization", "v1alpha1", r#"{"properties":{"spec":{"properties":{}}}}"#));
        let want = "\
- op: test
  path: /spec/versions/1/name
  value: v1alpha1
- op: add
  path: /spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/pluginOverrides
  value:
    items:
      type: object
      x-kubernetes-preserve-unknown-fields: true
    type: array
";
        assert_eq!(found.as_deref(), Some(want));
    }

    #[test]
    fn a_definition_that_has_or_keeps_the_field_stays() {
        let has = r#"{"properties":{"spec":{"properties":{"pluginOverrides":{"type":"array"}}}}}"#;
        assert_eq!(patch_text(&definition("Organization", "v1alpha1", has)), None);
        let keeps = r#"{"properties":{"spec":{"x-kubernetes-preserve-unknown-fields":true}}}"#;
        assert_eq!(patch_text(&definition("Organization", "v1alpha1", keeps)), None);
        assert_eq!(overlay(&[]), None);
    }

    #[test]
    fn a_cluster_set_gets_a_type_and_its_label() {
        let schema = r#"{"properties":{"spec":{"properties":{"clusterSelector":{"properties":{
            "selectorType":{"enum":["LabelSelector"],"type":"string"}}}}}}}"#;
        let found = patch_text(&definition("ManagedClusterSet", "v1beta2", schema)).expect("a patch");
        assert!(found.contains("selectorType/enum/-\n  value: ExclusiveLabel\n"), "{found}");
        assert!(found.contains("clusterSelector/properties/exclusiveLabel\n"), "{found}");
    }

    #[test]
    fn every_federated_kind_gets_the_fields_of_placements_and_overrides() {
        let schema =
            r#"{"properties":{"spec":{"properties":{"overrides":{"items":{"properties":{}},"type":"array"}}}}}"#;
        let found = patch_text(&definition("FederatedConfigMap", "v1beta1", schema)).expect("a patch");
        let spec = "/schema/openAPIV3Schema/properties/spec/properties";
        for place in ["placement", "overrides/items/properties/clusterSelector", "retention"] {
            assert!(found.contains(&format!("{spec}/{place}\n")), "{place}: {found}");
        }
        assert!(found.contains("placement/properties/placementRef\n"), "{found}");
    }

    #[test]
    fn an_operator_version_gets_its_install_plan_and_status() {
        let found =
            patch_text(&definition("OperatorVersion", "v1beta1", r#"{"properties":{"spec":{"properties":{}}}}"#));
        let found = found.expect("a patch");
        assert!(found.contains("properties/spec/properties/installPlan\n"), "{found}");
        assert!(found.contains("openAPIV3Schema/properties/status\n"), "{found}");
    }

    #[test]
    fn a_status_without_properties_keeps_unknown_fields() {
        let schema = |status: &str| {
            let spec = r#""spec":{"properties":{"installPlan":{"type":"string"}}}"#;
            patch_text(&definition("OperatorVersion", "v1beta1", &format!(r#"{{"properties":{{{spec},{status}}}}}"#)))
        };
        let found = schema(r#""status":{"type":"object"}"#).expect("a patch");
        let place = "openAPIV3Schema/properties/status/x-kubernetes-preserve-unknown-fields\n  value: true\n";
        assert!(found.contains(place), "{found}");
        for has in [r#""properties":{"planStatus":{}}"#, r#""x-kubernetes-preserve-unknown-fields":true"#] {
            assert_eq!(schema(&format!(r#""status":{{{has},"type":"object"}}"#)), None, "{has}");
        }
    }

    #[test]
    fn parents_are_added_once() {
        let found = patch_text(&definition("PluginPreset", "v1alpha1", r#"{"properties":{"spec":{"properties":{}}}}"#));
        let found = found.expect("a patch");
        assert_eq!(found.matches("properties/spec/properties/clusterSelector\n").count(), 1, "{found}");
        assert!(found.contains("clusterSelector/properties/clusterSets\n"), "{found}");
    }
}
