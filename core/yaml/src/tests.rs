use super::*;
use fleetfold_value::value::path::Pointer;

#[track_caller]
fn reads(text: &str, want: &[&str]) {
    let got = parse(text, Mode::Strict, &mut Vec::new())
        .map(|documents| documents.iter().map(|document| document.value.to_canonical()).collect::<Vec<_>>());
    assert_eq!(got, Ok(want.iter().map(|it| String::from(*it)).collect()), "{text:?}");
}

#[track_caller]
fn refuses(text: &str, code: Code, line: u32, column: u32) {
    let error = parse(text, Mode::Strict, &mut Vec::new()).map(|it| it.len()).unwrap_err();
    assert_eq!((error.code, error.place), (code, Position { line, column }), "{text:?}: {error:?}");
}

#[track_caller]
fn hints(text: &str, want: &str) {
    let error = parse(text, Mode::Strict, &mut Vec::new()).map(|it| it.len()).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some(want), "{text:?}: {error:?}");
}

#[test]
fn a_stream_is_cut_at_its_separators() {
    reads("a: 1\n---\nb: 2\n", &[r#"{"a":1}"#, r#"{"b":2}"#]);
    reads("---\n# nothing\n---\n\n--- # next\na: 1\n...\n", &[r#"{"a":1}"#]);
    reads("{\"a\":1}\n---\nb: 2\n", &[r#"{"a":1}"#, r#"{"b":2}"#]);
    reads("{\"a\":1}{\"b\":2} [3]", &[r#"{"a":1}"#, r#"{"b":2}"#, "[3]"]);
    reads("", &[]);
    refuses("a: 1\n--- b\n", Code::BadYaml, 2, 4);
}

#[test]
fn one_bad_document_does_not_hide_the_others() {
    let each = parse_each("a: 1\n---\nb: [\n---\nc: 1\nc: 2\n---\nd: 4\n", Mode::Strict, &mut Vec::new());
    let codes: Vec<_> = each.iter().map(|document| document.as_ref().map(|_| ()).map_err(|error| error.code)).collect();
    assert_eq!(codes, [Ok(()), Err(Code::BadYaml), Err(Code::DuplicateKey), Ok(())]);
    let error = each[2].as_ref().unwrap_err();
    assert_eq!(
        (error.place, error.message.as_str()),
        (Position { line: 6, column: 1 }, "document 3: duplicate key `c`")
    );
}

#[test]
fn one_bad_json_value_does_not_hide_the_others() {
    let each =
        parse_each("{\"a\":1,\"a\":2}\n{\"b\":[18446744073709551615]}\n{\"c\":3}", Mode::Strict, &mut Vec::new());
    let codes: Vec<_> = each.iter().map(|document| document.as_ref().map(|_| ()).map_err(|error| error.code)).collect();
    assert_eq!(codes, [Err(Code::DuplicateKey), Err(Code::IntegerOutOfRange), Ok(())]);
}

#[test]
fn an_error_has_its_place() {
    refuses("a: 1\nb: 2\na: 3\n", Code::DuplicateKey, 3, 1);
    refuses("a:\n  - 99999999999999999999\n", Code::IntegerOutOfRange, 2, 5);
    refuses("é: .inf\n", Code::NotRepresentable, 1, 4);
    refuses("a:\n\tb: 1\n", Code::BadYaml, 2, 1);
    refuses("a: *x\n", Code::BadAlias, 1, 4);
    refuses("a: &x [*x]\n", Code::BadAlias, 1, 8);
    refuses("{\"a\":1,\n \"a\":2}", Code::DuplicateKey, 2, 2);
    refuses("a: \"x\\qy\"\n", Code::BadYaml, 1, 6);
    refuses("a: \"\\/\"\n", Code::BadYaml, 1, 5);
    refuses("a: \u{1}\n", Code::BadYaml, 1, 4);
    refuses("a: x\u{2028}y\n", Code::UnportableYaml, 1, 5);
    refuses("[1] foo\n", Code::UnportableYaml, 1, 5);
}

#[test]
fn an_error_says_what_to_do() {
    hints("a:\n\tb: 1\n", "use spaces");
    hints("a: 1\nb:2\nc: 3\n", "put a space after the colon");
    hints("a: b: c\n", "a text that holds `: ` needs quotes");
    hints("a: \"b\n", "a quote is not closed");
    hints("a: {{ .Values.x }}\n", "a template in braces needs quotes");
}

#[test]
fn nesting_has_an_end() {
    let flow = |levels: usize| format!("{}{}\n", "[".repeat(levels), "]".repeat(levels));
    let block = |levels: usize| format!("{}a\n", "- ".repeat(levels));
    for nested in [&flow as &dyn Fn(usize) -> String, &block] {
        assert!(parse(&nested(100), Mode::Strict, &mut Vec::new()).is_ok());
        for levels in [101, 128, 10_000] {
            let error = parse(&nested(levels), Mode::Strict, &mut Vec::new()).map(|it| it.len()).unwrap_err();
            assert_eq!(error.code, Code::TooDeep);
        }
    }
    assert!(parse(&"[".repeat(200_000), Mode::Strict, &mut Vec::new()).is_err());
    assert!(parse(&"{\"a\":".repeat(200_000), Mode::Strict, &mut Vec::new()).is_err());
    // Aliases nest too.
    let mut text = String::from("a0: &a0 [x]\n");
    for level in 1..=100 {
        text += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    assert_eq!(parse(&text, Mode::Strict, &mut Vec::new()).map(|it| it.len()).unwrap_err().code, Code::TooDeep);
}

#[test]
fn a_bomb_is_refused_and_a_long_document_is_not() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, of) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"]) {
        bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 9].join(", "));
    }
    assert_eq!(parse(&bomb, Mode::Strict, &mut Vec::new()).map(|it| it.len()).unwrap_err().code, Code::TooLarge);
    let long: String = (0..20_000).map(|at| format!("k{at}: [a, b]\n")).collect();
    assert!(parse(&long, Mode::Strict, &mut Vec::new()).is_ok());
}

#[test]
fn places_are_those_of_values_and_keys() {
    let text = "# c\n\nä: &x 1\nlist:\n- - b\n- |\n  text\nm: {k: [v]}\nn:\n---\no: *y\n".replace("*y", "p");
    let documents = parse(&text, Mode::Strict, &mut Vec::new()).unwrap();
    let places = &documents[0].places;
    let at = |pointer: &str| places.value(&Pointer::parse(pointer).unwrap()).map(|it| (it.line, it.column));
    let key = |pointer: &str| places.key(&Pointer::parse(pointer).unwrap()).map(|it| (it.line, it.column));
    assert_eq!(at(""), Some((3, 1)));
    assert_eq!((key("/ä"), at("/ä")), (Some((3, 1)), Some((3, 4))));
    assert_eq!((key("/list"), at("/list")), (Some((4, 1)), Some((5, 1))));
    assert_eq!((key("/list/0"), at("/list/0"), at("/list/0/0")), (None, Some((5, 3)), Some((5, 5))));
    assert_eq!(at("/list/1"), Some((6, 3)));
    assert_eq!((key("/m/k"), at("/m/k"), at("/m/k/0")), (Some((8, 5)), Some((8, 8)), Some((8, 9))));
    assert_eq!(places.nearest(&Pointer::parse("/m/k/0/deeper").unwrap()), Some(Position { line: 8, column: 9 }));
    let second = documents[1].places.value(&Pointer::parse("/o").unwrap());
    assert_eq!(second, Some(Position { line: 11, column: 4 }));
}

#[test]
fn json_has_places_too() {
    let documents = parse("{\"é\":1,\n \"b\":[true]}", Mode::Strict, &mut Vec::new()).unwrap();
    let places = &documents[0].places;
    let of = |pointer: &str| places.value(&Pointer::parse(pointer).unwrap());
    assert_eq!(of("/é"), Some(Position { line: 1, column: 6 }));
    assert_eq!(of("/b/0"), Some(Position { line: 2, column: 7 }));
    assert_eq!(places.key(&Pointer::parse("/b").unwrap()), Some(Position { line: 2, column: 2 }));
}

#[test]
fn warnings_have_an_end() {
    let mut out = Vec::new();
    parse(&format!("[{}]\n", "y, ".repeat(1000)), Mode::Strict, &mut out).unwrap();
    assert_eq!(out.len(), 101);
    assert_eq!(out[100].message, "900 more tokens are read differently by other readers");
}

/// Random texts of indicator characters, so that most of them get far before they fail.
#[test]
fn no_text_traps() {
    const SIGNS: &[&str] = &[
        "a",
        "1",
        " ",
        "  ",
        "\n",
        "\n  ",
        "\n- ",
        "-",
        "? ",
        "?",
        ": ",
        ":",
        ", ",
        ",",
        "[",
        "]",
        "{",
        "}",
        "#",
        " # c",
        "&x ",
        "*x",
        "!",
        "!!int ",
        "!<t>",
        "|",
        ">",
        "|2\n",
        ">+\n  ",
        "'",
        "\"",
        "\\",
        "%",
        "@",
        "`",
        "\t",
        "---",
        "...",
        "\r",
        "\u{feff}",
        "\0",
        "\u{85}",
        "\u{2028}",
        "é",
        "😀",
        "~",
        "<<: ",
        "k: ",
        "\"\\u12",
        "\\x41",
        "0x",
        "1e",
        "2020-01-01",
        "{\"",
        "\":",
    ];
    let mut state = 0x5eed_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..40_000 {
        let text: String = (0..random(24)).map(|_| SIGNS[random(SIGNS.len())]).collect();
        for mode in [Mode::Strict, Mode::Compat] {
            for document in parse_each(&text, mode, &mut Vec::new()) {
                match document {
                    Ok(document) => assert!(!document.value.is_null(), "{text:?}"),
                    Err(error) => assert!(error.place.line > 0 && error.place.column > 0, "{text:?}: {error:?}"),
                }
            }
        }
    }
}

#[test]
fn no_bytes_trap() {
    let mut state = 7u64;
    for length in 0..3000usize {
        let bytes: Vec<u8> = (0..length % 60)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as u8
            })
            .collect();
        let _ = parse(&String::from_utf8_lossy(&bytes), Mode::Strict, &mut Vec::new());
    }
}

#[test]
fn a_place_in_a_later_document_is_one_of_the_whole_text() {
    let text = "# first\n---\na: 1\n---\n# nothing here\n--- # second\nb:\n  c: 2\n";
    let place = |document, path: [&str; 2]| {
        let path = Pointer::of(path.into_iter().filter(|it| !it.is_empty()));
        place_in(text, document, &path).map(|it| (it.line, it.column))
    };
    assert_eq!(place(0, ["a", ""]), Some((3, 4)));
    assert_eq!(place(1, ["b", "c"]), Some((8, 6)));
    assert_eq!(place(1, ["b", "missing"]), Some((8, 3)));
    assert_eq!(place(2, ["a", ""]), None);
}
