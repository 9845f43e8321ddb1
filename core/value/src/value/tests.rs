use super::*;

#[test]
fn a_double_above_2_53_is_one_integer() {
    assert_eq!(Number::Double(9_007_199_254_740_992.0), Number::Int(9_007_199_254_740_992));
    assert_ne!(Number::Double(9_007_199_254_740_992.0), Number::Int(9_007_199_254_740_993));
    assert_ne!(Number::Double(9_223_372_036_854_775_808.0), Number::Int(i64::MAX));
}

#[test]
fn there_is_one_zero() {
    let Some(Number::Double(zero)) = Number::double(-0.0) else { panic!("zero is finite") };
    assert!(zero.is_sign_positive());
}

#[test]
fn a_clone_shares_and_an_edit_copies_only_its_path() {
    let one = Value::map([("a", Value::map([("x", 1i64)])), ("b", Value::map([("y", 2i64)]))]);
    let mut two = one.clone();
    assert!(one.ptr_eq(&two));
    two.get_mut("a").and_then(Value::as_map_mut).unwrap().insert("x", 9i64);
    assert!(!one.ptr_eq(&two));
    assert!(one.get("b").unwrap().ptr_eq(two.get("b").unwrap()));
    assert_eq!(one.at(&["a", "x"]).and_then(Value::as_int), Some(1));
}

#[test]
fn what_two_values_say_alike_is_held_once_and_nothing_changes() {
    let parse = |text: &str| crate::value::json::parse(text).unwrap();
    let like = parse(r#"{"a":{"x":[1,{"y":"z"}]},"b":[{"c":1}],"d":1,"e":{"f":2}}"#);
    let text = r#"{"a":{"x":[1,{"y":"z"}]},"b":[{"c":2}],"c":0,"e":{"f":2,"g":3}}"#;
    let mut value = parse(text);
    assert!(!value.intern_from(&like));
    assert_eq!(value.to_canonical(), text);
    assert!(value.get("a").unwrap().ptr_eq(like.get("a").unwrap()));
    assert!(!value.get("e").unwrap().ptr_eq(like.get("e").unwrap()));
    assert!(parse(&like.to_canonical()).intern_from(&like));
    // Equal numbers may be written differently, which is kept.
    let mut port = parse(r#"{"port":80.0}"#);
    assert!(!port.intern_from(&parse(r#"{"port":80}"#)));
    assert!(matches!(port.get("port"), Some(Value::Number(Number::Double(_)))));
}

#[test]
fn a_key_is_found_by_every_byte_of_it() {
    for len in 0..20 {
        let key = "k".repeat(len);
        assert!(Map::from_iter([(key.as_str(), true)]).contains(&key));
        for at in 0..len {
            let mut other = key.clone();
            other.replace_range(at..=at, "x");
            assert!(!Map::from_iter([(other, true)]).contains(&key), "{at} of {len}");
        }
    }
}

#[test]
fn a_value_is_three_words() {
    assert_eq!(size_of::<Value>(), 24);
}
