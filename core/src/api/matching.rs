//! `match`: whether the desired object is a subset of the live one, and the update if not.

use serde::{Deserialize, Serialize};

use super::Op;
use super::patch::OperationAnswer;
use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::matching::{self, Difference, DifferenceKind, Update};
use crate::object::identity::same_object;
use crate::object::redacted::{Redacted, Visibility};
use crate::value::MaybeAbsent;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Compares a desired object with a live one.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// The desired object.
    pub desired: Value,
    /// The live object.
    pub live: Value,
    /// `byKind`: only the differences that count for the kind, with the update for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// `compat`: the answer of `dialect`. `threeWay`: also what was removed since `lastApplied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<MatchMode>,
    /// In compat mode, which upstream: `certmanager` (the default) or `kubefed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Upstream>,
    /// The last applied object; required for `threeWay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_applied: Option<Value>,
    /// The version that KubeFed recorded, such as `gen:3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Text>,
}

choice! {
    /// Which differences count.
    #[derive(Default)]
    pub enum Policy {
        #[default]
        ByKind = "byKind",
    }
}

choice! {
    /// How to compare.
    #[derive(Default)]
    pub enum MatchMode {
        #[default]
        Strict = "strict",
        Compat = "compat",
        ThreeWay = "threeWay",
    }
}

/// Whether live contains desired, and where it does not.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchAnswer {
    /// In the order of the desired object.
    pub differences: Vec<DifferenceAnswer>,
    /// By kind: the differences that no update can remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<Vec<DifferenceAnswer>>,
    pub matches: bool,
    /// By kind: the update as operations on the live object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Vec<OperationAnswer>>,
    /// By kind: the complete object to send, or null.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub update: MaybeAbsent<Option<Redacted>>,
}

/// A place where live does not contain desired.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceAnswer {
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub desired: MaybeAbsent<Redacted>,
    /// `changed`, `missing`, `order`, `extra` or `immutable`.
    pub kind: Text,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub live: MaybeAbsent<Redacted>,
    /// The place in the desired object; for `extra`, in the live one.
    pub path: String,
}

impl Op for Match {
    const NAME: &'static str = "match";
    type Answer = MatchAnswer;

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<MatchAnswer, Error> {
        let mode = self.mode.unwrap_or_default();
        let last = match (mode, &self.last_applied) {
            (MatchMode::ThreeWay, None) => {
                let message = "comparing three ways needs `lastApplied`, what was applied last";
                return Err(Error::new(Code::MissingLastApplied, message).at(["lastApplied"]));
            }
            (MatchMode::ThreeWay, last) => last.as_ref(),
            _ => None,
        };
        let compat = mode == MatchMode::Compat;
        let objects = [&self.desired, &self.live];
        let visibility = Visibility::Redacted(&objects);
        if self.policy.is_some() {
            if self.live.is_null() {
                let message = "there is no live object to update";
                return Err(Error::new(Code::WrongType, message)
                    .at(["live"])
                    .hint("what is absent is created as desired"));
            }
            same_object(&self.desired, &self.live)?;
            let mode = if compat { Mode::Compat } else { Mode::Strict };
            return Ok(by_kind(matching::update(&self.desired, &self.live, last, mode)?, visibility));
        }
        let differences = match (compat, self.dialect.unwrap_or(Upstream::Certmanager)) {
            (false, _) => matching::differences(&self.desired, &self.live, last),
            (true, Upstream::Certmanager) => matching::matches_operator(&self.desired, &self.live)?,
            (true, Upstream::Kubefed) => {
                matching::matches_kubefed(&self.desired, &self.live, self.recorded.as_deref().unwrap_or_default())
            }
            (true, other) => {
                let message = format!("`{}` has no comparison of its own", other.as_str());
                return Err(Error::new(Code::WrongDialect, message).at(["dialect"]).hint("certmanager or kubefed"));
            }
        };
        Ok(MatchAnswer {
            matches: differences.is_empty(),
            differences: DifferenceAnswer::list(differences, visibility),
            update: MaybeAbsent(None),
            patch: None,
            immutable: None,
        })
    }
}

fn by_kind(update: Update, visibility: Visibility) -> MatchAnswer {
    let immutable = update.differences.iter().filter(|it| it.kind == DifferenceKind::Immutable);
    MatchAnswer {
        matches: update.differences.is_empty(),
        immutable: Some(DifferenceAnswer::list(immutable.cloned().collect(), visibility)),
        differences: DifferenceAnswer::list(update.differences, visibility),
        update: MaybeAbsent(Some(update.object.map(Redacted::from))),
        patch: Some(OperationAnswer::list(update.patch, visibility)),
    }
}

impl DifferenceAnswer {
    /// The differences of objects. The contents of Secrets are redacted; that they differ is shown.
    pub fn list(differences: Vec<Difference>, visibility: Visibility) -> Vec<DifferenceAnswer> {
        let answer = |it: Difference| DifferenceAnswer {
            desired: it.desired.map(|value| visibility.show(value, &it.path)).into(),
            kind: it.kind.as_str().into(),
            live: it.live.map(|value| visibility.show(value, &it.path)).into(),
            path: it.path.to_string(),
        };
        differences.into_iter().map(answer).collect()
    }
}
