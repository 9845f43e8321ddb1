//! The laws of plans, held against generated fleets of every dialect. A failure names the dialect and the seed of its fleet:
//! `FLEETFOLD_FLEET=<dialect>:<seed> cargo test -p fleetfold-core --test laws_of_fleets` runs that one alone.

mod fleet;
mod generate;

use fleet::{Fleet, NOW, list, value};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use generate::{DIALECTS, Dice, Made};

/// Fleets a dialect and law.
const FLEETS: u64 = 2_000;

/// What holds for one review mostly holds for the next: fewer are enough.
const REVIEWED: u64 = FLEETS / 4;

/// Holds a law against the fleets of every dialect.
fn hold(law: impl Fn(&Made, &mut Dice)) {
    hold_for(FLEETS, law);
}

fn hold_for(fleets: u64, law: impl Fn(&Made, &mut Dice)) {
    let only = std::env::var("FLEETFOLD_FLEET").ok();
    for (dialect, make) in DIALECTS {
        for seed in 0..fleets {
            let name = format!("{dialect}:{seed}");
            if only.as_ref().is_some_and(|it| *it != name) {
                continue;
            }
            let mut dice = Dice::new(seed);
            let made = make(&mut dice);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(&made, &mut dice)));
            assert!(result.is_ok(), "the law does not hold for the fleet {name}");
        }
    }
}

fn load(documents: &[Value]) -> Value {
    Value::map([("op", Value::text("load")), ("documents", Value::list(documents.to_vec()))])
}

fn fleet_of(made: &Made) -> Fleet {
    let mut fleet = Fleet::default();
    fleet.ok(value(r#"{"op":"configure","limits":{"deletes":1000,"deletePercent":100,"emptySelection":true}}"#));
    fleet.ok(load(&made.documents));
    for (cluster, object) in &made.live {
        fleet.put(cluster, object.clone());
    }
    fleet
}

/// Everything that a workspace has to say.
fn answers(workspace: &mut Workspace) -> Vec<String> {
    let mut all = vec![
        workspace.call_text(r#"{"op":"lint"}"#),
        workspace.call_text(&format!(r#"{{"op":"plan","now":"{NOW}"}}"#)),
    ];
    let subjects = value(&workspace.call_text(r#"{"op":"subjects"}"#));
    for subject in list(subjects.get("ok").unwrap(), "subjects") {
        let request = Value::map([
            ("op", Value::text("effective")),
            ("subject", subject.get("subject").unwrap().clone()),
            ("origins", true.into()),
        ]);
        all.push(workspace.call_text(&request.to_canonical()));
    }
    all
}

#[test]
fn after_a_plan_is_applied_the_next_one_is_empty() {
    hold(|made, _| {
        let mut fleet = fleet_of(made);
        let plan = fleet.plan();
        fleet.apply(&plan);
        let next = fleet.plan();
        assert!(list(&next, "actions").is_empty(), "after {}\nleft {}", plan.to_canonical(), next.to_canonical());
        fleet.settle();
    });
}

#[test]
fn the_order_of_documents_means_nothing() {
    hold(|made, dice| {
        let mut one = Workspace::default();
        one.call_text(&load(&made.documents).to_canonical());
        let mut shuffled = made.documents.clone();
        dice.shuffle(&mut shuffled);
        let mut other = Workspace::default();
        for document in shuffled {
            other.call_text(&load(&[document]).to_canonical());
        }
        assert_eq!(answers(&mut one), answers(&mut other));
    });
}

#[test]
fn changes_one_by_one_come_to_the_same_as_all_at_once() {
    hold(|made, dice| {
        let mut grown = fleet_of(made);
        grown.plan();
        // Some documents go, some come back, and every step is asked about.
        for _ in 0..4 {
            let document = dice.pick(&made.documents).clone();
            let name = fleetfold_core::object::document::Identity::of(&document).unwrap().to_string();
            let request = Value::map([("op", Value::text("unload")), ("refs", Value::list([name]))]);
            grown.ask(request);
            answers(&mut grown.workspace);
            if dice.happens(60) {
                grown.ok(load(&[document]));
            }
            answers(&mut grown.workspace);
        }
        let kept: Vec<Value> = grown.workspace.documents().map(|it| it.value.clone()).collect();
        let mut fresh = fleet_of(&Made { documents: kept, live: made.live.clone() });
        fresh.plan();
        grown.plan();
        assert_eq!(answers(&mut grown.workspace), answers(&mut fresh.workspace));
    });
}

#[test]
fn asking_what_if_changes_nothing_and_tells_the_truth() {
    hold(|made, dice| {
        let mut fleet = fleet_of(made);
        fleet.plan();
        let before = answers(&mut fleet.workspace);
        let document = dice.pick(&made.documents).clone();
        let name = fleetfold_core::object::document::Identity::of(&document).unwrap().to_string();
        let gone = Value::map([("op", Value::text("whatIf")), ("unload", Value::list([name.clone()]))]);
        let told = fleet.ok(gone);
        assert_eq!(before, answers(&mut fleet.workspace), "whatIf left something behind");
        // What is said to change does, and what is not does not.
        let subjects_before = effective(&mut fleet.workspace);
        fleet.ok(Value::map([("op", Value::text("unload")), ("refs", Value::list([name]))]));
        let subjects_after = effective(&mut fleet.workspace);
        let changed = subjects_before != subjects_after;
        assert_eq!(!list(&told, "groups").is_empty(), changed, "{}", told.to_canonical());
    });
}

/// The review of a delete, or of an update of the same object to something else.
fn review(old: &Value, new: Option<&Value>) -> Value {
    let identity = fleetfold_core::object::document::Identity::of(old).unwrap();
    let kind = Value::map([("group", identity.group), ("kind", identity.kind)]);
    let user = Value::map([("username", Value::text("eve")), ("groups", Value::list(["system:masters"]))]);
    Value::map([
        ("kind", kind),
        ("operation", if new.is_some() { "UPDATE" } else { "DELETE" }.into()),
        ("oldObject", old.clone()),
        ("object", new.cloned().unwrap_or_default()),
        ("userInfo", user),
    ])
}

/// What goes with a document: it, and what is in the namespace that it holds.
fn going(document: &Value, made: &Made) -> Value {
    let identity = |it: &Value| fleetfold_core::object::document::Identity::of(it).unwrap();
    let holder = identity(document);
    let holds = ["Namespace", "Organization"].contains(&holder.kind.as_str());
    let goes = |it: &fleetfold_core::object::document::Identity| *it == holder || holds && it.namespace == holder.name;
    Value::list(made.documents.iter().map(identity).filter(goes).map(|it| it.to_string()))
}

/// The verdict over a change that may do nothing to clusters.
fn admit(workspace: &mut Workspace, review: Value) -> Value {
    let limits = value(r#"{"deletes":0,"deletePercent":0,"changes":0}"#);
    let request = [("op", "admit".into()), ("request", review), ("limits", limits), ("permissions", "roles".into())];
    value(&workspace.call_text(&Value::map(request).to_canonical())).get("ok").unwrap().clone()
}

#[test]
fn a_review_with_limits_changes_nothing_and_tells_the_truth() {
    hold_for(REVIEWED, |made, dice| {
        let mut fleet = fleet_of(made);
        fleet.plan();
        let before = answers(&mut fleet.workspace);
        let document = dice.pick(&made.documents).clone();
        let gone = admit(&mut fleet.workspace, review(&document, None));
        let other = dice.pick(&made.documents).get("spec").cloned().unwrap_or_default();
        let mut changed = document.clone();
        changed.as_map_mut().unwrap().insert("spec", other);
        let update = admit(&mut fleet.workspace, review(&document, Some(&changed)));
        let same = admit(&mut fleet.workspace, review(&document, Some(&document)));
        assert_eq!(before, answers(&mut fleet.workspace), "a review left something behind");
        // Nothing is denied for its reach that reaches nobody, and a document that stays as it is always passes.
        let reaches = |fleet: &mut Fleet, change: (&str, Value)| {
            let told = fleet.ok(Value::map([("op", Value::text("whatIf")), change]));
            !list(&told, "groups").is_empty()
        };
        let is_limited = |verdict: &Value| verdict.text_at(&["code"]).ends_with("-budget");
        if is_limited(&gone) {
            assert!(reaches(&mut fleet, ("unload", going(&document, made))), "{}", gone.to_canonical());
        }
        if is_limited(&update) {
            let load = Value::map([("documents", Value::list([changed]))]);
            assert!(reaches(&mut fleet, ("load", load)), "{}", update.to_canonical());
        }
        assert!(!is_limited(&same), "{}", same.to_canonical());
    });
}

#[test]
fn defaults_are_added_once_and_only_added() {
    hold_for(REVIEWED, |made, _| {
        let mut fleet = fleet_of(made);
        let ask = |fleet: &mut Fleet, object: &Value| {
            let request = [("op", Value::text("defaults")), ("request", review(object, Some(object)))];
            fleet.ok(Value::map(request))
        };
        for document in &made.documents {
            let once = ask(&mut fleet, document);
            let operations = list(&once, "added").into_iter().map(|mut it| {
                it.as_map_mut().unwrap().insert("op", "add");
                it
            });
            let patch = [("object", document.clone()), ("patch", Value::list(operations))];
            let patched = fleet.ok(Value::map([("op", Value::text("patch"))].into_iter().chain(patch)));
            assert_eq!(patched.get("object"), once.get("object"));
            let twice = ask(&mut fleet, once.get("object").unwrap());
            assert_eq!((twice.get("object"), twice.get("added")), (once.get("object"), None));
        }
    });
}

/// A value that stays the same is no change, whichever layer gives it.
fn forget_layers(result: &mut Value) {
    let options = result.get_mut("options").and_then(Value::as_list_mut).into_iter().flatten();
    for option in options.filter_map(Value::as_map_mut) {
        option.remove("from");
    }
}

/// What every cluster gets, subject by subject. Each is asked about by itself: who is grouped with whom is no matter.
fn effective(workspace: &mut Workspace) -> Vec<String> {
    let subjects = value(&workspace.call_text(r#"{"op":"subjects"}"#));
    let mut all = Vec::new();
    for subject in list(subjects.get("ok").unwrap(), "subjects") {
        let subject = subject.get("subject").unwrap();
        let mut ask = |clusters: Option<&Value>| {
            let given = clusters.map(|it| ("clusters", Value::list([it.clone()])));
            let request = [("op", Value::text("effective")), ("subject", subject.clone())].into_iter().chain(given);
            let answer = value(&workspace.call_text(&Value::map(request).to_canonical()));
            answer.get("ok").map(|it| list(it, "results")).unwrap_or_default()
        };
        for cluster in ask(None).iter().flat_map(|it| list(it, "clusters")) {
            for mut result in ask(Some(&cluster)) {
                forget_layers(&mut result);
                all.push(format!("{} {}", subject.to_canonical(), result.to_canonical()));
            }
        }
    }
    all.sort();
    all
}
