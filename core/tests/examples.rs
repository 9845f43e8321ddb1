//! What holds for every example: it loads, every value of it is explained, its plan settles, and the order of its files
//! means nothing. A folder that is added is held to the same; one that is meant to show a mistake is named here.

mod fleet;

use std::cell::Cell;
use std::fs;
use std::path::Path;

use fleet::{Fleet, ask, documents, effective, examples, files, observed, plan_now};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::effective::Effective;
use fleetfold_core::api::explain::{Explain, LinkAnswer};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::api::{Finding, request_text};
use fleetfold_core::diagnostic::{Severity, read};
use fleetfold_core::object::Identity;
use fleetfold_core::value::Text;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::workspace::LayerState;

/// The errors that an example is there to show.
const SHOWS: [(&str, &[&str]); 2] =
    [("stories/001-middleware-unquoted", &["bad-label-value"]), ("stories/002-conflict", &["adoption-refused"])];

/// Findings about observed objects, which are not documents of the fleet and have no line.
const OF_OBSERVED: [&str; 1] = ["stale-claim"];

/// How many orders of its files an example is loaded in.
const ORDERS: usize = 12;

/// The settings of an example; they are no document.
const SETTINGS: &str = "fleetfold.yaml";

/// The examples: every folder below `examples`, and every one below `examples/stories` that holds documents.
fn names() -> Vec<String> {
    let mut found: Vec<String> = folders("").into_iter().filter(|it| it != "stories").collect();
    let mut stories = vec!["stories".to_string()];
    while let Some(folder) = stories.pop() {
        let holds_documents = |name: &str| name.ends_with(".yaml");
        if entries(&folder).iter().any(|it| holds_documents(it)) {
            found.push(folder);
        } else {
            stories.extend(folders(&folder));
        }
    }
    found.sort();
    found
}

fn entries(folder: &str) -> Vec<String> {
    let read = fs::read_dir(examples(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    read.flatten().map(|it| it.file_name().to_string_lossy().into_owned()).collect()
}

fn folders(folder: &str) -> Vec<String> {
    let below = |name: String| Path::new(folder).join(name).to_string_lossy().into_owned();
    entries(folder).into_iter().map(below).filter(|it| examples(it).is_dir()).collect()
}

/// The files of an example. The stories of cert-manager go with its bundles.
fn files_of(name: &str) -> Vec<(String, String)> {
    let mut all = files(&examples(name));
    if name.starts_with("stories/004-") {
        all.extend(
            files(&examples("certmanager/bundles")).into_iter().map(|(file, text)| (format!("bundles/{file}"), text)),
        );
    }
    all
}

fn configure(settings: &str) -> Configure {
    let [settings] = documents(settings).try_into().unwrap_or_else(|_| panic!("one document of settings"));
    read::from_value(settings.get("spec").unwrap().clone()).unwrap_or_else(|error| panic!("{error}"))
}

fn load(name: &str) -> Fleet {
    let mut fleet = Fleet::default();
    for (file, text) in files_of(name) {
        match file.as_str() {
            SETTINGS => drop(fleet.call(configure(&text))),
            _ => fleet.load(&file, &text),
        }
    }
    fleet
}

/// Holds something against every example, and tells all that it finds wrong.
fn hold(law: impl Fn(&str, &mut Vec<String>)) {
    let (names, mut wrong) = (names(), Vec::new());
    assert!(names.len() >= 5, "where are the examples? {names:?}");
    for name in names {
        let mut found = Vec::new();
        law(&name, &mut found);
        wrong.extend(found.into_iter().map(|it| format!("{name}: {it}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_examples_of_mistakes_have_errors() {
    hold(|name, wrong| {
        let mut fleet = load(name);
        let findings = fleet.lint();
        let errors: Vec<&Finding> = findings.iter().filter(|it| it.severity == Severity::Error).collect();
        let codes: Vec<&Text> = errors.iter().map(|it| &it.code).collect();
        let shows = SHOWS.iter().find(|(it, _)| *it == name).map_or(&[][..], |(_, codes)| codes);
        if codes != shows {
            wrong.push(format!("{shows:?} is not {errors:?}"));
        }
        for finding in findings.iter().filter(|it| !OF_OBSERVED.contains(&it.code.as_str())) {
            if !finding.at.as_ref().is_some_and(|at| has_place(at.file.as_deref(), at.line)) {
                wrong.push(format!("a finding without a place: {finding:?}"));
            }
        }
    });
}

fn has_place(file: Option<&str>, line: Option<i64>) -> bool {
    file.is_some_and(|file| !file.is_empty()) && line.is_some_and(|line| line > 0)
}

#[test]
fn every_value_of_every_result_is_explained() {
    let explained = Cell::new(0);
    hold(|name, wrong| {
        let mut fleet = load(name);
        fleet.plan();
        for subject in fleet.subjects() {
            let Ok(all) = fleet.ask(effective(&subject.subject)) else { continue };
            for cluster in all.answer.results.iter().flat_map(|it| &it.clusters) {
                explained.set(explained.get() + explain_all(&mut fleet, &subject.subject, cluster, wrong));
            }
        }
    });
    assert!(explained.get() > 1_000, "only {} values", explained.get());
}

/// Asks why for every value that a cluster gets; answers how many there are.
fn explain_all(fleet: &mut Fleet, subject: &str, cluster: &Text, wrong: &mut Vec<String>) -> usize {
    let mut count = 0;
    let of = |path: Text| Explain {
        subject: Some(subject.into()),
        cluster: Some(cluster.clone()),
        path: Some(path),
        ..Explain::default()
    };
    let effective = fleet.call(Effective { clusters: Some(vec![cluster.clone()]), ..effective(subject) });
    for result in effective.results {
        for option in result.options.into_iter().flatten() {
            explain_one(fleet, of(option.path), wrong);
            count += 1;
        }
        for product in result.objects.into_iter().flatten() {
            let identity = Identity::of(&product.object).unwrap().to_string();
            let mut leaves = Vec::new();
            collect_leaves(&product.object, Pointer::root(), &mut leaves);
            count += leaves.len();
            for leaf in leaves {
                let object = Some(Text::from(&identity));
                explain_one(fleet, Explain { object, ..of(leaf.to_string().into()) }, wrong);
            }
        }
    }
    count
}

/// The places of everything that has nothing inside.
fn collect_leaves(value: &Value, here: Pointer, leaves: &mut Vec<Pointer>) {
    match (value.as_map(), value.as_list()) {
        (Some(map), _) if !map.is_empty() => {
            map.iter().for_each(|(key, value)| collect_leaves(value, here.child(key.clone()), leaves));
        }
        (_, Some(items)) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| collect_leaves(value, here.child(index.to_string()), leaves));
        }
        _ => leaves.push(here),
    }
}

fn explain_one(fleet: &mut Fleet, request: Explain, wrong: &mut Vec<String>) {
    let answer = fleet.ask(request.clone());
    let chain: &[LinkAnswer] = answer.as_ref().ok().and_then(|it| it.answer.chain.as_deref()).unwrap_or_default();
    let mut problems = Vec::new();
    if !chain.first().is_some_and(|it| matches!(it.state, LayerState::Wins | LayerState::Retained)) {
        problems.push("nobody wins");
    }
    for link in chain {
        match link.layer.as_str() {
            "" => problems.push("a layer without a name"),
            // What a cluster keeps for itself stands in no file.
            "live" => {}
            _ if has_place(link.file.as_deref(), link.line) => {}
            _ => problems.push("a layer without a place"),
        }
    }
    if !problems.is_empty() {
        wrong.push(format!("{}: {request:?} → {answer:?}", problems.join(", ")));
    }
}

#[test]
fn a_plan_that_is_applied_leaves_nothing_to_do() {
    hold(|name, wrong| {
        let mut fleet = load(name);
        let plan = fleet.plan();
        fleet.apply(&plan);
        let next = fleet.plan();
        if !next.actions.is_empty() {
            wrong.push(format!("left to do: {:?}", next.actions));
        }
        fleet.settle();
    });
}

#[test]
fn the_order_of_files_means_nothing() {
    hold(|name, wrong| {
        let first = answers(name, 0);
        for order in 1..ORDERS {
            for (one, other) in first.iter().zip(answers(name, order)) {
                if *one != other {
                    wrong.push(format!("in order {order}\n  {one}\n  {other}"));
                }
            }
        }
    });
}

/// Everything that a workspace has to say of an example whose files come in an order of their own.
fn answers(name: &str, order: usize) -> Vec<String> {
    let mut requests = Vec::new();
    let mut clusters: Vec<(String, Vec<Value>)> = Vec::new();
    for (file, text) in files_of(name) {
        match file.strip_prefix("live/").and_then(|rest| rest.split_once('/')) {
            Some((cluster, _)) => match clusters.iter_mut().find(|(it, _)| it == cluster) {
                Some((_, objects)) => objects.extend(documents(&text)),
                None => clusters.push((cluster.into(), documents(&text))),
            },
            None if file == SETTINGS => requests.push(request_text(&configure(&text))),
            None => {
                let (file, text) = (Some(file.into()), Some(text.into()));
                requests.push(request_text(&Load { file, text, ..Load::default() }));
            }
        }
    }
    for (cluster, mut objects) in clusters {
        turn(&mut objects, order);
        requests.push(request_text(&observed(if cluster == "_hub" { "" } else { &cluster }, objects)));
    }
    turn(&mut requests, order);
    let mut workspace = Workspace::default();
    for request in &requests {
        let answer = workspace.call_text(request);
        assert!(!answer.starts_with(r#"{"error":"#), "{answer}");
    }
    let mut all = ask_everything(&mut workspace);
    // Once more, with every cluster seen.
    for need in ask(&mut workspace, plan_now()).unwrap().answer.needs {
        ask(&mut workspace, observed(&need.cluster, Vec::new())).unwrap();
    }
    all.extend(ask_everything(&mut workspace));
    all
}

/// Puts things into one of many orders: any two of them come both ways round.
fn turn<T>(things: &mut [T], order: usize) {
    if !things.is_empty() {
        things.rotate_left(order / 2 % things.len());
    }
    if order % 2 == 1 {
        things.reverse();
    }
}

/// The texts of the answers: equal bytes, not only equal values.
fn ask_everything(workspace: &mut Workspace) -> Vec<String> {
    let mut all =
        vec![workspace.call_text(&request_text(&Lint::default())), workspace.call_text(&request_text(&plan_now()))];
    for subject in ask(workspace, Subjects::default()).unwrap().answer.subjects {
        let request = Effective { origins: Some(true), ..effective(&subject.subject) };
        all.push(workspace.call_text(&request_text(&request)));
    }
    all
}
