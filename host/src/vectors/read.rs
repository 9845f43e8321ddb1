//! A vector file as a person wrote it, read strictly: a misspelled field would be a case that tests nothing.

use fleetfold_core::Value;
use fleetfold_core::value::json;

use super::DEPTH;

/// Where a vector may come from: one of the seed documents, or the contract itself.
const SEEDS: [&str; 6] = ["000", "001", "002", "003", "004", "contract"];

pub struct Vector {
    pub name: String,
    /// Set-up requests: they run first, and their answers only have to be successful.
    pub given: Vec<String>,
    pub steps: Vec<Step>,
    /// Why this is not a vector; empty when it is.
    pub problems: Vec<String>,
}

pub struct Step {
    pub request: String,
    pub want: Want,
}

pub enum Want {
    Ok {
        ok: Value,
        diagnostics: Vec<Value>,
    },
    /// The given fields of the error.
    Error(Value),
    /// The whole answer, to the byte.
    Text(String),
}

/// Reads a vector and all that is wrong with it.
pub fn read(text: &str) -> Vector {
    let mut problems = Vec::new();
    let file = json::parse_within(text, DEPTH).unwrap_or_else(|error| {
        problems.push(format!("it cannot be read: {} at {}", error.message, error.place));
        Value::Null
    });
    if problems.is_empty() && file.as_map().is_none() {
        problems.push(format!("it is {}, not a map", file.kind()));
    }
    let (given, steps) = if problems.is_empty() { check(&file, &mut problems) } else { Default::default() };
    Vector { name: file.text_at(&["name"]).to_owned(), given, steps, problems }
}

fn check(file: &Value, problems: &mut Vec<String>) -> (Vec<String>, Vec<Step>) {
    if !SEEDS.contains(&file.text_at(&["seed"])) {
        problems.push(format!("`seed` must be one of {}", SEEDS.join(", ")));
    }
    if file.text_at(&["why"]).is_empty() {
        problems.push("`why` must say what would go wrong without it".to_owned());
    }
    let given = file.get("given").map(|it| read_given(it, problems)).unwrap_or_default();
    let Some(steps) = file.get("steps") else {
        only(file, &["name", "seed", "why", "given", "request", "text", "want", "wantText"], problems);
        return (given, step(file, problems).into_iter().collect());
    };
    only(file, &["name", "seed", "why", "given", "steps"], problems);
    let steps = steps.as_list().map_or(&[][..], Vec::as_slice);
    if steps.is_empty() {
        problems.push("`steps` must be a list of at least one step".to_owned());
    }
    let steps = steps.iter().filter_map(|it| {
        only(it, &["request", "text", "want", "wantText"], problems);
        step(it, problems)
    });
    let steps = steps.collect();
    (given, steps)
}

/// The set-up requests. One without an `op` is likely a step with its `request` and `want`, which belongs into `steps`.
fn read_given(given: &Value, problems: &mut Vec<String>) -> Vec<String> {
    let requests = given.as_list().map_or(&[][..], Vec::as_slice);
    if requests.is_empty() {
        problems.push("`given` must be a list of at least one request, or left out".to_owned());
    }
    for (index, request) in requests.iter().enumerate() {
        if request.text_at(&["op"]).is_empty() {
            problems.push(format!("`given` {} must be a request with its `op`", index + 1));
        }
    }
    requests.iter().map(Value::to_canonical).collect()
}

fn step(step: &Value, problems: &mut Vec<String>) -> Option<Step> {
    let request = match (step.get("request"), step.get("text")) {
        (Some(request), None) => Some(request.to_canonical()),
        (None, Some(Value::Text(text))) => Some(text.to_string()),
        _ => None,
    };
    let want = match (step.get("want"), step.get("wantText")) {
        (Some(want), None) => read_want(want, problems),
        (None, Some(Value::Text(text))) => Some(Want::Text(text.to_string())),
        _ => {
            problems.push("it needs one of `want` and `wantText`".to_owned());
            None
        }
    };
    if request.is_none() {
        problems.push("it needs one of `request` and `text`".to_owned());
    }
    Some(Step { request: request?, want: want? })
}

fn read_want(want: &Value, problems: &mut Vec<String>) -> Option<Want> {
    match (want.get("ok"), want.get("error")) {
        (Some(ok), None) => {
            only(want, &["ok", "diagnostics"], problems);
            let diagnostics = want.get("diagnostics").and_then(Value::as_list).cloned().unwrap_or_default();
            if want.get("diagnostics").is_some() && diagnostics.is_empty() {
                problems.push("`diagnostics` must be a list of at least one, or left out".to_owned());
            }
            Some(Want::Ok { ok: ok.clone(), diagnostics })
        }
        (None, Some(error)) => {
            only(want, &["error"], problems);
            if error.text_at(&["code"]).is_empty() {
                problems.push("a wanted error needs its `code`".to_owned());
            }
            Some(Want::Error(error.clone()))
        }
        _ => {
            problems.push("`want` needs one of `ok` and `error`".to_owned());
            None
        }
    }
}

fn only(value: &Value, known: &[&str], problems: &mut Vec<String>) {
    for key in value.as_map().into_iter().flat_map(|it| it.keys()) {
        if !known.contains(&key.as_str()) {
            problems.push(format!("it has no field `{key}` here"));
        }
    }
}
