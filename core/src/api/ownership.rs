//! `adopt` and `release`: shared ownership.

use super::Operation;
use super::matching::DifferenceAnswer;
use super::patch::OperationAnswer;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::ownership::{Owner, adopt, release};
use crate::record;
use crate::value::{Text, Value};

record! {
    request
    /// Makes an owner one of the owners of an object.
    pub struct Adopt {
        owner "owner": OwnerInput,
        /// The object as the owner needs it.
        desired "desired": Value,
        /// The object as the cluster has it, or null when it was looked for and not found.
        live "live": Value,
        /// `compat`: an owner that Kubernetes does not allow is refused instead of recorded as a claim.
        mode "mode": Option<Mode>,
    }
}

record! {
    request
    /// Drops an owner from the owners of an object.
    pub struct Release {
        owner "owner": OwnerInput,
        /// The object as the cluster has it.
        live "live": Value,
    }
}

record! {
    request
    /// Who needs an object.
    pub struct OwnerInput {
        api_version "apiVersion": Text,
        kind "kind": Text,
        name "name": Text,
        uid "uid": Text,
        /// Of a namespaced owner.
        namespace "namespace": Option<Text>,
        /// Whether it asks to be the object's controller.
        controller "controller": Option<bool>,
    }
}

record! {
    answer
    /// What adopting means.
    pub struct AdoptAnswer {
        /// `create`, `append-owner`, `none` (it is an owner already) or `fatal` (the live object differs).
        action "action": &'static str,
        /// The object as it should be; left out when adopting is refused.
        object "object": Option<Value>,
        /// The operations on the live object.
        patch "patch": Vec<OperationAnswer>,
        /// Why adopting is refused.
        differences "differences": Vec<DifferenceAnswer>,
    }
}

record! {
    answer
    /// What letting go means.
    pub struct ReleaseAnswer {
        /// `delete` (the last owner of a marked object), `remove-owner` or `none` (it is no owner).
        action "action": &'static str,
        /// The operations on the live object.
        patch "patch": Vec<OperationAnswer>,
    }
}

impl Operation for Adopt {
    const NAME: &'static str = "adopt";
    type Answer = AdoptAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<AdoptAnswer, Error> {
        let live = Some(&self.live).filter(|it| !it.is_null());
        let adoption = adopt(&self.owner.into(), &self.desired, live, self.mode.unwrap_or_default(), out)?;
        Ok(AdoptAnswer {
            action: adoption.action.as_str(),
            object: adoption.object,
            patch: OperationAnswer::list(adoption.patch, &[&self.live]),
            differences: DifferenceAnswer::list(adoption.differences, &[&self.desired, &self.live]),
        })
    }
}

impl Operation for Release {
    const NAME: &'static str = "release";
    type Answer = ReleaseAnswer;

    fn answer(self, _: &mut Vec<Diagnostic>) -> Result<ReleaseAnswer, Error> {
        let released = release(&self.owner.into(), &self.live)?;
        Ok(ReleaseAnswer {
            action: released.action.as_str(),
            patch: OperationAnswer::list(released.patch, &[&self.live]),
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
