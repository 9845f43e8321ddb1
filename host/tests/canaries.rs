//! Secrets with canaries, through every command in every format, and through `serve`: none may come out. The fleet is
//! in `tests/canaries`, which `core/tests/canaries.rs` sends through every op.

mod server;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use fleetfold_core::api::OPS;
use fleetfold_core::api::plan::PlanAnswer;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::object::base64::encode;
use fleetfold_core::value::{Value, json};
use fleetfold_core::yaml;
use server::{JSON, Server};

const COUNT: usize = 70;

const SUBJECTS: [&str; 4] = [
    "FederatedSecret/team/shop",
    "FederatedSecret/team/broken",
    "FederatedConfigMap/team/web",
    "PluginPreset/acme/metrics",
];

/// Each has other digits than any other. `FLEETFOLD_SEED` gives others.
fn canary(number: usize) -> String {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        std::env::var("FLEETFOLD_SEED").map_or(0, |text| text.parse().expect("FLEETFOLD_SEED is a number"))
    });
    let mixed = (number as u64 + 1).wrapping_add(SEED.wrapping_mul(101)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("canary{number:02}-{:08x}", mixed >> 32)
}

/// How a canary looks plain and in base64, whatever is around it there.
fn traces(number: usize) -> Vec<String> {
    let canary = canary(number);
    let aligned = [(0, 0), (1, 2), (2, 3)].map(|(before, skipped)| {
        let bytes = [&vec![0; before][..], canary.as_bytes()].concat();
        encode(&bytes)[skipped..bytes.len() * 8 / 6].to_owned()
    });
    [canary].into_iter().chain(aligned).collect()
}

/// A file of `tests/canaries` with a canary in each placeholder; see the README there.
fn fixture(name: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/canaries").join(name)).unwrap();
    let mut parts = text.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.get(..2).and_then(|it| it.parse::<usize>().ok());
        match (number, part.split_once('>')) {
            (Some(number), Some((placeholder, rest))) => {
                out += &form(&canary(number), placeholder.get(2..).unwrap_or_default());
                out += rest;
            }
            _ => {
                out.push('<');
                out += part;
            }
        }
    }
    out
}

fn form(canary: &str, name: &str) -> String {
    let encoded = encode(canary.as_bytes());
    let manifest =
        format!(r#"{{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"s"}},"stringData":{{"a":"{canary}"}}}}"#);
    let quoted = |text: String| Value::from(text).to_canonical();
    match name {
        "" => canary.to_owned(),
        ":base64" => encoded,
        ":manifest" => quoted(manifest),
        ":patch" => quoted(format!(r#"{{"data":{{"a":"{encoded}"}}}}"#)),
        ":encoded" => encode(manifest.as_bytes()),
        ":compressed" => format!("H4sI{encoded}"),
        other => panic!("no placeholder {other}"),
    }
}

/// A folder with the fleet, what was observed, the edit and the documents that cannot be read.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("canaries").join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("fleet/live/a")).unwrap();
        fs::create_dir_all(place.join("fleet/live/b")).unwrap();
        fs::create_dir_all(place.join("broken")).unwrap();
        fs::write(place.join("fleet/fleet.yaml"), fixture("fleet.yaml")).unwrap();
        fs::write(place.join("fleet/live/a/live.yaml"), fixture("live.yaml")).unwrap();
        fs::write(place.join("change.yaml"), fixture("change.yaml")).unwrap();
        fs::write(place.join("broken/broken.yaml"), fixture("broken.yaml")).unwrap();
        fs::write(place.join("digest-key"), format!("{}\n", canary(0))).unwrap();
        fs::write(place.join("short-key"), &canary(1)[..8]).unwrap();
        Place(place)
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
        command.env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("module-cache"));
        command.env("KUBECONFIG", self.0.join("no-such-kubeconfig")).current_dir(&self.0);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that needs no input may be gone before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }
}

/// Counts what comes out.
struct Leaks {
    traces: Vec<Vec<String>>,
    outputs: usize,
    found: Vec<String>,
}

impl Leaks {
    fn new() -> Leaks {
        Leaks { traces: (0..COUNT).map(traces).collect(), outputs: 0, found: Vec::new() }
    }

    fn look(&mut self, what: &str, text: &str) {
        self.outputs += 1;
        for (number, traces) in self.traces.iter().enumerate() {
            if let Some((at, trace)) = traces.iter().find_map(|it| Some((text.find(it.as_str())?, it))) {
                let around = String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(100)..]);
                let around: String = around.chars().take(160).collect();
                self.found.push(format!("canary {number:02} ({trace}): {what}\n    …{around}…"));
            }
        }
    }

    /// Both streams of a command.
    fn look_at(&mut self, args: &[&str], output: &Output) {
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            self.look(&format!("{} ({stream})", args.join(" ")), &String::from_utf8_lossy(bytes));
        }
    }

    #[track_caller]
    fn finish(self, what: &str, least: usize) {
        println!("{} of {COUNT} canaries in {} {what}", self.found.len(), self.outputs);
        assert!(self.found.is_empty(), "{}", self.found.join("\n"));
        assert!(self.outputs >= least, "{} {what}", self.outputs);
    }
}

#[test]
fn no_command_prints_what_secrets_hold() {
    let (place, mut leaks) = (Place::new("commands"), Leaks::new());
    let all = ["table", "yaml", "json", "name"];
    let nameless = &all[..3];
    let mut try_each = |command: &[&str], formats: &[&str], most: i32| {
        for fleet in ["fleet", "broken"] {
            for format in formats {
                // Only the module compares itself with another one.
                let engine = if command[0] == "compare" { &[][..] } else { &["--native"] };
                let args = [command, engine, &["-f", fleet, "-o", format]].concat();
                let output = place.run(&args, "");
                leaks.look_at(&args, &output);
                // That everything failed would be no test.
                let code = output.status.code().unwrap();
                let is_fine = fleet == "broken" || code <= most;
                assert!(is_fine, "{}: {code} {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
            }
        }
    };
    try_each(&["preview"], &all, 1);
    try_each(&["preview", "--origins"], &all, 1);
    try_each(&["plan"], &all, 1);
    try_each(&["plan", "--digest-key-file", "digest-key"], &all, 1);
    try_each(&["lint"], &["text", "table", "yaml", "json", "name", "sarif", "github"], 1);
    try_each(&["select", "-l", "region in (eu)"], &all, 1);
    try_each(&["what-if", "--change", "change.yaml"], &all, 1);
    try_each(&["what-if", "--remove", "Secret/team/database"], &all, 1);
    try_each(&["compare", "builtin", "builtin"], nameless, 1);
    // There is no ManagedCluster, so that it fails.
    try_each(&["authorize", "--user", "eve", "--cluster", "a", "--label", "region=us"], nameless, 2);
    // One of them cannot be computed, and not each has each path.
    for subject in &SUBJECTS[..3] {
        try_each(&["diff", subject, "a", "b"], &all, 2);
        for path in ["/data", "/stringData/three", "/metadata/annotations", "/data/url"] {
            try_each(&["explain", subject, "--cluster", "a", "--path", path], &all, 2);
        }
    }
    try_each(&["explain", SUBJECTS[3], "--path", "remote.token"], &all, 1);
    // Of the actions, by the ids that the plan printed.
    let plan = place.run(&["plan", "-f", "fleet", "-o", "json"], "");
    let plan = json::parse_answer(&String::from_utf8_lossy(&plan.stdout)).unwrap();
    let plan: PlanAnswer = from_value_ignoring_unknown(plan).unwrap();
    assert!(plan.actions.iter().any(|it| it.target.kind == "Secret"), "{:?}", plan.actions);
    for action in plan.actions.iter().filter(|it| it.target.kind == "Secret") {
        try_each(&["explain", "--action", &action.id], &["table", "json"], 1);
    }
    leaks.finish("outputs of commands", 250);
}

#[test]
fn no_file_holds_what_secrets_hold_and_no_failure_prints_it() {
    let (place, mut leaks) = (Place::new("files"), Leaks::new());
    for file in ["plan.json", "plan.yaml"] {
        let args = ["plan", "-f", "fleet", "--digest-key-file", "digest-key", "-o", file];
        leaks.look_at(&args, &place.run(&args, ""));
        leaks.look(file, &fs::read_to_string(place.0.join(file)).unwrap());
    }
    // Credentials of hubs that cannot be reached or read.
    let token = canary(40);
    let hub = |server: &str| {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
             contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: '{server}'}}}}]\nusers: [{{name: u, user: {{token: {token}}}}}]\n"
        )
    };
    fs::write(place.0.join("away"), hub("https://127.0.0.1:9")).unwrap();
    fs::write(place.0.join("wrong"), hub("no address").replace("kind: Config", "kind: [")).unwrap();
    for hub in ["away", "wrong"] {
        for command in [
            &["plan", "--from-cluster"][..],
            &["apply", "plan.json"],
            &["approve", "sha256:00"],
            &["run", "--digest-key-file", "digest-key"],
            &["webhook", "--cert", "change.yaml", "--key", "change.yaml"],
            &["serve", "--port", "0", "--from-cluster"],
        ] {
            let args = [command, &["--kubeconfig", hub]].concat();
            let output = place.run(&args, "");
            assert_eq!(output.status.code(), Some(2), "{}", args.join(" "));
            leaks.look_at(&args, &output);
        }
    }
    // What is given where something else is meant.
    for args in [
        &["plan", "-f", "fleet", "--digest-key-file", "short-key"][..],
        &["apply", "change.yaml", "--kubeconfig", "away"],
        &["module", "sign", "digest-key", "--key", "digest-key"],
        &["module", "verify", "digest-key", "--key", "digest-key"],
        &["serve", "--port", "0", "--token-file", "change.yaml"],
        &["run", "--replay", "digest-key"],
        &["call", "--module", "digest-key"],
        &["vectors", "broken"],
        &["crds", "--overlay", "-f", "fleet/fleet.yaml"],
    ] {
        leaks.look_at(args, &place.run(args, ""));
    }
    leaks.finish("files and failures", 40);
}

#[test]
fn a_krm_function_reports_no_line_of_a_secret() {
    let (place, mut leaks) = (Place::new("fn"), Leaks::new());
    for name in ["fleet.yaml", "change.yaml"] {
        let documents = yaml::parse(&fixture(name), Mode::Strict, &mut Vec::new()).unwrap();
        let items: String = documents.iter().map(|it| format!("- {}\n", it.value.to_canonical())).collect();
        let config = "{apiVersion: fleetfold.dev/v1alpha1, kind: Fleetfold, metadata: {name: f}, spec: {failOn: info}}";
        let list = format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {config}\nitems:\n{items}"
        );
        let output = place.run(&["fn"], &list);
        // The items are what the caller gave.
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, results) = out.split_once("\nresults:").expect("results");
        leaks.look(&format!("fn {name} (results)"), results);
        leaks.look(&format!("fn {name} (stderr)"), &String::from_utf8_lossy(&output.stderr));
    }
    leaks.finish("results of fn", 4);
}

#[test]
fn serve_answers_nothing_that_secrets_hold() {
    let (place, mut leaks) = (Place::new("serve"), Leaks::new());
    let fleet = place.0.join("fleet");
    let server = Server::start_with(&["-f", fleet.to_str().unwrap()]);
    let mut requests: Vec<String> = OPS.iter().map(|it| format!(r#"{{"op":"{}"}}"#, it.name)).collect();
    for subject in SUBJECTS {
        requests.push(format!(r#"{{"op":"effective","subject":"{subject}"}}"#));
        requests.push(format!(r#"{{"op":"diff","left":"a","right":"b","subject":"{subject}"}}"#));
        for path in ["", "/data", "/stringData/three", "/metadata/annotations", "remote.token"] {
            let path = Value::from(path).to_canonical();
            requests.push(format!(r#"{{"op":"explain","cluster":"a","path":{path},"subject":"{subject}"}}"#));
        }
    }
    let change = Value::from(fixture("change.yaml")).to_canonical();
    requests.push(format!(r#"{{"op":"whatIf","load":{{"text":{change}}}}}"#));
    requests.push(r#"{"op":"plan","lint":true,"events":true,"reveal":true}"#.to_owned());
    let mut answered = 0;
    for request in &requests {
        let reply = server.call(&[JSON], request);
        answered += usize::from(reply.body.starts_with(r#"{"ok""#) || reply.body.contains(r#""ok":"#));
        leaks.look(&format!("POST /v1/call {request}"), &reply.body);
    }
    assert!(answered >= 20, "{answered} of {} requests are answered", requests.len());
    // Those without the token get nothing, and the events name revisions only.
    let host = server.host();
    for path in ["/v1/fleet", "/v1/updates", "/", "/healthz", "/no-such-path"] {
        let headers = [host.as_str(), "authorization: Bearer 00000000000000000000"];
        leaks.look(path, &server.send("GET", path, &headers, "").body);
    }
    let mut updates = server.updates();
    fs::write(fleet.join("more.yaml"), fixture("change.yaml")).unwrap();
    leaks.look("/v1/updates", &updates.next());
    leaks.finish("answers of serve", 60);
}
