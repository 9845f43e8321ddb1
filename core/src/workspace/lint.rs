//! All findings about the documents, each once, in the order of documents and locations.

use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::object::document::{Identity, Reference};
use crate::object::structural::Definition;
use crate::value::Text;
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::workspace::Workspace;
use crate::workspace::findings::{Kinds, Known};
use crate::workspace::plan::{check_pause, planned};
use crate::workspace::results::{ClusterResult, Results, SubjectEntry};
use crate::workspace::store::{Store, View};

/// All findings: those about the documents, and those of the plan, which has other ones where live objects are known.
pub fn lint(workspace: &mut Workspace) -> Vec<Diagnostic> {
    let mut of_plan = Vec::new();
    planned(workspace, None, None, &[], &mut of_plan);
    with_those_of_plan(workspace, of_plan)
}

/// The findings about the documents, and these of their plan.
pub fn with_those_of_plan(workspace: &Workspace, mut of_plan: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // A request without `now` is about documents, not about anything that waits for a time.
    of_plan.retain(|it| it.code != Code::TimeUnknown);
    let mut found = of_documents(&workspace.store, &workspace.results);
    add_missing(of_plan, &mut found);
    found
}

/// Adds the findings that are not there yet. The plan and the documents may word one differently.
pub fn add_missing(further: Vec<Diagnostic>, found: &mut Vec<Diagnostic>) {
    let key = |it: &Diagnostic| (it.at.document.clone(), it.at.path.clone(), it.code);
    let known: SortedSet<_> = found.iter().map(key).collect();
    found.extend(further.into_iter().filter(|it| !known.contains(&key(it))));
    tidy(found);
}

/// Adds the findings of a change that loading it has not reported.
pub fn add_introduced(introduced: &[Diagnostic], found: &mut Vec<Diagnostic>) {
    let full_key = |it: &Diagnostic| (it.at.document.clone(), it.at.path.clone(), it.code, it.message.clone());
    let known: SortedSet<_> = found.iter().map(full_key).collect();
    found.extend(introduced.iter().filter(|it| !known.contains(&full_key(it))).cloned());
}

/// The findings from reading subjects, from their results, and from each dialect.
pub fn of_documents(store: &Store, results: &Results) -> Vec<Diagnostic> {
    let view = View { store, now: None };
    let mut found = Vec::new();
    for dialect in store.dialects() {
        dialect.lint(view, &mut found);
    }
    for (identity, state) in results.subjects() {
        of_reading(identity, state, &mut found);
        state
            .cluster_results()
            .values()
            .for_each(|cluster_result| of_cluster_result(identity, cluster_result, &mut found));
    }
    store.documents().for_each(|it| check_pause(it, &mut found));
    // Last, since a finding at the place of another one is left out.
    let kinds = Kinds::of(view);
    let mut known = Known::of(&found);
    store.documents().for_each(|it| kinds.check(it, &mut known, &mut found));
    of_definitions(store, &mut found);
    for finding in &mut found {
        place(finding, store);
    }
    tidy(&mut found);
    found
}

/// The fields of documents that the loaded CustomResourceDefinitions do not store. They are those of the hub where the
/// documents are read from one.
fn of_definitions(store: &Store, out: &mut Vec<Diagnostic>) {
    let mut defined = SortedSet::new();
    for definition in store.documents().filter_map(|it| Definition::of(&it.value)) {
        let (group, kind) = definition.defines();
        // A server has one definition of a kind. Of several, the first by name counts.
        if !defined.insert((Text::from(group), Text::from(kind))) {
            continue;
        }
        for document in store.of_kind(group, kind, None) {
            for path in definition.dropped(&document.value) {
                let message = format!("the CustomResourceDefinition of `{kind}` drops this field");
                let finding = Diagnostic::warning(Code::DroppedField, message).of(&document.identity).at(path);
                out.push(finding.hint("`fleetfold crds --overlay` prints the changes of definitions that are needed"));
            }
        }
    }
}

/// The findings from reading a subject.
pub fn of_reading(subject: &Identity, state: &SubjectEntry, out: &mut Vec<Diagnostic>) {
    out.extend(state.diagnostics().iter().cloned());
    if let Err(error) = state.subject() {
        out.push(error.clone().into_diagnostic(Severity::Error).of(subject));
    }
}

/// The findings from computing a result of a subject.
pub fn of_cluster_result(subject: &Identity, cluster_result: &ClusterResult, out: &mut Vec<Diagnostic>) {
    match &cluster_result.rendered {
        Ok(rendered) => out.extend(rendered.diagnostics.iter().cloned()),
        Err(error) => out.push(Error::clone(error).into_diagnostic(Severity::Error).of(subject)),
    }
}

/// Brings findings into the order of documents and places, each once.
pub fn tidy(found: &mut Vec<Diagnostic>) {
    sort_by(found, |a, b| key(a).cmp(&key(b)));
    found.dedup();
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
