//! The stories of seed 004: install, difference, upgrade, refresh. The documents are in `examples`.

mod fleet;

use fleet::{Fleet, actions, effective, examples, files, plan_now, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::explain::{Explain, LinkAnswer};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::plan::{ActionAnswer, PlanAnswer, PlanRequest};
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::value::Map;

const SUBJECT: &str = "CertManagerDeployment/cluster";

/// The bundles, and what the story adds to them.
fn story(name: &str) -> Fleet {
    let mut fleet = Fleet::default();
    for folder in ["certmanager/bundles".to_string(), format!("stories/{name}")] {
        for (file, text) in files(&examples(&folder)).into_iter().filter(|(file, _)| file != "fleetfold.yaml") {
            fleet.load(&file, &text);
        }
    }
    fleet
}

#[track_caller]
fn object<'f>(fleet: &'f Fleet, name: &str) -> &'f Value {
    fleet.get("", name).unwrap_or_else(|| panic!("{name} is not there"))
}

fn owners(object: &Value) -> Vec<String> {
    let references = object.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).into_iter().flatten();
    references.map(|it| format!("{}/{}", it.text_at(&["kind"]), it.text_at(&["name"]))).collect()
}

fn container<'v>(deployment: &'v Value, name: &str) -> &'v Value {
    let containers = deployment.at(&["spec", "template", "spec", "containers"]).and_then(Value::as_list).unwrap();
    containers.iter().find(|it| it.text_at(&["name"]) == name).unwrap()
}

/// A condition of the deployment's status, as `status reason`.
fn condition(fleet: &Fleet, name: &str) -> String {
    let document = fleet.document_named(SUBJECT);
    let conditions = document.at(&["status", "conditions"]).and_then(Value::as_list).into_iter().flatten();
    let found = conditions.filter(|it| it.text_at(&["type"]) == name);
    found.map(|it| format!("{} {}", it.text_at(&["status"]), it.text_at(&["reason"]))).collect()
}

fn status(fleet: &Fleet) -> Value {
    fleet.document_named(SUBJECT).get("status").cloned().unwrap_or_default()
}

/// Does what the controllers of a cluster would: definitions are established, pods run.
fn run_everything(fleet: &mut Fleet) {
    for name in fleet.names("") {
        let status = match name.split('/').next() {
            Some("CustomResourceDefinition") => {
                r#"{"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"True"}]}"#
            }
            Some("Deployment") => r#"{"readyReplicas":1,"availableReplicas":1}"#,
            _ => continue,
        };
        fleet.edit("", &name, |object| drop(object.as_map_mut().unwrap().insert("status", value(status))));
    }
}

#[test]
fn install_makes_everything_in_the_order_of_the_seed() {
    let mut fleet = story("004-install");
    let plan = fleet.settle_at_once();
    let mut kinds: Vec<String> = Vec::new();
    for line in actions(&plan) {
        let (wave, rest) = line.split_once(' ').unwrap();
        assert!(rest.starts_with("create "), "{line}");
        let kind = rest.split(' ').next_back().unwrap().split('/').next().unwrap();
        let entry = format!("{wave} {kind}");
        if kinds.last() != Some(&entry) {
            kinds.push(entry);
        }
    }
    assert_eq!(
        kinds,
        [
            "0 CustomResourceDefinition",
            "1 Namespace",
            "2 ServiceAccount",
            "3 Role",
            "4 RoleBinding",
            "5 ClusterRole",
            "6 ClusterRoleBinding",
            "7 Deployment",
            "8 Service",
            "10 MutatingWebhookConfiguration",
            "10 ValidatingWebhookConfiguration",
        ]
    );
    for name in fleet.names("") {
        let owned = !name.starts_with("CustomResourceDefinition/");
        assert_eq!(owners(object(&fleet, &name)), if owned { vec![SUBJECT.to_string()] } else { Vec::new() }, "{name}");
    }
}

#[test]
fn install_lays_images_and_arguments_over_the_manifests() {
    let mut fleet = story("004-install");
    fleet.settle_at_once();
    let controller = container(object(&fleet, "Deployment/cert-manager/cert-manager"), "cert-manager");
    assert_eq!(controller.text_at(&["image"]), "example.test/controller:dev");
    let arguments =
        ["--cluster-resource-namespace=$(POD_NAMESPACE)", "--leader-election-namespace=kube-system", "--v=4"];
    assert_eq!(controller.get("args"), Some(&Value::list(arguments)));
    let webhook = container(object(&fleet, "Deployment/cert-manager/cert-manager-webhook"), "cert-manager");
    assert_eq!(webhook.text_at(&["image"]), "example.test/jetstack/cert-manager-webhook:v1.2.0");
}

#[test]
fn install_says_where_every_value_comes_from() {
    let mut fleet = story("004-install");
    let mut explain = |path: &str| {
        let answer = fleet.call(Explain {
            subject: Some(SUBJECT.into()),
            cluster: Some("".into()),
            object: Some("Deployment/cert-manager/cert-manager".into()),
            path: Some(path.into()),
            ..Explain::default()
        });
        let link = |it: LinkAnswer| {
            let (file, line) = (it.file.unwrap_or_default(), it.line.unwrap_or(0));
            format!("{} {} {file}:{line}", it.state.as_str(), it.layer)
        };
        answer.chain.unwrap().into_iter().map(link).collect::<Vec<_>>()
    };
    let line_of = |file: &str, text: &str| {
        let read = std::fs::read_to_string(examples(file)).unwrap();
        read.lines().position(|line| line.contains(text)).map(|at| at + 1).unwrap()
    };
    let ours = line_of("stories/004-install/deployment.yaml", "controller: example.test");
    let theirs = line_of("certmanager/bundles/cert-manager-v1.2.0.yaml", "cert-manager-controller:v1.2.0");
    assert_eq!(
        explain("/spec/template/spec/containers/0/image"),
        [
            format!("wins image-override deployment.yaml:{ours}"),
            format!("shadowed base cert-manager-v1.2.0.yaml:{theirs}")
        ]
    );
    assert_eq!(explain("/metadata/ownerReferences").len(), 1);
    assert_eq!(explain("/spec/replicas").len(), 1);
}

#[test]
fn install_is_ready_when_everything_runs() {
    let mut fleet = story("004-install");
    let plan = fleet.plan();
    fleet.apply(&plan);
    assert_eq!(condition(&fleet, "Progressing"), "True Changing");
    assert_eq!(status(&fleet).get("version"), None);
    fleet.settle();
    assert_eq!(condition(&fleet, "Progressing"), "False Settled");
    assert_eq!(condition(&fleet, "Ready"), "False NotRunning");
    assert_eq!(status(&fleet).text_at(&["phase"]), "Pending");
    run_everything(&mut fleet);
    fleet.settle();
    assert_eq!(condition(&fleet, "Ready"), "True Running");
    assert_eq!(condition(&fleet, "CRDsAreReady"), "True AllCRDsHealthy");
    assert_eq!(condition(&fleet, "DeploymentsAreReady"), "True AllDeploymentsHealthy");
    assert_eq!(status(&fleet).text_at(&["phase"]), "Running");
    assert_eq!(status(&fleet).text_at(&["version"]), "v1.2.0");
}

#[test]
fn install_is_for_one_deployment_called_cluster() {
    let mut fleet = story("004-install");
    let other =
        r#"{"apiVersion":"operators.opdev.io/v1alpha1","kind":"CertManagerDeployment","metadata":{"name":"mine"}}"#;
    fleet.load_documents([value(other)]);
    let refusal = fleet.ask(effective("CertManagerDeployment/mine")).unwrap_err();
    assert_eq!(refusal.code, "wrong-name");
    assert!(!actions(&fleet.plan()).is_empty(), "the other one goes on");
}

#[test]
fn a_version_that_is_not_supported_stops_before_any_change() {
    let mut fleet = story("004-install");
    fleet.settle();
    let mut ask = |version: &str| {
        fleet.load_documents([value(&format!(
            r#"{{"apiVersion":"operators.opdev.io/v1alpha1","kind":"CertManagerDeployment","metadata":{{"name":"cluster","uid":"u"}},"spec":{version}}}"#
        ))]);
        let codes = fleet.codes(plan_now());
        (codes.contains(&"unsupported-version".into()), actions(&fleet.plan()).is_empty())
    };
    assert_eq!(ask(r#"{"version":"v1.1.0"}"#), (true, true));
    assert_eq!(ask(r#"{"version":"v1.3.1"}"#), (false, false));
    assert_eq!(ask("{}"), (false, false));
}

#[test]
fn an_unknown_flag_stops_before_any_change() {
    let mut fleet = story("004-install");
    fleet.load_documents([value(
        r#"{"apiVersion":"operators.opdev.io/v1alpha1","kind":"CertManagerDeployment","metadata":{"name":"cluster","uid":"u"},"spec":{"version":"v1.3.1","dangerZone":{"containerArgOverrides":{"controller":{"one_output":true}}}}}"#,
    )]);
    let finding = fleet.answered(plan_now()).findings.remove(0);
    assert_eq!(finding.code, "unknown-flag");
    assert_eq!(finding.at.unwrap().path.unwrap(), "/spec/dangerZone/containerArgOverrides/controller/one_output");
    assert_eq!(finding.hint.unwrap(), "known since v1.4.0");
    assert!(actions(&fleet.plan()).is_empty());
}

#[test]
fn a_difference_is_mended_by_the_policy_of_its_kind() {
    let mut fleet = story("004-difference");
    let plan = fleet.settle_at_once();
    let patches: Vec<String> = actions(&plan).into_iter().filter(|it| it.contains(" patch ")).collect();
    assert_eq!(
        patches,
        [
            "5 patch ClusterRole/cert-manager-controller-approve:cert-manager-io",
            "6 patch ClusterRoleBinding/cert-manager-controller-orders",
            "7 patch Deployment/cert-manager/cert-manager-cainjector",
        ]
    );
    // The spec is merged: what the API server and others added stays.
    let deployment = object(&fleet, "Deployment/cert-manager/cert-manager-cainjector");
    assert_eq!(deployment.at(&["spec", "replicas"]), Some(&Value::from(1_i64)));
    assert_eq!(deployment.at(&["spec", "revisionHistoryLimit"]), Some(&Value::from(10_i64)));
    assert_eq!(container(deployment, "sidecar").text_at(&["image"]), "example.test/sidecar:1");
    let arguments = ["--v=2", "--leader-election-namespace=kube-system"];
    assert_eq!(container(deployment, "cert-manager").get("args"), Some(&Value::list(arguments)));
    // Service accounts are not updated, and what existed before is not owned.
    let account = object(&fleet, "ServiceAccount/cert-manager/cert-manager");
    assert_eq!(account.text_at(&["metadata", "labels", "app"]), "other");
    for found in [account, deployment] {
        assert_eq!(owners(found), Vec::<String>::new());
    }
    assert_eq!(owners(object(&fleet, "ServiceAccount/cert-manager/cert-manager-webhook")), [SUBJECT]);
}

#[test]
fn a_role_that_cannot_be_changed_is_told_and_stays() {
    let mut fleet = story("004-difference");
    fleet.settle_at_once();
    assert_eq!(fleet.codes(plan_now()), ["objects-not-owned", "immutable-difference"]);
    let binding = object(&fleet, "ClusterRoleBinding/cert-manager-controller-orders");
    assert_eq!(binding.text_at(&["roleRef", "name"]), "cluster-admin");
    run_everything(&mut fleet);
    fleet.settle();
    assert_eq!(condition(&fleet, "Ready"), "False Blocked");
}

#[test]
fn a_namespace_that_was_there_is_never_owned() {
    let mut fleet = story("004-difference");
    fleet.settle_at_once();
    let namespace = object(&fleet, "Namespace/cert-manager");
    assert_eq!(owners(namespace), Vec::<String>::new());
    assert_eq!(namespace.at(&["metadata", "labels"]), Some(&value(r#"{"team":"security"}"#)));
}

#[test]
fn nothing_goes_that_has_no_owner_reference_of_ours() {
    let mut fleet = story("004-difference");
    fleet.settle_at_once();
    object(&fleet, "ClusterRole/cert-manager-handmade");
}

#[test]
fn what_something_else_controls_is_told_and_left_alone() {
    let mut fleet = story("004-difference");
    let controller = value(r#"[{"apiVersion":"v1","kind":"HelmRelease","name":"x","uid":"1","controller":true}]"#);
    fleet.edit("", "Deployment/cert-manager/cert-manager-cainjector", |deployment| {
        let metadata = deployment.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
        metadata.insert("ownerReferences", controller);
    });
    // The garbage collector must not take it while the story runs.
    fleet.put("", value(r#"{"apiVersion":"v1","kind":"HelmRelease","metadata":{"name":"x","uid":"1"}}"#));
    let plan = fleet.settle_at_once();
    assert!(!actions(&plan).iter().any(|it| it.ends_with("cert-manager-cainjector") && it.contains("Deployment")));
    assert!(fleet.codes(plan_now()).contains(&"second-controller".into()));
}

#[test]
fn the_original_adds_no_owner_to_what_was_there() {
    let mut fleet = story("004-difference");
    fleet.call(Configure { mode: Some(Mode::Compat), ..Configure::default() });
    let plan = fleet.plan();
    assert!(!actions(&plan).iter().any(|it| it.starts_with("2 patch")), "{:?}", actions(&plan));
}

#[test]
fn upgrade_changes_what_the_next_version_changes() {
    let mut fleet = story("004-install");
    fleet.settle();
    fleet.load_file(&examples("stories/004-upgrade/deployment.yaml"));
    let plan = fleet.settle_at_once();
    let mut changed: Vec<String> = actions(&plan);
    changed.retain(|it| !it.contains(" patch Deployment"));
    assert_eq!(
        changed,
        [
            "0 patch CustomResourceDefinition/certificaterequests.cert-manager.io",
            "5 create ClusterRole/cert-manager-controller-approve:cert-manager-io",
            "5 create ClusterRole/cert-manager-webhook:subjectaccessreviews",
            "6 create ClusterRoleBinding/cert-manager-controller-approve:cert-manager-io",
            "6 create ClusterRoleBinding/cert-manager-webhook:subjectaccessreviews",
        ]
    );
    // The image override stays, the arguments are the release's again.
    let controller = container(object(&fleet, "Deployment/cert-manager/cert-manager"), "cert-manager");
    assert_eq!(controller.text_at(&["image"]), "example.test/controller:dev");
    assert_eq!(controller.at(&["args"]).and_then(Value::as_list).map(Vec::len), Some(3));
    let webhook = container(object(&fleet, "Deployment/cert-manager/cert-manager-webhook"), "cert-manager");
    assert_eq!(webhook.text_at(&["image"]), "example.test/jetstack/cert-manager-webhook:v1.3.1");
    assert_eq!(status(&fleet).text_at(&["version"]), "v1.3.1");
}

#[test]
fn going_back_deletes_what_the_older_version_does_not_have() {
    let mut fleet = story("004-upgrade");
    fleet.settle();
    fleet.load_file(&examples("stories/004-install/deployment.yaml"));
    let plan = fleet.settle_at_once();
    let deletes: Vec<String> = actions(&plan).into_iter().filter(|it| it.contains(" delete ")).collect();
    assert_eq!(
        deletes,
        [
            "15 delete ClusterRoleBinding/cert-manager-controller-approve:cert-manager-io",
            "15 delete ClusterRoleBinding/cert-manager-webhook:subjectaccessreviews",
            "16 delete ClusterRole/cert-manager-controller-approve:cert-manager-io",
            "16 delete ClusterRole/cert-manager-webhook:subjectaccessreviews",
        ]
    );
}

#[test]
fn a_bundle_that_goes_does_not_take_the_cluster_back() {
    let mut fleet = Fleet::example("certmanager");
    fleet.settle();
    assert_eq!(status(&fleet).text_at(&["version"]), "v1.3.1");
    fleet.unload(["Bundle/cert-manager-v1.3.1"]);
    assert_eq!(fleet.codes(plan_now()), ["downgrade"]);
    assert!(actions(&fleet.plan()).is_empty());
}

#[test]
fn deleting_the_deployment_leaves_the_definitions() {
    let mut fleet = Fleet::example("certmanager");
    fleet.settle();
    fleet.start_deleting(SUBJECT);
    let plan = fleet.plan();
    assert!(plan.actions.is_empty() && plan.status.is_empty());
    assert_eq!(fleet.codes(effective(SUBJECT))[0], "definitions-kept");
    fleet.unload([SUBJECT]);
    fleet.collect_garbage();
    assert_eq!(fleet.names("").len(), 6);
    assert!(fleet.names("").iter().all(|it| it.starts_with("CustomResourceDefinition/")));
}

fn turn_refresher_on(fleet: &mut Fleet) {
    fleet.call(Configure { pod_refresher: Some(true), ..Configure::default() });
}

#[test]
fn refresh_restarts_who_asked_once_for_all_certificates() {
    let mut fleet = story("004-refresh");
    turn_refresher_on(&mut fleet);
    let plan = fleet.settle_at_once();
    let restarts = |plan: &PlanAnswer| {
        let shop = |it: &&ActionAnswer| it.target.namespace.as_deref() == Some("shop");
        let line = |it: &ActionAnswer| format!("{} {}", it.target.kind, it.reason.code);
        plan.actions.iter().filter(shop).map(line).collect::<Vec<_>>()
    };
    assert_eq!(restarts(&plan), ["Deployment secret-renewed"]);
    let recorded = |fleet: &Fleet| {
        let shop = object(fleet, "Deployment/shop/shop");
        let key = "certmanagerdeployment.opdev.io/secret-resource-versions";
        let template = shop.text_at(&["spec", "template", "metadata", "annotations", key]);
        assert_eq!(shop.text_at(&["metadata", "annotations", key]), template);
        value(template).as_map().unwrap().keys().map(|it| it.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(recorded(&fleet), ["api-tls", "shop-tls"]);
    // Renewed: it restarts again, and then stays.
    fleet.edit("", "Secret/shop/shop-tls", |secret| drop(secret.as_map_mut().unwrap().insert("data", Map::new())));
    assert_eq!(restarts(&fleet.settle_at_once()), ["Deployment secret-renewed"]);
    // A secret that is none of cert-manager's does nothing.
    fleet.edit("", "Secret/shop/password", |secret| drop(secret.as_map_mut().unwrap().insert("data", Map::new())));
    assert!(restarts(&fleet.plan()).is_empty());
}

#[test]
fn refresh_needs_the_setting_and_the_time() {
    let mut fleet = story("004-refresh");
    fleet.settle();
    assert!(fleet.codes(Lint::default()).contains(&"refresher-off".into()));
    turn_refresher_on(&mut fleet);
    let mut fresh = story("004-refresh");
    turn_refresher_on(&mut fresh);
    assert!(fresh.codes(PlanRequest::default()).contains(&"time-unknown".into()));
    assert_eq!(fleet.plan().actions.len(), 1);
}

#[test]
fn a_workload_that_is_installed_here_is_mended_and_restarted_in_one_step() {
    let mut fleet = story("004-refresh");
    turn_refresher_on(&mut fleet);
    fleet.settle();
    fleet.put("", value(r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"webhook-tls","namespace":"cert-manager","annotations":{"cert-manager.io/issuer-kind":"Issuer"}}}"#));
    fleet.edit("", "Deployment/cert-manager/cert-manager-webhook", |deployment| {
        let annotations =
            deployment.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
        annotations.unwrap().insert("certmanagerdeployment.opdev.io/allow-restart", "true");
        let spec = deployment.get_mut("spec").and_then(Value::as_map_mut).unwrap();
        spec.insert("replicas", 5_i64);
        let pod = spec.get_mut("template").and_then(|it| it.get_mut("spec")).and_then(Value::as_map_mut).unwrap();
        pod.insert("volumes", value(r#"[{"name":"tls","secret":{"secretName":"webhook-tls"}}]"#));
    });
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan), ["7 patch Deployment/cert-manager/cert-manager-webhook"]);
}

#[test]
fn any_product_can_be_installed_from_a_bundle() {
    let mut fleet = Fleet::example("certmanager");
    fleet.load(
        "ours.yaml",
        "apiVersion: fleetfold.dev/v1\nkind: Installation\nmetadata: {name: shop, uid: shop}\n\
         spec:\n  product: shop\n  dangerZone: {containerArgOverrides: {server: {port: 8080}}}\n---\n\
         apiVersion: fleetfold.dev/v1\nkind: Bundle\nmetadata: {name: shop-2.0.0}\n\
         spec:\n  product: shop\n  version: 2.0.0\n  components: [{name: server, deployment: shop}]\n  \
         molds: {server: [{flag: port, type: int}, {flag: debug, type: bool}]}\n  manifests:\n    \
         - apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: shop, namespace: shop}\n      \
         spec: {template: {spec: {containers: [{name: server, image: shop, args: [--port=80]}]}}}\n    \
         - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: shop, namespace: shop}}\n",
    );
    let plan = fleet.settle_at_once();
    let ours: Vec<String> = actions(&plan).into_iter().filter(|it| it.ends_with("shop/shop")).collect();
    assert_eq!(ours, ["7 create Deployment/shop/shop", "9 create PodDisruptionBudget/shop/shop"]);
    let server = container(object(&fleet, "Deployment/shop/shop"), "server");
    assert_eq!(server.get("args"), Some(&Value::list(["--port=8080"])));
}
