//! What clusters take beyond their own documents when all of a class get the same.

use std::path::Path;

use fleetfold_core::{Value, Workspace};

use crate::clock::resident;
use crate::fleet::{Fleet, check, effective_request, name_of, plan_request};

pub fn run(folder: &Path, count: usize) -> Vec<(String, Value)> {
    let fleet = Fleet::read(folder, count);
    let federated = without_own_layers(fleet.federated()).to_canonical();
    let mut workspace = Workspace::default();
    let (_, clusters) = fleet.documents.split_last().expect("documents");
    clusters.iter().for_each(|it| check(&workspace.call(it)));
    // The index over labels is built by now, and so is every buffer that a request needs.
    check(&workspace.call(r#"{"op":"clusters","selector":"region=region-0,tier=gold"}"#));
    let labels = resident();
    check(&workspace.call(&federated));
    check(&workspace.call(&effective_request(Some(&name_of(0)), true)));
    let results = resident();
    check(&workspace.call(&plan_request(None)));
    let planned = resident();
    let each = |from: u64, to: u64| Value::from((to.saturating_sub(from) / count as u64) as i64);
    vec![("memory_results".into(), each(labels, results)), ("memory_needs".into(), each(results, planned))]
}

/// The same request without the layers that name one cluster.
fn without_own_layers(mut request: Value) -> Value {
    let documents = request.get_mut("documents").and_then(Value::as_list_mut).expect("documents");
    for document in documents {
        let overrides = document.get_mut("spec").and_then(|it| it.get_mut("overrides")).and_then(Value::as_list_mut);
        if let Some(overrides) = overrides {
            overrides.retain(|it| it.get("clusterName").is_none());
        }
    }
    request
}
