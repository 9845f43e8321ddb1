//! The status of a federated object: how far it got, cluster by cluster, in KubeFed's own words.

use super::control_plane::is_ready;
use super::leaving::leaves;
use super::remote_status::{Collection, Remote, remote};
use super::{Federated, Holding, Leaving};
use crate::diagnostic::{Code, Error};
use crate::object::identity::is_terminating;
use crate::value::collections::SortedMap;
use crate::value::sorting::sort;
use crate::value::{Map, Text, Value};
use crate::workspace::observed::Observation;
use crate::workspace::plan::{Planner, StatusTerms, SubjectPlan};
use crate::workspace::results::{ClusterResult, ClusterResults};
use crate::workspace::settings;
use crate::workspace::store::View;

/// `Offline` is a condition of a KubeFedCluster, `Propagation` of a federated object.
pub const TERMS: StatusTerms =
    StatusTerms { bad: &[("Offline", "True"), ("Propagation", "False")], ..StatusTerms::NONE };

/// What is known of one cluster.
enum Word {
    /// Nothing new: the previous status stays.
    Before,
    /// It has no status.
    Nothing,
    /// KubeFed's word; it is empty where all is well.
    Is(&'static str),
}

/// Writes the state of the object in every cluster to the status.
pub fn report(federated: &Federated, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
    let Some(document) = view.store.document(&federated.subject) else { return };
    let before = document.value.get("status").unwrap_or(&Value::Null);
    let earlier = before.get("clusters").and_then(Value::as_list).into_iter().flatten();
    let mut earlier: SortedMap<&str, &Value> = earlier.map(|it| (it.text_at(&["name"]), it)).collect();
    let mut names: Vec<&Text> = Vec::new();
    names.extend(view.store.fleet(&federated.scope).into_iter().flat_map(|it| it.clusters()).map(|it| &it.name));
    sort(&mut names);
    let (mut clusters, mut is_open, mut is_well) = (Vec::new(), false, true);
    for name in names {
        match word(federated, view, name, cluster_results.get(name)) {
            Word::Nothing => {}
            Word::Before => {
                is_open = true;
                let entry = earlier.remove(name.as_str()).cloned();
                clusters.extend(entry.map(|it| with_remote(federated, view, name, it)));
            }
            Word::Is(word) => {
                is_well = is_well && matches!(word, "" | WAITING);
                let mut entry = Map::from_iter([("name", name.clone())]);
                if !word.is_empty() {
                    entry.insert("status", word);
                }
                if let Some(before) = earlier.get(name.as_str()).and_then(|it| it.get(REMOTE)) {
                    entry.insert(REMOTE, before.clone());
                }
                clusters.push(with_remote(federated, view, name, entry.into()));
            }
        }
    }
    let reason = match (federated.has_namespace, is_well) {
        (false, _) => "NamespaceNotFederated",
        (true, false) => "CheckClusters",
        (true, true) => "",
    };
    let mut status = Map::new();
    status.insert("clusters", if clusters.is_empty() { Value::Null } else { clusters.into() });
    // There is no result yet while the object is being deleted, or while a cluster is not observed.
    if federated.leaving == Leaving::No && !(is_open && reason.is_empty()) {
        status.insert("conditions", conditions(before, reason, view));
    }
    if let Some(generation) = document.value.at(&["metadata", "generation"]) {
        status.insert("observedGeneration", generation.clone());
    }
    planner.status(&document.value, status.into());
}

const WAITING: &str = "WaitingForRemoval";

/// The status of the copy itself.
const REMOTE: &str = "remoteStatus";

/// The entry of a cluster with the status of its copy, if statuses are collected here.
fn with_remote(federated: &Federated, view: View, name: &Text, mut entry: Value) -> Value {
    let collects = matches!(federated.collects, Some(Collection::Field));
    if let Some(map) = entry.as_map_mut() {
        match remote(federated, view, name) {
            Remote::Is(status) if collects => drop(map.insert(REMOTE, status.clone())),
            Remote::Unknown if collects => {}
            _ => drop(map.remove(REMOTE)),
        }
    }
    entry
}

fn word(federated: &Federated, view: View, name: &Text, cluster_result: Option<&ClusterResult>) -> Word {
    let leaves = leaves(view, &federated.scope, name);
    if leaves == Some(settings::Leaving::Orphan) {
        return Word::Nothing;
    }
    let cluster_result = cluster_result.filter(|_| federated.leaving == Leaving::No && leaves.is_none());
    if !is_ready(view, &federated.scope, name) {
        return if cluster_result.is_some() { Word::Is("ClusterNotReady") } else { Word::Nothing };
    }
    let live = match view.store.observation(name, &federated.object) {
        Observation::Present(live) => Some(live),
        Observation::Absent => None,
        Observation::Unknown => return Word::Before,
    };
    let cluster = view.store.fleet(&federated.scope).and_then(|it| it.get(name));
    let is_undecided = cluster.is_some_and(|it| federated.is_undecided_for(it));
    if cluster_result.is_none() && is_undecided && federated.leaving == Leaving::No && leaves.is_none() {
        return Word::Before;
    }
    let Some(cluster_result) = cluster_result else {
        return match live {
            Some(live) if federated.holding(live) == Holding::Managed => Word::Is(WAITING),
            _ => Word::Nothing,
        };
    };
    match (&cluster_result.rendered, live.map(|it| (it, federated.holding(it)))) {
        (Err(error), _) => Word::Is(failure(error)),
        (Ok(_), Some((_, Holding::Refused))) => Word::Is("ManagedLabelFalse"),
        (Ok(_), Some((_, Holding::Foreign))) => Word::Is("AlreadyExists"),
        (Ok(_), Some((live, _))) if !is_terminating(live) => cluster_result.steps().map_or(Word::Before, rendered),
        (Ok(_), _) => Word::Before,
    }
}

/// What planning one cluster came to.
fn rendered(steps: &SubjectPlan) -> Word {
    let SubjectPlan { needs, actions, held, diagnostics, .. } = steps;
    match needs.is_empty() && actions.is_empty() && held.is_empty() {
        false => Word::Before,
        true if diagnostics.iter().any(|it| it.code == Code::ImmutableDifference) => Word::Is("UpdateFailed"),
        true => Word::Is(""),
    }
}

/// The reason why an object has no result.
fn failure(error: &Error) -> &'static str {
    match error.code {
        Code::BadLiveValue | Code::PathBlocked | Code::WrongType | Code::IdentityMismatch => "FieldRetentionFailed",
        _ => "ApplyOverridesFailed",
    }
}

/// The conditions with `Propagation` updated. Its times change when it does; a condition without a time gets one as
/// soon as the time is known.
fn conditions(before: &Value, reason: &str, view: View) -> Value {
    const KIND: &str = "Propagation";
    let mut all = before.get("conditions").and_then(Value::as_list).cloned().unwrap_or_default();
    let is_ours = |it: &Value| it.text_at(&["type"]) == KIND;
    let earlier = all.iter().position(is_ours).and_then(|at| all.get(at)).cloned();
    let status = if reason.is_empty() { "True" } else { "False" };
    let said = |key: &str| earlier.as_ref().map_or("", |it| it.text_at(&[key]));
    let is_dated = view.now.is_none() || !said("lastTransitionTime").is_empty();
    if said("status") == status && said("reason") == reason && is_dated {
        return all.into();
    }
    let mut condition = earlier.as_ref().and_then(Value::as_map).cloned().unwrap_or_default();
    let now = view.now.map(|it| it.to_string());
    if let (Some(now), true) = (&now, said("status") != status || !is_dated) {
        condition.insert("lastTransitionTime", now.as_str());
    }
    if let Some(now) = &now {
        condition.insert("lastUpdateTime", now.as_str());
    }
    condition.insert("type", KIND);
    condition.insert("status", status);
    match reason {
        "" => drop(condition.remove("reason")),
        reason => drop(condition.insert("reason", reason)),
    }
    all.retain(|it| !is_ours(it));
    all.push(condition.into());
    all.into()
}
