//! The engine's parser, which follows kubectl, reads every output back as the same value.

use super::*;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::value::Number;
use fleetfold_core::value::json;
use fleetfold_core::yaml;
use proptest::prelude::*;

#[track_caller]
fn reads_back(value: &Value) {
    let text = document(value);
    let mut findings = Vec::new();
    let read = yaml::parse(&text, Mode::Strict, &mut findings).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(read.len(), 1, "{text}");
    assert_eq!(read[0].value.to_canonical(), value.to_canonical(), "{text}");
    // A token that parsers read differently would be a finding.
    assert!(findings.is_empty(), "{findings:?}\n{text}");
}

#[test]
fn blocks_look_as_kubectl_writes_them() {
    let value = json::parse(
        r#"{"a":{"b":[{"c":1,"d":[]},[1,2],"x"],"e":{}},"f":"one\ntwo\n","g":"one\ntwo","h":null,"i":"yes"}"#,
    );
    let want = "a:\n  b:\n  - c: 1\n    d: []\n  - - 1\n    - 2\n  - x\n  e: {}\nf: |\n  one\n  two\ng: |-\n  one\n  two\nh: null\ni: \"yes\"\n";
    assert_eq!(document(&value.unwrap()), want);
}

#[test]
fn words_that_mean_something_are_quoted() {
    for text in [
        "",
        " ",
        "true",
        "YES",
        "On",
        "n",
        "null",
        "~",
        "1",
        "1_000",
        "0x1f",
        "012",
        "1e3",
        ".5",
        ".inf",
        "-",
        "- a",
        "a: b",
        "a:",
        "a #b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "[a",
        "{a",
        "'a",
        "\"a",
        "?",
        "? a",
        ":a",
        "=",
        "<<",
        "2026-01-01",
        "12:30:45",
        "a\tb",
        "a\u{85}b",
        "\u{feff}a",
        "é",
        "a  b",
        " a",
        "a ",
        "a\n",
        "\n",
        "\na\nb",
        " a\nb",
        "a\n b\n\n",
        "a\nb \n",
        "a\r\nb",
        "a\u{2028}b\nc",
        "---",
        "...",
        "a\n---\nb",
        "\u{1f600}",
        "a\n\n\nb\n",
        "\t",
        "a\tb\nc",
    ] {
        reads_back(&Value::text(text));
        reads_back(&Value::map([(text, Value::text(text))]));
        reads_back(&Value::list([Value::list([Value::text(text)]), Value::map([("k", text)])]));
    }
}

#[test]
fn integers_keep_all_their_digits() {
    for int in [9_007_199_254_740_993, i64::MAX, i64::MIN] {
        assert_eq!(document(&Value::from(int)), format!("{int}\n"));
        reads_back(&Value::map([("a", int)]));
    }
}

#[test]
fn a_key_may_be_long() {
    reads_back(&Value::map([("k ".repeat(700), Value::map([("x".repeat(2000), Value::list([1i64]))]))]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_reads_back(value in any_value()) {
        reads_back(&Value::map([("value", value.clone())]));
        // An empty document does not count.
        if !value.is_null() {
            reads_back(&value);
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = || prop_oneof!["[ -~]{0,12}", "\\PC{0,6}", "[a-z \n\t:#-]{0,16}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |double| Number::double(double).map(Value::from)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6).prop_map(Value::map),
        ]
    })
}
