//! `describe`: what this engine is and what it can be asked.

use super::{Operation, op_names, schema};
use crate::diagnostic::{Diagnostic, Error};
use crate::record;
use crate::value::Value;
use crate::value::text::hex;

record! {
    request
    /// What this engine is and what it can be asked.
    pub struct Describe {}
}

record! {
    answer
    /// This engine.
    pub struct Description {
        /// The version of the engine.
        version "version": &'static str,
        /// A digest over the engine's source. A module cannot hold its own hash, so this is what tells two engines
        /// apart; it is the same in every build from the same source.
        digest "digest": String,
        /// The version of the contract.
        contract "contract": i64,
        /// The names of all ops.
        ops "ops": Vec<&'static str>,
        /// The JSON Schema of every request and answer.
        schema "schema": Value,
    }
}

impl Operation for Describe {
    const NAME: &'static str = "describe";
    type Answer = Description;

    fn answer(self, _: &mut Vec<Diagnostic>) -> Result<Description, Error> {
        Ok(Description {
            version: env!("CARGO_PKG_VERSION"),
            digest: engine_digest(),
            contract: 1,
            ops: op_names(),
            schema: schema(),
        })
    }
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
