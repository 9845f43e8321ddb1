//! The fleet at a moment, as the requests that load it into an empty engine, in order.

use axum::body::Bytes;
use fleetfold_core::Value;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::{Finding, Op, read_response, request_text};
use fleetfold_core::diagnostic::{Code, Severity, read};
use fleetfold_core::value::canonical::to_text_as_declared;
use fleetfold_core::value::{Text, json};
use serde::Serialize;

use crate::digest::digest;
use crate::engine::Engine;

/// Everything that was read at one moment.
#[derive(Clone, Debug, Default)]
pub struct FleetSnapshot {
    /// Nothing where no fleet is served.
    pub source: Option<Source>,
    /// In order.
    pub loads: Vec<Load>,
    pub settings: Vec<SettingsFile>,
    /// The problems of reading. Findings about documents come from the engine when it loads them.
    pub diagnostics: Vec<Finding>,
    /// The digest of the plan over the unredacted contents, where `loads` is redacted.
    pub digest: Option<String>,
}

/// Settings, with the file that holds them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SettingsFile {
    /// As they are written: the engine reports what is wrong with them.
    pub configure: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
}

/// Where documents come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Files and folders, by name.
    Folder { names: Vec<String> },
    /// A hub, with redacted Secrets.
    Cluster { name: String },
}

/// The body of `GET /v1/fleet`.
#[derive(Serialize)]
struct Body<'a> {
    source: SourceBody,
    loads: &'a [Load],
    configure: &'a [SettingsFile],
    diagnostics: &'a [Finding],
    /// Files can be edited in the page; the objects of a cluster are changed there.
    editable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<&'a str>,
}

#[derive(Serialize)]
struct SourceBody {
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<bool>,
}

impl SourceBody {
    fn of(source: Option<&Source>) -> SourceBody {
        let (kind, name, masked) = match source {
            None => ("none", String::new(), None),
            Some(Source::Folder { names }) => ("folder", names.join(", "), None),
            Some(Source::Cluster { name }) => ("cluster", name.clone(), Some(true)),
        };
        SourceBody { kind, name, masked }
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
}

impl Published {
    pub fn new(snapshot: FleetSnapshot) -> Published {
        let FleetSnapshot { source, loads, settings, diagnostics, digest } = &snapshot;
        let body = |revision| {
            let body = Body {
                source: SourceBody::of(source.as_ref()),
                loads,
                configure: settings,
                diagnostics,
                editable: !matches!(source, Some(Source::Cluster { .. })),
                digest: digest.as_deref(),
                revision,
            };
            let text = to_text_as_declared(&body).unwrap_or_default();
            json::parse_answer(&text).unwrap_or_default().to_canonical()
        };
        let revision = revision_of(&body(None));
        let body = body(Some(&revision)).into();
        Published { snapshot, revision, body }
    }

    /// Loads it into an empty engine.
    ///
    /// # Errors
    ///
    /// The engine refuses a request as a whole. A document that cannot be read is only a finding.
    pub fn load(&self, engine: &mut dyn Engine) -> Result<(), String> {
        for load in &self.snapshot.loads {
            call(engine, load)?;
        }
        for settings in &self.snapshot.settings {
            let configure: Configure = read::from_value(settings.configure.clone()).map_err(|error| error.message)?;
            call(engine, &configure)?;
        }
        Ok(())
    }

    pub fn loads(&self) -> &[Load] {
        &self.snapshot.loads
    }

    /// The same, with further documents put aside.
    pub fn with_quarantined(&self, quarantined: &[String], blamed: &[String]) -> Published {
        let mut snapshot = self.snapshot.clone();
        let all = quarantined.iter().chain(blamed).map(String::as_str);
        let configure = Value::map([("quarantined", Value::list(all))]);
        snapshot.settings.push(SettingsFile { configure, ..SettingsFile::default() });
        snapshot.diagnostics.extend(blamed.iter().map(|document| Finding {
            at: None,
            code: Text::new_static(Code::QuarantinedDocument.as_str()),
            hint: Some("simplify the document, or raise `--timeout` and `--memory`".to_owned()),
            message: format!("`{document}` exceeds a limit of the engine and is quarantined"),
            severity: Severity::Error,
        }));
        Published::new(snapshot)
    }

    /// The same, with the problem that the next snapshot had.
    pub fn with_problem(&self, problem: &str) -> Published {
        let mut snapshot = self.snapshot.clone();
        snapshot.diagnostics.retain(|it| it.code != NOT_LOADED);
        let hint = "the previous version is shown; fix the documents, or raise `--timeout` and `--memory`";
        snapshot.diagnostics.push(Finding {
            at: None,
            code: Text::new_static(NOT_LOADED),
            hint: Some(hint.to_owned()),
            message: format!("the fleet changed and cannot be loaded: {problem}"),
            severity: Severity::Error,
        });
        Published::new(snapshot)
    }
}

const NOT_LOADED: &str = "fleet-not-loaded";

fn call<O: Op>(engine: &mut dyn Engine, request: &O) -> Result<(), String> {
    let response = engine.call(request_text(request).as_bytes());
    match read_response::<O>(&response) {
        Ok(answered) => answered.map(drop).map_err(|refusal| refusal.message),
        Err(error) => Err(error.to_string()),
    }
}

fn revision_of(content: &str) -> String {
    let whole = digest(content.as_bytes());
    whole.trim_start_matches("sha256:").chars().take(32).collect()
}
