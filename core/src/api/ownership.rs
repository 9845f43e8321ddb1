//! `adopt` and `release`: shared ownership.

use serde::{Deserialize, Serialize};

use super::Op;
use super::matching::DifferenceAnswer;
use super::patch::OperationAnswer;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::ownership::{Owner, adopt, release};
use crate::object::redacted::{Redacted, Visibility};
use crate::value::MaybeAbsent;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Makes an owner one of the owners of an object.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Adopt {
    pub owner: OwnerInput,
    /// The object that the owner needs.
    pub desired: Value,
    /// The live object, or null if it was read and not found.
    pub live: Value,
    /// `compat`: refuses an owner that Kubernetes does not allow, instead of recording a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// Drops an owner from the owners of an object.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Release {
    pub owner: OwnerInput,
    /// The live object.
    pub live: Value,
}

/// The owner of an object.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OwnerInput {
    pub api_version: Text,
    pub kind: Text,
    pub name: Text,
    pub uid: Text,
    /// Of a namespaced owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    /// Whether it is the object's controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
}

/// The result of adopting.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdoptAnswer {
    /// `create`, `append-owner`, `none` (it is an owner already) or `fatal` (the live object differs).
    pub action: Text,
    /// Why adopting is refused.
    pub differences: Vec<DifferenceAnswer>,
    /// The desired object; left out if adopting is refused.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub object: MaybeAbsent<Redacted>,
    /// The operations on the live object.
    pub patch: Vec<OperationAnswer>,
}

/// The result of releasing.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseAnswer {
    /// `delete` (the last owner of a marked object), `remove-owner` or `none` (it is not an owner).
    pub action: Text,
    /// The operations on the live object.
    pub patch: Vec<OperationAnswer>,
}

impl Op for Adopt {
    const NAME: &'static str = "adopt";
    type Answer = AdoptAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<AdoptAnswer, Error> {
        let live = Some(&self.live).filter(|it| !it.is_null());
        let adoption = adopt(&self.owner.into(), &self.desired, live, self.mode.unwrap_or_default(), out)?;
        Ok(AdoptAnswer {
            action: adoption.action.as_str().into(),
            object: adoption.object.map(Redacted::from).into(),
            patch: OperationAnswer::list(adoption.patch, Visibility::Redacted(&[&self.live])),
            differences: DifferenceAnswer::list(
                adoption.differences,
                Visibility::Redacted(&[&self.desired, &self.live]),
            ),
        })
    }
}

impl Op for Release {
    const NAME: &'static str = "release";
    type Answer = ReleaseAnswer;

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<ReleaseAnswer, Error> {
        let released = release(&self.owner.into(), &self.live)?;
        Ok(ReleaseAnswer {
            action: released.action.as_str().into(),
            patch: OperationAnswer::list(released.patch, Visibility::Redacted(&[&self.live])),
        })
    }
}

impl From<OwnerInput> for Owner {
    fn from(input: OwnerInput) -> Owner {
        Owner {
            api_version: input.api_version,
            kind: input.kind,
            name: input.name,
            uid: input.uid,
            namespace: input.namespace.filter(|it| !it.is_empty()),
            controller: input.controller.unwrap_or(false),
        }
    }
}
