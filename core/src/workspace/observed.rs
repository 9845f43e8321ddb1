//! The observed state of clusters: present objects, absent objects, and which lists are complete.
//!
//! An object that was not read is unknown, and unknown is never absent: it becomes a need.

use crate::engine::select::{LabelSelector, parse_text};
use crate::object::document::Identity;
use crate::object::labels::Labels;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Text, Value};

/// The cluster that holds the documents themselves.
pub const HUB: &str = "";

/// What is known of one object in one cluster.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    Present(&'a Value),
    Absent,
    Unknown,
}

/// A list request to a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    pub api_version: Text,
    pub kind: Text,
    /// Empty for all namespaces, and for kinds that have none.
    pub namespace: Text,
    /// In kubectl's syntax; empty for all.
    pub label_selector: Text,
}

impl Query {
    fn lists(&self, identity: &Identity, object: &Value) -> bool {
        let here = self.namespace.is_empty() || identity.namespace == self.namespace;
        identity.kind == self.kind && identity.group == self.group() && here && self.accepts(object)
    }

    fn group(&self) -> &str {
        crate::object::identity::group_of(&self.api_version)
    }

    pub fn accepts(&self, object: &Value) -> bool {
        self.label_selector.is_empty() || self.selector().is_some_and(|selector| selector.accepts(&labels_of(object)))
    }

    fn selector(&self) -> Option<LabelSelector> {
        parse_text(&self.label_selector).ok()
    }

    /// Whether this list has everything that the other one lists.
    fn covers(&self, other: &Query) -> bool {
        let wide = |mine: &Text, theirs: &Text| mine.is_empty() || mine == theirs;
        self.kind == other.kind
            && self.group() == other.group()
            && wide(&self.namespace, &other.namespace)
            && wide(&self.label_selector, &other.label_selector)
    }
}

/// The object's labels; non-string values are ignored.
pub fn labels_of(object: &Value) -> Labels {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_map);
    let labels = labels.into_iter().flat_map(|map| map.iter());
    labels.filter_map(|(key, value)| Some((key.clone(), Text::from(value.as_text()?)))).collect()
}

/// The observed state of one cluster.
#[derive(Clone, Debug, Default)]
pub struct ObservedCluster {
    objects: SortedMap<Identity, Value>,
    absent: SortedSet<Identity>,
    complete: SortedSet<Query>,
    /// Whether everything in the cluster is known.
    everything: bool,
    /// Why the cluster is unreachable, if it is. Then its state is unknown.
    unreachable: Option<Text>,
}

impl ObservedCluster {
    /// An unreachable cluster. Its objects may still exist or not: all of them are unknown.
    pub fn unreachable(reason: Text) -> ObservedCluster {
        ObservedCluster { unreachable: Some(reason), ..ObservedCluster::default() }
    }

    /// Why the cluster is unreachable, if it is.
    pub fn unreachable_reason(&self) -> Option<&Text> {
        self.unreachable.as_ref()
    }

    /// Marks the cluster as reachable. Returns whether it was unreachable before.
    pub fn mark_reachable(&mut self) -> bool {
        self.unreachable.take().is_some()
    }

    pub fn put(&mut self, identity: Identity, object: Value) -> bool {
        self.absent.remove(&identity);
        self.objects.insert(identity, object).is_some()
    }

    /// Records that an object was read and not found.
    pub fn mark_absent(&mut self, identity: Identity) {
        self.objects.remove(&identity);
        self.absent.insert(identity);
    }

    /// Takes the objects that are put after this for all that the query lists, or without one for all there are.
    pub fn complete(&mut self, query: Option<Query>) {
        match query {
            Some(query) => {
                self.objects.retain(|identity, object| !query.lists(identity, object));
                self.complete.insert(query);
            }
            None => *self = ObservedCluster { everything: true, ..ObservedCluster::default() },
        }
    }

    /// Whether an object is present, absent or unknown.
    pub fn observation(&self, identity: &Identity) -> Observation<'_> {
        match self.objects.get(identity) {
            Some(object) => Observation::Present(object),
            None if self.everything || self.absent.contains(identity) || self.is_listed(identity) => {
                Observation::Absent
            }
            None => Observation::Unknown,
        }
    }

    /// Whether a complete list without a selector would have had it.
    fn is_listed(&self, identity: &Identity) -> bool {
        let is_for_all = |it: &Query| crate::seeded!(SelectedListIsComplete, it.label_selector.is_empty(), true);
        self.complete.iter().any(|query| is_for_all(query) && query.lists(identity, &Value::Null))
    }

    /// What a query lists; nothing while that is not known.
    pub fn list<'a>(&'a self, query: &'a Query) -> Option<impl Iterator<Item = (&'a Identity, &'a Value)>> {
        let known = self.everything || self.complete.iter().any(|it| it.covers(query));
        known.then(|| self.objects.iter().filter(|(identity, object)| query.lists(identity, object)))
    }

    pub fn object(&self, identity: &Identity) -> Option<&Value> {
        self.objects.get(identity)
    }

    /// The objects of a kind, of any group.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        let from = Identity { kind: kind.into(), ..Identity::default() };
        self.objects.iter_from(&from).take_while(move |(it, _)| it.kind == kind).map(|(_, object)| object)
    }

    pub fn objects(&self) -> impl Iterator<Item = (&Identity, &Value)> {
        self.objects.iter()
    }
}
