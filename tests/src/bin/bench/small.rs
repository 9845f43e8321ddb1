//! W1, W2, W3 and W8: single operations, natively and under wasmtime.

use std::path::Path;

use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::engine::select::fleet::Fleet;
use fleetfold_core::engine::select::{Cluster, LabelSelector};
use fleetfold_core::object::Labels;
use fleetfold_core::value::JsonPath;
use fleetfold_core::value::json;

use crate::clock::now;

const SAMPLES: usize = 15;
/// Long enough that the clock and the call around it do not count.
const SAMPLE_NANOSECONDS: u64 = 20_000_000;

/// Measures on the inputs in `folder`; `guest` is the module of `tests/bench-guest`.
pub fn run(folder: &Path, guest: &str) -> Vec<(String, Value)> {
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut results = Vec::new();
    for (name, clusters) in [("w1_10k", "clusters-10000.json"), ("w1_100k", "clusters-100000.json")] {
        results.extend(select(name, &read(clusters), &read("selector.json"), guest));
    }
    let object = read("deployment.json");
    for (name, request) in [
        ("w2", format!(r#"{{"op":"patch","object":{object},"patch":{}}}"#, read("patch.json"))),
        ("w3", format!(r#"{{"op":"match","desired":{object},"live":{}}}"#, read("live.json"))),
        ("w8", fold_request(&["values-1.json", "values-2.json", "values-3.json"].map(read))),
    ] {
        results.extend(call(name, &request));
    }
    results
}

/// Layers as the engine takes them: each section an option that merges deeply, so that every leaf has its origin.
fn fold_request(layers: &[String]) -> String {
    let layers = layers.iter().enumerate().map(|(rank, text)| {
        let values = json::parse(text).expect("values are JSON");
        let set = values.as_map().expect("values are a map").iter().map(|(key, value)| {
            Value::map([("path", Value::from(key.clone())), ("value", value.clone()), ("merge", "deep".into())])
        });
        Value::map([("name", Value::from(format!("layer-{rank}"))), ("set", Value::list(set.collect::<Vec<_>>()))])
    });
    let layers = layers.collect::<Vec<_>>();
    Value::map([("op", Value::text("fold")), ("layers", layers.into())]).to_canonical()
}

fn call(name: &str, request: &str) -> Vec<(String, Value)> {
    let mut workspace = Workspace::default();
    let mut guest = Guest::new(&Module::embedded(&Cache::of_user()).expect("the module compiles"), Limits::default())
        .expect("a guest");
    let native = workspace.call_text(request);
    assert!(native.contains("\"ok\":"), "{name}: {native}");
    assert_eq!(native, Engine::call(&mut guest, request.as_bytes()), "{name}");
    vec![
        (format!("{name}_native_ns"), measure(|| drop(workspace.call_text(request)))),
        (format!("{name}_wasmtime_ns"), measure(|| drop(Engine::call(&mut guest, request.as_bytes())))),
    ]
}

fn select(name: &str, clusters: &str, selector: &str, guest: &str) -> Vec<(String, Value)> {
    let mut fleet = Fleet::default();
    let input = json::parse(clusters).expect("clusters are JSON");
    for cluster in input.as_list().expect("a list").iter() {
        let labels = cluster.get("labels").and_then(Value::as_map).expect("labels");
        let labels = Labels::read(labels, &JsonPath::ROOT).expect("labels are texts");
        fleet.insert(Cluster { name: cluster.text_at(&["name"]).into(), labels, ..Cluster::default() });
    }
    let parsed =
        LabelSelector::parse_object(&json::parse(selector).expect("JSON"), &JsonPath::ROOT).expect("a selector");
    let picked = fleet.select(&parsed).iter().count();
    let native = measure(|| drop(std::hint::black_box(fleet.select(&parsed).iter().collect::<Vec<u32>>())));

    let (mut store, instance) = instantiate(guest);
    let text = format!(r#"{{"clusters":{clusters},"selector":{selector}}}"#);
    let room = instance.get_typed_func::<u32, u32>(&mut store, "room").expect("room");
    let place = room.call(&mut store, text.len() as u32).expect("room for the clusters");
    let memory = instance.get_memory(&mut store, "memory").expect("memory");
    memory.write(&mut store, place as usize, text.as_bytes()).expect("the clusters fit");
    let built =
        instance.get_typed_func::<(), u32>(&mut store, "build").expect("build").call(&mut store, ()).expect("built");
    assert_eq!(built as usize, fleet.len());
    let run = instance.get_typed_func::<u32, u32>(&mut store, "select").expect("select");
    assert_eq!(run.call(&mut store, 1).expect("selected") as usize, picked);
    let wasmtime = measure(|| drop(run.call(&mut store, 1)));

    vec![
        (format!("{name}_native_ns"), native),
        (format!("{name}_wasmtime_ns"), wasmtime),
        (format!("{name}_selected"), picked.into()),
    ]
}

fn instantiate(guest: &str) -> (wasmtime::Store<()>, wasmtime::Instance) {
    let engine = wasmtime::Engine::default();
    let module = wasmtime::Module::from_file(&engine, guest).expect("the benchmark's module compiles");
    let mut store = wasmtime::Store::new(&engine, ());
    let instance = wasmtime::Instance::new(&mut store, &module, &[]).expect("it imports nothing");
    (store, instance)
}

/// CPU nanoseconds of one run: the least over all samples, since whatever disturbs a sample makes it longer.
fn measure(mut run: impl FnMut()) -> Value {
    let mut sample = |times: u64| {
        let start = now();
        (0..times).for_each(|_| run());
        now() - start
    };
    let once = sample(20).max(20) / 20;
    let times = (SAMPLE_NANOSECONDS / once.max(1)).max(1);
    let least = (0..SAMPLES).map(|_| sample(times) as f64 / times as f64).fold(f64::INFINITY, f64::min);
    Value::from(least.round() as i64)
}
