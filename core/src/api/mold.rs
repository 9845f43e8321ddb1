//! `mold`: checks flags against the flags of a component's version.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::flags;
use crate::engine::flags::Flags;
use crate::value::JsonPath;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Lays flags over a container's arguments, and checks them against what the component has in this version.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mold {
    /// `controller`, `webhook` or `cainjector`.
    pub component: Text,
    /// A release such as `v1.3.0`; the latest when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Text>,
    /// Values by flag name without dashes, or arguments `--name=value`.
    pub flags: Value,
    /// The arguments that the flags are laid over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<Text>>,
    /// `compat`: the arguments of the operators, which check nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// The arguments of the component.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MoldAnswer {
    /// One `--name=value` for each flag, sorted by name.
    pub args: Vec<String>,
}

impl Op for Mold {
    const NAME: &'static str = "mold";
    type Answer = MoldAnswer;

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<MoldAnswer, Error> {
        let (version, base) = (self.version.as_deref(), self.base.unwrap_or_default());
        let flags = flags_of(self.flags, &JsonPath::ROOT.key("flags"))?;
        let args = flags::arguments(&self.component, version, &flags, &base, self.mode.unwrap_or_default())?;
        Ok(MoldAnswer { args })
    }
}

fn flags_of(flags: Value, at: &JsonPath) -> Result<Flags, Error> {
    match flags {
        Value::Map(named) => Ok(Flags::Named(Arc::unwrap_or_clone(named))),
        Value::List(arguments) => {
            let texts = arguments.iter().enumerate().map(|(index, argument)| match argument {
                Value::Text(text) => Ok(text.clone()),
                other => Err(at.index(index).wrong_type("a string", other)),
            });
            texts.collect::<Result<_, _>>().map(Flags::Arguments)
        }
        other => Err(at.wrong_type("a map or a list", &other)),
    }
}
