//! `mold`: flags against a version's mold.

use super::Operation;
use super::record::{Shape, Shaped};
use crate::diagnostic::Mode;
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::flags;
use crate::engine::flags::Flags;
use crate::record;
use crate::value::JsonPath;
use crate::value::{Map, Text, Value};

record! {
    request
    /// Lays flags over a container's arguments, and checks them against what the component has in this version.
    pub struct Mold {
        /// `controller`, `webhook` or `cainjector`.
        component "component": Text,
        /// A release such as `v1.3.0`; the latest when left out.
        version "version": Option<Text>,
        /// Values by flag name without dashes, or arguments `--name=value`.
        flags "flags": Flags,
        /// The arguments that the flags are laid over.
        base "base": Option<Vec<Text>>,
        /// `compat`: the answer of the operators, which check nothing.
        mode "mode": Option<Mode>,
    }
}

impl Decode for Flags {
    fn decode(value: Value, at: &JsonPath) -> Result<Flags, Error> {
        match value {
            Value::Map(_) => Map::decode(value, at).map(Flags::Named),
            Value::List(_) => Vec::decode(value, at).map(Flags::Arguments),
            other => Err(at.wrong_type("a map or a list", &other)),
        }
    }
}

impl Shaped for Flags {
    const SHAPE: Shape = Shape::Either(&[Map::SHAPE, Vec::<Text>::SHAPE]);
}

record! {
    answer
    /// What the component is started with.
    pub struct MoldAnswer {
        /// One `--name=value` for each flag, sorted by name.
        args "args": Vec<String>,
    }
}

impl Operation for Mold {
    const NAME: &'static str = "mold";
    type Answer = MoldAnswer;

    fn answer(self, _: &mut Vec<Diagnostic>) -> Result<MoldAnswer, Error> {
        let (version, base) = (self.version.as_deref(), self.base.unwrap_or_default());
        let args = flags::mold(&self.component, version, &self.flags, &base, self.mode.unwrap_or_default())?;
        Ok(MoldAnswer { args })
    }
}
