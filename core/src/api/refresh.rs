//! `refresh`: which workloads restart for a renewed secret.

use serde::{Deserialize, Serialize};

use super::Op;
use super::patch::OperationAnswer;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::refresh::{Renewal, Restart, Skip, refresh};
use crate::object::identity::ObjectName;
use crate::object::redacted::Visibility;
use crate::object::timestamp::Timestamp;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Finds the workloads that must restart because the secret of a certificate was renewed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refresh {
    /// The live secret. Its contents are not read.
    pub secret: Value,
    /// The workloads that may use it.
    pub workloads: Vec<Value>,
    /// The time, in RFC 3339.
    pub now: Text,
    /// `compat`: the answer of the cert-manager deployment operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// The workloads that restart and those that do not, both sorted by kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshAnswer {
    pub patches: Vec<RefreshPatch>,
    pub skipped: Vec<RefreshSkip>,
}

/// One workload and the patch that restarts it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshPatch {
    /// Operations of RFC 6902. The label `…/time-restarted` is the time in UTC, written as `2026-01-31T09-30-00Z`.
    pub patch: Vec<OperationAnswer>,
    pub reason: RefreshReason,
    pub target: RefreshTarget,
}

/// One workload that does not restart.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshSkip {
    pub reason: SkipReason,
    pub target: RefreshTarget,
}

/// A workload.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshTarget {
    pub kind: Text,
    pub name: Text,
    pub namespace: Text,
}

/// Why a workload restarts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshReason {
    /// `secret-renewed`.
    pub code: Text,
    /// The version that the workload recorded; left out when it recorded none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Text>,
    /// The name of the secret.
    pub secret: Text,
    pub text: String,
    /// The places of the workload that use the secret, as JSON pointers.
    pub uses: Vec<String>,
    /// The version of the secret.
    pub version: Text,
}

/// Why a workload does not restart.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkipReason {
    /// The stable name of the reason.
    pub code: Text,
    pub text: Text,
}

impl Op for Refresh {
    const NAME: &'static str = "refresh";
    type Answer = RefreshAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<RefreshAnswer, Error> {
        let now = Timestamp::parse(&self.now).map_err(|wrong| {
            Error::new(Code::BadTime, format!("`{}` is not a time in RFC 3339: {wrong}", self.now)).at(["now"])
        })?;
        let refreshed = refresh(&self.secret, &self.workloads, now, self.mode.unwrap_or_default(), out)?;
        Ok(RefreshAnswer {
            patches: refreshed.restarts.into_iter().map(RefreshPatch::from).collect(),
            skipped: refreshed.skipped.into_iter().map(RefreshSkip::from).collect(),
        })
    }
}

impl From<Restart> for RefreshPatch {
    fn from(Restart { target, operations, renewal }: Restart) -> RefreshPatch {
        let reason = RefreshReason {
            code: Renewal::CODE.as_str().into(),
            text: renewal.text(),
            secret: renewal.secret,
            version: renewal.version,
            recorded: renewal.recorded,
            uses: renewal.uses.iter().map(ToString::to_string).collect(),
        };
        let patch = OperationAnswer::list(operations, Visibility::Redacted(&[]));
        RefreshPatch { target: target.into(), patch, reason }
    }
}

impl From<(ObjectName, Skip)> for RefreshSkip {
    fn from((target, skip): (ObjectName, Skip)) -> RefreshSkip {
        RefreshSkip {
            target: target.into(),
            reason: SkipReason { code: skip.code().as_str().into(), text: skip.text().into() },
        }
    }
}

impl From<ObjectName> for RefreshTarget {
    fn from(ObjectName { kind, namespace, name }: ObjectName) -> RefreshTarget {
        RefreshTarget { kind, namespace, name }
    }
}
