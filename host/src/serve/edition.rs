//! The fleet as it is served at a moment: what a page must put to an empty engine, in this order, to see the same.

use axum::body::Bytes;
use fleetfold_core::Value;

use crate::guest::digest;

/// Everything that was read, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Edition {
    /// Where it comes from; nothing where there is no fleet.
    pub source: Option<Source>,
    /// Requests of the op `load`, without the op, in the order in which they are put to an engine.
    pub loads: Vec<Value>,
    /// The settings, each with the file that says them: `{"file":…,"text":…,"configure":{…}}`.
    pub settings: Vec<Value>,
    /// What the host met while it read. What the engine finds in the documents, it says when they are loaded.
    pub diagnostics: Vec<Value>,
    /// The digest of the plan over the real contents, where those are not in `loads`.
    pub digest: Option<String>,
}

/// Where documents come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Files and folders, by the names that were given.
    Folder { names: Vec<String> },
    /// A hub. What its Secrets hold is not told.
    Cluster { name: String },
}

impl Source {
    fn to_value(&self) -> Value {
        match self {
            Source::Folder { names } => {
                Value::map([("kind", Value::text("folder")), ("name", names.join(", ").into())])
            }
            Source::Cluster { name } => {
                Value::map([("kind", Value::text("cluster")), ("name", name.as_str().into()), ("masked", true.into())])
            }
        }
    }
}

/// An edition, ready to be sent and to be loaded.
#[derive(Clone, Debug)]
pub struct Shown {
    edition: Edition,
    /// Another one for every other content, and the same for the same.
    pub revision: String,
    /// What `GET /v1/fleet` answers.
    pub body: Bytes,
    /// What fills an engine.
    pub requests: Vec<String>,
}

impl Shown {
    pub fn new(edition: Edition) -> Shown {
        let none = || Value::map([("kind", "none"), ("name", "")]);
        let source = edition.source.as_ref().map_or_else(none, Source::to_value);
        // The files of a folder are somebody's to edit; what a cluster holds is written there, not here.
        let is_editable = !matches!(edition.source, Some(Source::Cluster { .. }));
        let mut fields = vec![
            ("source", source),
            ("loads", Value::list(edition.loads.clone())),
            ("configure", Value::list(edition.settings.clone())),
            ("diagnostics", Value::list(edition.diagnostics.clone())),
            ("editable", is_editable.into()),
        ];
        fields.extend(edition.digest.as_deref().map(|it| ("digest", it.into())));
        let revision = revision_of(&Value::map(fields.clone()));
        fields.push(("revision", revision.as_str().into()));
        let body = Value::map(fields).to_canonical().into();
        let loads = edition.loads.iter().map(|it| request("load", it));
        let settings = edition.settings.iter().filter_map(|it| it.get("configure")).map(|it| request("configure", it));
        let requests = loads.chain(settings).collect();
        Shown { requests, edition, revision, body }
    }

    /// The same, with what was wrong with the one that should have taken its place.
    pub fn with_problem(&self, problem: &str) -> Shown {
        let mut edition = self.edition.clone();
        edition.diagnostics.retain(|it| it.text_at(&["code"]) != NOT_TAKEN);
        edition.diagnostics.push(Value::map([
            ("severity", "error"),
            ("code", NOT_TAKEN),
            ("message", &format!("the fleet changed and cannot be loaded: {problem}")),
            ("hint", "what was there before is shown; mend the documents, or raise `--timeout` and `--memory`"),
        ]));
        Shown::new(edition)
    }
}

const NOT_TAKEN: &str = "fleet-not-loaded";

fn revision_of(content: &Value) -> String {
    let whole = digest(content.to_canonical().as_bytes());
    whole.trim_start_matches("sha256:").chars().take(32).collect()
}

/// A request of an op.
pub fn request(op: &str, fields: &Value) -> String {
    let mut fields = fields.clone();
    if let Some(fields) = fields.as_map_mut() {
        fields.insert("op", op);
    }
    fields.to_canonical()
}
