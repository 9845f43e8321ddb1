//! The tables of fields that `lint` checks are those of the CustomResourceDefinitions that `fleetfold crds` prints.

use fleetfold_core::Value;
use fleetfold_core::dialect;
use fleetfold_core::object::fields::{Fields, Others, Shape};
use fleetfold_core::workspace::HubKind;
use fleetfold_core::workspace::{Store, View};

/// The kinds that dialects read.
fn kinds() -> Vec<HubKind> {
    let store = Store::with(dialect::ALL);
    let view = View { store: &store, now: None };
    dialect::ALL.iter().flat_map(|it| it.kinds(view)).collect()
}

/// The schema of the newest version.
fn schema(definition: &Value) -> &Value {
    let versions = definition.at(&["spec", "versions"]).and_then(Value::as_list).expect("versions");
    versions.first().and_then(|it| it.at(&["schema", "openAPIV3Schema"])).expect("a schema")
}

/// 1. A field of a table is a property of the schema, of the same type.
/// 2. A property of the schema is in a table that has all fields.
/// 3. Where a schema keeps unknown fields, it says nothing about them.
fn compare(fields: &Fields, schema: &Value, at: &str, found: &mut Vec<String>) {
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&true.into()) {
        return;
    }
    let none = Value::Null;
    let properties = schema.get("properties").unwrap_or(&none);
    for field in fields.known {
        match properties.get(field.name) {
            Some(property) => compare_shape(field.shape, property, &format!("{at}.{}", field.name), found),
            None => found.push(format!("{at}.{}: only in the table", field.name)),
        }
    }
    if fields.others != Others::Ignored {
        let properties = properties.as_map().into_iter().flat_map(|it| it.keys());
        let missing = properties.filter(|key| !fields.known.iter().any(|it| it.name == key.as_str()));
        found.extend(missing.map(|key| format!("{at}.{key}: only in the definition")));
    }
}

fn compare_shape(shape: Shape, schema: &Value, at: &str, found: &mut Vec<String>) {
    let none = Value::Null;
    let wanted = match shape {
        Shape::Anything => return,
        Shape::Text | Shape::OneOf(_) => "string",
        Shape::Boolean => "boolean",
        Shape::Map | Shape::Named(_) | Shape::Fields(_) => "object",
        Shape::List(_) => "array",
    };
    let is_open = schema.get("x-kubernetes-preserve-unknown-fields") == Some(&true.into());
    let is_wanted = schema.text_at(&["type"]) == wanted || is_open && schema.get("type").is_none();
    if !is_wanted {
        found.push(format!("{at}: {wanted} in the table, `{}` in the definition", schema.text_at(&["type"])));
        return;
    }
    match shape {
        Shape::List(item) => compare_shape(*item, schema.get("items").unwrap_or(&none), &format!("{at}[]"), found),
        Shape::Named(item) => {
            let values = schema.get("additionalProperties").unwrap_or(&none);
            compare_shape(*item, values, &format!("{at}.*"), found);
        }
        Shape::Fields(fields) => compare(fields, schema, at, found),
        _ => {}
    }
}

#[test]
fn tables_and_definitions_have_the_same_fields() {
    let (mut found, mut compared) = (Vec::new(), Vec::new());
    for definition in fleetfold_crds::crds(false, &[]) {
        let (group, kind) = (definition.text_at(&["spec", "group"]), definition.text_at(&["spec", "names", "kind"]));
        let Some(spec) = kinds().iter().filter(|it| it.group == group && it.kind == kind).find_map(|it| it.fields)
        else {
            continue;
        };
        let of_spec = schema(&definition).at(&["properties", "spec"]).expect("a spec");
        compare(spec, of_spec, kind, &mut found);
        compared.push(kind.to_owned());
    }
    assert_eq!(found, [""; 0]);
    assert_eq!(compared, ["Bundle", "CertManagerDeployment", "Installation", "OperatorVersion", "PluginOverride"]);
}
