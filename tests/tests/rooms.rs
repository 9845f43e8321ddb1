//! The rooms of core: what each may use. DESIGN's table as a test, and the graph that ARCHITECTURE.md prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fleetfold_tests::tree::{files, root};

/// The rooms, in the order that data walks through them, each with the ones it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("diagnostic", &["value"]),
    ("yaml", &["value", "diagnostic"]),
    ("cel", &["value", "diagnostic"]),
    ("object", &["value", "diagnostic", "yaml"]),
    ("engine", &["value", "diagnostic", "yaml", "cel", "object"]),
    ("workspace", &["value", "diagnostic", "yaml", "cel", "object", "engine"]),
    ("dialect", &["value", "diagnostic", "yaml", "cel", "object", "engine", "workspace"]),
    ("api", &["value", "diagnostic", "yaml", "cel", "object", "engine", "workspace", "dialect"]),
];

/// API groups of upstream systems. The engine knows them only through the tables under `object/kinds`.
const UPSTREAM_GROUPS: &[&str] =
    &["greenhouse.sap", "open-cluster-management.io", "kubefed.io", "kudo.dev", "opdev.io", "openshift.io"];

/// Between which lines of ARCHITECTURE.md the graph is.
const GRAPH: (&str, &str) = ("<!-- rooms: begin -->\n", "<!-- rooms: end -->");

struct Source {
    path: String,
    room: &'static str,
    /// Of a file in `dialect/`, the dialect.
    dialect: Option<String>,
    /// The code, without comments and tests.
    code: String,
}

fn sources() -> Vec<Source> {
    let paths = files().into_iter().filter(|path| path.starts_with("core/") && path.ends_with(".rs"));
    let code =
        paths.filter(|path| !path.contains("/tests") && !path.ends_with("tests.rs") && !path.ends_with("build.rs"));
    code.filter_map(|path| {
        let (room, dialect) = room_of(&path)?;
        let text = std::fs::read_to_string(root().join(&path)).expect("text");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        Some(Source { path, room, dialect, code })
    })
    .collect()
}

/// The room that a file belongs to; `lib.rs` and build helpers belong to none.
fn room_of(path: &str) -> Option<(&'static str, Option<String>)> {
    let rest = path.strip_prefix("core/")?;
    let parts: Vec<&str> = match rest.split_once("/src/") {
        // A crate of its own: the floor has two rooms, the others are one.
        Some(("value", inside)) => inside.split('/').collect(),
        Some((name @ ("yaml" | "cel"), _)) => vec![name],
        _ => rest.strip_prefix("src/")?.split('/').collect(),
    };
    let first = parts.first()?.trim_end_matches(".rs");
    let (room, _) = ROOMS.iter().find(|(room, _)| *room == first)?;
    let dialect = (*room == "dialect").then(|| parts.get(1).map(|it| it.trim_end_matches(".rs").to_owned()));
    Some((room, dialect.flatten()))
}

/// The rooms that a piece of code names, with what follows the room in each path.
///
/// 1. A path begins at a crate root: `crate::` or `fleetfold_value::`. A group in braces is one path for each element.
/// 2. A name that `lib.rs` re-exports at the root, such as `crate::Workspace`, belongs to the room that it comes from.
/// 3. `fleetfold_yaml` and `fleetfold_cel` are rooms of their own.
fn uses(code: &str, exports: &BTreeMap<String, &'static str>) -> Vec<(&'static str, String)> {
    let crates = [("fleetfold_yaml", "yaml"), ("fleetfold_cel", "cel")];
    let mut found: Vec<(&'static str, String)> =
        crates.iter().filter(|(name, _)| code.contains(name)).map(|(_, room)| (*room, String::new())).collect();
    for path in ["crate::", "fleetfold_value::"].iter().flat_map(|root| paths_after(code, root)) {
        let first = path.first().map_or("", String::as_str);
        let room = ROOMS.iter().map(|(room, _)| *room).find(|room| *room == first);
        if let Some(room) = room.or_else(|| exports.get(first).copied()) {
            found.push((room, path.get(1).cloned().unwrap_or_default()));
        }
    }
    found
}

/// Every path in the code that begins with a root, without the root.
fn paths_after(code: &str, root: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(root) {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        if !code[..at].ends_with(is_word) {
            read_tree(&code[at + root.len()..], &[], &mut paths);
        }
    }
    paths
}

/// Reads a use tree from the beginning of a text: `a::b`, or `a::{b, c::{d, e}}`. Returns the text after it.
fn read_tree<'a>(text: &'a str, prefix: &[String], paths: &mut Vec<Vec<String>>) -> &'a str {
    let mut rest = text.trim_start();
    if let Some(mut inside) = rest.strip_prefix('{') {
        loop {
            inside = inside.trim_start_matches(|it: char| it.is_whitespace() || it == ',');
            if let Some(after) = inside.strip_prefix('}') {
                return after;
            }
            let after = read_tree(inside, prefix, paths);
            if after.len() == inside.len() {
                return after;
            }
            inside = after;
        }
    }
    let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    rest = after;
    if word.is_empty() {
        return rest;
    }
    let path: Vec<String> = prefix.iter().cloned().chain([word.to_owned()]).collect();
    if let Some(below) = rest.strip_prefix("::") {
        return read_tree(below, &path, paths);
    }
    paths.push(path);
    // `a as b` in a group.
    match rest.trim_start().strip_prefix("as ") {
        Some(renamed) => renamed.trim_start().trim_start_matches(|it: char| it.is_alphanumeric() || it == '_'),
        None => rest,
    }
}

/// The names that `lib.rs` of core re-exports at its root from a room, each with the room.
fn root_exports() -> BTreeMap<String, &'static str> {
    let text = std::fs::read_to_string(root().join("core/src/lib.rs")).expect("text");
    let mut exports = BTreeMap::new();
    for line in text.lines().filter_map(|it| it.strip_prefix("pub use ")) {
        let mut paths = Vec::new();
        read_tree(line, &[], &mut paths);
        for path in paths {
            if let Some((room, _)) = ROOMS.iter().find(|(room, _)| Some(*room) == path.first().map(String::as_str)) {
                exports.insert(path.last().expect("a name").clone(), *room);
            }
        }
    }
    exports
}

#[test]
fn groups_and_root_exports_are_seen() {
    let exports = BTreeMap::from([("Workspace".to_owned(), "workspace"), ("Value".to_owned(), "value")]);
    let rooms = |code: &str| uses(code, &exports);
    let named = |room: &'static str, next: &str| (room, next.to_owned());
    assert_eq!(rooms("use crate::engine::select::Cluster;"), [named("engine", "select")]);
    assert_eq!(
        rooms("use crate::{api, object::{Document, kinds::lists}, Workspace as W};"),
        [named("api", ""), named("object", "Document"), named("object", "kinds"), named("workspace", "")]
    );
    assert_eq!(rooms("fn f(it: &crate::Value) -> crate::Workspace {}"), [named("value", ""), named("workspace", "")]);
    assert_eq!(
        rooms("use fleetfold_value::{diagnostic::Code, value::Text};"),
        [named("diagnostic", "Code"), named("value", "Text")]
    );
    assert_eq!(rooms("crate::seeded!(A, b, c)"), []);
    assert_eq!(root_exports().get("Workspace"), Some(&"workspace"));
}

#[test]
fn every_room_uses_only_those_above_it() {
    let (mut wrong, exports) = (Vec::new(), root_exports());
    for source in sources() {
        let (_, allowed) = ROOMS.iter().find(|(room, _)| *room == source.room).expect("a room");
        for (room, _) in uses(&source.code, &exports) {
            if room != source.room && !allowed.contains(&room) {
                wrong.push(format!("{} uses {room}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_dialect_calls_another() {
    let exports = root_exports();
    for source in sources().into_iter().filter(|it| it.dialect.is_some()) {
        let other = uses(&source.code, &exports)
            .into_iter()
            .find(|(room, name)| *room == "dialect" && Some(name) != source.dialect.as_ref());
        assert!(other.is_none(), "{} uses {other:?}", source.path);
    }
}

#[test]
fn the_engine_knows_no_upstream_by_its_group() {
    for source in sources().into_iter().filter(|it| it.room == "engine") {
        for group in UPSTREAM_GROUPS {
            let named = source.code.lines().find(|line| line.contains(&format!("\"{group}")));
            assert!(named.is_none(), "{}: {named:?}", source.path);
        }
    }
}

#[test]
fn the_architecture_page_prints_the_graph() {
    let exports = root_exports();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources() {
        *files.entry(source.room).or_default() += 1;
        graph.entry(source.room).or_default().extend(uses(&source.code, &exports).into_iter().map(|(room, _)| room));
    }
    let mut printed = String::from("| room | files | uses |\n|---|---|---|\n");
    for (room, _) in ROOMS {
        let used: Vec<&str> =
            ROOMS.iter().map(|(it, _)| *it).filter(|it| it != room && graph[room].contains(it)).collect();
        let _ = writeln!(printed, "| `{room}` | {} | {} |", files[room], used.join(", "));
    }
    let page = root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&page).expect("a page");
    let (before, rest) = text.split_once(GRAPH.0).expect("the mark of the graph's begin");
    let (current, after) = rest.split_once(GRAPH.1).expect("the mark of the graph's end");
    if current != printed && std::env::var_os("FLEETFOLD_BLESS").is_some() {
        std::fs::write(&page, format!("{before}{}{printed}{}{after}", GRAPH.0, GRAPH.1)).expect("written");
        return;
    }
    assert_eq!(current, printed, "run this test with FLEETFOLD_BLESS=1 to write the graph into ARCHITECTURE.md");
}
