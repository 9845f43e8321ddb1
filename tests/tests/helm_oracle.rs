//! The tree of values against Helm: options placed as `--set-json` does it (compat mode, which is Greenhouse), and layers
//! that merge as a chart's values and files of values do.

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::fold::{Fold, LayerInput, Merge, SettingInput};
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::value::{MaybeAbsent, json};
use fleetfold_tests::oracles::{Oracle, seed};

const CASES: usize = 20_000;

#[test]
fn trees_agree_with_the_original() {
    let oracle = Oracle::build("helm");
    let questions = oracle.generate(seed(), CASES);
    let answers = oracle.ask(&[], &questions);
    assert_eq!((questions.len(), answers.len()), (CASES, CASES));

    let mut workspace = Workspace::default();
    let (mut verdicts, mut differences) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for (question, theirs) in questions.iter().zip(&answers) {
        let question = json::parse(question).expect("a question is JSON");
        let theirs = json::parse(theirs).expect("an answer is JSON").get("object").cloned();
        let is_placed = question.get("sets").is_some();
        let request = if is_placed { placed(&question) } else { merged(&question) };
        let ours = workspace.call(request).ok().map(|it| (*it.answer.values).clone());
        let ours = if is_placed { ours } else { ours.map(|it| it.get("v").cloned().unwrap_or_else(empty)) };
        let verdict = match (&ours, &theirs) {
            _ if ours == theirs => {
                if is_placed {
                    "placed alike"
                } else {
                    "merged alike"
                }
            }
            (Some(a), Some(b)) if !is_placed && without_nulls(a) == without_nulls(b) => NULLS,
            (None, Some(_)) if is_placed && repeats(&question) => REPEATED,
            (Some(_), Some(_)) if is_placed && repeats(&question) => REPEATED,
            _ => {
                let shown = |it: &Option<Value>| it.as_ref().map_or("an error".to_owned(), Value::to_canonical);
                differences.push(format!(
                    "{}\n  Helm {}\n  ours {}",
                    question.to_canonical(),
                    shown(&theirs),
                    shown(&ours)
                ));
                "unexplained"
            }
        };
        let refused = ours.is_none() && theirs.is_none();
        *verdicts.entry(if refused { "refused by both" } else { verdict }).or_default() += 1;
    }
    println!("helm: seed {}, {CASES} cases, {verdicts:?}", seed());
    assert!(differences.is_empty(), "{}", differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    for verdict in ["placed alike", "merged alike", "refused by both"] {
        let count = verdicts.get(verdict).copied().unwrap_or(0);
        assert!(count > CASES / 20, "{verdict}: {count} of {CASES}");
    }
}

/// Helm keeps a null that removes nothing, and hands it to the templates; here a null drops its key.
const NULLS: &str = "Helm keeps a null that removes nothing";
/// Helm places both; Greenhouse, which compat mode follows, has one entry for each option before Helm places it.
const REPEATED: &str = "an option is set twice";

fn empty() -> Value {
    Value::map::<&str, Value>([])
}

/// The options, as one layer.
fn placed(question: &Value) -> Fold {
    let sets = question.get("sets").and_then(Value::as_list).expect("a list");
    let set = |it: &Value| setting(it.text_at(&["path"]), it.get("value").cloned().unwrap_or(Value::Null), None);
    let layer = LayerInput { name: "sets".into(), set: sets.iter().map(set).collect(), ..LayerInput::default() };
    Fold { layers: vec![layer], mode: Some(Mode::Compat), ..Fold::default() }
}

/// The chart and its files, each as a layer that merges into the option `v`.
fn merged(question: &Value) -> Fold {
    let files = question.get("files").and_then(Value::as_list).into_iter().flatten().cloned();
    let layers = [question.get("chart").cloned().unwrap_or_else(empty)].into_iter().chain(files);
    let layer = |(index, values): (usize, Value)| LayerInput {
        name: format!("layer {index}").into(),
        set: vec![setting("v", values, Some(Merge::Deep))],
        ..LayerInput::default()
    };
    Fold { layers: layers.enumerate().map(layer).collect(), ..Fold::default() }
}

fn setting(path: &str, value: Value, merge: Option<Merge>) -> SettingInput {
    SettingInput { path: path.into(), value: MaybeAbsent(Some(value)), merge, ..SettingInput::default() }
}

fn repeats(question: &Value) -> bool {
    let paths: Vec<&str> =
        question.get("sets").and_then(Value::as_list).into_iter().flatten().map(|it| it.text_at(&["path"])).collect();
    paths.iter().enumerate().any(|(index, path)| paths.iter().skip(index + 1).any(|it| it == path))
}

/// The value without the keys that are null. Elements of lists stay: Helm and the engine take a list as one value.
fn without_nulls(value: &Value) -> Value {
    match value.as_map() {
        Some(map) => Value::map(
            map.iter().filter(|(_, it)| !it.is_null()).map(|(key, it)| (key.as_str().to_owned(), without_nulls(it))),
        ),
        None => value.clone(),
    }
}
