//! A hub in miniature, and the decisions of placements on it. The names of the rows (`o20`…) are those of the facts
//! about OCM.

use super::*;
use crate::engine::select::cluster_set::{self, Stage};

mod keeps;
mod rows;
mod scores;
mod writes;

const NOW: &str = "2026-01-01T00:00:00Z";

fn value(text: &str) -> Value {
    crate::value::json::parse(text).unwrap_or_else(|error| panic!("a test writes JSON: {} in {text}", error.message))
}

#[derive(Clone)]
struct Hub {
    placement: Value,
    clusters: Vec<Value>,
    sets: Vec<Value>,
    bound: Vec<Text>,
    broken_bindings: Vec<Text>,
    unreadable: Vec<(String, Error)>,
    prior: Vec<Value>,
    scores: Vec<Value>,
    used: SortedMap<Text, u32>,
    now: Option<&'static str>,
    mode: Mode,
}

/// A hub with a set of all clusters, `all`, bound where the placement `web` is.
fn hub(spec: &str) -> Hub {
    Hub {
        placement: value(&format!(
            r#"{{"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"Placement",
                "metadata":{{"name":"web","namespace":"team-a"}},"spec":{spec}}}"#
        )),
        clusters: Vec::new(),
        sets: vec![set("all", r#"{"selectorType":"LabelSelector","labelSelector":{}}"#)],
        bound: vec!["all".into()],
        broken_bindings: Vec::new(),
        unreadable: Vec::new(),
        prior: Vec::new(),
        scores: Vec::new(),
        used: SortedMap::new(),
        now: Some(NOW),
        mode: Mode::Strict,
    }
}

fn set(name: &str, selector: &str) -> Value {
    value(&format!(
        r#"{{"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSet",
            "metadata":{{"name":"{name}"}},"spec":{{"clusterSelector":{selector}}}}}"#
    ))
}

impl Hub {
    fn cluster(self, name: &str, labels: &str) -> Hub {
        self.document(name, &format!(r#""labels":{labels}"#), "{}", "{}")
    }

    fn plain(self, names: &[&str]) -> Hub {
        names.iter().fold(self, |hub, name| hub.cluster(name, "{}"))
    }

    fn tainted(self, name: &str, taint: &str) -> Hub {
        self.document(name, r#""labels":{}"#, &format!(r#"{{"taints":[{taint}]}}"#), "{}")
    }

    fn document(mut self, name: &str, metadata: &str, spec: &str, status: &str) -> Hub {
        self.clusters.push(value(&format!(
            r#"{{"kind":"ManagedCluster","metadata":{{"name":"{name}",{metadata}}},"spec":{spec},"status":{status}}}"#
        )));
        self
    }

    /// The sets of the hub, each with its selector, and those that are bound.
    fn sets(mut self, sets: &[(&str, &str)], bound: &[&str]) -> Hub {
        self.sets = sets.iter().map(|(name, selector)| set(name, selector)).collect();
        self.bound = bound.iter().copied().map(Text::from).collect();
        self
    }

    fn prior(mut self, number: usize, clusters: &[&str]) -> Hub {
        let listed = clusters.iter().map(|it| format!(r#"{{"clusterName":"{it}","reason":""}}"#));
        let listed = listed.collect::<Vec<_>>().join(",");
        self.prior.push(value(&format!(
            r#"{{"kind":"PlacementDecision","metadata":{{"name":"web-decision-{number}","namespace":"team-a",
                "labels":{{"{PLACEMENT}":"web"}}}},"status":{{"decisions":[{listed}]}}}}"#
        )));
        self
    }

    /// A cluster whose document has a mistake in its taints.
    fn unreadable(mut self, name: &str) -> Hub {
        let error = Error::new(Code::UnknownField, "there is no field `taint` here").at(["spec", "taint"]);
        self.unreadable.push((name.into(), error));
        self.plain(&[name])
    }

    fn mode(self, mode: Mode) -> Hub {
        Hub { mode, ..self }
    }

    fn place_in(&self, mode: Mode) -> (Placed, Vec<Diagnostic>) {
        self.clone().mode(mode).place()
    }

    fn place(&self) -> (Placed, Vec<Diagnostic>) {
        let mut out = Vec::new();
        let sets = cluster_set::read(&self.sets, Stage::Full, self.mode, &mut Vec::new());
        let broken: Vec<Text> = self.sets.iter().map(|it| Text::from(it.text_at(&["metadata", "name"]))).collect();
        let broken: Vec<Text> = broken.into_iter().filter(|name| sets.iter().all(|set| set.name() != name)).collect();
        let placed = place(
            &Question {
                placement: &self.placement,
                clusters: &self.clusters.iter().collect::<Vec<_>>(),
                sets: &sets,
                broken_sets: &broken,
                bound: &self.bound,
                broken_bindings: &self.broken_bindings,
                unreadable: &self.unreadable.iter().map(|(name, error)| (name.as_str(), error)).collect(),
                prior: &self.prior.iter().collect::<Vec<_>>(),
                scores: &self.scores.iter().collect::<Vec<_>>(),
                used: &self.used,
                now: self.now.map(|now| Timestamp::parse(now).expect("a moment")),
                mode: self.mode,
                why: Why::All,
                sharing: Sharing::ALONE,
                compile: &compile,
            },
            &mut out,
        );
        (placed, out)
    }
}

/// Stands in for CEL: `name:c1` is true for that cluster, and `fails` has no answer.
fn compile(text: &str) -> Result<Expression, String> {
    match text.split_once(':') {
        Some(("name", name)) => {
            let name = name.to_string();
            Ok(Box::new(move |cluster, _| Ok(cluster.text_at(&["metadata", "name"]) == name)))
        }
        _ if text == "fails" => Ok(Box::new(|_, _| Err("no such key".into()))),
        _ => Err("undeclared reference".into()),
    }
}

fn chosen(placed: &Placed) -> Vec<&str> {
    placed.groups.iter().flat_map(|it| &it.clusters).map(Text::as_str).collect()
}

/// The reasons of the two conditions, `PlacementSatisfied` first; the second is empty where all is well.
fn reasons(placed: &Placed) -> (&str, &str) {
    let status = placed.status.as_ref().expect("a status");
    let conditions = status.get("conditions").and_then(Value::as_list).expect("conditions");
    let reason = |kind: &str| {
        let condition = conditions.iter().find(|it| it.text_at(&["type"]) == kind).expect("the condition");
        condition.text_at(&["reason"])
    };
    let misconfigured = reason("PlacementMisconfigured");
    (reason("PlacementSatisfied"), if misconfigured == "Succeedconfigured" { "" } else { misconfigured })
}

/// The last step of a cluster: what decided over it.
fn last<'p>(placed: &'p Placed, cluster: &str) -> (&'static str, &'p str) {
    let explained = placed.explained.iter().find(|it| it.name == cluster).expect("the cluster");
    let step = explained.steps.last().expect("a step");
    assert_eq!(step.reason.holds, explained.chosen, "{step:?}");
    (step.reason.code.as_str(), &step.reason.text)
}

/// What is chosen, with which reason in the status, in both modes, and without any finding.
#[track_caller]
fn check(hub: Hub, want: &[&str], satisfied: &str) -> Placed {
    check_found(hub, want, satisfied, &[])
}

/// The same, with findings of these codes.
#[track_caller]
fn check_found(hub: Hub, want: &[&str], satisfied: &str, codes: &[Code]) -> Placed {
    let [_, strict] = [Mode::Compat, Mode::Strict].map(|mode| {
        let (placed, found) = hub.place_in(mode);
        let found: Vec<Code> = found.into_iter().map(|it| it.code).collect();
        assert_eq!((chosen(&placed), reasons(&placed), &*found), (want.to_vec(), (satisfied, ""), codes), "{mode:?}");
        placed
    });
    strict
}

/// A placement that is misconfigured at this place. OCM empties its decisions, we keep them.
#[track_caller]
fn check_misconfigured(hub: Hub, place: &str) {
    let hub = hub.plain(&["c1", "c2"]).prior(1, &["c2"]);
    let (placed, found) = hub.place_in(Mode::Strict);
    let places: Vec<String> = found.iter().filter_map(|it| it.at.path.as_ref()).map(Pointer::to_string).collect();
    assert_eq!(places, [place], "{found:?}");
    assert_eq!((chosen(&placed), reasons(&placed)), (vec!["c2"], ("NotAllDecisionsScheduled", "Misconfigured")));
    assert_eq!(placed.decisions, hub.prior);
    let (placed, found) = hub.place_in(Mode::Compat);
    assert_eq!(
        (chosen(&placed), reasons(&placed)),
        (vec![], ("NoManagedClusterMatched", "Misconfigured")),
        "{found:?}"
    );
    assert_eq!(placed.decisions.len(), 1, "one empty decision");
    assert_eq!(last(&placed, "c2").0, "not-decided");
}
