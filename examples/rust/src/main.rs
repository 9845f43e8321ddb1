//! Loads a folder of manifests, explains one value, and plans: `cargo run -p fleetfold-example-rust`

use std::error::Error;
use std::{env, fs};

use fleetfold_core::Workspace;
use fleetfold_core::api::{explain::Explain, load::Load, plan::PlanRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).unwrap_or("examples/greenhouse".into());
    let mut workspace = Workspace::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "yaml") {
            let (file, text) = (path.display().to_string().into(), fs::read_to_string(&path)?.into());
            workspace.call(Load { file: Some(file), text: Some(text), ..Load::default() })?;
        }
    }

    let (subject, cluster) = (Some("PluginPreset/acme/metrics".into()), Some("eu-1".into()));
    let explain = Explain { subject, cluster, path: Some("replicas".into()), ..Explain::default() };
    for layer in workspace.call(explain)?.answer.chain.unwrap_or_default() {
        let (value, file) = (layer.value.0.unwrap_or_default(), layer.file.unwrap_or_default());
        println!("{:<9} {:<24} {}  {file}", layer.state.as_str(), layer.layer, value.to_canonical());
    }

    let plan = workspace.call(PlanRequest { now: Some("2026-01-01T00:00:00Z".into()), ..PlanRequest::default() })?;
    println!("{} actions, {} objects to read first", plan.answer.actions.len(), plan.answer.needs.len());
    Ok(())
}
