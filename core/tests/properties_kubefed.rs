//! What holds for every fleet of federated objects: one plan is enough, the next one is empty, and neither the order in
//! which documents come nor what was asked before means anything.

mod fleet;

use fleet::{Fleet, ask, load, value};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::load::Load;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::api::request_text;
use fleetfold_core::api::what_if::WhatIf;
use fleetfold_core::value::{Map, OneOrMany};
use fleetfold_core::workspace::Leaving;

const FLEETS: u64 = 400;
const CLUSTERS: [&str; 4] = ["a", "b", "c", "d"];

/// A sequence of numbers that looks random and is the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    fn some<'a>(&mut self, of: &'a [&'a str]) -> Vec<&'a str> {
        of.iter().filter(|_| self.below(2) == 0).copied().collect()
    }
}

const TEMPLATES: &[(&str, &str)] = &[
    ("ConfigMap", r#"{"data":{"k":"1","l":"2"}}"#),
    ("ConfigMap", r#"{"metadata":{"annotations":{"ours":"1"},"labels":{"app":"x"}},"data":{"k":"1"}}"#),
    (
        "Deployment",
        r#"{"metadata":{"labels":{"app":"x"}},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"spec":{"containers":[{"name":"m","image":"i:1","args":["--a"]}]}}}}"#,
    ),
    ("Service", r#"{"spec":{"ports":[{"name":"http","port":80},{"name":"s","port":443}],"selector":{"app":"x"}}}"#),
    ("ServiceAccount", r#"{"metadata":{"finalizers":["f/x"]},"secrets":[{"name":"s"}]}"#),
];

const OVERRIDES: &[(&str, &[&str])] = &[
    (
        "ConfigMap",
        &[
            r#"{"path":"/data/k","value":"9"}"#,
            r#"{"op":"add","path":"/data/m","value":"8"}"#,
            r#"{"op":"remove","path":"/data/k"}"#,
            r#"{"op":"add","path":"/metadata/annotations/a","value":"1"}"#,
            r#"{"op":"add","path":"/metadata/labels","value":{"z":"1"}}"#,
        ],
    ),
    (
        "Deployment",
        &[
            r#"{"path":"/spec/replicas","value":5}"#,
            r#"{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--b"}"#,
            r#"{"op":"add","path":"/spec/template/spec/containers/0/args/0","value":"--c"}"#,
            r#"{"op":"add","path":"/spec/template/spec/containers/0","value":{"name":"n","image":"j:1"}}"#,
            r#"{"op":"remove","path":"/spec/template/spec/containers/0/args"}"#,
        ],
    ),
    (
        "Service",
        &[
            r#"{"op":"remove","path":"/spec/ports/1"}"#,
            r#"{"op":"add","path":"/spec/type","value":"NodePort"}"#,
            r#"{"op":"add","path":"/spec/ports/0/nodePort","value":30080}"#,
        ],
    ),
    ("ServiceAccount", &[r#"{"op":"add","path":"/secrets/-","value":{"name":"t"}}"#]),
];

/// What clusters and their controllers leave on objects.
const SEEN: &[(&str, &str)] = &[
    ("ConfigMap", r#"{"metadata":{"annotations":{"theirs":"1"}},"data":{"k":"7","m":"live"}}"#),
    (
        "Deployment",
        r#"{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2"},"labels":{"extra":"y"}},"spec":{"replicas":4,"selector":{"matchLabels":{"app":"x"}},"template":{"spec":{"containers":[{"name":"m","image":"i:0","args":["--a"],"imagePullPolicy":"Always"}]}}},"status":{"replicas":4}}"#,
    ),
    (
        "Service",
        r#"{"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"name":"http","port":80,"protocol":"TCP","nodePort":31000}],"sessionAffinity":"None"}}"#,
    ),
    ("ServiceAccount", r#"{"secrets":[{"name":"token-1"}],"imagePullSecrets":[{"name":"p"}]}"#),
];

fn documents(dice: &mut Dice) -> (Vec<Value>, Vec<(&'static str, Value)>) {
    let mut documents = Vec::new();
    for (index, name) in CLUSTERS.iter().enumerate() {
        let env = *dice.one(&["dev", "prod"]);
        let status = if index == 3 && dice.below(2) == 0 {
            r#"{"conditions":[{"type":"Offline","status":"True"}]}"#
        } else {
            "{}"
        };
        documents.push(format!(
            r#"{{"apiVersion":"core.kubefed.io/v1beta1","kind":"KubeFedCluster","metadata":{{"name":"{name}","namespace":"k","labels":{{"env":"{env}"}}}},"status":{status}}}"#
        ));
    }
    let names = |names: Vec<&str>| names.iter().map(|it| format!(r#"{{"name":"{it}"}}"#)).collect::<Vec<_>>().join(",");
    let placement = |dice: &mut Dice| match dice.below(3) {
        0 => r#"{"clusterSelector":{"matchLabels":{"env":"prod"}}}"#.to_string(),
        1 => r#"{"clusterSelector":{}}"#.to_string(),
        _ => format!(r#"{{"clusters":[{}]}}"#, names(dice.some(&CLUSTERS))),
    };
    let of_namespace = if dice.below(3) == 0 { placement(dice) } else { r#"{"clusterSelector":{}}"#.into() };
    documents.push(format!(
        r#"{{"apiVersion":"types.kubefed.io/v1beta1","kind":"FederatedNamespace","metadata":{{"name":"n","namespace":"n"}},"spec":{{"placement":{of_namespace}}}}}"#
    ));
    let mut live = Vec::new();
    for number in 0..=dice.below(3) {
        let (kind, template) = *dice.one(TEMPLATES);
        let operations = OVERRIDES.iter().find(|(it, _)| *it == kind).unwrap().1;
        let mut entries = Vec::new();
        for name in dice.some(&CLUSTERS) {
            entries.push(format!(
                r#"{{"clusterName":"{name}","clusterOverrides":[{}]}}"#,
                dice.some(operations).join(",")
            ));
        }
        if dice.below(2) == 0 {
            let operation = dice.one(operations);
            entries.insert(
                0,
                format!(r#"{{"clusterSelector":{{"matchLabels":{{"env":"dev"}}}},"clusterOverrides":[{operation}]}}"#),
            );
        }
        let retention = *dice.one(&["{}", r#"{"fields":["data.m","spec.replicas"],"labels":["extra"]}"#]);
        let (retains, placement) = (dice.below(2) == 0, placement(dice));
        documents.push(format!(
            r#"{{"apiVersion":"types.kubefed.io/v1beta1","kind":"Federated{kind}","metadata":{{"name":"x{number}","namespace":"n"}},"spec":{{"template":{template},"placement":{placement},"overrides":[{}],"retention":{retention},"retainReplicas":{retains}}}}}"#,
            entries.join(",")
        ));
        for name in dice.some(&CLUSTERS) {
            let mut object = value(SEEN.iter().find(|(it, _)| *it == kind).unwrap().1);
            let label = *dice.one(&["true", "true", "false", "else"]);
            let map = object.as_map_mut().unwrap();
            map.insert("apiVersion", if kind == "Deployment" { "apps/v1" } else { "v1" });
            map.insert("kind", kind);
            let metadata = map.entry_or("metadata", || Value::map::<&str, Value>([])).unwrap().as_map_mut().unwrap();
            metadata.insert("name", format!("x{number}"));
            metadata.insert("namespace", "n");
            let labels = metadata.entry_or("labels", || Value::map::<&str, Value>([])).unwrap().as_map_mut().unwrap();
            labels.insert("kubefed.io/managed", label);
            if dice.below(3) > 0 {
                let fields = owned(dice, &object);
                let entry =
                    Value::map([("manager", Value::text(*dice.one(&["kubectl", "fleetfold"]))), ("fieldsV1", fields)]);
                let metadata = object.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
                metadata.insert("managedFields", vec![entry]);
            }
            live.push((*CLUSTERS.iter().find(|it| **it == name).unwrap(), object));
        }
    }
    (documents.iter().map(|it| value(it)).collect(), live)
}

/// Some of the fields of an object, as `managedFields` has them.
fn owned(dice: &mut Dice, value: &Value) -> Value {
    let mut tree = Map::new();
    match value {
        Value::Map(map) => {
            for (key, value) in map.iter().filter(|(key, _)| *key != "managedFields") {
                if dice.below(4) > 0 {
                    tree.insert(format!("f:{key}"), owned(dice, value));
                }
            }
        }
        Value::List(items) => {
            for item in items.iter() {
                if let Some(name) = item.get("name").filter(|_| dice.below(4) > 0) {
                    tree.insert(format!("k:{{\"name\":{}}}", name.to_canonical()), owned(dice, item));
                }
            }
        }
        _ => return tree.into(),
    }
    if dice.below(3) == 0 {
        tree.insert(".", Map::new());
    }
    tree.into()
}

fn fleet_of(documents: &[Value], live: &[(&str, Value)]) -> Fleet {
    let mut fleet = Fleet::default();
    let limits = LimitsInput {
        deletes: Some(1000),
        delete_percent: Some(100),
        protected_kinds: Some(Vec::new()),
        empty_selection: Some(true),
        ..LimitsInput::default()
    };
    let dialects = Some(vec!["kubefed".into()]);
    fleet.call(Configure { dialects, limits: Some(limits), ..Configure::default() });
    for document in documents {
        fleet.load_documents([document.clone()]);
    }
    for (cluster, object) in live {
        fleet.put(cluster, object.clone());
    }
    fleet
}

#[test]
fn one_plan_is_enough_and_the_order_of_documents_means_nothing() {
    let mut acted = 0;
    for seed in 0..FLEETS {
        let mut dice = Dice(seed);
        let (mut documents, live) = documents(&mut dice);
        let mut fleet = fleet_of(&documents, &live);
        documents.reverse();
        let digest = fleet_of(&documents, &live).plan().digest;
        assert_eq!(fleet.plan().digest, digest, "fleet {seed}");
        let plan = fleet.plan();
        acted += plan.actions.len();
        fleet.apply(&plan);
        let next = fleet.plan();
        assert_eq!(next.actions, [], "fleet {seed}, after {plan:?}");
        fleet.settle();
    }
    assert!(acted > 1_000, "the fleets ask for only {acted} actions");
}

/// One thing that happens to a fleet whose clusters come, go, and do not always answer.
#[derive(Clone, Debug)]
enum Happening {
    Load(Load),
    Configure(Configure),
}

fn happening(dice: &mut Dice) -> Happening {
    let cluster = *dice.one(&CLUSTERS);
    let live = || Some(cluster.into());
    let request = match dice.below(7) {
        0 | 1 => {
            let going = *dice.one(&["", r#""deletionTimestamp":"2026-01-01T00:00:00Z","#]);
            let finalizers = *dice.one(&["", r#""finalizers":["fleetfold.dev/leaving"],"#]);
            let word = *dice.one(&["{}", r#"{"fleetfold.dev/leaving":"delete"}"#, r#"{"fleetfold.dev/leaving":"go"}"#]);
            let metadata = format!(r#"{going}{finalizers}"annotations":{word},"name":"{cluster}","namespace":"k""#);
            load([value(&format!(
                r#"{{"apiVersion":"core.kubefed.io/v1beta1","kind":"KubeFedCluster","metadata":{{{metadata}}}}}"#
            ))])
        }
        2 => Load { live: live(), unreachable: Some(dice.below(3) > 0), ..Load::default() },
        3 => Load { live: live(), complete: Some(true), ..Load::default() },
        4 | 5 => {
            let managed = *dice.one(&["true", "true", "false"]);
            let metadata = format!(r#"{{"name":"x0","namespace":"n","labels":{{"kubefed.io/managed":"{managed}"}}}}"#);
            let object = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata}}}"#);
            Load { live: live(), ..load([value(&object)]) }
        }
        _ => {
            let leaving = Some(*dice.one(&[Leaving::Orphan, Leaving::Delete]));
            return Happening::Configure(Configure { leaving, ..Configure::default() });
        }
    };
    Happening::Load(request)
}

fn happen(workspace: &mut Workspace, happening: Happening) {
    let result = match happening.clone() {
        Happening::Load(load) => ask(workspace, load).map(drop),
        Happening::Configure(configure) => ask(workspace, configure).map(drop),
    };
    result.unwrap_or_else(|refusal| panic!("{refusal}: {happening:?}"));
}

#[test]
fn what_was_asked_before_clusters_left_or_fell_silent_means_nothing() {
    let plan = request_text(&PlanRequest::default());
    for seed in 0..FLEETS {
        let mut dice = Dice(seed);
        let (documents, _) = documents(&mut dice);
        let (mut asked, mut fresh) = (Workspace::default(), Workspace::default());
        let first = Happening::Load(load(documents));
        let all: Vec<Happening> = std::iter::once(first).chain((0..12).map(|_| happening(&mut dice))).collect();
        for it in &all {
            happen(&mut fresh, it.clone());
            asked.call_text(&plan);
            if let Happening::Load(load) = it {
                let load = Some(OneOrMany::One(load.clone()));
                ask(&mut asked, WhatIf { load, ..WhatIf::default() }).unwrap();
            }
            happen(&mut asked, it.clone());
        }
        assert_eq!(asked.call_text(&plan), fresh.call_text(&plan), "fleet {seed}: {all:#?}");
    }
}
