//! Requests of a given size, each of a shape that could cost more than its size.
//!
//! In a template `~` is the number of the element.

mod dialects;
mod operations;
mod questions;
mod verbs;

/// All shapes.
pub fn all() -> impl Iterator<Item = &'static Shape> {
    [verbs::SHAPES, questions::SHAPES, dialects::SHAPES, operations::SHAPES].into_iter().flatten()
}

/// A shape of requests.
pub struct Shape {
    pub name: &'static str,
    /// The size of the smallest measurement.
    pub n: usize,
    /// The requests of one workspace, in order.
    pub requests: fn(usize) -> Vec<String>,
}

const fn shape(name: &'static str, n: usize, requests: fn(usize) -> Vec<String>) -> Shape {
    Shape { name, n, requests }
}

/// The template once for each number, with commas.
fn each(n: usize, template: &str) -> String {
    (0..n).map(|number| template.replace('~', &number.to_string())).collect::<Vec<_>>().join(",")
}

/// The same, highest number first.
fn down(n: usize, template: &str) -> String {
    (0..n).rev().map(|number| template.replace('~', &number.to_string())).collect::<Vec<_>>().join(",")
}

/// A text of many lines, as a JSON string.
fn lines(n: usize, template: &str) -> String {
    let text: String = (0..n).map(|number| template.replace('~', &number.to_string())).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn one(request: String) -> Vec<String> {
    vec![request]
}

fn parse(text: String) -> Vec<String> {
    one(format!(r#"{{"op":"parse","text":{text}}}"#))
}

fn load(documents: &str) -> String {
    format!(r#"{{"op":"load","documents":[{documents}]}}"#)
}

fn live(cluster: &str, documents: &str) -> String {
    format!(r#"{{"op":"load","live":"{cluster}","complete":true,"documents":[{documents}]}}"#)
}

fn op(name: &str) -> String {
    format!(r#"{{"op":"{name}"}}"#)
}

/// Loads documents, then asks for everything that follows from all of them.
fn fleet(documents: &str) -> Vec<String> {
    vec![load(documents), op("lint"), op("plan"), op("subjects")]
}

fn fold(layers: &str, mode: &str) -> Vec<String> {
    one(format!(r#"{{"op":"fold","mode":"{mode}","layers":[{layers}]}}"#))
}

fn layer(set: &str) -> String {
    format!(r#"{{"name":"l","set":[{set}]}}"#)
}

fn matching(kind: &str, desired: &str, live: &str, last: Option<&str>) -> Vec<String> {
    let object = |inner: &str| format!(r#"{{{kind},"metadata":{{"name":"x","namespace":"n"}},{inner}}}"#);
    let last = last.map(|it| format!(r#","lastApplied":{}"#, object(it))).unwrap_or_default();
    one(format!(r#"{{"op":"match","desired":{},"live":{}{last}}}"#, object(desired), object(live)))
}

const DEPLOYMENT: &str = r#""apiVersion":"apps/v1","kind":"Deployment""#;
const SERVICE: &str = r#""apiVersion":"v1","kind":"Service""#;
const ROLE: &str = r#""apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole""#;

fn containers(list: &str) -> String {
    format!(r#""spec":{{"template":{{"spec":{{"containers":[{list}]}}}}}}"#)
}

fn arguments(list: &str) -> String {
    containers(&format!(r#"{{"name":"c","args":[{list}]}}"#))
}

fn rules(list: &str) -> String {
    format!(r#""rules":[{{"apiGroups":[""],"verbs":["get"],"resources":[{list}]}}]"#)
}

const GH: &str = r#""apiVersion":"greenhouse.sap/v1alpha1""#;

fn gh_clusters(n: usize) -> String {
    let spec = r#""namespace":"a","labels":{"all":"1","n":"~"}},"spec":{"accessMode":"direct"}}"#;
    each(n, &format!(r#"{{{GH},"kind":"Cluster","metadata":{{"name":"c~",{spec}"#))
}

fn definition(options: &str) -> String {
    let metadata = r#""metadata":{"name":"d","namespace":"a"}"#;
    format!(r#"{{{GH},"kind":"PluginDefinition",{metadata},"spec":{{"version":"1","options":[{options}]}}}}"#)
}

fn preset(name: &str, values: &str, further: &str) -> String {
    let plugin =
        format!(r#"{{"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"d"}},"optionValues":[{values}]}}"#);
    let spec = format!(r#"{{"plugin":{plugin},"clusterSelector":{{"matchLabels":{{"all":"1"}}}}{further}}}"#);
    format!(r#"{{{GH},"kind":"PluginPreset","metadata":{{"name":"{name}","namespace":"a"}},"spec":{spec}}}"#)
}

/// An option whose expression takes some 6000 steps.
fn costly_option() -> String {
    let list = each(30, "~");
    format!(r#"{{"name":"e","expression":"${{[{list}].all(a, [{list}].all(b, a + b >= 0))}}"}}"#)
}

fn admit_preset(preset: &str) -> String {
    let kind = r#""kind":{"group":"greenhouse.sap","version":"v1alpha1","kind":"PluginPreset"}"#;
    let resource = r#""resource":{"group":"greenhouse.sap","version":"v1alpha1","resource":"pluginpresets"}"#;
    let rest = r#""name":"p","namespace":"a","operation":"CREATE","userInfo":{"username":"eve","groups":["dev"]}"#;
    format!(r#"{{"op":"admit","request":{{"uid":"u",{kind},{resource},{rest},"oldObject":null,"object":{preset}}}}}"#)
}

const OCM: &str = "cluster.open-cluster-management.io";

fn managed(n: usize) -> String {
    let claims = r#""status":{"clusterClaims":[{"name":"id.k8s.io","value":"v~"}]}"#;
    let metadata = r#""metadata":{"name":"c~","labels":{"n":"~"}}"#;
    each(n, &format!(r#"{{"apiVersion":"{OCM}/v1","kind":"ManagedCluster",{metadata},{claims}}}"#))
}

const SELECTOR: &str = r#""spec":{"clusterSelector":{"selectorType":"LabelSelector","labelSelector":{}}}"#;

fn sets(n: usize) -> String {
    let api = format!(r#""apiVersion":"{OCM}/v1beta2""#);
    let set = format!(r#"{{{api},"kind":"ManagedClusterSet","metadata":{{"name":"s~"}},{SELECTOR}}}"#);
    let binding = format!(r#"{{{api},"kind":"ManagedClusterSetBinding","metadata":{{"name":"s~","namespace":"n"}}"#);
    each(n, &format!(r#"{set},{binding},"spec":{{"clusterSet":"s~"}}}}"#))
}

fn binding(set: &str) -> String {
    let metadata = format!(r#""metadata":{{"name":"{set}","namespace":"n"}}"#);
    let api = format!(r#""apiVersion":"{OCM}/v1beta2""#);
    format!(r#"{{{api},"kind":"ManagedClusterSetBinding",{metadata},"spec":{{"clusterSet":"{set}"}}}}"#)
}

fn placement(name: &str, spec: &str) -> String {
    let metadata = format!(r#""metadata":{{"name":"{name}","namespace":"n"}}"#);
    format!(r#"{{"apiVersion":"{OCM}/v1beta1","kind":"Placement",{metadata},"spec":{{{spec}}}}}"#)
}

fn cel(expression: &str) -> String {
    let selector = format!(r#"{{"requiredClusterSelector":{{"celSelector":{{"celExpressions":["{expression}"]}}}}}}"#);
    format!(r#""predicates":[{selector}]"#)
}

/// One expression over some clusters.
fn expression(clusters: usize, expression: &str) -> Vec<String> {
    fleet(&[managed(clusters), sets(1), placement("p", &cel(expression))].join(","))
}

const FED: &str = r#""apiVersion":"core.kubefed.io/v1beta1""#;
const FED_NS: &str = r#""namespace":"kube-federation-system""#;

fn federation(clusters: usize, federated: &str) -> String {
    let members = each(clusters, &format!(r#"{{{FED},"kind":"KubeFedCluster","metadata":{{"name":"c~",{FED_NS}}}}}"#));
    let types = [("Namespace", "namespaces"), ("ConfigMap", "configmaps")].map(|(kind, name)| {
        let federated = format!(r#"{{"group":"types.kubefed.io","kind":"Federated{kind}","version":"v1beta1"}}"#);
        let target = format!(r#"{{"kind":"{kind}","version":"v1"}}"#);
        let spec = format!(r#"{{"federatedType":{federated},"propagation":"Enabled","targetType":{target}}}"#);
        format!(r#"{{{FED},"kind":"FederatedTypeConfig","metadata":{{"name":"{name}",{FED_NS}}},"spec":{spec}}}"#)
    });
    let home = federated_object("Namespace", "n", r#""placement":{"clusterSelector":{}}"#);
    [members, types.join(","), home, federated.to_string()]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

fn federated_object(kind: &str, name: &str, spec: &str) -> String {
    let api = r#""apiVersion":"types.kubefed.io/v1beta1""#;
    let metadata = format!(r#""metadata":{{"name":"{name}","namespace":"n"}}"#);
    format!(r#"{{{api},"kind":"Federated{kind}",{metadata},"spec":{{{spec}}}}}"#)
}

const KUDO: &str = r#""apiVersion":"kudo.dev/v1beta1""#;

/// An OperatorVersion with templates, tasks, and the steps of its install plan.
fn version(name: &str, templates: &str, tasks: &str, steps: &str) -> String {
    let plan = format!(r#"{{"phases":[{{"name":"m","strategy":"parallel","steps":[{steps}]}}]}}"#);
    let operator = r#""operator":{"name":"op","kind":"Operator"},"version":"1.0.0","installPlan":"i""#;
    let spec = format!(r#"{{{operator},"templates":{{{templates}}},"tasks":[{tasks}],"plans":{{"i":{plan}}}}}"#);
    let metadata = format!(r#"{{"name":"{name}","namespace":"db","uid":"u-{name}"}}"#);
    format!(r#"{{{KUDO},"kind":"OperatorVersion","metadata":{metadata},"spec":{spec}}}"#)
}

fn templates(n: usize) -> String {
    each(n, r#""t~":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t~}\ndata: {a: x}\n""#)
}

fn apply(name: &str, resources: &str) -> String {
    format!(r#"{{"name":"{name}","kind":"Apply","spec":{{"resources":[{resources}]}}}}"#)
}

const STEP: &str = r#"{"name":"s","tasks":["t"]}"#;

fn versions(n: usize, objects: usize) -> String {
    let tasks = apply("t", &each(objects, r#""t~""#));
    each(n, &version("v-number-", "@", &tasks, STEP).replace("v-number-", "v~")).replace('@', &templates(objects))
}

/// What is asked of a KUDO fleet on an empty hub.
fn kudo(documents: &str) -> Vec<String> {
    vec![load(documents), live("", ""), op("lint"), op("plan"), op("plan")]
}

fn bundle(name: &str, version: &str, manifests: &str) -> String {
    let spec =
        format!(r#"{{"product":"cert-manager","version":"{version}","manifests":[{manifests}],"components":[]}}"#);
    format!(r#"{{"apiVersion":"fleetfold.dev/v1","kind":"Bundle","metadata":{{"name":"{name}"}},"spec":{spec}}}"#)
}

/// What is asked of a cluster with cert-manager on an empty hub.
fn certmanager(bundles: &str) -> Vec<String> {
    let kind = r#""apiVersion":"operators.opdev.io/v1alpha1","kind":"CertManagerDeployment""#;
    let deployment = format!(r#"{{{kind},"metadata":{{"name":"cluster","uid":"u1"}},"spec":{{"version":"v1.3.1"}}}}"#);
    vec![load(&[bundles, &deployment].join(",")), live("", ""), op("lint"), op("plan")]
}
