//! Placements: which clusters they choose, and the decisions that say so on the hub.

use std::sync::Arc;

use super::hub::Hub;
use super::{DECISION, Ocm, PLACEMENT, SCORE, decides, fleet_scope};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::placement::{self, Placed, State, Why};
use crate::engine::rendered::{DecisionGroup, Rendered};
use crate::engine::select::cluster_set::GROUP;
use crate::engine::select::{self, Cluster};
use crate::object::document::{Document, Identity};
use crate::object::timestamp::Timestamp;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Text, Value};
use crate::workspace::cluster_groups::ClusterGroups;
use crate::workspace::observed::{HUB, Observation, Query};
use crate::workspace::plan::{DesiredObject, ObjectState, Planner, Reason, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::{ClusterFilter, Targets};

/// The version of the objects that are asked for.
const DECISION_VERSION: &str = "cluster.open-cluster-management.io/v1beta1";
const SCORE_VERSION: &str = "cluster.open-cluster-management.io/v1alpha1";

pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Box<dyn Subject> {
    let before = out.len();
    let placed = Hub::of(view).decide(&document.value, Why::Nobody, out);
    let told = out.iter().skip(before).filter(|it| it.code == Code::DecisionsKept).cloned().collect();
    let mut groups = SortedMap::new();
    for (number, group) in (0_u32..).zip(&placed.groups) {
        groups.extend(group.clusters.iter().map(|name| (name.clone(), number)));
    }
    let Identity { namespace, name, .. } = &document.identity;
    let picks =
        ClusterFilter::Members { of: format!("the placement `{name}`"), names: groups.keys().cloned().collect() };
    let uses = Uses::of(&document.value);
    let mut depends = Ocm.placement_dependencies(namespace, name);
    if uses.others {
        // Which of two placements makes room is told by their age.
        depends.push(Dependency::kind(GROUP, PLACEMENT, None));
    }
    Box::new(Placement {
        identity: document.identity.clone(),
        who: Targets::Fleet(fleet_scope(), picks),
        depends,
        uses,
        placed,
        groups,
        told,
        now: view.now,
    })
}

/// What a placement looks at beside clusters and its own decisions.
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
    who: Targets,
    depends: Vec<Dependency>,
    uses: Uses,
    placed: Placed,
    /// The chosen clusters, each with the place of its group.
    groups: SortedMap<Text, u32>,
    /// That its last decisions stay, which a plan must say.
    told: Vec<Diagnostic>,
    /// When it was decided.
    now: Option<Timestamp>,
}

impl Placement {
    /// The decisions of this placement as they stand on the hub, once everything that it looks at is known.
    fn prior(&self, planner: &mut Planner) -> Option<Vec<(Identity, Value)>> {
        let Identity { namespace, name, .. } = &self.identity;
        let all = |kind: &str, api_version: &str| Query {
            api_version: api_version.into(),
            kind: kind.into(),
            ..Query::default()
        };
        let own = Query {
            namespace: namespace.clone(),
            label_selector: format!("{}={name}", placement::PLACEMENT).into(),
            ..all(DECISION, DECISION_VERSION)
        };
        let decisions = if self.uses.others { &all(DECISION, DECISION_VERSION) } else { &own };
        let decided = planner.list(HUB, decisions).is_some();
        let scored = !self.uses.scores || planner.list(HUB, &all(SCORE, SCORE_VERSION)).is_some();
        if decided && scored { planner.list(HUB, &own) } else { None }
    }

    /// Makes the decisions be there, empty at first; answers whether all of them are.
    fn ensure_decisions(&self, planner: &mut Planner) -> bool {
        let mut complete = true;
        for decision in &self.placed.decisions {
            let standing = planner.look(HUB, &Target::of(decision));
            if matches!(standing, Observation::Present(live) if live == decision) {
                continue;
            }
            let mut desired = decision.clone();
            if let Some(map) = desired.as_map_mut() {
                map.remove("status");
            }
            let because = format!("the placement `{}` lists clusters here", self.identity.name);
            let standing = planner.ensure(DesiredObject { cluster: HUB.into(), desired, wave: 0, because });
            complete &= !matches!(standing, ObjectState::Unknown | ObjectState::Missing | ObjectState::Terminating);
        }
        complete
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
        &self.who
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, _: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        let number = self.groups.get(&cluster.name).copied().unwrap_or_default();
        cache.get_or(vec![number], |_| {
            let group = self.placed.groups.get(number as usize);
            let group = group
                .map(|it| DecisionGroup { name: it.name.clone(), index: i64::try_from(it.index).unwrap_or(i64::MAX) });
            Ok(Rendered { group, ..Rendered::default() })
        })
    }

    fn plan(&self, _: View, _: &Text, _: &Rendered, _: &mut Planner) {}

    /// An API server takes the clusters of a decision as its status only, after it was created. Which clusters were chosen
    /// before counts for the next decision, so that none is taken off one object before another lists it:
    ///
    /// 1. Decisions that are not there are created, and nothing else is done.
    /// 2. Once all are there, they get their clusters, and keep those that have yet to arrive elsewhere.
    /// 3. Once every cluster is where it belongs, what is too much in a decision goes, and so do decisions that are too many.
    fn plan_subject(&self, view: View, _: &ClusterResults, planner: &mut Planner) {
        let Some(document) = view.store.document(&self.identity) else { return };
        planner.steps.diagnostics.extend(self.told.iter().cloned());
        if matches!(self.placed.state, State::NotOurs | State::BrokenSet) {
            return;
        }
        let Some(prior) = self.prior(planner) else { return };
        let complete = self.ensure_decisions(planner);
        if complete {
            let arriving = self.arriving(&prior);
            for decision in &self.placed.decisions {
                if let Observation::Present(live) = planner.look(HUB, &Target::of(decision)) {
                    planner.status(live, placement::passing_on(decision, live, &arriving));
                }
            }
            let wanted = |name: &str| self.placed.decisions.iter().any(|it| it.text_at(&["metadata", "name"]) == name);
            let is_idle = |decision: &Value| placement::listed(decision).all(|it| !arriving.contains(it));
            let extra = |(identity, live): &&(Identity, Value)| !wanted(&identity.name) && is_idle(live);
            for (_, extra) in prior.iter().filter(extra) {
                let text = format!("the placement `{}` has fewer decisions now", self.identity.name);
                planner.delete(HUB, extra, 0, Reason::new(ReasonCode::NoLongerWanted, text));
            }
            if let Some(status) = &self.placed.status {
                planner.status(&document.value, timed(status.clone(), view.now));
            }
        }
        // Decisions are no possessions: they must not widen the budget for deletes.
        planner.steps.managed = 0;
    }

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        if decides(object) { Invalidation::Subject } else { Invalidation::Nothing }
    }

    fn reads_hub(&self) -> bool {
        true
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
