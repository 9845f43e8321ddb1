use super::*;
use crate::engine::patch::Operation;
use crate::object::kinds::retention::{NONE, Phase};

fn value(text: &str) -> Value {
    crate::value::json::parse(text).expect("a test writes JSON")
}

fn document() -> Arc<Identity> {
    Arc::new(Identity { kind: "K".into(), name: "n".into(), ..Identity::default() })
}

fn base(object: &str) -> Base {
    let origin = Origin { document: document(), path: Pointer::of(["spec", "template"]) };
    Base { object: value(object), origin, given: Vec::new(), sealed: Vec::new(), wave: 0 }
}

/// A layer of operations `[verb, path, value]`.
fn layer(name: &str, operations: &[(Verb, &str, &str)]) -> Layer {
    let step = |(index, (verb, path, text)): (usize, &(Verb, &str, &str))| {
        let value = Some(*text).filter(|it| !it.is_empty()).map(value);
        let operation = Operation::written(*verb, *path, value);
        (Step::read(&operation, Mode::Strict).unwrap(), Pointer::of([name.to_string(), index.to_string()]))
    };
    Layer::new(name.into(), document(), Ok(operations.iter().enumerate().map(step).collect()))
}

/// Every touched place on a line: `place: layer=value, layer=value`.
#[track_caller]
fn check(object: &str, layers: &[Layer], want: &str, lines: &[&str]) {
    let rules = Rules {
        builtin: NONE,
        phase: Some(Phase::Before),
        fields: Vec::new(),
        labels: Vec::new(),
        retain_replicas: false,
    };
    let product = build(&base(object), &rules, None, layers.iter(), Mode::Strict, &mut Vec::new()).unwrap();
    assert_eq!(product.object.to_canonical(), want);
    let chain = |chain: &[FieldOrigin]| {
        let said = chain.iter().map(|it| {
            let value = it.value.as_ref().map_or("-".to_string(), Value::to_canonical);
            let place = it.origin.as_ref().filter(|_| it.layer == "base").map(|it| format!("@{}", it.path));
            format!("{}={value}{}", it.layer, place.unwrap_or_default())
        });
        said.collect::<Vec<_>>().join(", ")
    };
    let found: Vec<String> = product.origins.iter().map(|(at, said)| format!("{at}: {}", chain(said))).collect();
    assert_eq!(found, lines);
    assert!(product.origins.is_sorted_by(|(a, _), (b, _)| a < b));
}

#[test]
fn the_winner_stands_first_and_the_base_last() {
    let layers = [layer("a", &[(Verb::Replace, "/x", "2")]), layer("b", &[(Verb::Add, "/x", "3")])];
    check(r#"{"x":1}"#, &layers, r#"{"x":3}"#, &["/x: b=3, a=2, base=1@/spec/template/x"]);
}

#[test]
fn what_the_base_does_not_have_ends_with_the_layer() {
    check(r#"{}"#, &[layer("a", &[(Verb::Add, "/x", "null")])], r#"{"x":null}"#, &["/x: a=null"]);
}

#[test]
fn what_is_removed_has_no_value() {
    let layers = [layer("a", &[(Verb::Remove, "/m/x", "")])];
    check(r#"{"m":{"x":1}}"#, &layers, r#"{"m":{}}"#, &["/m/x: a=-, base=1@/spec/template/m/x"]);
}

#[test]
fn a_whole_map_has_the_last_word_on_what_is_inside() {
    let layers = [
        layer("a", &[(Verb::Replace, "/m/x", "2"), (Verb::Add, "/m/y", "5")]),
        layer("b", &[(Verb::Add, "/m", r#"{"x":3}"#)]),
    ];
    check(
        r#"{"m":{"x":1}}"#,
        &layers,
        r#"{"m":{"x":3}}"#,
        &[
            r#"/m: b={"x":3}, base={"x":1}@/spec/template/m"#,
            "/m/x: b=3, a=2, base=1@/spec/template/m/x",
            "/m/y: b=-, a=5",
        ],
    );
}

#[test]
fn what_is_set_inside_a_whole_map_has_that_below_it() {
    let layers = [layer("a", &[(Verb::Add, "/m", r#"{"x":3}"#)]), layer("b", &[(Verb::Replace, "/m/x", "4")])];
    check(
        r#"{"m":{"x":1,"z":0}}"#,
        &layers,
        r#"{"m":{"x":4}}"#,
        &[r#"/m: a={"x":3}, base={"x":1,"z":0}@/spec/template/m"#, "/m/x: b=4, a=3, base=1@/spec/template/m/x"],
    );
}

#[test]
fn an_appended_element_moves_nothing() {
    let layers = [layer("a", &[(Verb::Add, "/l/-", "7"), (Verb::Add, "/l/-", "8")])];
    check(r#"{"l":[1]}"#, &layers, r#"{"l":[1,7,8]}"#, &["/l/1: a=7", "/l/2: a=8"]);
}

#[test]
fn an_inserted_element_moves_those_behind_it_with_their_origins() {
    let layers = [layer("a", &[(Verb::Replace, "/l/1", "5")]), layer("b", &[(Verb::Add, "/l/0", "9")])];
    check(
        r#"{"l":[1,2]}"#,
        &layers,
        r#"{"l":[9,1,5]}"#,
        &["/l/0: b=9", "/l/1: base=1@/spec/template/l/0", "/l/2: a=5, base=2@/spec/template/l/1"],
    );
}

#[test]
fn a_removed_element_moves_those_behind_it_and_the_list_says_who_did_it() {
    let layers = [layer("a", &[(Verb::Replace, "/l/1/x", "5")]), layer("b", &[(Verb::Remove, "/l/0", "")])];
    check(
        r#"{"l":[{"x":1},{"x":2}]}"#,
        &layers,
        r#"{"l":[{"x":5}]}"#,
        &[
            r#"/l: b=[{"x":5}], base=[{"x":1},{"x":2}]@/spec/template/l"#,
            r#"/l/0: base={"x":2}@/spec/template/l/1"#,
            "/l/0/x: a=5, base=2@/spec/template/l/1/x",
        ],
    );
}

#[test]
fn indices_of_two_digits_move_in_their_order() {
    let list: Vec<String> = (0..11).map(|it| it.to_string()).collect();
    let layers =
        [layer("a", &[(Verb::Replace, "/l/9", "90"), (Verb::Replace, "/l/10", "100"), (Verb::Remove, "/l/0", "")])];
    let product = build(
        &base(&format!(r#"{{"l":[{}]}}"#, list.join(","))),
        &Rules { builtin: NONE, phase: None, fields: Vec::new(), labels: Vec::new(), retain_replicas: false },
        None,
        layers.iter(),
        Mode::Strict,
        &mut Vec::new(),
    )
    .unwrap();
    let winner = |place: &str| {
        let place = Pointer::parse(place).unwrap();
        product.origins.iter().find(|(it, _)| *it == place).and_then(|(_, chain)| chain.first()?.value.clone())
    };
    assert_eq!((winner("/l/8"), winner("/l/9"), winner("/l/10")), (Some(value("90")), Some(value("100")), None));
}

#[test]
fn a_layer_that_cannot_be_applied_is_told_at_its_operation() {
    let rules = Rules { builtin: NONE, phase: None, fields: Vec::new(), labels: Vec::new(), retain_replicas: false };
    let layers = [layer("a", &[(Verb::Add, "/x", "1"), (Verb::Remove, "/y", "")])];
    let error = build(&base("{}"), &rules, None, layers.iter(), Mode::Strict, &mut Vec::new()).unwrap_err();
    assert_eq!((error.code, error.pointer().to_string().as_str()), (Code::PathNotFound, "/a/1"));
}

#[test]
fn what_a_layer_overrides_is_no_longer_retained() {
    let fields = vec![
        crate::value::path::RetentionPath::parse("spec.a").unwrap(),
        crate::value::path::RetentionPath::parse("spec.b").unwrap(),
    ];
    let rules = Rules { builtin: NONE, phase: Some(Phase::Before), fields, labels: Vec::new(), retain_replicas: false };
    let live = value(r#"{"spec":{"a":1,"b":2}}"#);
    let layers = [layer("a", &[(Verb::Add, "/spec/a", "9")])];
    let product =
        build(&base(r#"{"spec":{}}"#), &rules, Some(&live), layers.iter(), Mode::Strict, &mut Vec::new()).unwrap();
    assert_eq!(product.object.to_canonical(), r#"{"spec":{"a":9,"b":2}}"#);
    assert_eq!(product.retained.iter().map(|it| it.path.to_string()).collect::<Vec<_>>(), ["/spec/b"]);
    let chains: Vec<Vec<&str>> =
        product.origins.iter().map(|(_, chain)| chain.iter().map(|it| it.layer.as_str()).collect()).collect();
    assert_eq!(chains, [vec!["a", "live"], vec!["live"]]);
}
