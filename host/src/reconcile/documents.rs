//! The documents of the hub: which kinds are watched, and what they say now.
//!
//! Which kinds matter is the engine's to say (`kinds`); which of them there are, the server's. A kind that cannot be read
//! is unknown, and unknown is not empty: the dialects that need it wait until it can.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;

use super::inbox::{Message, Outbox};
use crate::answer::{list, text, texts};
use crate::cluster::{Cluster, Fault, Listed, Served, Sighting, Target, Watch};
use crate::session::{Refusal, Session};

/// How many documents go to the engine at once.
const AT_ONCE: usize = 200;

/// After how many surveys that do not find it a kind is taken to be gone.
const MISSED: u32 = 2;

/// A kind: its group and its name.
pub type Kind = (String, String);

/// What the engine says of a kind of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    group: String,
    /// A name, or the beginning of several names.
    kind: String,
    versions: Vec<String>,
    dialects: Vec<String>,
    label_selector: String,
}

impl Row {
    fn read(value: &Value) -> Row {
        let all = |key| texts(value, key).into_iter().map(str::to_owned).collect();
        Row {
            group: text(value, "group").to_owned(),
            kind: text(value, "kind").to_owned(),
            versions: all("versions"),
            dialects: all("dialects"),
            label_selector: text(value, "labelSelector").to_owned(),
        }
    }

    fn names(&self, served: &Served) -> bool {
        match self.kind.strip_suffix('*') {
            Some(start) => served.kind.starts_with(start),
            None => served.kind == self.kind,
        }
    }
}

/// The documents that must be loaded, and those that are gone.
#[derive(Debug, Default)]
pub struct Changes {
    pub load: Vec<Value>,
    pub unload: Vec<Identity>,
}

#[derive(Debug)]
struct Watched {
    row: Row,
    served: Served,
    /// Kept for what happens when it is let go.
    _watch: Watch,
    /// Everything was listed once.
    is_synced: bool,
    fault: Option<Fault>,
    /// How many surveys in a row did not find the kind.
    missed: u32,
    /// The versions that are loaded.
    known: BTreeMap<Identity, String>,
}

#[derive(Debug)]
pub struct Documents {
    hub: Cluster,
    outbox: Outbox,
    rows: Vec<Row>,
    watched: BTreeMap<Kind, Watched>,
    /// The server was asked at least once what it has.
    is_surveyed: bool,
    is_surveying: bool,
    /// The survey under way asks for all kinds that matter now.
    is_current: bool,
    /// No survey found out about all kinds that matter now.
    is_behind: bool,
    survey_fault: Option<Fault>,
    /// The kinds that are being looked at apart from their watches.
    relisting: BTreeSet<Kind>,
}

impl Documents {
    pub fn new(hub: &Cluster, outbox: &Outbox) -> Documents {
        Documents {
            hub: hub.clone(),
            outbox: outbox.clone(),
            rows: Vec::new(),
            watched: BTreeMap::new(),
            is_surveyed: false,
            is_surveying: false,
            is_current: false,
            is_behind: true,
            survey_fault: None,
            relisting: BTreeSet::new(),
        }
    }

    /// Looks at every document again: a watch may be behind.
    pub fn relist(&mut self) {
        self.relist_those(|it| it.is_synced);
    }

    /// Looks at the documents whose watch failed: one that goes on says so only when something happens. A server that has
    /// just been started refuses everything, since it has not read its roles yet.
    pub fn relist_faulty(&mut self) {
        self.relist_those(|it| it.fault.is_some());
    }

    fn relist_those(&mut self, wanted: impl Fn(&Watched) -> bool) {
        for (kind, watched) in self.watched.iter().filter(|(_, it)| wanted(it)) {
            if self.relisting.insert(kind.clone()) {
                let (hub, outbox, kind) = (self.hub.clone(), self.outbox.clone(), kind.clone());
                let (served, label_selector) = (watched.served.clone(), watched.row.label_selector.clone());
                let is_faulty = watched.fault.is_some();
                tokio::spawn(async move {
                    let listed = relist(&hub, &served, &label_selector, is_faulty).await;
                    outbox.send(Message::Relisted(kind, listed));
                });
            }
        }
    }

    /// Takes in all documents of a kind as they were at a moment: what is newer than that is left as it is.
    pub fn relisted(&mut self, kind: &Kind, listed: Result<Listed, Fault>) -> Changes {
        self.relisting.remove(kind);
        let mut changes = Changes::default();
        let (Some(watched), Ok(listed)) = (self.watched.get_mut(kind), listed) else { return changes };
        let there: BTreeSet<Identity> = listed.objects.iter().map(|it| Target::of(it).identity()).collect();
        listed.objects.into_iter().for_each(|object| watched.put(object, &mut changes));
        let is_gone = |(identity, version): &(&Identity, &String)| {
            !there.contains(*identity) && !super::is_newer(version, Some(&listed.version))
        };
        changes.unload = watched.known.iter().filter(is_gone).map(|(identity, _)| identity.clone()).collect();
        changes.unload.iter().for_each(|it| drop(watched.known.remove(it)));
        (watched.is_synced, watched.fault) = (true, None);
        changes
    }

    /// Takes in which kinds matter; answers whether that is news.
    pub fn want(&mut self, kinds: &Value) -> bool {
        let rows: Vec<Row> = list(kinds, "kinds").iter().map(Row::read).collect();
        let is_news = rows != self.rows;
        self.rows = rows;
        if is_news {
            (self.is_behind, self.is_current) = (true, false);
        }
        is_news
    }

    /// Asks the server which of the kinds that are not watched yet it has.
    pub fn survey(&mut self) {
        if self.is_surveying {
            return;
        }
        (self.is_surveying, self.is_current) = (true, true);
        let (hub, rows, outbox) = (self.hub.clone(), self.rows.clone(), self.outbox.clone());
        tokio::spawn(async move { outbox.send(Message::Surveyed(survey(&hub, rows).await)) });
    }

    /// Starts to watch what was found; answers what is gone, as the server no longer has its kind.
    pub fn surveyed(&mut self, found: Result<Vec<(Row, Served)>, Fault>) -> Changes {
        self.is_surveying = false;
        if !self.is_current {
            self.survey();
        }
        let found = match found {
            Ok(found) => found,
            Err(fault) => {
                self.survey_fault = Some(fault);
                return Changes::default();
            }
        };
        let unload = self.drop_kinds(&found);
        self.survey_fault = None;
        self.is_surveyed = true;
        self.is_behind &= self.is_surveying;
        for (row, served) in found {
            let kind = (row.group.clone(), served.kind.clone());
            // Another version of a kind, or another selection, is another watch.
            let is_same = |it: &Watched| it.served == served && it.row.label_selector == row.label_selector;
            if let Some(watched) = self.watched.get_mut(&kind).filter(|it| is_same(it)) {
                watched.row = row;
                continue;
            }
            let (outbox, of) = (self.outbox.clone(), kind.clone());
            let tell = move |sighting| outbox.send(Message::Document(of.clone(), sighting));
            let watch = self.hub.watch(&served, &row.label_selector, tell);
            let known = self.watched.remove(&kind).map(|it| it.known).unwrap_or_default();
            let watched = Watched { row, served, _watch: watch, is_synced: false, fault: None, missed: 0, known };
            self.watched.insert(kind, watched);
        }
        Changes { load: Vec::new(), unload }
    }

    /// Lets go of kinds that can no longer be watched and that surveys no longer find; answers what there was of them.
    fn drop_kinds(&mut self, found: &[(Row, Served)]) -> Vec<Identity> {
        let mut gone = Vec::new();
        self.watched.retain(|(group, name), watched| {
            let is_found = found.iter().any(|(row, served)| row.group == *group && served.kind == *name);
            let is_missing = !is_found && matches!(watched.fault, Some(Fault::NoPath { .. }));
            watched.missed = if is_missing { watched.missed + 1 } else { 0 };
            if watched.missed >= MISSED {
                gone.extend(watched.known.keys().cloned());
            }
            watched.missed < MISSED
        });
        gone
    }

    /// Takes in what a watch tells; answers what that means for the workspace.
    pub fn take(&mut self, kind: &Kind, sighting: Sighting) -> Changes {
        let mut changes = Changes::default();
        let Some(watched) = self.watched.get_mut(kind) else { return changes };
        match sighting {
            Sighting::All(objects) => {
                let mut gone: BTreeSet<Identity> = watched.known.keys().cloned().collect();
                for object in objects {
                    gone.remove(&Target::of(&object).identity());
                    watched.put(object, &mut changes);
                }
                for identity in gone {
                    watched.known.remove(&identity);
                    changes.unload.push(identity);
                }
                (watched.is_synced, watched.fault) = (true, None);
            }
            Sighting::Changed(object) => watched.put(object, &mut changes),
            Sighting::Gone(object) => {
                let identity = Target::of(&object).identity();
                if watched.known.remove(&identity).is_some() {
                    changes.unload.push(identity);
                }
            }
            Sighting::Failed(fault) => {
                if watched.fault.as_ref() != Some(&fault) {
                    let (code, hint) = (fault.code(), fault.hint());
                    tracing::warn!(kind = kind.1, code, hint, "{}.{} cannot be watched: {fault}", kind.1, kind.0);
                }
                // What may no longer be read may have changed since. A kind that is not found may be gone, or the server
                // may not know it yet after a restart: the next surveys tell.
                watched.is_synced &= !matches!(fault, Fault::Forbidden { .. } | Fault::NoPath { .. });
                watched.fault = Some(fault);
            }
        }
        changes
    }

    /// Takes in a document that was just written; answers whether it is one.
    pub fn note(&mut self, object: &Value) -> bool {
        let target = Target::of(object);
        let kind = (target.group().to_owned(), target.kind.clone());
        let Some(watched) = self.watched.get_mut(&kind).filter(|it| it.row.label_selector.is_empty()) else {
            return false;
        };
        let version = object.text_at(&["metadata", "resourceVersion"]).to_owned();
        watched.known.insert(target.identity(), version);
        true
    }

    /// Takes in that a document was just deleted for good.
    pub fn drop_document(&mut self, target: &Target) -> bool {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get_mut(&kind).is_some_and(|it| it.known.remove(&target.identity()).is_some())
    }

    /// Whether everything of a kind is known as documents, so that nothing more need be looked for.
    pub fn covers(&self, target: &Target) -> bool {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get(&kind).is_some_and(|it| it.is_synced && it.row.label_selector.is_empty())
    }

    /// The version in which a document is loaded.
    pub fn version(&self, target: &Target) -> Option<&str> {
        let kind = (target.group().to_owned(), target.kind.clone());
        self.watched.get(&kind)?.known.get(&target.identity()).map(String::as_str)
    }

    /// Whether every kind that there is was listed, or cannot be.
    pub fn is_settled(&self) -> bool {
        self.survey_fault.is_some()
            || self.is_surveyed
                && !self.is_behind
                && self.relisting.is_empty()
                && self.watched.values().all(|it| it.is_synced || it.fault.is_some())
    }

    /// The dialects of which every kind that the server has is known.
    pub fn readable<'d>(&self, wanted: &'d [String]) -> Vec<&'d String> {
        let is_unknown =
            |dialect: &String| self.watched.values().any(|it| !it.is_synced && it.row.dialects.contains(dialect));
        wanted.iter().filter(|it| self.is_surveyed && !is_unknown(it)).collect()
    }

    /// What cannot be read, with why.
    pub fn faults(&self) -> impl Iterator<Item = (String, &Fault)> {
        let of_kinds = self.watched.values().filter_map(|it| {
            let named = format!("{}.{}", it.served.plural, it.row.group);
            Some((named.trim_end_matches('.').to_owned(), it.fault.as_ref()?))
        });
        of_kinds.chain(self.survey_fault.iter().map(|it| ("the kinds of the hub".to_owned(), it)))
    }

    /// Kinds that the server does not have, of dialects of which it has others: something is half installed.
    pub fn missing(&self) -> Vec<String> {
        if !self.is_surveyed {
            return Vec::new();
        }
        let has = |row: &Row| self.watched.values().any(|it| it.row.group == row.group && row.names(&it.served));
        let of_group = |row: &Row| self.watched.values().any(|it| it.row.group == row.group);
        let rows = self.rows.iter().filter(|it| !it.kind.ends_with('*') && of_group(it) && !has(it));
        rows.map(|it| format!("{}.{}", it.kind, it.group)).collect()
    }
}

impl Watched {
    fn put(&mut self, object: Value, changes: &mut Changes) {
        let (identity, version) = (Target::of(&object).identity(), object.text_at(&["metadata", "resourceVersion"]));
        if super::is_newer(version, self.known.get(&identity).map(String::as_str)) {
            self.known.insert(identity, version.to_owned());
            changes.load.push(object);
        }
    }
}

/// Loads documents; answers what the engine found wrong with them.
///
/// # Errors
///
/// The workspace was lost.
pub fn load(session: &mut Session, documents: &[Value]) -> Result<Vec<Value>, Refusal> {
    let mut found = Vec::new();
    for part in documents.chunks(AT_ONCE) {
        match session.ask("load", Value::map([("documents", Value::list(part.to_vec()))])) {
            Ok(answer) => found.extend(answer.diagnostics),
            Err(refusal) if refusal.is_lost => return Err(refusal),
            Err(Refusal { code, message, hint, .. }) => {
                let parts = [("severity", "error"), ("code", &code), ("message", &message), ("hint", &hint)];
                found.push(Value::map(parts));
            }
        }
    }
    Ok(found)
}

/// Lets documents go.
///
/// # Errors
///
/// The workspace was lost.
pub fn unload(session: &mut Session, identities: &[Identity]) -> Result<(), Refusal> {
    for identity in identities {
        match session.ask("unload", Value::map([("refs", Value::list([reference(identity)]))])) {
            Err(refusal) if refusal.is_lost => return Err(refusal),
            // One that could not be read was never taken in.
            Err(_) | Ok(_) => {}
        }
    }
    Ok(())
}

/// How the engine is told which document is meant.
fn reference(identity: &Identity) -> String {
    let Identity { kind, group, namespace, name } = identity;
    let kind = if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") };
    let parts = [kind.as_str(), namespace.as_str(), name.as_str()];
    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
}

/// Finds, of each kind, the best version that the server has.
async fn survey(hub: &Cluster, rows: Vec<Row>) -> Result<Vec<(Row, Served)>, Fault> {
    hub.forget_kinds();
    let groups = hub.groups().await?;
    let mut found = Vec::new();
    for row in rows {
        let versions = match (row.group.as_str(), groups.get(&row.group)) {
            ("", _) => vec!["v1".to_owned()],
            (_, Some(served)) if row.versions.is_empty() => served.clone(),
            (_, Some(served)) => row.versions.iter().filter(|it| served.contains(it)).cloned().collect(),
            (_, None) => Vec::new(),
        };
        for version in versions {
            let api_version = if row.group.is_empty() { version } else { format!("{}/{version}", row.group) };
            let all = hub.served_in(&api_version).await?;
            let matching: Vec<Served> = all.into_iter().filter(|it| row.names(it) && it.can_watch).collect();
            if !matching.is_empty() {
                found.extend(matching.into_iter().map(|served| (row.clone(), served)));
                break;
            }
        }
    }
    Ok(found)
}

/// Everything of a kind. After a fault, only if it can be watched as well: what may be listed and not watched is not followed.
async fn relist(hub: &Cluster, served: &Served, label_selector: &str, is_faulty: bool) -> Result<Listed, Fault> {
    if is_faulty {
        hub.try_watch(served, label_selector).await?;
    }
    let Served { api_version, kind, .. } = served.clone();
    hub.list(&Target { api_version, kind, ..Target::default() }, label_selector).await
}
