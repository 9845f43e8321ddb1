//! The clusters that a placement may choose from: those of the bound sets that it names.

use super::why::{Explanation, record};
use super::{Candidate, Decision, name_of};
use crate::diagnostic::{Code, Diagnostic, ReasonCode};
use crate::engine::select::cluster_set::{ClusterSet, sets_of};
use crate::object::identity::is_terminating;
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
                true => available.push(candidate),
                false => self.explain(candidate, false),
            }
        }
        available
    }

    fn candidate(&self, document: &'a Value) -> Candidate<'a> {
        let name = name_of(document);
        // Labels that cannot be read are reported when they are loaded; such a cluster has none here, so nothing
        // selects it by mistake.
        let labels = document.at(&["metadata", "labels"]).and_then(Value::as_map);
        let labels = labels.and_then(|it| Labels::read(it, &JsonPath::ROOT).ok()).unwrap_or_default();
        Candidate {
            name,
            document,
            labels,
            claims: claims(document),
            was_chosen: self.was_chosen.contains(name),
            score: 0,
            scores: Vec::new(),
            until: None,
            explanation: self.question.why.is_about(name).then(Vec::new),
        }
    }

    fn is_available(&self, candidate: &mut Candidate) -> bool {
        let Candidate { labels, explanation, document, .. } = candidate;
        let namespace = self.question.placement.text_at(&["metadata", "namespace"]);
        let Some(set) = self.eligible_sets().find(|set| set.accepts(labels)) else {
            if explanation.is_some() {
                self.explain_unavailable(labels, namespace, explanation);
            }
            return false;
        };
        record(explanation, ReasonCode::InBoundSet, true, None, || {
            format!("the cluster is in the set `{}`, which is bound in `{namespace}`", set.name())
        });
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
                        "the cluster is in the set `{set}`, which is bound in `{namespace}`, but the placement names others"
                    )
                });
            } else if self.spec.cluster_sets.contains(set) {
                is_explained = true;
                record(explanation, ReasonCode::SetNotBound, false, Some(&at), || {
                    format!(
                        "the cluster is in the set `{set}`, which the placement names, but it is not bound in `{namespace}`"
                    )
                });
            }
        }
        if !is_explained {
            record(explanation, ReasonCode::NotInBoundSet, false, None, || match self.bound.is_empty() {
                true => format!("no set that exists is bound in `{namespace}`"),
                false => format!(
                    "the cluster is in none of the sets that are bound in `{namespace}`: {}",
                    self.bound.join(", ")
                ),
            });
        }
    }

    /// Whether a set that the placement uses cannot be read, so that its members are unknown. Reports it.
    pub fn report_broken_sets(&self, out: &mut Vec<Diagnostic>) -> bool {
        let before = out.len();
        for set in self.eligible.iter().filter(|name| self.question.broken_sets.contains(name)) {
            let message = format!("the set `{set}` cannot be read, so the last decisions stay");
            out.push(Diagnostic::error(Code::DecisionsKept, message).at(Pointer::of(["spec", "clusterSets"])));
        }
        out.len() > before
    }

    /// Reports which of the named sets cannot have members.
    pub fn report_unbound(&self, out: &mut Vec<Diagnostic>) {
        for (index, set) in self.spec.cluster_sets.iter().enumerate() {
            if !self.bound.contains(set) {
                let bound = self.question.bound.contains(set);
                let why = if bound { "does not exist" } else { "is not bound in the namespace of the placement" };
                let at = JsonPath::ROOT.key("spec");
                out.push(
                    Diagnostic::warning(Code::SetNotBound, format!("the set `{set}` {why}"))
                        .at(at.key("clusterSets").index(index).pointer()),
                );
            }
        }
    }
}

/// The claims of a cluster, which are selected like labels. Of two with one name the last counts.
fn claims(document: &Value) -> Labels {
    let claims = document.at(&["status", "clusterClaims"]).and_then(Value::as_list);
    let pairs = claims.into_iter().flatten().map(|it| (it.text_at(&["name"]), it.text_at(&["value"])));
    Labels::read(&pairs.collect::<Map>(), &JsonPath::ROOT).unwrap_or_default()
}
