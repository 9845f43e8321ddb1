//! The engine's parser, which follows kubectl, reads every output back as the same value.

use super::*;
use fleetfold_value::diagnostic::Mode;
use fleetfold_value::value::{Number, json};
use proptest::prelude::*;

#[track_caller]
fn reads_back(value: &Value) {
    let text = print(value);
    let mut findings = Vec::new();
    let read = crate::parse(&text, Mode::Strict, &mut findings).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(read.len(), 1, "{text}");
    assert_eq!(read[0].value.to_canonical(), value.to_canonical(), "{text}");
    // A token that parsers read differently would be a finding.
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let lines: String = print_lines(value).iter().map(|line| line.text() + "\n").collect();
    assert_eq!(lines, text);
}

#[test]
fn blocks_look_as_kubectl_writes_them() {
    let value = json::parse(
        r#"{"a":{"b":[{"c":1,"d":[]},[1,2],"x"],"e":{}},"f":"one\ntwo\n","g":"one\ntwo","h":null,"i":"yes",
            "j":["a\n\n"],"k":"one\n"}"#,
    );
    let want = "\
a:
  b:
  - c: 1
    d: []
  - - 1
    - 2
  - x
  e: {}
f: |
  one
  two
g: |-
  one
  two
h: null
i: \"yes\"
j:
- |+
  a

k: |
  one
";
    assert_eq!(print(&value.unwrap()), want);
}

/// Strings that look like something else, or that a writer might lose a part of.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "", " ", "true", "YES", "On", "n", "null", "~", "1", "1_000", "0x1f", "012", "1e3", ".5", ".inf", "-", "- a",
    "a: b", "a:", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "[a", "{a", "'a", "\"a", "?", "? a",
    ":a", "=", "<<", "2026-01-01", "12:30:45", "a\tb", "a\u{85}b", "\u{feff}a", "é", "a  b", " a", "a ", "a\n", "\n",
    "\na\nb", " a\nb", "a\n b\n\n", "a\nb \n", "a\r\nb", "a\u{2028}b\nc", "---", "...", "a\n---\nb", "\u{1f600}",
    "a\n\n\nb\n", "\t", "a\tb\nc", "yes", "no", "y", "N", "on", "Off", "True", "FALSE", "Null", "0o7", "0X1F",
    "0b11", "1.5", "+1", "-1", "5.", "-.INF", ".nan", "NaN", "inf", "Infinity", "-0", "00", "1__0", "1_", "_1",
    "2026-01-05", "2026-01-05T08:00:00Z", "190:20:30", "1:30", "--", "--x=1", "-x", "a:b", "# c", "a #c", "a#b",
    "'q'", "\"q\"", "it's", "`a`", "{a}", "[a]", "a, b", " lead", "trail ", "a\nb", "a\nb\n", "a\nb\n\n", "\na",
    "a\n b\n  c\n", "a\n\n\nb", "a \nb", "a\n \nb", "a\rb", "a\u{2028}b", "\u{202e}abc", "\u{feff}x", "\u{0}",
    "\u{7}", "\u{7f}", "\u{85}", "日本", "😀", "a😀\nb", "a\u{a0}b", "30d", "60s", "2Gi", "100m", "1.4", "1.4.2",
    "1.4.2-rc1", "10.96.14.7", "1b", "3x", "1o", "1p4", "0x1p3", "x  y", "http://a.b:80/c?d=e", "a=b", "C:\\d", "\\",
    "_", "key: |\n x", "---\na", "...\n", "# x\ny", "%YAML\nx", "a\n\tb", "\ta\nb", "1,000", "a\u{1}\nb",
    "<img src=x onerror=alert(1)>", "${x}", "{{ .Values.x }}", "__proto__x", "constructor", "a,b", "a - b", "a'b'",
    "-inf", "nan", "__", "a;b<c>d$e^f", "1.5Gi", "123e4567", "1.2.3e4", "0f", "a\u{61c}b", "a\u{fffd}\nb",
    "a\nb\n\n\n", "a\t\nb",
];

#[test]
fn odd_strings_read_back_alone_in_lists_and_maps_and_as_keys() {
    for text in ODD {
        reads_back(&Value::text(*text));
        reads_back(&Value::map([(*text, Value::text(*text))]));
        reads_back(&Value::map([(*text, Value::map([(*text, Value::list([*text]))]))]));
        reads_back(&Value::list([Value::list([Value::text(*text)]), Value::map([("k", *text)])]));
    }
}

#[test]
fn integers_keep_all_their_digits() {
    for int in [9_007_199_254_740_993, i64::MAX, i64::MIN] {
        assert_eq!(print(&Value::from(int)), format!("{int}\n"));
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

#[test]
fn strings_that_no_reader_mistakes_have_no_quotes() {
    for text in [
        "warn",
        "1.4.2",
        "1.4.2-rc1",
        "30d",
        "1.5Gi",
        "10.96.14.7",
        "--listen=:8080",
        "registry.example.com/shop/web:2.4.1",
        "http://proxy.acme.example.test:3128",
        "closed on Monday, it's a holiday",
        "a;b<c>d$e^f",
    ] {
        assert_eq!(print(&Value::text(text)), format!("{text}\n"));
    }
}

#[test]
fn strings_that_some_reader_mistakes_have_quotes() {
    for text in ["yes", "nan", "-inf", "1.4", "1e3", "1_000", "2026-01-05", "12:30:45", "0x1f", "1b", "_", "10.0.0.0/8"]
    {
        assert_eq!(print(&Value::text(text)), format!("\"{text}\"\n"));
    }
}

#[test]
fn doubles_are_doubles_for_every_reader() {
    for (double, want) in [(1e21, "1.0e+21"), (1e20, "1.0e+20"), (-1.5e19, "-1.5e+19"), (1e-7, "1.0e-7"), (0.1, "0.1")]
    {
        assert_eq!(print(&Value::from(Number::Double(double))), format!("{want}\n"));
    }
}

#[test]
fn every_line_has_the_place_of_its_value() {
    let value = json::parse(r#"{"a":{"b/c":[1,{"d":"x\ny"}]}}"#).unwrap();
    let lines = print_lines(&value);
    let pointers: Vec<String> = lines.iter().map(|line| line.pointer.to_string()).collect();
    assert_eq!(pointers, ["/a", "/a/b~1c", "/a/b~1c/0", "/a/b~1c/1/d", "/a/b~1c/1/d", "/a/b~1c/1/d"]);
    let kinds: Vec<TokenKind> = lines[3].tokens.iter().map(|token| token.kind).collect();
    use TokenKind::{Key, Mark, Space};
    assert_eq!(kinds, [Space, Mark, Key, Mark, Space, Mark]);
}
