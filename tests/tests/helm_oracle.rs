//! The tree of values against Helm: options against `--set-json` (compat mode, as in Greenhouse), and layers with
//! `merge: deep` against the values of a chart and files of values.

use std::collections::BTreeMap;

use fleetfold_core::Workspace;
use fleetfold_core::value::{Value, json};
use fleetfold_tests::oracles::{Oracle, seed};

const CASES: usize = 20_000;

/// The known differences with their reasons, and the largest share of the cases in a hundred that each may explain.
const NULLS: &str = "Helm keeps a null that removes nothing, and templates get it; `merge: deep` drops its key";
const GROUPED: &str =
    "Helm merges files before they meet the chart; a layer goes over the result of all layers below it";
const UNDER_NULL: &str =
    "Helm's parser panics below an option that is null, which fails the release; here it gives way";
const ELEMENT: &str = "Helm replaces an element that is no map by what is set below it; here both options conflict";
const SHARES: [(&str, f64); 4] = [(NULLS, 12.0), (GROUPED, 2.0), (UNDER_NULL, 0.5), (ELEMENT, 0.3)];

#[test]
fn trees_agree_with_helm() {
    let oracle = Oracle::build("helm");
    let questions = oracle.generate(seed(), CASES);
    let answers = oracle.ask(&[], &questions);
    assert_eq!((questions.len(), answers.len()), (CASES, CASES));

    let mut workspace = Workspace::default();
    let (mut counts, mut differences) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for (question, theirs) in questions.iter().zip(&answers) {
        let question = json::parse(question).expect("a question is JSON");
        let theirs = json::parse(theirs).expect("an answer is JSON");
        let request = request(&question);
        let ours = json::parse(&workspace.call_text(&request.to_canonical())).expect("an answer is JSON");
        let verdict = match question.get("sets") {
            Some(sets) => of_options(sets, &ours, &theirs),
            None => of_layers(&ours, &theirs),
        };
        if verdict.is_none() {
            let texts = [&question, &theirs, &ours].map(Value::to_canonical);
            differences.push(format!("{}\n  Helm {}\n  ours {}", texts[0], texts[1], texts[2]));
        }
        *counts.entry(verdict.unwrap_or("unexplained")).or_default() += 1;
    }
    println!("helm: seed {}, {CASES} cases, {counts:?}", seed());
    assert!(differences.is_empty(), "{}", differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    let share = |verdict: &str| counts.get(verdict).copied().unwrap_or(0) as f64 * 100.0 / CASES as f64;
    for verdict in [PLACED, MERGED, REFUSED] {
        assert!(share(verdict) > 10.0, "{verdict}: {:.1} in a hundred", share(verdict));
    }
    for (reason, most) in SHARES {
        assert!(share(reason) <= most, "{reason}: {:.2} in a hundred", share(reason));
    }
}

const PLACED: &str = "placed alike";
const MERGED: &str = "merged alike";
const REFUSED: &str = "refused by both";

/// The `fold` for a question: its options as one layer, or the chart and each file as a layer that merges into `v`.
fn request(question: &Value) -> Value {
    let layer = |name: String, set: Value| Value::map([("name", Value::text(name)), ("set", set)]);
    let op = ("op", Value::text("fold"));
    if let Some(sets) = question.get("sets") {
        let layers = Value::list([layer("sets".into(), sets.clone())]);
        return Value::map([op, ("layers", layers), ("mode", Value::text("compat"))]);
    }
    let files = question.get("files").and_then(Value::as_list).into_iter().flatten().cloned();
    let all = [question.get("chart").cloned().unwrap_or_else(empty)].into_iter().chain(files);
    let set = |value: Value| Value::map([("merge", Value::text("deep")), ("path", Value::text("v")), ("value", value)]);
    let layers = all.enumerate().map(|(index, it)| layer(format!("layer {index}"), Value::list([set(it)])));
    Value::map([op, ("layers", Value::list(layers))])
}

/// Why two answers about options agree or differ; nothing for a difference that no reason explains.
fn of_options(sets: &Value, ours: &Value, theirs: &Value) -> Option<&'static str> {
    let refused_for = |reason: &str| theirs.text_at(&["error"]).contains(reason);
    match (ours.at(&["ok", "values"]), theirs.get("object")) {
        (Some(ours), Some(theirs)) => (ours == theirs).then_some(PLACED),
        (None, None) => Some(REFUSED),
        (Some(_), None) => refused_for("interface {} is nil").then_some(UNDER_NULL),
        (None, Some(_)) => {
            let index: usize = ours.text_at(&["error", "at"]).rsplit('/').next()?.parse().ok()?;
            let path = sets.as_list()?.get(index)?.text_at(&["path"]);
            let is_conflict = ours.text_at(&["error", "code"]) == "option-conflict";
            (is_conflict && path.contains("].")).then_some(ELEMENT)
        }
    }
}

/// The same for layers. Lists are one value for both: a null in a list stays.
fn of_layers(ours: &Value, theirs: &Value) -> Option<&'static str> {
    let values = ours.at(&["ok", "values"])?;
    let ours = values.get("v").cloned().unwrap_or_else(empty);
    let (object, layered) = (theirs.get("object")?, theirs.get("layered").cloned().unwrap_or_else(empty));
    if ours == *object {
        Some(MERGED)
    } else if ours == without_nulls(object) {
        Some(NULLS)
    } else {
        (ours == without_nulls(&layered)).then_some(GROUPED)
    }
}

fn empty() -> Value {
    Value::map::<&str, Value>([])
}

/// The value without the keys that are null.
fn without_nulls(value: &Value) -> Value {
    match value.as_map() {
        Some(map) => {
            let kept = map.iter().filter(|(_, it)| !it.is_null());
            Value::map(kept.map(|(key, it)| (key.as_str().to_owned(), without_nulls(it))))
        }
        None => value.clone(),
    }
}
