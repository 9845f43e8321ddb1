//! Taints of clusters, and the tolerations of a Placement.

use std::fmt;

use super::read::{bad, int, map, text, unknown_value};
use super::why::record;
use super::{Candidate, Question, Spec};
use crate::diagnostic::Mode;
use crate::diagnostic::{Error, ReasonCode};
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Text, Value};

const PREFER_NO_SELECT: &str = "PreferNoSelect";
const NO_SELECT_IF_NEW: &str = "NoSelectIfNew";
const EFFECTS: &[&str] = &["", "NoSelect", PREFER_NO_SELECT, NO_SELECT_IF_NEW];

/// The empty operator means `Equal`.
const OPERATORS: &[&str] = &["", "Equal", "Exists"];

/// A toleration of a Placement.
#[derive(Debug)]
pub struct Toleration {
    /// Empty for every key.
    key: Text,
    operator: Text,
    value: Text,
    /// Empty for every effect.
    effect: Text,
    /// How long after a taint was added it is tolerated; `None` means forever.
    seconds: Option<i64>,
    at: Pointer,
}

impl Toleration {
    pub const FIELDS: &[&str] = &["key", "operator", "value", "effect", "tolerationSeconds"];

    /// Whether this is about the taint, for as long as it lasts.
    ///
    /// 1. The effects are equal, or the toleration has none.
    /// 2. The keys are equal, or the toleration has none.
    /// 3. `Equal`: the values are equal, the empty one with the empty one only. `Exists`: whatever the value.
    fn is_about(&self, taint: &Taint) -> bool {
        let effect = self.effect.is_empty() || self.effect == taint.effect;
        let key = self.key.is_empty() || self.key == taint.key;
        let value = match self.operator.as_str() {
            "" | "Equal" => self.value == taint.value,
            "Exists" => true,
            _ => false,
        };
        effect && key && value
    }
}

/// Reads a toleration.
///
/// # Errors
///
/// Without a key the operator is `Exists`, and `Exists` takes no value. In OCM any other operator matches nothing,
/// which hides the mistake: strict mode rejects it.
pub fn read_toleration(raw: &Value, mode: Mode, at: &JsonPath) -> Result<Toleration, Error> {
    let raw = map(Some(raw), at)?;
    let field = |name: &'static str| text(raw, name, at);
    let (key, operator, value, effect) = (field("key")?, field("operator")?, field("value")?, field("effect")?);
    if !EFFECTS.contains(&effect) {
        let hint = suggest(effect, EFFECTS.get(1..).unwrap_or_default(), "one of");
        return Err(unknown_value(format!("`{effect}` is not an effect of a taint")).at(at.key("effect")).hint(hint));
    }
    if !OPERATORS.contains(&operator) && mode == Mode::Strict {
        let hint = suggest(operator, OPERATORS.get(1..).unwrap_or_default(), "one of");
        return Err(bad(format!("`{operator}` is not an operator of a toleration")).at(at.key("operator")).hint(hint));
    }
    if key.is_empty() && operator != "Exists" {
        return Err(bad("a toleration without a key needs the operator `Exists`").at(at.key("key")));
    }
    if operator == "Exists" && !value.is_empty() {
        return Err(bad("a toleration with the operator `Exists` takes no value").at(at.key("value")));
    }
    let seconds = int(raw, "tolerationSeconds", at)?;
    let [key, operator, value, effect] = [key, operator, value, effect].map(Text::from);
    Ok(Toleration { key, operator, value, effect, seconds, at: at.pointer() })
}

/// A taint as its cluster has it.
struct Taint<'a> {
    key: &'a str,
    value: &'a str,
    effect: &'a str,
    added: Option<Timestamp>,
}

/// How long a toleration lasts.
#[derive(Clone, Copy)]
enum Lasts {
    ForEver,
    Until(Timestamp),
    /// It has expired; at this time, if known.
    Ended(Option<Timestamp>),
}

/// Whether the taints of a cluster let it be chosen, and until when at least one of them does so only for a time.
///
/// 1. `PreferNoSelect` excludes no cluster.
/// 2. `NoSelectIfNew` does not exclude a cluster that was chosen before.
/// 3. Otherwise some toleration must be about the taint, and not be over.
pub fn tolerates(spec: &Spec, question: &Question, candidate: &mut Candidate) -> bool {
    let taints = candidate.document.at(&["spec", "taints"]).and_then(Value::as_list).map_or(&[][..], Vec::as_slice);
    taints.iter().all(|raw| {
        let taint = Taint {
            key: raw.text_at(&["key"]),
            value: raw.text_at(&["value"]),
            effect: raw.text_at(&["effect"]),
            added: Timestamp::parse(raw.text_at(&["timeAdded"])).ok(),
        };
        let spared = match taint.effect {
            PREFER_NO_SELECT => Some("keeps no cluster out"),
            NO_SELECT_IF_NEW if candidate.was_chosen => Some("keeps out no cluster that was chosen before"),
            _ => None,
        };
        match spared {
            Some(why) => {
                record(&mut candidate.explanation, ReasonCode::TaintTolerated, true, None, || {
                    format!("the taint `{taint}` {why}")
                });
                true
            }
            None => is_tolerated(&taint, spec, question, candidate),
        }
    })
}

fn is_tolerated(taint: &Taint, spec: &Spec, question: &Question, candidate: &mut Candidate) -> bool {
    let about = spec.tolerations.iter().filter(|it| it.is_about(taint));
    // The one that lasts longest decides: what ends earlier changes nothing.
    let longest = about.map(|it| (lasts(it, taint, question), it)).max_by_key(|(lasts, _)| match lasts {
        Lasts::ForEver => i64::MAX,
        Lasts::Until(end) => end.seconds(),
        Lasts::Ended(_) => i64::MIN,
    });
    if let Some((Lasts::Until(end), _)) = longest {
        candidate.until = Some(candidate.until.filter(|it| it.seconds() <= end.seconds()).unwrap_or(end));
    }
    let (code, holds) = match longest {
        None => (ReasonCode::TaintNotTolerated, false),
        Some((Lasts::Ended(_), _)) => (ReasonCode::TolerationEnded, false),
        Some(_) => (ReasonCode::TaintTolerated, true),
    };
    let at = longest.map(|(_, toleration)| &toleration.at);
    record(&mut candidate.explanation, code, holds, at, || match longest.map(|(lasts, _)| lasts) {
        None => format!("no toleration is about the taint `{taint}`"),
        Some(Lasts::ForEver) => format!("the taint `{taint}` is tolerated"),
        Some(Lasts::Until(end)) => {
            let unsure = if question.now.is_none() { ", if that is still to come" } else { "" };
            format!("the taint `{taint}` is tolerated until {end}{unsure}")
        }
        Some(Lasts::Ended(end)) => {
            let end = end.map(|end| format!(" since {end}")).unwrap_or_default();
            format!("the taint `{taint}` is no longer tolerated{end}")
        }
    });
    holds
}

/// The time runs from when the taint was added, whatever its effect. The hub stamps that time on every taint: a taint
/// without it has not been on a hub, and its time has not begun. OCM counts from the year 1, so there it has expired.
fn lasts(toleration: &Toleration, taint: &Taint, question: &Question) -> Lasts {
    let Some(seconds) = toleration.seconds else { return Lasts::ForEver };
    let Some(added) = taint.added else {
        let begins = question.mode == Mode::Strict && seconds > 0;
        return if begins { Lasts::ForEver } else { Lasts::Ended(None) };
    };
    match added.plus(seconds) {
        Some(end) if question.now.is_none_or(|now| now.seconds() < end.seconds()) => Lasts::Until(end),
        None if seconds > 0 => Lasts::ForEver,
        end => Lasts::Ended(end),
    }
}

impl fmt::Display for Taint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Taint { key, value, effect, .. } = self;
        if value.is_empty() { write!(f, "{key}:{effect}") } else { write!(f, "{key}={value}:{effect}") }
    }
}
