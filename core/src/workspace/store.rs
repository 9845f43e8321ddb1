//! The loaded state: documents, the clusters among them, observed objects, and settings.

use std::any::Any;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error, Location};
use crate::engine::rendered::Origin;
use crate::engine::select::Cluster;
use crate::engine::select::cluster_set::{self, ClusterSet};
use crate::engine::select::fleet::Fleet;
use crate::object::document::{Document, Identity, Reference};
use crate::object::fields;
use crate::object::identity::is_terminating;
use crate::object::kinds::clusters::{cluster_kind, is_cluster};
use crate::object::labels::Labels;
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::suggest::did_you_mean;
use crate::value::{Text, Value};
use crate::workspace::derived::Derived;
use crate::workspace::observed::{HUB, Observation, ObservedCluster, Query};
use crate::workspace::secrets::LoadedSecrets;
use crate::workspace::settings::Settings;
use crate::workspace::subject::Dialect;

/// The loaded state.
#[derive(Debug)]
pub struct Store {
    /// The dialects that there are; the settings name those that count.
    dialects: &'static [&'static dyn Dialect],
    /// By identity, never in the order in which they came.
    documents: SortedMap<Identity, Document>,
    fleets: SortedMap<Scope, Fleet>,
    /// The clusters that are being deleted.
    leaving: SortedSet<Identity>,
    /// The clusters whose documents have mistakes in what selects them, with the first one.
    unreadable: SortedMap<Identity, Error>,
    live: SortedMap<Text, ObservedCluster>,
    derived: Derived,
    pub secrets: LoadedSecrets,
    pub settings: Settings,
}

/// How many clusters these are. Two of one kind and one name in different namespaces are two clusters, as of two
/// organizations; two of different kinds and one name are one, which several systems know.
pub fn count_clusters<'a>(clusters: impl Iterator<Item = (&'a Scope, &'a Text)>) -> usize {
    let known: SortedSet<(&Text, &Text, &Text)> =
        clusters.map(|(scope, name)| (name, &scope.kind, &scope.namespace)).collect();
    let mut by_name: SortedMap<&Text, usize> = SortedMap::new();
    let mut of_kind = (None, 0_usize);
    for (name, kind, _) in known {
        of_kind = if of_kind.0 == Some((name, kind)) {
            (of_kind.0, of_kind.1.saturating_add(1))
        } else {
            (Some((name, kind)), 1)
        };
        let most = by_name.entry(name).or_default();
        *most = of_kind.1.max(*most);
    }
    by_name.values().sum()
}

/// A scope in which a name identifies one cluster: a kind of cluster and, for namespaced kinds, a namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    pub kind: Text,
    pub namespace: Text,
}

impl Scope {
    pub fn of(identity: &Identity) -> Scope {
        Scope { kind: identity.kind.clone(), namespace: identity.namespace.clone() }
    }
}

/// The input of a dialect: the loaded state at a given time.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub store: &'a Store,
    pub now: Option<Timestamp>,
}

impl std::ops::Deref for View<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
    }
}

impl Store {
    pub fn with(dialects: &'static [&'static dyn Dialect]) -> Store {
        Store {
            dialects,
            documents: SortedMap::new(),
            fleets: SortedMap::new(),
            leaving: SortedSet::new(),
            unreadable: SortedMap::new(),
            live: SortedMap::new(),
            derived: Derived::default(),
            secrets: LoadedSecrets::default(),
            settings: Settings::of(dialects),
        }
    }

    /// Data derived from all loaded documents, computed once for all subjects.
    pub fn derived<T: Any + Send + Sync>(&self, name: &'static str, make: impl FnOnce() -> T) -> Arc<T> {
        self.derived.get_or(name, make)
    }

    /// Drops what was derived under other settings.
    pub fn forget_derived(&self) {
        self.derived.clear();
    }

    /// All dialects, also those that are switched off.
    pub fn all_dialects(&self) -> &'static [&'static dyn Dialect] {
        self.dialects
    }

    /// The dialects that the settings name.
    pub fn dialects(&self) -> impl Iterator<Item = &'static dyn Dialect> {
        self.dialects.iter().copied().filter(|it| self.settings.dialects.iter().any(|name| name == it.name()))
    }

    /// Loads a document. Returns the one that it replaces.
    pub fn put(&mut self, document: Document, out: &mut Vec<Diagnostic>) -> Option<Document> {
        self.derived.clear();
        let identity = document.identity.clone();
        if is_cluster(&identity) {
            self.put_cluster(&document, out);
            match is_terminating(&document.value) {
                true => self.leaving.insert(identity.clone()),
                false => self.leaving.remove(&identity),
            };
        }
        self.secrets.put(&document);
        self.documents.insert(identity, document)
    }

    /// Unloads a document. Returns it if it was loaded.
    pub fn remove(&mut self, identity: &Identity) -> Option<Document> {
        self.derived.clear();
        if is_cluster(identity) {
            self.leaving.remove(identity);
            self.unreadable.remove(identity);
            let scope = Scope::of(identity);
            if let Some(fleet) = self.fleets.get_mut(&scope) {
                fleet.remove(&identity.name);
                if fleet.is_empty() {
                    self.fleets.remove(&scope);
                }
            }
        }
        self.secrets.remove(identity);
        self.documents.remove(identity)
    }

    /// A loaded document.
    pub fn document(&self, identity: &Identity) -> Option<&Document> {
        self.documents.get(identity)
    }

    /// All loaded documents, by identity.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }

    /// The documents of a kind, by namespace and name; of one namespace only where one is given.
    pub fn of_kind<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Document> {
        let from = Identity {
            kind: kind.into(),
            group: group.into(),
            namespace: namespace.unwrap_or_default().into(),
            name: Text::default(),
        };
        let all = self.documents.iter_from(&from).map(|(_, document)| document);
        all.take_while(move |it| {
            let Identity { kind: its_kind, group: its_group, namespace: its_namespace, .. } = &it.identity;
            its_kind == kind && its_group == group && namespace.is_none_or(|it| its_namespace == it)
        })
    }

    /// The documents of a kind in a namespace from a name on, by name.
    pub fn of_kind_from<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
        namespace: &'a str,
        name: &str,
    ) -> impl Iterator<Item = &'a Document> {
        let from = Identity { kind: kind.into(), group: group.into(), namespace: namespace.into(), name: name.into() };
        let all = self.documents.iter_from(&from).map(|(_, document)| document);
        all.take_while(move |it| {
            let Identity { kind: its_kind, group: its_group, namespace: its_namespace, .. } = &it.identity;
            its_kind == kind && its_group == group && its_namespace == namespace
        })
    }

    /// The one document that a reference names.
    ///
    /// # Errors
    ///
    /// There is none, or there are several of different groups.
    pub fn find(&self, reference: &Reference) -> Result<&Document, Error> {
        let mut found: Vec<&Document> = Vec::new();
        // The groups of the kind, one after the other: there may be many documents of the kind, and few groups.
        let mut from = reference.first();
        while let Some((next, _)) =
            self.documents.iter_from(&from).next().filter(|(it, _)| it.kind == *reference.kind())
        {
            found.extend(
                self.documents.get(&reference.of_group(&next.group)).filter(|it| reference.names(&it.identity)),
            );
            from.group = format!("{}\0", next.group).into();
        }
        match found.as_slice() {
            [document] => Ok(document),
            [] => {
                let error = Error::new(Code::UnknownDocument, format!("`{reference}` is not loaded"));
                Err(error.maybe_hint(self.probably_meant(reference)))
            }
            [one, other, ..] => {
                let message =
                    format!("`{reference}` could be of `{}` or of `{}`", one.identity.group, other.identity.group);
                let hint = format!("write `{}.{}/…`", one.identity.kind, one.identity.group);
                Err(Error::new(Code::AmbiguousReference, message).hint(hint))
            }
        }
    }

    /// The document that a reference probably means: one of the same name with another spelling of the kind or without
    /// the namespace, or else one with a similar name.
    fn probably_meant(&self, reference: &Reference) -> Option<String> {
        let text = reference.to_string();
        let name = text.rsplit('/').next().unwrap_or_default();
        let is_kind = |it: &Identity| it.kind.eq_ignore_ascii_case(reference.kind());
        let mut same_name = self.documents.keys().filter(|it| is_kind(it) && it.name == *name);
        match (same_name.next(), same_name.next()) {
            (Some(one), None) => Some(format!("did you mean `{one}`?")),
            _ => {
                let known: Vec<String> =
                    self.documents.keys().filter(|it| is_kind(it)).map(Identity::to_string).collect();
                did_you_mean(&text, known.iter().map(String::as_str))
            }
        }
    }

    pub fn fleet(&self, scope: &Scope) -> Option<&Fleet> {
        self.fleets.get(scope)
    }

    pub fn fleets(&self) -> impl Iterator<Item = (&Scope, &Fleet)> {
        self.fleets.iter()
    }

    /// Whether a cluster may be a member: its kind is taken from every namespace, or the settings name its own.
    pub fn is_member(&self, cluster: &Identity) -> bool {
        cluster_kind(cluster)
            .is_some_and(|it| !it.in_control_plane || self.settings.kubefed_namespaces.contains(&cluster.namespace))
    }

    pub fn cluster_count(&self) -> usize {
        self.fleets.values().map(Fleet::len).sum()
    }

    /// How many clusters there are.
    pub fn distinct_clusters(&self) -> usize {
        let fleets = self.fleets.iter();
        count_clusters(fleets.flat_map(|(scope, fleet)| fleet.clusters().map(move |it| (scope, &it.name))))
    }

    pub fn is_any_leaving(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// The clusters whose documents have a mistake in their labels or in another field by which they are selected:
    /// what selects them is unknown, so nothing is added or removed for them.
    pub fn unreadable_clusters(&self) -> impl Iterator<Item = (&Identity, &Error)> {
        self.unreadable.iter()
    }

    /// Whether the labels of a cluster cannot be read.
    pub fn has_unknown_labels(&self, scope: &Scope, name: &str) -> bool {
        self.fleet(scope).and_then(|it| it.get(name)).is_some_and(|it| it.labels.is_unknown())
    }

    /// The document of a cluster.
    pub fn cluster_document(&self, scope: &Scope, name: &str) -> Option<&Document> {
        let group = crate::object::kinds::clusters::group_of_kind(&scope.kind)?;
        let (kind, namespace) = (scope.kind.clone(), scope.namespace.clone());
        self.documents.get(&Identity { kind, group: group.into(), namespace, name: name.into() })
    }

    /// Where a value was set, with file and position as far as they are known.
    pub fn locate(&self, origin: &Origin) -> Location {
        match self.document(&origin.document) {
            Some(document) => document.at(origin.path.clone()),
            None => Location {
                document: Some(origin.document.to_string()),
                path: Some(origin.path.clone()),
                ..Location::default()
            },
        }
    }

    /// The cluster sets of Open Cluster Management; an invalid set is reported, and no cluster joins it.
    pub fn cluster_sets(&self, out: &mut Vec<Diagnostic>) -> Vec<ClusterSet> {
        let sets = self.of_kind(cluster_set::GROUP, cluster_set::KIND, None).map(|it| &it.value);
        cluster_set::read(sets, self.settings.stage, self.settings.mode, out)
    }

    /// The observation of an object. A document counts as an object of the hub.
    pub fn observation(&self, cluster: &str, identity: &Identity) -> Observation<'_> {
        if cluster == HUB
            && let Some(document) = self.documents.get(identity)
        {
            return Observation::Present(&document.value);
        }
        self.live.get(cluster).map_or(Observation::Unknown, |seen| seen.observation(identity))
    }

    /// The objects that a query lists in a cluster; none while that is unknown.
    pub fn list<'a>(&'a self, cluster: &str, query: &'a Query) -> Option<SortedMap<&'a Identity, &'a Value>> {
        let mut listed: SortedMap<&Identity, &Value> = self.live.get(cluster)?.list(query)?.collect();
        if cluster == HUB {
            let namespace = Some(query.namespace.as_str()).filter(|it| !it.is_empty());
            let written = self.of_kind(crate::object::identity::group_of(&query.api_version), &query.kind, namespace);
            listed.extend(written.filter(|it| query.accepts(&it.value)).map(|it| (&it.identity, &it.value)));
        }
        Some(listed)
    }

    pub fn observed(&self, cluster: &str) -> Option<&ObservedCluster> {
        self.live.get(cluster)
    }

    /// Why a cluster is unreachable, if it is.
    pub fn unreachable_reason(&self, cluster: &str) -> Option<&Text> {
        self.live.get(cluster)?.unreachable_reason()
    }

    /// An object that is probably similar, for sharing memory: the previous version, or that of the neighbouring
    /// cluster.
    pub fn like(&self, cluster: &Text, identity: &Identity) -> Option<&Value> {
        let before = self.live.get(cluster).and_then(|seen| seen.object(identity));
        let beside = || self.live.last_before(cluster)?.1.object(identity);
        before.or_else(beside)
    }

    pub fn observed_mut(&mut self, cluster: &Text) -> &mut ObservedCluster {
        self.derived.clear();
        self.secrets.observe(cluster);
        self.live.entry(cluster.clone()).or_default()
    }

    /// Restores the observed state of a cluster.
    pub fn restore_observed(&mut self, cluster: &Text, seen: Option<ObservedCluster>) {
        self.derived.clear();
        self.secrets.observe(cluster);
        match seen {
            Some(seen) => self.live.insert(cluster.clone(), seen),
            None => self.live.remove(cluster),
        };
    }

    /// Adds a cluster to its fleet. Invalid labels are reported, and are unknown: no selector matches the cluster by
    /// mistake, and nothing is removed from it.
    fn put_cluster(&mut self, document: &Document, out: &mut Vec<Diagnostic>) {
        let identity = &document.identity;
        let of_spec = self.dialects.iter().find_map(|it| it.cluster_error(document));
        let (labels, error) = match cluster_labels(&document.value) {
            Ok(labels) => (labels, of_spec),
            Err(error) => {
                let finding = Diagnostic::error(error.code, error.message.clone());
                out.push(Diagnostic { at: document.at(error.pointer()), hint: error.hint.clone(), ..finding });
                (Labels::unknown(), Some(error))
            }
        };
        match error {
            Some(error) => self.unreadable.insert(identity.clone(), error),
            None => self.unreadable.remove(identity),
        };
        let cluster = Cluster { name: identity.name.clone(), labels, ..Cluster::default() };
        self.fleets.entry(Scope::of(identity)).or_default().insert(cluster);
    }
}

/// The labels of a cluster.
///
/// # Errors
///
/// A label that is not a string, or a field that misspells `labels`.
pub fn cluster_labels(cluster: &Value) -> Result<Labels, Error> {
    let metadata = JsonPath::ROOT.key("metadata");
    if let Some(error) = fields::misspelled_labels(cluster) {
        return Err(error);
    }
    match cluster.at(&["metadata", "labels"]).unwrap_or(&Value::Null) {
        Value::Map(labels) => Labels::read(labels, &metadata.key("labels")),
        Value::Null => Ok(Labels::default()),
        other => Err(metadata.key("labels").wrong_type("a map", other)),
    }
}
