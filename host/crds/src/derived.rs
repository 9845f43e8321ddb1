//! The kinds whose schemas are derived from Rust types: those of Fleetfold, and those that were proposed and never
//! built.

use fleetfold_core::value::{Map, Value};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, JSONSchemaProps,
};
use kube_core::schema::{OptionalEnum, StructuralSchemaRewriter};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;

use crate::fleet_plan::FLEET_PLAN;
use crate::greenhouse::PLUGIN_OVERRIDE;
use crate::installation::{BUNDLE, CERT_MANAGER_DEPLOYMENT, INSTALLATION};
use crate::kudo::OPERATOR_VERSION;

/// The API group of Fleetfold.
pub const GROUP: &str = "fleetfold.dev";

/// What a definition has besides the names, versions and scope of its kind.
#[derive(Debug)]
pub struct DerivedKind {
    pub group: &'static str,
    pub kind: &'static str,
    pub short_names: &'static [&'static str],
    pub columns: &'static [Column],
    /// The schema of `spec` and `status`.
    pub schema: fn() -> JSONSchemaProps,
}

pub const DERIVED: &[DerivedKind] =
    &[PLUGIN_OVERRIDE, BUNDLE, INSTALLATION, CERT_MANAGER_DEPLOYMENT, FLEET_PLAN, OPERATOR_VERSION];

/// A column that `kubectl get` prints.
#[derive(Debug)]
pub struct Column {
    name: &'static str,
    kind: &'static str,
    path: &'static str,
}

pub const AGE: Column = Column { name: "Age", kind: "date", path: ".metadata.creationTimestamp" };
pub const READY: Column = Column::text("Ready", ".status.conditions[?(@.type==\"Ready\")].status");

impl Column {
    pub const fn text(name: &'static str, path: &'static str) -> Column {
        Column { name, kind: "string", path }
    }

    pub const fn integer(name: &'static str, path: &'static str) -> Column {
        Column { name, kind: "integer", path }
    }

    pub fn definition(&self) -> CustomResourceColumnDefinition {
        CustomResourceColumnDefinition {
            name: self.name.to_owned(),
            type_: self.kind.to_owned(),
            json_path: self.path.to_owned(),
            ..CustomResourceColumnDefinition::default()
        }
    }
}

/// Any JSON value.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(description = "", extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct Anything(#[schemars(with = "serde_json::Value")] pub Value);

/// An object with any fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(description = "", extend("type" = "object", "x-kubernetes-preserve-unknown-fields" = true))]
pub struct AnyObject(#[schemars(with = "serde_json::Value")] pub Map);

/// A kind of another system, whose own CustomResourceDefinition has the fields.
#[derive(JsonSchema)]
#[schemars(description = "")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct OtherKind {
    spec: Option<AnyObject>,
    status: Option<AnyObject>,
}

/// The fields that every object has, and those of `T`. The description is that of `T`.
#[derive(JsonSchema)]
#[schemars(description = "")]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
struct Object<T> {
    api_version: Option<String>,
    kind: Option<String>,
    metadata: Option<Metadata>,
    #[serde(flatten)]
    kind_fields: T,
}

/// Without fields: the API server validates metadata by its own schema.
#[derive(JsonSchema)]
#[schemars(description = "")]
struct Metadata {}

/// The schema of an object with the fields of `T`, as the API server accepts it.
///
/// 1. It is structural: no references, and no types inside `anyOf`, `oneOf` or `allOf`.
/// 2. An `Option` is a field that can be absent. It is not nullable.
/// 3. A list is atomic unless its field has another `x-kubernetes-list-type`.
pub fn schema_of<T: JsonSchema>() -> JSONSchemaProps {
    serde_json::from_value(structural::<Object<T>>().to_value()).expect("a structural schema is an OpenAPI schema")
}

fn structural<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::openapi3().with(|it| {
        it.inline_subschemas = true;
        it.meta_schema = None;
    });
    let generator = settings
        .with_transform(StructuralSchemaRewriter)
        .with_transform(OptionalEnum)
        .with_transform(RecursiveTransform(remove_null))
        .with_transform(RecursiveTransform(make_atomic))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.remove("title");
    schema
}

/// schemars makes every `Option` nullable. The API server must keep rejecting null.
fn remove_null(schema: &mut Schema) {
    schema.remove("nullable");
    if let Some(values) = schema.get_mut("enum").and_then(|it| it.as_array_mut()) {
        values.retain(|it| !it.is_null());
    }
}

fn make_atomic(schema: &mut Schema) {
    const LIST_TYPE: &str = "x-kubernetes-list-type";
    if schema.get("type").is_some_and(|it| it == "array") && schema.get(LIST_TYPE).is_none() {
        schema.insert(LIST_TYPE.to_owned(), "atomic".into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The price of the ticket.
    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Fare {
        /// For children.
        Reduced,
        Full,
    }

    /// A ticket.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Ticket {
        fare: Option<Fare>,
        /// The fare of the way back.
        return_fare: Fare,
        #[schemars(extend("x-kubernetes-list-type" = "set"))]
        names: Option<Vec<String>>,
        lists: Vec<Vec<AnyObject>>,
        anything: Option<Anything>,
    }

    #[test]
    fn an_option_can_be_absent_and_a_list_is_atomic() {
        let any_object = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let want = json!({
            "description": "A ticket.",
            "type": "object",
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "metadata": {"type": "object"},
                "fare": {"description": "The price of the ticket.", "type": "string", "enum": ["full", "reduced"]},
                "return_fare": {
                    "description": "The fare of the way back.",
                    "type": "string",
                    "enum": ["full", "reduced"],
                },
                "names": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "lists": {
                    "type": "array",
                    "items": {"type": "array", "items": any_object, "x-kubernetes-list-type": "atomic"},
                    "x-kubernetes-list-type": "atomic",
                },
                "anything": {"x-kubernetes-preserve-unknown-fields": true},
            },
            "required": ["lists", "return_fare"],
        });
        assert_eq!(structural::<Object<Ticket>>().to_value(), want);
        assert_eq!(serde_json::to_value(schema_of::<Ticket>()).unwrap(), want, "k8s-openapi drops no keyword");
    }
}
