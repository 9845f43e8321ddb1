//! The stories of seed 002: installing an OperatorVersion, adopting what is there, a conflict, and uninstalling.

mod fleet;

use fleet::{Fleet, actions, held, list, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::load::{Load, TargetInput};
use fleetfold_core::api::plan::{NeedAnswer, PlanRequest};
use fleetfold_core::api::what_if::WhatIf;
use fleetfold_core::object::Identity;

const ROLE: &str = "ClusterRole/spark-users";
const SETTINGS: &str = "ConfigMap/data/history-settings";
const SERVICE: &str = "Service/data/history";

fn kudo(kind: &str, name: &str) -> Identity {
    Identity { kind: kind.into(), group: "kudo.dev".into(), namespace: "data".into(), name: name.into() }
}

/// The one word that the status of a version or an Instance comes to.
fn aggregated(fleet: &Fleet, kind: &str, name: &str) -> String {
    fleet.document(&kudo(kind, name)).text_at(&["status", "aggregatedStatus", "status"]).into()
}

/// The statuses of the steps of the install plan: `phase/step word`.
fn steps(fleet: &Fleet, name: &str) -> Vec<String> {
    let version = fleet.document(&kudo("OperatorVersion", name));
    let plan = version.at(&["status", "planStatus", "install"]).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for phase in list(&plan, "phases") {
        for step in list(&phase, "steps") {
            let text = |it: &Value, key: &str| it.text_at(&[key]).to_string();
            lines.push(format!("{}/{} {}", text(&phase, "name"), text(&step, "name"), text(&step, "status")));
        }
    }
    lines
}

fn owners(fleet: &Fleet, object: &str) -> Vec<String> {
    let object = fleet.get("", object).unwrap_or_else(|| panic!("{object} is gone"));
    let metadata = object.get("metadata").unwrap();
    let claims = metadata.text_at(&["annotations", "fleetfold.dev/claims"]);
    let claims = if claims.is_empty() { Value::list::<Value>([]) } else { value(claims) };
    let names = list(metadata, "ownerReferences").into_iter().map(|it| it.text_at(&["name"]).to_string());
    names.chain(claims.as_list().unwrap().iter().map(|it| format!("claim {}", it.as_text().unwrap()))).collect()
}

fn is_marked(fleet: &Fleet, object: &str) -> bool {
    fleet.get("", object).unwrap().text_at(&["metadata", "annotations", "kudo.dev/managed"]) == "true"
}

/// How many deletes a plan may have, as a number and as a share.
fn limit_deletes(fleet: &mut Fleet, deletes: i64, delete_percent: Option<i64>) {
    let limits = LimitsInput { deletes: Some(deletes), delete_percent, ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
}

#[test]
fn installing_creates_what_is_absent_in_the_order_of_the_plan() {
    let mut fleet = Fleet::example("stories/002-install");
    let plan = fleet.plan();
    assert_eq!(
        actions(&plan),
        [
            "0 patch OperatorVersion/data/spark-1.0.0",
            "1 create ClusterRole/spark-users",
            "2 create ConfigMap/data/history-settings",
            "3 create Service/data/history",
        ]
    );
    fleet.apply(&plan);
    assert_eq!(
        steps(&fleet, "spark-1.0.0"),
        ["access/roles IN_PROGRESS", "history/settings PENDING", "history/service PENDING"]
    );
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "IN_PROGRESS");
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "PENDING", "it waits for the install plan");

    let next = fleet.plan();
    assert_eq!(actions(&next), [""; 0], "installing twice changes nothing");
    fleet.apply(&next);
    assert_eq!(
        steps(&fleet, "spark-1.0.0"),
        ["access/roles COMPLETE", "history/settings COMPLETE", "history/service COMPLETE"]
    );
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "COMPLETE");
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "NEVER_RUN", "its own plans may run now");
    assert_eq!(fleet.settle(), 0);

    assert_eq!(owners(&fleet, SETTINGS), ["spark-1.0.0"]);
    assert_eq!(owners(&fleet, ROLE), ["claim OperatorVersion/data/spark-1.0.0/uid-spark-1.0.0"]);
    assert!([ROLE, SETTINGS, SERVICE].iter().all(|it| is_marked(&fleet, it)));
}

#[test]
fn adopting_appends_the_owner_and_marks_nothing() {
    let mut fleet = Fleet::example("stories/002-adopt");
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "0 patch OperatorVersion/data/spark-1.1.0",
            "1 patch ClusterRole/spark-users",
            "2 patch ConfigMap/data/history-settings",
            "3 patch Service/data/history",
        ]
    );
    assert_eq!(owners(&fleet, SETTINGS), ["spark-1.0.0", "spark-1.1.0"]);
    assert_eq!(owners(&fleet, SERVICE), ["spark-1.0.0", "spark-1.1.0"]);
    assert_eq!(
        owners(&fleet, ROLE),
        [
            "claim OperatorVersion/data/spark-1.0.0/uid-spark-1.0.0",
            "claim OperatorVersion/data/spark-1.1.0/uid-spark-1.1.0"
        ]
    );
    assert!(is_marked(&fleet, SETTINGS) && !is_marked(&fleet, SERVICE));
    for version in ["spark-1.0.0", "spark-1.1.0"] {
        assert_eq!(aggregated(&fleet, "OperatorVersion", version), "COMPLETE");
    }
}

#[test]
fn what_differs_stops_the_plan_and_it_goes_on_when_that_is_mended() {
    let mut fleet = Fleet::example("stories/002-conflict");
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan), [""; 0], "nothing is done while a step is known to be fatal");
    assert!(fleet.get("", ROLE).is_none() && fleet.get("", SERVICE).is_none());
    assert_eq!(owners(&fleet, SETTINGS), [""; 0], "what differs is not touched");
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "FATAL_ERROR");
    assert_eq!(
        steps(&fleet, "spark-1.0.0"),
        ["access/roles PENDING", "history/settings FATAL_ERROR", "history/service PENDING"]
    );
    let status = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let status = status.at(&["status", "planStatus", "install"]).unwrap();
    let step = list(list(status, "phases").last().unwrap(), "steps").remove(0);
    assert_eq!(
        step.text_at(&["message"]),
        r#"`ConfigMap/data/history-settings` differs at `/data/retention` (changed: desired "30d", live "7d")"#
    );
    assert!(fleet.codes(PlanRequest::default()).contains(&"adoption-refused".into()));
    assert!(fleet.codes(Lint::default()).contains(&"adoption-refused".into()), "lint sees the live objects as well");

    fleet.edit("", SETTINGS, |settings| {
        settings.get_mut("data").and_then(Value::as_map_mut).unwrap().insert("retention", "30d");
    });
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "0 patch OperatorVersion/data/spark-1.0.0",
            "1 create ClusterRole/spark-users",
            "2 patch ConfigMap/data/history-settings",
            "3 create Service/data/history"
        ]
    );
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "COMPLETE");
    assert!(!is_marked(&fleet, SETTINGS) && is_marked(&fleet, SERVICE));
}

#[test]
fn uninstalling_deletes_what_was_made_keeps_what_is_shared_and_spares_what_was_borrowed() {
    let mut fleet = Fleet::example("stories/002-uninstall");
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "1 patch Service/data/history",
            "2 delete ConfigMap/data/history-settings",
            "3 patch ClusterRole/spark-users",
            "4 patch OperatorVersion/data/spark-1.0.0",
        ]
    );
    assert!(fleet.workspace.document(&kudo("OperatorVersion", "spark-1.0.0")).is_none(), "it is gone");
    assert!(fleet.get("", SETTINGS).is_none());
    assert_eq!(owners(&fleet, SERVICE), [""; 0], "the borrowed object outlives its borrower");
    assert_eq!(owners(&fleet, ROLE), ["claim OperatorVersion/data/flink-2.0.0/uid-flink"]);
}

#[test]
fn deleting_a_version_is_consent_but_not_for_its_namespace() {
    let mut fleet = Fleet::example("stories/002-install");
    let mut version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: spark-jobs}\n";
    let spec = version.get_mut("spec").unwrap();
    let task = ["tasks"].iter().try_fold(&mut *spec, |it, key| it.get_mut(key)).and_then(Value::as_list_mut).unwrap();
    let resources =
        task[0].get_mut("spec").and_then(|it| it.get_mut("resources")).and_then(Value::as_list_mut).unwrap();
    resources.push("namespace.yaml".into());
    spec.get_mut("templates").and_then(Value::as_map_mut).unwrap().insert("namespace.yaml", namespace);
    fleet.load_documents([version]);
    fleet.settle();
    limit_deletes(&mut fleet, 0, None);

    fleet.start_deleting("OperatorVersion/data/spark-1.0.0");
    let plan = fleet.settle_at_once();
    assert_eq!(held(&plan), ["protected-kind", "waits-for-held"], "the delete budget does not hold what was asked for");
    assert!([ROLE, SETTINGS, SERVICE].iter().all(|it| fleet.get("", it).is_none()));
    let version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let condition = list(version.get("status").unwrap(), "conditions").remove(0);
    assert_eq!(condition.text_at(&["type"]), "Held");
    let command = "kubectl annotate namespace/spark-jobs fleetfold.dev/allow-delete=true";
    assert!(condition.text_at(&["message"]).contains(command), "{condition:?}");

    fleet.edit("", "Namespace/spark-jobs", |namespace| {
        let metadata = namespace.get_mut("metadata").and_then(|it| it.get_mut("annotations"));
        metadata.and_then(Value::as_map_mut).unwrap().insert("fleetfold.dev/allow-delete", "true");
    });
    fleet.settle_at_once();
    assert!(fleet.workspace.document(&kudo("OperatorVersion", "spark-1.0.0")).is_none());
    assert!(fleet.get("", "Namespace/spark-jobs").is_none());
}

#[test]
fn what_was_borrowed_survives_a_lost_status() {
    let mut fleet = Fleet::example("stories/002-adopt");
    fleet.settle();
    assert_eq!(
        fleet.get("", SERVICE).unwrap().text_at(&["metadata", "annotations", "fleetfold.dev/adopted-by"]),
        r#"["OperatorVersion/data/spark-1.1.0/uid-spark-1.1.0"]"#
    );
    // The other version releases it, this one drops its template, and loses its status before anything is planned.
    fleet.edit("", SERVICE, |service| {
        let metadata = service.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
        let owner = r#"[{"apiVersion":"kudo.dev/v1beta1","kind":"OperatorVersion","name":"spark-1.1.0","uid":"uid-spark-1.1.0"}]"#;
        metadata.insert("ownerReferences", value(owner));
    });
    fleet.unload(["OperatorVersion/data/spark-1.0.0"]);
    let mut version = fleet.document(&kudo("OperatorVersion", "spark-1.1.0"));
    version.as_map_mut().unwrap().remove("status");
    let phases = ["spec", "plans", "install", "phases"];
    let phases = phases.iter().try_fold(&mut version, |it, key| it.get_mut(key)).and_then(Value::as_list_mut);
    phases.unwrap().pop();
    fleet.load_documents([version]);
    fleet.start_deleting("OperatorVersion/data/spark-1.1.0");
    fleet.settle();
    assert!(fleet.workspace.document(&kudo("OperatorVersion", "spark-1.1.0")).is_none());
    assert_eq!(owners(&fleet, SERVICE), [""; 0], "the garbage collector did not take it");
}

#[test]
fn a_step_waits_until_the_one_before_is_healthy() {
    let mut fleet = Fleet::example("stories/002-install");
    let mut version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: prepare}\nspec: {backoffLimit: 0}\n";
    let spec = version.get_mut("spec").unwrap();
    spec.get_mut("templates").and_then(Value::as_map_mut).unwrap().insert("job.yaml", job);
    let task = spec.get_mut("tasks").and_then(Value::as_list_mut).unwrap().first_mut().unwrap();
    let resources = task.get_mut("spec").and_then(|it| it.get_mut("resources")).and_then(Value::as_list_mut).unwrap();
    resources.push("job.yaml".into());
    fleet.load_documents([version]);
    fleet.settle();
    assert_eq!(held(&fleet.plan()), ["waits-for-health", "waits-for-health"]);
    assert_eq!(
        steps(&fleet, "spark-1.0.0"),
        ["access/roles IN_PROGRESS", "history/settings PENDING", "history/service PENDING"]
    );
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "PENDING");
    let condition = |kind: &str| value(&format!(r#"{{"conditions":[{{"type":"{kind}","status":"True"}}]}}"#));
    let set = |kind: &str| {
        let status = condition(kind);
        move |job: &mut Value| drop(job.as_map_mut().unwrap().insert("status", status))
    };
    fleet.edit("", "Job/data/prepare", set("Failed"));
    fleet.settle();
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "FATAL_ERROR");
    fleet.edit("", "Job/data/prepare", set("Complete"));
    fleet.settle();
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "COMPLETE");
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "NEVER_RUN");
    // A plan runs once: what happens to its objects later does not start it again.
    fleet.edit("", "Job/data/prepare", set("Failed"));
    assert_eq!(fleet.settle(), 0);
}

#[test]
fn an_install_plan_that_cannot_be_read_is_in_the_status() {
    let mut fleet = Fleet::example("stories/002-install");
    let mut version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    version.get_mut("spec").and_then(Value::as_map_mut).unwrap().insert("installPlan", "instal");
    fleet.load_documents([version.clone()]);
    fleet.settle();
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "FATAL_ERROR");
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "PENDING");
    version.get_mut("spec").and_then(Value::as_map_mut).unwrap().insert("installPlan", "install");
    fleet.load_documents([version]);
    fleet.settle();
    assert_eq!(aggregated(&fleet, "OperatorVersion", "spark-1.0.0"), "COMPLETE");
    assert_eq!(aggregated(&fleet, "Instance", "nightly"), "NEVER_RUN");
}

#[test]
fn removing_a_version_shows_what_its_uninstall_does() {
    let mut fleet = Fleet::example("stories/002-adopt");
    fleet.settle();
    let unload = Some(vec!["OperatorVersion/data/spark-1.1.0".into()]);
    let shown = fleet.call(WhatIf { unload, ..WhatIf::default() });
    assert_eq!((shown.actions.delete, shown.actions.patch), (0, 4), "{shown:?}");
    let changes = &shown.groups[0].changes;
    assert!(
        !changes.is_empty() && changes.iter().all(|it| it.released == Some(true)),
        "the other version still has all of it"
    );
    assert_eq!(fleet.settle(), 0, "looking changes nothing");
}

#[test]
fn an_upgrade_hands_over_what_both_versions_share() {
    let mut fleet = Fleet::example("stories/002-install");
    fleet.settle();
    // The next version comes and the old one goes at the same time.
    let old = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let mut new = old.clone();
    new.as_map_mut().unwrap().remove("status");
    new.as_map_mut().unwrap().insert("metadata", value(r#"{"name":"spark-1.1.0","namespace":"data","uid":"uid-new"}"#));
    fleet.load_documents([new]);
    fleet.start_deleting("OperatorVersion/data/spark-1.0.0");
    let plan = fleet.settle_at_once();
    assert!(plan.held.is_empty());
    assert!(!actions(&plan).iter().any(|it| it.contains("delete")), "{:?}", actions(&plan));
    assert_eq!(owners(&fleet, SETTINGS), ["spark-1.1.0"]);
    assert_eq!(owners(&fleet, ROLE), ["claim OperatorVersion/data/spark-1.1.0/uid-new"]);
    assert!(fleet.workspace.document(&kudo("OperatorVersion", "spark-1.0.0")).is_none());
}

#[test]
fn two_versions_share_what_the_first_of_them_creates() {
    let mut fleet = Fleet::example("kudo");
    assert!(fleet.codes(Lint::default()).iter().all(|it| it == "owned-by-claim"));
    let plan = fleet.settle_at_once();
    let lines = actions(&plan);
    assert_eq!(lines.iter().filter(|it| it.contains("create Deployment/db/backup-store")).count(), 1, "{lines:?}");
    assert!(lines.contains(&"2 create Service/db/backup-store".into()), "{lines:?}");
    assert!(lines.contains(&"3 patch Service/db/backup-store".into()), "{lines:?}");
    for store in ["Deployment/db/backup-store", "Service/db/backup-store"] {
        assert_eq!(owners(&fleet, store), ["mysql-8.0-1.0.0", "mysql-8.0-1.1.0"]);
    }
    assert_eq!(fleet.settle(), 0);
}

#[test]
fn an_object_that_leaves_the_plan_is_let_go_of() {
    let mut fleet = Fleet::example("stories/002-install");
    fleet.settle();
    let mut version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    let spec = version.get_mut("spec").and_then(Value::as_map_mut).unwrap();
    spec.insert("installPlan", Value::Null);
    fleet.load_documents([version]);
    limit_deletes(&mut fleet, 9, Some(100));
    // A plan that is missing would take everything: that is held, whatever the numbers are.
    let held: Vec<_> = fleet.plan().held.into_iter().filter_map(|it| Some(it.held?.code)).collect();
    assert_eq!(held, ["all-of-subject", "all-of-subject", "all-of-subject", "waits-for-held"]);
    let limits = LimitsInput { empty_selection: Some(true), ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "1 delete Service/data/history",
            "2 delete ConfigMap/data/history-settings",
            "3 delete ClusterRole/spark-users",
            "4 patch OperatorVersion/data/spark-1.0.0",
        ]
    );
    let version = fleet.document(&kudo("OperatorVersion", "spark-1.0.0"));
    assert_eq!(version.get("status"), Some(&value("{}")));
}

#[test]
fn a_file_without_a_uid_is_looked_for_on_the_hub() {
    let mut fleet = Fleet::default();
    let text = std::fs::read_to_string(fleet::examples("stories/002-install/operator.yaml")).unwrap();
    fleet.load("operator.yaml", &text.replace("  uid: uid-spark-1.0.0\n", ""));
    let asked = fleet.call(PlanRequest::default());
    let need = NeedAnswer {
        cluster: "".into(),
        api_version: "kudo.dev/v1beta1".into(),
        kind: "OperatorVersion".into(),
        namespace: Some("data".into()),
        name: Some("spark-1.0.0".into()),
        label_selector: None,
    };
    assert_eq!(asked.needs, [need]);
    assert_eq!(actions(&asked), [""; 0]);

    // The hub does not have it yet, then it does.
    assert_eq!(actions(&fleet.plan()), [""; 0]);
    assert_eq!(fleet.codes(PlanRequest::default()), ["not-installed"]);
    let version = fleet::documents(&text).remove(1);
    fleet.put("", version);
    fleet.settle();
    assert_eq!(owners(&fleet, SETTINGS), ["spark-1.0.0"]);
}

#[test]
fn nothing_is_built_on_what_a_paused_version_would_do() {
    let mut fleet = Fleet::example("kudo");
    let paused = kudo_db("mysql-8.0-1.0.0");
    let mut version = fleet.document(&paused);
    let metadata = version.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
    metadata.insert("annotations", value(r#"{"fleetfold.dev/paused":"true"}"#));
    fleet.load_documents([version.clone()]);
    fleet.settle_at_once();
    assert_eq!(owners(&fleet, "Service/db/backup-store"), ["mysql-8.0-1.1.0"]);

    version.get_mut("metadata").and_then(Value::as_map_mut).unwrap().remove("annotations");
    fleet.load_documents([version]);
    fleet.settle_at_once();
    assert_eq!(owners(&fleet, "Service/db/backup-store"), ["mysql-8.0-1.1.0", "mysql-8.0-1.0.0"]);
}

#[test]
fn a_version_waits_until_what_the_one_before_does_is_known() {
    let mut fleet = Fleet::example("kudo");
    // The second version needs no role, and everything else was looked for.
    let mut second = fleet.document(&kudo_db("mysql-8.0-1.1.0"));
    let install = ["spec", "plans", "install"].iter().try_fold(&mut second, |it, key| it.get_mut(key)).unwrap();
    install.get_mut("phases").and_then(Value::as_list_mut).unwrap().remove(0);
    fleet.load_documents([second]);
    let target = |api_version: &str, kind: &str, name: &str| TargetInput {
        api_version: api_version.into(),
        kind: kind.into(),
        namespace: Some("db".into()),
        name: name.into(),
    };
    let absent = vec![
        target("v1", "Service", "backup-store"),
        target("apps/v1", "Deployment", "backup-store"),
        target("v1", "ConfigMap", "backup-defaults"),
    ];
    fleet.call(Load { live: Some("".into()), absent: Some(absent), ..fleet::load([]) });
    let plan = fleet.call(PlanRequest::default());
    assert_eq!(actions(&plan), [""; 0], "the first version cannot create yet what the second would share");
    assert_eq!(plan.needs.len(), 1, "the role alone was not seen");
    fleet.settle_at_once();
    assert_eq!(owners(&fleet, "Service/db/backup-store"), ["mysql-8.0-1.0.0", "mysql-8.0-1.1.0"]);
}

fn kudo_db(name: &str) -> Identity {
    Identity { namespace: "db".into(), ..kudo("OperatorVersion", name) }
}
