//! The workspace: the interface for hosts, and the only state. One instance of the module holds one workspace.

pub(crate) mod admit;
pub(crate) mod cluster_groups;
pub(crate) mod compare;
pub(crate) mod connection;
mod derived;
pub(crate) mod explain;
pub(crate) mod findings;
pub(crate) mod grouping;
pub(crate) mod hub_kind;
pub(crate) mod lint;
pub(crate) mod load;
pub(crate) mod lookup;
pub(crate) mod observed;
pub(crate) mod permissions;
pub(crate) mod plan;
pub(crate) mod quarantine;
pub(crate) mod removal;
pub(crate) mod results;
pub(crate) mod secrets;
pub(crate) mod settings;
pub(crate) mod store;
pub(crate) mod subject;
pub(crate) mod targets;
pub(crate) mod trial;
pub(crate) mod what_if;

pub use admit::Permissions;
pub use explain::LayerState;
pub use hub_kind::HubKind;
pub use load::from_text as documents_from_text;
pub use observed::{Observation, ObservedCluster, Query};
pub use quarantine::{Quarantine, equal_ignoring_server_fields};
pub use results::PreviousResults;
pub use settings::{DigestKey, Leaving, Limits, LocalChanges, Precedence, Settings};
pub use store::{Scope, Store, View};
pub use subject::{Dialect, Subject};
pub use trial::Journal;
pub use what_if::ChangeKind;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::{Document, Identity, Reference};
use crate::object::timestamp::Timestamp;
use crate::value::Text;
use crate::value::json::Samples;
use crate::workspace::results::{Change, Results};

/// Holds the loaded documents and answers requests. It never fails and never panics: a bad request gets an answer with
/// an error, and leaves the state unchanged.
///
/// ```
/// let mut workspace = fleetfold_core::Workspace::default();
/// let answer = workspace.call_text(r#"{"op":"patch","object":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#);
/// assert_eq!(answer, r#"{"ok":{"object":{}}}"#);
/// ```
#[derive(Debug)]
pub struct Workspace {
    pub(crate) store: Store,
    pub(crate) results: Results,
    /// Requests with live objects; later ones share their equal parts.
    pub(crate) samples: Samples,
}

impl Workspace {
    /// An empty workspace that reads the documents of these dialects.
    pub fn with(dialects: &'static [&'static dyn Dialect]) -> Workspace {
        Workspace { store: Store::with(dialects), results: Results::default(), samples: Samples::default() }
    }

    /// A loaded document.
    pub fn document(&self, identity: &Identity) -> Option<&Document> {
        self.store.document(identity)
    }

    /// All loaded documents, by identity.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{Workspace, diagnostic::Mode, object::Document, yaml};
    ///
    /// let mut workspace = Workspace::default();
    /// let text = "{kind: Namespace, metadata: {name: shop}}
    /// ---
    /// {kind: Service, metadata: {name: web, namespace: shop}}
    /// ";
    /// for parsed in yaml::parse(text, Mode::Strict, &mut Vec::new()).unwrap() {
    ///     for document in Document::from_text(parsed, Some(&"shop.yaml".into()), &mut Vec::new()) {
    ///         workspace.put(document, &mut Vec::new());
    ///     }
    /// }
    /// let names: Vec<String> = workspace.documents().map(|it| it.identity.to_string()).collect();
    /// assert_eq!(names, ["Namespace/shop", "Service/shop/web"]);
    /// ```
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.store.documents()
    }

    /// The one document that a reference names.
    ///
    /// # Errors
    ///
    /// There is none, or there are several of different groups.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{Workspace, diagnostic::Code};
    ///
    /// let mut workspace = Workspace::default();
    /// workspace.call_text(r#"{"op":"load","text":"{kind: Service, metadata: {name: web, namespace: shop}}"}"#);
    /// assert_eq!(workspace.find(&"Service/shop/web".parse()?)?.identity.name, "web");
    /// let error = workspace.find(&"Service/shop/wbe".parse()?).unwrap_err();
    /// assert_eq!(error.code, Code::UnknownDocument);
    /// assert_eq!(error.hint.unwrap(), "did you mean `Service/shop/web`?");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn find(&self, reference: &Reference) -> Result<&Document, Error> {
        self.store.find(reference)
    }

    /// Loads a document. Returns the one that it replaces.
    pub fn put(&mut self, mut document: Document, out: &mut Vec<Diagnostic>) -> Option<Document> {
        // A file is loaded again for one line of it: the other documents cost nothing.
        let is_same = self.store.document(&document.identity).is_some_and(|it| document.intern_from(it));
        if !is_same {
            self.results.invalidate(Change::Document(&document.identity));
        }
        self.store.put(document, out)
    }

    /// Unloads a document. Returns it if it was loaded.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{Workspace, object::Identity};
    ///
    /// let mut workspace = Workspace::default();
    /// workspace.call_text(r#"{"op":"load","text":"{kind: Namespace, metadata: {name: shop}}"}"#);
    /// let shop = Identity { kind: "Namespace".into(), name: "shop".into(), ..Identity::default() };
    /// assert!(workspace.remove(&shop).is_some());
    /// assert_eq!(workspace.documents().count(), 0);
    /// ```
    pub fn remove(&mut self, identity: &Identity) -> Option<Document> {
        self.results.invalidate(Change::Document(identity));
        self.store.remove(identity)
    }

    /// Records the observed objects of a cluster. Returns how many objects were replaced.
    pub fn observe(
        &mut self,
        cluster: &Text,
        mut objects: Vec<Document>,
        absent: Vec<Identity>,
        complete: Option<Option<Query>>,
        journal: Option<&mut Journal>,
    ) -> usize {
        if let Some(journal) = journal {
            journal.record_observed(cluster, self.store.observed(cluster).cloned());
        }
        // Similar clusters have similar objects: equal parts are stored once.
        for object in &mut objects {
            if let Some(like) = self.store.like(cluster, &object.identity) {
                object.value.intern_from(like);
            }
        }
        let seen = self.store.observed_mut(cluster);
        let whole = seen.mark_reachable() || complete.is_some();
        if let Some(query) = complete {
            seen.complete(query);
        }
        let mut replaced = 0;
        for object in objects {
            let identity = object.identity;
            if !whole {
                self.results.invalidate(Change::Live(cluster, Some(&identity)));
            }
            replaced += usize::from(seen.put(identity, object.value));
        }
        for identity in absent {
            self.results.invalidate(Change::Live(cluster, Some(&identity)));
            seen.mark_absent(identity);
        }
        if whole {
            self.results.invalidate(Change::Live(cluster, None));
        }
        replaced
    }

    /// Marks a cluster as unreachable, or as reachable again without a reason.
    pub fn mark_unreachable(&mut self, cluster: &Text, reason: Option<Text>, journal: Option<&mut Journal>) {
        let before = self.store.observed(cluster);
        if before.and_then(ObservedCluster::unreachable_reason) == reason.as_ref() {
            return;
        }
        if let Some(journal) = journal {
            journal.record_observed(cluster, before.cloned());
        }
        self.store.restore_observed(cluster, reason.map(ObservedCluster::unreachable));
        self.results.invalidate(Change::Live(cluster, None));
    }

    /// Changes the settings, and invalidates every result if they differ; another quarantine invalidates only what it
    /// names.
    pub fn configure(&mut self, settings: Settings) {
        let quarantine = &self.store.settings.quarantine;
        let is_rest_same =
            settings == Settings { quarantine: settings.quarantine.clone(), ..self.store.settings.clone() };
        if let Some(changed) = quarantine.difference(&settings.quarantine).filter(|_| is_rest_same) {
            for reference in changed {
                match self.store.find(&reference).map(|it| it.identity.clone()) {
                    Ok(identity) => self.results.invalidate(Change::Document(&identity)),
                    Err(error) if error.code == Code::AmbiguousReference => self.results.invalidate(Change::Settings),
                    // What could not be loaded stops the subjects that depend on it, too.
                    Err(_) => {
                        self.results.invalidate(Change::Document(&reference.of_group(&reference.first().group)));
                    }
                }
            }
            self.store.settings = settings;
        } else {
            // A document may be a subject now that was none before.
            let all: Vec<Identity> = self.store.documents().map(|it| it.identity.clone()).collect();
            all.iter().for_each(|it| self.results.invalidate(Change::Document(it)));
            self.results.invalidate(Change::Settings);
            self.store.settings = settings;
        }
    }

    /// Recomputes stale results and returns the previous ones. Idempotent.
    pub fn refresh(&mut self, now: Option<Timestamp>) -> PreviousResults {
        self.results.refresh(&self.store, now)
    }
}
