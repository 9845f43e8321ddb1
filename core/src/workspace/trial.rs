//! A change that is made, evaluated and reverted.

use crate::diagnostic::Diagnostic;
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::workspace::Workspace;
use crate::workspace::observed::ObservedCluster;
use crate::workspace::quarantine::equal_ignoring_server_fields;
use crate::workspace::removal::{Collected, Deleted};
use crate::workspace::results::PreviousResults;
use crate::workspace::settings::Settings;

/// The steps of a change, and how to undo each of them.
#[derive(Debug, Default)]
pub struct Journal {
    steps: Vec<Undo>,
    /// The documents that the change deletes.
    pub(super) deleted: Vec<Deleted>,
    /// What the garbage collector deletes with them.
    pub(super) collected: Vec<Collected>,
}

#[derive(Debug)]
enum Undo {
    Put(Box<Document>),
    Remove(Identity),
    Observed(Text, Option<ObservedCluster>),
    Settings(Box<Settings>),
}

impl Journal {
    /// Loads a document. Returns whether it replaces another one.
    pub fn put(&mut self, workspace: &mut Workspace, new: Document, out: &mut Vec<Diagnostic>) -> bool {
        let identity = new.identity.clone();
        let quarantine = &workspace.store.settings.quarantine;
        let before = workspace.document(&identity).map(|it| &it.value);
        if quarantine.names(&identity) && !before.is_some_and(|it| equal_ignoring_server_fields(it, &new.value)) {
            let quarantine = quarantine.without(&identity);
            let settings = Settings { quarantine, ..workspace.store.settings.clone() };
            self.configure(workspace, settings);
        }
        let before = workspace.put(new, out);
        let is_replacement = before.is_some();
        self.steps.push(before.map_or(Undo::Remove(identity), |it| Undo::Put(Box::new(it))));
        is_replacement
    }

    /// Loads a document as an edit of the one that it replaces, which keeps its `uid` and `creationTimestamp`. Returns
    /// whether it replaces another one.
    pub fn edit(&mut self, workspace: &mut Workspace, mut new: Document, out: &mut Vec<Diagnostic>) -> bool {
        let removed = self.steps.iter().rev().find_map(|it| match it {
            Undo::Put(before) if before.identity == new.identity => Some(&**before),
            _ => None,
        });
        if let Some(before) = workspace.document(&new.identity).or(removed) {
            new.carry_from(before);
        }
        self.put(workspace, new, out)
    }

    /// Unloads a document.
    pub fn remove(&mut self, workspace: &mut Workspace, identity: &Identity) {
        self.steps.extend(workspace.remove(identity).map(|it| Undo::Put(Box::new(it))));
    }

    /// Changes the settings.
    pub fn configure(&mut self, workspace: &mut Workspace, settings: Settings) {
        self.steps.push(Undo::Settings(Box::new(workspace.store.settings.clone())));
        workspace.configure(settings);
    }

    /// Notes the observed state of a cluster, which is about to change.
    pub fn record_observed(&mut self, cluster: &Text, before: Option<ObservedCluster>) {
        self.steps.push(Undo::Observed(cluster.clone(), before));
    }

    /// The clusters whose observed state changed.
    pub fn observed(&self) -> impl Iterator<Item = &Text> {
        self.steps.iter().filter_map(|it| match it {
            Undo::Observed(cluster, _) => Some(cluster),
            Undo::Put(_) | Undo::Remove(_) | Undo::Settings(_) => None,
        })
    }

    /// The documents that were loaded or unloaded.
    pub fn documents(&self) -> impl Iterator<Item = &Identity> {
        self.steps.iter().filter_map(|it| match it {
            Undo::Put(document) => Some(&document.identity),
            Undo::Remove(identity) => Some(identity),
            Undo::Observed(..) | Undo::Settings(_) => None,
        })
    }
}

impl Workspace {
    /// Makes a change, evaluates its effect with `look`, and reverts it. A change that fails half-way is reverted as
    /// well.
    ///
    /// The time is that of the request, which refreshed the workspace with it. `look` gets the workspace with the
    /// change in it, the results that the change replaced, and its steps.
    ///
    /// # Errors
    ///
    /// Those of the change.
    pub fn trial<T, E>(
        &mut self,
        change: impl FnOnce(&mut Workspace, &mut Journal) -> Result<(), E>,
        look: impl FnOnce(&mut Workspace, &PreviousResults, &Journal) -> T,
    ) -> Result<T, E> {
        let now = self.results.now();
        self.refresh(now);
        let mut journal = Journal::default();
        let made = change(self, &mut journal);
        let replaced = self.refresh(now);
        let looked = made.map(|()| look(self, &replaced, &journal));
        self.store.keep_tried(&journal);
        for step in journal.steps.into_iter().rev() {
            match step {
                Undo::Put(document) => drop(self.store.put(*document, &mut Vec::new())),
                Undo::Remove(identity) => drop(self.store.remove(&identity)),
                Undo::Observed(cluster, seen) => crate::seeded!(
                    WhatIfLeavesObserved,
                    self.store.restore_observed(&cluster, seen),
                    drop((cluster, seen))
                ),
                Undo::Settings(settings) => self.store.settings = *settings,
            }
        }
        self.results.restore(replaced);
        looked
    }
}
