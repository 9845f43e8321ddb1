//! Renders the desired objects of clusters as items.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Code;
use fleetfold_core::object::folder::folder_of;

use super::config::Config;
use super::list::{CLUSTER, INDEXES, PATHS};
use crate::command::fleet::Fleet;
use crate::command::output::Failure;
use crate::render::finding::{Finding, Severity};
use crate::render::{clusters as cluster_names, count, list, text, texts};

/// The objects of the requested clusters, by cluster and wave, and the findings.
pub fn items(fleet: &mut Fleet, config: &Config) -> Result<(Vec<Value>, Vec<Finding>), Failure> {
    let wanted = fleet.wanted(&config.clusters, config.selector.as_deref())?;
    let mut made: BTreeMap<String, Vec<(i64, Value)>> = BTreeMap::new();
    let mut findings = Vec::new();
    for subject in subjects(fleet, config, &mut findings)? {
        let answer = effective(fleet, &subject, wanted.as_ref())?;
        let mut valued = Vec::new();
        for result in list(&answer, "results") {
            let is_wanted = |name: &&str| wanted.as_ref().is_none_or(|wanted| wanted.contains(*name));
            let names: Vec<&str> = texts(result, "clusters").into_iter().filter(is_wanted).collect();
            if names.is_empty() {
                continue;
            }
            if let Some(error) = result.get("error") {
                let about = format!("{}: {}", cluster_names(&names), text(error, "message"));
                findings.push(finding(Severity::Error, text(error, "code"), &subject, about, text(error, "hint")));
                continue;
            }
            if result.get("values").is_some() {
                valued.extend(names.iter().copied());
            }
            for name in names {
                let objects = list(result, "objects").iter().map(|it| (count(it, "wave"), object(it)));
                made.entry(name.to_owned()).or_default().extend(objects);
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
fn effective(fleet: &mut Fleet, subject: &str, wanted: Option<&BTreeSet<String>>) -> Result<Value, Failure> {
    let whole = Value::map([("subject", Value::text(subject)), ("reveal", true.into())]);
    if let Some(names) = wanted {
        let mut request = whole.clone();
        if let Some(fields) = request.as_map_mut() {
            fields.insert("clusters", Value::list(names.iter().map(String::as_str)));
        }
        // A subject rejects clusters outside of its fleet; the answer for all clusters has those inside.
        match fleet.ask("effective", request) {
            Err(failure) if failure.is(Code::UnknownCluster.as_str()) => {}
            answered => return answered,
        }
    }
    fleet.ask("effective", whole)
}

/// A finding about a subject without objects.
const NO_OBJECTS: &str = "no-objects";

fn object(made: &Value) -> Value {
    made.get("object").cloned().unwrap_or_default()
}

/// The subjects to render: the configured ones, or all. Of all subjects, one with an error becomes a finding.
fn subjects(fleet: &mut Fleet, config: &Config, findings: &mut Vec<Finding>) -> Result<Vec<String>, Failure> {
    if !config.subjects.is_empty() {
        return Ok(config.subjects.clone());
    }
    let mut names = Vec::new();
    for subject in fleet.subjects()? {
        let name = text(&subject, "subject");
        match subject.get("error") {
            Some(error) => {
                let (code, message, hint) = (text(error, "code"), text(error, "message"), text(error, "hint"));
                findings.push(finding(Severity::Error, code, name, message.to_owned(), hint));
            }
            None => names.push(name.to_owned()),
        }
    }
    Ok(names)
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
    let notes: Vec<(&str, &str)> = notes.chain([(CLUSTER, cluster)]).collect();
    let Some(fields) = object.as_map_mut() else { return object };
    let metadata = fields.entry_or("metadata", super::empty).and_then(Value::as_map_mut);
    let annotations = metadata.and_then(|it| it.entry_or("annotations", super::empty)).and_then(Value::as_map_mut);
    if let Some(annotations) = annotations {
        for (key, value) in notes {
            annotations.insert(key, value);
        }
    }
    object
}

/// `folder/cluster/namespace/kind_name.yaml`, whatever the names are.
fn path(object: &Value, cluster: &str, folder: &str) -> String {
    let safe = |name: &str| {
        let name = name.replace(['/', '\\', '\0'], "_");
        if name.starts_with('.') { format!("_{name}") } else { name }
    };
    let kind = object.text_at(&["kind"]).to_lowercase();
    let file = format!("{kind}_{}.yaml", object.text_at(&["metadata", "name"]));
    let parts = [cluster, object.text_at(&["metadata", "namespace"]), &file].map(safe);
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
