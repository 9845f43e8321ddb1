//! The rooms of core: what each may use. DESIGN's table as a test, and the graph that ARCHITECTURE.md prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fleetfold_tests::tree::{files, root};

/// The rooms, in the order that data walks through them, each with the ones it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("diagnostic", &["value"]),
    ("yaml", &["value", "diagnostic"]),
    ("cel", &["value", "diagnostic", "yaml"]),
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
fn uses(code: &str) -> Vec<(&'static str, String)> {
    let crates = [("fleetfold_yaml", "yaml"), ("fleetfold_cel", "cel")];
    let mut found: Vec<(&'static str, String)> =
        crates.iter().filter(|(name, _)| code.contains(name)).map(|(_, room)| (*room, String::new())).collect();
    for (at, _) in code.match_indices("::") {
        let (before, after) = code.split_at(at);
        let is_root = ["crate", "fleetfold_value"].iter().any(|root| before.ends_with(root));
        if is_root {
            let path = after.trim_start_matches("::");
            let word =
                |text: &str| text.split(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or("").to_owned();
            let first = word(path);
            let second = path.strip_prefix(first.as_str()).and_then(|it| it.strip_prefix("::")).map(word);
            if let Some((room, _)) = ROOMS.iter().find(|(room, _)| *room == first) {
                found.push((room, second.unwrap_or_default()));
            }
        }
    }
    found
}

#[test]
fn every_room_uses_only_those_above_it() {
    let mut wrong = Vec::new();
    for source in sources() {
        let (_, allowed) = ROOMS.iter().find(|(room, _)| *room == source.room).expect("a room");
        for (room, _) in uses(&source.code) {
            if room != source.room && !allowed.contains(&room) {
                wrong.push(format!("{} uses {room}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_dialect_calls_another() {
    for source in sources().into_iter().filter(|it| it.dialect.is_some()) {
        let other = uses(&source.code)
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
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources() {
        *files.entry(source.room).or_default() += 1;
        graph.entry(source.room).or_default().extend(uses(&source.code).into_iter().map(|(room, _)| room));
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
