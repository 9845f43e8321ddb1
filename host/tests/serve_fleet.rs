//! A fleet that is served: read-only, the same in the page as here, and always as the files are.

mod server;

use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

use fleetfold_core::Workspace;
use fleetfold_core::api::clusters::Clusters;
use fleetfold_core::api::{Finding, request_text};
use fleetfold_core::diagnostic::Severity;
use rustix::process::Signal;
use server::{Fleet, Folder, JSON, Server, Source, failure, fleetfold, repository};

const PLAN: &str = r#"{"op":"plan","now":"2026-01-01T00:00:00Z"}"#;

fn cluster(name: &str, label: &str) -> String {
    let metadata = format!("metadata:\n  name: {name}\n  labels: {{tier: {label}}}\n");
    format!("apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n{metadata}")
}

/// The engine of a page, after it loaded the fleet.
fn replayed(fleet: &Fleet) -> Workspace {
    let mut workspace = Workspace::default();
    for load in &fleet.loads {
        workspace.call(load.clone()).unwrap();
    }
    for settings in &fleet.configure {
        workspace.call(settings.configure.clone()).unwrap();
    }
    workspace
}

#[track_caller]
fn text_of<'a>(fleet: &'a Fleet, file: &str) -> &'a str {
    let found = fleet.loads.iter().find(|it| it.file.as_deref().is_some_and(|it| it.ends_with(file)));
    found.and_then(|it| it.text.as_deref()).unwrap_or_else(|| panic!("`{file}` is not served"))
}

/// How many clusters the server's engine knows.
fn clusters(server: &Server) -> usize {
    server.ask(&Clusters::default()).clusters.len()
}

/// The only diagnostic of a fleet.
#[track_caller]
fn diagnostic(fleet: &Fleet) -> &Finding {
    let [finding] = fleet.diagnostics.as_slice() else { panic!("{:?}", fleet.diagnostics) };
    finding
}

fn file_of(finding: &Finding) -> &str {
    finding.at.as_ref().and_then(|it| it.file.as_deref()).unwrap_or_default()
}

#[test]
fn a_page_that_loads_what_is_served_comes_to_the_same_plan() {
    for example in ["greenhouse", "ocm", "kubefed", "kudo", "certmanager"] {
        let folder = repository("examples").join(example);
        let server = Server::start_with(&["-f", folder.to_str().unwrap()]);
        let fleet = server.fleet();
        let own = server.call(&[JSON], PLAN).body;
        assert!(own.contains("sha256:"), "{own}");
        assert_eq!(replayed(&fleet).call_text(PLAN), own, "{example}");
        assert_eq!(fleet.source, Source { kind: "folder".to_owned(), name: folder.display().to_string() });
        assert!(fleet.editable);
    }
}

#[test]
fn settings_come_with_their_file() {
    let folder = Folder::new("settings");
    folder.write("a.yaml", cluster("a", "gold"));
    folder.write("fleetfold.yaml", "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec: {paused: true}\n");
    let server = Server::start_with(&["-f", folder.path()]);
    let fleet = server.fleet();
    let [settings] = fleet.configure.as_slice() else { panic!("{}", fleet.body) };
    assert!(settings.file.as_deref().unwrap().ends_with("/fleetfold.yaml"));
    assert!(settings.text.as_deref().unwrap().contains("kind: Settings"));
    assert_eq!(request_text(&settings.configure), r#"{"op":"configure","paused":true}"#);
    assert_eq!(replayed(&fleet).call_text(PLAN), server.call(&[JSON], PLAN).body);
}

#[test]
fn what_would_change_the_fleet_is_refused_and_what_if_is_not() {
    let folder = Folder::new("read-only");
    folder.write("a.yaml", cluster("a", "gold"));
    let server = Server::start_with(&["-f", folder.path()]);
    let before = server.fleet();
    for request in [
        r#"{"op":"load","documents":[]}"#,
        r#"{"op":"unload","refs":["ManagedCluster/a"]}"#,
        r#"{"op":"configure","paused":true}"#,
        "{\"documents\":[],\"\\u006fp\":\"l\\u006fad\"}",
    ] {
        let refusal = server.refusal(request).unwrap();
        assert_eq!(refusal.code, "read-only", "{request}");
        assert!(refusal.hint.unwrap().contains("`whatIf`"));
    }
    assert_eq!(server.refusal(r#"{"op":"whatIf","unload":["ManagedCluster/a"]}"#), None);
    assert_eq!(server.fleet().body, before.body);
    assert_eq!(clusters(&server), 1);
    assert!(server.get("/").body.contains(r#"name="fleetfold-serve" content="fleet""#));
}

#[test]
fn a_call_that_is_stopped_leaves_the_fleet() {
    let folder = Folder::new("stopped");
    folder.write("a.yaml", cluster("a", "gold"));
    // What a call may have is enough for the fleet, and not for what this one asks.
    let server = Server::start_with(&["-f", folder.path(), "--memory", "16MiB"]);
    let text = "a: 1\\n---\\n".repeat(200_000);
    let answer = server.call(&[JSON], &format!(r#"{{"op":"parse","text":"{text}"}}"#)).body;
    assert!(answer.contains(r#"{"error":{"code":"memory-limit"#), "{}", &answer[..200.min(answer.len())]);
    assert_eq!(clusters(&server), 1);
}

#[test]
fn an_edit_is_told_and_served() {
    let folder = Folder::new("edit");
    folder.write("a.yaml", cluster("a", "gold"));
    let server = Server::start_with(&["-f", folder.path()]);
    let mut updates = server.updates();
    assert!(updates.head.contains("content-type: text/event-stream"), "{}", updates.head);
    assert!(updates.head.contains("cache-control: no-store"), "{}", updates.head);
    let first = updates.next();
    assert_eq!(first, server.fleet().revision);

    folder.write("a.yaml", cluster("a", "lead"));
    let second = updates.next();
    assert_ne!(second, first);
    let fleet = server.fleet();
    assert_eq!(fleet.revision, second);
    assert!(text_of(&fleet, "a.yaml").contains("lead"));
    assert!(server.call(&[JSON], r#"{"op":"clusters"}"#).body.contains("lead"), "calls see it too");

    folder.write("more/b.yaml", cluster("b", "gold"));
    updates.next();
    assert_eq!(server.fleet().loads.len(), 2);
    fs::remove_file(folder.0.join("a.yaml")).unwrap();
    updates.next();
    assert_eq!(server.fleet().loads.len(), 1);
    // As editors do: a new file in the place of the old one.
    folder.write("more/.b.new", cluster("b", "iron"));
    fs::rename(folder.0.join("more/.b.new"), folder.0.join("more/b.yaml")).unwrap();
    updates.next();
    assert!(text_of(&server.fleet(), "b.yaml").contains("iron"));

    // What is undone is what it was, by its revision too.
    folder.write("a.yaml", cluster("a", "gold"));
    updates.next();
    fs::remove_dir_all(folder.0.join("more")).unwrap();
    assert_eq!(updates.next(), first);
}

#[test]
fn a_file_that_cannot_be_read_stays_as_it_was_and_says_so() {
    let folder = Folder::new("broken");
    folder.write("a.yaml", cluster("a", "gold"));
    folder.write("b.yaml", cluster("b", "gold"));
    let server = Server::start_with(&["-f", folder.path()]);
    let mut updates = server.updates();
    let whole = updates.next();
    let broken: [&[u8]; 3] = [b"metadata: {name: [\n", b"\xff\xfe", b"a: 1\n  b: 2\n"];
    for (round, text) in broken.into_iter().enumerate() {
        folder.write("a.yaml", text);
        updates.next();
        let fleet = server.fleet();
        let finding = diagnostic(&fleet);
        assert_eq!(finding.severity, Severity::Error);
        assert!(file_of(finding).ends_with("a.yaml"), "{finding:?}");
        assert!(finding.message.ends_with("the previous version is shown"), "{finding:?}");
        assert!(text_of(&fleet, "a.yaml").contains("gold"));
        // The others go on.
        folder.write("b.yaml", cluster("b", &format!("round-{round}")));
        updates.next();
        assert!(text_of(&server.fleet(), "b.yaml").contains(&format!("round-{round}")));
        assert_eq!(clusters(&server), 2);
    }
    folder.write("a.yaml", cluster("a", "gold"));
    updates.next();
    folder.write("b.yaml", cluster("b", "gold"));
    assert_eq!(updates.next(), whole);
}

#[test]
fn settings_that_are_refused_leave_everything_as_it_was() {
    let folder = Folder::new("refused");
    folder.write("a.yaml", cluster("a", "gold"));
    let server = Server::start_with(&["-f", folder.path()]);
    let mut updates = server.updates();
    let whole = updates.next();
    folder.write("fleetfold.yaml", "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec: {pausd: true}\n");
    updates.next();
    let fleet = server.fleet();
    let finding = diagnostic(&fleet);
    assert_eq!(finding.code, "fleet-not-loaded");
    assert!(finding.message.contains("pausd"), "{finding:?}");
    assert_eq!(fleet.configure.len(), 0);
    fs::remove_file(folder.0.join("fleetfold.yaml")).unwrap();
    assert_eq!(updates.next(), whole);
    folder.write("fleetfold.yaml", "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec: {pausd: true}\n");
    assert!(failure(&["--port", "0", "-f", folder.path()]).contains("fleetfold.yaml"), "at the start it is a failure");
}

#[test]
fn a_folder_that_goes_away_is_shown_as_it_was_until_it_comes_back() {
    let folder = Folder::new("away");
    folder.write("a.yaml", cluster("a", "gold"));
    let server = Server::start_with(&["-f", folder.path()]);
    let mut updates = server.updates();
    let whole = updates.next();
    fs::remove_dir_all(&folder.0).unwrap();
    updates.next();
    let fleet = server.fleet();
    assert_eq!((fleet.loads.len(), fleet.diagnostics.len()), (1, 1));
    folder.write("a.yaml", cluster("a", "gold"));
    assert_eq!(updates.next(), whole);
}

#[test]
fn many_pages_hold_up_neither_each_other_nor_a_call() {
    let folder = Folder::new("many");
    folder.write("a.yaml", cluster("a", "gold"));
    let mut server = Server::start_with(&["-f", folder.path()]);
    let mut pages: Vec<_> = (0..100).map(|_| server.updates()).collect();
    let first: Vec<String> = pages.iter_mut().map(server::Updates::next).collect();
    let started = Instant::now();
    assert_eq!(clusters(&server), 1);
    assert!(started.elapsed() < Duration::from_secs(10));
    folder.write("a.yaml", cluster("a", "lead"));
    let told: Vec<String> = pages.iter_mut().map(server::Updates::next).collect();
    assert!(told.iter().zip(&first).all(|(now, before)| *now == told[0] && now != before));
    // All of them end, and the server with them.
    let started = Instant::now();
    server.stop(Signal::TERM);
    assert!(started.elapsed() < Duration::from_secs(3), "open pages do not hold it until its patience ends");
    for mut page in pages {
        let mut rest = String::new();
        page.lines.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "the stream ends as it should: {rest:?}");
    }
}

#[test]
fn what_comes_through_standard_input_is_read_once_and_kept() {
    let folder = Folder::new("stdin");
    folder.write("a.yaml", cluster("a", "gold"));
    folder.write("input", cluster("b", "gold"));
    let mut command = fleetfold(&["--port", "0", "-f", "-", "-f", folder.0.join("a.yaml").to_str().unwrap()]);
    command.stdin(fs::File::open(folder.0.join("input")).unwrap());
    let server = Server::of(command);
    let mut updates = server.updates();
    updates.next();
    folder.write("a.yaml", cluster("a", "lead"));
    updates.next();
    assert_eq!(text_of(&server.fleet(), "<stdin>"), cluster("b", "gold"));
}

#[test]
fn a_file_that_is_refused_is_a_finding_and_the_others_are_served() {
    let folder = Folder::new("links");
    folder.write("a.yaml", cluster("a", "gold"));
    folder.write("large.yaml", format!("{}# {}\n", cluster("b", "gold"), "x".repeat(5000)));
    std::os::unix::fs::symlink("/proc/self/environ", folder.0.join("c.yaml")).unwrap();
    let server = Server::start_with(&["-f", folder.path(), "--max-file-size", "4KiB"]);
    let fleet = server.fleet();
    assert_eq!(fleet.loads.len(), 1);
    let [first, second] = fleet.diagnostics.as_slice() else { panic!("{:?}", fleet.diagnostics) };
    assert!([first, second].iter().all(|it| it.code == "refused-file"), "{first:?} {second:?}");
    assert!(file_of(first).ends_with("c.yaml") && file_of(second).ends_with("large.yaml"), "{first:?} {second:?}");
    assert!(!fleet.body.contains("CARGO"), "nothing of the environment is served");

    // A file that was read and then becomes a link out of the folder stays as it was.
    let mut updates = server.updates();
    updates.next();
    fs::remove_file(folder.0.join("a.yaml")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.0.join("a.yaml")).unwrap();
    updates.next();
    let fleet = server.fleet();
    assert!(text_of(&fleet, "a.yaml").contains("gold"));
    assert!(!fleet.body.contains("root:"));
}

#[test]
fn a_cluster_with_a_refused_file_is_not_complete() {
    let folder = Folder::new("partial");
    folder.write("a.yaml", cluster("a", "gold"));
    for name in ["eu-1", "eu-2"] {
        fs::create_dir_all(folder.0.join("live").join(name)).unwrap();
        folder.write(&format!("live/{name}/b.yaml"), cluster("b", "gold"));
    }
    folder.write("live/eu-1/large.yaml", format!("{}# {}\n", cluster("c", "gold"), "x".repeat(5000)));
    let server = Server::start_with(&["-f", folder.path(), "--max-file-size", "4KiB"]);
    let fleet = server.fleet();
    let complete = fleet.loads.iter().filter(|it| it.complete == Some(true));
    assert_eq!(complete.filter_map(|it| it.live.as_deref()).collect::<Vec<_>>(), ["eu-2"]);
}

#[test]
fn a_folder_without_documents_is_told() {
    let folder = Folder::new("empty");
    let said = failure(&["--port", "0", "-f", folder.path()]);
    assert!(said.contains("there is no `.yaml`, `.yml` or `.json` file in"), "{said}");
}
