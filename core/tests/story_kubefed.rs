//! The story of seed 003, and what else KubeFed's users live through.

mod fleet;

use fleet::{Fleet, actions, held, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::object::Reference;

const WEBHOOK: &str = "ValidatingWebhookConfiguration/foo";
const FOO: &str = "FederatedValidatingWebhookConfiguration/foo";

fn ca_bundle(object: &Value) -> Option<&str> {
    let webhooks = object.get("webhooks").or_else(|| object.at(&["spec", "webhooks"]))?.as_list()?;
    webhooks.first()?.at(&["clientConfig", "caBundle"])?.as_text()
}

fn edit_text(fleet: &mut Fleet, name: &str, path: &[&str], to: &str) {
    let mut changed = fleet.document_named(name);
    let (last, above) = path.split_last().unwrap();
    let holder = above.iter().fold(&mut changed, |at, key| at.get_mut(key).unwrap());
    holder.as_map_mut().unwrap().insert(*last, value(to));
    fleet.load_documents([changed]);
}

#[test]
fn the_ca_bundle_of_each_cluster_outlives_an_update() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/corrected");
    assert_eq!(fleet.codes(Lint::default()), [""; 0]);
    let plan = fleet.settle_at_once();
    let patches = ["cluster1", "cluster2"].map(|cluster| format!("1 patch {cluster} {WEBHOOK}"));
    assert_eq!(actions(&plan), [vec![format!("0 patch {FOO}")], patches.to_vec()].concat());
    for (cluster, bundle) in [("cluster1", "Q0EgMQ=="), ("cluster2", "Q0EgMg==")] {
        let live = fleet.get(cluster, WEBHOOK).unwrap();
        assert_eq!(ca_bundle(live), Some(bundle));
        let service = live.get("webhooks").unwrap().as_list().unwrap()[0].at(&["clientConfig", "service"]).unwrap();
        assert_eq!(service.text_at(&["path"]), "/validate-foo");
    }
}

#[test]
fn a_renewed_ca_bundle_is_no_difference() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/corrected");
    fleet.settle();
    fleet.edit("cluster1", WEBHOOK, |webhook| {
        let first = webhook.get_mut("webhooks").and_then(Value::as_list_mut).unwrap().first_mut().unwrap();
        first.get_mut("clientConfig").and_then(Value::as_map_mut).unwrap().insert("caBundle", "TmV3");
    });
    assert_eq!(actions(&fleet.plan()), [""; 0]);
}

#[test]
fn a_bundle_in_the_template_or_in_an_override_goes_to_the_clusters() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/corrected");
    let overrides = r#"[{"clusterName":"cluster2","clusterOverrides":[{"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"R2xvYmFs"}]}]"#;
    edit_text(&mut fleet, FOO, &["spec", "overrides"], overrides);
    fleet.settle_at_once();
    assert_eq!(ca_bundle(fleet.get("cluster1", WEBHOOK).unwrap()), Some("Q0EgMQ=="));
    assert_eq!(ca_bundle(fleet.get("cluster2", WEBHOOK).unwrap()), Some("R2xvYmFs"));
}

#[test]
fn the_path_of_the_seed_is_followed_and_told() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/as-written");
    assert_eq!(fleet.codes(Lint::default()), ["unknown-path", "unknown-managers", "unknown-path"]);
    let answer = fleet.effective(FOO);
    let objects = answer.results.iter().map(|it| &it.objects.as_ref().unwrap()[0].object);
    let bundles: Vec<Option<&str>> = objects.map(|it| ca_bundle(it)).collect();
    assert_eq!(bundles, [Some("Q0EgMQ=="), Some("Q0EgMg==")]);
}

#[test]
fn the_path_of_the_seed_keeps_nothing_of_the_real_kind() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/corrected");
    fleet.load_file(&fleet::examples("stories/003-ca-bundle/as-written/type-config.yaml"));
    let found = fleet.lint().remove(0);
    assert_eq!(found.at.unwrap().path.unwrap(), "/spec/retention/fields/0");
    assert_eq!(found.hint.unwrap(), "leave `spec` out: `webhooks` is at the root");
    fleet.settle_at_once();
    assert_eq!(ca_bundle(fleet.get("cluster1", WEBHOOK).unwrap()), None);
}

#[test]
fn the_shop_settles_and_keeps_what_the_clusters_gave_out() {
    let mut fleet = Fleet::example("kubefed");
    let plan = fleet.settle_at_once();
    assert_eq!(
        actions(&plan),
        [
            "-1 patch FederatedNamespace/shop/shop",
            "0 patch FederatedConfigMap/shop/settings",
            "0 patch FederatedDeployment/shop/web",
            "0 patch tokyo Namespace/shop",
            "0 patch FederatedService/shop/web",
            "1 create berlin Deployment/shop/web",
            "1 create tokyo Deployment/shop/web",
            "1 create tokyo Service/shop/web",
            "2 delete tokyo ConfigMap/shop/settings",
        ]
    );
    let service = fleet.get("berlin", "Service/shop/web").unwrap();
    assert_eq!(service.text_at(&["spec", "clusterIP"]), "10.96.14.7");
    let settings = fleet.get("berlin", "ConfigMap/shop/settings").unwrap();
    assert_eq!(settings.text_at(&["data", "motd"]), "closed on Monday");
    assert_eq!(fleet.names("lima"), [""; 0]);
}

#[test]
fn statuses_speak_of_every_cluster_in_the_words_of_kubefed() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    let status = |fleet: &Fleet, name: &str| fleet.document_named(name).get("status").unwrap().to_canonical();
    assert_eq!(
        status(&fleet, "FederatedService/shop/web"),
        r#"{"clusters":[{"name":"berlin"},{"name":"tokyo"}],"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z","status":"True","type":"Propagation"}]}"#
    );
    assert_eq!(
        status(&fleet, "FederatedConfigMap/shop/settings"),
        r#"{"clusters":[{"name":"berlin"},{"name":"lima","status":"ClusterNotReady"}],"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z","reason":"CheckClusters","status":"False","type":"Propagation"}]}"#
    );
}

#[test]
fn a_cluster_that_is_not_ready_is_neither_asked_nor_emptied() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    edit_text(
        &mut fleet,
        "FederatedConfigMap/shop/settings",
        &["spec", "placement"],
        r#"{"clusters":[{"name":"berlin"}]}"#,
    );
    let plan = fleet.call(PlanRequest::default());
    assert_eq!(plan.needs, []);
    assert_eq!(actions(&plan), [""; 0]);
}

#[test]
fn an_object_that_leaves_a_cluster_goes_only_if_it_is_managed() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    edit_text(&mut fleet, "FederatedService/shop/web", &["spec", "placement"], r#"{"clusters":[{"name":"berlin"}]}"#);
    assert_eq!(actions(&fleet.plan()), ["2 delete tokyo Service/shop/web"]);
    fleet.edit("tokyo", "Service/shop/web", |service| {
        let labels = service.get_mut("metadata").and_then(|it| it.get_mut("labels")).and_then(Value::as_map_mut);
        labels.unwrap().remove("kubefed.io/managed");
    });
    assert_eq!(actions(&fleet.plan()), [""; 0]);
    assert_eq!(fleet.codes(PlanRequest::default()), ["not-managed"]);
}

#[test]
fn an_empty_placement_deletes_nothing_by_itself() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    edit_text(&mut fleet, "FederatedService/shop/web", &["spec", "placement"], r#"{"clusters":[]}"#);
    let plan = fleet.plan();
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(held(&plan), ["empty-selection"; 2]);
}

#[test]
fn deleting_the_federated_object_deletes_its_copies_and_then_lets_it_go() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    let limits = LimitsInput { deletes: Some(9), delete_percent: Some(100), ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    edit_text(
        &mut fleet,
        "FederatedService/shop/web",
        &["metadata", "finalizers"],
        r#"["kubefed.io/sync-controller"]"#,
    );
    fleet.start_deleting("FederatedService/shop/web");
    assert_eq!(actions(&fleet.plan()), ["2 delete berlin Service/shop/web", "2 delete tokyo Service/shop/web"]);
    let plan = fleet.plan();
    fleet.apply(&plan);
    let plan = fleet.plan();
    // lima cannot be looked at: what it has is not known to be gone.
    assert_eq!(actions(&plan), [""; 0]);
    fleet.unload(["KubeFedCluster/kube-federation-system/lima"]);
    assert_eq!(actions(&fleet.plan()), ["3 patch FederatedService/shop/web"]);
    fleet.settle();
    assert!(fleet.workspace.find(&Reference::parse("FederatedService/shop/web").unwrap()).is_err());
}

#[test]
fn an_orphaning_object_leaves_its_copies_without_the_label() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    edit_text(&mut fleet, "FederatedService/shop/web", &["metadata", "annotations"], r#"{"kubefed.io/orphan":"true"}"#);
    fleet.start_deleting("FederatedService/shop/web");
    let plan = fleet.settle_at_once();
    assert_eq!(actions(&plan), ["1 patch berlin Service/shop/web", "1 patch tokyo Service/shop/web"]);
    let labels = fleet.get("tokyo", "Service/shop/web").unwrap().at(&["metadata", "labels"]).unwrap();
    assert_eq!(labels.to_canonical(), "{}");
}

#[test]
fn an_annotation_that_the_template_drops_goes_and_those_of_others_stay() {
    let mut fleet = Fleet::example("kubefed");
    let service = "FederatedService/shop/web";
    edit_text(&mut fleet, service, &["spec", "template", "metadata"], r#"{"annotations":{"ours":"1"}}"#);
    fleet.settle();
    edit_text(&mut fleet, service, &["spec", "template", "metadata"], "{}");
    fleet.settle_at_once();
    let annotations = fleet.get("berlin", "Service/shop/web").unwrap().at(&["metadata", "annotations"]).unwrap();
    assert_eq!((annotations.get("ours"), annotations.text_at(&["lb.example.com/pool"])), (None, "blue"));
}

#[test]
fn an_autoscaler_keeps_its_replicas() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    fleet.edit("berlin", "Deployment/shop/web", |it| {
        it.get_mut("spec").and_then(Value::as_map_mut).unwrap().insert("replicas", 9i64);
    });
    assert_eq!(actions(&fleet.plan()), ["1 patch berlin Deployment/shop/web"]);
    edit_text(&mut fleet, "FederatedDeployment/shop/web", &["spec", "retainReplicas"], "true");
    edit_text(&mut fleet, "FederatedDeployment/shop/web", &["spec", "overrides"], "[]");
    fleet.settle();
    assert_eq!(
        fleet.get("berlin", "Deployment/shop/web").unwrap().at(&["spec", "replicas"]).and_then(Value::as_int),
        Some(9)
    );
}

#[test]
fn a_live_object_elsewhere_is_noticed_when_it_is_seen() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    edit_text(
        &mut fleet,
        "FederatedConfigMap/shop/settings",
        &["spec", "placement"],
        r#"{"clusters":[{"name":"berlin"}]}"#,
    );
    assert_eq!(actions(&fleet.plan()), [""; 0]);
    let settings = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop","labels":{"kubefed.io/managed":"true"}}}"#;
    fleet.put("tokyo", value(settings));
    assert_eq!(actions(&fleet.plan()), ["2 delete tokyo ConfigMap/shop/settings"]);
}

fn managed_by(object: &mut Value, manager: &str, fields: &str) {
    let entry = Value::map([("manager", Value::text(manager)), ("fieldsV1", value(fields))]);
    let metadata = object.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
    metadata.insert("managedFields", vec![entry]);
}

#[test]
fn without_the_rule_the_ca_bundle_is_erased_and_the_next_plan_is_empty() {
    let mut fleet = Fleet::example("stories/003-ca-bundle/corrected");
    fleet.settle();
    for cluster in ["cluster1", "cluster2"] {
        let fields = r#"{"f:webhooks":{"k:{\"name\":\"validating-foo\"}":{"f:clientConfig":{"f:caBundle":{}}}}}"#;
        fleet.edit(cluster, WEBHOOK, |it| managed_by(it, "cert-manager-cainjector", fields));
    }
    assert_eq!(actions(&fleet.plan()), [""; 0], "the rule retains it");
    let with_rule = fleet.plan().digest;
    let name =
        "FederatedTypeConfig/kube-federation-system/validatingwebhookconfigurations.admissionregistration.k8s.io";
    edit_text(&mut fleet, name, &["spec", "retention"], "{}");
    let plan = fleet.plan();
    assert_eq!(actions(&plan), [format!("1 patch cluster1 {WEBHOOK}"), format!("1 patch cluster2 {WEBHOOK}")]);
    assert_ne!(plan.digest, with_rule);
    fleet.apply(&plan);
    assert_eq!(ca_bundle(fleet.get("cluster1", WEBHOOK).unwrap()), None);
    assert_eq!(actions(&fleet.plan()), [""; 0]);
}

#[test]
fn a_deleted_federated_object_takes_its_copies_along() {
    let mut fleet = Fleet::example("kubefed");
    fleet.settle();
    let service = "FederatedService/shop/web";
    let finalizers = fleet.document_named(service).at(&["metadata", "finalizers"]).cloned().unwrap();
    assert_eq!(finalizers.to_canonical(), r#"["kubefed.io/sync-controller"]"#);
    let limits = LimitsInput { delete_percent: Some(100), ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
    edit_text(&mut fleet, service, &["metadata", "deletionTimestamp"], r#""2026-01-01T00:00:00Z""#);
    let plan = fleet.plan();
    assert_eq!(actions(&plan), ["2 delete berlin Service/shop/web", "2 delete tokyo Service/shop/web"]);
    fleet.apply(&plan);
    assert_eq!(actions(&fleet.plan()), [""; 0], "nobody knows what lima has");
    assert_eq!(fleet.codes(PlanRequest::default()), ["still-leaving"]);
    fleet.unload(["KubeFedCluster/kube-federation-system/lima"]);
    assert_eq!(actions(&fleet.plan()), ["3 patch FederatedService/shop/web"]);
}

#[test]
fn the_status_of_every_copy_is_on_the_hub() {
    let mut fleet = Fleet::example("kubefed");
    let config = "FederatedTypeConfig/kube-federation-system/deployments.apps";
    edit_text(&mut fleet, config, &["spec", "statusCollection"], r#""Enabled""#);
    fleet.settle();
    fleet.edit("tokyo", "Deployment/shop/web", |it| {
        it.as_map_mut().unwrap().insert("status", value(r#"{"readyReplicas":2}"#));
    });
    fleet.settle();
    let web = fleet.document_named("FederatedDeployment/shop/web");
    let clusters = web.at(&["status", "clusters"]).unwrap().as_list().unwrap();
    let tokyo = clusters.iter().find(|it| it.text_at(&["name"]) == "tokyo").unwrap();
    assert_eq!(tokyo.get("remoteStatus").unwrap().to_canonical(), r#"{"readyReplicas":2}"#);
    let berlin = clusters.iter().find(|it| it.text_at(&["name"]) == "berlin").unwrap();
    assert!(berlin.get("remoteStatus").is_none(), "it has no status yet");
}

#[test]
fn statuses_in_an_object_of_their_own_settle() {
    let mut fleet = Fleet::example("kubefed");
    let config = "FederatedTypeConfig/kube-federation-system/deployments.apps";
    edit_text(&mut fleet, config, &["spec", "statusCollection"], r#""Enabled""#);
    edit_text(&mut fleet, config, &["spec", "statusType"], r#"{"kind":"FederatedDeploymentStatus"}"#);
    fleet.settle();
    fleet.edit("tokyo", "Deployment/shop/web", |it| {
        it.as_map_mut().unwrap().insert("status", value(r#"{"readyReplicas":2}"#));
    });
    assert_eq!(actions(&fleet.plan()), ["3 patch FederatedDeploymentStatus/shop/web"]);
    fleet.settle();
    let collected = fleet.get("", "FederatedDeploymentStatus/shop/web").unwrap().get("clusterStatus").unwrap();
    assert_eq!(collected.to_canonical(), r#"[{"clusterName":"tokyo","status":{"readyReplicas":2}}]"#);
}
