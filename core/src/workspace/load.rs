//! What loading documents and observed objects does to the workspace.
//!
//! 1. A document replaces the one of the same identity. One that is given twice counts as given last, with a finding.
//! 2. Where a text is all of a file, documents that came from the file before and are not in it any more are unloaded,
//!    unless something in the text cannot be read: unknown is not absent.
//! 3. Observed objects become the known state of their cluster; a complete list makes what it lacks absent.
//! 4. An edit, in a trial or with `carry`, keeps the `uid` and `creationTimestamp` of the document that it replaces.
//! 5. A cluster that cannot be reached is unknown until something is observed there.

use crate::diagnostic::{Code, Diagnostic, Mode};
use crate::object::document::{Document, Identity};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::observed::Query;
use crate::workspace::removal;
use crate::workspace::trial::Journal;
use crate::yaml;

/// What to load.
#[derive(Debug)]
pub enum Batch {
    Documents {
        documents: Vec<Document>,
        /// The file of which the documents are all there is.
        whole_file: Option<Text>,
        /// Whether they are edits of loaded documents.
        carry: bool,
    },
    Observed {
        cluster: Text,
        objects: Vec<Document>,
        absent: Vec<Identity>,
        /// The objects are all that the query lists; without a query, all there are in the cluster.
        complete: Option<Option<Query>>,
    },
    Unreachable {
        cluster: Text,
        reason: Text,
    },
}

/// How many documents were loaded, how many of them replaced another, and how many were unloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    pub loaded: usize,
    pub replaced: usize,
    pub unloaded: usize,
}

impl Workspace {
    /// Loads a batch. Within a trial, the journal records how to undo it.
    pub fn load(&mut self, batch: Batch, journal: Option<&mut Journal>, out: &mut Vec<Diagnostic>) -> Loaded {
        match batch {
            Batch::Documents { mut documents, whole_file, carry } => {
                for document in documents.iter_mut().filter(|_| carry) {
                    if let Some(before) = self.document(&document.identity) {
                        document.carry_from(before);
                    }
                }
                self.load_documents(documents, whole_file, journal, out)
            }
            Batch::Observed { cluster, objects, absent, complete } => {
                warn_repeats(&objects, out);
                let loaded = objects.len();
                let replaced = self.observe(&cluster, objects, absent, complete, journal);
                Loaded { loaded, replaced, unloaded: 0 }
            }
            Batch::Unreachable { cluster, reason } => {
                self.mark_unreachable(&cluster, Some(reason), journal);
                Loaded::default()
            }
        }
    }

    fn load_documents(
        &mut self,
        documents: Vec<Document>,
        whole_file: Option<Text>,
        mut journal: Option<&mut Journal>,
        out: &mut Vec<Diagnostic>,
    ) -> Loaded {
        warn_repeats(&documents, out);
        let removed = whole_file.map(|file| self.missing_from(&file, &documents)).unwrap_or_default();
        for identity in &removed {
            match &mut journal {
                Some(journal) => removal::delete(self, journal, identity),
                None => drop(self.remove(identity)),
            }
        }
        let (loaded, mut replaced) = (documents.len(), 0);
        for document in documents {
            let is_replacement = match &mut journal {
                // A change is evaluated in order to replace the loaded documents.
                Some(journal) => journal.edit(self, document, out),
                None => {
                    warn_other_file(&document, self.document(&document.identity), out);
                    self.put(document, out).is_some()
                }
            };
            replaced += usize::from(is_replacement);
        }
        Loaded { loaded, replaced, unloaded: removed.len() }
    }

    /// The documents that came from a file and are not among those that it holds now.
    fn missing_from(&self, file: &Text, now: &[Document]) -> Vec<Identity> {
        let held: SortedSet<&Identity> = now.iter().map(|it| &it.identity).collect();
        let missing = self.documents().filter(|it| it.file() == Some(file) && !held.contains(&it.identity));
        missing.map(|it| it.identity.clone()).collect()
    }
}

/// The documents among some values, which are `documents` of a request.
pub fn from_values(values: &[Value], out: &mut Vec<Diagnostic>) -> Vec<Document> {
    let at = |index: usize| Pointer::of(["documents".to_string(), index.to_string()]);
    values.iter().enumerate().flat_map(|(index, value)| Document::from_value(value, &at(index), out)).collect()
}

/// The documents of a YAML or JSON text. One that cannot be read is reported and left out.
///
/// # Example
///
/// ```
/// use fleetfold_core::workspace::documents_from_text;
///
/// let mut findings = Vec::new();
/// let documents = documents_from_text("{kind: Namespace, metadata: {name: a}}\n---\nb: [\n", None, &mut findings);
/// assert_eq!(documents[0].identity.to_string(), "Namespace/a");
/// assert_eq!((documents.len(), findings.len()), (1, 1));
/// ```
pub fn from_text(text: &str, file: Option<&Text>, out: &mut Vec<Diagnostic>) -> Vec<Document> {
    let mut found = Vec::new();
    let mut documents = Vec::new();
    for parsed in yaml::parse_each(text, Mode::Strict, &mut found) {
        match parsed {
            Ok(parsed) => documents.extend(Document::from_text(parsed, file, out)),
            Err(error) => out.push(error.into_diagnostic(file.map(Text::as_str))),
        }
    }
    for mut finding in found {
        finding.at.file = file.map(Text::to_string);
        out.push(finding);
    }
    documents
}

/// Of a document that is given twice at once, the last one counts, which the order of files must not decide unsaid.
fn warn_repeats(documents: &[Document], out: &mut Vec<Diagnostic>) {
    let mut seen: SortedSet<&Identity> = SortedSet::new();
    for document in documents.iter().filter(|it| !seen.insert(&it.identity)) {
        let message = format!("`{}` is given twice; the last one counts", document.identity);
        let at = document.at(Pointer::root());
        out.push(Diagnostic { at, ..Diagnostic::warning(Code::DuplicateDocument, message) });
    }
}

/// The same for a document that another file has given before.
fn warn_other_file(document: &Document, before: Option<&Document>, out: &mut Vec<Diagnostic>) {
    let at = document.at(Pointer::root());
    let other = before.and_then(|it| it.at(Pointer::root()).file);
    if let (Some(other), Some(file)) = (other, &at.file)
        && other != *file
    {
        let message = format!("`{}` is also given by `{other}`; the last one counts", document.identity);
        let finding = Diagnostic { at, ..Diagnostic::warning(Code::DuplicateDocument, message) };
        out.push(finding.hint("keep one of them, or unload the other first"));
    }
}
