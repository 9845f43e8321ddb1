//! CEL against cel-go with its strings extension: the same value, or the same kind of refusal.

use std::collections::BTreeMap;

use fleetfold_core::cel::Program;
use fleetfold_core::diagnostic::Code;
use fleetfold_core::value::json;
use fleetfold_core::value::{Map, Number, Value};
use fleetfold_tests::oracles::{Oracle, seed};

const CASES: usize = 30_000;

/// An answer, as far as it is compared: values wholly, refusals by when they come.
#[derive(Clone, Debug)]
enum Answer {
    Value(Value),
    /// A value of the original that JSON has no word for.
    NotJson,
    Runtime(String),
    Compile(String),
}

#[test]
fn expressions_agree_with_the_original() {
    let oracle = Oracle::build("cel");
    let questions = oracle.generate(seed(), CASES);
    let answers = oracle.ask(&[], &questions);
    assert_eq!((questions.len(), answers.len()), (CASES, CASES));

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for (question, answer) in questions.iter().zip(&answers) {
        let question = json::parse(question).expect("a question is JSON");
        let answer = json::parse(answer).expect("an answer is JSON");
        let text = question.text_at(&["expression"]);
        let (ours, theirs) = (ask(text, &question), read(&answer));
        let verdict = match agree(&ours, &theirs) {
            true => kind(&theirs),
            false => match explain(&ours, &theirs) {
                Some(reason) => reason,
                None => {
                    differences
                        .push(format!("{text}\n  original {theirs:?}\n  ours {ours:?}\n  {}", question.to_canonical()));
                    "unexplained"
                }
            },
        };
        *counts.entry(verdict).or_default() += 1;
    }
    println!("cel: seed {}, {CASES} cases, {counts:?}", seed());
    assert!(differences.is_empty(), "{}", differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    // Enough of each kind, and no reason that explains so much that it would hide something.
    for (verdict, least, most) in [
        ("value", 40, 70),
        ("runtime", 10, 40),
        ("compile", 10, 30),
        (FORMAT, 0, 2),
        (NOT_JSON, 0, 4),
        (UNSUPPORTED, 0, 2),
        (PATTERN, 0, 1),
        (KEYS, 0, 1),
        (ORDER, 0, 1),
    ] {
        let share = counts.get(verdict).copied().unwrap_or(0) as f64 * 100.0 / CASES as f64;
        assert!(f64::from(least) <= share && share <= f64::from(most), "{verdict}: {share:.1} in a hundred");
    }
}

const FORMAT: &str = "a format has a clause that is not supported, or `%d` where no number can come";
const NOT_JSON: &str = "the result is not JSON";
const UNSUPPORTED: &str = "bytes, times and durations are not supported";
const PATTERN: &str = "the pattern is not supported";
const KEYS: &str = "lists and maps are no keys";
const ORDER: &str = "the keys of a map come in another order";

/// Why two answers may differ, if that is one of the ways that are written down in `core/cel/src/lib.rs`.
fn explain(ours: &Answer, theirs: &Answer) -> Option<&'static str> {
    let failed = |part: &str| matches!(ours, Answer::Runtime(it) | Answer::Compile(it) if it.contains(part));
    match (ours, theirs) {
        (Answer::Runtime(_), Answer::NotJson) if failed("which JSON cannot express") => Some(NOT_JSON),
        (Answer::Compile(_) | Answer::Runtime(_), _) if failed("supported in a format") => Some(FORMAT),
        (Answer::Compile(_) | Answer::Runtime(_), _) if failed("supported in a pattern") => Some(PATTERN),
        (Answer::Compile(_), _) if failed("is not supported") || failed("are not supported") => Some(UNSUPPORTED),
        (Answer::Runtime(_), _) if failed("cannot be a key") => Some(KEYS),
        (_, Answer::Compile(why)) if checks_format(why) => Some(FORMAT),
        (Answer::Value(ours), Answer::Value(theirs)) if sorted(ours) == sorted(theirs) => Some(ORDER),
        _ => None,
    }
}

/// Whether the original refuses the expression for what a format is given, and for nothing else.
fn checks_format(why: &str) -> bool {
    why.split("ERROR: ").skip(1).all(|error| error.contains("error during formatting"))
}

fn ask(text: &str, question: &Value) -> Answer {
    let variables = question.get("variables").and_then(Value::as_map).cloned().unwrap_or_default();
    let variables: Vec<(&str, Value)> = variables.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    match Program::compile(text, &names) {
        Err(flaw) => {
            assert_ne!(flaw.code, Code::ExpressionFailed, "{text}");
            Answer::Compile(flaw.message)
        }
        Ok(program) => match program.evaluate(&variables) {
            Ok(value) => Answer::Value(value),
            Err(flaw) => {
                assert_eq!(flaw.code, Code::ExpressionFailed, "{text}");
                Answer::Runtime(flaw.message)
            }
        },
    }
}

fn read(answer: &Value) -> Answer {
    let error = answer.text_at(&["error"]).to_string();
    match answer.text_at(&["class"]) {
        "value" => answer.get("value").and_then(plain).map_or(Answer::NotJson, Answer::Value),
        "runtime" => Answer::Runtime(error),
        _ => Answer::Compile(error),
    }
}

/// What the oracle wrote, as JSON has it.
fn plain(written: &Value) -> Option<Value> {
    if let Some(items) = written.as_list() {
        return items.iter().map(plain).collect::<Option<Vec<Value>>>().map(Value::from);
    }
    if written.as_map().is_none() {
        return Some(written.clone());
    }
    if let Some(bits) = written.get("double").and_then(Value::as_text) {
        let bits = u64::from_str_radix(bits, 16).expect("the bits of a double");
        return Number::double(f64::from_bits(bits)).map(Value::from);
    }
    if let Some(digits) = written.get("uint").and_then(Value::as_text) {
        return digits.parse::<i64>().ok().map(Value::from);
    }
    let mut map = Map::new();
    for entry in written.get("map").and_then(Value::as_list)? {
        let [key, value] = entry.as_list()?.as_slice() else { panic!("an entry is a key and a value") };
        let name = match key {
            Value::Text(name) => name.as_str().into(),
            Value::Map(_) => key.get("uint").and_then(Value::as_text)?.to_string(),
            Value::Bool(_) | Value::Number(_) => key.to_canonical(),
            Value::Null | Value::List(_) => return None,
        };
        if map.insert(name, plain(value)?).is_some() {
            return None;
        }
    }
    Some(map.into())
}

fn agree(ours: &Answer, theirs: &Answer) -> bool {
    match (ours, theirs) {
        (Answer::Value(a), Answer::Value(b)) => same(a, b),
        (Answer::Runtime(_), Answer::Runtime(_)) | (Answer::Compile(_), Answer::Compile(_)) => true,
        _ => false,
    }
}

/// Equal, and integers where integers are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(Number::Int(a)), Value::Number(Number::Int(b))) => a == b,
        (Value::Number(Number::Double(a)), Value::Number(Number::Double(b))) => a == b,
        (Value::Number(_), Value::Number(_)) => false,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

/// The items of a list, without their order.
fn sorted(value: &Value) -> Vec<String> {
    let mut items: Vec<String> = value.as_list().into_iter().flatten().map(Value::to_canonical).collect();
    items.sort();
    items.insert(0, if items.is_empty() { value.to_canonical() } else { String::new() });
    items
}

fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Value(_) | Answer::NotJson => "value",
        Answer::Runtime(_) => "runtime",
        Answer::Compile(_) => "compile",
    }
}
