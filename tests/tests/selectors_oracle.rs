//! Selectors against `k8s.io/apimachinery`: the same verdict, and an error exactly where the original errs.

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::select::{ClusterInput, Select};
use fleetfold_core::value::json::{self, JsonErrorKind};
use fleetfold_tests::oracles::{Oracle, seed};

const CASES: usize = 50_000;

#[test]
fn selectors_agree_with_the_original() {
    let oracle = Oracle::build("selectors");
    let requests = oracle.generate(seed(), CASES);
    let answers = oracle.ask(&[], &requests);
    assert_eq!((requests.len(), answers.len()), (CASES, CASES));

    let mut workspace = Workspace::default();
    let (mut valid, mut repeated, mut lists, mut differences) = (0, 0, 0, Vec::new());
    for (request, theirs) in requests.iter().zip(&answers) {
        let request = match json::parse(request) {
            Ok(request) => request,
            // The one known difference: the original reads the last of two equal keys, the contract refuses them.
            Err(error) => {
                assert_eq!(error.kind, JsonErrorKind::DuplicateKey, "{request}");
                repeated += 1;
                continue;
            }
        };
        // And one addition: a list means any of its selectors, where the original knows no lists.
        if request.get("selector").is_some_and(|it| it.as_list().is_some()) {
            lists += 1;
            continue;
        }
        let ours = ask(&mut workspace, &request);
        let theirs = verdict(theirs);
        valid += usize::from(theirs.is_some());
        if ours.0 != theirs {
            differences.push(format!(
                "{}\n  original {theirs:?}, ours {:?}: {}",
                request.to_canonical(),
                ours.0,
                ours.1
            ));
        }
    }
    let counts = format!(
        "{CASES} cases, {valid} valid, {repeated} with a repeated key, {lists} lists, {} differences",
        differences.len()
    );
    println!("selectors: seed {}, {counts}", seed());
    assert!(repeated + lists < CASES / 20, "{counts}");
    assert!(valid > CASES / 2, "most generated selectors should be valid");
    assert!(differences.is_empty(), "{}", differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
}

/// Whether the selector picks a cluster with these labels; nothing when it is refused.
fn ask(workspace: &mut Workspace, request: &Value) -> (Option<bool>, String) {
    let labels = request.get("labels").filter(|it| !it.is_null());
    let labels = labels.map(|it| it.as_map().expect("labels are a map").clone());
    let cluster = ClusterInput { name: "a".into(), labels, ..ClusterInput::default() };
    let selector = request.get("selector").cloned().unwrap_or_default();
    let answered = workspace.call(Select { selector, clusters: vec![cluster], ..Select::default() });
    (answered.as_ref().ok().map(|it| !it.answer.clusters.is_empty()), format!("{answered:?}"))
}

fn verdict(answer: &str) -> Option<bool> {
    json::parse(answer).expect("the oracle answers JSON").get("verdict").and_then(Value::as_bool)
}
