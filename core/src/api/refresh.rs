//! `refresh`: which workloads restart for a renewed secret.

use super::Operation;
use super::patch::OperationAnswer;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::refresh::{Renewal, Restart, Skip, refresh};
use crate::object::identity::ObjectName;
use crate::object::timestamp::Timestamp;
use crate::record;
use crate::value::{Text, Value};

record! {
    request
    /// Which workloads must restart because the secret of a certificate was renewed.
    pub struct Refresh {
        /// The secret as the cluster has it. Its contents are not looked at.
        secret "secret": Value,
        /// The workloads that may use it.
        workloads "workloads": Vec<Value>,
        /// The time, in RFC 3339.
        now "now": Text,
        /// `compat`: the answer of the cert-manager deployment operator.
        mode "mode": Option<Mode>,
    }
}

record! {
    answer
    /// What restarts and what does not, both sorted by kind, namespace and name.
    pub struct RefreshAnswer {
        patches "patches": Vec<RefreshPatch>,
        skipped "skipped": Vec<RefreshSkip>,
    }
}

record! {
    answer
    /// One workload and the patch that restarts it.
    pub struct RefreshPatch {
        target "target": RefreshTarget,
        /// Operations of RFC 6902. The label `…/time-restarted` is the time in UTC, written as `2026-01-31T09-30-00Z`.
        patch "patch": Vec<OperationAnswer>,
        reason "reason": RefreshReason,
    }
}

record! {
    answer
    /// One workload that does not restart.
    pub struct RefreshSkip {
        target "target": RefreshTarget,
        reason "reason": SkipReason,
    }
}

record! {
    answer
    /// A workload.
    pub struct RefreshTarget {
        kind "kind": Text,
        namespace "namespace": Text,
        name "name": Text,
    }
}

record! {
    answer
    /// Why a workload restarts.
    pub struct RefreshReason {
        /// `secret-renewed`.
        code "code": &'static str,
        text "text": String,
        /// The name of the secret.
        secret "secret": Text,
        /// The version of the secret.
        version "version": Text,
        /// The version that the workload recorded; left out when it recorded none.
        recorded "recorded": Option<Text>,
        /// The places of the workload that take the secret, as JSON pointers.
        uses "uses": Vec<String>,
    }
}

record! {
    answer
    /// Why a workload does not restart.
    pub struct SkipReason {
        /// The stable name of the reason.
        code "code": &'static str,
        text "text": &'static str,
    }
}

impl Operation for Refresh {
    const NAME: &'static str = "refresh";
    type Answer = RefreshAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<RefreshAnswer, Error> {
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
            code: Renewal::CODE.as_str(),
            text: renewal.text(),
            secret: renewal.secret,
            version: renewal.version,
            recorded: renewal.recorded,
            uses: renewal.uses.iter().map(ToString::to_string).collect(),
        };
        let patch = operations.into_iter().map(|it| OperationAnswer::new(it, false)).collect();
        RefreshPatch { target: target.into(), patch, reason }
    }
}

impl From<(ObjectName, Skip)> for RefreshSkip {
    fn from((target, skip): (ObjectName, Skip)) -> RefreshSkip {
        RefreshSkip { target: target.into(), reason: SkipReason { code: skip.code().as_str(), text: skip.text() } }
    }
}

impl From<ObjectName> for RefreshTarget {
    fn from(ObjectName { kind, namespace, name }: ObjectName) -> RefreshTarget {
        RefreshTarget { kind, namespace, name }
    }
}
