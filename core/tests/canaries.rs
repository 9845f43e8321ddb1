//! Secrets with 70 canaries, through every op: none may come out. The fleet is in `tests/canaries`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use fleetfold_core::Workspace;
use fleetfold_core::api::OPS;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::object::base64::encode;
use fleetfold_core::value::{Map, Value, json};
use fleetfold_core::yaml;

const COUNT: usize = 70;

/// Short ones and long ones, as passwords are. `FLEETFOLD_SEED` gives others.
fn canary(number: usize) -> String {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        std::env::var("FLEETFOLD_SEED").map_or(0, |text| text.parse().expect("FLEETFOLD_SEED is a number"))
    });
    let mixed = (number as u64 + 1).wrapping_add(SEED.wrapping_mul(101)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match number % 5 {
        0 => format!("cnry{number:02}{:02x}", mixed >> 56),
        _ => format!("canary{number:02}-{:08x}", mixed >> 32),
    }
}

/// The text with a canary in each placeholder; see `tests/canaries/README.md`.
fn filled(text: &str) -> String {
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

/// How each canary looks plain and in base64, whatever is around it there.
fn all_traces() -> Vec<Vec<String>> {
    (0..COUNT).map(traces).collect()
}

fn traces(number: usize) -> Vec<String> {
    let canary = canary(number);
    let aligned = [(0, 0), (1, 2), (2, 3)].map(|(before, skipped)| {
        let bytes = [&vec![0; before][..], canary.as_bytes()].concat();
        encode(&bytes)[skipped..bytes.len() * 8 / 6].to_owned()
    });
    [canary].into_iter().chain(aligned).collect()
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests"))
}

fn fixture(name: &str) -> String {
    filled(&fs::read_to_string(folder().join("canaries").join(name)).unwrap())
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn request(op: &str, fields: &[(&str, Value)]) -> String {
    let mut map = Map::new();
    map.insert("op", text(op));
    fields.iter().for_each(|(key, value)| drop(map.insert(*key, value.clone())));
    Value::from(map).to_canonical()
}

fn loads() -> Vec<String> {
    vec![
        request("load", &[("text", text(&fixture("fleet.yaml"))), ("file", text("fleet.yaml"))]),
        request("load", &[("text", text(&fixture("live.yaml"))), ("live", text("a")), ("complete", true.into())]),
        request(
            "load",
            &[("documents", Value::from(Vec::<Value>::new())), ("live", text("b")), ("complete", true.into())],
        ),
    ]
}

fn documents(name: &str) -> Vec<Value> {
    yaml::parse(&fixture(name), Mode::Strict, &mut Vec::new()).unwrap().into_iter().map(|it| it.value).collect()
}

fn named(documents: &[Value], kind: &str, name: &str) -> Value {
    let is_it = |it: &&Value| it.text_at(&["kind"]) == kind && it.text_at(&["metadata", "name"]) == name;
    documents.iter().find(is_it).unwrap_or_else(|| panic!("no {kind}/{name}")).clone()
}

/// The requests of an op that could show a canary. An op that is new must be added here.
fn requests(op: &str) -> Vec<String> {
    let (fleet, live) = (documents("fleet.yaml"), documents("live.yaml"));
    let (desired, observed) = (named(&fleet, "Secret", "credentials"), named(&live, "Secret", "shop"));
    let map = |text: &str| json::parse(&filled(text)).unwrap();
    let subjects = [
        "FederatedSecret/team/shop",
        "FederatedSecret/team/broken",
        "FederatedConfigMap/team/web",
        "PluginPreset/acme/metrics",
    ];
    let both = [("desired", desired.clone()), ("live", observed.clone())];
    let owner = map(r#"{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"}"#);
    let change = map(&format!(r#"{{"text":{}}}"#, text(&fixture("change.yaml")).to_canonical()));
    let review = |kind: &str, object: &Value| {
        let mut review = map(&format!(
            r#"{{"operation":"UPDATE","kind":{{"group":"","version":"v1","kind":"{kind}"}},"name":"x","namespace":"team",
                "userInfo":{{"username":"eve"}}}}"#
        ));
        let fields = review.as_map_mut().unwrap();
        fields.insert("object", object.clone());
        fields.insert("oldObject", observed.clone());
        review
    };
    let reviews = || {
        let kinds = ["Secret", "FederatedSecret", "FederatedConfigMap", "PluginPreset", "PluginOverride"];
        fleet.iter().filter(move |it| kinds.contains(&it.text_at(&["kind"])))
    };
    // A plain value of an option is known as a secret only where its definition is.
    let is_known = |it: &&Value| !["PluginPreset", "PluginOverride"].contains(&it.text_at(&["kind"]));
    match op {
        "describe" | "clusters" | "kinds" | "reach" | "subjects" => vec![request(op, &[])],
        // It returns its input to those who work with it: copies in other documents and fields are not searched for.
        "parse" => {
            let broken = fixture("broken.yaml");
            let parts = broken.split("---\n").filter(|it| !it.contains("knd:")).map(str::to_owned);
            let texts = parts.chain([desired.to_canonical(), named(&fleet, "FederatedSecret", "shop").to_canonical()]);
            texts.map(|it| request(op, &[("text", text(&it)), ("file", text("f.yaml"))])).collect()
        }
        "print" => {
            vec![request(
                op,
                &[
                    ("documents", Value::from(fleet.iter().chain(&live).filter(is_known).cloned().collect::<Vec<_>>())),
                    ("lines", true.into()),
                ],
            )]
        }
        "redact" => {
            let known = fixture("fleet.yaml")
                .split("---\n")
                .filter(|it| !it.contains("remote.token"))
                .collect::<Vec<_>>()
                .join("---\n");
            let texts = [known, fixture("live.yaml"), fixture("broken.yaml")];
            texts.iter().map(|it| request(op, &[("text", text(it))])).collect()
        }
        "sources" => vec![request(op, &[("files", Value::from(vec![text("live/a/secret.yaml"), text("fleet.yaml")]))])],
        "select" => vec![request(
            op,
            &[("clusters", map(r#"[{"name":"a","labels":{"region":"<11>"}}]"#)), ("selector", map("{}"))],
        )],
        "fold" => vec![request(
            op,
            &[(
                "layers",
                map(r#"[{"name":"a","set":[{"path":"s","value":{"kind":"Secret","data":{"a":"<29:base64>"}}}]},
                {"name":"b","set":[{"path":"s.data.a","value":"<30:base64>"},{"path":"t","value":"<15>"}]}]"#),
            )],
        )],
        "retain" | "match" => vec![
            request(op, &both),
            request(op, &[("desired", named(&live, "ConfigMap", "web")), ("live", named(&live, "ConfigMap", "web"))]),
        ],
        "patch" => vec![
            request(op, &[("object", desired.clone()), ("patch", map("[]"))]),
            request(
                op,
                &[
                    ("object", desired.clone()),
                    ("patch", map(r#"[{"op":"test","path":"/data/token","value":"<08:base64>"}]"#)),
                ],
            ),
            request(
                op,
                &[
                    ("object", desired.clone()),
                    (
                        "patch",
                        map(
                            r#"[{"op":"copy","from":"/data","path":"/spec"},{"op":"replace","path":"/kind","value":"Pod"}]"#,
                        ),
                    ),
                ],
            ),
            request(
                op,
                &[
                    ("object", desired.clone()),
                    ("patch", map(r#"[{"op":"replace","path":"/data/a/b","value":"<08>"}]"#)),
                ],
            ),
        ],
        "adopt" => vec![request(op, &[&both[..], &[("owner", owner)]].concat())],
        "release" => vec![request(op, &[("owner", owner), ("live", observed.clone())])],
        "authorize" => vec![request(
            op,
            &[("user", map(r#"{"name":"eve"}"#)), ("old", observed.clone()), ("new", desired.clone())],
        )],
        "refresh" => vec![
            request(
                op,
                &[("secret", observed.clone()), ("workloads", map("[]")), ("now", text("2026-01-02T03:04:05Z"))],
            ),
            request(
                op,
                &[
                    ("secret", desired.clone()),
                    ("workloads", Value::from(live.clone())),
                    ("now", text("2026-01-02T03:04:05Z")),
                ],
            ),
        ],
        "mold" => vec![request(
            op,
            &[("component", text("controller")), ("version", text("v1.3.0")), ("flags", map(r#"{"x":"<15>"}"#))],
        )],
        "load" => ["broken.yaml", "change.yaml", "fleet.yaml"]
            .map(|it| request(op, &[("text", text(&fixture(it))), ("file", text(it))]))
            .to_vec(),
        "unload" => {
            vec![request(op, &[("refs", Value::from(vec![text("Secret/team/database"), text("Secret/team/none")]))])]
        }
        "configure" => {
            vec![request(op, &[("digestKey", text(&canary(12)))]), request(op, &[("mode", text(&canary(12)))])]
        }
        "effective" => subjects.map(|it| request(op, &[("subject", text(it))])).to_vec(),
        "explain" => {
            let paths = [
                "/data/one",
                "/data",
                "/stringData/three",
                "/metadata/annotations",
                "/data/url",
                "/metadata/annotations/kapp.k14s.io~1original",
                "remote.token",
                "remote.url",
                "",
            ];
            let objects = [None, Some("Secret/team/shop"), Some("ConfigMap/team/web")];
            let mut all = Vec::new();
            for (subject, cluster) in subjects.iter().flat_map(|it| ["a", "b", "eu-1"].map(|cluster| (it, cluster))) {
                for (path, object) in paths.iter().flat_map(|it| objects.map(|object| (it, object))) {
                    let mut fields = vec![("subject", text(subject)), ("cluster", text(cluster)), ("path", text(path))];
                    fields.extend(object.map(|it| ("object", text(it))));
                    all.push(request(op, &fields));
                }
            }
            all
        }
        "diff" => {
            subjects.map(|it| request(op, &[("subject", text(it)), ("left", text("a")), ("right", text("b"))])).to_vec()
        }
        "lint" => vec![request(op, &[])],
        "plan" => vec![
            request(op, &[]),
            request(op, &[("events", true.into()), ("lint", true.into()), ("now", text("2026-01-02T03:04:05Z"))]),
        ],
        "whatIf" => {
            vec![request(op, &[("load", change)]), request(op, &[("unload", map(r#"["Secret/team/database"]"#))])]
        }
        "admit" => reviews().map(|it| request(op, &[("request", review(it.text_at(&["kind"]), it))])).collect(),
        // Returns the object of the request, which the webhook patches.
        "defaults" => vec![],
        new => panic!("the op `{new}` is not tested with canaries: add a request"),
    }
}

/// Counts what comes out.
struct Leaks {
    traces: Vec<Vec<String>>,
    outputs: usize,
    found: Vec<String>,
}

impl Default for Leaks {
    fn default() -> Leaks {
        Leaks { traces: all_traces(), outputs: 0, found: Vec::new() }
    }
}

impl Leaks {
    fn look(&mut self, request: &str, answer: &str) {
        self.outputs += 1;
        for (number, traces) in self.traces.iter().enumerate() {
            if let Some(trace) = traces.iter().find(|it| answer.contains(it.as_str())) {
                let at = answer.find(trace.as_str()).unwrap();
                let around: String = answer.chars().skip(at.saturating_sub(150)).take(200).collect();
                let request: String = request.chars().take(200).collect();
                self.found.push(format!("canary {number:02} ({trace}): {request}\n    …{around}…"));
            }
        }
    }

    #[track_caller]
    fn finish(self, what: &str) {
        println!("{} of {COUNT} canaries in {} {what}", self.found.len(), self.outputs);
        assert!(self.found.is_empty(), "{}", self.found.join("\n"));
    }
}

#[test]
fn all_canaries_are_in_the_fleet() {
    let all = ["fleet.yaml", "live.yaml", "change.yaml", "broken.yaml"].map(fixture).concat();
    for number in 0..COUNT {
        assert!(traces(number).iter().any(|it| all.contains(it.as_str())), "{number}");
    }
}

#[test]
fn no_op_shows_what_secrets_hold() {
    let mut leaks = Leaks::default();
    for op in OPS {
        let mut workspace = Workspace::default();
        for load in loads() {
            leaks.look(&load, &workspace.call_text(&load));
        }
        for request in requests(op.name) {
            leaks.look(&request, &workspace.call_text(&request));
            // The next plan and findings know the request, too.
            leaks.look(&request, &workspace.call_text(r#"{"op":"lint"}"#));
        }
        leaks.look(op.name, &workspace.call_text(r#"{"op":"plan"}"#));
    }
    leaks.finish("answers");
}

#[test]
fn actions_are_explained_without_what_secrets_hold() {
    let mut leaks = Leaks::default();
    let mut workspace = Workspace::default();
    loads().iter().for_each(|it| drop(workspace.call_text(it)));
    let plan = json::parse_answer(&workspace.call_text(r#"{"op":"plan"}"#)).unwrap();
    let actions = plan.at(&["ok", "actions"]).and_then(Value::as_list).unwrap();
    assert!(actions.iter().any(|it| it.text_at(&["target", "kind"]) == "Secret"), "{}", plan.to_canonical());
    for action in actions {
        let request = request("explain", &[("action", text(action.text_at(&["id"])))]);
        leaks.look(&request, &workspace.call_text(&request));
    }
    leaks.finish("explanations of actions");
}

/// Whatever is asked beside the canaries. Requests with `reveal` ask for them.
#[test]
fn no_vector_shows_what_secrets_hold() {
    let mut leaks = Leaks::default();
    // A vector may have the definition of an option otherwise.
    let is_known = |it: &Value| !["PluginPreset", "PluginOverride"].contains(&it.text_at(&["kind"]));
    let fleet: Vec<Value> = documents("fleet.yaml").into_iter().filter(is_known).collect();
    let live = documents("live.yaml");
    let given = [
        request("load", &[("documents", Value::from(fleet))]),
        request("load", &[("documents", Value::from(live)), ("live", text("a")), ("complete", true.into())]),
    ];
    let mut open = vec![folder().join("vectors")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
            continue;
        }
        let Some(vector) = fs::read_to_string(&path).ok().and_then(|it| json::parse(&it).ok()) else { continue };
        let steps = vector.get("steps").and_then(Value::as_list).into_iter().flatten();
        let before = vector.get("given").and_then(Value::as_list).into_iter().flatten();
        let requests = before.chain(vector.get("request")).chain(steps.filter_map(|it| it.get("request")));
        let mut workspace = Workspace::default();
        given.iter().for_each(|it| drop(workspace.call_text(it)));
        for request in requests.filter(|it| it.get("reveal").is_none()) {
            leaks.look(&path.display().to_string(), &workspace.call_text(&request.to_canonical()));
        }
    }
    leaks.finish("answers to vectors");
}

/// An approval covers what is written; with a key, nobody who knows the rest of a plan can try values until it fits.
#[test]
fn digests_cover_what_secrets_hold_and_a_key_changes_them() {
    let digest = |value: &str, settings: &str| {
        let mut workspace = Workspace::default();
        workspace.call_text(settings);
        let fleet = fixture("fleet.yaml").replace(&encode(canary(30).as_bytes()), value);
        workspace.call_text(&request("load", &[("text", text(&fleet))]));
        loads()[1..].iter().for_each(|it| drop(workspace.call_text(it)));
        let plan = json::parse_answer(&workspace.call_text(r#"{"op":"plan"}"#)).unwrap();
        assert!(plan.at(&["ok", "actions"]).and_then(Value::as_list).is_some_and(|it| !it.is_empty()));
        plan.text_at(&["ok", "digest"]).to_owned()
    };
    let [none, first, second] =
        [r#"{"op":"configure"}"#, r#"{"op":"configure","digestKey":"k"}"#, r#"{"op":"configure","digestKey":"l"}"#];
    for settings in [none, first, second] {
        assert_ne!(digest("MDAwMA==", settings), digest("MTExMQ==", settings));
    }
    assert_ne!(digest("MDAwMA==", none), digest("MDAwMA==", first));
    assert_ne!(digest("MDAwMA==", first), digest("MDAwMA==", second));
}
