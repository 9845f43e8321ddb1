//! The fleet is the same each time, and is read without a finding.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::*;
use fleetfold_core::Workspace;
use fleetfold_core::api::Answered;
use fleetfold_core::api::load::Load;

fn files(clusters: u32) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let Ok(()) = fleet::<Infallible>(clusters, |path, text| {
        assert!(files.insert(path.to_owned(), text.to_owned()).is_none(), "{path} is written twice");
        Ok(())
    });
    files
}

#[test]
fn the_same_number_gives_the_same_bytes() {
    assert_eq!(files(30), files(30));
}

#[test]
fn a_cluster_has_its_labels_in_every_fleet() {
    let (small, large) = (files(5), files(1_200));
    let first = &large["clusters/greenhouse-000.yaml"];
    assert!(first.starts_with(&small["clusters/greenhouse-000.yaml"]));
    assert!(large.contains_key("clusters/greenhouse-001.yaml"));
}

#[test]
fn the_draws_are_those_of_splitmix64() {
    let mut draw = Draw { state: 1_234_567 };
    // The first outputs for this seed that the algorithm's authors publish.
    let drawn: Vec<u64> = (0..2).map(|_| draw.below(u64::MAX)).collect();
    assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
}

#[test]
fn every_document_is_read_without_a_finding() {
    let mut workspace = Workspace::default();
    let mut clusters = 0;
    for (path, text) in files(40).into_iter().filter(|(path, _)| !path.starts_with("live/")) {
        let load = Load { text: Some(text.into()), file: Some(path.as_str().into()), ..Load::default() };
        let Answered { answer, findings } = workspace.call(load).unwrap();
        assert_eq!(findings, [], "{path}");
        clusters = answer.clusters;
    }
    // Forty of Greenhouse, forty of OCM, twenty of KubeFed.
    assert_eq!(clusters, 100);
}
