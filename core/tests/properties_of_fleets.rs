//! The laws of plans, held against generated fleets of every dialect. A failure names the dialect and the seed of its
//! fleet: `FLEETFOLD_FLEET=<dialect>:<seed> cargo test -p fleetfold-core --test properties_of_fleets` runs that one
//! alone.

mod fleet;
mod generate;

use fleet::{Fleet, ask, effective, load, plan_now, unload};
use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::admit::{Admit, AdmitAnswer, AdmitLimits};
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::defaults::{AddedAnswer, Defaults};
use fleetfold_core::api::effective::{Effective, ResultAnswer};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::patch::{Patch, PatchOperation};
use fleetfold_core::api::plan::ActionAnswer;
use fleetfold_core::api::request_text;
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::api::what_if::WhatIf;
use fleetfold_core::engine::patch::Verb;
use fleetfold_core::object::Identity;
use fleetfold_core::object::Redacted;
use fleetfold_core::value::canonical::to_text;
use fleetfold_core::value::{MaybeAbsent, OneOrMany, Text};
use fleetfold_core::workspace::Permissions;
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

fn fleet_of(made: &Made) -> Fleet {
    let mut fleet = Fleet::default();
    let limits = LimitsInput {
        deletes: Some(1000),
        delete_percent: Some(100),
        empty_selection: Some(true),
        ..LimitsInput::default()
    };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    fleet.load_documents(made.documents.clone());
    for (cluster, object) in &made.live {
        fleet.put(cluster, object.clone());
    }
    fleet
}

/// Everything that a workspace has to say, as texts: equal bytes, not only equal values.
fn answers(workspace: &mut Workspace) -> Vec<String> {
    let mut all =
        vec![workspace.call_text(&request_text(&Lint::default())), workspace.call_text(&request_text(&plan_now()))];
    for subject in ask(workspace, Subjects::default()).unwrap().answer.subjects {
        let request = Effective { origins: Some(true), ..effective(&subject.subject) };
        all.push(workspace.call_text(&request_text(&request)));
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
        // Placements that take a number of clusters count what the others took, and may decide again.
        let counts = |subject: &str| made.documents.iter().any(|it| counts_others(it, subject));
        let left = |it: &&ActionAnswer| it.target.kind != "PlacementDecision" || !counts(&it.subject);
        assert_eq!(next.actions.iter().find(left), None, "after {plan:?}\nleft {next:?}");
        fleet.settle();
    });
}

/// Whether a document is this placement, and its decisions depend on those of others.
fn counts_others(document: &Value, subject: &str) -> bool {
    let (namespace, name) = (document.text_at(&["metadata", "namespace"]), document.text_at(&["metadata", "name"]));
    document.at(&["spec", "numberOfClusters"]).is_some() && subject == format!("Placement/{namespace}/{name}")
}

#[test]
fn the_order_of_documents_means_nothing() {
    hold(|made, dice| {
        let mut one = Workspace::default();
        ask(&mut one, load(made.documents.clone())).unwrap();
        let mut shuffled = made.documents.clone();
        dice.shuffle(&mut shuffled);
        let mut other = Workspace::default();
        for document in shuffled {
            ask(&mut other, load([document])).unwrap();
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
            let name = Identity::of(&document).unwrap().to_string();
            // It may be unloaded already.
            let _ = grown.ask(unload([name]));
            answers(&mut grown.workspace);
            if dice.happens(60) {
                grown.load_documents([document]);
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
        let name = Identity::of(&document).unwrap().to_string();
        let gone = WhatIf { unload: Some(vec![Text::from(&name)]), ..WhatIf::default() };
        let answer = fleet.call(gone);
        assert_eq!(before, answers(&mut fleet.workspace), "whatIf left something behind");
        // What is said to change does, and what is not does not.
        let subjects_before = results(&mut fleet.workspace);
        fleet.unload([name]);
        let subjects_after = results(&mut fleet.workspace);
        let changed = subjects_before != subjects_after;
        assert_eq!(!answer.groups.is_empty(), changed, "{answer:?}");
    });
}

/// The review of a delete, or of an update of the same object to something else.
fn review(old: &Value, new: Option<&Value>) -> Value {
    let identity = Identity::of(old).unwrap();
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
fn going(document: &Value, made: &Made) -> Vec<Text> {
    let identity = |it: &Value| Identity::of(it).unwrap();
    let holder = identity(document);
    let holds = ["Namespace", "Organization"].contains(&holder.kind.as_str());
    let goes = |it: &Identity| *it == holder || holds && it.namespace == holder.name;
    made.documents.iter().map(identity).filter(goes).map(|it| it.to_string().into()).collect()
}

/// The verdict over a change that may do nothing to clusters.
fn admit(fleet: &mut Fleet, request: Value) -> AdmitAnswer {
    let limits = AdmitLimits { deletes: Some(0), delete_percent: Some(0), changes: Some(0) };
    fleet.call(Admit { request, limits: Some(limits), permissions: Some(Permissions::Roles), ..Admit::default() })
}

#[test]
fn a_review_with_limits_changes_nothing_and_tells_the_truth() {
    hold_for(REVIEWED, |made, dice| {
        let mut fleet = fleet_of(made);
        fleet.plan();
        let before = answers(&mut fleet.workspace);
        let document = dice.pick(&made.documents).clone();
        let gone = admit(&mut fleet, review(&document, None));
        let other = dice.pick(&made.documents).get("spec").cloned().unwrap_or_default();
        let mut changed = document.clone();
        changed.as_map_mut().unwrap().insert("spec", other);
        let update = admit(&mut fleet, review(&document, Some(&changed)));
        let same = admit(&mut fleet, review(&document, Some(&document)));
        assert_eq!(before, answers(&mut fleet.workspace), "a review left something behind");
        // Nothing is denied for its reach that reaches nobody, and a document that stays as it is always passes.
        let reaches = |fleet: &mut Fleet, change: WhatIf| !fleet.call(change).groups.is_empty();
        let is_limited = |verdict: &AdmitAnswer| verdict.code.as_ref().is_some_and(|it| it.ends_with("-budget"));
        if is_limited(&gone) {
            let unload = Some(going(&document, made));
            assert!(reaches(&mut fleet, WhatIf { unload, ..WhatIf::default() }), "{gone:?}");
        }
        if is_limited(&update) {
            let load = Some(OneOrMany::One(load([changed])));
            assert!(reaches(&mut fleet, WhatIf { load, ..WhatIf::default() }), "{update:?}");
        }
        assert!(!is_limited(&same), "{same:?}");
    });
}

#[test]
fn defaults_are_added_once_and_only_added() {
    hold_for(REVIEWED, |made, _| {
        let mut fleet = fleet_of(made);
        let defaults =
            |fleet: &mut Fleet, object: &Value| fleet.call(Defaults { request: review(object, Some(object)) });
        for document in &made.documents {
            let once = defaults(&mut fleet, document);
            let operations = once.added.into_iter().flatten().map(addition);
            let patch = Patch { object: document.clone(), patch: operations.collect(), mode: None };
            assert_eq!(Some(fleet.call(patch).object), once.object.0);
            let twice = defaults(&mut fleet, once.object.0.as_ref().unwrap());
            assert_eq!((twice.object, twice.added), (once.object, None));
        }
    });
}

fn addition(AddedAnswer { path, value }: AddedAnswer) -> PatchOperation {
    let value = MaybeAbsent(Some(Redacted::into_value(value)));
    PatchOperation { op: Some(Verb::Add), path: path.into(), from: None, value }
}

/// A value that stays the same is no change, whichever layer gives it.
fn forget_layers(result: &mut ResultAnswer) {
    for option in result.options.iter_mut().flatten() {
        option.from = Text::default();
    }
}

/// What every cluster gets, subject by subject. Each is asked about by itself: who is grouped with whom is no matter.
fn results(workspace: &mut Workspace) -> Vec<String> {
    let mut all = Vec::new();
    for subject in ask(workspace, Subjects::default()).unwrap().answer.subjects {
        let subject = subject.subject;
        let mut results_of = |clusters: Option<Vec<Text>>| {
            let answered = ask(workspace, Effective { clusters, ..effective(&subject) });
            answered.map(|it| it.answer.results).unwrap_or_default()
        };
        for cluster in results_of(None).into_iter().flat_map(|it| it.clusters) {
            for mut result in results_of(Some(vec![cluster])) {
                forget_layers(&mut result);
                all.push(format!("{subject} {}", to_text(&result).unwrap()));
            }
        }
    }
    all.sort();
    all
}
