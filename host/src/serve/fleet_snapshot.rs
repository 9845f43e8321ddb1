//! The fleet at a moment, as the requests that load it into an empty engine, in order.

use axum::body::Bytes;
use fleetfold_core::Value;
use fleetfold_core::api::Refusal;
use fleetfold_core::diagnostic::read;
use fleetfold_core::value::json;
use serde::Deserialize;

use crate::digest::digest;
use crate::engine::Engine;

/// Everything that was read at one moment.
#[derive(Clone, Debug, Default)]
pub struct FleetSnapshot {
    /// Nothing where no fleet is served.
    pub source: Option<Source>,
    /// `load` requests without the op, in order.
    pub loads: Vec<Value>,
    /// The settings, each with its file: `{"file":…,"text":…,"configure":{…}}`.
    pub settings: Vec<Value>,
    /// The problems of reading. Diagnostics about documents come from the engine when it loads them.
    pub diagnostics: Vec<Value>,
    /// The digest of the plan over the unredacted contents, where `loads` is redacted.
    pub digest: Option<String>,
}

/// Where documents come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Files and folders, by name.
    Folder { names: Vec<String> },
    /// A hub, with redacted Secrets.
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

/// A snapshot, ready to be sent and to be loaded.
#[derive(Clone, Debug)]
pub struct Published {
    snapshot: FleetSnapshot,
    /// Identifies the content: equal contents have the same revision.
    pub revision: String,
    /// The body of `GET /v1/fleet`.
    pub body: Bytes,
    /// The requests that load it into an engine.
    requests: Vec<String>,
}

impl Published {
    pub fn new(snapshot: FleetSnapshot) -> Published {
        let none = || Value::map([("kind", "none"), ("name", "")]);
        let source = snapshot.source.as_ref().map_or_else(none, Source::to_value);
        // Files can be edited in the page; the objects of a cluster are changed there.
        let is_editable = !matches!(snapshot.source, Some(Source::Cluster { .. }));
        let mut fields = vec![
            ("source", source),
            ("loads", Value::list(snapshot.loads.clone())),
            ("configure", Value::list(snapshot.settings.clone())),
            ("diagnostics", Value::list(snapshot.diagnostics.clone())),
            ("editable", is_editable.into()),
        ];
        fields.extend(snapshot.digest.as_deref().map(|it| ("digest", it.into())));
        let revision = revision_of(&Value::map(fields.clone()));
        fields.push(("revision", revision.as_str().into()));
        let body = Value::map(fields).to_canonical().into();
        let loads = snapshot.loads.iter().map(|it| request("load", it));
        let settings = snapshot.settings.iter().filter_map(|it| it.get("configure")).map(|it| request("configure", it));
        let requests = loads.chain(settings).collect();
        Published { requests, snapshot, revision, body }
    }

    /// Loads it into an empty engine.
    ///
    /// # Errors
    ///
    /// The engine refuses a request as a whole. A document that cannot be read is only a finding.
    pub fn load(&self, engine: &mut dyn Engine) -> Result<(), String> {
        #[derive(Deserialize)]
        struct Response {
            error: Option<Refusal>,
        }
        for request in &self.requests {
            let answer = json::parse_answer(&engine.call(request.as_bytes())).map_err(|error| error.message)?;
            let Response { error } = read::from_value_ignoring_unknown(answer).map_err(|error| error.to_string())?;
            error.map_or(Ok(()), |error| Err(error.message))?;
        }
        Ok(())
    }

    /// The same, with the problem that the next snapshot had.
    pub fn with_problem(&self, problem: &str) -> Published {
        let mut snapshot = self.snapshot.clone();
        snapshot.diagnostics.retain(|it| it.text_at(&["code"]) != NOT_LOADED);
        snapshot.diagnostics.push(Value::map([
            ("severity", "error"),
            ("code", NOT_LOADED),
            ("message", &format!("the fleet changed and cannot be loaded: {problem}")),
            ("hint", "what was there before is shown; mend the documents, or raise `--timeout` and `--memory`"),
        ]));
        Published::new(snapshot)
    }
}

const NOT_LOADED: &str = "fleet-not-loaded";

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
