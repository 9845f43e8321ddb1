//! A document on which the engine exceeds a limit is put aside; everything else goes on.

mod server;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fleetfold::cache::Cache;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::session::Session;
use fleetfold_core::Value;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::value::json;
use server::Server;

/// Far below what the heavy preset needs for its plan, and far above what the others do.
const MEMORY: usize = 96 << 20;

const CLUSTERS: usize = 200;

/// The size of the heavy preset's option, of which every cluster gets a copy.
const OPTION: usize = 1 << 20;

fn cluster(index: usize) -> String {
    format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{{"labels":{{"tier":"gold"}},"name":"c{index:03}","namespace":"acme"}},"spec":{{"accessMode":"direct"}}}}"#
    )
}

fn definition() -> String {
    r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginDefinition","metadata":{"name":"d","namespace":"acme"},"spec":{"options":[{"name":"o","type":"string"}],"version":"1.0.0"}}"#.to_owned()
}

fn preset(name: &str, option: &str) -> String {
    format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginPreset","metadata":{{"name":"{name}","namespace":"acme"}},"spec":{{"clusterSelector":{{"matchLabels":{{"tier":"gold"}}}},"plugin":{{"optionValues":[{{"name":"o","value":"{option}"}}],"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"d"}}}}}}}}"#
    )
}

fn fleet() -> Vec<String> {
    let clusters = (0..CLUSTERS).map(cluster);
    clusters.chain([definition(), preset("a", "small"), preset("b", "small")]).collect()
}

fn heavy() -> String {
    preset("heavy", &"x".repeat(OPTION))
}

fn session() -> Session {
    let module = Module::embedded(&Cache::of_user()).unwrap();
    let limits = Limits { memory: MEMORY, deadline: Duration::from_secs(60), ..Limits::default() };
    let mut session = Session::new(Box::new(Guest::new(&module, limits).unwrap()));
    load(&mut session, &fleet());
    let live = Load { live: Some("".into()), documents: Some(Vec::new()), complete: Some(true), ..Load::default() };
    session.change(live).unwrap();
    session
}

fn load(session: &mut Session, documents: &[String]) {
    let documents: Vec<Value> = documents.iter().map(|it| json::parse(it).unwrap()).collect();
    session.change(Load { documents: Some(documents), ..Load::default() }).unwrap();
}

fn actions(session: &mut Session, preset: &str) -> usize {
    let plan = session.call(&PlanRequest::default()).unwrap().answer;
    plan.actions.iter().filter(|it| it.subject == format!("PluginPreset/acme/{preset}")).count()
}

#[test]
fn a_plan_that_needs_too_much_memory_is_made_without_the_cause() {
    let mut session = session();
    load(&mut session, &[heavy()]);
    assert_eq!(actions(&mut session, "a"), CLUSTERS);
    assert_eq!(actions(&mut session, "b"), CLUSTERS);
    assert_eq!(actions(&mut session, "heavy"), 0);
    let quarantined = session.quarantine().iter().next().unwrap();
    assert_eq!(
        (quarantined.reference.as_str(), quarantined.code.as_str()),
        ("PluginPreset/acme/heavy", "memory-limit")
    );
    // Repaired, it is planned like any other.
    load(&mut session, &[preset("heavy", "small")]);
    assert_eq!(actions(&mut session, "heavy"), CLUSTERS);
    assert!(session.quarantine().is_empty());
}

#[test]
fn an_override_that_needs_too_much_memory_for_every_preset_is_the_one_cause() {
    let mut session = session();
    let big = format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginOverride","metadata":{{"name":"big","namespace":"acme"}},"spec":{{"overrides":[{{"path":"o","value":"{}"}}]}}}}"#,
        "x".repeat(OPTION)
    );
    load(&mut session, std::slice::from_ref(&big));
    // The presets that it reaches keep their last state.
    assert_eq!([actions(&mut session, "a"), actions(&mut session, "b")], [0, 0]);
    let quarantined: Vec<&str> = session.quarantine().iter().map(|it| it.reference.as_str()).collect();
    assert_eq!(quarantined, ["PluginOverride/acme/big"]);
    // Repaired, they are planned like any other.
    load(&mut session, &[big.replace(&"x".repeat(OPTION), "small")]);
    assert_eq!([actions(&mut session, "a"), actions(&mut session, "b")], [CLUSTERS, CLUSTERS]);
    assert!(session.quarantine().is_empty());
}

/// A folder with the fleet and the heavy preset, and an empty hub.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("quarantine").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("fleet/live/_hub")).unwrap();
    fs::write(folder.join("fleet/fleet.yaml"), [fleet().join("\n---\n"), heavy()].join("\n---\n")).unwrap();
    fs::write(folder.join("fleet/live/_hub/none.yaml"), "").unwrap();
    folder
}

#[test]
fn a_served_fleet_is_planned_without_the_cause_and_says_so() {
    let fleet = folder("serve").join("fleet");
    let server = Server::start_with(&["-f", fleet.to_str().unwrap(), "--timeout", "60s", "--memory", "96MiB"]);
    let served = server.get("/v1/fleet").body;
    let tail = served.find(r#""diagnostics":["#).map(|it| served[it..].chars().take(400).collect::<String>());
    assert!(tail.as_deref().is_some_and(|it| it.contains("quarantined-document")), "{tail:?}");
    assert_eq!(server.ask(&PlanRequest::default()).actions.len(), 2 * CLUSTERS);
}

#[test]
fn the_command_plans_the_rest_and_names_the_cause() {
    let folder = folder("plan");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.args(["plan", "-f", "fleet", "-o", "name", "--timeout", "60s", "--memory", "96MiB"]);
    let output = command.current_dir(&folder).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("PluginPreset/acme/heavy"), "{err}");
    assert!(err.contains("quarantined-document"), "{err}");
    assert!(out.contains("a-c000") && out.contains("b-c199"), "{out}");
    assert!(!out.contains("heavy-c000"), "{out}");
}
