//! What holds for every example: it loads, every value of it is explained, its plan settles, and the order of its files means
//! nothing. A folder that is added is held to the same; one that is meant to show a mistake is named here.

mod fleet;

use std::cell::Cell;
use std::fs;
use std::path::Path;

use fleet::{Fleet, NOW, documents, examples, files, list, value};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::object::document::Identity;
use fleetfold_core::value::path::Pointer;

/// The errors that an example is there to show.
const SHOWS: [(&str, &[&str]); 1] = [("stories/001-middleware-unquoted", &["bad-label-value"])];

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

fn configure(settings: &str) -> Value {
    let [settings] = documents(settings).try_into().unwrap_or_else(|_| panic!("one document of settings"));
    let mut request = settings.get("spec").and_then(Value::as_map).unwrap().clone();
    request.insert("op", "configure");
    request.into()
}

fn load(name: &str) -> Fleet {
    let mut fleet = Fleet::default();
    for (file, text) in files_of(name) {
        match file.as_str() {
            SETTINGS => drop(fleet.ok(configure(&text))),
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
        let answer = fleet.ask(value(r#"{"op":"lint"}"#));
        let findings = list(&answer, "diagnostics");
        let errors: Vec<&Value> = findings.iter().filter(|it| it.text_at(&["severity"]) == "error").collect();
        let codes: Vec<&str> = errors.iter().map(|it| it.text_at(&["code"])).collect();
        let shows = SHOWS.iter().find(|(it, _)| *it == name).map_or(&[][..], |(_, codes)| codes);
        if codes != shows {
            wrong.push(format!("{shows:?} is not {}", Value::list(errors.into_iter().cloned()).to_canonical()));
        }
        for finding in &findings {
            if !has_place(finding.get("at").unwrap_or(&Value::Null)) {
                wrong.push(format!("a finding without a place: {}", finding.to_canonical()));
            }
        }
    });
}

fn has_place(link: &Value) -> bool {
    !link.text_at(&["file"]).is_empty() && link.get("line").and_then(Value::as_int).is_some_and(|line| line > 0)
}

#[test]
fn every_value_of_every_result_is_explained() {
    let explained = Cell::new(0);
    hold(|name, wrong| {
        let mut fleet = load(name);
        fleet.plan();
        for subject in list(&fleet.call(r#"{"op":"subjects"}"#), "subjects") {
            let subject = subject.text_at(&["subject"]).to_string();
            let whole = fleet.ask(value(&format!(r#"{{"op":"effective","subject":"{subject}"}}"#)));
            let Some(whole) = whole.get("ok") else { continue };
            for cluster in list(whole, "results").iter().flat_map(|it| list(it, "clusters")) {
                explained.set(explained.get() + explain_all(&mut fleet, &subject, &cluster, wrong));
            }
        }
    });
    assert!(explained.get() > 1_000, "only {} values", explained.get());
}

/// Asks why for every value that a cluster gets; answers how many there are.
fn explain_all(fleet: &mut Fleet, subject: &str, cluster: &Value, wrong: &mut Vec<String>) -> usize {
    let mut count = 0;
    let request =
        [("op", Value::text("effective")), ("subject", subject.into()), ("clusters", Value::list([cluster.clone()]))];
    let effective = fleet.ok(Value::map(request));
    for result in list(&effective, "results") {
        for option in list(&result, "options") {
            explain_one(fleet, subject, cluster, option.text_at(&["path"]), None, wrong);
            count += 1;
        }
        for object in list(&result, "objects") {
            let object = object.get("object").unwrap();
            let identity = Identity::of(object).unwrap().to_string();
            let mut leaves = Vec::new();
            collect_leaves(object, Pointer::root(), &mut leaves);
            count += leaves.len();
            for leaf in leaves {
                explain_one(fleet, subject, cluster, &leaf.to_string(), Some(&identity), wrong);
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

fn explain_one(
    fleet: &mut Fleet,
    subject: &str,
    cluster: &Value,
    path: &str,
    object: Option<&str>,
    wrong: &mut Vec<String>,
) {
    let request = [
        ("op", Value::text("explain")),
        ("subject", subject.into()),
        ("cluster", cluster.clone()),
        ("path", path.into()),
    ];
    let request = Value::map(request.into_iter().chain(object.map(|it| ("object", Value::text(it)))));
    let answer = fleet.ask(request.clone());
    let chain = answer.get("ok").map(|it| list(it, "chain")).unwrap_or_default();
    let mut flaws = Vec::new();
    if !chain.first().is_some_and(|it| matches!(it.text_at(&["state"]), "wins" | "retained")) {
        flaws.push("nobody wins");
    }
    for link in &chain {
        match link.text_at(&["layer"]) {
            "" => flaws.push("a layer without a name"),
            // What a cluster keeps for itself stands in no file.
            "live" => {}
            _ if has_place(link) => {}
            _ => flaws.push("a layer without a place"),
        }
    }
    if !flaws.is_empty() {
        wrong.push(format!("{}: {} → {}", flaws.join(", "), request.to_canonical(), answer.to_canonical()));
    }
}

#[test]
fn a_plan_that_is_applied_leaves_nothing_to_do() {
    hold(|name, wrong| {
        let mut fleet = load(name);
        let plan = fleet.plan();
        fleet.apply(&plan);
        let next = fleet.plan();
        if !list(&next, "actions").is_empty() {
            wrong.push(format!("left to do: {}", next.get("actions").unwrap().to_canonical()));
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
            None if file == SETTINGS => requests.push(configure(&text)),
            None => {
                requests.push(Value::map([("op", Value::text("load")), ("file", file.into()), ("text", text.into())]))
            }
        }
    }
    for (cluster, mut objects) in clusters {
        turn(&mut objects, order);
        requests.push(seen(if cluster == "_hub" { "" } else { &cluster }, objects));
    }
    turn(&mut requests, order);
    let mut workspace = Workspace::default();
    for request in &requests {
        let answer = workspace.call_text(&request.to_canonical());
        assert!(value(&answer).get("ok").is_some(), "{answer}");
    }
    let mut all = ask_everything(&mut workspace);
    // Once more, with every cluster seen.
    let needs = list(&plan(&mut workspace), "needs");
    for need in needs {
        workspace.call_text(&seen(need.text_at(&["cluster"]), Vec::new()).to_canonical());
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

fn seen(cluster: &str, objects: Vec<Value>) -> Value {
    Value::map([
        ("op", Value::text("load")),
        ("live", cluster.into()),
        ("complete", true.into()),
        ("documents", Value::list(objects)),
    ])
}

fn plan(workspace: &mut Workspace) -> Value {
    let answer = value(&workspace.call_text(&format!(r#"{{"op":"plan","now":"{NOW}"}}"#)));
    answer.get("ok").unwrap().clone()
}

fn ask_everything(workspace: &mut Workspace) -> Vec<String> {
    let plan = format!(r#"{{"op":"plan","now":"{NOW}"}}"#);
    let mut all = vec![workspace.call_text(r#"{"op":"lint"}"#), workspace.call_text(&plan)];
    let subjects = value(&workspace.call_text(r#"{"op":"subjects"}"#));
    for subject in list(subjects.get("ok").unwrap(), "subjects") {
        let subject = subject.get("subject").unwrap().clone();
        let request = [("op", Value::text("effective")), ("subject", subject), ("origins", true.into())];
        all.push(workspace.call_text(&Value::map(request).to_canonical()));
    }
    all
}
