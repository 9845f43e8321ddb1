//! Tidiness as tests: what a reviewer would otherwise have to look for each time.

use std::collections::BTreeSet;
use std::path::Path;

use fleetfold_core::api::kinds::Kinds;
use fleetfold_core::diagnostic::{Code, ReasonCode};
use fleetfold_tests::tree::{files, root};

/// Every file that is kept, with its text.
fn sources(endings: &[&str]) -> Vec<(String, String)> {
    let wanted = |name: &String| endings.iter().any(|ending| name.ends_with(ending));
    let read = |name: String| {
        let text = std::fs::read_to_string(root().join(&name)).expect("text");
        (name, text)
    };
    files().into_iter().filter(wanted).map(read).collect()
}

/// The source of the engine: `core` and the crates it is made of.
fn is_engine(name: &str) -> bool {
    ["core/src/", "core/value/src/", "core/yaml/src/", "core/cel/src/"].iter().any(|folder| name.starts_with(folder))
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    let long: Vec<_> = sources(&[".rs", ".go", ".ts", ".mjs", ".js"])
        .into_iter()
        .map(|(name, text)| (text.lines().count(), name))
        .filter(|(lines, name)| *lines > 600 && name != "web/contract.ts")
        .collect();
    assert!(long.is_empty(), "{long:?}");
}

const WIDTH: usize = 120;

/// Generated files may have wider lines.
const WIDE: &[&str] = &["web/contract.ts"];

#[test]
fn no_line_is_wider_than_120_columns() {
    let mut wide = Vec::new();
    for (name, text) in sources(&[".rs", ".go", ".ts", ".mjs", ".js"]) {
        if WIDE.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let lines = text.lines().enumerate().filter(|(_, line)| width(line) > WIDTH && !is_unbreakable(line));
        wide.extend(lines.map(|(number, _)| format!("{name}:{}", number + 1)));
    }
    assert!(wide.is_empty(), "{wide:#?}");
}

/// A tab counts as four columns.
fn width(text: &str) -> usize {
    text.chars().map(|it| if it == '\t' { 4 } else { 1 }).sum()
}

/// Whether a line is too wide only because of one word of 60 or more characters: a URL, or JSON without spaces.
fn is_unbreakable(line: &str) -> bool {
    let longest = line.split(' ').map(width).max().unwrap_or_default();
    longest >= 60 && width(line) - longest <= WIDTH
}

#[test]
fn a_line_is_unbreakable_because_of_one_long_word() {
    assert!(is_unbreakable(&format!("let url = \"https://{}\";", "a".repeat(120))));
    assert!(!is_unbreakable(&"word ".repeat(30)));
    assert!(!is_unbreakable(&format!("{} https://{}", "word ".repeat(30), "a".repeat(60))));
}

#[test]
fn core_reads_no_clock_no_file_no_network_and_no_chance() {
    const IMPURE: &[&str] = &[
        "std::fs",
        "std::net",
        "std::time",
        "std::thread",
        "std::env::",
        "std::process",
        "SystemTime",
        "Instant::now",
        "rand::",
        "static mut",
        "thread_local!",
    ];
    for (name, text) in sources(&[".rs"]).into_iter().filter(|(name, _)| is_engine(name)) {
        for word in IMPURE {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

/// The host knows kinds as data that the engine gave it.
#[test]
fn the_host_knows_no_kind_of_a_dialect() {
    let answered = fleetfold_core::Workspace::default().call(Kinds::default()).expect("an answer");
    let of_dialects =
        answered.answer.kinds.iter().filter(|it| it.group.contains('.') && !it.group.ends_with(".k8s.io"));
    let kinds: Vec<String> = of_dialects.map(|it| format!("\"{}\"", it.kind)).map(|it| it.replace("*\"", "")).collect();
    assert!(kinds.len() > 20, "{kinds:?}");
    let is_host = |name: &String| name.starts_with("host/src") && !name.ends_with("/tests.rs");
    for (name, text) in sources(&[".rs"]).into_iter().filter(|(name, _)| is_host(name)) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for kind in &kinds {
            assert!(!code.contains(kind), "{name} has {kind}");
        }
    }
}

#[test]
fn unsafe_stands_where_it_is_explained() {
    let allowed = [
        "wasm/src/lib.rs",
        "wasm/policies/extism/src/lib.rs",
        "wasm/policies/kubewarden/src/lib.rs",
        "host/src/cache.rs",
        "tests/bench-guest/src/lib.rs",
    ];
    for (name, text) in sources(&[".rs"]) {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let found = code.filter(|line| line.contains("unsafe ") || line.contains("unsafe(")).count();
        assert!(found == 0 || allowed.contains(&name.as_str()) || name.ends_with("tidy.rs"), "{name}");
    }
}

#[test]
fn nothing_is_left_open() {
    const MARKS: &[&str] = &["todo!", "unimplemented!", "TO\u{44}O", "FIX\u{4d}E", "#[ignore", ".skip(\"", "dbg!("];
    for (name, text) in sources(&[".rs", ".go", ".ts", ".mjs", ".js", ".py"]) {
        if Path::new(&name).ends_with("tidy.rs") {
            continue;
        }
        for mark in MARKS {
            assert!(!text.contains(mark), "{name} has {mark}");
        }
    }
}

#[test]
fn every_code_is_used() {
    let core: String =
        sources(&[".rs"]).into_iter().filter(|(name, _)| is_engine(name)).map(|(_, text)| text).collect();
    let words: BTreeSet<&str> = core.split(|it: char| !it.is_alphanumeric() && it != ':').collect();
    let codes = Code::ALL.iter().map(|(code, _)| format!("Code::{code:?}"));
    let reasons = ReasonCode::ALL.iter().map(|(code, _)| format!("ReasonCode::{code:?}"));
    let unused: Vec<String> = codes.chain(reasons).filter(|name| !words.contains(name.as_str())).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn every_code_has_a_text_of_its_own() {
    let codes: Vec<&str> = Code::ALL.iter().map(|(code, _)| code.as_str()).collect();
    let reasons: Vec<&str> = ReasonCode::ALL.iter().map(|(code, _)| code.as_str()).collect();
    for texts in [codes, reasons] {
        assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    }
}

#[test]
fn no_registry_is_named() {
    for (name, text) in sources(&[".rs", ".go", ".mod", ".sum", ".mjs", ".json", ".toml", ".lock", ".md", ".yaml"]) {
        for host in
            ["proxy.golang\u{2e}org", "registry.npmjs\u{2e}org", "static.crates\u{2e}io", "index.crates\u{2e}io"]
        {
            assert!(!text.contains(host), "{name} names {host}");
        }
    }
}

#[test]
fn every_vector_says_why_in_a_clause() {
    for (name, text) in vectors() {
        let why = text.lines().find_map(|line| line.strip_prefix("  \"why\": \"")?.strip_suffix("\","));
        let why = why.unwrap_or_else(|| panic!("{name} has no `why` on a line of its own"));
        assert!(why.chars().count() >= 25, "{name}: {why}");
        assert!(!starts_with_row_number(why), "{name} refers to a table: {why}");
    }
}

/// A reference such as `G11`, `K19:` or `4.1:` means nothing to a reader who does not have that table.
fn starts_with_row_number(why: &str) -> bool {
    let word = why.split_whitespace().next().unwrap_or_default();
    let digits = word.trim_end_matches([':', ',']).trim_start_matches(|it: char| it.is_ascii_uppercase());
    let is_number = !digits.is_empty() && digits.chars().all(|it| it.is_ascii_digit() || it == '.');
    is_number && (word.ends_with(':') || word.starts_with(|it: char| it.is_ascii_uppercase()))
}

#[test]
fn row_numbers_are_recognized() {
    for why in ["G11: the unit is the option", "K19 and K20 are taken", "4.1: nothing is compared", "O15"] {
        assert!(starts_with_row_number(why), "{why}");
    }
    for why in ["1 and 1.0 are the same number", "U+2028 is a line break", "KubeFed drops it", "2^64 is too large"] {
        assert!(!starts_with_row_number(why), "{why}");
    }
}

#[test]
fn vectors_are_indented_by_two_spaces() {
    for (name, text) in vectors() {
        let mut depth = 0usize;
        for (number, line) in text.lines().enumerate() {
            let content = line.trim_start_matches(' ');
            let wanted = 2 * depth.saturating_sub(usize::from(content.starts_with(['}', ']'])));
            assert_eq!(line.len() - content.len(), wanted, "{name}:{}", number + 1);
            let (opened, closed) = brackets(content);
            depth = (depth + opened).saturating_sub(closed);
        }
    }
}

/// How many brackets a line of JSON opens and closes outside of its strings.
fn brackets(line: &str) -> (usize, usize) {
    let (mut opened, mut closed, mut in_string, mut is_escaped) = (0, 0, false, false);
    for it in line.chars() {
        match it {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => in_string = !in_string,
            '{' | '[' if !in_string => opened += 1,
            '}' | ']' if !in_string => closed += 1,
            _ => {}
        }
    }
    (opened, closed)
}

fn vectors() -> Vec<(String, String)> {
    let vectors: Vec<_> =
        sources(&[".json"]).into_iter().filter(|(name, _)| name.starts_with("tests/vectors/")).collect();
    assert!(vectors.len() > 2_000, "there are only {} vectors", vectors.len());
    vectors
}
