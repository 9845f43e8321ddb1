//! Scores: which of the matching clusters come first.

use super::read::{Part, PlacementErrors, bad, each, int, map, report_unknown_fields, text, unknown_value};
use super::{Candidate, Question, Spec};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::matching::Quantity;
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Text, Value};

/// Every score is between this and its negative.
const MOST: i64 = 100;

/// What clusters are scored by, and how much that counts.
#[derive(Clone, Debug)]
pub struct Prioritizer {
    score: Score,
    weight: i64,
}

#[derive(Clone, Debug, PartialEq)]
enum Score {
    /// Clusters that fewer placements use come first.
    Balance,
    /// Clusters that were chosen before come first.
    Steady,
    /// Clusters with more of a resource to give come first.
    Allocatable { built_in: &'static str, resource: &'static str },
    /// An add-on's own score.
    AddOn { resource: Text, score: Text },
}

const BUILT_IN: &[(&str, Score)] = &[
    ("Balance", Score::Balance),
    ("Steady", Score::Steady),
    ("ResourceAllocatableCPU", Score::Allocatable { built_in: "ResourceAllocatableCPU", resource: "cpu" }),
    ("ResourceAllocatableMemory", Score::Allocatable { built_in: "ResourceAllocatableMemory", resource: "memory" }),
];

impl Score {
    fn name(&self) -> String {
        match self {
            Score::Balance => "Balance".into(),
            Score::Steady => "Steady".into(),
            Score::Allocatable { built_in, .. } => (*built_in).into(),
            Score::AddOn { resource, score } => format!("AddOn/{resource}/{score}"),
        }
    }
}

/// Reads the policy: the defaults that are not listed, then the listed prioritizers. The last of two entries for one
/// score wins, and weight 0 turns a score off.
pub fn read_prioritizers(
    raw: Option<&Value>,
    mode: Mode,
    at: &JsonPath,
    errors: &mut PlacementErrors,
    out: &mut Vec<Diagnostic>,
) -> Vec<Prioritizer> {
    let mut found = Vec::new();
    let Some(raw) = errors.take(Part::Document, map(raw, at)) else { return found };
    report_unknown_fields(raw, &["mode", "configurations"], at, mode, errors, out);
    match errors.take(Part::Priorities, policy(raw, at)) {
        Some(true) => {}
        _ => found.extend([Score::Balance, Score::Steady].map(|score| Prioritizer { score, weight: 1 })),
    }
    let listed = each(raw, "configurations", at, Part::Priorities, errors, |raw, at, errors| {
        report_unknown_fields(raw, &["scoreCoordinate", "weight"], at, mode, errors, out);
        errors.take(Part::Priorities, prioritizer(raw, at)).flatten()
    });
    for prioritizer in listed {
        // OCM identifies the scores of add-ons by their index, so a score that is named twice counts twice.
        let apart = mode == Mode::Compat && matches!(prioritizer.score, Score::AddOn { .. });
        found.retain(|it| apart || it.score != prioritizer.score);
        found.push(prioritizer);
    }
    found.retain(|it| it.weight != 0);
    found
}

/// Whether none but the listed scores count.
fn policy(raw: &Value, at: &JsonPath) -> Result<bool, Error> {
    match text(raw, "mode", at)? {
        "Exact" => Ok(true),
        "" | "Additive" => Ok(false),
        other => {
            let hint = suggest(other, &["Additive", "Exact"], "one of");
            Err(bad(format!("`{other}` is not a mode of a prioritizer policy")).at(at.key("mode")).hint(hint))
        }
    }
}

/// One entry; nothing where it is turned off and so need not name a score that there is.
fn prioritizer(raw: &Value, at: &JsonPath) -> Result<Option<Prioritizer>, Error> {
    let raw = map(Some(raw), at)?;
    let weight = int(raw, "weight", at)?.unwrap_or(1);
    if !(-10..=10).contains(&weight) {
        return Err(unknown_value(format!("the weight {weight} is not between -10 and 10")).at(at.key("weight")));
    }
    let at = &at.key("scoreCoordinate");
    let coordinate = map(raw.get("scoreCoordinate"), at)?;
    if coordinate.is_null() {
        return Err(bad("the score has no `scoreCoordinate`").at(at));
    }
    match score(coordinate, at) {
        Ok(score) => Ok(Some(Prioritizer { score, weight })),
        Err(error) if error.code == Code::BadPlacement && weight == 0 => Ok(None),
        Err(error) => Err(error),
    }
}

fn score(raw: &Value, at: &JsonPath) -> Result<Score, Error> {
    match text(raw, "type", at)? {
        "" | "BuiltIn" => {
            let name = text(raw, "builtIn", at)?;
            let found = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, score)| score.clone());
            found.ok_or_else(|| {
                let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                let hint = suggest(name, &known, "one of");
                bad(format!("`{name}` is not a built-in score")).at(at.key("builtIn")).hint(hint)
            })
        }
        "AddOn" => {
            let at = &at.key("addOn");
            let add_on = map(raw.get("addOn"), at)?;
            if add_on.is_null() {
                return Err(bad("a score of the type `AddOn` names no add-on").at(at));
            }
            let field = |name: &'static str| match text(add_on, name, at)? {
                "" => {
                    Err(Error::new(Code::MissingField, format!("the add-on's score has no `{name}`")).at(at.key(name)))
                }
                text => Ok(Text::from(text)),
            };
            Ok(Score::AddOn { resource: field("resourceName")?, score: field("scoreName")? })
        }
        other => {
            let hint = suggest(other, &["BuiltIn", "AddOn"], "one of");
            Err(unknown_value(format!("`{other}` is not a type of score")).at(at.key("type")).hint(hint))
        }
    }
}

/// Scores every candidate, as the weighted sum of what counts.
pub fn score_all(spec: &Spec, question: &Question, candidates: &mut [Candidate], out: &mut Vec<Diagnostic>) {
    let mut add_ons: SortedMap<&str, Vec<&Value>> = SortedMap::new();
    for document in question.scores {
        add_ons.entry(document.text_at(&["metadata", "namespace"])).or_default().push(document);
    }
    let most_used = question.used.values().copied().max().unwrap_or_default();
    for Prioritizer { score, weight } in &spec.prioritizers {
        let amounts: Vec<Option<f64>> = match score {
            Score::Allocatable { resource, .. } => candidates.iter().map(|it| allocatable(it, resource)).collect(),
            _ => vec![None; candidates.len()],
        };
        let range = range(&amounts);
        let mut expired = Vec::new();
        for (candidate, amount) in candidates.iter_mut().zip(amounts) {
            let points = match score {
                Score::Balance => balance(question.used.get(candidate.name).copied().unwrap_or_default(), most_used),
                Score::Steady => MOST * i64::from(candidate.was_chosen),
                Score::Allocatable { .. } => share(amount, range),
                Score::AddOn { resource, score } => {
                    let documents = add_ons.get(candidate.name).map_or(&[][..], Vec::as_slice);
                    add_on(documents, resource, score, question.now).unwrap_or_else(|| {
                        expired.push(candidate.name);
                        0
                    })
                }
            };
            candidate.score = candidate.score.saturating_add(points.saturating_mul(*weight));
            if candidate.explanation.is_some() {
                candidate.scores.push(format!("{} {weight} × {points}", score.name()));
            }
        }
        report_expired(score, &expired, out);
    }
}

/// 100 for a cluster that no other placement uses, else from 100 down to -100 for the most used one.
fn balance(used: u32, most_used: u32) -> i64 {
    if used == 0 {
        return MOST;
    }
    let usage = f64::from(used) / f64::from(most_used);
    ((MOST as f64 * (0.5 - usage)) as i64).saturating_mul(2)
}

/// The allocatable amount of a cluster. OCM ignores it without the capacity beside it.
fn allocatable(candidate: &Candidate, resource: &str) -> Option<f64> {
    let read = |field: &str| Quantity::read(candidate.document.at(&["status", field, resource])?);
    read("allocatable").filter(|_| read("capacity").is_some())?.approximate()
}

/// The least and the most of all amounts.
fn range(amounts: &[Option<f64>]) -> Option<(f64, f64)> {
    amounts.iter().flatten().fold(None, |range, amount| {
        let (least, most) = range.unwrap_or((*amount, *amount));
        Some((amount.min(least), amount.max(most)))
    })
}

/// From -100 for the least to 100 for the most; 100 for all if all are equal, and 0 for an unknown amount.
fn share(amount: Option<f64>, range: Option<(f64, f64)>) -> i64 {
    let Some((amount, (least, most))) = amount.zip(range) else { return 0 };
    if most - least == 0.0 {
        return MOST;
    }
    (((amount - least) / (most - least) - 0.5) * 2.0 * MOST as f64) as i64
}

/// The score that an add-on gives the cluster whose namespace it is in; 0 where it gives none, and nothing where it is
/// no longer valid.
fn add_on(documents: &[&Value], resource: &str, score: &str, now: Option<Timestamp>) -> Option<i64> {
    let Some(document) = documents.iter().find(|it| it.text_at(&["metadata", "name"]) == resource) else {
        return Some(0);
    };
    let until = Timestamp::parse(document.text_at(&["status", "validUntil"])).ok();
    if now.zip(until).is_some_and(|(now, until)| now.seconds() > until.seconds()) {
        return None;
    }
    let scores = document.at(&["status", "scores"]).and_then(Value::as_list).map_or(&[][..], Vec::as_slice);
    let found = scores.iter().rev().find(|it| it.text_at(&["name"]) == score);
    Some(found.and_then(|it| it.get("value")?.as_int()).unwrap_or_default())
}

fn report_expired(score: &Score, expired: &[&str], out: &mut Vec<Diagnostic>) {
    let Some(first) = expired.first() else { return };
    let (name, count) = (score.name(), expired.len());
    let message =
        format!("the scores `{name}` of {count} clusters, `{first}` first, are no longer valid and count as 0");
    out.push(Diagnostic::warning(Code::ExpiredScore, message).at(Pointer::of(["spec", "prioritizerPolicy"])));
}
