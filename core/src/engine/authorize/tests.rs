use super::*;

const REGION: &str = "info.open-cluster-management.io/region";

fn value(text: &str) -> Value {
    crate::value::json::parse(text).expect("a test writes JSON")
}

fn cluster(labels: &[(&str, &str)]) -> Value {
    let labels = Value::map(labels.iter().copied());
    Value::map([
        ("kind", Value::text("ManagedCluster")),
        ("metadata", Value::map([("name", "c".into()), ("labels", labels)])),
    ])
}

/// Two roles that grant the same, sets that overlap, sets in conflict, and what nobody reads.
fn documents() -> Vec<Value> {
    let mut documents = vec![
        value(r#"{"kind":"Secret","metadata":{"name":"s","namespace":"n"}}"#),
        value(r#"{"kind":"ManagedClusterSet","metadata":{"name":"dev"}}"#),
        value(
            r#"{"kind":"ManagedClusterSet","metadata":{"name":"all"},"spec":{"clusterSelector":{"selectorType":"LabelSelector","labelSelector":{}}}}"#,
        ),
        value(
            r#"{"kind":"ManagedClusterSet","metadata":{"name":"bad"},"spec":{"clusterSelector":{"selectorType":"?"}}}"#,
        ),
    ];
    for name in ["one", "two"] {
        documents.push(value(&format!(
            r#"{{"kind":"ClusterRole","metadata":{{"name":"{name}"}},"rules":[{{"apiGroups":["*"],"resources":["*/label"],"verbs":["create"],"resourceNames":["*"]}}]}}"#
        )));
        documents.push(value(&format!(
            r#"{{"kind":"ClusterRoleBinding","metadata":{{"name":"{name}"}},"roleRef":{{"kind":"ClusterRole","name":"{name}"}},"subjects":[{{"kind":"User","name":"eve"}}]}}"#
        )));
        documents.push(value(&format!(
            r#"{{"kind":"ManagedClusterSet","metadata":{{"name":"{name}"}},"spec":{{"clusterSelector":{{"selectorType":"ExclusiveLabel","exclusiveLabel":{{"key":"{REGION}","value":"eu"}}}}}}}}"#
        )));
    }
    documents
}

fn ask(old: Option<&Value>, new: Option<&Value>, documents: &[Value], user: &str) -> (Verdict, Vec<Diagnostic>) {
    let user = User::new(user.into(), None);
    let (stage, mode) = (Stage::Full, Mode::Strict);
    let question = Question { user: &user, old, new, documents, reviews: &[], roles: true, stage, mode };
    let mut out = Vec::new();
    let verdict = authorize(&question, &mut out).expect("an answer");
    (verdict, out)
}

#[test]
fn the_order_of_the_documents_does_not_show() {
    let (old, new) = (cluster(&[]), cluster(&[(CLUSTERSET, "dev"), (REGION, "eu"), ("free", "x")]));
    let mut documents = documents();
    let want = ask(Some(&old), Some(&new), &documents, "eve");
    assert!(want.0.allowed());
    // Every rotation of the list, both ways round.
    for _ in 0..2 {
        for _ in 0..documents.len() {
            documents.rotate_left(1);
            assert_eq!(ask(Some(&old), Some(&new), &documents, "eve"), want);
        }
        documents.reverse();
    }
}

/// Clusters that differ in what matters: reserved or not, the clusterset label or another, absent, and by value.
fn clusters() -> Vec<Option<Value>> {
    let mut clusters = vec![None];
    for set in [None, Some("dev"), Some("qa")] {
        for region in [None, Some("eu"), Some("us")] {
            for free in [None, Some("x")] {
                let labels = [(CLUSTERSET, set), (REGION, region), ("free", free)];
                let labels: Vec<_> = labels.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
                clusters.push(Some(cluster(&labels)));
            }
        }
    }
    clusters
}

#[test]
fn going_back_asks_for_the_same_and_undoes_the_sets() {
    let clusters = clusters();
    for old in clusters.iter().flatten() {
        for new in clusters.iter().flatten() {
            let (there, _) = ask(Some(old), Some(new), &documents(), "bob");
            let (back, _) = ask(Some(new), Some(old), &documents(), "bob");
            let labels = |verdict: &Verdict, change| {
                verdict.checks.iter().filter(|it| it.change == change).map(|it| it.label.clone()).collect::<Vec<_>>()
            };
            assert_eq!(labels(&there, Change::Add), labels(&back, Change::Remove));
            assert_eq!((there.joins, there.leaves), (back.leaves, back.joins));
        }
    }
}

#[test]
fn a_cluster_that_stays_as_it_is_needs_nothing() {
    for cluster in clusters().iter().flatten() {
        let (verdict, _) = ask(Some(cluster), Some(cluster), &documents(), "bob");
        assert_eq!((verdict.checks, verdict.joins, verdict.leaves, verdict.needs), (vec![], vec![], vec![], vec![]));
    }
}

#[test]
fn whoever_has_no_permission_changes_no_reserved_label() {
    let clusters = clusters();
    let reserved = |it: &Value| {
        let get = |key: &str| it.at(&["metadata", "labels", key]).cloned();
        (get(CLUSTERSET), get(REGION))
    };
    for old in clusters.iter().flatten() {
        for new in clusters.iter().flatten() {
            let (verdict, _) = ask(Some(old), Some(new), &documents(), "bob");
            assert_eq!(verdict.allowed(), reserved(old) == reserved(new));
        }
    }
}

#[test]
fn every_need_that_is_met_brings_a_decision() {
    let user = User::new("eve".into(), None);
    let new = cluster(&[(CLUSTERSET, "dev"), (REGION, "eu")]);
    for answer in [true, false] {
        let ask = |reviews: &[Review]| {
            let (documents, stage, mode) = (&[], Stage::Full, Mode::Strict);
            let question =
                Question { user: &user, old: None, new: Some(&new), documents, reviews, roles: false, stage, mode };
            authorize(&question, &mut Vec::new()).expect("an answer")
        };
        let open = ask(&[]);
        assert!(!open.allowed());
        let reviews: Vec<Review> = open
            .needs
            .iter()
            .map(|it| Review {
                resource: it.resource.into(),
                subresource: it.subresource.into(),
                name: it.name.clone(),
                verb: "create".into(),
                allowed: answer,
            })
            .collect();
        let decided = ask(&reviews);
        assert_eq!((decided.needs.len(), decided.allowed()), (0, answer));
    }
}
