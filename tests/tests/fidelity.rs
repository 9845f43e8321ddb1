//! What the design documents promise and which vectors show it: `tests/promises.json`, printed as `docs/fidelity.md`.

use std::collections::BTreeSet;
use std::fmt::Write;

use fleetfold_core::Value;
use fleetfold_core::value::json;
use fleetfold_tests::tree::root;

/// The design documents by the `seed` of their vectors, each with the heading of its table.
const DOCUMENTS: &[(&str, &str)] = &[
    ("000", "Greenhouse: plugin overrides"),
    ("001", "Open Cluster Management: cluster sets"),
    ("002", "KUDO: install plans"),
    ("003", "KubeFed: retention of local values"),
    ("004", "cert-manager deployment operator"),
];

/// A reader looks at a few vectors, not at all that touch the subject.
const MOST_VECTORS: usize = 6;

const OPENING: &str = "\
# Fidelity

Fleetfold takes over behaviour that five design documents promise.
This page lists the promises, each in our own words with the section it is from, and the vectors that show them.
A vector is a request with the answer that every host must give.
[tests/vectors/README.md](../tests/vectors/README.md) describes the format.
A note names what the vectors do not show, or why a promise is not up to the engine.

The page is generated from [tests/promises.json](../tests/promises.json).
To change it, edit that file and run `FLEETFOLD_BLESS=1 cargo test -p fleetfold-tests --test fidelity`.
";

struct Promise {
    seed: String,
    section: String,
    promise: String,
    /// Each as `folder/name`, the most telling one first.
    vectors: Vec<String>,
    note: String,
}

impl Promise {
    fn read(entry: &Value) -> Promise {
        let keys: Vec<&str> = entry.as_map().expect("a promise is a map").keys().map(|key| key.as_str()).collect();
        assert_eq!(keys, ["note", "promise", "section", "seed", "vectors"], "{}", entry.to_canonical());
        let text = |key: &str| entry.text_at(&[key]).to_owned();
        let vectors = entry.at(&["vectors"]).and_then(Value::as_list).expect("`vectors` is a list");
        let name = |it: &Value| it.as_text().expect("a vector is `folder/name`").to_owned();
        Promise {
            seed: text("seed"),
            section: text("section"),
            promise: text("promise"),
            vectors: vectors.iter().map(name).collect(),
            note: text("note"),
        }
    }

    /// The row of the page.
    fn row(&self) -> String {
        let link = |vector: &String| {
            let name = vector.rsplit('/').next().unwrap_or_default();
            format!("[{name}](../tests/vectors/{vector}.json)")
        };
        let vectors: Vec<String> = self.vectors.iter().map(link).collect();
        format!("| {} ({}) | {} | {} |", self.promise, self.section, vectors.join("<br>"), self.note)
    }
}

fn promises() -> Vec<Promise> {
    let text = std::fs::read_to_string(root().join("tests/promises.json")).expect("promises");
    let list = json::parse(&text).expect("promises are JSON");
    list.as_list().expect("promises are a list").iter().map(Promise::read).collect()
}

/// `63 promises, 58 with vectors`
fn counts<'a>(promises: impl Iterator<Item = &'a Promise> + Clone) -> String {
    let shown = promises.clone().filter(|it| !it.vectors.is_empty()).count();
    format!("{} promises, {shown} with vectors", promises.count())
}

fn page(promises: &[Promise]) -> String {
    let mut page = String::from(OPENING);
    for (seed, heading) in DOCUMENTS {
        let of_document = promises.iter().filter(|it| it.seed == *seed);
        let _ = write!(page, "\n## {heading}\n\n| promise | vectors | note |\n|---|---|---|\n");
        for promise in of_document.clone() {
            let _ = writeln!(page, "{}", promise.row());
        }
        let _ = writeln!(page, "\n{}.", counts(of_document));
    }
    let _ = writeln!(page, "\n## All documents\n\n{}.", counts(promises.iter()));
    page
}

#[test]
fn every_promise_is_complete() {
    let mut seen = BTreeSet::new();
    for it in promises() {
        let promise = &it.promise;
        assert!(DOCUMENTS.iter().any(|(seed, _)| *seed == it.seed), "{promise}: no document `{}`", it.seed);
        assert!(!promise.is_empty() && !it.section.is_empty(), "a promise needs a text and a section: {}", it.row());
        assert!(!it.vectors.is_empty() || !it.note.is_empty(), "{promise}: name vectors, or write a note");
        assert!(it.vectors.len() <= MOST_VECTORS, "{promise}: keep the {MOST_VECTORS} most telling vectors");
        for text in [promise, &it.section, &it.note] {
            assert!(!text.contains(['|', '\n']), "{text}: a cell of a table");
        }
        assert!(seen.insert((it.seed.clone(), promise.clone())), "{promise}: twice");
    }
}

#[test]
fn every_vector_exists_and_is_of_the_document() {
    let mut wrong = Vec::new();
    for it in promises() {
        let distinct: BTreeSet<_> = it.vectors.iter().collect();
        assert_eq!(distinct.len(), it.vectors.len(), "{}: a vector twice", it.promise);
        for vector in &it.vectors {
            let path = root().join("tests/vectors").join(format!("{vector}.json"));
            let Ok(text) = std::fs::read_to_string(path) else {
                wrong.push(format!("{vector} does not exist: {}", it.promise));
                continue;
            };
            let vector_seed = json::parse(&text).expect("a vector is JSON").text_at(&["seed"]).to_owned();
            if vector_seed != it.seed && vector_seed != "contract" {
                wrong.push(format!("{vector} is of {vector_seed} and not of {}: {}", it.seed, it.promise));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_page_is_what_the_promises_generate() {
    let file = root().join("docs/fidelity.md");
    let wanted = page(&promises());
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    if written != wanted && std::env::var_os("FLEETFOLD_BLESS").is_some() {
        std::fs::write(&file, wanted).expect("written");
        return;
    }
    assert!(written == wanted, "docs/fidelity.md is stale: run this test with FLEETFOLD_BLESS=1");
}
