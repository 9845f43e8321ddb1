//! A hub stores every status that a plan writes: each field is in the definition of the upstream, or `crds --overlay`
//! adds it. Runners write statuses strictly, so that one unknown field would make an API server reject all of it.

use std::collections::BTreeSet;
use std::path::Path;

use fleetfold_core::value::json;
use fleetfold_core::{Value, Workspace, yaml};

/// What the definition of an upstream has in `status`.
struct Upstream {
    group: &'static str,
    /// Ends in `*` for every kind of the group with this prefix.
    kind: &'static str,
    version: &'static str,
    /// Paths of fields; `[]` is the elements of a list, and `*` at the end keeps every field below.
    fields: &'static [&'static str],
}

/// Greenhouse of 2026, OCM's API 1.0, KubeFed 0.10, KUDO 0.19 and OpenShift 4.
const UPSTREAMS: &[Upstream] = &[
    Upstream {
        group: "greenhouse.sap",
        kind: "Plugin",
        version: "v1alpha1",
        fields: &["description", "helmReleaseStatus.*", "statusConditions.conditions[].*", "version", "weight"],
    },
    Upstream {
        group: "greenhouse.sap",
        kind: "PluginPreset",
        version: "v1alpha1",
        fields: &[
            "failedPlugins",
            "pluginDefinitionVersion",
            "pluginStatuses[].pluginName",
            "pluginStatuses[].readyCondition.*",
            "readyPlugins",
            "statusConditions.conditions[].lastTransitionTime",
            "statusConditions.conditions[].message",
            "statusConditions.conditions[].reason",
            "statusConditions.conditions[].status",
            "statusConditions.conditions[].type",
            "totalPlugins",
        ],
    },
    Upstream {
        group: "cluster.open-cluster-management.io",
        kind: "Placement",
        version: "v1beta1",
        fields: &[
            "conditions[].lastTransitionTime",
            "conditions[].message",
            "conditions[].observedGeneration",
            "conditions[].reason",
            "conditions[].status",
            "conditions[].type",
            "decisionGroups[].clusterCount",
            "decisionGroups[].decisionGroupIndex",
            "decisionGroups[].decisionGroupName",
            "decisionGroups[].decisions[]",
            "numberOfSelectedClusters",
        ],
    },
    Upstream {
        group: "cluster.open-cluster-management.io",
        kind: "ManagedClusterSet*",
        version: "v1beta2",
        fields: &[
            "conditions[].lastTransitionTime",
            "conditions[].message",
            "conditions[].observedGeneration",
            "conditions[].reason",
            "conditions[].status",
            "conditions[].type",
        ],
    },
    Upstream {
        group: "types.kubefed.io",
        kind: "Federated*",
        version: "v1beta1",
        fields: &[
            "clusters[].name",
            "clusters[].remoteStatus.*",
            "clusters[].status",
            "conditions[].lastTransitionTime",
            "conditions[].lastUpdateTime",
            "conditions[].reason",
            "conditions[].status",
            "conditions[].type",
            "observedGeneration",
        ],
    },
    Upstream { group: "kudo.dev", kind: "Instance", version: "v1beta1", fields: &["conditions[].*", "planStatus.*"] },
    Upstream { group: "kudo.dev", kind: "OperatorVersion", version: "v1beta1", fields: &[] },
    Upstream {
        group: "operator.openshift.io",
        kind: "CertManager",
        version: "v1alpha1",
        fields: &[
            "conditions[].lastTransitionTime",
            "conditions[].message",
            "conditions[].reason",
            "conditions[].status",
            "conditions[].type",
            "generations[].*",
            "observedGeneration",
            "readyReplicas",
            "version",
        ],
    },
];

const KEEPS: &str = "x-kubernetes-preserve-unknown-fields";

/// A schema with one path.
fn schema_of(path: &str) -> Value {
    let (step, rest) = path.split_once('.').map_or((path, ""), |(step, rest)| (step, rest));
    let inner = match rest {
        "" => Value::map::<&str, Value>([]),
        "*" => Value::map([(KEEPS, true)]),
        rest => schema_of(rest),
    };
    let (name, inner) = match step.strip_suffix("[]") {
        Some(name) => (name, Value::map([("items", inner)])),
        None => (step, inner),
    };
    Value::map([("properties", Value::map([(name, inner)]))])
}

/// Both schemas in one.
fn joined(one: &Value, other: &Value) -> Value {
    let (Some(one_map), Some(other_map)) = (one.as_map(), other.as_map()) else { return one.clone() };
    let mut all: Vec<(&str, Value)> = one_map.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    for (key, value) in other_map.iter() {
        match all.iter_mut().find(|(it, _)| *it == key.as_str()) {
            Some((_, known)) => *known = joined(known, value),
            None => all.push((key.as_str(), value.clone())),
        }
    }
    Value::map(all)
}

impl Upstream {
    fn definition(&self) -> Value {
        let none = Value::map([("type", "object")]);
        let status = self.fields.iter().map(|it| schema_of(it)).reduce(|one, other| joined(&one, &other));
        let schema = Value::map([("properties", Value::map([("status", status.unwrap_or(none))]))]);
        let version =
            Value::map([("name", Value::text(self.version)), ("schema", Value::map([("openAPIV3Schema", schema)]))]);
        let names = Value::map([("kind", self.kind.trim_end_matches('*'))]);
        Value::map([
            ("metadata", Value::map([("name", "any")])),
            (
                "spec",
                Value::map([
                    ("group", Value::text(self.group)),
                    ("names", names),
                    ("versions", Value::list([version])),
                ]),
            ),
        ])
    }

    fn is_of(&self, group: &str, kind: &str) -> bool {
        let is_kind = match self.kind.strip_suffix('*') {
            Some(prefix) => kind.starts_with(prefix),
            None => kind == self.kind,
        };
        group == self.group && is_kind
    }
}

/// A definition as it is with the overlay.
fn overlaid(definition: Value) -> Value {
    let Some(overlay) = fleetfold_crds::overlay(std::slice::from_ref(&definition)) else { return definition };
    let patches = overlay.get("patches").and_then(Value::as_list).expect("patches");
    let parsed = yaml::parse(patches[0].text_at(&["patch"]), fleetfold_core::diagnostic::Mode::Strict, &mut Vec::new());
    let patch = parsed.expect("the overlay is YAML").swap_remove(0).value;
    let request = Value::map([("op", Value::text("patch")), ("object", definition), ("patch", patch)]);
    let answer = json::parse(&Workspace::default().call_text(&request.to_canonical())).expect("JSON");
    answer.at(&["ok", "object"]).unwrap_or_else(|| panic!("{}", answer.to_canonical())).clone()
}

fn schema_at(definition: &Value) -> Option<Value> {
    let versions = definition.at(&["spec", "versions"])?.as_list()?;
    versions.first()?.at(&["schema", "openAPIV3Schema", "properties", "status"]).cloned()
}

/// The schema of the status of a kind; nothing for a kind that no definition here is of.
fn status_schema(group: &str, kind: &str) -> Option<Value> {
    let own = fleetfold_crds::crds(false, &[]).into_iter();
    let mut own =
        own.filter(|it| it.text_at(&["spec", "group"]) == group && it.text_at(&["spec", "names", "kind"]) == kind);
    let upstream = UPSTREAMS.iter().find(|it| it.is_of(group, kind));
    let definition = upstream.map(|it| overlaid(it.definition())).or_else(|| own.next())?;
    schema_at(&definition)
}

/// The fields of a value that a schema does not have. A field that is null is removed, and reaches no API server.
fn unknown(value: &Value, schema: &Value, at: &str, found: &mut BTreeSet<String>) {
    if schema.get(KEEPS) == Some(&true.into()) {
        return;
    }
    for item in value.as_list().into_iter().flatten() {
        unknown(item, schema.get("items").unwrap_or(&Value::Null), &format!("{at}[]"), found);
    }
    for (key, value) in value.as_map().into_iter().flat_map(|it| it.iter()).filter(|(_, it)| !it.is_null()) {
        let at = format!("{at}.{key}");
        match schema.at(&["properties", key.as_str()]).or_else(|| schema.get("additionalProperties")) {
            Some(schema) => unknown(value, schema, &at, found),
            None => drop(found.insert(at)),
        }
    }
}

/// The statuses in an answer: maps with a target and a status.
fn collect(value: &Value, out: &mut Vec<(String, String, Value)>) {
    value.as_list().into_iter().flatten().for_each(|it| collect(it, out));
    let Some(map) = value.as_map() else { return };
    if let (Some(target), Some(status @ Value::Map(_))) = (map.get("target"), map.get("status")) {
        let (group, _) = target.text_at(&["apiVersion"]).split_once('/').unwrap_or_default();
        out.push((group.to_owned(), target.text_at(&["kind"]).to_owned(), status.clone()));
    }
    map.iter().for_each(|(_, it)| collect(it, out));
}

fn files(folder: &Path, out: &mut Vec<Value>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|it| it == "json") {
            out.push(json::parse(&std::fs::read_to_string(&path).expect("a file")).expect("a vector is JSON"));
        }
    }
}

#[test]
fn every_status_that_a_vector_plans_is_one_that_a_hub_stores() {
    let mut vectors = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors"), &mut vectors);
    let mut statuses = Vec::new();
    for vector in &vectors {
        ["want", "steps"].iter().filter_map(|it| vector.get(it)).for_each(|it| collect(it, &mut statuses));
    }
    let (mut found, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for (group, kind, status) in &statuses {
        let schema = status_schema(group, kind).unwrap_or_else(|| panic!("no definition of {group} {kind} is known"));
        unknown(status, &schema, kind, &mut found);
        kinds.insert(kind.as_str());
    }
    assert_eq!(found, BTreeSet::new());
    for upstream in UPSTREAMS {
        let is_covered = statuses.iter().any(|(group, kind, _)| upstream.is_of(group, kind));
        assert!(is_covered, "no vector writes a status of {}: {kinds:?}", upstream.kind);
    }
}

#[test]
fn without_the_overlay_the_additions_are_missing() {
    let missing = |kind: &str, status: &str| {
        let upstream = UPSTREAMS.iter().find(|it| it.kind == kind).expect("a kind");
        let mut found = BTreeSet::new();
        let schema = schema_at(&upstream.definition()).expect("a schema");
        unknown(&json::parse(status).expect("JSON"), &schema, kind, &mut found);
        found.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(missing("PluginPreset", r#"{"clusters":[],"totalPlugins":1}"#), ["PluginPreset.clusters"]);
    assert_eq!(missing("Instance", r#"{"aggregatedStatus":{},"planStatus":{"a":1}}"#), ["Instance.aggregatedStatus"]);
}
