//! W4 and W5: a whole fleet through the JSON contract, step by step.
//!
//! The Go side starts with decoded clusters and options and with live objects as bytes, and ends with a written line
//! for each cluster. The same here is: load what the clusters show, plan, and write what every cluster gets with its
//! origins. Loading the documents themselves comes on top and is told apart.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use fleetfold::cache::Cache;
use fleetfold::digest::digest;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold_core::api::effective::Effective;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::api::{Op, read_response};
use fleetfold_core::{Value, Workspace};

use crate::clock::timed;
use crate::fleet::{Fleet, check, effective_request, plan_request};

/// How often a fleet is measured, and of how many clusters together at least: small ones are soon disturbed.
const PASSES: usize = 3;
const CLUSTERS: usize = 10_000;
/// Above this the answer with every object is no text that anyone would ask for at once.
const WRITTEN_AT_ONCE: usize = 10_000;

pub fn native(folder: &Path, count: usize) -> Vec<(String, Value)> {
    run(&Fleet::read(folder, count), &mut Workspace::default(), "native")
}

/// Under wasmtime: with the embedded module, or with the one in a file.
pub fn wasmtime(folder: &Path, count: usize, file: Option<&Path>) -> Vec<(String, Value)> {
    // The module keeps to 4 GiB by itself; that a host stops it sooner is not the question here.
    let limits = Limits { deadline: Duration::from_secs(600), memory: 4 << 30, request: 1 << 30, answer: 1 << 30 };
    let cache = Cache::of_user();
    let module = match file {
        None => Module::embedded(&cache),
        Some(file) => Module::load(&std::fs::read(file).expect("the module can be read"), &cache),
    };
    let module = module.expect("the module compiles");
    run(&Fleet::read(folder, count), &mut Guest::new(&module, limits).expect("a guest"), "wasmtime")
}

fn run(fleet: &Fleet, engine: &mut dyn Engine, host: &str) -> Vec<(String, Value)> {
    let mut least = Parts::MOST;
    let mut hash = Value::Null;
    for pass in 0..PASSES.max(CLUSTERS / fleet.live.len()) {
        engine.fresh();
        let (parts, answers) = once(fleet, engine);
        least = least.least(&parts);
        if let (0, Some((plan, effective))) = (pass, answers) {
            hash = Value::from(hash_of(&plan, &effective, fleet));
        }
    }
    let Parts { documents, live, plan, origins, plain } = least;
    let parts = [("documents", documents), ("live", live), ("plan", plan), ("origins", origins), ("plain", plain)];
    let mut figures: Vec<(String, Value)> =
        parts.map(|(part, cost)| (format!("{host}_{part}_ns"), Value::from(cost as i64))).into();
    figures.push(("sha256".into(), hash));
    figures
}

/// CPU nanoseconds of each step.
#[derive(Debug)]
struct Parts {
    documents: u64,
    live: u64,
    plan: u64,
    /// Writing what every cluster gets, with the origin of every value.
    origins: u64,
    /// The same without origins.
    plain: u64,
}

impl Parts {
    const MOST: Parts =
        Parts { documents: u64::MAX, live: u64::MAX, plan: u64::MAX, origins: u64::MAX, plain: u64::MAX };

    fn least(&self, other: &Parts) -> Parts {
        Parts {
            documents: self.documents.min(other.documents),
            live: self.live.min(other.live),
            plan: self.plan.min(other.plan),
            origins: self.origins.min(other.origins),
            plain: self.plain.min(other.plain),
        }
    }
}

fn once(fleet: &Fleet, engine: &mut dyn Engine) -> (Parts, Option<(String, String)>) {
    let load = |engine: &mut dyn Engine, requests: &[String]| {
        timed(|| requests.iter().for_each(|it| check(&engine.call(it.as_bytes())))).1
    };
    let documents = load(engine, &fleet.documents);
    let live = load(engine, &fleet.live);
    let (planned, plan) = timed(|| engine.call(plan_request(None).as_bytes()));
    check(&planned);
    if fleet.live.len() > WRITTEN_AT_ONCE {
        return (Parts { documents, live, plan, origins: 0, plain: 0 }, None);
    }
    let (without, plain) = timed(|| engine.call(effective_request(None, false).as_bytes()));
    check(&without);
    drop(without);
    let (effective, origins) = timed(|| engine.call(effective_request(None, true).as_bytes()));
    (Parts { documents, live, plan, origins, plain }, Some((planned, effective)))
}

/// SHA-256 over the lines that the Go side writes: the action, the cluster and its object. The version of the live
/// object is part of the object there; here it is a precondition of the action, so that it is put in for the
/// comparison.
fn hash_of(plan: &str, effective: &str, fleet: &Fleet) -> String {
    let (plan, effective) = (ok::<PlanRequest>(plan), ok::<Effective>(effective));
    let changed: BTreeSet<&str> = plan.actions.iter().map(|it| it.cluster.as_str()).collect();
    let mut lines: Vec<(String, String)> = Vec::new();
    for result in &effective.results {
        let [product] = result.objects.as_deref().unwrap_or_default() else { panic!("one object a cluster") };
        for cluster in &result.clusters {
            let action = if changed.contains(cluster.as_str()) { "update" } else { "noop" };
            let mut object = product.object.clone().into_value();
            let metadata = object.get_mut("metadata").and_then(Value::as_map_mut).expect("metadata");
            metadata.insert("resourceVersion", fleet.version(cluster));
            let line = Value::map([("action", action.into()), ("cluster", cluster.clone().into()), ("object", object)]);
            lines.push((cluster.to_string(), line.to_canonical() + "\n"));
        }
    }
    lines.sort_unstable();
    digest(lines.into_iter().map(|(_, line)| line).collect::<String>().as_bytes()).replace("sha256:", "")
}

fn ok<O: Op>(response: &str) -> O::Answer {
    read_response::<O>(response).expect("a response").expect("the request succeeds").answer
}
