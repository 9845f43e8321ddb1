//! The effect of deleting a document on a hub, for a change that is evaluated and reverted.
//!
//! 1. A subject with finalizers stays until they are removed: it is marked as being deleted, so its dialect plans the
//!    uninstall.
//! 2. Any other document is removed. The garbage collector then deletes the objects of the hub that have no other
//!    owner.

use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::collections::SortedSet;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::Plan;
use crate::workspace::results::dialect_of;
use crate::workspace::store::{Store, View};
use crate::workspace::trial::Journal;

/// The deletion time of documents in such a trial. No answer shows it.
const SOME_TIME: &str = "2000-01-01T00:00:00Z";

/// An object of the hub that the garbage collector deletes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Collected {
    pub object: Identity,
    pub owner: Identity,
}

/// A document that a change deletes.
#[derive(Clone, Debug)]
pub struct Deleted {
    identity: Identity,
    uid: Text,
    /// Whether it waits for its finalizers.
    waits: bool,
}

/// Deletes a document, and what the garbage collector deletes with it.
pub fn delete(workspace: &mut Workspace, journal: &mut Journal, identity: &Identity) {
    let Some(mut document) = workspace.document(identity).cloned() else { return };
    let live = live_of(&workspace.store, &document);
    let (uid, waits) = (Text::from(live.text_at(&["metadata", "uid"])), is_kept(&workspace.store, &document, &live));
    match waits {
        true => {
            document.value = terminating(live);
            journal.put(workspace, document, &mut Vec::new());
        }
        false => journal.remove(workspace, identity),
    }
    journal.deleted.push(Deleted { identity: identity.clone(), uid, waits });
    if waits {
        return;
    }
    for object in dependents(&workspace.store, &journal.deleted) {
        if workspace.document(&object).is_some() {
            delete(workspace, journal, &object);
        } else {
            workspace.observe(&Text::new_static(HUB), Vec::new(), vec![object.clone()], None, Some(journal));
        }
        journal.collected.push(Collected { object, owner: identity.clone() });
    }
}

/// The deleted documents that wait for their finalizers, and those that a change marks as being deleted.
pub fn waiting<'a>(journal: &'a Journal, store: &'a Store) -> impl Iterator<Item = &'a Identity> {
    let deleted = journal.deleted.iter().filter(|it| it.waits).map(|it| &it.identity);
    let is_marked = |it: &&Document| {
        let now = store.document(&it.identity);
        !is_terminating(&it.value) && now.is_some_and(|it| is_terminating(&it.value))
    };
    deleted.chain(journal.replaced().filter(is_marked).map(|it| &it.identity))
}

/// All that the garbage collector deletes because of a change, also after finalizers are removed. What the plan
/// releases or deletes by itself is not among it.
pub fn collected(store: &Store, journal: &Journal, plan: &Plan) -> Vec<Collected> {
    let mut all: SortedSet<Collected> = journal.collected.iter().cloned().collect();
    let held = plan.held.iter().map(|it| &it.action);
    let planned: SortedSet<Identity> =
        plan.actions.iter().chain(held).filter(|it| it.cluster == HUB).map(|it| it.target.identity()).collect();
    for deleted in journal.deleted.iter().filter(|it| it.waits) {
        let objects = dependents(store, std::slice::from_ref(deleted)).into_iter();
        let objects = objects.filter(|it| !planned.contains(it));
        all.extend(objects.map(|object| Collected { object, owner: deleted.identity.clone() }));
    }
    all.into_iter().collect()
}

/// The document as the hub has it: a file has no uid and no finalizers.
fn live_of(store: &Store, document: &Document) -> Value {
    let observed = store.observed(HUB).map(|it| it.observation(&document.identity));
    match observed {
        Some(Observation::Present(live)) if document.value.text_at(&["metadata", "uid"]).is_empty() => live.clone(),
        _ => document.value.clone(),
    }
}

fn is_kept(store: &Store, document: &Document, live: &Value) -> bool {
    let finalizers = live.at(&["metadata", "finalizers"]).and_then(Value::as_list);
    let is_subject = dialect_of(View { store, now: None }, document).is_some();
    is_subject && (finalizers.is_some_and(|it| !it.is_empty()) || is_terminating(live))
}

fn terminating(mut live: Value) -> Value {
    let is_marked = is_terminating(&live);
    let metadata = live.get_mut("metadata").and_then(Value::as_map_mut).filter(|_| !is_marked);
    if let Some(metadata) = metadata {
        metadata.insert("deletionTimestamp", SOME_TIME);
    }
    live
}

/// The objects of the hub all of whose owners are deleted.
fn dependents(store: &Store, deleted: &[Deleted]) -> Vec<Identity> {
    let is_deleted = |uid: &str| !uid.is_empty() && deleted.iter().any(|it| it.uid == uid);
    let is_orphan = |object: &Value| {
        let owners = object.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
        let mut owners = owners.into_iter().flatten().map(|it| it.text_at(&["uid"])).peekable();
        owners.peek().is_some() && owners.all(is_deleted) && !is_terminating(object)
    };
    let observed = store.observed(HUB).into_iter().flat_map(|it| it.objects());
    let documents = store.documents().map(|it| (&it.identity, &it.value));
    let orphans = documents.chain(observed).filter(|(_, object)| is_orphan(object));
    let orphans: SortedSet<Identity> = orphans.map(|(identity, _)| identity.clone()).collect();
    orphans.into_iter().collect()
}
