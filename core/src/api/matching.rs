//! `match`: is the desired object a subset of the live one, and what would the update be?

use super::Operation;
use super::null::Explicit;
use super::patch::OperationAnswer;
use super::record::OrNull;
use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::matching::{self, Difference, DifferenceKind, Update};
use crate::object::identity::same_object;
use crate::object::secrets;
use crate::record;
use crate::value::{Text, Value};

record! {
    request
    /// Compares a desired object with a live one.
    pub struct Match {
        /// The object as it should be.
        desired "desired": Value,
        /// The object as the cluster has it.
        live "live": Value,
        /// `byKind`: only what counts for the kind, and what would mend it.
        policy "policy": Option<Policy>,
        /// `compat`: the answer of `dialect`. `threeWay`: also what was removed since `lastApplied`.
        mode "mode": Option<MatchMode>,
        /// In compat mode, which original: `certmanager` (when left out) or `kubefed`.
        dialect "dialect": Option<Upstream>,
        /// What was applied last; `threeWay` needs it.
        last_applied "lastApplied": Option<Value>,
        /// The version that KubeFed recorded, such as `gen:3`.
        recorded "recorded": Option<Text>,
    }
}

choice! {
    /// What counts.
    pub enum Policy {
        #[default]
        ByKind = "byKind",
    }
}

choice! {
    /// How to compare.
    pub enum MatchMode {
        #[default]
        Strict = "strict",
        Compat = "compat",
        ThreeWay = "threeWay",
    }
}

record! {
    answer
    /// Whether live contains desired, and where it does not.
    pub struct MatchAnswer {
        matches "matches": bool,
        /// In the order of the desired object.
        differences "differences": Vec<DifferenceAnswer>,
        /// By kind: the whole object to send, or null.
        update "update": Option<OrNull<Value>>,
        /// By kind: the update as operations on the live object.
        patch "patch": Option<Vec<OperationAnswer>>,
        /// By kind: the differences that no update can mend.
        immutable "immutable": Option<Vec<DifferenceAnswer>>,
    }
}

record! {
    answer
    /// A place where live does not contain desired.
    pub struct DifferenceAnswer {
        /// `changed`, `missing`, `order`, `extra` or `immutable`.
        kind "kind": &'static str,
        /// The place in the desired object; of something extra, in the live one.
        path "path": String,
        desired "desired": Option<Explicit>,
        live "live": Option<Explicit>,
    }
}

impl Operation for Match {
    const NAME: &'static str = "match";
    type Answer = MatchAnswer;

    fn answer(self, _: &mut Vec<Diagnostic>) -> Result<MatchAnswer, Error> {
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
        if self.policy.is_some() {
            if self.live.is_null() {
                let message = "there is no live object to update";
                return Err(Error::new(Code::WrongType, message)
                    .at(["live"])
                    .hint("what is absent is created as desired"));
            }
            same_object(&self.desired, &self.live)?;
            let mode = if compat { Mode::Compat } else { Mode::Strict };
            return Ok(by_kind(matching::update(&self.desired, &self.live, last, mode)?, &objects));
        }
        let differences = match (compat, self.dialect.unwrap_or(Upstream::Certmanager)) {
            (false, _) => matching::differences(&self.desired, &self.live, last),
            (true, Upstream::Certmanager) => matching::matches_original(&self.desired, &self.live)?,
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
            differences: DifferenceAnswer::list(differences, &objects),
            update: None,
            patch: None,
            immutable: None,
        })
    }
}

fn by_kind(update: Update, objects: &[&Value]) -> MatchAnswer {
    let immutable = update.differences.iter().filter(|it| it.kind == DifferenceKind::Immutable);
    MatchAnswer {
        matches: update.differences.is_empty(),
        immutable: Some(DifferenceAnswer::list(immutable.cloned().collect(), objects)),
        differences: DifferenceAnswer::list(update.differences, objects),
        update: Some(OrNull(update.object)),
        patch: Some(OperationAnswer::list(update.patch, objects)),
    }
}

impl DifferenceAnswer {
    /// The differences of objects. What Secrets in them hold is not shown: that it differs is.
    pub fn list(differences: Vec<Difference>, objects: &[&Value]) -> Vec<DifferenceAnswer> {
        let answer = |it: Difference| {
            let hidden = secrets::is_hidden(objects, &it.path);
            let show = |value: Value| Explicit(if hidden { secrets::MASK.into() } else { value });
            DifferenceAnswer {
                kind: it.kind.as_str(),
                path: it.path.to_string(),
                desired: it.desired.map(show),
                live: it.live.map(show),
            }
        };
        differences.into_iter().map(answer).collect()
    }
}
