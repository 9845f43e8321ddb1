//! What everything that was put to an engine comes to: the documents that are loaded now, what is known of each cluster, and
//! the settings. However long a workspace lives, this is no larger than what it holds.
//!
//! What a sight means for earlier ones is the engine's to say, and its own code says it ([`ObservedCluster`]).

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::object::document::{Identity, Reference};
use fleetfold_core::value::Map;
use fleetfold_core::workspace::observed::{ObservedCluster, Query};

use crate::answer::{list, text, texts};
use crate::cluster::Target;

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    documents: BTreeMap<Identity, Value>,
    clusters: BTreeMap<String, Known>,
    settings: Map,
    /// How often something was noted.
    pub version: u64,
}

/// What is known of one cluster.
#[derive(Clone, Debug, Default)]
pub struct Known {
    seen: ObservedCluster,
    absent: BTreeMap<Identity, Value>,
    /// The lists that are complete, by what they are in JSON.
    lists: BTreeMap<String, Value>,
    /// Whether everything there is known.
    everything: bool,
    /// Why it did not answer, where it did not.
    lost: Option<String>,
}

impl Ledger {
    /// Forgets everything, except that it is another one now.
    pub fn begin_anew(&mut self) {
        *self = Ledger { version: self.version + 1, ..Ledger::default() };
    }

    /// Takes in a request that changed the workspace.
    pub fn note(&mut self, op: &str, request: &Value) {
        self.version += 1;
        match (op, request.get("live").and_then(Value::as_text)) {
            ("configure", _) => {
                let settings = request.as_map().into_iter().flat_map(Map::iter).filter(|(key, _)| *key != "op");
                settings.for_each(|(key, value)| drop(self.settings.insert(key.clone(), value.clone())));
            }
            ("unload", _) => {
                let gone: Vec<Reference> =
                    texts(request, "refs").into_iter().filter_map(|it| Reference::parse(it).ok()).collect();
                self.documents.retain(|identity, _| !gone.iter().any(|it| it.names(identity)));
            }
            ("load", Some(cluster)) => self.clusters.entry(cluster.to_owned()).or_default().note(request),
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

    /// What is known of each cluster, by its name; the hub has none.
    pub fn clusters(&self) -> impl Iterator<Item = (&str, &Known)> {
        self.clusters.iter().map(|(name, known)| (name.as_str(), known))
    }
}

impl Known {
    fn note(&mut self, request: &Value) {
        let is = |key| request.get(key).and_then(Value::as_bool) == Some(true);
        if is("unreachable") {
            *self = Known { lost: Some(text(request, "reason").to_owned()), ..Known::default() };
            return;
        }
        self.lost = None;
        match (is("complete"), request.get("query")) {
            (true, Some(query)) => {
                self.seen.complete(Some(read_query(query)));
                self.lists.insert(query.to_canonical(), query.clone());
            }
            (true, None) => {
                *self = Known { everything: true, ..Known::default() };
            }
            (false, _) => {}
        }
        for object in list(request, "documents") {
            let identity = Target::of(object).identity();
            self.absent.remove(&identity);
            self.seen.put(identity, object.clone());
        }
        for target in list(request, "absent") {
            let identity = Target::read(target).identity();
            self.seen.mark_absent(identity.clone());
            self.absent.insert(identity, target.clone());
        }
    }

    /// Everything that is known apart from the objects, as fields of `load`. It goes before them.
    pub fn facts(&self) -> Vec<Value> {
        if let Some(reason) = &self.lost {
            return vec![Value::map([("unreachable", Value::from(true)), ("reason", reason.as_str().into())])];
        }
        let nothing = || ("documents", Value::from(Vec::new()));
        let complete = ("complete", Value::from(true));
        let mut facts = Vec::new();
        if self.everything {
            facts.push(Value::map([nothing(), complete.clone()]));
        }
        let lists = self.lists.values();
        facts.extend(lists.map(|query| Value::map([nothing(), complete.clone(), ("query", query.clone())])));
        if !self.absent.is_empty() {
            facts.push(Value::map([("absent", Value::list(self.absent.values().cloned()))]));
        }
        facts
    }

    /// The objects that were seen, by identity.
    pub fn objects(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.seen.objects()
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

    fn told(requests: &[&str]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let mut ledger = Ledger::default();
        for request in requests {
            let request = json::parse(request).unwrap();
            ledger.note(request.text_at(&["op"]), &request);
        }
        let documents = ledger.documents().map(|(it, _)| it.to_string()).collect();
        let facts = ledger.clusters().flat_map(|(_, it)| it.facts()).map(|it| it.to_canonical()).collect();
        let objects = ledger.clusters().flat_map(|(_, it)| it.objects()).map(|(it, _)| it.to_string()).collect();
        (documents, facts, objects)
    }

    const POD: &str = r#"{"op":"load","live":"eu","documents":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n"}}]}"#;

    #[test]
    fn documents_come_and_go_by_their_names() {
        let load = r#"{"op":"load","documents":[{"apiVersion":"x.io/v1","kind":"A","metadata":{"name":"a"}},{"apiVersion":"x.io/v1","kind":"A","metadata":{"name":"b"}}]}"#;
        let (documents, ..) = told(&[load, load, r#"{"op":"unload","refs":["A.x.io/a"]}"#]);
        assert_eq!(documents, ["A/b"]);
    }

    #[test]
    fn what_is_seen_and_what_is_gone_are_told_once() {
        let gone =
            r#"{"op":"load","live":"eu","absent":[{"apiVersion":"v1","kind":"Pod","namespace":"n","name":"a"}]}"#;
        let (_, facts, objects) = told(&[POD, gone]);
        assert!(objects.is_empty());
        assert_eq!(facts, [r#"{"absent":[{"apiVersion":"v1","kind":"Pod","name":"a","namespace":"n"}]}"#]);
        let (_, facts, objects) = told(&[POD, gone, POD, POD]);
        assert_eq!((facts.len(), objects.len()), (0, 1));
    }

    #[test]
    fn a_list_takes_the_place_of_what_it_covers() {
        let all =
            r#"{"op":"load","live":"eu","documents":[],"complete":true,"query":{"apiVersion":"v1","kind":"Pod"}}"#;
        let (_, facts, objects) = told(&[POD, all, all]);
        assert_eq!((facts.len(), objects.len()), (1, 0));
        assert_eq!(told(&[all, POD]).2, ["Pod/n/a"]);
    }

    #[test]
    fn of_a_cluster_that_does_not_answer_nothing_is_known() {
        let lost = r#"{"op":"load","live":"eu","unreachable":true,"reason":"no way"}"#;
        let (_, facts, objects) = told(&[POD, lost]);
        assert_eq!((facts, objects.len()), (vec![r#"{"reason":"no way","unreachable":true}"#.to_owned()], 0));
        let (_, facts, objects) = told(&[POD, lost, r#"{"op":"load","live":"eu","unreachable":false}"#]);
        assert_eq!((facts.len(), objects.len()), (0, 0));
    }
}
