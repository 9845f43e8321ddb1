//! The CustomResourceDefinitions of the kinds that are read on the hub, for whoever sets one up.

mod schemas;

use fleetfold_core::dialect;
use fleetfold_core::object::document::Document;
use fleetfold_core::value::collections::SortedMap;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::{Map, Text, Value};
use fleetfold_core::workspace::hub_kind::HubKind;
use fleetfold_core::workspace::store::{Store, View};
use schemas::{DESCRIBED, Described, FLEET_PLAN, Field, GROUP, Shape};

/// The state of a runner is a document of no dialect.
const PLAN: HubKind = HubKind::cluster_wide(GROUP, FLEET_PLAN, "fleetplans", "v1").with_status();

/// The definitions, by name: of the kinds that no installed system brings, or of `all` kinds that a dialect reads.
///
/// The kinds of other systems take anything: this is enough for a server that plays the hub in a test. Which federated kinds
/// there are is said by `type_configs`, FederatedTypeConfigs.
pub fn crds(all: bool, type_configs: &[Value]) -> Vec<Value> {
    let mut store = Store::with(dialect::ALL);
    for config in type_configs {
        for document in Document::from_value(config, &Pointer::root(), &mut Vec::new()) {
            store.put(document, &mut Vec::new());
        }
    }
    let view = View { store: &store, now: None };
    let mut kinds: SortedMap<String, HubKind> = SortedMap::new();
    let read = dialect::ALL.iter().flat_map(|it| it.kinds(view));
    for kind in read.filter(|it| !is_built_in(it) && !it.plural.is_empty()).chain([PLAN]) {
        kinds.entry(format!("{}.{}", kind.plural, kind.group)).or_insert(kind);
    }
    let wanted = kinds.into_iter().filter(|(_, kind)| all || described(kind).is_some());
    wanted.map(|(name, kind)| definition(&name, &kind)).collect()
}

/// Whether every API server has the kind.
fn is_built_in(kind: &HubKind) -> bool {
    kind.group.is_empty() || kind.group.ends_with(".k8s.io")
}

fn described(kind: &HubKind) -> Option<&'static Described> {
    DESCRIBED.iter().find(|it| it.group == kind.group && it.kind == kind.kind)
}

fn definition(name: &str, kind: &HubKind) -> Value {
    let described = described(kind);
    let mut names = Map::from_iter([
        ("kind", Value::Text(kind.kind.clone())),
        ("listKind", format!("{}List", kind.kind).into()),
        ("plural", kind.plural.clone().into()),
        ("singular", kind.kind.to_ascii_lowercase().into()),
    ]);
    if let Some(described) = described {
        names.insert("categories", Value::list(["fleetfold"]));
        if !described.short_names.is_empty() {
            names.insert("shortNames", Value::list(described.short_names.iter().copied()));
        }
    }
    let versions = kind.versions();
    let versions =
        versions.iter().enumerate().map(|(index, version)| self::version(kind, described, version, index == 0));
    Value::map([
        ("apiVersion", "apiextensions.k8s.io/v1".into()),
        ("kind", "CustomResourceDefinition".into()),
        ("metadata", Value::map([("name", name)])),
        (
            "spec",
            Value::map([
                ("group", kind.group.clone().into()),
                ("names", names.into()),
                ("scope", kind.scope.clone().into()),
                ("versions", Value::list(versions)),
            ]),
        ),
    ])
}

fn version(kind: &HubKind, described: Option<&Described>, version: &Text, is_stored: bool) -> Value {
    let mut fields = Map::from_iter([
        ("name", Value::Text(version.clone())),
        ("served", true.into()),
        ("storage", is_stored.into()),
        ("schema", Value::map([("openAPIV3Schema", described.map_or_else(anything, root))])),
    ]);
    if kind.has_status {
        fields.insert("subresources", Value::map([("status", Map::new())]));
    }
    if let Some(described) = described {
        let column = |(name, kind, path): &(&'static str, &'static str, &'static str)| {
            Value::map([("name", *name), ("type", *kind), ("jsonPath", *path)])
        };
        fields.insert("additionalPrinterColumns", Value::list(described.columns.iter().map(column)));
    }
    fields.into()
}

/// A kind that takes whatever its own system writes.
fn anything() -> Value {
    let any = || Value::from(shape(&Shape::AnyMap));
    object(&[], &["spec", "status"].map(|name| (name, any())))
}

fn root(described: &Described) -> Value {
    let fields: Vec<Field> = [described.spec].into_iter().chain(described.status).collect();
    let mut root = object(&fields, &[]);
    if let Some(root) = root.as_map_mut() {
        root.insert("description", described.doc);
    }
    root
}

/// The schema of a whole object, with what every object has.
fn object(fields: &[Field], further: &[(&'static str, Value)]) -> Value {
    let mut schema = self::fields(fields);
    let properties = schema.entry_or("properties", || Map::new().into()).and_then(Value::as_map_mut);
    if let Some(properties) = properties {
        for (name, kind) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            properties.insert(name, Value::map([("type", kind)]));
        }
        for (name, schema) in further {
            properties.insert(*name, schema.clone());
        }
    }
    schema.into()
}

fn fields(fields: &[Field]) -> Map {
    let mut schema = of_type("object");
    if !fields.is_empty() {
        schema.insert("properties", Value::map(fields.iter().map(|it| (it.name, property(it)))));
    }
    let required: Vec<&str> = fields.iter().filter(|it| it.required).map(|it| it.name).collect();
    if !required.is_empty() {
        schema.insert("required", Value::list(required));
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = shape(&field.shape);
    schema.insert("description", field.doc);
    schema.into()
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const LIST_TYPE: &str = "x-kubernetes-list-type";

fn shape(of: &Shape) -> Map {
    let list = |items: Map| {
        let mut schema = of_type("array");
        schema.insert("items", items);
        schema
    };
    let with = |mut schema: Map, key: &'static str, value: Value| {
        schema.insert(key, value);
        schema
    };
    match of {
        Shape::Any => Map::from_iter([(PRESERVE, true)]),
        Shape::AnyMap => with(of_type("object"), PRESERVE, true.into()),
        Shape::Bool => of_type("boolean"),
        Shape::Int => with(of_type("integer"), "format", "int64".into()),
        Shape::Text => of_type("string"),
        Shape::Word(words) => with(of_type("string"), "enum", Value::list(words.iter().copied())),
        Shape::Time => with(of_type("string"), "format", "date-time".into()),
        Shape::Fields(of) => fields(of),
        Shape::MapOf(of) => with(of_type("object"), "additionalProperties", shape(of).into()),
        Shape::List(of) => with(list(shape(of)), LIST_TYPE, "atomic".into()),
        Shape::Set(of) => with(list(shape(of)), LIST_TYPE, "set".into()),
        Shape::ListBy(key, of) => {
            let schema = with(list(fields(of)), LIST_TYPE, "map".into());
            with(schema, "x-kubernetes-list-map-keys", Value::list([*key]))
        }
    }
}

fn of_type(kind: &'static str) -> Map {
    Map::from_iter([("type", kind)])
}

#[cfg(test)]
mod tests {
    use super::*;

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
            LIST_TYPE,
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
