//! The documents of the hub.
//!
//! The engine names the kinds to watch (`kinds`); discovery finds which of them the hub serves. A kind that cannot be
//! read is unknown, not empty: the dialects that need it wait until it can be read.

mod kinds;
mod load;

pub use kinds::Row;
pub use load::{load, unload};

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::api::kinds::KindsAnswer;
use fleetfold_core::object::Identity;
use fleetfold_core::value::Text;

use super::events::EventSender;
use crate::cluster::{ApiError, ApiKind, Cluster, Listed, Watch, WatchEvent};
use crate::meta::Meta;
use crate::target::Target;

/// After how many discoveries without it a kind counts as removed.
const MISSES_UNTIL_REMOVED: u32 = 2;

/// A group and a kind.
pub type Kind = (String, String);

/// What the tasks around the documents report.
#[derive(Debug)]
pub enum DocumentEvent {
    /// Discovery ended.
    Discovered(Result<Vec<(Row, ApiKind)>, ApiError>),
    /// The watch of a kind reported something.
    Watch(Kind, WatchEvent),
    /// A kind was listed outside of its watch.
    Relisted(Kind, Result<Listed, ApiError>),
}

/// The documents to load and to unload.
#[derive(Debug, Default)]
pub struct Changes {
    pub load: Vec<Value>,
    pub unload: Vec<Identity>,
}

#[derive(Debug)]
struct Watched {
    row: Row,
    api_kind: ApiKind,
    /// Dropping it ends the watch.
    _watch: Watch,
    /// All objects were listed since the watch started.
    is_synced: bool,
    error: Option<ApiError>,
    /// How many discoveries in a row did not find the kind.
    misses: u32,
    /// The resourceVersions of the loaded documents.
    versions: BTreeMap<Identity, String>,
}

#[derive(Debug)]
pub struct Documents {
    hub: Cluster,
    events: EventSender<DocumentEvent>,
    rows: Vec<Row>,
    watched: BTreeMap<Kind, Watched>,
    /// At least one discovery succeeded.
    is_discovered: bool,
    is_discovering: bool,
    /// The discovery in progress covers all current rows.
    is_current: bool,
    /// No discovery covered all current rows yet.
    is_behind: bool,
    discovery_error: Option<ApiError>,
    /// The kinds that are being relisted.
    relisting: BTreeSet<Kind>,
}

impl Documents {
    pub fn new(hub: &Cluster, events: EventSender<DocumentEvent>) -> Documents {
        Documents {
            hub: hub.clone(),
            events,
            rows: Vec::new(),
            watched: BTreeMap::new(),
            is_discovered: false,
            is_discovering: false,
            is_current: false,
            is_behind: true,
            discovery_error: None,
            relisting: BTreeSet::new(),
        }
    }

    /// Lists every synced kind again: a watch may be stale.
    pub fn relist(&mut self) {
        self.relist_if(|it| it.is_synced);
    }

    /// Lists the kinds whose watch failed: a watch that recovered reports nothing until an object changes. A server
    /// that has just started denies everything until it has read its roles.
    pub fn relist_failed(&mut self) {
        self.relist_if(|it| it.error.is_some());
    }

    fn relist_if(&mut self, wanted: impl Fn(&Watched) -> bool) {
        for (kind, watched) in self.watched.iter().filter(|(_, it)| wanted(it)) {
            if self.relisting.insert(kind.clone()) {
                let (hub, events, kind) = (self.hub.clone(), self.events.clone(), kind.clone());
                let (api_kind, label_selector) = (watched.api_kind.clone(), watched.row.label_selector.clone());
                let has_failed = watched.error.is_some();
                tokio::spawn(async move {
                    let listed = kinds::relist(&hub, &api_kind, &label_selector, has_failed).await;
                    events.send(DocumentEvent::Relisted(kind, listed));
                });
            }
        }
    }

    pub fn handle(&mut self, event: DocumentEvent) -> Changes {
        match event {
            DocumentEvent::Discovered(found) => self.discovered(found),
            DocumentEvent::Watch(kind, event) => self.handle_watch(&kind, event),
            DocumentEvent::Relisted(kind, listed) => self.relisted(&kind, listed),
        }
    }

    /// Applies a list, except to documents that are newer than the list.
    fn relisted(&mut self, kind: &Kind, listed: Result<Listed, ApiError>) -> Changes {
        self.relisting.remove(kind);
        let mut changes = Changes::default();
        let (Some(watched), Ok(listed)) = (self.watched.get_mut(kind), listed) else { return changes };
        let present: BTreeSet<Identity> = listed.objects.iter().map(|it| Target::of(it).identity()).collect();
        listed.objects.into_iter().for_each(|object| watched.put(object, &mut changes));
        let is_deleted = |(identity, version): &(&Identity, &String)| {
            !present.contains(*identity) && !super::is_newer(version, Some(&listed.version))
        };
        changes.unload = watched.versions.iter().filter(is_deleted).map(|(identity, _)| identity.clone()).collect();
        changes.unload.iter().for_each(|it| drop(watched.versions.remove(it)));
        (watched.is_synced, watched.error) = (true, None);
        changes
    }

    /// Sets the kinds to watch; returns whether they changed.
    pub fn set_kinds(&mut self, answer: KindsAnswer) -> bool {
        let rows: Vec<Row> = answer.kinds.into_iter().map(Row::from).collect();
        let has_changed = rows != self.rows;
        self.rows = rows;
        if has_changed {
            (self.is_behind, self.is_current) = (true, false);
        }
        has_changed
    }

    /// Starts a discovery of the kinds that the hub serves.
    pub fn discover(&mut self) {
        if self.is_discovering {
            return;
        }
        (self.is_discovering, self.is_current) = (true, true);
        let (hub, rows, events) = (self.hub.clone(), self.rows.clone(), self.events.clone());
        tokio::spawn(async move { events.send(DocumentEvent::Discovered(kinds::discover(&hub, rows).await)) });
    }

    /// Watches the kinds that were found; unloads the documents of removed kinds.
    fn discovered(&mut self, found: Result<Vec<(Row, ApiKind)>, ApiError>) -> Changes {
        self.is_discovering = false;
        if !self.is_current {
            self.discover();
        }
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                self.discovery_error = Some(error);
                return Changes::default();
            }
        };
        let unload = self.remove_kinds(&found);
        self.discovery_error = None;
        self.is_discovered = true;
        self.is_behind &= self.is_discovering;
        for (row, api_kind) in found {
            let kind = (row.group.clone(), api_kind.kind.clone());
            // Another version of a kind, or another selector, needs another watch.
            let is_same = |it: &Watched| it.api_kind == api_kind && it.row.label_selector == row.label_selector;
            if let Some(watched) = self.watched.get_mut(&kind).filter(|it| is_same(it)) {
                watched.row = row;
                continue;
            }
            let (events, of) = (self.events.clone(), kind.clone());
            let on_event = move |event| events.send(DocumentEvent::Watch(of.clone(), event));
            let watch = self.hub.watch(&api_kind, &row.label_selector, on_event);
            let versions = self.watched.remove(&kind).map(|it| it.versions).unwrap_or_default();
            let watched = Watched { row, api_kind, _watch: watch, is_synced: false, error: None, misses: 0, versions };
            self.watched.insert(kind, watched);
        }
        Changes { load: Vec::new(), unload }
    }

    /// Drops the kinds that can no longer be watched nor discovered; returns their documents.
    fn remove_kinds(&mut self, found: &[(Row, ApiKind)]) -> Vec<Identity> {
        let mut removed = Vec::new();
        self.watched.retain(|(group, name), watched| {
            let is_found = found.iter().any(|(row, api_kind)| row.group == *group && api_kind.kind == *name);
            let is_missing = !is_found && matches!(watched.error, Some(ApiError::EndpointNotFound { .. }));
            watched.misses = if is_missing { watched.misses + 1 } else { 0 };
            if watched.misses >= MISSES_UNTIL_REMOVED {
                removed.extend(watched.versions.keys().cloned());
            }
            watched.misses < MISSES_UNTIL_REMOVED
        });
        removed
    }

    fn handle_watch(&mut self, kind: &Kind, event: WatchEvent) -> Changes {
        let mut changes = Changes::default();
        let Some(watched) = self.watched.get_mut(kind) else { return changes };
        match event {
            WatchEvent::Replaced(objects) => {
                let mut deleted: BTreeSet<Identity> = watched.versions.keys().cloned().collect();
                for object in objects {
                    deleted.remove(&Target::of(&object).identity());
                    watched.put(object, &mut changes);
                }
                for identity in deleted {
                    watched.versions.remove(&identity);
                    changes.unload.push(identity);
                }
                (watched.is_synced, watched.error) = (true, None);
            }
            WatchEvent::Changed(object) => watched.put(object, &mut changes),
            WatchEvent::Deleted(object) => {
                let identity = Target::of(&object).identity();
                if watched.versions.remove(&identity).is_some() {
                    changes.unload.push(identity);
                }
            }
            WatchEvent::Failed(error) => {
                if watched.error.as_ref() != Some(&error) {
                    let (code, hint) = (error.code(), error.hint());
                    tracing::warn!(kind = kind.1, code, hint, "{}.{} cannot be watched: {error}", kind.1, kind.0);
                }
                // A forbidden kind may have changed since. A missing kind may have been removed, or the server may not
                // serve it yet after a restart: the next discoveries decide.
                watched.is_synced &= !matches!(error, ApiError::Forbidden { .. } | ApiError::EndpointNotFound { .. });
                watched.error = Some(error);
            }
        }
        changes
    }

    /// Records the version of an object that was just written; returns whether it is a document.
    pub fn record_write(&mut self, object: &Value) -> bool {
        let target = Target::of(object);
        let kind = (target.group().to_owned(), target.kind.clone());
        let Some(watched) = self.watched.get_mut(&kind).filter(|it| it.row.label_selector.is_empty()) else {
            return false;
        };
        let version = Meta::of(object).resource_version().to_owned();
        watched.versions.insert(target.identity(), version);
        true
    }

    /// Removes a deleted document; returns whether it was known.
    pub fn remove(&mut self, target: &Target) -> bool {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get_mut(&kind).is_some_and(|it| it.versions.remove(&target.identity()).is_some())
    }

    /// Whether all objects of the target's kind are loaded as documents.
    pub fn covers(&self, target: &Target) -> bool {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get(&kind).is_some_and(|it| it.is_synced && it.row.label_selector.is_empty())
    }

    /// The loaded resourceVersion of a document.
    pub fn version(&self, target: &Target) -> Option<&str> {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get(&kind)?.versions.get(&target.identity()).map(String::as_str)
    }

    /// Whether every kind that the hub serves was listed or cannot be.
    pub fn is_settled(&self) -> bool {
        self.discovery_error.is_some()
            || self.is_discovered
                && !self.is_behind
                && self.relisting.is_empty()
                && self.watched.values().all(|it| it.is_synced || it.error.is_some())
    }

    /// The dialects of which all served kinds are synced.
    pub fn readable(&self, wanted: &[Text]) -> Vec<Text> {
        let is_unknown =
            |dialect: &Text| self.watched.values().any(|it| !it.is_synced && it.row.dialects.contains(dialect));
        wanted.iter().filter(|it| self.is_discovered && !is_unknown(it)).cloned().collect()
    }

    /// The kinds that cannot be read, each with its error.
    pub fn errors(&self) -> impl Iterator<Item = (String, &ApiError)> {
        let of_kinds = self.watched.values().filter_map(|it| {
            let named = format!("{}.{}", it.api_kind.plural, it.row.group);
            Some((named.trim_end_matches('.').to_owned(), it.error.as_ref()?))
        });
        of_kinds.chain(self.discovery_error.iter().map(|it| ("the kinds of the hub".to_owned(), it)))
    }

    /// The kinds that the hub lacks although it serves others of the same group: an incomplete installation.
    pub fn missing(&self) -> Vec<String> {
        if !self.is_discovered {
            return Vec::new();
        }
        let has = |row: &Row| self.watched.values().any(|it| it.row.group == row.group && row.names(&it.api_kind));
        let of_group = |row: &Row| self.watched.values().any(|it| it.row.group == row.group);
        let rows = self.rows.iter().filter(|it| !it.kind.ends_with('*') && of_group(it) && !has(it));
        rows.map(|it| format!("{}.{}", it.kind, it.group)).collect()
    }
}

impl Watched {
    fn put(&mut self, object: Value, changes: &mut Changes) {
        let (identity, version) = (Target::of(&object).identity(), Meta::of(&object).resource_version());
        if super::is_newer(version, self.versions.get(&identity).map(String::as_str)) {
            self.versions.insert(identity, version.to_owned());
            changes.load.push(object);
        }
    }
}
