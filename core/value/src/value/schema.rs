//! The JSON Schema of values, for derived requests and answers.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::collections::SortedMap;
use super::path::Pointer;
use super::{Map, MaybeAbsent, OneOrMany, Text, Value};

/// Types that are written into the schema of the field, without a definition of their own.
macro_rules! inline {
    ($($type:ty [$($parameter:ident)?]: $schema:expr;)*) => {
        $(impl $(<$parameter: JsonSchema>)? JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        })*
    };
}

inline! {
    Value []: |_| Schema::default();
    Map []: |_| json_schema!({ "type": "object" });
    Text []: |_| json_schema!({ "type": "string" });
    Pointer []: |_| json_schema!({ "type": "string" });
    MaybeAbsent<T> [T]: |generator| generator.subschema_for::<T>();
    OneOrMany<T> [T]: |generator| {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), generator.subschema_for::<Vec<T>>()] })
    };
    SortedMap<Text, T> [T]: |generator| {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
    };
}
