//! `load` and `unload`: documents in and out of the workspace.

use std::collections::BTreeSet;

use super::{Mode, Spot, WorkspaceOperation};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::document::{Document, Identity, Reference};
use crate::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::{record, yaml};

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
        let documents = match (self.documents, self.text) {
            (Some(values), None) => from_values(&values, out),
            (None, Some(text)) => from_text(&text, self.file.as_ref(), out),
            _ => {
                let message = "`load` takes either `documents` or `text`";
                return Err(Error::new(Code::MissingField, message).at(Spot::ROOT.key("text")));
            }
        };
        tell_repeats(&documents, out);
        let (loaded, mut replaced) = (documents.len(), 0);
        for document in documents {
            replaced += usize::from(workspace.put(document, out));
        }
        Ok(LoadAnswer { loaded: count(loaded), replaced: count(replaced), clusters: count(workspace.cluster_count()) })
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

/// Of a document that is given twice at once, the last one counts, which the order of files must not decide unsaid.
fn tell_repeats(documents: &[Document], out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeSet<&Identity> = BTreeSet::new();
    for document in documents.iter().filter(|it| !seen.insert(&it.identity)) {
        let message = format!("`{}` is given twice; the last one counts", document.identity);
        let at = document.at(Pointer::root());
        out.push(Diagnostic { at, ..Diagnostic::warning(Code::DuplicateDocument, message) });
    }
}

impl WorkspaceOperation for Unload {
    const NAME: &'static str = "unload";
    type Answer = UnloadAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<UnloadAnswer, Error> {
        let named = self.refs.iter().enumerate().map(|(index, text)| {
            let found = Reference::parse(text).and_then(|it| workspace.find(&it).map(|it| it.identity.clone()));
            found.map_err(|error| error.at(format!("/refs/{index}")))
        });
        // All are found before the first one goes.
        let named = named.collect::<Result<BTreeSet<Identity>, Error>>()?;
        let unloaded = named.iter().filter(|identity| workspace.remove(identity)).count();
        Ok(UnloadAnswer { unloaded: count(unloaded), clusters: count(workspace.cluster_count()) })
    }
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
