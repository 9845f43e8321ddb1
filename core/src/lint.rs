//! Everything that is worth telling about the documents, each finding once, in the order of documents and places.

use crate::diagnostic::{Diagnostic, Error, Severity};
use crate::dialect;
use crate::document::Reference;
use crate::path::Pointer;
use crate::results::Results;
use crate::sorting::sort_by;
use crate::store::{Store, View};

/// What reading the subjects told, what their results told, and what each dialect has to say beyond that.
pub fn lint(store: &Store, results: &Results) -> Vec<Diagnostic> {
    let view = View { store, now: None };
    let mut found = Vec::new();
    for dialect in dialect::ALL.iter().filter(|it| store.settings.dialects.iter().any(|name| name == it.name())) {
        dialect.lint(view, &mut found);
    }
    for (identity, state) in results.subjects() {
        found.extend(state.told().iter().cloned());
        if let Err(error) = state.subject() {
            found.push(error.clone().into_diagnostic(Severity::Error).of(identity));
        }
        for cell in state.cells().values() {
            match &cell.outcome {
                Ok(outcome) => found.extend(outcome.diagnostics.iter().cloned()),
                Err(error) => found.push(Error::clone(error).into_diagnostic(Severity::Error).of(identity)),
            }
        }
    }
    for finding in &mut found {
        place(finding, store);
    }
    sort_by(&mut found, |a, b| key(a).cmp(&key(b)));
    found.dedup();
    found
}

fn key(finding: &Diagnostic) -> (Option<&String>, Option<String>, &'static str, &str) {
    let path = finding.at.path.as_ref().map(Pointer::to_string);
    (finding.at.document.as_ref(), path, finding.code.as_str(), &finding.message)
}

/// Adds file and line to a finding that names a document and a place in it.
pub fn place(finding: &mut Diagnostic, store: &Store) {
    let Some(name) = finding.at.document.as_deref().filter(|_| finding.at.place.is_none()) else { return };
    let document = Reference::parse(name).ok().and_then(|it| store.find(&it).ok());
    if let Some(document) = document {
        finding.at = document.at(finding.at.path.clone().unwrap_or_default());
    }
}
