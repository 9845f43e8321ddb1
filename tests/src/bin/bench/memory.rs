//! What clusters take beyond their own documents when all of a class get the same.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use fleetfold_core::Value;
use fleetfold_core::Workspace;

use crate::clock::resident;
use crate::fleet::{Fleet, check, effective_request, name_of, path_of, plan_request};

/// The federated object is that of a small fleet: room that a large request left behind would hide what is taken later.
const SMALL: usize = 100;

pub fn run(folder: &Path, count: usize) -> Vec<(String, Value)> {
    let federated = without_own_layers(Fleet::read(folder, SMALL).federated()).to_canonical();
    let mut workspace = Workspace::default();
    let lines = BufReader::new(File::open(path_of(folder, count)).expect("the fleet is written")).lines();
    let lines = lines.map(|line| line.expect("it is text"));
    for request in lines.take_while(|it| !it.contains(r#""kind":"FederatedDeployment""#)) {
        check(&workspace.call_text(&request));
    }
    // The index over labels is built by now, and so is every buffer that a request needs.
    check(&workspace.call_text(r#"{"op":"clusters","selector":"region=region-0,tier=gold"}"#));
    let labels = resident();
    check(&workspace.call_text(&federated));
    check(&workspace.call_text(&effective_request(Some(&name_of(0)), true)));
    let results = resident();
    check(&workspace.call_text(&plan_request(None)));
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
