use super::*;
use crate::MAX_STEPS;

fn search(text: &str, pattern: &str) -> Result<bool, String> {
    matches(text, pattern, &mut Budget::new(MAX_STEPS))
}

/// Each case: a pattern, texts that it matches, and texts that it does not.
#[track_caller]
fn check(cases: &[(&str, &[&str], &[&str])]) {
    for (pattern, found, missed) in cases {
        for text in *found {
            assert_eq!(search(text, pattern), Ok(true), "{pattern} in {text:?}");
        }
        for text in *missed {
            assert_eq!(search(text, pattern), Ok(false), "{pattern} in {text:?}");
        }
    }
}

/// Each case: a pattern and a part of the message.
#[track_caller]
fn refuse(cases: &[(&str, &str)]) {
    for (pattern, want) in cases {
        let message = search("a", pattern).expect_err(pattern);
        assert!(message.contains(want), "{pattern}: {message}");
    }
}

#[test]
fn a_brace_without_a_count_is_a_character() {
    check(&[
        ("^a{2}$", &["aa"], &["a", "a{2}"]),
        ("^a{,2}$", &["a{,2}"], &["a", "aa"]),
        ("^a{02}$", &["a{02}"], &["aa"]),
        ("^a{ 2}$", &["a{ 2}"], &["aa"]),
        ("^\\b{start}", &[], &["a"]),
        ("^{}$", &["{}"], &[""]),
        ("^a*{$", &["aa{", "{"], &["a"]),
    ]);
}

#[test]
fn classes_have_no_operators() {
    check(&[
        ("^[a&&b]+$", &["a&b"], &["c"]),
        ("^[[a]+$", &["[a"], &["]"]),
        ("^[~~#]+$", &["~#"], &["-"]),
        ("^[]a]+$", &["]a"], &["["]),
        ("^[^]a]+$", &["b["], &["]"]),
        ("^[a-c-e]+$", &["b-e"], &["d"]),
        ("^[\\d-z]+$", &["1-z"], &["y"]),
        ("^[+--]+$", &["+,-"], &["."]),
        ("^[à-ü]+$", &["é"], &["e"]),
    ]);
}

#[test]
fn escapes_mean_what_they_mean_in_re2() {
    check(&[
        ("^\\s$", &[" ", "\t", "\n", "\u{c}", "\r"], &["\u{b}", "\u{a0}"]),
        ("^\\S$", &["\u{b}", "a", "é", "\0", "\u{10ffff}"], &[" ", "\t", "\n", "\u{c}", "\r"]),
        ("^[\\s]$", &[" "], &["\u{b}"]),
        ("^[^\\S]$", &[" "], &["\u{b}", "a"]),
        ("^\\d\\w\\D\\W$", &["1_a-"], &["١_a-"]),
        ("^\\<\\>\\-\\_\\ $", &["<>-_ "], &["a"]),
        ("\\bé", &["aé"], &["é"]),
        ("^a$", &["a"], &["a\n", "b\na"]),
        ("^.$", &["a", "é", "\r"], &["\n"]),
    ]);
}

#[test]
fn what_re2_refuses_is_refused() {
    refuse(&[
        ("a**", "repeats a repetition"),
        ("a*??", "repeats a repetition"),
        ("a{2}{2}", "repeats a repetition"),
        ("*a", "`*` with nothing before it"),
        ("(|{2})", "`{` with nothing before it"),
        ("a{3,2}", "too often"),
        ("a{1001}", "too often"),
        ("a{99999999999}", "too often"),
        ("(a{40}b){40}", "too often"),
        ("(a", "does not close"),
        ("a)", "does not open"),
        ("[a", "does not close"),
        ("[z-a]", "backwards"),
        ("[!-\\d]", "ends in a class"),
        ("[\\b]", "means nothing"),
        ("\\u0041", "means nothing"),
        ("\\é", "means nothing"),
        ("a\\", "ends in"),
    ]);
    check(&[("^((a{10}){10}){10}$", &[&"a".repeat(1000)], &["a"]), ("^(a{900}){0}$", &[""], &["a"])]);
}

#[test]
fn what_only_re2_has_is_unsupported() {
    for pattern in
        ["(?i)a", "(?P<n>a)", "(?<n>a)", "(?=a)", "(?R)a", "[[:alpha:]]", "\\pL", "\\Qa", "\\x41", "\\1", "\\a"]
    {
        let message = unsupported(pattern).expect(pattern);
        assert!(message.ends_with("not supported in a pattern"), "{pattern}: {message}");
        assert_eq!(search("a", pattern), Err(message), "{pattern}");
    }
    for pattern in ["a", "(", "a**", "\\u0041"] {
        assert_eq!(unsupported(pattern), None, "{pattern}");
    }
}

#[test]
fn a_pattern_is_refused_before_it_takes_memory_or_time() {
    let deep = |groups: usize| format!("{}a{}", "x(".repeat(groups), ")*y|b".repeat(groups));
    assert_eq!(search("b", &deep(MAX_GROUPS)), Ok(true));
    refuse(&[(&deep(MAX_GROUPS + 1), "nests too deep")]);
    refuse(&[(&"a{1000}".repeat(101), "too large"), (&"a".repeat(MAX_STATES), "too large")]);
    let wide = format!("[{}]{{1000}}", "ac".repeat(51));
    refuse(&[(&wide, "too large")]);
    for largest in [r"\S".repeat(99_000), "[0-9][a-z]?".repeat(16_000), "a|".repeat(49_000)] {
        assert!(search("", &largest).is_ok(), "regex-lite's own limit is above this crate's: {largest:.20}");
    }
    assert!(search(&"a".repeat(9000), &"a?".repeat(2000)).is_err_and(|it| it.contains("steps")));
}
