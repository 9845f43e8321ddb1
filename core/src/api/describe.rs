//! `describe`: the engine's version, ops and schema.

use serde::{Deserialize, Serialize};

use super::Op;
use super::op::names;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::json;
use crate::value::text::hex;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// The engine's version, ops and schema.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Describe {}

/// This engine.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Description {
    /// The version of the contract.
    pub contract: i64,
    /// A digest over the engine's source, which identifies the engine: a module cannot contain its own hash. It is the
    /// same in every build from the same source.
    pub digest: String,
    /// The names of all ops.
    pub ops: Vec<Text>,
    /// The JSON Schema of every request and answer.
    pub schema: Redacted,
    /// The version of the engine.
    pub version: Text,
}

impl Op for Describe {
    const NAME: &'static str = "describe";
    type Answer = Description;

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<Description, Error> {
        Ok(Description {
            version: Text::new_static(env!("CARGO_PKG_VERSION")),
            digest: engine_digest(),
            contract: 1,
            ops: names().into_iter().map(Text::new_static).collect(),
            schema: Redacted::revealing(schema()),
        })
    }
}

/// The JSON Schema of the contract. It is a file that `npm run types` generates from the types: deriving it in the
/// module would add the code of every type to it. A test compares the two.
pub fn schema() -> Value {
    json::parse(include_str!("contract.schema.json")).unwrap_or_default()
}

/// One digest over the source of every crate that is part of the engine.
fn engine_digest() -> String {
    const PARTS: [&str; 4] = [
        env!("FLEETFOLD_SOURCE_DIGEST"),
        fleetfold_cel::SOURCE_DIGEST,
        fleetfold_value::SOURCE_DIGEST,
        fleetfold_yaml::SOURCE_DIGEST,
    ];
    format!("sha256:{}", hex(&hmac_sha256::Hash::hash(PARTS.concat().as_bytes())))
}
