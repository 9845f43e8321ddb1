//! Predicates: which of the available clusters are meant, by label, claim and expression.

use std::cell::{Cell, OnceCell};
use std::fmt;

use super::read::{Part, PlacementErrors, bad, map, names, text};
use super::why::{Explanation, Step, record, step};
use super::{Candidate, Spec};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::select::{Cluster, LabelSelector, Requirement, Selector, explain, known_fields};
use crate::object::labels::check_value;
use crate::value::JsonPath;
use crate::value::path::Pointer;
use crate::value::{Text, Value};

/// Compiles a CEL expression over the variable `managedCluster`, or returns the error message.
pub type Compile<'c> = dyn Fn(&str) -> Result<Expression, String> + 'c;

/// A compiled expression: whether it holds for a ManagedCluster, or why it cannot be evaluated. A result that is not a
/// boolean is an error. It takes its steps from the number that is left, and fails with none left if that is too small.
pub type Expression = Box<dyn Fn(&Value, &mut u64) -> Result<bool, String>>;

/// The steps that all expressions of a placement may take for all clusters together: so many, and so many more for each
/// available cluster. One expression of ten claims takes about a hundred.
const BASE_STEPS: u64 = 1_000_000;
const STEPS_A_CLUSTER: u64 = 2_000;

/// The steps that the placements of a namespace share, each an equal part. A million steps take about 20 ms.
const NAMESPACE_STEPS: u64 = 4_000_000;
const NAMESPACE_STEPS_A_CLUSTER: u64 = 20_000;

/// The steps that all namespaces share, each an equal part.
const TOTAL_STEPS: u64 = 100_000_000;
const TOTAL_STEPS_A_CLUSTER: u64 = 400_000;

/// The steps that a placement has however many others there are: enough for one expression of ten claims, and not more
/// work than deciding a placement among so many clusters.
const LEAST_STEPS: u64 = 1_000;
const LEAST_STEPS_A_CLUSTER: u64 = 100;

/// With how many others a placement shares steps. Both numbers are powers of two: a further placement seldom changes
/// the share of the others.
///
/// The parts are fixed before anything is evaluated, so the answer for a placement depends neither on the order of
/// documents nor on what other placements spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The placements of the namespace that have expressions.
    placements: u64,
    /// The namespaces in which sets are bound. Who may place there cannot change their number.
    namespaces: u64,
}

impl Sharing {
    /// One placement alone.
    pub const ALONE: Sharing = Sharing { placements: 1, namespaces: 1 };

    pub fn of(placements: usize, namespaces: usize) -> Sharing {
        let power = |count: usize| u64::try_from(count).unwrap_or(u64::MAX).checked_next_power_of_two();
        Sharing { placements: power(placements).unwrap_or(u64::MAX), namespaces: power(namespaces).unwrap_or(u64::MAX) }
    }

    /// The part of one placement among so many available clusters.
    fn share(self, clusters: u64) -> u64 {
        let steps = |base: u64, more: u64| base.saturating_add(clusters.saturating_mul(more));
        let total = steps(TOTAL_STEPS, TOTAL_STEPS_A_CLUSTER) / self.namespaces.max(1);
        let namespace = steps(NAMESPACE_STEPS, NAMESPACE_STEPS_A_CLUSTER).min(total);
        (namespace / self.placements.max(1)).max(steps(LEAST_STEPS, LEAST_STEPS_A_CLUSTER))
    }
}

/// Whether a placement has expressions.
pub(crate) fn has_expressions(placement: &Value) -> bool {
    let list = |value: &Value, path: &[&str]| value.at(path).and_then(Value::as_list).is_some_and(|it| !it.is_empty());
    let predicates = placement.at(&["spec", "predicates"]).and_then(Value::as_list).into_iter().flatten();
    let path = ["requiredClusterSelector", "celSelector", "celExpressions"];
    predicates.into_iter().any(|it| list(it, &path))
}

/// What is left of the steps, and the expression that took the last one.
#[derive(Debug, Default)]
pub struct StepBudget {
    left: Cell<u64>,
    /// Whether the placement would have more steps if there were fewer others.
    is_shared: bool,
    exceeded: OnceCell<Pointer>,
}

impl StepBudget {
    pub fn for_clusters(available: usize, sharing: Sharing) -> StepBudget {
        let clusters = u64::try_from(available).unwrap_or(u64::MAX);
        let own = BASE_STEPS.saturating_add(clusters.saturating_mul(STEPS_A_CLUSTER));
        let share = sharing.share(clusters);
        StepBudget { left: Cell::new(own.min(share)), is_shared: share < own, exceeded: OnceCell::new() }
    }

    /// The error of a placement whose expressions take too many steps.
    pub fn exceeded(&self) -> Option<Error> {
        let message = match self.is_shared {
            true => "the expressions of the placement take more steps than its share of those of the namespace",
            false => "the expressions of the placement take too many steps for all clusters together",
        };
        let error = Error::new(Code::ExpressionBudget, message).at(self.exceeded.get()?.clone());
        Some(error.hint("compare fewer and shorter values, or use labels"))
    }
}

/// Conditions on a cluster, all of which must hold. Without any, every cluster is meant.
#[derive(Default)]
pub struct Predicate {
    labels: LabelSelector,
    claims: LabelSelector,
    expressions: Vec<Tried>,
    at: Pointer,
}

/// An expression, and how it fared so far.
struct Tried {
    expression: Expression,
    clusters: Cell<usize>,
    failures: Cell<usize>,
    /// The first of them.
    why: OnceCell<String>,
}

impl Tried {
    fn new(expression: Expression) -> Tried {
        Tried { expression, clusters: Cell::default(), failures: Cell::default(), why: OnceCell::new() }
    }

    fn holds(&self, cluster: &Value, left: &mut u64) -> Result<bool, String> {
        let result = (self.expression)(cluster, left);
        let count = |it: &Cell<usize>| it.set(it.get().saturating_add(1));
        count(&self.clusters);
        if let Err(why) = &result {
            count(&self.failures);
            self.why.get_or_init(|| why.clone());
        }
        result
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Predicate({}; {}; {} expressions)", self.labels, self.claims, self.expressions.len())
    }
}

impl Predicate {
    /// Whether a cluster satisfies the predicate. Every label and claim is recorded; expressions only if those hold.
    pub fn accepts(&self, candidate: &Candidate, steps: &StepBudget, explanation: &mut Explanation) -> bool {
        let Predicate { labels, claims, expressions, .. } = self;
        if labels.requirements().is_empty() && claims.requirements().is_empty() && expressions.is_empty() {
            let text = || "the predicate is empty, which every cluster satisfies".into();
            record(explanation, ReasonCode::SelectsAll, true, Some(&self.at), text);
        }
        if let Some(explanation) = explanation {
            explanation.extend(self.explain_labels(candidate));
            explanation.extend(self.explain_claims(candidate));
        }
        let selected = labels.accepts(&candidate.labels) && claims.accepts(&candidate.claims);
        let mut expressions = expressions.iter().enumerate();
        selected && expressions.all(|(index, it)| self.accepts_expression((index, it), candidate, steps, explanation))
    }

    /// A warning for each expression that failed for every cluster for which it was evaluated.
    pub fn report_failures(&self, out: &mut Vec<Diagnostic>) {
        for (index, it) in self.expressions.iter().enumerate() {
            let Some(why) = it.why.get() else { continue };
            if it.failures.get() == it.clusters.get() {
                let message = format!(
                    "the expression fails for each cluster that it was evaluated for, so it selects none: {why}"
                );
                let hint = "correct the expression; `has(…)` tests whether a field is there";
                out.push(Diagnostic::warning(Code::ExpressionFailed, message).at(self.place(index)).hint(hint));
            }
        }
    }

    /// The place of an expression.
    fn place(&self, index: usize) -> Pointer {
        self.at.join(&Pointer::of(["celSelector".into(), "celExpressions".into(), index.to_string()]))
    }

    fn explain_labels(&self, candidate: &Candidate) -> Vec<Step> {
        if self.labels.requirements().is_empty() {
            return Vec::new();
        }
        let cluster = Cluster { name: candidate.name.into(), labels: candidate.labels.clone(), ..Cluster::default() };
        let reasons = explain(&Selector::Labels(self.labels.clone()), &cluster);
        let at = Some(self.at.child("labelSelector"));
        reasons.into_iter().map(|reason| Step { reason, at: at.clone() }).collect()
    }

    fn explain_claims(&self, candidate: &Candidate) -> Vec<Step> {
        let at = self.at.child("claimSelector");
        let explain = |requirement: &Requirement| {
            let (code, holds, verdict) = match requirement.accepts(&candidate.claims) {
                true => (ReasonCode::RequirementMet, true, "holds"),
                false => (ReasonCode::RequirementNotMet, false, "does not hold"),
            };
            let found = match candidate.claims.get(requirement.key()) {
                Some(value) => format!("is `{value}`"),
                None => "is absent".into(),
            };
            step(code, holds, Some(at.clone()), format!("`{requirement}` {verdict}: the claim {found}"))
        };
        self.claims.requirements().iter().map(explain).collect()
    }

    fn accepts_expression(
        &self,
        (index, expression): (usize, &Tried),
        candidate: &Candidate,
        steps: &StepBudget,
        explanation: &mut Explanation,
    ) -> bool {
        // The placement is not decided any more.
        if steps.exceeded.get().is_some() {
            return false;
        }
        let place = || self.place(index);
        let mut left = steps.left.get();
        let holds = expression.holds(candidate.document, &mut left);
        steps.left.set(left);
        if left == 0 {
            steps.exceeded.get_or_init(place);
        }
        let (code, text) = match holds {
            Ok(true) => (ReasonCode::ExpressionHolds, "the expression holds".into()),
            Ok(false) => (ReasonCode::ExpressionDoesNotHold, "the expression does not hold".into()),
            Err(why) => (ReasonCode::ExpressionFailed, format!("the expression has no answer for the cluster: {why}")),
        };
        let holds = code == ReasonCode::ExpressionHolds;
        if let Some(explanation) = explanation {
            explanation.push(step(code, holds, Some(place()), text));
        }
        holds
    }
}

/// Whether one of the predicates holds. Without any, every cluster is meant.
pub fn matches(spec: &Spec, steps: &StepBudget, candidate: &mut Candidate) -> bool {
    let mut explanation = candidate.explanation.take();
    let found = spec.predicates.iter().position(|it| it.accepts(candidate, steps, &mut explanation));
    let met = match found.and_then(|index| Some((index, spec.predicates.get(index)?))) {
        Some((index, predicate)) => {
            record(&mut explanation, ReasonCode::PredicateMet, true, Some(&predicate.at), || {
                format!("predicate {} holds, and one is enough", index.saturating_add(1))
            });
            true
        }
        None if spec.predicates.is_empty() => {
            let text = || "there are no predicates, so every cluster of the cluster sets is meant".into();
            record(&mut explanation, ReasonCode::SelectsAll, true, None, text);
            true
        }
        None => {
            let at = Pointer::of(["spec", "predicates"]);
            let text = || "no predicate holds".into();
            record(&mut explanation, ReasonCode::NoPredicateMet, false, Some(&at), text);
            false
        }
    };
    candidate.explanation = explanation;
    met
}

/// Reads one predicate. Its expressions are compiled here, so that each is compiled once.
pub fn read_predicate(
    raw: &Value,
    at: &JsonPath,
    compile: &Compile,
    errors: &mut PlacementErrors,
) -> Option<Predicate> {
    const SELECTORS: &[&str] = &["labelSelector", "claimSelector", "celSelector"];
    let selector = at.key("requiredClusterSelector");
    let raw = errors.take(Part::Predicates, known(raw, &["requiredClusterSelector"], at))?;
    let raw = errors.take(
        Part::Predicates,
        known(raw.get("requiredClusterSelector").unwrap_or(&Value::Null), SELECTORS, &selector),
    )?;
    let predicate = errors.take(Part::Predicates, selectors(raw, &selector));
    let at = &selector.key("celSelector");
    let cel = errors
        .take(Part::Predicates, known(raw.get("celSelector").unwrap_or(&Value::Null), &["celExpressions"], at))?;
    let at = &at.key("celExpressions");
    let texts = errors.take(Part::Predicates, names(cel.get("celExpressions"), at))?;
    let mut expressions = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let compiled =
            compile(text).map_err(|why| bad(format!("the expression cannot be read: {why}")).at(at.index(index)));
        expressions.extend(errors.take(Part::Predicates, compiled).map(Tried::new));
    }
    Some(Predicate { expressions, ..predicate? })
}

/// Reads a declared decision group: its name and its predicate, which has no expressions.
pub fn read_group(raw: &Value, at: &JsonPath) -> Result<(Text, Predicate), Error> {
    let raw = map(Some(raw), at)?;
    let name = text(raw, "groupName", at)?;
    if name.is_empty() {
        return Err(missing("the group has no name").at(at.key("groupName")));
    }
    check_value(name).map_err(|error| error.at(at.key("groupName")))?;
    let at = &at.key("groupClusterSelector");
    match raw.get("groupClusterSelector") {
        None | Some(Value::Null) => {
            Err(missing("the group has no selector").at(at).hint("write `{}` to take every cluster"))
        }
        Some(raw) => {
            let raw = known(raw, &["labelSelector", "claimSelector"], at)?;
            Ok((name.into(), selectors(raw, at)?))
        }
    }
}

/// A selector that is left out has no conditions.
fn selectors(raw: &Value, at: &JsonPath) -> Result<Predicate, Error> {
    let selector = |field: &'static str, fields: &[&str]| match raw.get(field) {
        None | Some(Value::Null) => Ok(LabelSelector::default()),
        Some(raw) => {
            let at = &at.key(field);
            LabelSelector::parse_object(known(raw, fields, at)?, at)
        }
    };
    Ok(Predicate {
        labels: selector("labelSelector", &["matchLabels", "matchExpressions"])?,
        claims: selector("claimSelector", &["matchExpressions"])?,
        expressions: Vec::new(),
        at: at.pointer(),
    })
}

/// A map with none but these fields. A misspelt field of a selector would make it pick more than is meant.
fn known<'v>(raw: &'v Value, fields: &[&str], at: &JsonPath) -> Result<&'v Value, Error> {
    let raw = map(Some(raw), at)?;
    known_fields(raw.as_map().into_iter().flat_map(|map| map.keys()), fields, at)?;
    Ok(raw)
}

fn missing(message: &str) -> Error {
    Error::new(Code::MissingField, message)
}
