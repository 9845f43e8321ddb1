//! YAML against kubectl: `sigs.k8s.io/yaml` behind the stream decoder of apimachinery.
//!
//! 1. Where both read a text, the values are the same, to the byte.
//! 2. Where kubectl refuses a text, so do we.
//! 3. Where only we refuse one, the reason is one of those that `core/yaml/src/lib.rs` lists, and it holds for this
//!    text.

use std::collections::BTreeMap;

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::value::json;
use fleetfold_core::yaml::{self, YamlError};
use fleetfold_tests::oracles::{Oracle, seed};
use fleetfold_tests::tree::root;

const CASES: usize = 20_000;

#[test]
fn strict_reads_as_kubectl_or_says_why_not() {
    compare(Mode::Strict);
}

#[test]
fn compat_reads_as_kubectl_or_says_why_not() {
    compare(Mode::Compat);
}

fn compare(mode: Mode) {
    let oracle = Oracle::build("yaml");
    let mut requests = oracle.generate(seed(), CASES);
    requests.extend(vector_texts().into_iter().map(|text| Value::map([("text", text)]).to_canonical()));
    let answers = oracle.ask(&["-decoder"], &requests);
    assert_eq!(requests.len(), answers.len());

    let mut explained = BTreeMap::<String, usize>::new();
    let (mut same, mut refused, mut differences) = (0, 0, Vec::new());
    for (request, theirs) in requests.iter().zip(&answers) {
        let request = json::parse(request).expect("the oracle writes JSON");
        let theirs = json::parse(theirs).expect("the oracle answers JSON");
        let text = request.text_at(&["text"]);
        let ours = read(text, mode);
        let want = theirs.get("documents").and_then(Value::as_list);
        let want = want.map(|it| it.iter().map(|it| rounded(it.as_text().expect("JSON text"))).collect::<Vec<_>>());
        let reason = match (&ours, &want) {
            (Err(_), None) => {
                refused += 1;
                continue;
            }
            (Ok(ours), Some(want)) if ours == want && !(mode == Mode::Strict && holds(&theirs, "duplicate")) => {
                same += 1;
                continue;
            }
            (Err(error), Some(_)) => explain(error, &theirs, text),
            _ => None,
        };
        match reason {
            Some(reason) => *explained.entry(reason).or_default() += 1,
            None => differences.push(format!(
                "{}\n  kubectl {}\n  ours    {ours:?}",
                request.to_canonical(),
                theirs.to_canonical()
            )),
        }
    }
    println!(
        "yaml {}: seed {}, {} texts, {same} the same, {refused} refused by both, explained {explained:#?}, {} \
         differences",
        mode.as_str(),
        seed(),
        requests.len(),
        differences.len()
    );
    assert!(same > CASES / 2, "most generated texts should be read");
    assert!(differences.is_empty(), "{}", differences.iter().take(15).cloned().collect::<Vec<_>>().join("\n"));
}

/// Why we may refuse what kubectl reads; nothing when there is no reason.
fn explain(ours: &YamlError, theirs: &Value, text: &str) -> Option<String> {
    let (code, message) = (ours.code.as_str(), ours.message.as_str());
    let message = message.strip_prefix("document ").and_then(|it| it.split_once(": ")).map_or(message, |(_, it)| it);
    let holds = match code {
        // The oracle does not see a key twice in a map that is written inside a merge.
        // Nor does it see one where it stumbles on a tab that kubectl skips to look for a brace.
        "duplicate-key" => {
            let after_tab = text.starts_with(char::is_whitespace) && text.trim_start().starts_with('{');
            holds(theirs, "duplicate") || text.contains("<<") || after_tab
        }
        "integer-out-of-range" => text.bytes().filter(u8::is_ascii_digit).count() > 15 || text.contains("0x"),
        // Only a value that a later one, or a merged one, replaces can be of a kind that JSON lacks, or hold such a
        // key.
        "not-representable" => holds(theirs, "duplicate") || text.contains("<<"),
        "too-deep" => true,
        // What starts with a brace is read as JSON first, and the oracle does not look for a rest there.
        "unportable-yaml" if message.starts_with("this text follows the end") => {
            holds(theirs, "dropped") || text.trim_start().starts_with('{')
        }
        // To kubectl the text of a block scalar is indented, also where no key stands above it.
        "unportable-yaml" if message.starts_with("this line is a comment to kubectl") => {
            text.split(['\n', '\r']).any(|line| line.starts_with('#'))
        }
        // A collection that starts the text is all of the document to kubectl, which drops the colon behind it.
        "bad-key" if matches!(message, "a key cannot be a list" | "a key cannot be a map") => holds(theirs, "dropped"),
        "bad-key" => holds(theirs, "duplicate") || text.contains("<<"),
        // What kubectl does not read may be anything.
        "bad-yaml" => holds(theirs, "dropped"),
        "unportable-yaml" => true,
        _ => false,
    };
    holds.then(|| if code == "unportable-yaml" { String::from(message) } else { String::from(code) })
}

fn holds(answer: &Value, flag: &str) -> bool {
    answer.get(flag).and_then(Value::as_bool) == Some(true)
}

fn read(text: &str, mode: Mode) -> Result<Vec<String>, YamlError> {
    let documents = yaml::parse(text, mode, &mut Vec::new())?;
    Ok(documents.iter().map(|document| document.value.to_canonical()).collect())
}

/// A document as kubectl goes on with it: integers past int64 are doubles there.
fn rounded(document: &str) -> String {
    match yaml::parse(&format!("{{\"it\":{document}}}"), Mode::Compat, &mut Vec::new()) {
        Ok(wrapped) => wrapped[0].value.get("it").expect("it was wrapped").to_canonical(),
        // At the limit of depth there is no room for the wrapping.
        Err(error) => {
            assert_eq!(error.code.as_str(), "too-deep", "kubectl writes JSON");
            String::from(document)
        }
    }
}

/// The texts of the vectors about YAML.
fn vector_texts() -> Vec<String> {
    let folder = root().join("tests/vectors/yaml");
    let files = std::fs::read_dir(&folder).expect("the vectors are there");
    let mut texts = Vec::new();
    for file in files.map(|file| file.expect("a vector").path()) {
        let text = std::fs::read_to_string(&file).expect("a vector can be read");
        let vector = json::parse(&text).expect("a vector is JSON");
        texts.extend(vector.at(&["request", "text"]).and_then(Value::as_text).map(String::from));
    }
    texts.sort();
    assert!(!texts.is_empty());
    texts
}
