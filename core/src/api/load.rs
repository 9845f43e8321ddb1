//! `load` and `unload`: adds documents to the workspace and removes them.

use serde::{Deserialize, Serialize};

use super::{Op, count};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::select::parse_text;
use crate::object::document::Identity;
use crate::object::identity::group_of;
use crate::value::{JsonPath, Text, Value};
use crate::workspace::Workspace;
use crate::workspace::load::{Batch, from_text, from_values};
use crate::workspace::lookup::documents_named;
use crate::workspace::observed::{HUB, Query};
use crate::workspace::trial::Journal;

/// Loads documents. One that cannot be read is reported and left out; the others are loaded.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Load {
    /// The documents, as objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<Vec<Value>>,
    /// The documents, as YAML or JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// The file name of the text, for locations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Text>,
    /// The text is the complete file: documents that were loaded from it before and are no longer in it are unloaded,
    /// unless a part of the text cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<bool>,
    /// The documents are edits of loaded ones, such as files over a hub: each keeps the `uid` and `creationTimestamp`
    /// of the document that it replaces, unless it has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carry: Option<bool>,
    /// The cluster that the objects were read from; an empty name is the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Text>,
    /// Objects that were read in the cluster and not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<Vec<TargetInput>>,
    /// The objects are the complete result of the query; without a query, all objects of the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The query that was listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<QueryInput>,
    /// The cluster is unreachable: its observed state is discarded, and nothing is planned for it. `false` or any
    /// observed object of the cluster ends this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<bool>,
    /// The error that the host got from the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// Names an object of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TargetInput {
    pub api_version: Text,
    pub kind: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    pub name: Text,
}

/// A list of objects of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QueryInput {
    pub api_version: Text,
    pub kind: Text,
    /// Left out for all namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    /// In kubectl's syntax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<Text>,
}

/// Unloads documents.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unload {
    /// `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` if two groups have the kind.
    pub refs: Vec<Text>,
}

/// The result of loading.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadAnswer {
    /// How many clusters are loaded now.
    pub clusters: i64,
    /// How many documents were loaded, and how many of them replaced another.
    pub loaded: i64,
    pub replaced: i64,
    /// With `whole`: how many documents were unloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unloaded: Option<i64>,
}

/// The result of unloading.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnloadAnswer {
    /// How many clusters are loaded now.
    pub clusters: i64,
    pub unloaded: i64,
}

impl Op for Load {
    const NAME: &'static str = "load";
    type Answer = LoadAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<LoadAnswer, Error> {
        self.apply(workspace, &JsonPath::ROOT, out, None)
    }
}

impl Op for Unload {
    const NAME: &'static str = "unload";
    type Answer = UnloadAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<UnloadAnswer, Error> {
        // All are found before the first one is removed.
        let named = documents_named(workspace, &self.refs, &JsonPath::ROOT.key("refs"))?;
        let unloaded = named.iter().filter(|identity| workspace.remove(identity).is_some()).count();
        Ok(UnloadAnswer { unloaded: count(unloaded), clusters: count(workspace.store.cluster_count()) })
    }
}

impl Load {
    /// Loads everything. Within a trial, the journal records how to undo it.
    pub fn apply(
        self,
        workspace: &mut Workspace,
        at: &JsonPath,
        out: &mut Vec<Diagnostic>,
        journal: Option<&mut Journal>,
    ) -> Result<LoadAnswer, Error> {
        let is_whole = self.whole == Some(true);
        let batch = self.batch(at, out)?;
        let loaded = workspace.load(batch, journal, out);
        Ok(LoadAnswer {
            loaded: count(loaded.loaded),
            replaced: count(loaded.replaced),
            unloaded: is_whole.then(|| count(loaded.unloaded)),
            clusters: count(workspace.store.cluster_count()),
        })
    }

    /// What to load, once the fields are checked.
    fn batch(self, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Batch, Error> {
        self.check_live(at)?;
        let unreachable = self.unreachable_reason(at)?;
        let whole_file = self.whole_file(at)?;
        let before = out.len();
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
        let unread = out.iter().skip(before).any(|it| it.severity == Severity::Error);
        Ok(match (self.live, unreachable) {
            (None, _) => {
                let (whole_file, carry) = (whole_file.filter(|_| !unread), self.carry.unwrap_or(false));
                Batch::Documents { documents, whole_file, carry }
            }
            (Some(cluster), Some(reason)) => Batch::Unreachable { cluster, reason },
            (Some(cluster), None) => {
                let query = self.query.map(|it| it.read(&at.key("query"))).transpose()?;
                let complete = self.complete.unwrap_or(false).then_some(query);
                let absent = self.absent.unwrap_or_default().into_iter().map(TargetInput::identity).collect();
                Batch::Observed { cluster, objects: documents, absent, complete }
            }
        })
    }

    fn check_live(&self, at: &JsonPath) -> Result<(), Error> {
        let needs_live = [
            ("absent", self.absent.is_some()),
            ("complete", self.complete.is_some()),
            ("query", self.query.is_some()),
            ("unreachable", self.unreachable.is_some()),
        ];
        match (&self.live, needs_live.iter().find(|(_, given)| *given)) {
            (None, Some((field, _))) => {
                let message = format!("`{field}` needs `live`, the observed cluster");
                Err(Error::new(Code::MissingField, message).at(at.key("live")))
            }
            _ => Ok(()),
        }
    }

    /// The file, if the text is all of it.
    fn whole_file(&self, at: &JsonPath) -> Result<Option<Text>, Error> {
        if self.whole != Some(true) {
            return Ok(None);
        }
        if self.live.is_some() {
            let message = "`whole` is for documents; use `complete` for the observed state of a cluster";
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

    /// Why the cluster is unreachable, if it is.
    fn unreachable_reason(&self, at: &JsonPath) -> Result<Option<Text>, Error> {
        let is_lost = self.unreachable == Some(true);
        let refuse = |field: &str, message: &str| Err(Error::new(Code::UnknownValue, message).at(at.key(field)));
        if self.reason.is_some() && !is_lost {
            return refuse("reason", "`reason` explains why a cluster is unreachable, and needs `unreachable: true`");
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
            return refuse(field, "an unreachable cluster has no observed objects");
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
