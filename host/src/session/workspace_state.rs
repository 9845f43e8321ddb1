//! The state of a workspace: the loaded documents, the observed state of each cluster, and the settings. Its size does
//! not grow with the number of requests.
//!
//! How one observation replaces another is the engine's rule, so its own type applies it ([`ObservedCluster`]).

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::object::document::{Identity, Reference};
use fleetfold_core::value::Map;
use fleetfold_core::workspace::observed::{ObservedCluster, Query};

use crate::answer::{list, text, texts};
use crate::target::Target;

#[derive(Clone, Debug, Default)]
pub struct WorkspaceState {
    documents: BTreeMap<Identity, Value>,
    clusters: BTreeMap<String, ClusterState>,
    settings: Map,
    /// Increases with every change.
    pub version: u64,
}

/// The observed state of one cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    observed: ObservedCluster,
    absent: BTreeMap<Identity, Value>,
    /// The queries whose lists are complete, by their canonical JSON.
    lists: BTreeMap<String, Value>,
    /// Whether all objects are known.
    is_complete: bool,
    /// Why the cluster is unreachable, if it is.
    unreachable: Option<String>,
}

impl WorkspaceState {
    /// Forgets everything but increases the version.
    pub fn reset(&mut self) {
        *self = WorkspaceState { version: self.version + 1, ..WorkspaceState::default() };
    }

    /// Applies a request that changed the workspace.
    pub fn apply(&mut self, op: &str, request: &Value) {
        self.version += 1;
        match (op, request.get("live").and_then(Value::as_text)) {
            ("configure", _) => {
                let settings = request.as_map().into_iter().flat_map(Map::iter).filter(|(key, _)| *key != "op");
                settings.for_each(|(key, value)| drop(self.settings.insert(key.clone(), value.clone())));
            }
            ("unload", _) => {
                let unloaded: Vec<Reference> =
                    texts(request, "refs").into_iter().filter_map(|it| Reference::parse(it).ok()).collect();
                self.documents.retain(|identity, _| !unloaded.iter().any(|it| it.names(identity)));
            }
            ("load", Some(cluster)) => self.clusters.entry(cluster.to_owned()).or_default().apply(request),
            ("load", None) => {
                let documents = list(request, "documents").iter().map(|it| (Target::of(it).identity(), it.clone()));
                self.documents.extend(documents);
            }
            _ => {}
        }
    }

    /// All documents, by identity.
    pub fn documents(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.documents.iter()
    }

    /// The settings, as `configure` takes them.
    pub fn settings(&self) -> Value {
        self.settings.clone().into()
    }

    /// The observed state of each cluster by name; the hub's name is empty.
    pub fn clusters(&self) -> impl Iterator<Item = (&str, &ClusterState)> {
        self.clusters.iter().map(|(name, state)| (name.as_str(), state))
    }
}

impl ClusterState {
    fn apply(&mut self, request: &Value) {
        let is = |key| request.get(key).and_then(Value::as_bool) == Some(true);
        if is("unreachable") {
            *self = ClusterState { unreachable: Some(text(request, "reason").to_owned()), ..ClusterState::default() };
            return;
        }
        self.unreachable = None;
        match (is("complete"), request.get("query")) {
            (true, Some(query)) => {
                self.observed.complete(Some(read_query(query)));
                self.lists.insert(query.to_canonical(), query.clone());
            }
            (true, None) => {
                *self = ClusterState { is_complete: true, ..ClusterState::default() };
            }
            (false, _) => {}
        }
        for object in list(request, "documents") {
            let identity = Target::of(object).identity();
            self.absent.remove(&identity);
            self.observed.put(identity, object.clone());
        }
        for target in list(request, "absent") {
            let identity = Target::read(target).identity();
            self.observed.mark_absent(identity.clone());
            self.absent.insert(identity, target.clone());
        }
    }

    /// Everything but the objects, as fields of `load` requests that go before those of the objects.
    pub fn facts(&self) -> Vec<Value> {
        if let Some(reason) = &self.unreachable {
            return vec![Value::map([("unreachable", Value::from(true)), ("reason", reason.as_str().into())])];
        }
        let nothing = || ("documents", Value::from(Vec::new()));
        let complete = ("complete", Value::from(true));
        let mut facts = Vec::new();
        if self.is_complete {
            facts.push(Value::map([nothing(), complete.clone()]));
        }
        let lists = self.lists.values();
        facts.extend(lists.map(|query| Value::map([nothing(), complete.clone(), ("query", query.clone())])));
        if !self.absent.is_empty() {
            facts.push(Value::map([("absent", Value::list(self.absent.values().cloned()))]));
        }
        facts
    }

    /// The observed objects, by identity.
    pub fn objects(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.observed.objects()
    }
}

fn read_query(query: &Value) -> Query {
    let part = |key| text(query, key).into();
    Query {
        api_version: part("apiVersion"),
        kind: part("kind"),
        namespace: part("namespace"),
        label_selector: part("labelSelector"),
    }
}

#[cfg(test)]
mod tests {
    use fleetfold_core::value::json;

    use super::*;

    fn apply(requests: &[&str]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let mut state = WorkspaceState::default();
        for request in requests {
            let request = json::parse(request).unwrap();
            state.apply(request.text_at(&["op"]), &request);
        }
        let documents = state.documents().map(|(it, _)| it.to_string()).collect();
        let facts = state.clusters().flat_map(|(_, it)| it.facts()).map(|it| it.to_canonical()).collect();
        let objects = state.clusters().flat_map(|(_, it)| it.objects()).map(|(it, _)| it.to_string()).collect();
        (documents, facts, objects)
    }

    const POD: &str = r#"{"op":"load","live":"eu","documents":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n"}}]}"#;

    #[test]
    fn documents_are_loaded_and_unloaded_by_name() {
        let load = r#"{"op":"load","documents":[{"apiVersion":"x.io/v1","kind":"A","metadata":{"name":"a"}},{"apiVersion":"x.io/v1","kind":"A","metadata":{"name":"b"}}]}"#;
        let (documents, ..) = apply(&[load, load, r#"{"op":"unload","refs":["A.x.io/a"]}"#]);
        assert_eq!(documents, ["A/b"]);
    }

    #[test]
    fn an_object_is_either_present_or_absent() {
        let gone =
            r#"{"op":"load","live":"eu","absent":[{"apiVersion":"v1","kind":"Pod","namespace":"n","name":"a"}]}"#;
        let (_, facts, objects) = apply(&[POD, gone]);
        assert!(objects.is_empty());
        assert_eq!(facts, [r#"{"absent":[{"apiVersion":"v1","kind":"Pod","name":"a","namespace":"n"}]}"#]);
        let (_, facts, objects) = apply(&[POD, gone, POD, POD]);
        assert_eq!((facts.len(), objects.len()), (0, 1));
    }

    #[test]
    fn a_list_replaces_the_objects_that_it_covers() {
        let all =
            r#"{"op":"load","live":"eu","documents":[],"complete":true,"query":{"apiVersion":"v1","kind":"Pod"}}"#;
        let (_, facts, objects) = apply(&[POD, all, all]);
        assert_eq!((facts.len(), objects.len()), (1, 0));
        assert_eq!(apply(&[all, POD]).2, ["Pod/n/a"]);
    }

    #[test]
    fn nothing_is_known_of_an_unreachable_cluster() {
        let lost = r#"{"op":"load","live":"eu","unreachable":true,"reason":"no way"}"#;
        let (_, facts, objects) = apply(&[POD, lost]);
        assert_eq!((facts, objects.len()), (vec![r#"{"reason":"no way","unreachable":true}"#.to_owned()], 0));
        let (_, facts, objects) = apply(&[POD, lost, r#"{"op":"load","live":"eu","unreachable":false}"#]);
        assert_eq!((facts.len(), objects.len()), (0, 0));
    }
}
