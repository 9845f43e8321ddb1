//! The clusters that a placement may choose from: those of the bound sets that it names.

use super::why::{Explanation, record};
use super::{Candidate, Decision, listed, name_of};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::select::cluster_set::{ClusterSet, sets_of};
use crate::object::fields::misspelled_labels;
use crate::object::identity::is_terminating;
use crate::object::kinds::upstreams::ocm::GROUP_NAME;
use crate::object::labels::Labels;
use crate::value::JsonPath;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Map, Value};

impl<'a> Decision<'a> {
    /// The clusters of the eligible sets, by name.
    pub fn available(&mut self) -> Vec<Candidate<'a>> {
        let mut documents = self.question.clusters.to_vec();
        sort_by(&mut documents, |a, b| name_of(a).cmp(name_of(b)));
        let mut available = Vec::new();
        for document in documents {
            let mut candidate = self.candidate(document);
            match self.is_available(&mut candidate) {
                true if self.question.unreadable.contains_key(candidate.name) => self.keep_unreadable(candidate),
                true => available.push(candidate),
                false => self.explain(candidate, false),
            }
        }
        available
    }

    /// A cluster of which it is unknown what selects it: it stays chosen, or stays out.
    fn keep_unreadable(&mut self, mut candidate: Candidate<'a>) {
        let is_kept = candidate.was_chosen;
        let (code, fate) = match is_kept {
            true => (ReasonCode::DecisionKept, "was chosen before, and stays"),
            false => (ReasonCode::NotDecided, "was not chosen before, and is not now"),
        };
        let name = candidate.name;
        let why = self.question.unreadable.get(name).map(|it| mistake(it)).unwrap_or_default();
        record(&mut candidate.explanation, code, is_kept, None, || {
            format!("the cluster {fate}: its ManagedCluster cannot be read: {why}")
        });
        if !is_kept {
            return self.explain(candidate, false);
        }
        let decision = self.question.prior.iter().find(|it| listed(it).any(|it| it == name));
        let group = decision.map(|it| it.text_at(&["metadata", "labels", GROUP_NAME])).unwrap_or_default();
        candidate.kept = Some(group.into());
        self.kept.push(candidate);
    }

    /// Reports the clusters that stay chosen as their documents cannot be read.
    pub fn report_unreadable(&self, out: &mut Vec<Diagnostic>) {
        let Some(first) = self.kept.first() else { return };
        let others = match self.kept.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let message = format!("`ManagedCluster/{}`{others} cannot be read, so its last decision stays", first.name);
        let finding = Diagnostic::warning(Code::DecisionsKept, message);
        let why = self.question.unreadable.get(first.name).map(|it| mistake(it)).unwrap_or_default();
        out.push(finding.hint(format!("correct the document of the cluster: {why}")));
    }

    fn candidate(&self, document: &'a Value) -> Candidate<'a> {
        let name = name_of(document);
        let labels = labels_of(document, self.question.unreadable.contains_key(name));
        Candidate {
            name,
            document,
            labels,
            claims: claims(document),
            was_chosen: self.was_chosen.contains(name),
            score: 0,
            scores: Vec::new(),
            kept: None,
            until: None,
            explanation: self.question.why.is_about(name).then(Vec::new),
        }
    }

    fn is_available(&self, candidate: &mut Candidate) -> bool {
        let Candidate { labels, explanation, document, .. } = candidate;
        let namespace = self.question.placement.text_at(&["metadata", "namespace"]);
        // A cluster whose labels cannot be read may be in any of the sets.
        let Some(set) = self.eligible_sets().find(|set| labels.is_unknown() || set.accepts(labels)) else {
            if explanation.is_some() {
                self.explain_unavailable(labels, namespace, explanation);
            }
            return false;
        };
        if !labels.is_unknown() {
            record(explanation, ReasonCode::InBoundSet, true, None, || {
                format!("the cluster is in the cluster set `{}`, which is bound in `{namespace}`", set.name())
            });
        }
        let terminating = is_terminating(document);
        if terminating {
            record(explanation, ReasonCode::Terminating, false, None, || "the cluster is being deleted".into());
        }
        !terminating
    }

    fn eligible_sets(&self) -> impl Iterator<Item = &ClusterSet> {
        self.question.sets.iter().filter(|set| self.eligible.binary_search(set.name()).is_ok())
    }

    /// Explains for every set of a cluster why it does not count.
    fn explain_unavailable(&self, labels: &Labels, namespace: &str, explanation: &mut Explanation) {
        let at = Pointer::of(["spec", "clusterSets"]);
        let mut is_explained = false;
        for set in sets_of(labels, self.question.sets).into_iter().map(ClusterSet::name) {
            if self.bound.contains(set) {
                is_explained = true;
                record(explanation, ReasonCode::SetNotNamed, false, Some(&at), || {
                    format!(
                        "the cluster is in the cluster set `{set}`, which is bound in `{namespace}`, but the \
                         placement names others"
                    )
                });
            } else if self.spec.cluster_sets.contains(set) {
                is_explained = true;
                record(explanation, ReasonCode::SetNotBound, false, Some(&at), || {
                    format!(
                        "the cluster is in the cluster set `{set}`, which the placement names, but it is not bound in \
                         `{namespace}`"
                    )
                });
            }
        }
        if !is_explained {
            record(explanation, ReasonCode::NotInBoundSet, false, None, || match self.bound.is_empty() {
                true => format!("no cluster set that exists is bound in `{namespace}`"),
                false => format!(
                    "the cluster is in none of the cluster sets that are bound in `{namespace}`: {}",
                    self.bound.join(", ")
                ),
            });
        }
    }

    /// What cannot be read of that which the placement uses, so that it is unknown which clusters are available: a
    /// binding in its namespace, or a bound set. Reports it.
    pub fn report_broken(&self, out: &mut Vec<Diagnostic>) -> Option<String> {
        let bindings = self.question.broken_bindings.iter().map(|it| (format!("`{it}`"), ["metadata", "namespace"]));
        let sets = self.eligible.iter().filter(|name| self.question.broken_sets.contains(name));
        let sets = sets.map(|it| (format!("the cluster set `{it}`"), ["spec", "clusterSets"]));
        let mut first = None;
        for (broken, place) in bindings.chain(sets) {
            let message = format!("{broken} cannot be read, so the last decisions stay");
            out.push(Diagnostic::error(Code::DecisionsKept, message).at(Pointer::of(place)));
            first.get_or_insert(broken);
        }
        first
    }

    /// Reports which of the named sets cannot have members.
    pub fn report_unbound(&self, out: &mut Vec<Diagnostic>) {
        for (index, set) in self.spec.cluster_sets.iter().enumerate() {
            if !self.bound.contains(set) {
                let bound = self.question.bound.contains(set);
                let why = if bound { "does not exist" } else { "is not bound in the namespace of the placement" };
                let at = JsonPath::ROOT.key("spec");
                out.push(
                    Diagnostic::warning(Code::SetNotBound, format!("the cluster set `{set}` {why}"))
                        .at(at.key("clusterSets").index(index).pointer()),
                );
            }
        }
    }
}

/// Where a mistake in a document is, and what it is.
fn mistake(error: &Error) -> String {
    format!("`{}`: {}", error.pointer(), error.message)
}

/// The labels of a cluster. Mistakes in them are found when it is loaded.
fn labels_of(document: &Value, is_unreadable: bool) -> Labels {
    if is_unreadable && misspelled_labels(document).is_some() {
        return Labels::unknown();
    }
    match document.at(&["metadata", "labels"]) {
        None | Some(Value::Null) => Labels::default(),
        Some(Value::Map(labels)) => Labels::read(labels, &JsonPath::ROOT).unwrap_or(Labels::unknown()),
        Some(_) => Labels::unknown(),
    }
}

/// The claims of a cluster, which are selected like labels. Of two with one name the last counts.
fn claims(document: &Value) -> Labels {
    let claims = document.at(&["status", "clusterClaims"]).and_then(Value::as_list);
    let pairs = claims.into_iter().flatten().map(|it| (it.text_at(&["name"]), it.text_at(&["value"])));
    Labels::read(&pairs.collect::<Map>(), &JsonPath::ROOT).unwrap_or_default()
}
