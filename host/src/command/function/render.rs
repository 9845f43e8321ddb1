//! Renders the desired objects of clusters as items.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold::meta::{self, Meta};
use fleetfold_core::Value;
use fleetfold_core::api::Refusal;
use fleetfold_core::api::effective::{Effective, EffectiveAnswer};
use fleetfold_core::diagnostic::Code;
use fleetfold_core::object::folder::folder_of;
use fleetfold_core::value::Text;

use super::config::Config;
use super::list::{CLUSTER, INDEXES, PATHS};
use crate::command::fleet::Fleet;
use crate::command::output::Failure;
use crate::render::clusters as cluster_names;
use crate::render::finding::{Finding, Severity};

/// The objects of the requested clusters, by cluster and wave, and the findings.
pub fn items(fleet: &mut Fleet, config: &Config) -> Result<(Vec<Value>, Vec<Finding>), Failure> {
    let wanted = fleet.wanted(&config.clusters, config.selector.as_deref())?;
    let mut made: BTreeMap<String, Vec<(i64, Value)>> = BTreeMap::new();
    let mut findings = Vec::new();
    for subject in subjects(fleet, config, &mut findings)? {
        let answer = effective(fleet, &subject, wanted.as_ref())?;
        let mut valued: Vec<&Text> = Vec::new();
        for result in &answer.results {
            let is_wanted = |name: &&Text| wanted.as_ref().is_none_or(|wanted| wanted.contains(name.as_str()));
            let names: Vec<&Text> = result.clusters.iter().filter(is_wanted).collect();
            if names.is_empty() {
                continue;
            }
            if let Some(error) = &result.error {
                let about = format!("{}: {}", cluster_names(&names), error.message);
                findings.push(refused(error, &subject, about));
                continue;
            }
            if !result.values.is_absent() {
                valued.extend(names.iter().copied());
            }
            for name in names {
                let objects = result.objects.iter().flatten().map(|it| (it.wave, Value::clone(&it.object)));
                made.entry(name.to_string()).or_default().extend(objects);
            }
        }
        if !valued.is_empty() {
            let about = format!("{}: it gives values to a chart, and no objects", cluster_names(&valued));
            let hint = "`fleetfold preview -o yaml` has them";
            findings.push(finding(Severity::Info, NO_OBJECTS, &subject, about, hint));
        }
    }
    Ok((filed(made, &config.folder), findings))
}

/// The objects of each cluster by wave, each in a file.
fn filed(made: BTreeMap<String, Vec<(i64, Value)>>, folder: &str) -> Vec<Value> {
    let mut items = Vec::new();
    for (cluster, mut objects) in made {
        objects.sort_by_key(|(wave, _)| *wave);
        // Objects of one file are written in order; equal objects of several subjects only once.
        let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let cluster = folder_of(&cluster);
        for (_, object) in objects {
            let path = path(&object, cluster, folder);
            let before = files.entry(path.clone()).or_default();
            if !before.contains(&object) {
                items.push(annotated(object.clone(), cluster, &path, before.len()));
                before.push(object);
            }
        }
    }
    items
}

/// The result of a subject with Secret data: manifests must be complete, and the data is in the user's documents
/// anyway.
fn effective(fleet: &mut Fleet, subject: &str, wanted: Option<&BTreeSet<String>>) -> Result<EffectiveAnswer, Failure> {
    let whole = Effective { subject: subject.into(), reveal: Some(true), ..Effective::default() };
    if let Some(names) = wanted {
        let request = Effective { clusters: Some(names.iter().map(Into::into).collect()), ..whole.clone() };
        // A subject rejects clusters outside of its fleet; the answer for all clusters has those inside.
        match fleet.call(&request) {
            Err(failure) if failure.is(Code::UnknownCluster.as_str()) => {}
            answered => return answered,
        }
    }
    fleet.call(&whole)
}

/// A finding about a subject without objects.
const NO_OBJECTS: &str = "no-objects";

/// The subjects to render: the configured ones, or all. Of all subjects, one with an error becomes a finding.
fn subjects(fleet: &mut Fleet, config: &Config, findings: &mut Vec<Finding>) -> Result<Vec<String>, Failure> {
    if !config.subjects.is_empty() {
        return Ok(config.subjects.clone());
    }
    let mut names = Vec::new();
    for subject in fleet.subjects()? {
        match &subject.error {
            Some(error) => findings.push(refused(error, &subject.subject, error.message.clone())),
            None => names.push(subject.subject),
        }
    }
    Ok(names)
}

fn refused(error: &Refusal, subject: &str, message: String) -> Finding {
    let hint = error.hint.as_deref().unwrap_or_default();
    finding(Severity::Error, &error.code, subject, message, hint)
}

fn finding(severity: Severity, code: &str, document: &str, message: String, hint: &str) -> Finding {
    Finding {
        severity,
        code: code.to_owned(),
        message,
        hint: hint.to_owned(),
        document: document.to_owned(),
        path: String::new(),
        file: String::new(),
        line: None,
        column: None,
    }
}

/// Annotates an object with its cluster, its file and its index in the file.
fn annotated(mut object: Value, cluster: &str, path: &str, index: usize) -> Value {
    let index = index.to_string();
    let notes = PATHS.map(|key| (key, path)).into_iter().chain(INDEXES.map(|key| (key, index.as_str())));
    meta::annotate(&mut object, notes.chain([(CLUSTER, cluster)]));
    object
}

/// `folder/cluster/namespace/kind_name.yaml`, whatever the names are.
fn path(object: &Value, cluster: &str, folder: &str) -> String {
    let safe = |name: &str| {
        let name = name.replace(['/', '\\', '\0'], "_");
        if name.starts_with('.') { format!("_{name}") } else { name }
    };
    let meta = Meta::of(object);
    let file = format!("{}_{}.yaml", meta.kind().to_lowercase(), meta.name());
    let parts = [cluster, meta.namespace(), &file].map(safe);
    let folder = folder.trim_end_matches('/').to_owned();
    let parts: Vec<String> = [folder].into_iter().chain(parts).filter(|it| !it.is_empty()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json;

    #[test]
    fn every_cluster_has_a_folder_that_nothing_leaves() {
        let path = |object: &str, cluster: &str, folder: &str| path(&json::parse(object).unwrap(), cluster, folder);
        let web = r#"{"kind":"Deployment","metadata":{"name":"web","namespace":"shop"}}"#;
        assert_eq!(path(web, "eu-1", ""), "eu-1/shop/deployment_web.yaml");
        assert_eq!(path(web, "_hub", "out/"), "out/_hub/shop/deployment_web.yaml");
        let role = r#"{"kind":"ClusterRole","metadata":{"name":"system:../x"}}"#;
        assert_eq!(path(role, "..", ""), "_../clusterrole_system:.._x.yaml");
    }
}
