//! Values and typed requests through serde.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use super::read::{from_text, from_value};
use crate::diagnostic::Code;
use crate::value::canonical::to_text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::de::wrong_type;
use crate::value::{Map, MaybeAbsent, Number, Text, Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    object: Value,
    labels: Option<SortedMap<Text, Text>>,
    steps: Option<Vec<Step>>,
    mode: Option<Mode>,
    last_applied: Option<Map>,
    is_dry: Option<bool>,
    value: MaybeAbsent<Value>,
}

#[derive(Debug, Deserialize)]
struct Step {
    path: Text,
    count: Option<i64>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Mode {
    Strict,
    ThreeWay,
}

#[derive(Debug, Deserialize)]
struct NoFields {}

#[track_caller]
fn refuses<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str, code: Code, want: &str) {
    let error = from_text::<T>(text).unwrap_err();
    assert_eq!((error.code, error.to_string().as_str()), (code, want));
}

#[test]
fn every_error_has_its_place_and_hint() {
    let refuses = refuses::<Request>;
    refuses("[]", Code::WrongType, "the request must be a map, not a list");
    refuses("{}", Code::MissingField, "the field `object` is missing (at /object)");
    refuses(
        r#"{"object":1,"lables":{}}"#,
        Code::UnknownField,
        "there is no field `lables` here (at /lables); did you mean `labels`?",
    );
    refuses(
        r#"{"object":1,"steps":[{"path":"/a"},{"zzzzzz":1}]}"#,
        Code::UnknownField,
        "there is no field `zzzzzz` here (at /steps/1/zzzzzz); known here: path, count",
    );
    refuses(r#"{"object":1,"steps":"x"}"#, Code::WrongType, "`steps` must be a list, not a string (at /steps)");
    refuses(
        r#"{"object":1,"steps":[{"path":"a"},7]}"#,
        Code::WrongType,
        "element 1 must be a map, not an integer (at /steps/1)",
    );
    refuses(r#"{"object":1,"steps":[{}]}"#, Code::MissingField, "the field `path` is missing (at /steps/0/path)");
    refuses(
        r#"{"object":1,"steps":[{"path":null}]}"#,
        Code::WrongType,
        "`path` must be a string, not null (at /steps/0/path)",
    );
    refuses(
        r#"{"object":1,"steps":[{"path":"a","count":1.0}]}"#,
        Code::WrongType,
        "`count` must be an integer, not a number (at /steps/0/count)",
    );
    refuses(
        r#"{"object":1,"isDry":"yes"}"#,
        Code::WrongType,
        "`isDry` must be true or false, not a string (at /isDry)",
    );
    refuses(
        r#"{"object":1,"labels":{"a/b":true}}"#,
        Code::WrongType,
        "`a/b` must be a string, not a boolean (at /labels/a~1b)",
    );
    refuses(
        r#"{"object":1,"lastApplied":[]}"#,
        Code::WrongType,
        "`lastApplied` must be a map, not a list (at /lastApplied)",
    );
    refuses(r#"{"object":1,"mode":{}}"#, Code::WrongType, "`mode` must be a string, not a map (at /mode)");
    refuses(
        r#"{"object":1,"mode":"stict"}"#,
        Code::UnknownValue,
        "`stict` is not known here (at /mode); did you mean `strict`?",
    );
    refuses(
        r#"{"object":1,"mode":"x"}"#,
        Code::UnknownValue,
        "`x` is not known here (at /mode); one of: strict, threeWay",
    );
}

#[test]
fn fields_are_read() {
    let text = r#"{"object":1,"isDry":true,"steps":[{"count":-3,"path":"/a"}]}"#;
    let Request { is_dry, steps, .. } = from_text(text).unwrap();
    let steps = steps.unwrap();
    let [Step { path, count }] = steps.as_slice() else { panic!("one step") };
    assert_eq!((is_dry, path.as_str(), *count), (Some(true), "/a", Some(-3)));
}

#[test]
fn a_request_without_fields_takes_none() {
    assert!(from_text::<NoFields>("{}").is_ok());
    refuses::<NoFields>(
        r#"{"x":1}"#,
        Code::UnknownField,
        "there is no field `x` here (at /x); there are no fields here",
    );
}

#[test]
fn of_two_errors_the_same_one_is_reported() {
    let refuses = refuses::<Request>;
    refuses(r#"{"object":1,"zzzzzz":1"#, Code::BadJson, "expected `,` or `}`, but the text ends (at 1:23)");
    refuses(
        r#"{"object":1,"steps":7,"xxxxxx":1,"isDri":1}"#,
        Code::UnknownField,
        "there is no field `isDri` here (at /isDri); did you mean `isDry`?",
    );
    refuses(r#"{"isDry":7}"#, Code::MissingField, "the field `object` is missing (at /object)");
    refuses(
        r#"{"isDry":7,"object":1,"steps":7}"#,
        Code::WrongType,
        "`steps` must be a list, not an integer (at /steps)",
    );
    refuses(r#"{"object":{"a":1,"a":2},"x":1}"#, Code::DuplicateKey, "duplicate key `a` (at /object/a)");
}

#[test]
fn documents_are_moved() {
    let long = "long ".repeat(100);
    let object = Value::map([("a", Value::text(long.as_str()))]);
    let request = Value::map([("object", object.clone()), ("lastApplied", object.clone())]);
    let Request { object: read, last_applied, .. } = from_value(request).unwrap();
    assert!(read.ptr_eq(&object));
    assert_eq!(Value::from(last_applied.unwrap()), object);
    // Held once again after it was moved: an edit copies nothing.
    let Value::Map(map) = from_text::<Value>(r#"{"a":{}}"#).unwrap() else { panic!("a map") };
    assert_eq!(Arc::strong_count(&map), 1);
    let texts: Vec<Text> = from_value(Value::list([long.as_str(), "short"])).unwrap();
    assert_eq!(texts, [long.as_str(), "short"]);
}

#[test]
fn null_and_absence_are_told_apart() {
    let value = |text: &str| from_text::<Request>(text).unwrap().value;
    assert_eq!(value(r#"{"object":1}"#), MaybeAbsent(None));
    assert_eq!(value(r#"{"object":1,"value":null}"#), MaybeAbsent(Some(Value::Null)));
    let Request { labels, mode, steps, .. } = from_text(r#"{"object":1,"labels":null,"mode":"threeWay"}"#).unwrap();
    assert_eq!((labels, mode, steps.is_none()), (None, Some(Mode::ThreeWay), true));
}

#[test]
fn a_type_of_its_own_names_what_it_wants() {
    #[derive(Debug)]
    struct Even;
    impl<'de> Deserialize<'de> for Even {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Even, D::Error> {
            match Value::deserialize(deserializer)? {
                Value::Number(Number::Int(int)) if int % 2 == 0 => Ok(Even),
                Value::Number(_) => Err(serde::de::Error::custom("the number is odd")),
                other => Err(wrong_type("an even number", &other)),
            }
        }
    }
    assert!(from_text::<Vec<Even>>("[2]").is_ok());
    refuses::<Vec<Even>>("[2,3]", Code::UnknownValue, "the number is odd (at /1)");
    refuses::<Vec<Even>>("[[]]", Code::WrongType, "element 0 must be an even number, not a list (at /0)");
    assert!(serde_json::from_str::<Even>("3").unwrap_err().to_string().starts_with("the number is odd"));
}

#[test]
fn values_go_through_other_formats_and_back() {
    for text in [
        r#"{"__proto__":{"a":null},"b":[true,"é\n",{}],"c":-1.5,"d":1e+100}"#,
        "[9007199254740993,-9223372036854775808,9223372036854775807]",
        "0.1",
    ] {
        let value = json::parse(text).unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
        assert_eq!(json::parse(&serde_json::to_string(&value).unwrap()).unwrap(), value);
        assert_eq!(to_text(&value).unwrap(), text);
        assert_eq!(from_text::<Value>(text).unwrap(), value);
    }
    let secret = json::parse(r#"{"data":{"k":"djE="},"kind":"Secret"}"#).unwrap();
    assert_eq!(serde_json::to_string(&secret).unwrap(), secret.to_canonical());
    let number = serde_json::from_str::<Number>("1.0").unwrap();
    assert!(matches!(number, Number::Double(_)));
    assert_eq!(serde_json::from_str::<Map>(r#"{"a":1}"#).unwrap(), Map::from_iter([("a", 1i64)]));
}

#[test]
fn other_formats_are_refused_what_the_reader_refuses() {
    let refused = |text: &str| serde_json::from_str::<Value>(text).unwrap_err().to_string();
    assert!(refused(r#"{"b":{"a":1,"a":1}}"#).starts_with("duplicate key `a`"));
    assert!(refused("9223372036854775808").starts_with("the integer does not fit in 64 bits"));
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(serde_json::from_str::<Value>(&nested(100)).is_ok());
    assert!(refused(&nested(101)).starts_with("nested deeper than 100 levels"));
    assert!(from_text::<Value>(&nested(100)).is_ok());
    assert_eq!(from_text::<Value>(&nested(101)).unwrap_err().code, Code::TooDeep);
    assert_eq!(from_text::<Value>("9223372036854775808").unwrap_err().code, Code::IntegerOutOfRange);
    let visit =
        |double: f64| Value::deserialize(serde::de::value::F64Deserializer::<serde::de::value::Error>::new(double));
    assert!(visit(f64::NAN).is_err() && visit(f64::INFINITY).is_err() && visit(1.5).is_ok());
    let visit = |int: i128| Value::deserialize(serde::de::value::I128Deserializer::<serde::de::value::Error>::new(int));
    assert!(visit(1 << 63).is_err());
    assert_eq!(visit(-(1 << 63)), Ok(Value::from(i64::MIN)));
}

#[test]
fn answers_are_written_in_canonical_form() {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer<'a> {
        all: SortedMap<Text, u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<&'a str>,
        names: SortedSet<Text>,
        or_null: Option<i64>,
        path: crate::value::path::Pointer,
        step: Verb,
        steps: Vec<Verb>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    enum Verb {
        Add,
        Move { from: u8, to: u8 },
        Set(f64),
        Swap(u8, u8),
    }
    let answer = Answer {
        all: [("b".into(), 2), ("a".into(), 1)].into_iter().collect(),
        hint: None,
        names: ["y".into(), "x".into()].into_iter().collect(),
        or_null: None,
        path: crate::value::path::Pointer::of(["a/b", "\"", "~"]),
        step: Verb::Add,
        steps: vec![Verb::Move { from: 1, to: 2 }, Verb::Set(1e21), Verb::Swap(3, 4)],
    };
    assert_eq!(
        to_text(&answer).unwrap(),
        concat!(
            r#"{"all":{"a":1,"b":2},"names":["x","y"],"orNull":null,"path":"/a~1b/\"/~0","step":"add","#,
            r#""steps":[{"move":{"from":1,"to":2}},{"set":1e+21},{"swap":[3,4]}]}"#,
        )
    );
    assert_eq!(to_text(&u64::MAX).unwrap_err().to_string(), "the integer does not fit in 64 bits");
    assert_eq!(to_text(&f64::NAN).unwrap_err().to_string(), "JSON has no number for infinity or NaN");
    assert_eq!(to_text(&std::collections::BTreeMap::from([(1, 2)])).unwrap_err().to_string(), "a key must be a string");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "fields are written in order")]
fn fields_out_of_order_are_found() {
    #[derive(Serialize)]
    struct Answer {
        b: bool,
        a: bool,
    }
    let _ = to_text(&Answer { b: true, a: true });
}
