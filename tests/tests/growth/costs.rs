//! What the workloads of `npm run bench` cost in instructions of the module, against the figures of `tests/costs.json`.
//!
//! Time differs from machine to machine and from minute to minute; the instructions of one module do not. A workload
//! that costs more than its figure fails, and one that costs much less asks for its new figure: otherwise the gain
//! could be lost again without notice. `FLEETFOLD_COSTS=write` stores new figures.

#[path = "costs/fleet.rs"]
mod fleet;

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::value::json;

use super::{Guest, compiled};
use fleet::{Fleet, SUBJECT, input};

/// What a workload may cost beyond its figure, in percent.
const MORE: f64 = 3.0;
/// What a workload may cost below its figure, in percent, before the new figure must be stored.
const LESS: f64 = 10.0;
/// What a change may cost in a fleet of [`LARGE`] clusters over the same in one of [`SMALL`].
const MAX_RATIO: f64 = 1.2;

const SMALL: usize = 200;
const LARGE: usize = 2_000;
/// Clusters that are changed, spread over the fleet.
const CHANGES: usize = 5;

type Costs = BTreeMap<String, u64>;

#[test]
fn workloads_cost_what_is_stored() {
    let mut costs = Costs::new();
    single_calls(&mut costs);
    let small = fleet_of(SMALL, &mut costs);
    let large = fleet_of(LARGE, &mut Costs::new());
    for ((what, small), (_, large)) in small.iter().zip(&large) {
        costs.insert(format!("w6 {what}, {SMALL} clusters"), *small);
        costs.insert(format!("w6 {what}, {LARGE} clusters"), *large);
    }
    let file = fleet::folder().with_extension("json");
    if std::env::var("FLEETFOLD_COSTS").is_ok_and(|it| it == "write") {
        std::fs::write(&file, printed(&costs)).expect("the figures are written");
    }
    let stored = stored(&std::fs::read_to_string(&file).expect("tests/costs.json"));
    let mut failed = differences(&costs, &stored);
    for ((what, small), (_, large)) in small.iter().zip(&large) {
        let ratio = *large as f64 / *small as f64;
        println!("{ratio:>8.2}  {what}, {LARGE} clusters over {SMALL}");
        if ratio > MAX_RATIO {
            failed.push(format!("{what}: {ratio:.2} times as much with {LARGE} clusters as with {SMALL}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// W2, W3 and W8: calls that need no documents.
fn single_calls(costs: &mut Costs) {
    let [object, live, patch] = ["deployment", "live", "patch"].map(|it| input(it).to_canonical());
    let layers = ["values-1", "values-2", "values-3"].map(|name| {
        let values = input(name);
        let set = values.as_map().expect("values are a map").iter().map(|(key, value)| {
            Value::map([("path", Value::from(key.clone())), ("value", value.clone()), ("merge", "deep".into())])
        });
        Value::map([("name", name.into()), ("set", Value::list(set.collect::<Vec<_>>()))])
    });
    let layers = Value::list(layers).to_canonical();
    let mut guest = guest();
    for (name, request) in [
        ("w2 patch", format!(r#"{{"op":"patch","object":{object},"patch":{patch}}}"#)),
        ("w3 match", format!(r#"{{"op":"match","desired":{object},"live":{live}}}"#)),
        ("w8 fold", format!(r#"{{"op":"fold","layers":{layers}}}"#)),
    ] {
        // The first call also takes memory from the host.
        ask(&mut guest, &request);
        costs.insert(name.into(), ask(&mut guest, &request).1);
    }
}

/// W4 for each cluster into `costs`; the answer is W6, each change on its own.
fn fleet_of(count: usize, costs: &mut Costs) -> Vec<(&'static str, u64)> {
    let fleet = Fleet::of(count);
    let mut guest = guest();
    fleet.documents().iter().for_each(|it| drop(ask(&mut guest, it)));
    let each = |instructions: u64| instructions / count as u64;
    let loads = (0..count).map(|it| ask(&mut guest, &fleet.live(it, false)).1).sum();
    let (planned, plan) = ask(&mut guest, r#"{"op":"plan","now":"2026-01-01T00:00:00Z"}"#);
    // An action for every tenth cluster, which shows another image.
    assert_eq!(planned.matches(r#"{"cluster":"cluster-"#).count(), count / 10, "{planned:.2000}");
    let (_, origins) = ask(&mut guest, &format!(r#"{{"op":"effective","subject":"{SUBJECT}","origins":true}}"#));
    for (name, cost) in [("w4 load of a live object", loads), ("w4 plan", plan), ("w4 results with origins", origins)] {
        costs.insert(format!("{name}, a cluster of {count}"), each(cost));
    }

    let mut minutes = 1..60;
    let mut asked_at_another_time = |guest: &mut Guest, load: &str, cluster: Option<&str>| {
        let minute = minutes.next().expect("few changes");
        let scope = cluster.map(|it| format!(r#","scope":{{"clusters":["{it}"]}}"#)).unwrap_or_default();
        let mut cost = ask(guest, load).1;
        cost += ask(guest, &format!(r#"{{"op":"plan","now":"2026-01-01T00:{minute:02}:00Z"{scope}}}"#)).1;
        if let Some(cluster) = cluster {
            let result =
                format!(r#"{{"op":"effective","subject":"{SUBJECT}","origins":true,"clusters":["{cluster}"]}}"#);
            cost += ask(guest, &result).1;
        }
        cost
    };
    let picked = (0..CHANGES).map(|it| it * count / CHANGES + 1);
    let mut of_each = |change: &dyn Fn(usize) -> String| {
        let change = |it: usize| asked_at_another_time(&mut guest, &change(it), Some(&fleet.name(it)));
        picked.clone().map(change).sum::<u64>() / CHANGES as u64
    };
    let label = of_each(&|it| fleet.relabelled(it));
    let object = of_each(&|it| fleet.live(it, true));
    let default = asked_at_another_time(&mut guest, &fleet.other_default(), None);
    vec![("label", label), ("live object", object), ("default, a cluster", each(default))]
}

fn guest() -> Guest {
    let (engine, module) = compiled();
    Guest::new(engine, module)
}

/// The answer to a request that succeeds, and its instructions.
fn ask(guest: &mut Guest, request: &str) -> (String, u64) {
    let (answer, cost) = guest.call(request);
    assert!(answer.contains(r#""ok":"#), "{request:.300}: {answer:.1000}");
    (answer, cost)
}

fn differences(costs: &Costs, stored: &Costs) -> Vec<String> {
    let mut failed = Vec::new();
    println!("{:>14} {:>14} {:>8}", "instructions", "stored", "percent");
    for (name, cost) in costs {
        let Some(figure) = stored.get(name) else {
            failed.push(format!("{name}: no figure is stored"));
            continue;
        };
        let percent = (*cost as f64 / *figure as f64 - 1.0) * 100.0;
        println!("{cost:>14} {figure:>14} {percent:>+8.2}  {name}");
        if percent > MORE {
            failed.push(format!("{name}: {cost} instructions, {percent:+.1} % over the stored {figure}"));
        }
        if percent < -LESS {
            failed.push(format!("{name}: {cost} instructions for the stored {figure}: store the new figure"));
        }
    }
    failed.extend(stored.keys().filter(|it| !costs.contains_key(*it)).map(|it| format!("{it}: not measured")));
    if !failed.is_empty() {
        failed.push("`FLEETFOLD_COSTS=write cargo test --workspace --test growth costs` stores new figures".into());
    }
    failed
}

fn stored(text: &str) -> Costs {
    let figures = json::parse(text).expect("tests/costs.json is JSON");
    let figures = figures.as_map().expect("a map").iter();
    figures.map(|(name, figure)| (name.to_string(), figure.as_int().expect("a count") as u64)).collect()
}

fn printed(costs: &Costs) -> String {
    let lines: Vec<String> = costs.iter().map(|(name, cost)| format!("  \"{name}\": {cost}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

#[test]
fn a_cost_fails_above_its_figure_far_below_it_and_without_one() {
    let costs = |list: &[(&str, u64)]| list.iter().map(|(name, cost)| ((*name).to_string(), *cost)).collect::<Costs>();
    let check = |measured: &[(&str, u64)], wanted: &str| {
        let failed = differences(&costs(measured), &costs(&[("a", 1_000)]));
        assert_eq!(failed.first().map_or("", String::as_str), wanted);
    };
    check(&[("a", 1_000)], "");
    check(&[("a", 1_029)], "");
    check(&[("a", 901)], "");
    check(&[("a", 1_031)], "a: 1031 instructions, +3.1 % over the stored 1000");
    check(&[("a", 899)], "a: 899 instructions for the stored 1000: store the new figure");
    check(&[("a", 1_000), ("b", 1)], "b: no figure is stored");
    check(&[], "a: not measured");
}
