//! `load` and `unload`: documents in and out of the workspace.

use super::WorkspaceOperation;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::select::parse_text;
use crate::object::document::{Document, Identity, Reference};
use crate::object::identity::group_of;
use crate::record;
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Query};
use crate::workspace::{Undo, Workspace};
use crate::yaml;

record! {
    request
    /// Takes documents into the workspace. One that cannot be read is told and left out; the others are taken.
    pub struct Load {
        /// The documents, as objects.
        documents "documents": Option<Vec<Value>>,
        /// The documents, as YAML or JSON text.
        text "text": Option<Text>,
        /// The name of the text, for places.
        file "file": Option<Text>,
        /// The text is all of the file: documents that came from it before and are not in it any more are let go, unless
        /// something in the text cannot be read.
        whole "whole": Option<bool>,
        /// The objects were seen in this cluster; the hub is the cluster without a name.
        live "live": Option<Text>,
        /// Objects that were looked for in the cluster and are not there.
        absent "absent": Option<Vec<TargetInput>>,
        /// The objects are all that the query lists; without a query, all there are in the cluster.
        complete "complete": Option<bool>,
        /// What was listed.
        query "query": Option<QueryInput>,
        /// The cluster did not answer: what was seen there is unknown again, and nothing is planned for it. It is lifted by
        /// `false`, and by anything that is seen there.
        unreachable "unreachable": Option<bool>,
        /// What the host met when the cluster did not answer.
        reason "reason": Option<Text>,
    }
}

record! {
    request
    /// Names an object of a cluster.
    pub struct TargetInput {
        api_version "apiVersion": Text,
        kind "kind": Text,
        namespace "namespace": Option<Text>,
        name "name": Text,
    }
}

record! {
    request
    /// A list of objects of a cluster.
    pub struct QueryInput {
        api_version "apiVersion": Text,
        kind "kind": Text,
        /// Left out for all namespaces.
        namespace "namespace": Option<Text>,
        /// In kubectl's syntax.
        label_selector "labelSelector": Option<Text>,
    }
}

record! {
    request
    /// Lets documents go.
    pub struct Unload {
        /// `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` where two groups clash.
        refs "refs": Vec<Text>,
    }
}

record! {
    answer
    /// What was taken in.
    pub struct LoadAnswer {
        /// How many documents were taken in, and how many of them took the place of another.
        loaded "loaded": i64,
        replaced "replaced": i64,
        /// With `whole`: how many documents were let go.
        unloaded "unloaded": Option<i64>,
        /// How many clusters the workspace knows now.
        clusters "clusters": i64,
    }
}

record! {
    answer
    /// What was let go.
    pub struct UnloadAnswer {
        unloaded "unloaded": i64,
        /// How many clusters the workspace knows now.
        clusters "clusters": i64,
    }
}

impl WorkspaceOperation for Load {
    const NAME: &'static str = "load";
    type Answer = LoadAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<LoadAnswer, Error> {
        self.apply(workspace, &JsonPath::ROOT, out, None)
    }
}

impl Load {
    /// Takes everything in, and notes how to undo that where it is asked to.
    pub fn apply(
        self,
        workspace: &mut Workspace,
        at: &JsonPath,
        out: &mut Vec<Diagnostic>,
        journal: Option<&mut Vec<Undo>>,
    ) -> Result<LoadAnswer, Error> {
        let needs_live = [
            ("absent", self.absent.is_some()),
            ("complete", self.complete.is_some()),
            ("query", self.query.is_some()),
            ("unreachable", self.unreachable.is_some()),
        ];
        if let (None, Some((field, _))) = (&self.live, needs_live.iter().find(|(_, given)| *given)) {
            let error =
                Error::new(Code::MissingField, format!("`{field}` needs `live`, the cluster that was looked at"));
            return Err(error.at(at.key("live")));
        }
        let lost = self.lost(at)?;
        let whole = self.whole_file(at)?;
        let told = out.len();
        let documents = match (self.documents, self.text) {
            (Some(values), None) => from_values(&values, out),
            (None, Some(text)) => from_text(&text, self.file.as_ref(), out),
            (None, None) if self.absent.is_some() || self.complete == Some(true) || self.unreachable.is_some() => {
                Vec::new()
            }
            _ => {
                let message = "`load` takes either `documents` or `text`";
                return Err(Error::new(Code::MissingField, message).at(at.key("text")));
            }
        };
        // What cannot be read may be any of the documents that were there: unknown is not absent.
        let unread = out.iter().skip(told).any(|it| it.severity == Severity::Error);
        tell_repeats(&documents, out);
        let gone = match &whole {
            Some(file) if !unread => gone_from(file, &documents, workspace),
            _ => Vec::new(),
        };
        let (loaded, mut replaced) = (documents.len(), 0);
        match self.live {
            Some(cluster) if lost.is_some() => workspace.mark_unreachable(&cluster, lost, journal),
            Some(cluster) => {
                let query = self.query.map(|it| it.read(&at.key("query"))).transpose()?;
                let complete = self.complete.unwrap_or(false).then_some(query);
                let absent = self.absent.unwrap_or_default().into_iter().map(TargetInput::identity).collect();
                replaced = workspace.observe(&cluster, documents, absent, complete, journal);
            }
            None => {
                let mut undone = Vec::new();
                for identity in &gone {
                    undone.extend(workspace.remove(identity).map(|it| Undo::Put(Box::new(it))));
                }
                for document in documents {
                    let identity = document.identity.clone();
                    // A change is asked about in order to take the place of what there is.
                    if journal.is_none() {
                        tell_other_file(&document, workspace.document(&identity), out);
                    }
                    let before = workspace.put(document, out);
                    replaced += usize::from(before.is_some());
                    if journal.is_some() {
                        undone.push(before.map_or(Undo::Remove(identity), |it| Undo::Put(Box::new(it))));
                    }
                }
                if let Some(journal) = journal {
                    journal.extend(undone);
                }
            }
        }
        Ok(LoadAnswer {
            loaded: count(loaded),
            replaced: count(replaced),
            unloaded: whole.map(|_| count(gone.len())),
            clusters: count(workspace.store.cluster_count()),
        })
    }
}

impl Load {
    /// The file that the text is all of, where it is.
    fn whole_file(&self, at: &JsonPath) -> Result<Option<Text>, Error> {
        if self.whole != Some(true) {
            return Ok(None);
        }
        if self.live.is_some() {
            let message = "`whole` is for documents; of what was seen in a cluster, say `complete`";
            return Err(Error::new(Code::UnknownValue, message).at(at.key("whole")));
        }
        for (field, given) in [("file", self.file.is_some()), ("text", self.text.is_some())] {
            if !given {
                let error = Error::new(Code::MissingField, format!("`whole` needs `{field}`"));
                return Err(error.at(at.key(field)));
            }
        }
        Ok(self.file.clone())
    }

    /// Why the cluster did not answer, where it did not.
    fn lost(&self, at: &JsonPath) -> Result<Option<Text>, Error> {
        let is_lost = self.unreachable == Some(true);
        let refuse = |field: &str, message: &str| Err(Error::new(Code::UnknownValue, message).at(at.key(field)));
        if self.reason.is_some() && !is_lost {
            return refuse("reason", "`reason` says why a cluster did not answer, and goes with `unreachable: true`");
        }
        if !is_lost {
            return Ok(None);
        }
        if self.live.as_deref() == Some(HUB) {
            return refuse("unreachable", "the hub holds the documents, and cannot be unreachable");
        }
        let shows = [
            ("documents", self.documents.is_some()),
            ("text", self.text.is_some()),
            ("absent", self.absent.is_some()),
            ("complete", self.complete.is_some()),
        ];
        if let Some((field, _)) = shows.iter().find(|(_, given)| *given) {
            return refuse(field, "in a cluster that did not answer nothing can be seen");
        }
        Ok(Some(self.reason.clone().unwrap_or_default()))
    }
}

impl TargetInput {
    fn identity(self) -> Identity {
        let TargetInput { api_version, kind, namespace, name } = self;
        Identity { kind, group: group_of(&api_version).into(), namespace: namespace.unwrap_or_default(), name }
    }
}

impl QueryInput {
    fn read(self, at: &JsonPath) -> Result<Query, Error> {
        let QueryInput { api_version, kind, namespace, label_selector } = self;
        let label_selector = label_selector.unwrap_or_default();
        parse_text(&label_selector).map_err(|error| error.at(at.key("labelSelector")))?;
        Ok(Query { api_version, kind, namespace: namespace.unwrap_or_default(), label_selector })
    }
}

fn from_values(values: &[Value], out: &mut Vec<Diagnostic>) -> Vec<Document> {
    let at = |index: usize| Pointer::of(["documents".to_string(), index.to_string()]);
    values.iter().enumerate().flat_map(|(index, value)| Document::from_value(value, &at(index), out)).collect()
}

fn from_text(text: &str, file: Option<&Text>, out: &mut Vec<Diagnostic>) -> Vec<Document> {
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

/// The documents that came from a file and are not among those that it holds now.
fn gone_from(file: &Text, now: &[Document], workspace: &Workspace) -> Vec<Identity> {
    let held: SortedSet<&Identity> = now.iter().map(|it| &it.identity).collect();
    let gone = workspace.documents().filter(|it| it.file() == Some(file) && !held.contains(&it.identity));
    gone.map(|it| it.identity.clone()).collect()
}

/// Of a document that is given twice at once, the last one counts, which the order of files must not decide unsaid.
fn tell_repeats(documents: &[Document], out: &mut Vec<Diagnostic>) {
    let mut seen: SortedSet<&Identity> = SortedSet::new();
    for document in documents.iter().filter(|it| !seen.insert(&it.identity)) {
        let message = format!("`{}` is given twice; the last one counts", document.identity);
        let at = document.at(Pointer::root());
        out.push(Diagnostic { at, ..Diagnostic::warning(Code::DuplicateDocument, message) });
    }
}

/// The same for a document that another file has given before.
fn tell_other_file(document: &Document, before: Option<&Document>, out: &mut Vec<Diagnostic>) {
    let at = document.at(Pointer::root());
    let other = before.and_then(|it| it.at(Pointer::root()).file);
    if let (Some(other), Some(file)) = (other, &at.file)
        && other != *file
    {
        let message = format!("`{}` is also given by `{other}`; the last one counts", document.identity);
        let told = Diagnostic { at, ..Diagnostic::warning(Code::DuplicateDocument, message) };
        out.push(told.hint("keep one of them, or unload the other first"));
    }
}

impl WorkspaceOperation for Unload {
    const NAME: &'static str = "unload";
    type Answer = UnloadAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<UnloadAnswer, Error> {
        let named = named(&self.refs, workspace, &JsonPath::ROOT.key("refs"))?;
        let unloaded = named.iter().filter(|identity| workspace.remove(identity).is_some()).count();
        Ok(UnloadAnswer { unloaded: count(unloaded), clusters: count(workspace.store.cluster_count()) })
    }
}

/// The documents that references name. All are found before the first one goes.
pub fn named(refs: &[Text], workspace: &Workspace, at: &JsonPath) -> Result<SortedSet<Identity>, Error> {
    let mut named = SortedSet::new();
    for (index, text) in refs.iter().enumerate() {
        let found = Reference::parse(text).and_then(|it| workspace.store.find(&it).map(|it| it.identity.clone()));
        named.insert(found.map_err(|error| error.at(at.index(index)))?);
    }
    Ok(named)
}

pub fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
