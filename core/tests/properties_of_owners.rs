//! The laws of shared objects, held against generated OperatorVersions that come, go, pause and contradict each other.
//! A failure names the seed: `FLEETFOLD_OWNERS=<seed> cargo test -p fleetfold-core --test properties_of_owners` runs
//! that one alone.

mod fleet;
#[allow(dead_code, reason = "only the dice are needed")]
mod generate;

use fleet::{Fleet, NOW, actions, documents, unload, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::plan::ActionAnswer;
use fleetfold_core::object::Identity;
use generate::Dice;

const FLEETS: u64 = 300;

const FINALIZER: &str = "fleetfold.dev/release";

/// The objects that are shared: the kind, the namespace where it is live, and the template up to what differs.
const OBJECTS: [(&str, &str, &str); 5] = [
    ("v1 ConfigMap a", "db", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {is: "),
    ("v1 ConfigMap b", "db", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {is: "),
    ("v1 ConfigMap a", "far", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: far}\ndata: {is: "),
    ("v1 Namespace space", "", "apiVersion: v1\nkind: Namespace\nmetadata: {name: space}\nspec: {is: "),
    (
        "scheduling.k8s.io/v1 PriorityClass p",
        "",
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\nis: {is: ",
    ),
];

fn template(object: usize, contents: &str) -> String {
    format!("{}{contents}}}\n", OBJECTS[object].2)
}

struct Made {
    documents: Vec<Value>,
    live: Vec<Value>,
}

fn make(dice: &mut Dice) -> Made {
    let namespaces: Vec<&str> = (0..1 + dice.below(4)).map(|_| if dice.happens(80) { "db" } else { "far" }).collect();
    let documents = namespaces.iter().enumerate().map(|(number, namespace)| version(dice, number, namespace)).collect();
    let mut live = Vec::new();
    for object in 0..OBJECTS.len() {
        if dice.happens(60) {
            live.push(live_object(dice, object, &namespaces));
        }
    }
    Made { documents, live }
}

fn contents(dice: &mut Dice) -> &'static str {
    if dice.happens(85) { "usual" } else { "other" }
}

/// An OperatorVersion with some of the objects, which may have had all of them before.
fn version(dice: &mut Dice, number: usize, namespace: &str) -> Value {
    let mut order: Vec<usize> = (0..OBJECTS.len()).collect();
    dice.shuffle(&mut order);
    order.retain(|_| dice.happens(55));
    let templates = order.iter().map(|it| (format!("{it}.yaml"), template(*it, contents(dice))));
    let templates = Value::map(templates.collect::<Vec<_>>()).to_canonical();
    let join = |entry: &dyn Fn(&usize) -> String| order.iter().map(entry).collect::<Vec<_>>().join(",");
    let tasks = join(&|it| format!(r#"{{"name":"t{it}","kind":"Apply","spec":{{"resources":["{it}.yaml"]}}}}"#));
    let steps = join(&|it| format!(r#"{{"name":"s{it}","tasks":["t{it}"]}}"#));
    let strategy = dice.pick(&["serial", "parallel"]);
    let install = if dice.happens(85) { r#""installPlan":"install","# } else { "" };
    let guarded = dice.happens(60);
    let finalizers = if guarded { format!(r#","finalizers":["{FINALIZER}"]"#) } else { String::new() };
    let leaving = if guarded && dice.happens(35) { format!(r#","deletionTimestamp":"{NOW}""#) } else { String::new() };
    let paused = if dice.happens(10) { r#","annotations":{"fleetfold.dev/paused":"true"}"# } else { "" };
    let record = OBJECTS.iter().map(|(object, namespace, _)| {
        let [api, kind, name] = object.split(' ').collect::<Vec<_>>()[..] else { panic!("three words: {object}") };
        let fields = [("apiVersion", api), ("kind", kind), ("namespace", namespace), ("name", name)];
        Value::map(fields.into_iter().filter(|(_, text)| !text.is_empty()))
    });
    let record = Value::list(record).to_canonical();
    value(&format!(
        r#"{{"apiVersion":"kudo.dev/v1beta1","kind":"OperatorVersion","metadata":{{"name":"v{number}","namespace":"{namespace}","uid":"u{number}"{finalizers}{leaving}{paused}}},"spec":{{{install}"operator":{{"name":"op"}},"templates":{templates},"tasks":[{tasks}],"plans":{{"install":{{"phases":[{{"name":"p","strategy":"{strategy}","steps":[{steps}]}}]}}}}}},"status":{{"objects":{record}}}}}"#
    ))
}

/// An object that is there already, held by some of the versions.
fn live_object(dice: &mut Dice, object: usize, versions: &[&str]) -> Value {
    let mut live = documents(&template(object, contents(dice))).remove(0);
    let namespace = OBJECTS[object].1;
    let (mut references, mut claims, mut annotations) = (Vec::new(), Vec::new(), Vec::new());
    for (number, its_namespace) in versions.iter().enumerate().filter(|_| dice.happens(50)) {
        if *its_namespace == namespace {
            references.push(value(&format!(
                r#"{{"apiVersion":"kudo.dev/v1beta1","kind":"OperatorVersion","name":"v{number}","uid":"u{number}"}}"#
            )));
        } else {
            claims.push(format!("OperatorVersion/{its_namespace}/v{number}/u{number}"));
        }
    }
    claims.sort();
    if !claims.is_empty() {
        annotations.push(("fleetfold.dev/claims", Value::list(claims).to_canonical()));
    }
    if dice.happens(50) {
        annotations.push(("kudo.dev/managed", "true".into()));
    }
    let metadata = live.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
    if !namespace.is_empty() {
        metadata.insert("namespace", namespace);
    }
    if !references.is_empty() {
        metadata.insert("ownerReferences", Value::list(references));
    }
    if !annotations.is_empty() {
        metadata.insert("annotations", Value::map(annotations));
    }
    live
}

fn fleet_of(made: &Made) -> Fleet {
    let mut fleet = Fleet::default();
    let limits = LimitsInput {
        deletes: Some(1000),
        delete_percent: Some(100),
        protected_kinds: Some(Vec::new()),
        ..LimitsInput::default()
    };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    fleet.load_documents(made.documents.clone());
    for object in &made.live {
        fleet.put("", object.clone());
    }
    fleet
}

fn hold(law: impl Fn(&Made, &mut Dice)) {
    let only = std::env::var("FLEETFOLD_OWNERS").ok();
    for seed in (0..FLEETS).filter(|seed| only.as_ref().is_none_or(|it| *it == seed.to_string())) {
        let mut dice = Dice::new(seed);
        let made = make(&mut dice);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(&made, &mut dice)));
        assert!(result.is_ok(), "the law does not hold for the seed {seed}");
    }
}

/// A delete may make room for what differed from it before; everything else is done at once.
#[test]
fn a_plan_leaves_nothing_to_do_unless_it_deletes() {
    hold(|made, _| {
        let mut fleet = fleet_of(made);
        let plan = fleet.plan();
        fleet.apply(&plan);
        let next = fleet.plan();
        let deletes = actions(&plan).iter().any(|it| it.contains(" delete "));
        assert!(deletes || next.actions.is_empty(), "{:#?}\nleft {:#?}", actions(&plan), actions(&next));
        fleet.settle();
    });
}

#[test]
fn what_was_borrowed_outlives_every_version() {
    hold(|made, _| {
        let mut fleet = fleet_of(made);
        fleet.settle();
        let mark = ["metadata", "annotations", "kudo.dev/managed"];
        for object in made.live.iter().filter(|it| it.text_at(&mark) != "true") {
            let name = Identity::of(object).unwrap().to_string();
            assert!(fleet.get("", &name).is_some(), "{name} is gone");
        }
    });
}

#[test]
fn a_plan_does_not_depend_on_how_it_came_about() {
    hold(|made, dice| {
        let mut grown = fleet_of(made);
        grown.plan();
        for _ in 0..4 {
            let document = dice.pick(&made.documents).clone();
            let name = Identity::of(&document).unwrap().to_string();
            // It may be unloaded already.
            let _ = grown.ask(unload([name]));
            grown.plan();
            if dice.happens(60) {
                grown.load_documents([document]);
            }
            if let Some(object) = made.live.first().filter(|_| dice.happens(50)) {
                let name = Identity::of(object).unwrap().to_string();
                if grown.get("", &name).is_some() { grown.drop("", &name) } else { grown.put("", object.clone()) }
            }
            grown.plan();
        }
        let kept: Vec<Value> = grown.workspace.documents().map(|it| it.value.clone()).collect();
        let present = |it: &&Value| grown.get("", &Identity::of(it).unwrap().to_string()).is_some();
        let live: Vec<Value> = made.live.iter().filter(present).cloned().collect();
        let mut fresh = fleet_of(&Made { documents: kept, live });
        let (grown, fresh) = (grown.plan(), fresh.plan());
        let ids = |actions: &[ActionAnswer]| actions.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&grown.actions), ids(&fresh.actions), "actions");
        assert_eq!(ids(&grown.held), ids(&fresh.held), "held");
        assert_eq!(grown.status, fresh.status);
    });
}
