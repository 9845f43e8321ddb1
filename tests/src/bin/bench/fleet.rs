//! A fleet as the Go side wrote it: requests that load the documents, then requests that load what each cluster shows.

use std::path::{Path, PathBuf};

use fleetfold_core::Value;
use fleetfold_core::value::json;

/// The federated object of every fleet.
pub const SUBJECT: &str = "FederatedDeployment/observability/metrics";

/// When every plan is made.
pub const NOW: &str = "2026-01-01T00:00:00Z";

pub struct Fleet {
    /// Loads of clusters, and last the federated object with what belongs to it.
    pub documents: Vec<String>,
    /// One a cluster, in the order of their names.
    pub live: Vec<String>,
}

impl Fleet {
    pub fn read(folder: &Path, count: usize) -> Fleet {
        let path = path_of(folder, count);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (live, documents): (Vec<String>, Vec<String>) =
            text.lines().map(String::from).partition(|line| line.starts_with(r#"{"complete""#));
        assert_eq!(live.len(), count, "{}", path.display());
        Fleet { documents, live }
    }

    /// The version of the object that a cluster shows.
    pub fn version(&self, cluster: &str) -> &str {
        let number = cluster.trim_start_matches("cluster-").parse::<usize>().expect("clusters are numbered");
        let request = self.live.get(number).expect("every cluster shows something");
        let (_, version) = request.split_once(r#""resourceVersion":""#).expect("it has a version");
        version.split_once('"').expect("which is a text").0
    }

    /// The request that loads the federated object.
    pub fn federated(&self) -> Value {
        json::parse(self.documents.last().expect("it has documents")).expect("requests are JSON")
    }
}

/// The file of a fleet.
pub fn path_of(folder: &Path, count: usize) -> PathBuf {
    folder.join(format!("fleet-{count}.jsonl"))
}

/// Stops at a request that was refused: a benchmark of it would mean nothing.
pub fn check(answer: &str) {
    assert!(answer.starts_with(r#"{"ok":"#) || answer.starts_with(r#"{"diagnostics":"#), "{answer:.1000}");
}

pub fn name_of(cluster: usize) -> String {
    format!("cluster-{cluster:06}")
}

pub fn plan_request(cluster: Option<&str>) -> String {
    let scope = cluster.map(|it| format!(r#","scope":{{"clusters":["{it}"]}}"#)).unwrap_or_default();
    format!(r#"{{"op":"plan","now":"{NOW}"{scope}}}"#)
}

pub fn effective_request(cluster: Option<&str>, origins: bool) -> String {
    let only = cluster.map(|it| format!(r#","clusters":["{it}"]"#)).unwrap_or_default();
    format!(r#"{{"op":"effective","subject":"{SUBJECT}","origins":{origins}{only}}}"#)
}
