//! What a decision looks like on the hub: PlacementDecisions, and the status of the Placement.

use super::group::Group;
use crate::engine::select::cluster_set::GROUP;
use crate::object::timestamp::Timestamp;
use crate::value::collections::SortedSet;
use crate::value::sorting::sort_by;
use crate::value::{Map, Text, Value};

/// The label with the name of the placement.
pub use crate::object::kinds::upstreams::ocm::PLACEMENT;
use crate::object::kinds::upstreams::ocm::{GROUP_INDEX, GROUP_NAME};

const VERSION: &str = "v1beta1";

/// No PlacementDecision lists more clusters than this.
const LISTED: usize = 100;

/// The clusters that a PlacementDecision lists.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::placement::listed, value::json};
///
/// let decision = json::parse(r#"{"kind":"PlacementDecision",
///     "status":{"decisions":[{"clusterName":"eu-1","reason":""}]}}"#)?;
/// assert_eq!(listed(&decision).collect::<Vec<_>>(), ["eu-1"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn listed(decision: &Value) -> impl Iterator<Item = &str> {
    let decisions = decision.at(&["status", "decisions"]).and_then(Value::as_list);
    decisions.into_iter().flatten().map(|it| it.text_at(&["clusterName"])).filter(|name| !name.is_empty())
}

/// The status of a decision on the way from what it is to what it should be: its clusters, and then those of before
/// that are yet to arrive in another. For that moment it may list more than [`LISTED`].
pub(crate) fn passing_on(decision: &Value, live: &Value, arriving: &SortedSet<&str>) -> Value {
    let mut status = decision.get("status").cloned().unwrap_or_default();
    let own: SortedSet<&str> = listed(decision).collect();
    let before = live.at(&["status", "decisions"]).and_then(Value::as_list).into_iter().flatten();
    let waits = |it: &&Value| {
        let name = it.text_at(&["clusterName"]);
        arriving.contains(name) && !own.contains(name)
    };
    if let Some(decisions) = status.get_mut("decisions").and_then(Value::as_list_mut) {
        decisions.extend(before.filter(waits).cloned());
    }
    status
}

/// The PlacementDecisions for the groups, numbered from 1 across all of them. Each group learns the names of its own.
pub fn write(placement: &Value, groups: &mut [Group]) -> Vec<Value> {
    let mut decisions = Vec::new();
    for group in groups {
        let mut chunks: Vec<&[Text]> = group.clusters.chunks(LISTED).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        for clusters in chunks {
            let number = decisions.len().saturating_add(1);
            let name = Text::from(format!("{}-decision-{number}", placement.text_at(&["metadata", "name"])));
            decisions.push(document(placement, &name, group, clusters));
            group.decisions.push(name);
        }
    }
    decisions
}

fn document(placement: &Value, name: &Text, group: &Group, clusters: &[Text]) -> Value {
    let owner = placement.text_at(&["metadata", "name"]);
    let labels = [
        (PLACEMENT, Value::from(owner)),
        (GROUP_NAME, group.name.clone().into()),
        (GROUP_INDEX, group.index.to_string().into()),
    ];
    let mut metadata = Map::from_iter([("name", Value::from(name.clone())), ("labels", Value::map(labels))]);
    if let Some(namespace) = placement.at(&["metadata", "namespace"]) {
        metadata.insert("namespace", namespace.clone());
    }
    // Without a uid the hub would consider the owner deleted, and delete its objects.
    if let Some(uid @ Value::Text(_)) = placement.at(&["metadata", "uid"]) {
        let reference = Value::map([
            ("apiVersion", Value::from(format!("{GROUP}/{VERSION}"))),
            ("kind", "Placement".into()),
            ("name", owner.into()),
            ("uid", uid.clone()),
            ("controller", true.into()),
            ("blockOwnerDeletion", true.into()),
        ]);
        metadata.insert("ownerReferences", Value::list([reference]));
    }
    let decision = |cluster: &Text| Value::map([("clusterName", Value::from(cluster.clone())), ("reason", "".into())]);
    Value::map([
        ("apiVersion", Value::from(format!("{GROUP}/{VERSION}"))),
        ("kind", "PlacementDecision".into()),
        ("metadata", metadata.into()),
        ("status", Value::map([("decisions", Value::list(clusters.iter().map(decision)))])),
    ])
}

/// The groups of the existing decisions, by number.
pub fn read(prior: &[&Value]) -> (Vec<Group>, Vec<Value>) {
    let number = |decision: &Value| {
        let name = decision.text_at(&["metadata", "name"]);
        name.rsplit_once('-').and_then(|(_, number)| number.parse::<u64>().ok()).unwrap_or(u64::MAX)
    };
    let mut prior = prior.to_vec();
    sort_by(&mut prior, |a, b| {
        let name = |it: &Value| Text::from(it.text_at(&["metadata", "name"]));
        number(a).cmp(&number(b)).then_with(|| name(a).cmp(&name(b)))
    });
    let mut groups: Vec<Group> = Vec::new();
    for decision in &prior {
        let label = |key: &str| decision.text_at(&["metadata", "labels", key]);
        let index = label(GROUP_INDEX).parse().unwrap_or_default();
        let found = groups.iter().position(|it| it.index == index);
        let place = found.unwrap_or(groups.len());
        if found.is_none() {
            groups.push(Group { name: label(GROUP_NAME).into(), index, ..Group::default() });
        }
        if let Some(group) = groups.get_mut(place) {
            group.clusters.extend(listed(decision).map(Text::from));
            group.decisions.push(decision.text_at(&["metadata", "name"]).into());
        }
    }
    (groups, prior.into_iter().cloned().collect())
}

/// A condition of a status.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub kind: &'static str,
    pub holds: bool,
    pub reason: &'static str,
    pub message: String,
}

/// How far the decision came, for the condition `PlacementSatisfied`.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The sets that are bound and exist.
    pub bound: &'a [Text],
    /// Those of them that the placement means.
    pub eligible: &'a [Text],
    pub available: usize,
    /// Whether nothing was decided, and the last decisions stay.
    pub kept: bool,
    pub chosen: usize,
    pub missing: u64,
}

/// The first condition that applies, in the order of OCM.
pub fn satisfied(progress: &Progress) -> Condition {
    let Progress { bound, eligible, available, kept, chosen, missing } = progress;
    let (reason, message) = if bound.is_empty() {
        ("NoManagedClusterSetBindings", "no cluster set that exists is bound in the namespace".into())
    } else if eligible.is_empty() {
        ("NoIntersection", "none of the cluster sets that the placement names is bound in the namespace".into())
    } else if *available == 0 {
        ("AllManagedClusterSetsEmpty", format!("no cluster is in the cluster sets {}", eligible.join(", ")))
    } else if *kept {
        ("NotAllDecisionsScheduled", "the placement is misconfigured, and its last decisions stay".into())
    } else if *chosen == 0 {
        ("NoManagedClusterMatched", "no cluster of the cluster sets matches".into())
    } else if *missing == 0 {
        ("AllDecisionsScheduled", "every wanted cluster is chosen".into())
    } else {
        ("NotAllDecisionsScheduled", format!("{missing} more clusters are wanted than match"))
    };
    Condition { kind: "PlacementSatisfied", holds: reason == "AllDecisionsScheduled", reason, message }
}

pub fn misconfigured(problem: Option<String>) -> Condition {
    let kind = "PlacementMisconfigured";
    match problem {
        Some(message) => Condition { kind, holds: true, reason: "Misconfigured", message },
        None => {
            let message = "the placement can be decided".into();
            Condition { kind, holds: false, reason: "Succeedconfigured", message }
        }
    }
}

/// The status of the Placement. What others wrote there stays.
pub fn status(
    placement: &Value,
    selected: usize,
    groups: &[Group],
    conditions: &[Condition],
    now: Option<Timestamp>,
) -> Value {
    let mut status = placement.get("status").and_then(Value::as_map).cloned().unwrap_or_default();
    status.insert("numberOfSelectedClusters", selected);
    let group = |group: &Group| {
        Value::map([
            ("decisionGroupIndex", Value::from(group.index)),
            ("decisionGroupName", group.name.clone().into()),
            ("decisions", Value::list(group.decisions.iter().cloned())),
            ("clusterCount", group.clusters.len().into()),
        ])
    };
    status.insert("decisionGroups", Value::list(groups.iter().map(group)));
    let conditions = transition(status.get("conditions"), conditions, now);
    status.insert("conditions", conditions);
    status.into()
}

/// The conditions of a status with their new values. Conditions of other writers stay, and a condition that did not
/// change keeps its time; one without a time gets it as soon as a time is known.
pub(crate) fn transition(before: Option<&Value>, said: &[Condition], now: Option<Timestamp>) -> Value {
    let mut listed = before.and_then(Value::as_list).cloned().unwrap_or_default();
    for condition in said {
        let at = listed.iter().position(|it| it.text_at(&["type"]) == condition.kind);
        let before = at.and_then(|at| listed.get(at)).cloned().unwrap_or_default();
        let after = write_condition(&before, condition, now);
        match at.and_then(|at| listed.get_mut(at)) {
            Some(place) => *place = after,
            None => listed.push(after),
        }
    }
    listed.into()
}

fn write_condition(before: &Value, condition: &Condition, now: Option<Timestamp>) -> Value {
    let truth = if condition.holds { "True" } else { "False" };
    let turned = before.text_at(&["status"]) != truth;
    let mut after = before.as_map().cloned().unwrap_or_default();
    for (key, text) in
        [("type", condition.kind), ("status", truth), ("reason", condition.reason), ("message", &condition.message)]
    {
        after.insert(key, text);
    }
    if turned {
        after.remove("lastTransitionTime");
    }
    if let (None, Some(now)) = (after.get("lastTransitionTime"), now) {
        after.insert("lastTransitionTime", now.to_string());
    }
    after.into()
}
