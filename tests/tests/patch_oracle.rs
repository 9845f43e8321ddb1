//! Patches against the libraries that the originals use: json-patch v4.12 (KubeFed, our compat mode) and v5 (RFC 6902
//! with extensions, our strict mode).

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::patch::{Patch, PatchAnswer};
use fleetfold_core::api::{Answered, Refusal, read_response};
use fleetfold_core::value::json;
use fleetfold_tests::oracles::{Oracle, seed};

const CASES: usize = 20_000;

#[test]
fn compat_answers_as_the_library_of_kubefed() {
    compare("compat", &[], explain_compat);
}

#[test]
fn strict_answers_as_rfc_6902() {
    compare("strict", &["-v5"], explain_strict);
}

/// What the engine returns. The requests stay text: some of them are not what the contract takes.
type Ours = Result<Answered<PatchAnswer>, Refusal>;

/// Why the library and we may differ on a case; nothing when there is no reason.
type Explain = fn(request: &Value, ours: &Ours, theirs: &Value) -> Option<&'static str>;

fn compare(mode: &str, arguments: &[&str], explain: Explain) {
    let oracle = Oracle::build("patch");
    let requests = oracle.generate(seed(), CASES);
    let answers = oracle.ask(arguments, &requests);
    assert_eq!((requests.len(), answers.len()), (CASES, CASES));

    let mut workspace = Workspace::default();
    let mut explained = std::collections::BTreeMap::<&str, usize>::new();
    let (mut applied, mut differences) = (0, Vec::new());
    for (request, theirs) in requests.iter().zip(&answers) {
        let Ok(mut request) = json::parse(request) else {
            *explained.entry("the contract refuses a repeated key").or_default() += 1;
            continue;
        };
        if let Some(fields) = request.as_map_mut() {
            fields.insert("op", "patch");
            fields.insert("mode", mode);
        }
        let response = workspace.call_text(&request.to_canonical());
        if json::parse(&response).is_err() {
            *explained.entry("an integer that KubeFed rounds is beyond int64").or_default() += 1;
            continue;
        }
        let ours = read_response::<Patch>(&response).expect("a response to a patch");
        let theirs = json::parse(theirs).expect("the oracle answers JSON");
        let (patched, wanted) = (ours.as_ref().ok().map(|it| &*it.answer.object), theirs.get("object"));
        applied += usize::from(wanted.is_some());
        if patched == wanted {
            continue;
        }
        match explain(&request, &ours, &theirs) {
            Some(reason) => *explained.entry(reason).or_default() += 1,
            None => differences.push(format!(
                "{}\n  original {}\n  ours     {response}",
                request.to_canonical(),
                theirs.to_canonical()
            )),
        }
    }
    println!(
        "patch {mode}: seed {}, {CASES} cases, {applied} applied, explained {explained:?}, {} differences",
        seed(),
        differences.len()
    );
    assert!(applied > CASES / 4, "many generated patches should apply");
    assert!(differences.is_empty(), "{}", differences.iter().take(15).cloned().collect::<Vec<_>>().join("\n"));
}

fn explain_compat(request: &Value, ours: &Ours, theirs: &Value) -> Option<&'static str> {
    if theirs.text_at(&["error"]).starts_with("panic") {
        return Some("the library crashes");
    }
    match code(ours) {
        // KubeFed checks these before it hands the patch to the library.
        "duplicate-path" => Some("KubeFed refuses the same path twice"),
        "identity-override" => Some("KubeFed refuses to override the identity"),
        "bad-operation" if verbs(request).any(|it| it == "move" || it == "copy") => {
            Some("KubeFed does not carry `from`")
        }
        "unknown-field" | "unknown-value" | "wrong-type" => {
            Some("the contract refuses unknown fields, verbs and kinds of value")
        }
        _ if tests_for_null(request) => Some("the library takes a missing value for null"),
        _ if operations(request).any(|it| it.get("op").is_some_and(Value::is_null)) => {
            Some("a null verb is one left out")
        }
        _ if has_big_integer(request.get("patch")) => Some("KubeFed reads the values of a patch as doubles"),
        _ => None,
    }
}

/// The code of a refusal; nothing for an answer.
fn code(ours: &Ours) -> &str {
    ours.as_ref().map_or_else(|refusal| refusal.code.as_str(), |_| "")
}

/// What the library does and RFC 6902 does not say.
fn explain_strict(request: &Value, ours: &Ours, theirs: &Value) -> Option<&'static str> {
    if theirs.text_at(&["error"]).starts_with("panic") {
        return Some("the library crashes");
    }
    let any = |test: fn(&str) -> bool| paths(request).any(|path| path.split('/').skip(1).any(test));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match code(ours) {
        "unknown-field" | "unknown-value" | "wrong-type" => {
            return Some("the contract refuses unknown fields, verbs and kinds of value");
        }
        "identity-override" => return Some("an override cannot change the identity"),
        "bad-operation" => return Some("an operation without its fields is refused"),
        "bad-pointer" => return Some("a pointer is written as RFC 6901 says"),
        _ => {}
    }
    if paths(request).any(str::is_empty) {
        Some("the library treats the whole document apart")
    } else if tests_for_null(request) {
        Some("the library takes a missing value for null")
    } else if verbs(request).any(str::is_empty) {
        Some("without a verb, replace is meant")
    } else if any(|segment| {
        segment.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty())
    }) {
        Some("an index is not negative")
    } else if any(str::is_empty) {
        Some("the library mistakes the empty key for its parent")
    } else if paths(request).any(|path| {
        path.split('/').any(|it| {
            it.len() > 1 && (it.starts_with('0') || it.starts_with('+')) && digits(it.trim_start_matches('+'))
        })
    }) {
        Some("an index has no sign and no leading zero")
    } else if paths(request).any(|path| path.contains("/metadata/annotations/") || path.contains("/metadata/labels/")) {
        Some("a missing map of annotations or labels is created")
    } else {
        None
    }
}

fn operations(request: &Value) -> impl Iterator<Item = &Value> {
    request.get("patch").and_then(Value::as_list).into_iter().flatten()
}

fn verbs(request: &Value) -> impl Iterator<Item = &str> {
    operations(request).map(|it| it.text_at(&["op"]))
}

fn paths(request: &Value) -> impl Iterator<Item = &str> {
    operations(request).flat_map(|it| ["path", "from"].into_iter().filter_map(|field| it.get(field)?.as_text()))
}

fn tests_for_null(request: &Value) -> bool {
    operations(request).any(|it| it.text_at(&["op"]) == "test" && it.get("value").is_none_or(Value::is_null))
}

fn has_big_integer(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Number(_)) => value.and_then(Value::as_int).is_some_and(|int| int.unsigned_abs() > 1 << 53),
        Some(Value::List(items)) => items.iter().any(|it| has_big_integer(Some(it))),
        Some(Value::Map(map)) => map.iter().any(|(_, it)| has_big_integer(Some(it))),
        _ => false,
    }
}
