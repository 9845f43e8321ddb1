//! The commands over documents, as a person or a script meets them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const CLUSTERS: &str = "\
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: eu-1
  labels:
    environment: prod
    cluster.open-cluster-management.io/clusterset: dev
spec:
  hubAcceptsClient: true
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: eu-2
  labels:
    environment: prod
spec:
  hubAcceptsClient: true
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: us-1
  labels:
    environment: dev
    serial: \"9007199254740993\"
spec:
  hubAcceptsClient: true
";

const SETS: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata:
  name: production
spec:
  clusterSelector:
    selectorType: LabelSelector
    labelSelector:
      matchLabels:
        environment: prod
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata:
  name: dev
spec:
  clusterSelector:
    selectorType: ExclusiveClusterSetLabel
";

const ROLES: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: devs
rules:
- apiGroups: [cluster.open-cluster-management.io]
  resources: [managedclusters/label]
  resourceNames: [\"cluster.open-cluster-management.io/clusterset:dev\"]
  verbs: [create]
- apiGroups: [cluster.open-cluster-management.io]
  resources: [managedclusters]
  verbs: [update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: devs
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: devs
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: devs
";

const FLEET: [(&str, &str); 3] = [("clusters.yaml", CLUSTERS), ("nested/sets.yml", SETS), ("roles.json.yaml", ROLES)];

#[test]
fn preview_shows_every_subject_and_its_clusters() {
    let fleet = folder("preview", &FLEET);
    let all = run(&["preview", "-f", &fleet]);
    assert_eq!(
        text(&all.stdout),
        "ManagedClusterSet/dev\n\n  eu-1\n\nManagedClusterSet/production\n\n  eu-1, eu-2\n",
        "{}",
        text(&all.stderr)
    );
    assert_eq!((all.status.code(), text(&all.stderr)), (Some(0), ""));
    fails(&["preview", "-f", &fleet, "--cluster", "eu-22"], "there is no cluster `eu-22` in the fleet");
    let names = run(&["preview", "-f", &fleet, "-o", "name"]);
    assert_eq!(text(&names.stdout), "ManagedClusterSet/dev\nManagedClusterSet/production\n");
    let one = run(&["preview", "-f", &fleet, "ManagedClusterSet/production", "-o", "json", "--cluster", "eu-2"]);
    let set = r#"{"exclusive":false,"name":"production","networkGroup":false,"resourceGroup":false,"selectorType":"LabelSelector"}"#;
    let want =
        format!(r#"{{"results":[{{"clusters":["eu-2"]}}],"set":{set},"subject":"ManagedClusterSet/production"}}"#);
    assert_eq!(squeezed(&one), want);
    let picked = run(&["preview", "-f", &fleet, "-l", "!serial,environment=prod", "-o", "yaml"]);
    let picked = text(&picked.stdout);
    assert!(picked.starts_with("subjects:\n- results:\n  - clusters:\n    - eu-1\n  set:\n"), "{picked}");
    assert!(picked.contains("\n- results:\n  - clusters:\n    - eu-1\n    - eu-2\n  set:\n"), "{picked}");
    assert!(picked.ends_with("\n  subject: ManagedClusterSet/production\n"), "{picked}");
    // A selector that leaves a subject without a cluster leaves the subject out.
    let none = run(&["preview", "-f", &fleet, "-l", "serial", "-o", "json"]);
    assert_eq!(squeezed(&none), r#"{"subjects":[]}"#);
}

#[test]
fn documents_come_through_standard_input_too() {
    let output = finish(&mut fleetfold(&["preview", "-f", "-", "-o", "name"]), SETS.as_bytes());
    assert_eq!(text(&output.stdout), "ManagedClusterSet/dev\nManagedClusterSet/production\n");
    fails(&["preview", "-f", "-", "-f", "-"], "standard input is given twice");
    fails(&["what-if", "-f", "-", "--change", "-"], "standard input is given twice");
}

#[test]
fn both_engines_print_the_same() {
    let fleet = folder("both", &FLEET);
    for args in [&["preview", "--origins"][..], &["lint"], &["plan", "--now", "2026-01-01T00:00:00Z"], &["select"]] {
        let args = [args, &["-f", &fleet]].concat();
        let (module, native) = (run(&args), run(&[&args[..], &["--native"]].concat()));
        assert_eq!(text(&module.stdout), text(&native.stdout), "{args:?}");
        assert_eq!(module.status.code(), native.status.code(), "{args:?}");
    }
}

#[test]
fn explain_says_why_a_cluster_is_selected() {
    let fleet = folder("explain", &FLEET);
    let one = run(&["explain", "-f", &fleet, "ManagedClusterSet/production", "--cluster", "us-1"]);
    let shown = text(&one.stdout);
    assert!(shown.starts_with("ManagedClusterSet/production does not select us-1\nHOLDS   REASON"), "{shown}");
    assert!(shown.contains("no      `environment=prod` does not hold"), "{shown}");
    assert_eq!(one.status.code(), Some(0));
    let all = run(&["explain", "-f", &fleet, "ManagedClusterSet/production"]);
    let lines: Vec<_> =
        text(&all.stdout).lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>()).collect();
    assert_eq!(lines, [["CLUSTER", "SELECTED"], ["eu-1", "yes"], ["eu-2", "yes"], ["us-1", "no"]]);
}

#[test]
fn a_permission_is_explained_and_decided() {
    let fleet = folder("authorize", &FLEET);
    let label = "cluster.open-cluster-management.io/clusterset=dev";
    let change = ["-f", &fleet, "--user", "eve", "--cluster", "us-1", "--label", label];
    let denied = run(&[&["authorize"], &change[..]].concat());
    assert!(text(&denied.stdout).starts_with("user eve may not make this change\n"), "{}", text(&denied.stdout));
    assert_eq!(denied.status.code(), Some(1));
    let granted = run(&[&["authorize"], &change[..], &["--group", "devs"]].concat());
    let shown = text(&granted.stdout);
    assert!(shown.starts_with("user eve may make this change\n") && shown.ends_with("joins: dev\n"), "{shown}");
    assert!(shown.contains("ClusterRoleBinding/devs, ClusterRole/devs, rule 0"), "{shown}");
    assert_eq!(granted.status.code(), Some(0));
    let explained = run(&[&["explain"], &change[..], &["--group", "devs", "-o", "name"]].concat());
    assert_eq!(text(&explained.stdout), "ClusterRole/devs\n");
}

#[test]
fn a_permission_is_decided_over_whole_objects() {
    let cluster = |label: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  name: us-1\
             \n  labels: {{{label}}}\n"
        )
    };
    let (before, after) = (cluster("a: b"), cluster("cluster.open-cluster-management.io/clusterset: dev"));
    let fleet = folder("authorize-whole", &FLEET);
    let files = folder("authorize-files", &[("old.yaml", &before), ("new.yaml", &after)]);
    let (old, new) = (format!("{files}/old.yaml"), format!("{files}/new.yaml"));
    let change = ["authorize", "-f", &fleet, "--user", "eve", "--old", &old, "--new", &new];
    let denied = run(&change);
    assert_eq!((denied.status.code(), text(&denied.stderr)), (Some(1), ""));
    let granted = run(&[&change[..], &["--group", "devs", "-o", "json"]].concat());
    assert!(squeezed(&granted).contains(r#""joins":["dev"]"#), "{}", squeezed(&granted));
    assert_eq!(granted.status.code(), Some(0));
    fails(&["authorize", "-f", &fleet, "--user", "eve", "--new", &fleet], "holds 7 documents");
}

#[test]
fn what_if_counts_first_and_leaves_nothing_behind() {
    let fleet = folder("what-if", &FLEET);
    let edits = folder(
        "what-if-edits",
        &[
            ("a.yaml", &SETS.replace("environment: prod", "environment: dev")),
            (
                "b.json",
                &format!(
                    "{{\n\t\"kind\": \"ManagedClusterSet\",\n\
                     \t\"apiVersion\": \"cluster.open-cluster-management.io/v1beta2\",\n\
                     \t\"metadata\": {{\"name\": \"all\"}},\n\t\"spec\": {}\n}}\n",
                    r#"{"clusterSelector":{"selectorType":"LabelSelector","labelSelector":{}}}"#
                ),
            ),
        ],
    );
    let changed = run(&["what-if", "-f", &fleet, "--change", &edits]);
    let shown = text(&changed.stdout);
    assert!(
        shown.starts_with("3 of 3 clusters change, 0 shadowed, 2 subjects\n"),
        "{shown}\n{}",
        text(&changed.stderr)
    );
    assert!(shown.contains("\nManagedClusterSet/production  joins  1 cluster: us-1\n"), "{shown}");
    assert!(shown.contains("\nManagedClusterSet/all  joins  3 clusters: eu-1, eu-2, us-1\n"), "{shown}");
    assert_eq!(changed.status.code(), Some(1));
    let removed = run(&["what-if", "-f", &fleet, "--remove", "ManagedClusterSet/dev", "-o", "name"]);
    assert_eq!((text(&removed.stdout), removed.status.code()), ("ManagedClusterSet/dev\n", Some(1)));
    let same = run(&["what-if", "-f", &fleet, "--change", &format!("{fleet}/nested")]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    let set = run(&["what-if", "-f", &fleet, "--set", "stage=transitional", "-o", "name"]);
    assert_eq!(text(&set.stdout), "ManagedClusterSet/production\n", "{}", text(&set.stderr));
}

#[test]
fn a_change_that_cannot_be_read_is_told_in_its_own_file() {
    let fleet = folder("what-if-bad", &FLEET);
    let edits = folder("what-if-bad-edits", &[("a.yaml", SETS), ("b.yaml", "kind: X\n---\nkind: Z\n")]);
    let output = run(&["what-if", "-f", &fleet, "--change", &edits]);
    let said = text(&output.stderr);
    assert!(said.contains(&format!("--> {edits}/b.yaml:3:1\n  |\n3 | kind: Z\n  | ^\n")), "{said}");
    assert_eq!(output.status.code(), Some(2));
    let live = folder("what-if-live", &[("a.yaml", SETS), ("live/eu-1/x.yaml", "")]);
    fails(&["what-if", "-f", &fleet, "--change", &live], "a change must hold documents");
}

/// A preset with an operator that needs values.
const BROKEN_PRESET: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: metrics, namespace: acme}
spec:
  clusterSelector:
    matchExpressions: [{key: tier, operator: In}]
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
";

const PLUGINS: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata: {name: metrics, namespace: acme}
spec: {version: 1.0.0, options: [{name: replicas, type: int, default: 1}]}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginOverride
metadata: {name: more, namespace: acme}
spec:
  pluginDefinitionNames: [metrics]
  overrides: [{path: replicas, value: 2}]
---
";

#[test]
fn what_if_says_what_is_refused_and_what_keeps_its_state() {
    let preset = BROKEN_PRESET.replace("matchExpressions: [{key: tier, operator: In}]", "matchLabels: {tier: gold}");
    let fleet = folder("what-if-refused", &[("a.yaml", &format!("{PLUGINS}{preset}")), ("live/_hub/a.yaml", "")]);
    let what_if = |file: &str, text: &str, more: &[&str]| {
        let edits = folder(&format!("what-if-refused-{file}"), &[(file, text)]);
        let change = format!("{edits}/{file}");
        (run(&[&["what-if", "-f", &fleet, "--change", &change], more].concat()), change)
    };
    let (broken, _) = what_if("broken.yaml", BROKEN_PRESET, &[]);
    let shown = text(&broken.stdout);
    assert!(shown.starts_with("refused: PluginPreset/acme/metrics\n"), "{shown}");
    assert!(shown.contains("\n1 cluster keeps its last state\n"), "{shown}");
    assert!(!shown.contains("clusters change") && broken.status.code() == Some(2), "{shown}");

    let (unread, change) = what_if("unread.yaml", "kind: X\n", &[]);
    assert_eq!((text(&unread.stdout), unread.status.code()), (format!("refused: {change}:1\n").as_str(), Some(2)));

    let waits = preset.replace("  plugin:\n", "  plugin:\n    releaseNamespace: monitoring\n");
    let (planned, _) = what_if("waits.yaml", &waits, &[]);
    let shown = text(&planned.stdout);
    assert!(shown.starts_with("the plan changes, and the values of clusters stay the same"), "{shown}");
    assert!(shown.contains("\n1 to create, ") && planned.status.code() == Some(1), "{shown}");

    let removed = run(&["what-if", "-f", &fleet, "--remove", "PluginDefinition/acme/metrics", "-o", "json"]);
    let shown = squeezed(&removed);
    assert!(shown.contains(r#""document":"PluginOverride/acme/more""#), "not edited, and broken: {shown}");
}

#[test]
fn a_subject_that_cannot_be_read_is_named_with_its_line() {
    let fleet = folder("unreadable-subject", &[("a.yaml", &format!("{PLUGINS}{BROKEN_PRESET}"))]);
    let place = format!("{fleet}/a.yaml:22:24");
    let all = run(&["preview", "-f", &fleet]);
    let shown = text(&all.stdout);
    assert!(shown.contains("  keeps its last state\n") && shown.contains(&format!("    at: {place}\n")), "{shown}");
    for args in [&["preview"][..], &["explain", "--cluster", "eu-1"], &["explain", "--path", "replicas"]] {
        let one = run(&[args, &["-f", &fleet, "PluginPreset/acme/metrics"]].concat());
        let said = text(&one.stderr);
        assert!(said.contains("`PluginPreset/acme/metrics` keeps its last state: "), "{args:?}: {said}");
        assert!(said.contains(&format!("--> {place}\n")), "{args:?}: {said}");
        assert_eq!(one.status.code(), Some(2));
    }
    let plan = run(&["plan", "-f", &fleet, "-o", "json"]);
    assert!(squeezed(&plan).contains(r#""diagnostics":[{"at":"#), "{}", squeezed(&plan));
}

#[test]
fn settings_beside_the_documents_count() {
    let settings = "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  dialects: [greenhouse]\n";
    let fleet = folder("settings", &[FLEET[0], FLEET[1], ("fleetfold.yaml", settings)]);
    assert_eq!(text(&run(&["preview", "-f", &fleet, "-o", "name"]).stdout), "");
    fs::write(Path::new(&fleet).join("fleetfold.yaml"), settings.replace("greenhouse", "greenhose")).unwrap();
    let refused = run(&["preview", "-f", &fleet]);
    let said = text(&refused.stderr);
    assert!(said.contains("there is no dialect `greenhose`") && said.contains("fleetfold.yaml"), "{said}");
    assert_eq!(refused.status.code(), Some(2));
}

const BAD: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata:
  name: a
  name: b
---
kind: ManagedCluster
";

#[test]
fn lint_points_at_the_line() {
    let fleet = folder("lint", &[("bad.yaml", BAD), FLEET[0]]);
    let file = format!("{fleet}/bad.yaml");
    let output = run(&["lint", "-f", &file]);
    let shown = text(&output.stdout);
    let excerpt = format!("--> {file}:5:3\n  |\n5 |   name: b\n  |   ^\n");
    assert!(shown.starts_with("error[duplicate-key]: ") && shown.contains(&excerpt), "{shown}");
    assert!(shown.ends_with("\n0 documents: 2 errors, 0 warnings, 0 infos\n"), "{shown}");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let clean = run(&["lint", "-f", &format!("{fleet}/clusters.yaml"), "--fail-on", "error"]);
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stdout));
}

#[test]
fn lint_speaks_to_other_programs() {
    let fleet = folder("lint-formats", &[("bad.yaml", BAD)]);
    let github = run(&["lint", "-f", &fleet, "-o", "github"]);
    let first = text(&github.stdout).lines().next().unwrap_or_default();
    assert!(first.starts_with(&format!("::error file={fleet}/bad.yaml,line=5,col=3,title=duplicate-key::")), "{first}");
    let sarif = squeezed(&run(&["lint", "-f", &fleet, "-o", "sarif"]));
    assert!(sarif.contains(r#""region":{"startColumn":3,"startLine":5}"#), "{sarif}");
    assert!(sarif.contains(r#""rules":[{"id":"duplicate-key"},{"id":"not-an-object"}]"#), "{sarif}");
    let json = squeezed(&run(&["lint", "-f", &fleet, "-o", "json"]));
    assert!(json.starts_with(r#"{"diagnostics":[{"at":{"column":3,"file":""#), "{json}");
    assert!(json.ends_with(r#""documents":0,"errors":2,"infos":0,"warnings":0}"#), "{json}");
    let table = run(&["lint", "-f", &fleet, "-o", "table"]);
    assert!(text(&table.stdout).starts_with("SEVERITY   CODE            AT"), "{}", text(&table.stdout));
}

#[test]
fn what_cannot_be_read_is_told_beside_the_rest_and_stops_a_plan() {
    let fleet = folder("unread", &[("bad.yaml", BAD), FLEET[0], FLEET[1]]);
    let preview = run(&["preview", "-f", &fleet, "-o", "name"]);
    assert_eq!(text(&preview.stdout), "ManagedClusterSet/dev\nManagedClusterSet/production\n");
    assert!(text(&preview.stderr).starts_with("error[duplicate-key]: "), "{}", text(&preview.stderr));
    assert_eq!(preview.status.code(), Some(2));
    let plan = run(&["plan", "-f", &fleet]);
    assert_eq!((plan.status.code(), text(&plan.stdout)), (Some(2), ""));
    assert!(text(&plan.stderr).contains("\nerror: cannot plan: some documents cannot be read\n"));
}

#[test]
fn a_plan_goes_to_a_file() {
    let fleet = folder("plan", &FLEET);
    let file = format!("{fleet}/out.plan.json");
    let output = run(&["plan", "-f", &format!("{fleet}/clusters.yaml"), "-o", &file, "--max-deletes", "1"]);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("0 to create, 0 to patch, 0 to delete, 0 held, 0 objects to read first\n"), "{shown}");
    assert!(shown.contains("\ndigest sha256:"), "{shown}");
    assert_eq!(output.status.code(), Some(0));
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("{\n    \"actions\": [],\n    \"diagnostics\": ["), "{written}");
    assert!(
        written.contains("\"code\": \"unknown-set\"") && written.contains("\n    \"digest\": \"sha256:"),
        "{written}"
    );
    assert_eq!(run(&["plan", "-f", &fleet, "-o", "plan.txt"]).status.code(), Some(2));
    assert_eq!(run(&["plan", "-f", &fleet, "--now", "noon"]).status.code(), Some(2));
}

#[test]
fn select_lists_clusters() {
    let fleet = folder("select", &FLEET);
    let table = run(&["select", "-f", &fleet, "-l", "environment in (prod)"]);
    let want =
        "NAME   KIND             SETS\neu-1   ManagedCluster   dev,production\neu-2   ManagedCluster   production\n";
    assert_eq!(text(&table.stdout), want);
    let names = run(&["select", "-f", &fleet, "-l", r#"{"clusterNames": ["us-1"]}"#, "-o", "name"]);
    assert_eq!(text(&names.stdout), "ManagedCluster/us-1\n");
    let why = run(&["select", "-f", &fleet, "-l", "serial", "--why", "-o", "name"]);
    assert_eq!(text(&why.stdout), "ManagedCluster/us-1\n");
    let labels = run(&["select", "-f", &fleet, "-l", "serial", "--show-labels"]);
    assert!(text(&labels.stdout).contains("environment=dev,serial=9007199254740993"), "{}", text(&labels.stdout));
    // A number in a text is a text in YAML.
    let yaml = run(&["select", "-f", &fleet, "-l", "serial", "-o", "yaml"]);
    assert!(text(&yaml.stdout).contains("serial: \"9007199254740993\"\n"), "{}", text(&yaml.stdout));
    assert_eq!(run(&["select", "-f", &fleet, "-l", "a in"]).status.code(), Some(2));
}

#[test]
fn a_refusal_of_the_engine_suggests_what_was_meant() {
    let fleet = folder("refusal", &FLEET);
    let output = run(&["preview", "-f", &fleet, "ManagedClusterSet/prodaction"]);
    let want = "error[unknown-document]: `ManagedClusterSet/prodaction` is not loaded\
        \n = hint: did you mean `ManagedClusterSet/production`?\n";
    assert_eq!((text(&output.stderr), output.status.code()), (want, Some(2)));
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let fleet = folder("colour", &FLEET);
    let plain = run(&["preview", "-f", &fleet]);
    assert!(!text(&plain.stdout).contains('\u{1b}'));
    let always = finish(fleetfold(&["--color", "always", "preview", "-f", &fleet]).env("NO_COLOR", "1"), b"");
    assert!(text(&always.stdout).starts_with("\u{1b}[1mManagedClusterSet/dev\u{1b}[0m\n"));
}

#[test]
fn an_example_is_written_once_and_is_clean() {
    let fleet = folder("example", &[]);
    let _ = fs::remove_dir_all(&fleet);
    let output = run(&["example", "--clusters", "12", "--dir", &fleet]);
    assert!(text(&output.stdout).starts_with("12 clusters in "), "{}", text(&output.stderr));
    fails(&["example", "--clusters", "12", "--dir", &fleet], "is not empty");
    let errors = run(&["lint", "-f", &fleet, "--fail-on", "error"]);
    assert_eq!(errors.status.code(), Some(0), "{}", text(&errors.stdout));
    let listed = run(&["select", "-f", &fleet, "-o", "name"]);
    assert_eq!(text(&listed.stdout).lines().filter(|it| it.starts_with("ManagedCluster/")).count(), 12);
    // Without a folder, the same documents come in one stream.
    let stream = run(&["example", "--clusters", "12"]);
    let piped = finish(&mut fleetfold(&["select", "-f", "-", "-o", "name"]), &stream.stdout);
    assert_eq!(text(&piped.stdout), text(&listed.stdout));
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completion", shell]);
        let script = text(&output.stdout);
        for word in ["what-if", "authorize", "max-deletes"] {
            assert!(script.contains(word), "{shell} {word}");
        }
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let fleet = folder("usage", &FLEET);
    for args in [
        &["preview"][..],
        &["preview", "-f", "nowhere"],
        &["preview", "-f", &fleet, "-o", "wide"],
        &["diff", "-f", &fleet, "ManagedClusterSet/dev", "eu-1"],
        &["explain", "-f", &fleet],
        &["explain", "-f", &fleet, "ManagedClusterSet/dev", "--user", "eve"],
        &["explain", "-f", &fleet, "--user", "eve"],
        &["what-if", "-f", &fleet],
        &["what-if", "-f", &fleet, "--set", "precedence"],
        &["authorize", "-f", &fleet, "--user", "eve"],
        &["authorize", "-f", &fleet, "--user", "eve", "--cluster", "us-1", "--label", "x"],
        &["plan", "-f", &fleet, "--max-delete-percent", "101"],
        &["example", "--clusters", "0"],
        &["lint", "-f", &fleet, "--color", "sometimes"],
    ] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
}

/// The JSON that was printed, on one line.
fn squeezed(output: &Output) -> String {
    let value = fleetfold_core::value::json::parse(text(&output.stdout));
    value.unwrap_or_else(|error| panic!("{error:?}\n{}", text(&output.stderr))).to_canonical()
}

fn run(args: &[&str]) -> Output {
    finish(&mut fleetfold(args), b"")
}

fn finish(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn fleetfold(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.args(args).env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands-cache"));
    command
}

/// Exits with 2, an `error:` line that holds `message`, and a `hint:` line.
#[track_caller]
fn fails(args: &[&str], message: &str) {
    let output = run(args);
    let lines: Vec<_> = text(&output.stderr).lines().map(str::to_owned).collect();
    assert_eq!(output.status.code(), Some(2), "{lines:?}");
    assert!(lines.len() == 2 && lines[0].starts_with("error: ") && lines[1].starts_with("hint: "), "{lines:?}");
    assert!(lines[0].contains(message), "{lines:?}");
}

/// A folder of files. Tests run side by side: each has names of its own.
fn folder(name: &str, files: &[(&str, &str)]) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
