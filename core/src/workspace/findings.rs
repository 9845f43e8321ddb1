//! The findings about single documents, and those that a change brings and fixes.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::{Document, Identity};
use crate::object::fields;
use crate::value::JsonPath;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::suggest::close;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::lint;
use crate::workspace::results::{ClusterResult, Previous, SubjectEntry};
use crate::workspace::store::View;
use crate::workspace::subject::Dialect;

/// In a group with more kinds, a kind that none of them is counts as one of its own: comparing it with all of them
/// would take too long for a finding.
const COMPARED: usize = 1_000;

/// The kinds that dialects read, found by group and kind.
#[derive(Debug, Default)]
pub struct Kinds {
    all: Vec<HubKind>,
    /// Those that are one kind, as indices.
    exact: SortedMap<(Text, Text), Vec<usize>>,
    /// Those that cover several kinds of a group, as indices.
    patterns: Vec<usize>,
    by_group: SortedMap<Text, Vec<usize>>,
    by_kind: SortedMap<Text, Vec<usize>>,
}

impl FromIterator<HubKind> for Kinds {
    fn from_iter<I: IntoIterator<Item = HubKind>>(all: I) -> Kinds {
        let mut kinds = Kinds { all: all.into_iter().collect(), ..Kinds::default() };
        for (index, kind) in kinds.all.iter().enumerate() {
            match kind.kind.ends_with('*') {
                true => kinds.patterns.push(index),
                false => kinds.exact.entry((kind.group.clone(), kind.kind.clone())).or_default().push(index),
            }
            kinds.by_group.entry(kind.group.clone()).or_default().push(index);
            kinds.by_kind.entry(kind.kind.clone()).or_default().push(index);
        }
        kinds
    }
}

impl Kinds {
    /// The kinds that the dialects of the settings read.
    pub fn of(view: View) -> Kinds {
        view.dialects().flat_map(|it| it.kinds(view)).collect()
    }

    /// The kinds that a document is of, in their order.
    fn covering(&self, identity: &Identity) -> Vec<&HubKind> {
        let exact = self.exact.get(&(identity.group.clone(), identity.kind.clone()));
        let patterns = self.patterns.iter().filter(|it| self.all.get(**it).is_some_and(|it| it.covers(identity)));
        let covering: SortedSet<usize> = exact.into_iter().flatten().chain(patterns).copied().collect();
        covering.into_iter().filter_map(|it| self.all.get(it)).collect()
    }

    /// Adds the errors of the kind and the fields of a document.
    ///
    /// 1. A kind that misspells one of the same API group is an error: no API server has it, and it does nothing here.
    /// 2. An API group that misspells that of the kind is a warning, and so is an API version that misspells one of it.
    /// 3. A document without a namespace of a kind that has one reaches nothing.
    /// 4. Labels and annotations are maps of strings, and fields of the metadata are not misspelled.
    /// 5. Fields are checked by the table of the kind, unless there is already a finding at the same place.
    pub fn check(&self, document: &Document, known: &mut Known, out: &mut Vec<Diagnostic>) {
        let identity = &document.identity;
        let covering = self.covering(identity);
        let misspelled = match covering.is_empty() {
            true => self.misspelled(identity).or_else(|| self.misspelled_group(identity)),
            false => misspelled_version(document, &covering),
        };
        known.add(&misspelled);
        out.extend(misspelled);
        if identity.namespace.is_empty() && covering.iter().any(|it| it.is_namespaced()) {
            let message = format!("the kind `{}` is namespaced, and this document has no namespace", identity.kind);
            let finding = Diagnostic::warning(Code::MissingField, message).of(identity);
            let finding = finding.at(Pointer::of(["metadata", "namespace"]));
            if !known.missing.contains(&finding.at.document) {
                known.add([&finding]);
                out.push(finding);
            }
        }
        if !covering.is_empty() {
            let found = fields::check_metadata(&document.value).into_iter().map(|it| it.of(identity));
            let found: Vec<Diagnostic> = found.filter(|it| !known.has(it)).collect();
            known.add(&found);
            out.extend(found);
        }
        let of_spec = covering.iter().find_map(|it| it.fields);
        let of_status = covering.iter().find_map(|it| it.status_fields);
        if of_spec.is_some() || of_status.is_some() {
            let of_spec = of_spec.map(|spec| fields::check(&document.value, spec, &JsonPath::ROOT));
            let of_status =
                of_status.map(|status| fields::check_part(&document.value, "status", status, &JsonPath::ROOT));
            let found = of_spec.into_iter().chain(of_status).flatten().map(|it| it.of(identity));
            let found: Vec<Diagnostic> = found.filter(|it| !known.has(it)).collect();
            known.add(&found);
            out.extend(found);
        }
    }

    fn misspelled(&self, identity: &Identity) -> Option<Diagnostic> {
        let same_group =
            self.by_group.get(&identity.group).filter(|it| !identity.group.is_empty() && it.len() <= COMPARED);
        let same_group = same_group.into_iter().flatten().filter_map(|it| self.all.get(*it));
        let meant = close(&identity.kind, same_group.map(|it| it.kind.as_str()))?;
        let message = format!("`{}` has no kind `{}`, so the document does nothing", identity.group, identity.kind);
        let finding = Diagnostic::error(Code::UnknownKind, message).of(identity).at(Pointer::of(["kind"]));
        Some(finding.hint(format!("did you mean `{meant}`?")))
    }

    fn misspelled_group(&self, identity: &Identity) -> Option<Diagnostic> {
        let of_kind = self.by_kind.get(&identity.kind).filter(|it| it.len() <= COMPARED).into_iter().flatten();
        let of_pattern = self.patterns.iter().filter(|_| self.patterns.len() <= COMPARED);
        let same_kind = of_kind.chain(of_pattern).filter_map(|it| self.all.get(*it));
        let same_kind = same_kind.filter(|it| match it.kind.strip_suffix('*') {
            Some(prefix) => identity.kind.starts_with(prefix),
            None => true,
        });
        let groups = same_kind.map(|it| it.group.as_str()).filter(|it| !it.is_empty());
        let meant = close(&identity.group, groups)?;
        let message = format!("unknown API group `{}`, so the `{}` does nothing", identity.group, identity.kind);
        let finding = Diagnostic::warning(Code::UnknownKind, message).of(identity).at(Pointer::of(["apiVersion"]));
        Some(finding.hint(format!("did you mean `{meant}`?")))
    }
}

/// An API server has no such version. The document is read here as one of the version that is known.
fn misspelled_version(document: &Document, covering: &[&HubKind]) -> Option<Diagnostic> {
    let Document { identity, value, .. } = document;
    let version = version_of(value.text_at(&["apiVersion"]));
    let known: SortedSet<Text> = covering.iter().flat_map(|it| it.versions()).collect();
    let known: Vec<&str> = known.iter().map(Text::as_str).collect();
    if version.is_empty() || known.contains(&version) {
        return None;
    }
    let meant = close(version, known)?;
    let message = format!("unknown API version `{version}` of `{}`", identity.kind);
    let finding = Diagnostic::warning(Code::UnknownKind, message).of(identity).at(Pointer::of(["apiVersion"]));
    let meant = if identity.group.is_empty() { meant.to_owned() } else { format!("{}/{meant}", identity.group) };
    Some(finding.hint(format!("did you mean `{meant}`?")))
}

/// The part of an `apiVersion` after the group.
fn version_of(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

/// Why a document must not be used: a mistake in the fields that decide for which clusters it is.
pub fn scope_error(view: View, dialect: &dyn Dialect, document: &Document) -> Option<Error> {
    // The kinds may be as many as documents: they are not listed for each.
    let by_dialect = view.store.derived("kinds by dialect", || {
        let all = view.store.all_dialects().iter();
        all.map(|it| (it.name(), it.kinds(view).into_iter().collect::<Kinds>())).collect::<SortedMap<_, _>>()
    });
    let spec = by_dialect.get(dialect.name())?.covering(&document.identity).into_iter().find_map(|it| it.fields)?;
    fields::scope_error(&document.value, spec, &JsonPath::ROOT)
}

/// The places that have a finding.
#[derive(Debug, Default)]
pub struct Known {
    places: SortedSet<(Option<String>, Option<Pointer>)>,
    /// The documents that lack a field.
    missing: SortedSet<Option<String>>,
}

impl Known {
    pub fn of(found: &[Diagnostic]) -> Known {
        let mut known = Known::default();
        known.add(found);
        known
    }

    fn add<'d>(&mut self, found: impl IntoIterator<Item = &'d Diagnostic>) {
        for finding in found {
            if finding.code == Code::MissingField {
                self.missing.insert(finding.at.document.clone());
            }
            self.places.insert((finding.at.document.clone(), finding.at.path.clone()));
        }
    }

    /// Whether there is a finding at the same place.
    fn has(&self, new: &Diagnostic) -> bool {
        self.places.contains(&(new.at.document.clone(), new.at.path.clone()))
    }
}

/// The findings about a document on its own.
pub fn of_document(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    for dialect in view.dialects() {
        dialect.lint_document(view, document, &mut found);
    }
    attribute(found, &document.identity, out);
    let mut known = Known::of(out);
    Kinds::of(view).check(document, &mut known, out);
}

/// The findings about a subject of which something was replaced, before and after.
pub fn of_replaced(
    subject: &Identity,
    was: &Previous,
    now: Option<&SubjectEntry>,
    before: &mut Vec<Diagnostic>,
    after: &mut Vec<Diagnostic>,
) {
    match was {
        Previous::Absent => {}
        Previous::Subject(state) => of_state(subject, state, before),
        Previous::Clusters { cluster_results, .. } => {
            of_cluster_results(subject, cluster_results.values().flatten(), before);
            let now = now.map(SubjectEntry::cluster_results).into_iter();
            let now = now.flat_map(|now| cluster_results.keys().filter_map(|name| now.get(name)));
            return of_cluster_results(subject, now, after);
        }
    }
    if let Some(now) = now {
        of_state(subject, now, after);
    }
}

/// A finding without a document belongs to the one under review.
pub fn attribute(found: Vec<Diagnostic>, looked_at: &Identity, out: &mut Vec<Diagnostic>) {
    out.extend(found.into_iter().map(|it| if it.at.document.is_none() { it.of(looked_at) } else { it }));
}

fn of_state(subject: &Identity, state: &SubjectEntry, out: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    lint::of_reading(subject, state, &mut found);
    attribute(found, subject, out);
    of_cluster_results(subject, state.cluster_results().values(), out);
}

/// Results are shared by many clusters, and each is checked once.
fn of_cluster_results<'c>(
    subject: &Identity,
    cluster_results: impl Iterator<Item = &'c ClusterResult>,
    out: &mut Vec<Diagnostic>,
) {
    let (mut seen, mut found) = (SortedSet::new(), Vec::new());
    for cluster_result in cluster_results {
        let is_new = cluster_result.rendered.as_ref().map_or(true, |it| seen.insert(Arc::as_ptr(it).addr()));
        if is_new {
            lint::of_cluster_result(subject, cluster_result, &mut found);
        }
    }
    attribute(found, subject, out);
}

/// The findings of `after` that `before` does not have, and the other way round. Both are in the order of
/// [`lint::tidy`].
pub fn difference(before: Vec<Diagnostic>, after: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let key = |it: &Diagnostic| (it.at.document.clone(), it.at.path.clone(), it.code, it.message.clone());
    let keys = |all: &[Diagnostic]| all.iter().map(key).collect::<SortedSet<_>>();
    let (had, has) = (keys(&before), keys(&after));
    let introduced = after.into_iter().filter(|it| !had.contains(&key(it))).collect();
    let fixed = before.into_iter().filter(|it| !has.contains(&key(it))).collect();
    (introduced, fixed)
}
