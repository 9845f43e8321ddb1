//! The decision of a Placement of Open Cluster Management: which clusters of the bound sets it chooses, and why.
//!
//! 1. The sets that are bound in the namespace and exist; of those, the ones that the placement names, if it names any.
//! 2. The [`available`] clusters: those of these sets, but for the ones being deleted.
//! 3. [`predicate`]s are ORed; inside one, labels, claims and expressions are ANDed.
//! 4. [`taint`]s exclude clusters that do not tolerate them.
//! 5. [`score`]s rank the others: highest first, then by name, up to the wanted number.
//! 6. [`group`]s divide the chosen clusters, and [`decision`] writes them down.
//!
//! A placement that cannot be decided keeps its last decisions. OCM empties them; so does compat mode.

mod available;
mod decision;
mod group;
mod predicate;
mod read;
mod score;
mod taint;
mod why;

use decision::Progress;
pub use decision::{Condition, PLACEMENT, listed};
pub(crate) use decision::{passing_on, transition};
pub use group::Group;
use predicate::StepBudget;
pub(crate) use predicate::has_expressions;
pub use predicate::{Compile, Expression, Sharing};
use read::{Part, PlacementErrors, Spec};
pub use why::Step;
use why::{Explanation, record, step};

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode, Severity};
use crate::engine::select::cluster_set::ClusterSet;
use crate::object::identity::{ObjectName, is_terminating};
use crate::object::kinds::upstreams::ocm;
use crate::object::labels::Labels;
use crate::object::timestamp::Timestamp;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::sorting::{sort, sort_by};
use crate::value::{Text, Value};

/// With the value `"true"`, another scheduler decides this placement.
const DISABLED: &str = ocm::SCHEDULING_DISABLED;

/// Why an error leaves a placement undecided.
const MISCONFIGURED: &str = "it is misconfigured";

/// Everything that a decision depends on.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub placement: &'a Value,
    /// All ManagedClusters, in any order.
    pub clusters: &'a [&'a Value],
    /// The sets that could be read.
    pub sets: &'a [ClusterSet],
    /// The names of the sets that exist and could not be read, for whatever reason.
    pub broken_sets: &'a [Text],
    /// The sets that the ManagedClusterSetBindings in the placement's namespace name.
    pub bound: &'a [Text],
    /// The ManagedClusterSetBindings in the placement's namespace that cannot be read.
    pub broken_bindings: &'a [Text],
    /// The clusters whose documents have mistakes in what selects them, by name: they keep their last decisions.
    pub unreadable: &'a SortedMap<&'a str, &'a Error>,
    /// The existing PlacementDecisions of this placement.
    pub prior: &'a [&'a Value],
    /// All AddOnPlacementScores.
    pub scores: &'a [&'a Value],
    /// How many decisions of other placements list a cluster.
    pub used: &'a SortedMap<Text, u32>,
    /// Without it, nothing that ends at some time is over.
    pub now: Option<Timestamp>,
    pub mode: Mode,
    pub why: Why<'a>,
    /// With how many others the placement shares the steps of expressions.
    pub sharing: Sharing,
    pub compile: &'a Compile<'a>,
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Question({}, {} clusters)", ObjectName::of(self.placement), self.clusters.len())
    }
}

/// Whose reasons are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why<'a> {
    Nobody,
    One(&'a str),
    All,
}

impl Why<'_> {
    fn is_about(self, name: &str) -> bool {
        match self {
            Why::Nobody => false,
            Why::One(one) => one == name,
            Why::All => true,
        }
    }
}

/// What a placement decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub state: DecisionState,
    /// The chosen clusters in their decision groups.
    pub groups: Vec<Group>,
    /// The PlacementDecisions that should exist, and no others of this placement.
    pub decisions: Vec<Value>,
    /// What the status of the Placement should be; nothing where it stays as it is.
    pub status: Option<Value>,
    /// The clusters whose reasons are wanted, sorted by name.
    pub explained: Vec<Explained>,
    /// When to decide again, because a toleration expires.
    pub recheck: Option<Timestamp>,
}

/// Whether a placement could be decided, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionState {
    Decided,
    /// Something in the placement is wrong.
    Misconfigured,
    /// A cluster set that the placement uses cannot be read, or a binding in its namespace.
    BrokenSet,
    /// The placement is being deleted, or another scheduler decides it.
    NotOurs,
}

/// Why a cluster is chosen or not, in the order of the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub name: Text,
    pub chosen: bool,
    pub steps: Vec<Step>,
}

/// A cluster on its way through the decision.
#[derive(Debug)]
struct Candidate<'a> {
    name: &'a str,
    document: &'a Value,
    labels: Labels,
    claims: Labels,
    /// Whether the existing decisions list it.
    was_chosen: bool,
    score: i64,
    /// What the score is the sum of.
    scores: Vec<String>,
    /// Of a cluster that stays chosen as its document cannot be read: the name of its decision group.
    kept: Option<Text>,
    /// Until when its taints are tolerated.
    until: Option<Timestamp>,
    explanation: Explanation,
}

/// Decides a placement. Every mistake in it is reported with its location.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::placement::{Question, Sharing, Why, place};
/// use fleetfold_core::engine::select::cluster_set::{ClusterSet, Stage};
/// use fleetfold_core::{diagnostic::Mode, value::{JsonPath, json}};
///
/// let set = json::parse(r#"{"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSet",
///     "metadata":{"name":"all"},"spec":{"clusterSelector":{"selectorType":"LabelSelector","labelSelector":{}}}}"#)?;
/// let sets = [ClusterSet::parse(&set, Stage::Full, Mode::Strict, &JsonPath::ROOT)?];
/// let placement = json::parse(r#"{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"Placement",
///     "metadata":{"name":"web","namespace":"shop"},"spec":{"numberOfClusters":1}}"#)?;
/// let clusters = [
///     json::parse(r#"{"kind":"ManagedCluster","metadata":{"name":"us-1"}}"#)?,
///     json::parse(r#"{"kind":"ManagedCluster","metadata":{"name":"eu-1"}}"#)?,
/// ];
/// let question = Question {
///     placement: &placement, clusters: &clusters.iter().collect::<Vec<_>>(), sets: &sets, broken_sets: &[],
///     bound: &["all".into()], broken_bindings: &[], unreadable: &Default::default(), prior: &[], scores: &[],
///     used: &Default::default(), now: None, mode: Mode::Strict, why: Why::All, sharing: Sharing::ALONE,
///     compile: &|_| Err("this example has no CEL".into()),
/// };
/// let placed = place(&question, &mut Vec::new());
/// assert_eq!(placed.groups[0].clusters, ["eu-1"], "equal scores are ranked by name");
/// assert!(!placed.explained[1].chosen);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn place(question: &Question, out: &mut Vec<Diagnostic>) -> Placed {
    let mut found = Vec::new();
    let placed = Decision::of(question, &mut found).place(&mut found);
    let name = ObjectName::of(question.placement).to_string();
    for finding in &mut found {
        finding.at.document.get_or_insert_with(|| name.clone());
    }
    out.append(&mut found);
    placed
}

/// The sets that can be decided about, and the parsed placement.
struct Decision<'a> {
    question: &'a Question<'a>,
    spec: Spec,
    errors: PlacementErrors,
    /// The sets that are bound and exist, sorted.
    bound: Vec<Text>,
    /// Those of them that the placement means, sorted.
    eligible: Vec<Text>,
    was_chosen: SortedSet<&'a str>,
    /// The clusters that stay chosen as their documents cannot be read.
    kept: Vec<Candidate<'a>>,
    steps: StepBudget,
    explained: Vec<Explained>,
}

impl<'a> Decision<'a> {
    fn of(question: &'a Question<'a>, out: &mut Vec<Diagnostic>) -> Decision<'a> {
        let (spec, errors) = read::read(question.placement, question.mode, question.compile, out);
        let exists =
            |name: &&Text| question.sets.iter().any(|set| set.name() == *name) || question.broken_sets.contains(name);
        let mut bound: Vec<Text> = question.bound.iter().filter(exists).cloned().collect();
        sort(&mut bound);
        bound.dedup();
        let named = |name: &&Text| spec.cluster_sets.is_empty() || spec.cluster_sets.contains(name);
        let eligible = bound.iter().filter(named).cloned().collect();
        let was_chosen = question.prior.iter().flat_map(|it| listed(it)).collect();
        let steps = StepBudget::default();
        Decision { question, spec, errors, bound, eligible, was_chosen, kept: Vec::new(), steps, explained: Vec::new() }
    }

    fn place(mut self, out: &mut Vec<Diagnostic>) -> Placed {
        let Question { placement, mode, .. } = *self.question;
        if is_terminating(placement) || placement.text_at(&["metadata", "annotations", DISABLED]) == "true" {
            return self.keep(DecisionState::NotOurs, None, "another scheduler decides it, or it is being deleted");
        }
        let is_misconfigured = mode == Mode::Strict && self.meets(None, out);
        if let Some(broken) = self.report_broken(out) {
            return self.keep(DecisionState::BrokenSet, None, &format!("{broken} cannot be read"));
        }
        self.report_unbound(out);
        if mode == Mode::Compat && self.meets(Some(Part::Document), out) {
            return self.keep(DecisionState::Misconfigured, None, MISCONFIGURED);
        }
        let available = self.available();
        if is_misconfigured {
            out.push(kept(&self.errors));
            let count = available.len().saturating_add(self.kept.len());
            return self.keep(DecisionState::Misconfigured, Some(count), MISCONFIGURED);
        }
        self.report_unreadable(out);
        self.decide(available, out)
    }

    /// Decides a placement without mistakes in strict mode. Compat mode finds mistakes on the way, as OCM does: OCM
    /// reads predicates and tolerations only if there is a cluster to check.
    fn decide(mut self, available: Vec<Candidate<'a>>, out: &mut Vec<Diagnostic>) -> Placed {
        let count = available.len().saturating_add(self.kept.len());
        if !available.is_empty() && self.meets(Some(Part::Predicates), out) {
            return self.empty(Part::Predicates, count, available);
        }
        self.steps = StepBudget::for_clusters(count, self.question.sharing);
        let matching = self.sift(available, |decision, it| predicate::matches(&decision.spec, &decision.steps, it));
        // In both modes it is unknown which clusters are meant.
        if let Some(error) = self.steps.exceeded() {
            out.push(error.clone().into_diagnostic(Severity::Error));
            self.errors.take::<()>(Part::Predicates, Err(error));
            out.push(kept(&self.errors));
            return self.keep(DecisionState::Misconfigured, Some(count), MISCONFIGURED);
        }
        self.spec.predicates.iter().for_each(|it| it.report_failures(out));
        if !matching.is_empty() && self.meets(Some(Part::Tolerations), out) {
            return self.empty(Part::Tolerations, count, matching);
        }
        let mut tolerated = self.sift(matching, |decision, it| taint::tolerates(&decision.spec, decision.question, it));
        if self.meets(Some(Part::Priorities), out) {
            return self.empty(Part::Priorities, count, tolerated);
        }
        let recheck = tolerated.iter().filter_map(|it| it.until).min_by_key(Timestamp::seconds);
        score::score_all(&self.spec, self.question, &mut tolerated, out);
        let mut chosen = self.rank(tolerated);
        chosen.append(&mut self.kept);
        let whole = !self.meets(Some(Part::Groups), out);
        let mut groups = group::divide(&self.spec, &chosen, whole, self.question.mode);
        let selected = chosen.len();
        for candidate in chosen {
            self.explain_chosen(candidate, &groups);
        }
        let decisions = decision::write(self.question.placement, &mut groups);
        let taken = u64::try_from(selected).unwrap_or(u64::MAX);
        let missing = self.spec.wanted.map_or(0, |wanted| wanted.saturating_sub(taken));
        let progress = Progress { available: count, chosen: selected, missing, ..self.progress() };
        let status = self.status(self.errors.of(Some(Part::Groups)).next(), &progress, &groups);
        let state = if whole { DecisionState::Decided } else { DecisionState::Misconfigured };
        Placed { state, groups, decisions, status: Some(status), explained: self.sorted(), recheck }
    }

    /// Keeps the candidates that pass; the others are done.
    fn sift(
        &mut self,
        candidates: Vec<Candidate<'a>>,
        passes: fn(&Decision, &mut Candidate) -> bool,
    ) -> Vec<Candidate<'a>> {
        let mut left = Vec::with_capacity(candidates.len());
        for mut candidate in candidates {
            match passes(self, &mut candidate) {
                true => left.push(candidate),
                false => self.explain(candidate, false),
            }
        }
        left
    }

    /// Takes the wanted number of clusters, the highest score first, then by name. Those that stay count.
    fn rank(&mut self, mut candidates: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
        let by_name =
            |a: &Candidate, b: &Candidate| crate::seeded!(TiesAreReversed, a.name.cmp(b.name), b.name.cmp(a.name));
        sort_by(&mut candidates, |a, b| b.score.cmp(&a.score).then_with(|| by_name(a, b)));
        let Some(wanted) = self.spec.wanted else { return candidates };
        let wanted = wanted.saturating_sub(u64::try_from(self.kept.len()).unwrap_or(u64::MAX));
        // More than can be counted here is more than there are.
        let most = usize::try_from(wanted).unwrap_or(usize::MAX);
        let at = Pointer::of(["spec", "numberOfClusters"]);
        for (index, candidate) in candidates.iter_mut().enumerate() {
            let holds = index < most;
            let code = if holds { ReasonCode::RankedIn } else { ReasonCode::RankedOut };
            let Candidate { score, scores, explanation, .. } = candidate;
            record(explanation, code, holds, Some(&at), || {
                let sum = if scores.is_empty() { String::new() } else { format!(": {}", scores.join(", ")) };
                let are = if wanted == 1 { "is" } else { "are" };
                format!("ranked {}, {wanted} {are} wanted, score {score}{sum}", ordinal(index.saturating_add(1)))
            });
        }
        let left = candidates.split_off(most.min(candidates.len()));
        for candidate in left {
            self.explain(candidate, false);
        }
        candidates
    }

    /// Whether a part, or any part, has mistakes; reports them.
    fn meets(&self, part: Option<Part>, out: &mut Vec<Diagnostic>) -> bool {
        let before = out.len();
        out.extend(self.errors.of(part).map(|error| error.clone().into_diagnostic(Severity::Error)));
        out.len() > before
    }

    /// The result of OCM for a mistake: one empty decision.
    fn empty(mut self, part: Part, available: usize, candidates: Vec<Candidate<'a>>) -> Placed {
        for mut candidate in candidates.into_iter().chain(std::mem::take(&mut self.kept)) {
            let text = || "the placement is misconfigured, which empties its decisions".into();
            record(&mut candidate.explanation, ReasonCode::NotDecided, false, None, text);
            self.explain(candidate, false);
        }
        let mut groups = vec![Group::default()];
        let decisions = decision::write(self.question.placement, &mut groups);
        let progress = Progress { available, ..self.progress() };
        let status = Some(self.status(self.errors.of(Some(part)).next(), &progress, &groups));
        Placed {
            state: DecisionState::Misconfigured,
            groups,
            decisions,
            status,
            explained: self.sorted(),
            recheck: None,
        }
    }

    /// Keeps the existing decisions. The status changes only if the number of available clusters is known.
    fn keep(mut self, state: DecisionState, available: Option<usize>, why: &str) -> Placed {
        let (groups, decisions) = decision::read(self.question.prior);
        self.explained.clear();
        for name in self.question.clusters.iter().map(|it| name_of(it)).filter(|name| self.question.why.is_about(name))
        {
            let kept = self.was_chosen.contains(name);
            let (code, fate) = match kept {
                true => (ReasonCode::DecisionKept, "was chosen before, and stays"),
                false => (ReasonCode::NotDecided, "was not chosen before, and is not now"),
            };
            let text = format!("the cluster {fate}: the placement is not decided, since {why}");
            let steps = vec![step(code, kept, None, text)];
            self.explained.push(Explained { name: name.into(), chosen: kept, steps });
        }
        let status = available.map(|available| {
            let chosen = self.was_chosen.len();
            let progress = Progress { available, chosen, kept: true, ..self.progress() };
            self.status(self.errors.of(None).next(), &progress, &groups)
        });
        Placed { state, groups, decisions, status, explained: self.sorted(), recheck: None }
    }

    fn progress(&self) -> Progress<'_> {
        let Decision { bound, eligible, .. } = self;
        Progress { bound, eligible, available: 0, kept: false, chosen: 0, missing: 0 }
    }

    fn status(&self, problem: Option<&Error>, progress: &Progress, groups: &[Group]) -> Value {
        let Question { placement, now, .. } = *self.question;
        let problem = problem.map(|error| format!("{}: {}", error.pointer(), error.message));
        let conditions = [decision::misconfigured(problem), decision::satisfied(progress)];
        decision::status(placement, progress.chosen, groups, &conditions, now)
    }

    fn explain_chosen(&mut self, mut candidate: Candidate, groups: &[Group]) {
        let Some(explanation) = &mut candidate.explanation else { return };
        let group = groups.iter().find(|it| it.clusters.iter().any(|name| name == candidate.name));
        let text = match group {
            Some(Group { name, index, .. }) if name.is_empty() => format!("chosen, in decision group {index}"),
            Some(Group { name, index, .. }) => format!("chosen, in decision group {index}, `{name}`"),
            None => "chosen, but in none of the decision groups that could be read".into(),
        };
        explanation.push(step(ReasonCode::Chosen, group.is_some(), None, text));
        self.explain(candidate, group.is_some());
    }

    /// Records the explanation of a cluster.
    fn explain(&mut self, candidate: Candidate, chosen: bool) {
        if let Some(steps) = candidate.explanation {
            self.explained.push(Explained { name: candidate.name.into(), chosen, steps });
        }
    }

    fn sorted(self) -> Vec<Explained> {
        let mut explained = self.explained;
        sort_by(&mut explained, |a, b| a.name.cmp(&b.name));
        explained
    }
}

/// With the first mistake, since a plan does not report the others.
fn kept(errors: &PlacementErrors) -> Diagnostic {
    let why = errors.of(None).next().map(|error| match error.pointer() {
        place if place.is_root() => error.message.clone(),
        place => format!("`{place}`: {}", error.message),
    });
    let finding =
        Diagnostic::warning(Code::DecisionsKept, "the placement is misconfigured, so its last decisions stay");
    match why {
        Some(why) => finding.hint(format!("correct the document: {why}")),
        None => finding,
    }
}

fn name_of(document: &Value) -> &str {
    document.text_at(&["metadata", "name"])
}

/// `1st`, `2nd`, `11th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests;
