//! The state of a workspace: the loaded documents, the observed state of each cluster, and the settings. Its size does
//! not grow with the number of requests.
//!
//! How one observation replaces another is the engine's rule, so its own type applies it ([`ObservedCluster`]).

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, KubeFedInput};
use fleetfold_core::api::load::{Load, QueryInput, TargetInput, Unload};
use fleetfold_core::api::{Op, request_text};
use fleetfold_core::object::{Identity, Reference};
use fleetfold_core::value::Text;
use fleetfold_core::workspace::{ObservedCluster, Query};

use crate::target::Target;

/// A request that changes the workspace.
pub trait Change: Op {
    /// Makes the same change to a state.
    fn apply(self, state: &mut WorkspaceState);

    /// The documents that it loads.
    fn documents(&self) -> &[Value] {
        &[]
    }

    /// References to the documents that it unloads.
    fn unloaded(&self) -> &[Text] {
        &[]
    }
}

/// The ops of all changes.
pub const CHANGES: [&str; 3] = [Load::NAME, Unload::NAME, Configure::NAME];

/// How many objects one request of a replay carries.
const REPLAY_BATCH: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct WorkspaceState {
    documents: BTreeMap<Identity, Value>,
    clusters: BTreeMap<Text, ClusterState>,
    settings: Configure,
    /// Increases with every change.
    pub version: u64,
}

/// The observed state of one cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    observed: ObservedCluster,
    absent: BTreeMap<Identity, TargetInput>,
    /// The queries whose lists are complete.
    lists: BTreeSet<QueryInput>,
    /// Whether all objects are known.
    is_complete: bool,
    /// Why the cluster is unreachable, if it is.
    unreachable: Option<Text>,
}

impl WorkspaceState {
    /// Forgets everything but increases the version.
    pub fn reset(&mut self) {
        *self = WorkspaceState { version: self.version + 1, ..WorkspaceState::default() };
    }

    /// Applies a request that changed the workspace.
    pub fn apply(&mut self, change: impl Change) {
        self.version += 1;
        change.apply(self);
    }

    /// All documents, by identity.
    pub fn documents(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.documents.iter()
    }

    /// The requests that load all of this into an empty workspace, as texts, in order. Stops when `send` returns false,
    /// and returns whether it did not.
    pub fn replay(&self, mut send: impl FnMut(&str) -> bool) -> bool {
        let documents: Vec<&Value> = self.documents.values().collect();
        let mut is_loaded = send_batches(&mut send, None, &documents);
        for (cluster, state) in self.clusters() {
            let objects: Vec<&Value> = state.objects().map(|(_, it)| it).collect();
            is_loaded = is_loaded
                && state.loads(cluster).iter().all(|it| send(&request_text(it)))
                && send_batches(&mut send, Some(cluster), &objects);
        }
        // Last, so that the dialects that are switched off were never on with half of the documents.
        is_loaded && send(&request_text(&self.settings))
    }

    /// The settings that were given.
    pub fn settings(&self) -> &Configure {
        &self.settings
    }

    /// The observed state of each cluster by name; the hub's name is empty.
    pub fn clusters(&self) -> impl Iterator<Item = (&str, &ClusterState)> {
        self.clusters.iter().map(|(name, state)| (name.as_str(), state))
    }
}

impl Change for Load {
    fn documents(&self) -> &[Value] {
        self.documents.as_deref().filter(|_| self.live.is_none()).unwrap_or_default()
    }

    fn apply(self, state: &mut WorkspaceState) {
        match &self.live {
            Some(cluster) => state.clusters.entry(cluster.clone()).or_default().apply(self),
            None => {
                let documents = self.documents.into_iter().flatten();
                state.documents.extend(documents.map(|it| (Target::of(&it).identity(), it)));
            }
        }
    }
}

impl Change for Unload {
    fn unloaded(&self) -> &[Text] {
        &self.refs
    }

    fn apply(self, state: &mut WorkspaceState) {
        let unloaded: Vec<Reference> = self.refs.iter().filter_map(|it| Reference::parse(it).ok()).collect();
        state.documents.retain(|identity, _| !unloaded.iter().any(|it| it.names(identity)));
    }
}

/// Settings that are left out stay as they are.
impl Change for Configure {
    fn apply(self, state: &mut WorkspaceState) {
        let Configure {
            precedence,
            stage,
            mode,
            dialects,
            expressions,
            pod_refresher,
            paused,
            leaving,
            kubefed,
            insecure_endpoints,
            limits,
            quarantined,
            digest_key,
        } = std::mem::take(&mut state.settings);
        state.settings = Configure {
            precedence: self.precedence.or(precedence),
            stage: self.stage.or(stage),
            mode: self.mode.or(mode),
            dialects: self.dialects.or(dialects),
            expressions: self.expressions.or(expressions),
            pod_refresher: self.pod_refresher.or(pod_refresher),
            paused: self.paused.or(paused),
            leaving: self.leaving.or(leaving),
            kubefed: match (self.kubefed, kubefed) {
                (Some(new), Some(old)) => Some(KubeFedInput {
                    local_changes: new.local_changes.or(old.local_changes),
                    namespaces: new.namespaces.or(old.namespaces),
                }),
                (new, old) => new.or(old),
            },
            insecure_endpoints: self.insecure_endpoints.or(insecure_endpoints),
            limits: self.limits.or(limits),
            quarantined: self.quarantined.or(quarantined),
            digest_key: self.digest_key.or(digest_key),
        };
    }
}

impl ClusterState {
    fn apply(&mut self, load: Load) {
        if load.unreachable == Some(true) {
            let unreachable = Some(load.reason.unwrap_or_default());
            *self = ClusterState { unreachable, ..ClusterState::default() };
            return;
        }
        self.unreachable = None;
        match (load.complete, load.query) {
            (Some(true), Some(query)) => {
                self.observed.complete(Some(read_query(&query)));
                self.lists.insert(query);
            }
            (Some(true), None) => {
                *self = ClusterState { is_complete: true, ..ClusterState::default() };
            }
            _ => {}
        }
        for object in load.documents.into_iter().flatten() {
            let identity = Target::of(&object).identity();
            self.absent.remove(&identity);
            self.observed.put(identity, object);
        }
        for target in load.absent.into_iter().flatten() {
            let identity = Target::from(&target).identity();
            self.observed.mark_absent(identity.clone());
            self.absent.insert(identity, target);
        }
    }

    /// The requests that load everything but the objects of this cluster; they go before those of the objects.
    pub fn loads(&self, cluster: &str) -> Vec<Load> {
        let load = || Load { live: Some(cluster.into()), ..Load::default() };
        if let Some(reason) = &self.unreachable {
            return vec![Load { unreachable: Some(true), reason: Some(reason.clone()), ..load() }];
        }
        let complete = |query| Load { documents: Some(Vec::new()), complete: Some(true), query, ..load() };
        let mut loads = Vec::new();
        if self.is_complete {
            loads.push(complete(None));
        }
        loads.extend(self.lists.iter().map(|query| complete(Some(query.clone()))));
        if !self.absent.is_empty() {
            loads.push(Load { absent: Some(self.absent.values().cloned().collect()), ..load() });
        }
        loads
    }

    /// The observed objects, by identity.
    pub fn objects(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.observed.objects()
    }
}

/// Sends objects in several requests: a request has a limit.
fn send_batches(send: &mut impl FnMut(&str) -> bool, live: Option<&str>, objects: &[&Value]) -> bool {
    objects.chunks(REPLAY_BATCH).all(|batch| {
        let documents = Some(batch.iter().map(|it| (*it).clone()).collect());
        send(&request_text(&Load { documents, live: live.map(Into::into), ..Load::default() }))
    })
}

fn read_query(query: &QueryInput) -> Query {
    let QueryInput { api_version, kind, namespace, label_selector } = query.clone();
    Query {
        api_version,
        kind,
        namespace: namespace.unwrap_or_default(),
        label_selector: label_selector.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use fleetfold_core::value::json;

    use super::*;

    fn pod() -> Load {
        let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n"}}"#;
        Load { documents: Some(vec![json::parse(pod).unwrap()]), ..live() }
    }

    fn live() -> Load {
        Load { live: Some("eu".into()), ..Load::default() }
    }

    fn apply(loads: impl IntoIterator<Item = Load>) -> (Vec<String>, Vec<String>) {
        let mut state = WorkspaceState::default();
        loads.into_iter().for_each(|load| state.apply(load));
        let facts = state.clusters().flat_map(|(name, it)| it.loads(name)).map(|it| request_text(&it)).collect();
        let objects = state.clusters().flat_map(|(_, it)| it.objects()).map(|(it, _)| it.to_string()).collect();
        (facts, objects)
    }

    #[test]
    fn documents_are_loaded_and_unloaded_by_name() {
        let document = |name: &str| format!(r#"{{"apiVersion":"x.io/v1","kind":"A","metadata":{{"name":"{name}"}}}}"#);
        let documents = ["a", "b"].map(|name| json::parse(&document(name)).unwrap());
        let load = Load { documents: Some(documents.to_vec()), ..Load::default() };
        let mut state = WorkspaceState::default();
        state.apply(load.clone());
        state.apply(load);
        state.apply(Unload { refs: vec!["A.x.io/a".into()] });
        let documents: Vec<String> = state.documents().map(|(it, _)| it.to_string()).collect();
        assert_eq!((documents, state.version), (vec!["A/b".to_owned()], 3));
    }

    #[test]
    fn settings_that_are_left_out_stay() {
        let mut state = WorkspaceState::default();
        state.apply(Configure { paused: Some(true), expressions: Some(true), ..Configure::default() });
        state.apply(Configure { paused: Some(false), ..Configure::default() });
        let want = r#"{"op":"configure","expressions":true,"paused":false}"#;
        assert_eq!(request_text(state.settings()), want);
    }

    #[test]
    fn an_object_is_either_present_or_absent() {
        let target =
            TargetInput { api_version: "v1".into(), kind: "Pod".into(), namespace: Some("n".into()), name: "a".into() };
        let gone = Load { absent: Some(vec![target]), ..live() };
        let (facts, objects) = apply([pod(), gone.clone()]);
        assert!(objects.is_empty());
        assert_eq!(facts, [request_text(&gone)]);
        let (facts, objects) = apply([pod(), gone, pod(), pod()]);
        assert_eq!((facts.len(), objects.len()), (0, 1));
    }

    #[test]
    fn a_list_replaces_the_objects_that_it_covers() {
        let query = QueryInput { api_version: "v1".into(), kind: "Pod".into(), ..QueryInput::default() };
        let all = Load { documents: Some(Vec::new()), complete: Some(true), query: Some(query), ..live() };
        let (facts, objects) = apply([pod(), all.clone(), all.clone()]);
        assert_eq!((facts.len(), objects.len()), (1, 0));
        assert_eq!(apply([all, pod()]).1, ["Pod/n/a"]);
    }

    #[test]
    fn nothing_is_known_of_an_unreachable_cluster() {
        let lost = Load { unreachable: Some(true), reason: Some("no way".into()), ..live() };
        let (facts, objects) = apply([pod(), lost.clone()]);
        assert_eq!((facts, objects.len()), (vec![request_text(&lost)], 0));
        let (facts, objects) = apply([pod(), lost, Load { unreachable: Some(false), ..live() }]);
        assert_eq!((facts.len(), objects.len()), (0, 0));
    }
}
