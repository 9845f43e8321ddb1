//! Manifests as users of the systems have them: they load, and nothing in them is an error. The field names are those
//! of the systems; the values are made up.

mod fleet;

use std::fs;
use std::path::Path;

use fleet::{Fleet, examples, files};
use fleetfold_core::api::load::Load;
use fleetfold_core::api::subjects::SubjectAnswer;
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::value::Text;

/// Loads a file of manifests beside what it stands on; answers what was found in it, which is nothing worse than a
/// warning.
#[track_caller]
fn load(fleet: &mut Fleet, name: &str) -> Vec<Text> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let loaded = fleet.answered(Load { file: Some(name.into()), text: Some(text.into()), ..Load::default() });
    let mut codes = Vec::new();
    for finding in loaded.findings.into_iter().chain(fleet.lint()) {
        assert_ne!(finding.severity, Severity::Error, "{finding:?}");
        if finding.at.and_then(|at| at.file).is_some_and(|file| file == name) {
            codes.push(finding.code);
        }
    }
    codes
}

/// What produces results, and for how many clusters; every one of them can be read.
fn subjects(fleet: &mut Fleet) -> Vec<String> {
    let line = |it: SubjectAnswer| {
        assert_eq!(it.error, None, "{it:?}");
        format!("{} {}", it.subject, it.clusters.map_or("the hub".into(), |it| it.to_string()))
    };
    fleet.subjects().into_iter().map(line).collect()
}

/// Every cluster is answered.
#[track_caller]
fn check_results(fleet: &mut Fleet) {
    for subject in fleet.subjects() {
        for result in fleet.effective(&subject.subject).results {
            assert_eq!(result.error, None, "{subject:?}");
        }
    }
}

#[test]
fn manifests_of_greenhouse() {
    let mut fleet = Fleet::default();
    assert_eq!(load(&mut fleet, "greenhouse.yaml"), [""; 0]);
    // The Plugin is what a preset has made, so that it has no results of its own.
    let want = ["PluginPreset/north/backup 1", "PluginPreset/north/certificates 1"];
    assert_eq!(subjects(&mut fleet), want);
    check_results(&mut fleet);
}

#[test]
fn older_manifests_of_greenhouse_are_read_and_told() {
    let mut fleet = Fleet::default();
    assert_eq!(load(&mut fleet, "greenhouse-old.yaml"), ["old-form"; 3]);
    assert_eq!(subjects(&mut fleet), ["Plugin/south/logs-hand-made 1", "PluginPreset/south/logs 1"]);
    check_results(&mut fleet);
}

#[test]
fn manifests_of_open_cluster_management() {
    let mut fleet = Fleet::default();
    assert_eq!(load(&mut fleet, "ocm.yaml"), ["deprecated-join", "unguarded-label"]);
    let want = [
        "ManagedClusterSet/kinds 2",
        "ManagedClusterSet/lab 1",
        "ManagedClusterSetBinding/team-b/kinds 2",
        "Placement/team-b/api 2",
    ];
    assert_eq!(subjects(&mut fleet), want);
    check_results(&mut fleet);
}

#[test]
fn older_manifests_of_open_cluster_management() {
    let mut fleet = Fleet::default();
    assert_eq!(load(&mut fleet, "ocm-old.yaml"), ["unserved-version"; 3]);
    let want = ["ManagedClusterSet/attic 1", "ManagedClusterSet/cellar 0", "ManagedClusterSetBinding/keepers/attic 1"];
    assert_eq!(subjects(&mut fleet), want);
    check_results(&mut fleet);
}

#[test]
fn manifests_of_kudo() {
    let mut fleet = Fleet::default();
    assert_eq!(load(&mut fleet, "kudo.yaml"), [""; 0]);
    assert_eq!(subjects(&mut fleet), ["OperatorVersion/cache/redis-6.2-0.4.0 the hub"]);
    check_results(&mut fleet);
}

#[test]
fn manifests_of_cert_managers_operators() {
    // Written by hand, they have no uid yet.
    for (name, kind, reported) in [
        ("certmanager.yaml", "CertManagerDeployment", &["owner-unknown", "arguments-dropped"][..]),
        ("certmanager-old.yaml", "CertManagerDeployment", &["owner-unknown"]),
        ("certmanager-openshift.yaml", "CertManager", &["owner-unknown"]),
    ] {
        let mut fleet = Fleet::default();
        for (file, text) in files(&examples("certmanager/bundles")) {
            fleet.load(&file, &text);
        }
        assert_eq!(load(&mut fleet, name), reported, "{name}");
        assert_eq!(subjects(&mut fleet), [format!("{kind}/cluster the hub")], "{name}");
        check_results(&mut fleet);
    }
}
