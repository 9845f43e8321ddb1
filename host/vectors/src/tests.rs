use super::*;

/// Answers a request with its `answer`, or else with all ops of the workspace so far.
#[derive(Default)]
struct Echo {
    ops: Vec<String>,
}

impl Engine for Echo {
    fn call(&mut self, request: &[u8]) -> String {
        let request = json::parse(std::str::from_utf8(request).unwrap()).unwrap();
        self.ops.push(request.text_at(&["op"]).to_owned());
        let answer = request.text_at(&["answer"]);
        if answer.is_empty() { format!(r#"{{"ok":"{}"}}"#, self.ops.join(" ")) } else { answer.to_owned() }
    }

    fn fresh(&mut self) {
        self.ops.clear();
    }

    /// As after a fault: nothing is left of the workspace.
    fn is_fresh(&self) -> bool {
        self.ops.last().is_some_and(|it| it == "fault")
    }
}

/// A folder with one vector `v` that has these fields besides its head.
fn folder(name: &str, fields: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fleetfold-vectors-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("v.json"), format!(r#"{{"name":"v","seed":"contract","why":"w",{fields}}}"#)).unwrap();
    folder
}

fn report(name: &str, fields: &str) -> Report {
    let folder = folder(name, fields);
    let report = run(&folder, &mut Echo::default()).unwrap();
    fs::remove_dir_all(folder).unwrap();
    report
}

#[track_caller]
fn check(name: &str, fields: &str, failures: &[&str]) {
    let report = report(name, fields);
    let shown: Vec<String> = report.outcomes[0].failures.iter().map(Failure::to_string).collect();
    assert_eq!(shown, failures);
}

const TWO: &str = r#""given":[{"op":"load"},{"op":"configure"}],"#;

#[test]
fn given_requests_run_before_the_request() {
    check("single", &format!(r#"{TWO}"request":{{"op":"plan"}},"want":{{"ok":"load configure plan"}}"#), &[]);
}

#[test]
fn given_requests_run_before_the_steps() {
    let steps = r#""steps":[{"request":{"op":"a"},"want":{"ok":"load configure a"}},
        {"request":{"op":"b"},"want":{"ok":"load configure a b"}}]"#;
    check("steps", &format!("{TWO}{steps}"), &[]);
}

#[test]
fn a_given_request_has_the_digest_of_a_step() {
    let given = report("digest", r#""given":[{"op":"a"}],"request":{"op":"b"},"want":{"ok":"a b"}"#);
    let steps = r#""steps":[{"request":{"op":"a"},"want":{"ok":"a"}},{"request":{"op":"b"},"want":{"ok":"a b"}}]"#;
    assert_eq!(given.digest, report("digest-of-steps", steps).digest);
}

#[test]
fn given_requests_are_printed_in_order() {
    let folder = folder("requests", &format!(r#"{TWO}"request":{{"op":"plan"}},"want":{{"ok":1}}"#));
    let requests = requests(&folder).unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(requests, [[r#"{"op":"load"}"#, r#"{"op":"configure"}"#, r#"{"op":"plan"}"#]]);
}

#[test]
fn a_given_request_that_fails_is_named_with_its_error_and_hides_what_follows() {
    let given = r#""given":[{"op":"a"},{"op":"b","answer":"{\"error\":{\"code\":\"bad-document\"}}"}]"#;
    let fields = format!(r#"{given},"request":{{"op":"c"}},"want":{{"ok":"something else"}}"#);
    check("error", &fields, &["given 2: /error\n    want nothing\n    got  {\"code\":\"bad-document\"}"]);
    let shown = report("error-json", &fields).to_json();
    assert!(
        shown.contains(r#"{"given":2,"got":"{\"code\":\"bad-document\"}","path":"/error","want":null}"#),
        "{shown}"
    );
}

#[test]
fn a_given_answer_must_be_canonical_json_with_a_result() {
    let given = |answer: &str| {
        let answer = fleetfold_core::Value::text(answer).to_canonical();
        format!(r#""given":[{{"op":"a","answer":{answer}}}],"request":{{"op":"b"}},"want":{{"ok":"a b"}}"#)
    };
    check("empty", &given("{}"), &["given 1: /error\n    want nothing\n    got  {}"]);
    check("text", &given("no"), &["given 1: the answer\n    want JSON\n    got  no"]);
    check("spaced", &given(r#"{ "ok":1}"#), &["given 1: the answer\n    want {\"ok\":1}\n    got  { \"ok\":1}"]);
}

#[test]
fn given_is_read_strictly() {
    let rest = r#""request":{"op":"a"},"want":{"ok":"a"}"#;
    check("none", &format!(r#""given":[],{rest}"#), &["`given` must be a list of at least one request, or left out"]);
    let not_a_list = "it cannot be read: `given` must be a list, not a map (at /given)";
    check("map", &format!(r#""given":{{}},{rest}"#), &[not_a_list]);
    check("step", &format!(r#""given":[{{{rest}}}],{rest}"#), &["each request of `given` must have an `op`"]);
    let unknown = "it cannot be read: there is no field `givens` here (at /givens); did you mean `given`?";
    check("key", &format!(r#""givens":[{{"op":"b"}}],{rest}"#), &[unknown]);
    let inside = format!(r#""steps":[{{"given":[{{"op":"b"}}],{rest}}}]"#);
    let inside_step = "it cannot be read: there is no field `given` here (at /steps/0/given); \
        known here: request, text, want, wantText";
    check("inside", &inside, &[inside_step]);
}

/// Vectors `v1`, `v2` and so on: one that ends in a fault for each true.
fn faults(name: &str, faults: &[bool]) -> Report {
    let folder = std::env::temp_dir().join(format!("fleetfold-vectors-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (index, is_fault) in faults.iter().enumerate() {
        let (name, op) = (format!("v{}", index + 1), if *is_fault { "fault" } else { "fine" });
        let rest = format!(r#""request":{{"op":"{op}"}},"want":{{"ok":"fine"}}"#);
        let text = format!(r#"{{"name":"{name}","seed":"contract","why":"w",{rest}}}"#);
        fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
    let report = run(&folder, &mut Echo::default()).unwrap();
    fs::remove_dir_all(folder).unwrap();
    report
}

#[test]
fn five_faults_in_a_row_end_a_run_and_what_did_not_run_failed() {
    let report = faults("ends", &[true, true, false, true, true, true, true, true, false]);
    assert_eq!(report.outcomes.len(), 8);
    assert_eq!((report.unrun, report.counts()), (1, Counts { passed: 1, failed: 8 }));
    assert_eq!(report.digest, None);
    let shown = report.to_string();
    assert!(shown.contains("\nthe module was stopped in 5 vectors in a row; 1 did not run\n"), "{shown}");
    assert!(!shown.contains("answers"), "{shown}");
    assert!(report.to_json().contains(r#""unrun":1"#) && !report.to_json().contains("answers"));
}

#[test]
fn single_faults_fail_their_vectors_only() {
    let report = faults("goes-on", &[true, true, true, true, false, true, true, true, true]);
    assert_eq!((report.unrun, report.counts()), (0, Counts { passed: 1, failed: 8 }));
    assert!(report.digest.is_some());
}
