//! `fleetfold fn`, as kustomize and kpt meet it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Two clusters of KubeFed, a federated ConfigMap that differs in one of them, and a Secret.
const ITEMS: &str = r#"
- apiVersion: core.kubefed.io/v1beta1
  kind: KubeFedCluster
  metadata: {name: eu, namespace: kube-federation-system,
    annotations: {config.kubernetes.io/path: clusters.yaml, config.kubernetes.io/index: "0"}}
  spec: {apiEndpoint: "https://eu", secretRef: {name: eu}}
  status: {conditions: [{type: Ready, status: "True"}]}
- apiVersion: core.kubefed.io/v1beta1
  kind: KubeFedCluster
  metadata: {name: us, namespace: kube-federation-system,
    annotations: {config.kubernetes.io/path: clusters.yaml, config.kubernetes.io/index: "1"}}
  spec: {apiEndpoint: "https://us", secretRef: {name: us}}
  status: {conditions: [{type: Ready, status: "True"}]}
- apiVersion: core.kubefed.io/v1beta1
  kind: FederatedTypeConfig
  metadata: {name: configmaps, namespace: kube-federation-system}
  spec:
    propagation: Enabled
    federatedType: {group: types.kubefed.io, kind: FederatedConfigMap, version: v1beta1}
    targetType: {kind: ConfigMap, version: v1}
- apiVersion: core.kubefed.io/v1beta1
  kind: FederatedTypeConfig
  metadata: {name: secrets, namespace: kube-federation-system}
  spec:
    propagation: Enabled
    federatedType: {group: types.kubefed.io, kind: FederatedSecret, version: v1beta1}
    targetType: {kind: Secret, version: v1}
- apiVersion: core.kubefed.io/v1beta1
  kind: FederatedTypeConfig
  metadata: {name: namespaces, namespace: kube-federation-system}
  spec:
    propagation: Enabled
    federatedType: {group: types.kubefed.io, kind: FederatedNamespace, version: v1beta1}
    targetType: {kind: Namespace, version: v1}
- apiVersion: v1
  kind: Namespace
  metadata: {name: shop, annotations: {config.kubernetes.io/index: "5", internal.config.kubernetes.io/index: "5"}}
- apiVersion: types.kubefed.io/v1beta1
  kind: FederatedNamespace
  metadata: {name: shop, namespace: shop}
  spec: {placement: {clusters: [{name: eu}, {name: us}]}}
- apiVersion: types.kubefed.io/v1beta1
  kind: FederatedConfigMap
  metadata: {name: settings, namespace: shop,
    annotations: {config.kubernetes.io/path: shop.yaml, config.kubernetes.io/index: "2"}}
  spec:
    template: {data: {currency: EUR, serial: "9007199254740993"}}
    placement: {clusters: [{name: eu}, {name: us}]}
    overrides:
    - {clusterName: us, clusterOverrides: [{path: /data/currency, value: USD}]}
- apiVersion: types.kubefed.io/v1beta1
  kind: FederatedSecret
  metadata: {name: token, namespace: shop}
  spec: {template: {stringData: {token: hush}}, placement: {clusters: [{name: us}]}}
"#;

fn list(items: &str, spec: &str) -> String {
    let config = match spec {
        "" => String::new(),
        spec => format!(
            "functionConfig: {{apiVersion: fleetfold.dev/v1alpha1, kind: Fleetfold, metadata: {{name: x}}, spec: \
             {spec}}}\n"
        ),
    };
    format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:{items}{config}")
}

#[test]
fn items_are_rendered_for_a_cluster() {
    let done = call(&list(ITEMS, "{run: render, clusters: [us]}"));
    let want = r#"apiVersion: config.kubernetes.io/v1
functionConfig:
  apiVersion: fleetfold.dev/v1alpha1
  kind: Fleetfold
  metadata:
    name: x
  spec:
    clusters:
    - us
    run: render
items:
- apiVersion: v1
  kind: Namespace
  metadata:
    annotations:
      config.kubernetes.io/index: "0"
      config.kubernetes.io/path: us/namespace_shop.yaml
      fleetfold.dev/cluster: us
      internal.config.kubernetes.io/index: "0"
      internal.config.kubernetes.io/path: us/namespace_shop.yaml
    labels:
      kubefed.io/managed: "true"
    name: shop
- apiVersion: v1
  data:
    currency: USD
    serial: "9007199254740993"
  kind: ConfigMap
  metadata:
    annotations:
      config.kubernetes.io/index: "0"
      config.kubernetes.io/path: us/shop/configmap_settings.yaml
      fleetfold.dev/cluster: us
      internal.config.kubernetes.io/index: "0"
      internal.config.kubernetes.io/path: us/shop/configmap_settings.yaml
    labels:
      kubefed.io/managed: "true"
    name: settings
    namespace: shop
- apiVersion: v1
  kind: Secret
  metadata:
    annotations:
      config.kubernetes.io/index: "0"
      config.kubernetes.io/path: us/shop/secret_token.yaml
      fleetfold.dev/cluster: us
      internal.config.kubernetes.io/index: "0"
      internal.config.kubernetes.io/path: us/shop/secret_token.yaml
    labels:
      kubefed.io/managed: "true"
    name: token
    namespace: shop
  stringData:
    token: hush
kind: ResourceList
"#;
    assert_eq!((text(&done.stdout), text(&done.stderr), done.status.code()), (want, "", Some(0)));
}

#[test]
fn everything_is_rendered_once_however_often() {
    let first = call(&list(ITEMS, "{run: render, keep: true, folder: out/}"));
    let said = text(&first.stdout);
    let paths: Vec<&str> =
        said.lines().filter_map(|line| line.strip_prefix("      config.kubernetes.io/path: out/")).collect();
    let want = [
        "eu/namespace_shop.yaml",
        "eu/shop/configmap_settings.yaml",
        "us/namespace_shop.yaml",
        "us/shop/configmap_settings.yaml",
        "us/shop/secret_token.yaml",
    ];
    assert_eq!(paths, want);
    assert_eq!(said.matches("\n  kind: KubeFedCluster\n").count(), 2);
    let second = call(said);
    assert_eq!(text(&second.stdout), said);
    let picked = call(&list(ITEMS, "{run: render, selector: '!none', subjects: [FederatedSecret/shop/token]}"));
    assert_eq!(text(&picked.stdout).matches("fleetfold.dev/cluster").count(), 1);
}

#[test]
fn without_a_configuration_items_are_linted_and_stay() {
    let clean = call(&list(ITEMS, ""));
    let same = call(text(&clean.stdout));
    assert_eq!((clean.status.code(), text(&clean.stderr)), (Some(0), ""));
    assert_eq!(text(&same.stdout), text(&clean.stdout));
    assert!(!text(&clean.stdout).contains("results"), "{}", text(&clean.stdout));
    // Read and written once more by another reader of YAML, nothing is another value.
    assert!(text(&clean.stdout).contains("serial: \"9007199254740993\"\n"));
    assert!(text(&clean.stdout).contains("token: hush\n"));
}

#[test]
fn findings_are_results_with_their_places_and_fail() {
    let wrong = ITEMS.replace("/data/currency, value: USD", "data/currency, value: USD");
    let done = call(&list(&wrong, "{run: lint}"));
    let said = text(&done.stdout);
    let results = &said[said.find("results:").expect("results")..];
    for part in [
        "  severity: error\n",
        "  file:\n    index: 2\n    path: shop.yaml\n",
        "    path: \"spec.overrides[0].clusterOverrides[0].path\"\n",
        "  resourceRef:\n    apiVersion: types.kubefed.io/v1beta1\n    kind: FederatedConfigMap\n    name: settings\
         \n    namespace: shop\n",
    ] {
        assert!(results.contains(part), "{part}in {results}");
    }
    assert!(text(&done.stderr).starts_with("error["), "{}", text(&done.stderr));
    assert!(
        text(&done.stderr).contains("--> shop.yaml\n = in: FederatedConfigMap/shop/settings "),
        "{}",
        text(&done.stderr)
    );
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(call(&list(&wrong, "{failOn: never}")).status.code(), Some(0));
    // What is wrong is not rendered, and the items are as they came.
    let render = call(&list(&wrong, "{run: render, clusters: [us]}"));
    assert_eq!(render.status.code(), Some(1));
    assert!(!text(&render.stdout).contains("fleetfold.dev/cluster") && text(&render.stdout).contains("\nresults:\n"));
}

#[test]
fn an_item_that_is_no_object_is_a_result_at_its_index() {
    let items = format!(
        "{ITEMS}- kind: Namespace\n  metadata: {{annotations: {{config.kubernetes.io/path: a.yaml, \
         config.kubernetes.io/index: '4'}}}}\n- 5\n"
    );
    let done = call(&list(&items, ""));
    let said = text(&done.stdout);
    let want = "
- file:
    index: 4
    path: a.yaml
  message: \"the document has no `metadata.name`; an item is an object with `apiVersion`, `kind` and `metadata.name`\"
";
    assert!(said.contains(want), "{said}");
    let want = "\n- field:\n    path: \"items[10]\"\n  message: \"the document is an integer, not an object; ";
    assert!(said.contains(want), "{said}");
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn documents_may_lie_beside_the_items() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("function");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("fleet.yaml"), format!("apiVersion: v1\nkind: List\nitems:{ITEMS}")).unwrap();
    let spec = format!("{{run: render, clusters: [eu], files: [{:?}]}}", folder.display().to_string());
    // As a generator of kustomize has it: its own configuration is the only item.
    let own = "\n- {apiVersion: fleetfold.dev/v1alpha1, kind: Fleetfold, metadata: {name: x}}\n";
    let done = call(&list(own, &spec));
    let said = text(&done.stdout);
    assert_eq!(said.matches("fleetfold.dev/cluster: eu\n").count(), 2, "{said}{}", text(&done.stderr));
    assert_eq!(said.matches("\n  kind: Fleetfold\n").count(), 1, "{said}");
}

#[test]
fn what_cannot_be_done_is_a_result_too() {
    #[track_caller]
    fn refused(spec: &str, message: &str) {
        let done = call(&list(ITEMS, spec));
        let said = text(&done.stdout);
        assert!(said.contains(&format!("message: \"{message}\"\n")), "{said}");
        assert!(said.contains("  severity: error\n") && said.contains("kind: FederatedSecret\n"), "{said}");
        assert!(text(&done.stderr).starts_with("error["), "{}", text(&done.stderr));
        assert_eq!(done.status.code(), Some(2));
    }
    refused("{run: rendr}", "there is no `run: rendr`; did you mean `render`?");
    refused("{run: render, clusters: [uss]}", "there is no cluster `uss` in the fleet; did you mean `us`?");
    refused(
        "{run: render, subjects: [FederatedSecret/shop/tokem]}",
        "`FederatedSecret/shop/tokem` is not loaded; did you mean `FederatedSecret/shop/token`?",
    );
    refused(
        "{files: [/nowhere]}",
        "`/nowhere` cannot be read: No such file or directory (os error 2); give a file or a folder of documents, or \
         `-` for standard input",
    );
}

#[test]
fn what_is_no_resource_list_is_refused() {
    let done = call("kind: List\n");
    let want = "error[unknown-value]: unexpected kind `List`\n  --> <stdin>:1:7\n  |\n1 | kind: List\n  |       ^\n";
    assert!(text(&done.stderr).starts_with(want), "{}", text(&done.stderr));
    assert_eq!((done.status.code(), done.stdout.len()), (Some(2), 0));
    assert_eq!(call("items: [").status.code(), Some(2));
    assert_eq!(call("").status.code(), Some(2));
}

/// What a chart gets is no object: that it is left out is said once, and fails nothing.
#[test]
fn values_of_charts_are_told_and_left_out() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/greenhouse");
    let done =
        call(&list(" []\n", &format!("{{run: render, files: [{example:?}], subjects: [PluginPreset/acme/metrics]}}")));
    let said = text(&done.stdout);
    assert!(said.contains("\nitems: []\n") && said.matches("code: no-objects\n").count() == 1, "{said}");
    assert!(said.contains("it gives values to a chart, and no objects"), "{said}");
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn both_engines_give_the_same() {
    let input = list(ITEMS, "{run: render}");
    let native = finish(&["fn", "--native"], &input);
    assert_eq!(text(&native.stdout), text(&call(&input).stdout));
}

fn call(input: &str) -> Output {
    finish(&["fn"], input)
}

fn finish(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("function-cache"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
