//! Every limit of `docs/limits.md` has the value that the page says, refuses what it should, and leaves a workspace
//! that answers the next request; and the engine has no limit that the page does not list.

use std::path::{Path, PathBuf};

use fleetfold_core::Workspace;
use fleetfold_core::value::{Value, json};
use fleetfold_tests::tree::root;

#[path = "growth/shapes.rs"]
mod shapes;

/// A row of the page.
struct Row {
    limit: String,
    value: u64,
    code: String,
    file: String,
    constant: String,
    /// The name of a vector, or of a shape of `growth.rs` at its largest size.
    shown_by: Shown,
}

enum Shown {
    Vector(String),
    Shape(String),
}

/// Files that refuse with a limit whose constant is in another file.
const ELSEWHERE: &[(&str, &str)] = &[
    ("core/cel/src/budget.rs", "core/cel/src/lib.rs"),
    ("core/cel/src/parse.rs", "core/cel/src/lib.rs"),
    ("core/value/src/diagnostic.rs", "core/value/src/value/json.rs"),
    ("core/yaml/src/syntax_error.rs", "core/value/src/value/json.rs"),
];

fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(root().join("docs/limits.md")).expect("the page is there");
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains(".rs: "));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [limit, value, code, constant, shown_by, avoid] = cells.as_slice() else { panic!("six cells: {line}") };
        assert!(!avoid.is_empty(), "{line}");
        let quoted = |text: &str| text.trim_matches('`').to_string();
        let (file, constant) = constant.trim_matches('`').split_once(": ").expect("a file and a constant");
        let shown_by = match shown_by.strip_prefix("shape ") {
            Some(shape) => Shown::Shape(quoted(shape)),
            None => Shown::Vector(quoted(shown_by)),
        };
        Row {
            limit: limit.to_string(),
            value: number(value),
            code: quoted(code),
            file: file.into(),
            constant: constant.into(),
            shown_by,
        }
    })
    .collect()
}

/// `1,000` or `3 MiB`.
fn number(text: &str) -> u64 {
    let (digits, unit) = match text.strip_suffix(" MiB") {
        Some(digits) => (digits, 1 << 20),
        None => (text, 1),
    };
    unit * digits.replace(',', "").parse::<u64>().expect("a number")
}

/// The value of a constant, from the source.
fn constant(file: &str, name: &str) -> u64 {
    let source = std::fs::read_to_string(root().join(file)).expect("the file is there");
    let start = source.find(&format!("const {name}:")).unwrap_or_else(|| panic!("{file} has no constant {name}"));
    let text = source[start..].split_once('=').expect("a value").1.split_once(';').expect("an end").0;
    let factor = |text: &str| match text.trim() {
        "json::MAX_DEPTH" => constant("core/value/src/value/json.rs", "MAX_DEPTH"),
        text => text.replace('_', "").parse().unwrap_or_else(|_| panic!("{file}: {name} is {text}")),
    };
    let terms = text.split(" - ").map(|term| term.split(" * ").map(factor).product::<u64>()).collect::<Vec<_>>();
    terms.into_iter().reduce(|a, b| a - b).expect("a number")
}

#[test]
fn the_page_has_the_values_of_the_engine() {
    let rows = rows();
    assert!(rows.len() > 20);
    for row in rows {
        assert_eq!(row.value, constant(&row.file, &row.constant), "{}", row.limit);
    }
}

#[test]
fn the_engine_has_no_limit_that_the_page_does_not_list() {
    let listed: Vec<String> = rows().into_iter().map(|row| row.file).collect();
    let mut folders =
        ["core/src", "core/value/src", "core/yaml/src", "core/cel/src"].map(|it| root().join(it)).to_vec();
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root()).expect("inside").to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.contains("tests") && refuses(&path) {
                found += 1;
                let at = ELSEWHERE.iter().find(|(file, _)| *file == name).map_or(name.as_str(), |(_, file)| *file);
                assert!(
                    listed.iter().any(|it| it == at),
                    "{name} refuses with a limit that docs/limits.md does not list"
                );
            }
        }
    }
    assert!(found > 12, "{found} files");
}

/// Whether a file has a limit, outside of its tests and of what its documentation shows.
fn refuses(path: &Path) -> bool {
    let source = std::fs::read_to_string(path).expect("a file");
    let source = source.split("#[cfg(test)]").next().expect("a part");
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let codes = ["Code::TooLarge", "Code::TooDeep", "Code::ExpressionBudget"];
    lines.into_iter().any(|line| codes.iter().any(|code| line.contains(code)))
}

/// The requests of a vector.
fn vector(name: &str) -> Vec<String> {
    let mut folders: Vec<PathBuf> = vec![root().join("tests/vectors")];
    while let Some(folder) = folders.pop() {
        let file = folder.join(format!("{name}.json"));
        if let Ok(text) = std::fs::read_to_string(file) {
            let vector = json::parse(&text).expect("a vector is JSON");
            let steps = vector.get("steps").and_then(Value::as_list).cloned().unwrap_or_else(|| vec![vector.clone()]);
            let given = vector.get("given").and_then(Value::as_list).into_iter().flatten().map(Value::to_canonical);
            let asked = steps.iter().map(|step| match step.get("text").and_then(Value::as_text) {
                Some(text) => text.to_string(),
                None => step.get("request").expect("a request").to_canonical(),
            });
            return given.chain(asked).collect();
        }
        folders.extend(
            std::fs::read_dir(folder).expect("a folder").flatten().map(|it| it.path()).filter(|it| it.is_dir()),
        );
    }
    panic!("there is no vector {name}")
}

#[test]
fn every_limit_refuses_and_the_next_request_is_answered() {
    for row in rows() {
        let requests = match &row.shown_by {
            Shown::Vector(name) => vector(name),
            Shown::Shape(name) => {
                let shape = shapes::all().find(|it| it.name == name).unwrap_or_else(|| panic!("no shape {name}"));
                (shape.requests)(8 * shape.n)
            }
        };
        let mut workspace = Workspace::default();
        let answers: Vec<String> = requests.iter().map(|it| workspace.call_text(it)).collect();
        let code = format!("\"{}\"", row.code);
        assert!(answers.iter().any(|it| it.contains(&code)), "{}: no answer has {code}: {answers:.300?}", row.limit);
        let next = r#"{"op":"select","selector":"a=b","clusters":[{"name":"c","labels":{"a":"b"}}]}"#;
        assert_eq!(workspace.call_text(next), r#"{"ok":{"clusters":["c"]}}"#, "after {}", row.limit);
        // What is loaded still counts: the same question has the same answer.
        let plan = workspace.call_text(r#"{"op":"plan"}"#);
        assert_eq!(workspace.call_text(r#"{"op":"plan"}"#), plan, "after {}", row.limit);
    }
}
