use super::expression::fill;
use super::*;
use fleetfold_value::value::json;

const CLUSTER: &str = r#"{
    "metadata": {"name": "obs-eu-de-1", "labels": {"env": "prod", "region": "eu-de-1"}, "generation": 7},
    "spec": {"taints": [{"key": "gpu", "effect": "NoSelect"}, {"key": "old"}], "weight": 2.5},
    "none": null
}"#;

fn variables() -> [(&'static str, Value); 2] {
    [("cluster", json::parse(CLUSTER).unwrap()), ("n", Value::from(7i64))]
}

fn ask(text: &str) -> Result<Value, CelError> {
    Program::compile(text, &["cluster", "n"])?.evaluate(&variables())
}

/// Each line: an expression, `=>`, and its value as JSON.
#[track_caller]
fn check(cases: &str) {
    for case in cases.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (text, want) = case.split_once(" => ").expect("an arrow");
        match ask(text) {
            Ok(value) => assert_eq!(value.to_canonical(), want, "{text}"),
            Err(error) => panic!("{text}: {error:?}"),
        }
    }
}

/// Each line: an expression, `=>`, the position of its error, and a part of the message.
#[track_caller]
fn refuse(code: Code, cases: &str) {
    for case in cases.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (text, want) = case.split_once(" => ").expect("an arrow");
        let (place, message) = want.split_once(' ').expect("a place");
        let error = ask(text).expect_err(text);
        assert_eq!((error.code, error.place.to_string().as_str()), (code, place), "{text}: {}", error.message);
        assert!(error.message.contains(message), "{text}: {}", error.message);
    }
}

#[track_caller]
fn hint(text: &str, want: &str) {
    assert_eq!(ask(text).expect_err(text).hint.as_deref(), Some(want), "{text}");
}

#[test]
fn literals_and_operators() {
    check(
        r#"
        0x1F => 31
        -9223372036854775808 => -9223372036854775808
        7u => 7
        1.5e1 => 15
        "a\x41\u00e9\101\n" + 'b' => "aAéA\nb"
        r'\n' => "\\n"
        '''it's''' => "it's"
        [1, 'a', null,] + [true] => [1,"a",null,true]
        {'a': 1, 2: {}, true: []} => {"2":{},"a":1,"true":[]}
        2 + 3 * 4 - 10 / 3 % 2 => 13
        1 - -1 => 2
        --n => 7
        !!n => 7
        1 < 2 == true => true
        'b' > 'a' && false < true => true
        n > 6.5 && n in [1, 7.0] => true
        n == '7' => false
        dyn([1, 2u]) == [1.0, 2] => true
        {'a': 1} == {'a': dyn(1.0)} => true
        true ? 1 : false ? 2 : 3 => 1
        [1, 2][dyn(1.0)] => 2
        {1: 'one'}[dyn(1u)] => "one"
        "#,
    );
    assert_eq!(ask("1 // one\n+ 2").unwrap().to_canonical(), "3");
}

#[test]
fn fields_and_presence() {
    check(
        "
        cluster.metadata.name => \"obs-eu-de-1\"
        cluster['metadata'].labels['env'] => \"prod\"
        .cluster.spec.weight => 2.5
        has(cluster.metadata.labels.env) && !has(cluster.metadata.labels.tier) => true
        has(cluster.none.x) || has(n.x) => false
        'env' in cluster.metadata.labels => true
        cluster.none == null => true
        size(cluster.metadata.labels) => 2
        cluster.spec.taints[0] => {\"effect\":\"NoSelect\",\"key\":\"gpu\"}
        ",
    );
}

#[test]
fn macros() {
    check(
        "
        cluster.spec.taints.map(t, t.key) => [\"gpu\",\"old\"]
        cluster.spec.taints.filter(t, has(t.effect)).size() => 1
        [3, 1, 2].map(i, i > 1, i * n) => [21,14]
        [1, 2].all(i, i > 0) && [1, 2].exists(i, i > 1) && [1, 2].exists_one(i, i > 1) => true
        cluster.metadata.labels.map(k, k) => [\"env\",\"region\"]
        [1, 2].map(n, n + .n) => [8,9]
        [[1], []].map(l, l.map(i, i + n)) => [[8],[]]
        ",
    );
}

#[test]
fn a_later_term_may_decide_where_an_earlier_one_fails() {
    check(
        "
        cluster.nope == 1 || true => true
        1 / 0 == 1 && false => false
        n && false => false
        [0, 1].exists(i, 1 / i == 1) => true
        [0, 1].all(i, 1 / i == 2) => false
        ",
    );
    refuse(
        Code::ExpressionFailed,
        "
        cluster.nope == 1 || false => 1:8 no field `nope`
        [0, 1].all(i, 1 / i == 1) => 1:17 division by zero
        [0, 1].exists_one(i, 1 / i == 1) => 1:24 division by zero
        ",
    );
}

#[test]
fn functions_on_strings() {
    check(
        r#"
        cluster.metadata.name.upperAscii() => "OBS-EU-DE-1"
        cluster.metadata.name.split('-').join('_') => "obs_eu_de_1"
        'héllo'.charAt(1) + 'abc'.charAt(3) => "é"
        ['héllo'.indexOf('l'), 'abc'.indexOf('c', 3), 'aaa'.lastIndexOf('a', 1), 'x'.lastIndexOf('')] => [2,-1,1,1]
        'héllo'.substring(1, 3) + 'héllo'.substring(4) => "élo"
        'a,b,c'.split(',', 2) + 'añ'.split('') + 'a'.split('b', 0) => ["a","b,c","a","ñ"]
        'aaa'.replace('a', 'b', 2) + 'ab'.replace('', '-') => "bba-a-b-"
        ' a '.trim() + 'abc'.reverse() + 'ÄB'.lowerAscii() => "acbaÄb"
        strings.quote('a"\n') => "\"a\\\"\\n\""
        '%s has %d%% of %s'.format(['a', 5, [1.0, null, {'k': true}]]) => "a has 5% of [1, null, {k: true}]"
        'v1.31.2'.matches('^v1\\.(30|31)\\.\\d+$') => true
        'aXb'.matches('^[^a-z]') || 'ab'.matches('\\Bb\\b') && 'aab'.matches('^a{2,}?b$') => true
        'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('') => true
        "#,
    );
}

#[test]
fn conversions() {
    check(
        r#"
        [int('+5'), int(2.9), int(-2.9), int(3u)] => [5,2,-2,3]
        [double('1e3'), double(2), double('.5')] => [1000,2,0.5]
        string(1000000.0) + string(0.5) + string(-7) + string(true) + string(1e-5) => "1e+060.5-7true1e-05"
        [bool('t'), bool('FALSE')] => [true,false]
        uint(3) => 3
        type(n) == int && type(cluster) == map && type(null) == null_type => true
        "#,
    );
}

#[test]
fn an_expression_that_fails_for_all_values_is_refused_when_compiled() {
    refuse(
        Code::BadExpression,
        "
        1 + => 1:4 expected a value, found the end
        (1 => 1:3 expected `)`
        'a => 1:1 not closed
        '\\q' => 1:4 escape
        n = 7 => 1:3 means nothing
        9223372036854775808 => 1:1 out of range
        if => 1:1 reserved
        b'x' => 1:1 bytes
        nope.x => 1:1 no variable `nope`
        [1].map(i, j) => 1:12 no variable `j`
        size(1, 2) => 1:1 number of arguments
        timestamp('x') => 1:1 not supported
        1 + 'a' => 1:3 does not take int and string
        1 < 2.0 => 1:3 does not take int and double
        n ? 1 : 'a' => 1:3 one branch gives int
        1 && true => 1:1 must be a bool
        [1].x => 1:4 has no fields
        'a'.all(i, true) => 1:5 cannot iterate over
        [1].all(1, true) => 1:9 plain name
        has(n) => 1:1 takes a field
        '%s'.format([1, 2]) => 1:6 has 1 places
        '%x'.format([1]) => 1:6 not supported in a format
        'a'.matches('(?i)a') => 1:5 not supported in a pattern
        n.startsWith('a', 1) => 1:3 number of arguments
        ",
    );
    hint("nn + 1", "did you mean `n`?");
    hint("n.upperAsci()", "did you mean `upperAscii`?");
    hint("startsWith('a', 'b')", "it is a method: write `text.startsWith(…)`");
    hint("'a' + 1", "make a string of the other side with `string(…)`");
    hint("n = 7", "did you mean `==`?");
}

#[test]
fn an_expression_that_fails_for_these_values_has_another_code() {
    refuse(
        Code::ExpressionFailed,
        "
        cluster.metadata.lables => 1:17 no field `lables`
        cluster.metadata.name.x => 1:22 has no fields
        cluster['x'] => 1:8 no such key
        cluster.spec.taints[2] => 1:20 has 2 items
        n + 'a' => 1:3 does not take int and string
        9223372036854775807 + 1 => 1:21 64 bits
        -(-9223372036854775808) => 1:1 64 bits
        0.0 / 0.0 < n => 1:11 does not take double and int
        1.0 / 0.0 => 1:5 which JSON cannot express
        18446744073709551615u => 1:1 which JSON cannot express
        type(n) => 1:1 which JSON cannot express
        {[1]: 2} => 1:1 cannot be a key
        int('x') => 1:1 cannot convert this string to int
        [n].join() => 1:5 does not take list
        'a'.matches('(') => 1:5 does not close
        'a'.substring(2) => 1:5 outside
        '%d'.format(['a']) => 1:6 does not take string
        '%s'.format(dyn([])) => 1:6 more places
        ",
    );
    hint("cluster.metadata.lables", "did you mean `labels`?");
}

#[test]
fn what_an_index_finds_is_taken_for_the_first_type_that_fits() {
    refuse(Code::BadExpression, "(cluster['a'] + cluster['b']).trim() => 1:31 does not take bytes");
    refuse(Code::ExpressionFailed, "string(cluster.metadata['generation']) => 1:1 settled on another type");
    hint("string(cluster.metadata['generation'])", "wrap the argument in `dyn(…)`");
    check("string(dyn(cluster.metadata['generation'])) => \"7\"");
}

#[test]
fn no_expression_hangs_or_overflows_the_stack() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(MAX_DEPTH + 1), close.repeat(MAX_DEPTH + 1));
    let chain = format!("1{}", " + 1".repeat(MAX_DEPTH));
    for text in [deep("(", ")"), deep("[", "]"), deep("dyn(", ")"), deep("true ? 1 : ", ""), chain] {
        assert_eq!(ask(&text).expect_err("too deep").code, Code::TooDeep);
    }
    assert_eq!(ask(&" ".repeat(MAX_TEXT + 1)).expect_err("too long").code, Code::TooLarge);
    let ten = "[1,2,3,4,5,6,7,8,9,0]";
    let doubled = (0..40).fold("[1]".to_string(), |list, _| format!("[{list}].map(x, [x, x])"));
    let written = (0..30).fold("'ab'".to_string(), |text, _| format!("[{text}].map(x, x + x)[0]"));
    for text in [
        format!("{ten}.all(a, {ten}.all(b, {ten}.all(c, {ten}.all(d, {ten}.all(e, {ten}.all(f, true))))))"),
        format!(
            "{ten}.exists(a, {ten}.exists(b, {ten}.exists(c, {ten}.exists(d, {ten}.exists(e, \
             {ten}.all(f, n.x == a))))))"
        ),
        doubled.clone(),
        format!("{doubled} == {doubled}"),
        format!("'%s'.format([{doubled}])"),
        format!("size({written}.replace('', {written}))"),
        format!("'{}'.matches('{}b')", "a".repeat(9000), "a?".repeat(5000)),
    ] {
        let error = ask(&text).err().unwrap_or_else(|| panic!("cheap: {text:.60}"));
        assert!(error.message.contains("steps"), "{text:.60}: {}", error.message);
    }
}

#[test]
fn a_type_that_doubles_with_each_level_is_cut() {
    let text = (0..30).fold("{'a': n}".to_string(), |map, _| format!("[{map}].map(x, {{x: x}})[0]"));
    assert!(ask(&text).expect_err("a map for a key").message.contains("cannot be a key"));
    let equal = format!("[[]].map(x, [[]].map(y, [{} y == x]))", "x == cluster['a'] || true, ".repeat(3000));
    assert!(ask(&equal).is_ok());
}

#[test]
fn a_value_from_outside_counts_as_often_as_it_is_written() {
    let big = Value::list((0..2000i64).map(Value::from));
    let program = Program::compile("a.map(x, a)", &["a"]).unwrap();
    let error = program.evaluate(&[("a", big)]).expect_err("four million items");
    assert!(error.message.contains("steps"), "{}", error.message);
}

#[track_caller]
fn filled(text: &str, want: &str) {
    let filled = fill(text, &variables(), &mut Allowance::new(MAX_STEPS));
    assert_eq!(filled.unwrap_or_else(|error| panic!("{text}: {error:?}")), want, "{text}");
}

#[test]
fn holes_are_filled() {
    filled("u: p-${cluster.metadata.labels.region}-t", "u: p-eu-de-1-t");
    filled("port: 8080\nenabled: true", "port: 8080\nenabled: true");
    filled("${cluster.metadata.name.upperAscii()}", "OBS-EU-DE-1");
    filled("${cluster.metadata.name.split('-').join('_')}", "obs_eu_de_1");
    filled("${'8080'}", "8080");
    filled("'${8080}'", "'8080'");
    filled(
        "a: ${cluster.spec.taints}\nb: ${[1, 2.5]}",
        "a: [{\"effect\":\"NoSelect\",\"key\":\"gpu\"},{\"key\":\"old\"}]\nb: [1,2.5]",
    );
    filled("a: ${cluster.none}", "a: null");
    filled("a: '${} ${'", "a: '${} ${'");
    filled("${'$' + '{n'}}", "${n}");
}

#[test]
fn an_error_of_a_hole_has_its_place_in_the_text() {
    let error = |text: &str| {
        let error = fill(text, &variables(), &mut Allowance::new(MAX_STEPS)).expect_err(text);
        (error.code, error.place.to_string())
    };
    assert_eq!(error(""), (Code::BadExpression, "1:1".into()));
    assert_eq!(error("a: ${n}\nb: é${ cluster.nope}"), (Code::ExpressionFailed, "2:15".into()));
    assert_eq!(error("a: ${n}${nope}"), (Code::BadExpression, "1:10".into()));
    assert_eq!(error("a: ${\n nope}"), (Code::BadExpression, "2:2".into()));
    assert_eq!(error("${{'a': 1}}"), (Code::BadExpression, "1:10".into()));
}
