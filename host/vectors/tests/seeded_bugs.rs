//! The vectors catch deliberate faults of the engine.
//!
//! `core/value/src/seeded.rs` lists the faults. Each is activated alone, and all vectors run natively. A fault is
//! caught if a vector fails. A fault that no vector catches is a hole of the specification: add the vector, keep the
//! fault.
//!
//! It needs the feature `seeded-bugs`, which `cargo test --workspace` leaves off: `npm run seeded-bugs`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fleetfold_core::Workspace;
use fleetfold_value::seeded::{Fault, activate};
use fleetfold_vectors::{Vector, load};

/// Where faults must be: one in every room of the engine, in every verb and in every dialect.
const ROOMS: [&str; 26] = [
    "core/value/src/value/",
    "core/value/src/diagnostic/",
    "core/yaml/",
    "core/cel/",
    "core/src/object/",
    "core/src/engine/authorize",
    "core/src/engine/flags",
    "core/src/engine/fold",
    "core/src/engine/matching",
    "core/src/engine/ownership",
    "core/src/engine/patch",
    "core/src/engine/placement",
    "core/src/engine/refresh",
    "core/src/engine/retain",
    "core/src/engine/select",
    "core/src/workspace/admit",
    "core/src/workspace/observed",
    "core/src/workspace/plan",
    "core/src/workspace/results",
    "core/src/workspace/trial",
    "core/src/dialect/certmanager",
    "core/src/dialect/greenhouse",
    "core/src/dialect/kubefed",
    "core/src/dialect/kudo",
    "core/src/dialect/ocm",
    "core/src/api/",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root of the repository")
}

// One test: the active fault is that of the whole process.
#[test]
fn every_seeded_bug_is_caught_by_a_vector() {
    let places = places();
    let vectors = load(&root().join("tests/vectors")).expect("the vectors can be read");
    assert!(vectors.len() > 2_000, "there are only {} vectors", vectors.len());
    activate(None);
    assert_eq!(failing(&vectors), Vec::<&str>::new(), "these vectors fail without a fault");

    let (mut table, mut missed) = (String::from("vectors  fault\n"), Vec::new());
    for (fault, sentence) in Fault::ALL {
        activate(Some(*fault));
        let caught = failing(&vectors);
        let first = caught.first().map_or("NOT CAUGHT", |it| it);
        let place = &places[&format!("{fault:?}")];
        let _ = writeln!(table, "{:>7}  {fault:?}: {sentence}\n         {place}\n         {first}", caught.len());
        if caught.is_empty() {
            missed.push(fault);
        }
    }
    activate(None);
    let all = Fault::ALL.len();
    println!("{table}\n{} of {all} seeded bugs are caught by {} vectors", all - missed.len(), vectors.len());
    assert!(missed.is_empty(), "no vector catches {missed:?}: write one that does");
    assert_eq!(failing(&vectors), Vec::<&str>::new(), "a fault leaves something behind");
}

/// The files of the vectors that fail, in their order.
fn failing(vectors: &[(String, Vector)]) -> Vec<&str> {
    let (next, failing) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((file, vector)) = vectors.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !vector.run(&mut Workspace::default(), |_, _| {}).is_empty() {
                        failing.lock().expect("no thread panics").push(file.as_str());
                    }
                }
            });
        }
    });
    let mut failing = failing.into_inner().expect("no thread panics");
    failing.sort_unstable();
    failing
}

/// Where each fault is, by its name. Every fault is in one place, and every room has one.
fn places() -> BTreeMap<String, String> {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let mut folders: Vec<PathBuf> =
        ["core/src", "core/value/src", "core/yaml/src", "core/cel/src"].iter().map(|it| root().join(it)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the engine").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("text");
            let mut line = 1;
            for part in text.split_inclusive("seeded!(").collect::<Vec<_>>().windows(2) {
                line += part[0].matches('\n').count();
                let name = part[1].trim_start().split(',').next().unwrap_or_default();
                if name.is_empty() || !name.chars().all(|it| it.is_ascii_alphanumeric()) {
                    continue;
                }
                let other = places.insert(name.to_owned(), format!("{file}:{line}"));
                assert_eq!(other, None, "{name} is in two places");
            }
        }
    }
    for (fault, _) in Fault::ALL {
        assert!(places.contains_key(&format!("{fault:?}")), "{fault:?} is in no place");
    }
    for room in ROOMS {
        assert!(places.values().any(|it| it.starts_with(room)), "there is no fault in {room}");
    }
    places
}
