//! Garbage in: an error line each, no panic, no trap, and the next request is answered.

use fleetfold::cache::Cache;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::value::json;
use fleetfold_tests::properties::hold;
use fleetfold_tests::tree::root;
use proptest::prelude::*;

const GOOD: &str =
    r#"{"op":"select","selector":"env in (prod)","clusters":[{"name":"a","labels":{"env":"prod"}},{"name":"b"}]}"#;
const ANSWER: &str = r#"{"ok":{"clusters":["a"]}}"#;

fn guest() -> Guest {
    let module = Module::embedded(&Cache::of_user()).expect("the module compiles");
    Guest::new(&module, Limits::default()).expect("the module starts")
}

fn is_refusal(answer: &str) -> bool {
    answer.starts_with(r#"{"error":{"#)
}

fn is_answer(answer: &str) -> bool {
    is_refusal(answer) || answer.contains(r#""ok":"#)
}

/// One value of every kind: whatever a field takes, most of these are wrong.
fn wrong_values() -> Vec<Value> {
    let deep = (0..90).fold(Value::Null, |inner, _| Value::list([inner]));
    vec![
        Value::Null,
        true.into(),
        (-1i64).into(),
        i64::MAX.into(),
        Value::text(""),
        "\u{0}\u{1f600}".into(),
        Value::list([1i64]),
        Value::map([("a", 1i64)]),
        Value::map::<&str, Value>([]),
        deep,
    ]
}

/// Every request of the specification: they reach every field of every op.
fn requests() -> Vec<String> {
    let cases = fleetfold::vectors::requests(&root().join("tests/vectors")).expect("the vectors can be read");
    cases.into_iter().flatten().collect()
}

#[test]
fn a_wrong_value_in_any_field_is_answered() {
    let mut workspace = Workspace::default();
    let mut guest = guest();
    let (mut asked, mut refused) = (0, 0);
    for request in requests() {
        let Ok(request) = json::parse(&request) else { continue };
        for place in places(&request, 3) {
            for wrong in wrong_values() {
                let mut broken = request.clone();
                set(&mut broken, &place, wrong);
                let answer = workspace.call_text(&broken.to_canonical());
                asked += 1;
                // The module is asked now and then, both with nothing loaded: the same bytes, and no trap.
                if asked % 97 == 0 {
                    guest.fresh();
                    let (text, mut empty) = (broken.to_canonical(), Workspace::default());
                    assert_eq!(guest.call(text.as_bytes()).expect("an answer, not a trap"), empty.call_text(&text));
                }
                refused += usize::from(is_refusal(&answer));
                assert!(is_answer(&answer), "{answer}");
            }
        }
        assert_eq!(workspace.call_text(GOOD), ANSWER);
    }
    println!("{asked} broken requests, {refused} refused");
    assert!(asked > 50_000 && refused > asked / 4, "{asked} asked, {refused} refused");
}

#[test]
fn a_request_cut_anywhere_is_refused() {
    let mut workspace = Workspace::default();
    let whole = |it: &&String| it.len() < 2_000 && json::parse(it).is_ok();
    for request in requests().iter().step_by(7).filter(whole) {
        // A request may end in white space, which it does without.
        for cut in (1..request.trim_end().len()).filter(|cut| request.is_char_boundary(*cut)) {
            let answer = workspace.call_text(&request[..cut]);
            assert!(is_refusal(&answer), "{}: {answer}", &request[..cut]);
        }
    }
    assert_eq!(workspace.call_text(GOOD), ANSWER);
}

#[test]
fn random_bytes_are_refused() {
    hold("random bytes", 3_000, prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        let mut workspace = Workspace::default();
        prop_assert!(is_refusal(&workspace.call_bytes(Some(&bytes))));
        prop_assert!(is_refusal(&workspace.call_op("parse", &bytes)));
        prop_assert_eq!(workspace.call_text(GOOD), ANSWER);
        Ok(())
    });
}

#[test]
fn random_texts_are_parsed_or_refused() {
    hold("random texts", 3_000, "(\\PC|[-:{}\\[\\],&*!|>'\"#%@`\\n\\t ]){0,80}", |text| {
        let request = Value::map([("op", Value::text("parse")), ("text", text.into())]).to_canonical();
        let answer = Workspace::default().call_text(&request);
        prop_assert!(is_answer(&answer));
        Ok(())
    });
}

#[test]
fn the_module_survives_what_is_too_much() {
    let mut guest = guest();
    let megabytes = "x".repeat(3 * 1024 * 1024);
    let hostile = [
        "[".repeat(200_000),
        format!("{{\"op\":{}", "{\"a\":".repeat(100_000)),
        format!(r#"{{"op":"select","selector":"{megabytes}","clusters":[]}}"#),
        format!(r#"{{"op":"{megabytes}"}}"#),
        format!(r#"{{"op":"parse","text":"{megabytes}"}}"#),
        format!(r#"{{"op":"parse","text":"{}"}}"#, "[".repeat(100_000)),
        format!(r#"{{"op":"parse","text":"{}"}}"#, "- ".repeat(100_000)),
        format!(
            r#"{{"op":"patch","object":{{"a":"{megabytes}"}},"patch":[{}]}}"#,
            vec![r#"{"op":"copy","from":"/a","path":"/b"}"#; 500].join(",")
        ),
        format!(r#"{{"op":"fold","layers":[{{"name":"a","set":[{{"path":"{}","value":1}}]}}]}}"#, "a.".repeat(100_000)),
        format!(
            r#"{{"op":"fold","layers":[{{"name":"a","set":[{}]}}]}}"#,
            vec![r#"{"path":"a[65536]","value":1}"#; 50].join(",")
        ),
        format!(r#"{{"op":"parse","text":"{}"}}"#, bomb()),
        format!(r#"{{"op":"load","documents":[{}]}}"#, many("PluginDefinition", "options", r#","default":1"#)),
        reviewed("defaults", "", &many("Plugin", "optionValues", r#","value":2"#)),
        reviewed("defaults", "", &many("Plugin", "others", "")),
        reviewed("admit", r#","limits":{"changes":0}"#, &many("Plugin", "optionValues", r#","value":2"#)),
    ];
    for request in &hostile {
        let answer = guest.call(request.as_bytes()).expect("an answer, not a trap");
        let start = request.get(..60).unwrap_or(request);
        assert!(is_answer(&answer), "{start}");
        assert_eq!(guest.call(GOOD.as_bytes()).expect("the next call"), ANSWER, "after {start}");
    }
    assert!(is_refusal(&guest.call(&[0xff, 0xfe, 0x00]).expect("an answer")));
    assert_eq!(guest.call(GOOD.as_bytes()).expect("the next call"), ANSWER);
}

/// A document of Greenhouse with more options than anybody writes.
fn many(kind: &str, list: &str, said: &str) -> String {
    let items: Vec<String> = (0..20_000).map(|it| format!(r#"{{"name":"o{it}"{said}}}"#)).collect();
    format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"{kind}","metadata":{{"name":"x","namespace":"n"}},"spec":{{"pluginDefinitionRef":{{"name":"x"}},"{list}":[{}]}}}}"#,
        items.join(",")
    )
}

/// A request about a Plugin that somebody makes.
fn reviewed(op: &str, further: &str, plugin: &str) -> String {
    format!(
        r#"{{"op":"{op}"{further},"request":{{"kind":{{"group":"greenhouse.sap","kind":"Plugin"}},"operation":"CREATE","object":{plugin}}}}}"#
    )
}

/// Nine levels of nine aliases each.
fn bomb() -> String {
    let level = |at: u32| format!("a{at}: &a{at} [{}]\\n", vec![format!("*a{}", at - 1); 9].join(","));
    format!("a0: &a0 x\\n{}", (1..10).map(level).collect::<String>())
}

/// The places of a request down to a depth, as chains of keys and indices.
fn places(value: &Value, depth: usize) -> Vec<Vec<String>> {
    let below = |key: String, inner: &Value| {
        let mut places = vec![vec![key.clone()]];
        if depth > 1 {
            places.extend(self::places(inner, depth - 1).into_iter().map(|mut place| {
                place.insert(0, key.clone());
                place
            }));
        }
        places
    };
    match value {
        Value::Map(map) => map.iter().flat_map(|(key, inner)| below(key.to_string(), inner)).collect(),
        Value::List(items) => {
            items.iter().enumerate().take(3).flat_map(|(index, inner)| below(index.to_string(), inner)).collect()
        }
        _ => Vec::new(),
    }
}

fn set(value: &mut Value, place: &[String], new: Value) {
    let Some((first, rest)) = place.split_first() else {
        *value = new;
        return;
    };
    let inner = match value {
        Value::Map(_) => value.get_mut(first),
        _ => value.as_list_mut().and_then(|items| items.get_mut(first.parse::<usize>().expect("an index"))),
    };
    set(inner.expect("the place is there"), rest, new);
}
