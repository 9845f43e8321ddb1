//! Placements: which clusters they choose, and their decisions on the hub.

use std::sync::Arc;

use super::hub::{Hub, sharing};
use super::{DECISION, Ocm, PLACEMENT, SCORE, decides, fleet_scope};
use crate::diagnostic::{Code, Diagnostic, Error, Mode, ReasonCode};
use crate::engine::matching::{Difference, DifferenceKind};
use crate::engine::placement::{self, DecisionState, Placed, Sharing, Why, has_expressions};
use crate::engine::rendered::{DecisionGroup, Rendered};
use crate::engine::select::cluster_set::GROUP;
use crate::engine::select::{self, Cluster};
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::object::timestamp::Timestamp;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};
use crate::workspace::cluster_groups::ClusterGroups;
use crate::workspace::observed::{HUB, Observation, Query};
use crate::workspace::plan::{Action, Decision, DesiredObject, ObjectState, Planner, Reason, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::{ClusterFilter, Targets};

/// The version of the objects that are read.
const DECISION_VERSION: &str = "cluster.open-cluster-management.io/v1beta1";
const SCORE_VERSION: &str = "cluster.open-cluster-management.io/v1alpha1";

pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Box<dyn Subject> {
    let before = out.len();
    let placed = Hub::of(view).decide(&document.value, Why::Nobody, out);
    let is_explained = out.iter().skip(before).filter(|it| it.code == Code::DecisionsKept).cloned().collect();
    let mut groups = SortedMap::new();
    for (number, group) in (0_u32..).zip(&placed.groups) {
        groups.extend(group.clusters.iter().map(|name| (name.clone(), number)));
    }
    let Identity { namespace, name, .. } = &document.identity;
    let (of, names) = (format!("the placement `{name}`"), groups.keys().cloned().collect());
    let picks = ClusterFilter::Members { of, names, unknown: SortedSet::new() };
    let uses = Uses::of(&document.value);
    let mut depends = Ocm.placement_dependencies(namespace, name);
    // Those of clusters show whether an absent ManagedCluster has left.
    depends.push(Dependency::kind("", "Namespace", None));
    if uses.others {
        // The age of two placements decides which one makes room.
        depends.push(Dependency::kind(GROUP, PLACEMENT, None));
    }
    Box::new(Placement {
        identity: document.identity.clone(),
        targets: Targets::Fleet(fleet_scope(), picks),
        depends,
        uses,
        placed,
        groups,
        is_explained,
        now: view.now,
        sharing: has_expressions(&document.value).then(|| sharing(view, namespace)),
    })
}

/// The objects that a placement reads beside clusters and its own decisions.
#[derive(Clone, Copy, Debug)]
struct Uses {
    /// The decisions of other placements, which count where not all clusters are taken.
    others: bool,
    scores: bool,
    time: bool,
}

impl Uses {
    fn of(placement: &Value) -> Uses {
        let list = |path: &[&str]| placement.at(path).and_then(Value::as_list).map_or(&[][..], Vec::as_slice);
        let scores = list(&["spec", "prioritizerPolicy", "configurations"]);
        let scores = scores.iter().any(|it| it.text_at(&["scoreCoordinate", "type"]) == "AddOn");
        let ends = |it: &Value| it.get("tolerationSeconds").is_some_and(|it| !it.is_null());
        let others = placement.at(&["spec", "numberOfClusters"]).is_some_and(|it| !it.is_null());
        Uses { others, scores, time: scores || list(&["spec", "tolerations"]).iter().any(ends) }
    }
}

#[derive(Debug)]
struct Placement {
    identity: Identity,
    targets: Targets,
    depends: Vec<Dependency>,
    uses: Uses,
    placed: Placed,
    /// The chosen clusters, each with the place of its group.
    groups: SortedMap<Text, u32>,
    /// That its last decisions stay, which a plan must report.
    is_explained: Vec<Diagnostic>,
    /// When it was decided.
    now: Option<Timestamp>,
    /// With how many others it shared the steps of expressions, if it has any.
    sharing: Option<Sharing>,
}

impl Placement {
    /// The decisions of this placement on the hub, once everything that it reads is known.
    fn prior(&self, planner: &mut Planner) -> Option<Vec<(Identity, Value)>> {
        let Identity { namespace, name, .. } = &self.identity;
        let all = |kind: &str, api_version: &str| Query {
            api_version: api_version.into(),
            kind: kind.into(),
            ..Query::default()
        };
        let of_placement = Query {
            namespace: namespace.clone(),
            label_selector: format!("{}={name}", placement::PLACEMENT).into(),
            ..all(DECISION, DECISION_VERSION)
        };
        let decisions = if self.uses.others { &all(DECISION, DECISION_VERSION) } else { &of_placement };
        let decided = planner.list(HUB, decisions).is_some();
        let scored = !self.uses.scores || planner.list(HUB, &all(SCORE, SCORE_VERSION)).is_some();
        if decided && scored { planner.list(HUB, &of_placement) } else { None }
    }

    /// Makes the decisions be there, empty at first.
    fn ensure_decisions(&self, planner: &mut Planner) -> Readiness {
        let mut readiness = Readiness::Complete;
        for decision in &self.placed.decisions {
            let live = planner.look(HUB, &Target::of(decision));
            if matches!(live, Observation::Present(live) if live == decision) {
                continue;
            }
            let mut desired = decision.clone();
            if let Some(map) = desired.as_map_mut() {
                map.remove("status");
            }
            let because = format!("the placement `{}` lists clusters here", self.identity.name);
            let state = planner.ensure(DesiredObject { cluster: HUB.into(), desired, wave: 0, because });
            readiness = readiness.max(match state {
                ObjectState::Unknown | ObjectState::Terminating => Readiness::Waits,
                ObjectState::Missing | ObjectState::Differs => Readiness::Writes,
                _ => Readiness::Complete,
            });
        }
        readiness
    }

    /// Decides which clusters each decision lists: an action for every one that lists others, and one in the next wave
    /// for every one that passes clusters on.
    fn decide(&self, prior: &[(Identity, Value)], wave: i64, planner: &mut Planner) {
        let arriving = self.arriving(prior);
        let wanted: SortedSet<&str> = self.placed.decisions.iter().flat_map(placement::listed).collect();
        for decision in &self.placed.decisions {
            let target = Target::of(decision);
            let live = match planner.look(HUB, &target) {
                Observation::Present(live) => Some(live),
                Observation::Absent => None,
                Observation::Unknown => continue,
            };
            let none = Value::Null;
            let passing = placement::passing_on(decision, live.unwrap_or(&none), &arriving);
            let settled = decision.get("status").cloned().unwrap_or_default();
            let mut before = live.cloned();
            for (wave, mut status) in [(wave, passing), (wave.saturating_add(1), settled)] {
                let listed = before.as_ref().and_then(|it| it.at(&["status", "decisions"]));
                if same_list(listed, status.get("decisions")) {
                    continue;
                }
                let further = live.and_then(|it| it.get("status")).and_then(Value::as_map);
                if let Some(status) = status.as_map_mut() {
                    for (key, value) in further.into_iter().flat_map(Map::iter) {
                        status.entry_or(key, || value.clone());
                    }
                }
                let now = Value::map([("status", status.clone())]);
                let moves = Moves::of(before.as_ref(), &now, &wanted);
                // In the same plan the object itself may change first, and then has another version.
                let expected = live.map(|it| if wave == 0 { it.clone() } else { without_version(it) });
                let reason = moves.reason(&self.identity.name, before.as_ref(), &now);
                let leaving = moves.leaving.iter().copied().map(Text::from).collect();
                let decision = Decision { status, leaving, wave, reason };
                planner.decide(target.clone(), expected.as_ref(), decision);
                before = Some(now);
            }
        }
    }

    /// Deletes the decisions that are too many: in the next wave where a cluster of theirs has yet to arrive elsewhere.
    fn delete_extra(&self, prior: &[(Identity, Value)], wave: i64, planner: &mut Planner) {
        let arriving = self.arriving(prior);
        let wanted: SortedSet<&str> = self.placed.decisions.iter().flat_map(placement::listed).collect();
        let is_wanted = |name: &str| self.placed.decisions.iter().any(|it| it.text_at(&["metadata", "name"]) == name);
        let is_idle = |decision: &Value| placement::listed(decision).all(|it| !arriving.contains(it));
        for (_, extra) in prior.iter().filter(|(identity, _)| !is_wanted(&identity.name)) {
            let wave = if is_idle(extra) { wave } else { wave.saturating_add(1) };
            let leaving = placement::listed(extra).filter(|it| !wanted.contains(it)).map(Text::from).collect();
            let text = format!("the placement `{}` has fewer decisions now", self.identity.name);
            planner.delete_decision(extra, leaving, wave, Reason::new(ReasonCode::NoLongerWanted, text));
        }
    }
}

/// How far the objects of the decisions are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Readiness {
    Complete,
    /// Some are created or changed first.
    Writes,
    /// Some are not known yet, or are being deleted.
    Waits,
}

/// No list and an empty one list the same clusters.
fn same_list(live: Option<&Value>, wanted: Option<&Value>) -> bool {
    let items = |value: Option<&Value>| value.and_then(Value::as_list).cloned().unwrap_or_default();
    items(live) == items(wanted)
}

fn without_version(live: &Value) -> Value {
    let mut live = live.clone();
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_map_mut) {
        metadata.remove("resourceVersion");
    }
    live
}

/// The clusters that a decision did not list before, and those that no decision lists now.
struct Moves<'a> {
    joining: Vec<&'a str>,
    leaving: Vec<&'a str>,
}

impl<'a> Moves<'a> {
    fn of(live: Option<&'a Value>, now: &'a Value, wanted: &SortedSet<&str>) -> Moves<'a> {
        let before: SortedSet<&str> = live.into_iter().flat_map(placement::listed).collect();
        let after: SortedSet<&str> = placement::listed(now).collect();
        Moves {
            joining: placement::listed(now).filter(|it| !before.contains(it)).collect(),
            leaving: before.into_iter().filter(|it| !after.contains(it) && !wanted.contains(it)).collect(),
        }
    }

    fn reason(&self, placement: &str, live: Option<&Value>, now: &Value) -> Reason {
        let parts = [("adds", &self.joining), ("removes", &self.leaving)];
        let parts = parts.iter().filter(|(_, names)| !names.is_empty());
        let parts: Vec<String> = parts.map(|(verb, names)| format!("{verb} {}", quoted(names))).collect();
        let text = match parts.is_empty() {
            true => format!("the placement `{placement}` moves clusters between its decisions"),
            false => format!("the placement `{placement}` {}", parts.join(" and ")),
        };
        let path = Pointer::of(["status", "decisions"]);
        let (desired, live) = (path.get(now).cloned(), live.and_then(|it| path.get(it)).cloned());
        let kind = if live.is_some() { DifferenceKind::Changed } else { DifferenceKind::Missing };
        Reason { code: ReasonCode::Differs, text, differences: vec![Difference { path, kind, desired, live }] }
    }
}

/// Some names, of many the first ones.
fn quoted(names: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|it| format!("`{it}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl Placement {
    /// The chosen clusters that are not listed yet by the decision that is to list them.
    fn arriving<'a>(&'a self, prior: &[(Identity, Value)]) -> SortedSet<&'a str> {
        let missing = |decision: &'a Value| {
            let name = decision.text_at(&["metadata", "name"]);
            let live = prior.iter().find(|(identity, _)| identity.name == name).map(|(_, live)| live);
            let there: SortedSet<&str> = live.into_iter().flat_map(placement::listed).collect();
            placement::listed(decision).filter(move |it| !there.contains(it))
        };
        self.placed.decisions.iter().flat_map(missing).collect()
    }
}

impl Subject for Placement {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, _: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        let number = self.groups.get(&cluster.name).copied().unwrap_or_default();
        cache.get_or(vec![number], |_| {
            let group = self.placed.groups.get(number as usize);
            let group = group.map(|it| DecisionGroup { name: it.name.clone(), index: it.index });
            Ok(Rendered { group, ..Rendered::default() })
        })
    }

    fn plan(&self, _: View, _: &Text, _: &Rendered, _: &mut Planner) {}

    /// An API server accepts the clusters of a decision only as its status, after it was created. That status is the
    /// effect of a placement, so it is an action: shown, in the digest, and under the limits. The previously chosen
    /// clusters count for the next decision, so none is removed from one object before another lists it:
    ///
    /// 1. Absent decisions are created, and get their clusters in the next wave.
    /// 2. The others get their clusters, and keep those that have yet to arrive elsewhere.
    /// 3. One wave later, surplus clusters are removed from decisions, and surplus decisions are deleted. If one of the
    ///    earlier writes fails or is held, this waits.
    /// 4. A selection that becomes empty is held.
    /// 5. A cluster whose ManagedCluster is absent while its Namespace exists is unknown, not absent: the decision that
    ///    lists it is held.
    fn plan_subject(&self, view: View, _: &ClusterResults, planner: &mut Planner) {
        let Some(document) = view.store.document(&self.identity) else { return };
        planner.steps.diagnostics.extend(self.is_explained.iter().cloned());
        if matches!(self.placed.state, DecisionState::NotOurs | DecisionState::BrokenSet) {
            return;
        }
        let Some(prior) = self.prior(planner) else { return };
        let since = planner.steps.actions.len();
        let readiness = self.ensure_decisions(planner);
        match readiness {
            Readiness::Waits => {}
            Readiness::Writes | Readiness::Complete => {
                let wave = if readiness == Readiness::Writes { 1 } else { 0 };
                self.decide(&prior, wave, planner);
                self.delete_extra(&prior, wave, planner);
            }
        }
        let listed: SortedSet<&str> = prior.iter().flat_map(|(_, it)| placement::listed(it)).collect();
        let is_emptied = self.groups.is_empty() && !listed.is_empty() && !view.settings.limits.empty_selection;
        if is_emptied {
            let text = "the placement chooses no cluster, and its decisions would list none";
            planner.hold(since, ReasonCode::EmptySelection, text, "allow it with `limits.emptySelection: true`");
        }
        hold_vanished(view, &listed, since, planner);
        if let Some(status) = self.placed.status.as_ref().filter(|_| readiness == Readiness::Complete) {
            planner.status(&document.value, timed(status.clone(), view.now));
        }
        // Decisions are no possessions: they must not widen the budget for deletes, and have their own.
        (planner.steps.managed, planner.steps.listed) = (0, listed.len());
    }

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        if decides(object) { Invalidation::Subject } else { Invalidation::Nothing }
    }

    fn is_outdated(&self, view: View) -> bool {
        self.sharing.is_some_and(|it| it != sharing(view, &self.identity.namespace))
    }

    fn reads_hub(&self) -> bool {
        true
    }

    fn is_undecided(&self) -> bool {
        self.placed.state == DecisionState::BrokenSet
    }

    fn is_timed(&self) -> bool {
        self.uses.time
    }

    fn explain(&self, view: View, cluster: &Cluster) -> (bool, Vec<select::Reason>) {
        let View { store, .. } = view;
        let Some(document) = store.document(&self.identity) else { return (false, Vec::new()) };
        let hub = Hub::of(View { store, now: self.now });
        let placed = hub.decide(&document.value, Why::One(&cluster.name), &mut Vec::new());
        let explained = placed.explained.into_iter().next();
        explained.map_or((false, Vec::new()), |it| (it.chosen, it.steps.into_iter().map(|it| it.reason).collect()))
    }
}

/// Holds what takes clusters off a decision whose ManagedCluster is absent and whose Namespace is not. Open Cluster
/// Management deletes both when a cluster leaves, the ManagedCluster with a deletionTimestamp first: one that is just
/// not there was moved, misspelled or deleted by mistake, and a pause disappears with it.
fn hold_vanished(view: View, listed: &SortedSet<&str>, since: usize, planner: &mut Planner) {
    if view.settings.mode == Mode::Compat {
        return;
    }
    let is_there = |name: &str| {
        let (kind, name) = ("Namespace".into(), name.into());
        let namespace = view.store.document(&Identity { kind, name, ..Identity::default() });
        namespace.is_some_and(|it| !is_terminating(&it.value))
    };
    let is_vanished = |name: &&str| view.store.cluster_document(&fleet_scope(), name).is_none() && is_there(name);
    let vanished: Vec<&str> = listed.iter().copied().filter(is_vanished).collect();
    if vanished.is_empty() {
        return;
    }
    let text =
        format!("the ManagedCluster of {} is absent, and the Namespace of the cluster is not", quoted(&vanished));
    let hint = "restore the ManagedCluster; if the cluster has left, delete its Namespace";
    let is_held = |it: &Action| it.leaving.iter().any(|name| vanished.contains(&name.as_str()));
    planner.hold_those(since, is_held, ReasonCode::ClusterUnknown, &text, hint);
}

/// The status with the time in the conditions that were decided without one.
fn timed(mut status: Value, now: Option<Timestamp>) -> Value {
    let conditions = status.get_mut("conditions").and_then(Value::as_list_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_map_mut) {
        if let (None, Some(now)) = (condition.get("lastTransitionTime"), now) {
            condition.insert("lastTransitionTime", now.to_string());
        }
    }
    status
}
