//! A change that is made to be looked at, and undone.

use crate::diagnostic::Diagnostic;
use crate::object::document::{Document, Identity};
use crate::workspace::results::{Previous, PreviousResults};
use crate::workspace::{Undo, Workspace};

/// The workspace with a change in it. It must be undone.
#[derive(Debug)]
#[must_use]
pub struct Trial {
    /// What brought the workspace to where the server is.
    first: (Vec<Undo>, PreviousResults),
    /// The change.
    second: (Vec<Undo>, PreviousResults),
}

impl Trial {
    /// Brings the workspace to where the change begins: with the document as the server has it.
    pub fn begin(workspace: &mut Workspace, identity: &Identity, old: Option<&Document>) -> Trial {
        workspace.refresh(None);
        // What is loaded may be older than what the server has; mostly it is not, and nothing is worked out anew.
        let is_current = workspace.document(identity).map(|it| &it.value) == old.map(|it| &it.value);
        let undo = match (is_current, old) {
            (true, _) => None,
            (false, Some(old)) => Some(put(workspace, old.clone(), &mut Vec::new())),
            (false, None) => remove(workspace, identity),
        };
        let first = (undo.into_iter().collect(), workspace.refresh(None));
        Trial { first, second: (Vec::new(), PreviousResults::default()) }
    }

    /// Makes the change: a document as it would be.
    pub fn put(&mut self, workspace: &mut Workspace, new: Document, out: &mut Vec<Diagnostic>) {
        let undo = put(workspace, new, out);
        self.second = (vec![undo], workspace.refresh(None));
    }

    /// Makes the change: documents that would go.
    pub fn remove(&mut self, workspace: &mut Workspace, going: &[Identity]) {
        let undo = going.iter().filter_map(|it| remove(workspace, it)).collect();
        self.second = (undo, workspace.refresh(None));
    }

    /// What the change replaced.
    pub fn replaced(&self) -> impl Iterator<Item = (&Identity, &Previous)> {
        self.second.1.iter()
    }

    /// Leaves the workspace as it was before the trial.
    pub fn undo(self, workspace: &mut Workspace) {
        let Trial { first, second } = self;
        workspace.undo(second.0, second.1);
        workspace.undo(first.0, first.1);
    }
}

/// Loads a document. Returns how to undo it.
fn put(workspace: &mut Workspace, document: Document, out: &mut Vec<Diagnostic>) -> Undo {
    let identity = document.identity.clone();
    workspace.put(document, out).map_or(Undo::Remove(identity), |it| Undo::Put(Box::new(it)))
}

/// Unloads a document. Returns how to undo it.
fn remove(workspace: &mut Workspace, identity: &Identity) -> Option<Undo> {
    workspace.remove(identity).map(|it| Undo::Put(Box::new(it)))
}
