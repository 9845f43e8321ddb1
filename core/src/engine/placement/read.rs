//! The specification of a Placement, read from its document.
//!
//! Reports all errors, not only the first one: each has its place and the part of the decision that it stops.

use super::predicate::{Compile, Predicate, read_group, read_predicate};
use super::score::{Prioritizer, read_prioritizers};
use super::taint::{Toleration, read_toleration};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::labels::check_value;
use crate::value::JsonPath;
use crate::value::suggest::{close, suggest};
use crate::value::{Text, Value};

/// The parsed spec of a Placement, without the parts that could not be read.
#[derive(Debug, Default)]
pub struct Spec {
    /// The sets that are meant; none means all that are bound.
    pub cluster_sets: Vec<Text>,
    /// How many clusters are wanted; nothing means all that match.
    pub wanted: Option<u64>,
    pub predicates: Vec<Predicate>,
    pub tolerations: Vec<Toleration>,
    pub prioritizers: Vec<Prioritizer>,
    /// Nothing where it cannot be read.
    pub group_size: Option<GroupSize>,
    /// The declared groups, up to the first that cannot be read.
    pub groups: Vec<(Text, Predicate)>,
}

/// How many clusters go into one decision group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GroupSize {
    Count(i64),
    Percent(f64),
}

/// The parts of a decision, in the order in which they are taken. An error stops its part and those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The document itself: an API server rejects it, or OCM fails before it writes anything.
    Document,
    Predicates,
    Tolerations,
    Priorities,
    Groups,
}

#[derive(Debug)]
struct PlacementError {
    part: Part,
    error: Error,
}

/// What is wrong, in the order of reading.
#[derive(Debug, Default)]
pub struct PlacementErrors(Vec<PlacementError>);

impl PlacementErrors {
    /// The errors of one part, or of all.
    pub fn of(&self, part: Option<Part>) -> impl Iterator<Item = &Error> {
        self.0.iter().filter(move |problem| part.is_none_or(|part| problem.part == part)).map(|problem| &problem.error)
    }

    /// Returns the value, or records the error.
    pub fn take<T>(&mut self, part: Part, read: Result<T, Error>) -> Option<T> {
        read.map_err(|error| self.record(part, error)).ok()
    }

    /// A value or a field that the schema does not have never gets past an API server.
    fn record(&mut self, part: Part, error: Error) {
        let part = match error.code {
            Code::WrongType | Code::UnknownValue | Code::UnknownField | Code::MissingField => Part::Document,
            _ => part,
        };
        self.0.push(PlacementError { part, error });
    }
}

const SPEC: &[&str] = &[
    "clusterSets",
    "numberOfClusters",
    "predicates",
    "prioritizerPolicy",
    "spreadPolicy",
    "tolerations",
    "decisionStrategy",
    "sortBy",
    "scoreRateLimit",
];

/// Reads the `spec` of a Placement.
pub fn read(placement: &Value, mode: Mode, compile: &Compile, out: &mut Vec<Diagnostic>) -> (Spec, PlacementErrors) {
    let mut errors = PlacementErrors::default();
    let metadata = &JsonPath::ROOT.key("metadata");
    if let Err(error) = check_value(placement.text_at(&["metadata", "name"])) {
        let message = format!("decisions carry the name of their placement as a label: {}", error.message);
        errors.record(Part::Document, bad(message).at(metadata.key("name")));
    }
    let at = &JsonPath::ROOT.key("spec");
    let Some(raw) = errors.take(Part::Document, map(placement.get("spec"), at)) else {
        return (Spec::default(), errors);
    };
    report_unknown_fields(raw, SPEC, at, mode, &mut errors, out);
    report_ignored(raw, at, out);
    let cluster_sets = errors.take(Part::Document, names(raw.get("clusterSets"), &at.key("clusterSets")));
    let wanted = errors.take(Part::Document, wanted(raw, at)).flatten();
    let predicates = each(raw, "predicates", at, Part::Predicates, &mut errors, |raw, at, errors| {
        read_predicate(raw, at, compile, errors)
    });
    let tolerations = each(raw, "tolerations", at, Part::Tolerations, &mut errors, |raw, at, errors| {
        report_unknown_fields(raw, Toleration::FIELDS, at, mode, errors, out);
        errors.take(Part::Tolerations, read_toleration(raw, mode, at))
    });
    let prioritizers =
        read_prioritizers(raw.get("prioritizerPolicy"), mode, &at.key("prioritizerPolicy"), &mut errors, out);
    let mut spec = Spec {
        cluster_sets: cluster_sets.unwrap_or_default(),
        wanted,
        predicates,
        tolerations,
        prioritizers,
        ..Spec::default()
    };
    read_groups(raw, at, &mut spec, mode, &mut errors, out);
    (spec, errors)
}

fn read_groups(
    raw: &Value,
    at: &JsonPath,
    spec: &mut Spec,
    mode: Mode,
    errors: &mut PlacementErrors,
    out: &mut Vec<Diagnostic>,
) {
    let at = &at.key("decisionStrategy");
    let Some(raw) = errors.take(Part::Document, map(raw.get("decisionStrategy"), at)) else { return };
    report_unknown_fields(raw, &["groupStrategy"], at, mode, errors, out);
    let at = &at.key("groupStrategy");
    let Some(raw) = errors.take(Part::Document, map(raw.get("groupStrategy"), at)) else { return };
    report_unknown_fields(raw, &["clustersPerDecisionGroup", "decisionGroups"], at, mode, errors, out);
    spec.group_size = errors.take(Part::Groups, group_size(raw, at));
    let mut whole = true;
    let groups = each(raw, "decisionGroups", at, Part::Groups, errors, |raw, at, errors| {
        report_unknown_fields(raw, &["groupName", "groupClusterSelector"], at, mode, errors, out);
        let group = errors.take(Part::Groups, read_group(raw, at));
        whole &= group.is_some();
        group.filter(|_| whole)
    });
    spec.groups = groups;
}

fn wanted(raw: &Value, at: &JsonPath) -> Result<Option<u64>, Error> {
    let Some(wanted) = int(raw, "numberOfClusters", at)? else { return Ok(None) };
    let at = at.key("numberOfClusters");
    u64::try_from(wanted).map(Some).map_err(|_| bad("`numberOfClusters` is negative").at(at))
}

/// A number, or a percentage. A string must be a percentage: digits in quotes are rejected.
fn group_size(raw: &Value, at: &JsonPath) -> Result<GroupSize, Error> {
    let at = at.key("clustersPerDecisionGroup");
    let text = match raw.get("clustersPerDecisionGroup") {
        None | Some(Value::Null) => return Ok(GroupSize::Percent(100.0)),
        Some(Value::Text(text)) => text,
        Some(other) => {
            return other
                .as_int()
                .map(GroupSize::Count)
                .ok_or_else(|| at.wrong_type("an integer or a percentage", other));
        }
    };
    let number = text.strip_suffix('%').filter(|it| it.bytes().all(|byte| b"+-.0123456789".contains(&byte)));
    let percent = number.and_then(|it| it.parse().ok()).map(GroupSize::Percent);
    percent.ok_or_else(|| {
        bad(format!("`{text}` is not a percentage")).at(at).hint("write a number without quotes, or one like `25%`")
    })
}

/// What the API takes and no scheduler reads: who writes it should know.
fn report_ignored(raw: &Value, at: &JsonPath, out: &mut Vec<Diagnostic>) {
    let spread = raw.at(&["spreadPolicy", "spreadConstraints"]).is_some_and(|it| !it.is_empty());
    let sorted = !["", "ClusterName"].contains(&raw.text_at(&["sortBy"]));
    for (field, _) in [("spreadPolicy", spread), ("sortBy", sorted)].iter().filter(|(_, given)| *given) {
        let message = format!("nothing acts on `{field}`: clusters are taken by score, then by name");
        out.push(Diagnostic::warning(Code::IgnoredField, message).at(at.key(field).pointer()));
    }
}

/// Reports fields that a Placement does not have.
///
/// 1. A misspelled field is an error: without the field, the placement would choose other clusters than its author
///    meant.
/// 2. Any other one is a warning, because a later version of the API may have it.
/// 3. In compat mode all are warnings: an API server drops such a field, and OCM decides without it.
pub fn report_unknown_fields(
    raw: &Value,
    known: &[&str],
    at: &JsonPath,
    mode: Mode,
    errors: &mut PlacementErrors,
    out: &mut Vec<Diagnostic>,
) {
    let keys = raw.as_map().into_iter().flat_map(|map| map.keys());
    for key in keys.filter(|key| !known.contains(&key.as_str())) {
        let message = format!("a Placement has no field `{key}` here");
        match close(key, known.iter().copied()) {
            Some(meant) if mode == Mode::Strict => {
                let error = Error::new(Code::UnknownField, message).at(at.key(key));
                errors.record(Part::Document, error.hint(format!("did you mean `{meant}`?")));
            }
            _ => {
                let finding = Diagnostic::warning(Code::UnknownField, message).at(at.key(key).pointer());
                out.push(finding.hint(suggest(key, known, "known here")));
            }
        }
    }
}

/// Reads the elements of a list; those that cannot be read are left out.
pub fn each<T>(
    raw: &Value,
    field: &str,
    at: &JsonPath,
    part: Part,
    errors: &mut PlacementErrors,
    mut read: impl FnMut(&Value, &JsonPath, &mut PlacementErrors) -> Option<T>,
) -> Vec<T> {
    let at = &at.key(field);
    let items = errors.take(part, list(raw.get(field), at)).unwrap_or_default();
    let read = |(index, item)| read(item, &at.index(index), errors);
    items.iter().enumerate().filter_map(read).collect()
}

/// A map that may be left out.
pub fn map<'v>(value: Option<&'v Value>, at: &JsonPath) -> Result<&'v Value, Error> {
    match value {
        None => Ok(&Value::Null),
        Some(value @ (Value::Null | Value::Map(_))) => Ok(value),
        Some(other) => Err(at.wrong_type("a map", other)),
    }
}

fn list<'v>(value: Option<&'v Value>, at: &JsonPath) -> Result<&'v [Value], Error> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::List(items)) => Ok(items),
        Some(other) => Err(at.wrong_type("a list", other)),
    }
}

pub fn names(value: Option<&Value>, at: &JsonPath) -> Result<Vec<Text>, Error> {
    let name = |(index, item): (usize, &Value)| match item {
        Value::Text(name) => Ok(name.clone()),
        other => Err(at.index(index).wrong_type("a string", other)),
    };
    list(value, at)?.iter().enumerate().map(name).collect()
}

/// A text that may be left out; null counts as left out.
pub fn text<'v>(raw: &'v Value, field: &str, at: &JsonPath) -> Result<&'v str, Error> {
    match raw.get(field) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::Text(text)) => Ok(text),
        Some(other) => Err(at.key(field).wrong_type("a string", other)),
    }
}

pub fn int(raw: &Value, field: &str, at: &JsonPath) -> Result<Option<i64>, Error> {
    match raw.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_int().map(Some).ok_or_else(|| at.key(field).wrong_type("an integer", value)),
    }
}

/// A value that the schema does not have.
pub fn unknown_value(message: impl Into<String>) -> Error {
    Error::new(Code::UnknownValue, message)
}

pub fn bad(message: impl Into<String>) -> Error {
    Error::new(Code::BadPlacement, message)
}
