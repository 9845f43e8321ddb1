//! Requests of a given size, each of a shape that could cost more than its size.
//!
//! In a template `~` is the number of the element.

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

pub const SHAPES: &[Shape] = &[
    // Texts
    shape("parse: a list", 400, |n| parse(lines(n, "- ~\n"))),
    shape("parse: a map", 400, |n| parse(lines(n, "k~: v\n"))),
    shape("parse: one key again and again", 400, |n| parse(lines(n, "k: v\n"))),
    shape("parse: a flow list", 400, |n| parse(format!("\"[{}]\"", each(n, "~")))),
    shape("parse: nested flow lists", 200, |n| parse(format!("\"{}\"", "[".repeat(n)))),
    shape("parse: documents", 200, |n| parse(lines(n, "---\na: ~\n"))),
    shape("parse: comments", 400, |n| parse(lines(n, "# ~\n"))),
    shape("parse: anchors and aliases", 200, |n| parse(lines(n, "k~: &a~ x\nl~: *a~\n"))),
    shape("parse: merges of one map", 200, |n| {
        parse(format!("{}{}", "\"a: &a {x: 1}\\n", &lines(n, "k~: {<<: *a}\n")[1..]))
    }),
    shape("parse: aliases of a long list", 60, |n| {
        parse(format!("\"a: &a [{}]\\n{}", each(n, "1"), &lines(n, "k~: *a\n")[1..]))
    }),
    shape("parse: a block scalar", 400, |n| parse(format!("\"a: |\\n{}", &lines(n, "  line ~\n")[1..]))),
    shape("parse: quoted lines", 400, |n| parse(format!("\"a: '{}'\"", "word ".repeat(n)))),
    shape("parse: indentation", 20, |n| {
        let nested: String = (0..n).map(|depth| format!("{}a:\\n", " ".repeat(depth))).collect();
        parse(format!("\"{nested}\""))
    }),
    shape("print: a list of texts", 400, |n| {
        one(format!(r#"{{"op":"print","documents":[{{"l":[{}]}}]}}"#, each(n, r#""a: ~\n b""#)))
    }),
    shape("redact: secrets", 60, |n| {
        let text = lines(n, "---\nkind: Secret\nmetadata: {name: s~}\nstringData: {k: v~}\n");
        one(format!(r#"{{"op":"redact","text":{text}}}"#))
    }),
    shape("redact: a copy in an annotation", 200, |n| {
        let data = each(n, r#"\"k~\":\"v\""#).replace('"', "\\\"").replace("\\\\\"", "\"");
        let text = format!("kind: Secret\nmetadata:\n  annotations:\n    x: '{{{data}}}'\n")
            .replace('\n', "\\n")
            .replace('"', "\\\"");
        one(format!(r#"{{"op":"redact","text":"{text}"}}"#))
    }),
    shape("sources: files", 200, |n| {
        one(format!(r#"{{"op":"sources","files":[{}]}}"#, each(n, r#""live/c~/x.yaml""#)))
    }),
    // Verbs
    shape("select: clusters", 200, |n| {
        let clusters = each(n, r#"{"name":"c~","labels":{"n":"~"}}"#);
        one(format!(r#"{{"op":"select","selector":"n!=3","clusters":[{clusters}],"why":true}}"#))
    }),
    shape("select: requirements and clusters, with reasons", 100, |n| {
        let (clusters, keys) = (each(n, r#"{"name":"c~","labels":{"n":"~"}}"#), each(n, "!k~"));
        one(format!(r#"{{"op":"select","selector":"{keys}","clusters":[{clusters}],"why":true}}"#))
    }),
    shape("select: values of a requirement", 200, |n| {
        let (clusters, values) = (each(n, r#"{"name":"c~","labels":{"n":"x~"}}"#), each(n, "x~"));
        one(format!(r#"{{"op":"select","selector":"n in ({values})","clusters":[{clusters}]}}"#))
    }),
    shape("select: unknown names", 100, |n| {
        let (clusters, names) = (each(n, r#"{"name":"cluster-~"}"#), each(n, r#"{"name":"clutser-~"}"#));
        let selector = format!(r#"{{"clusters":[{names}]}}"#);
        one(format!(r#"{{"op":"select","selector":{selector},"clusters":[{clusters}]}}"#))
    }),
    shape("fold: options", 200, |n| fold(&layer(&each(n, r#"{"path":"a~","value":1}"#)), "strict")),
    shape("fold: options, compat", 100, |n| {
        let set = each(n, r#"{"path":"a~","value":1}"#);
        fold(&[layer(&set), layer(&set)].join(","), "compat")
    }),
    shape("fold: one option again and again, compat", 100, |n| {
        let set = each(n, r#"{"path":"a","value":~}"#);
        fold(&[layer(&set), layer(&set)].join(","), "compat")
    }),
    shape("fold: layers of one option", 200, |n| {
        fold(&each(n, r#"{"name":"l~","set":[{"path":"a","value":~}]}"#), "strict")
    }),
    shape("fold: merged maps", 60, |n| {
        let set = each(n, r#"{"path":"m","merge":"deep","value":{"k~":~}}"#);
        fold(&(0..2).map(|_| layer(&set)).collect::<Vec<_>>().join(","), "strict")
    }),
    shape("fold: layers that merge", 100, |n| {
        fold(&each(n, r#"{"name":"l~","set":[{"path":"m","merge":"deep","value":{"k~":1}}]}"#), "strict")
    }),
    shape("fold: padded lists", 50, |n| fold(&layer(&each(n, r#"{"path":"a~[65535]","value":1}"#)), "strict")),
    shape("fold: padded lists, compat", 50, |n| fold(&layer(&each(n, r#"{"path":"a~[9]","value":1}"#)), "compat")),
    shape("fold: options below a value", 100, |n| {
        let (above, below) = (each(n, r#"{"path":"a~","value":1}"#), each(n, r#"{"path":"b.k~","value":1}"#));
        fold(&layer(&format!(r#"{above},{{"path":"b","value":1}},{below}"#)), "strict")
    }),
    shape("fold: references", 100, |n| {
        fold(&layer(&each(n, r#"{"path":"a~","valueFrom":{"secret":{"name":"s","key":"k"}}}"#)), "strict")
    }),
    shape("fold: a parent over children", 100, |n| {
        let children = layer(&each(n, r#"{"path":"p.k~","value":1}"#));
        let parent = format!(r#"{{"path":"p","value":{{{}}}}}"#, each(n, r#""k~":2"#));
        fold(&[children, layer(&parent)].join(","), "strict")
    }),
    shape("fold: a parent over children, compat", 100, |n| {
        let children = layer(&each(n, r#"{"path":"p.k~","value":1}"#));
        let parent = format!(r#"{{"path":"p","value":{{{}}}}}"#, each(n, r#""k~":2"#));
        fold(&[children, layer(&parent)].join(","), "compat")
    }),
    shape("fold: a deep path", 10, |n| {
        fold(&layer(&format!(r#"{{"path":"a{}","value":1}}"#, ".a".repeat(n))), "strict")
    }),
    shape("retain: containers", 60, |n| {
        let container = each(n, r#"{"name":"c~","volumeMounts":[{"name":"v","mountPath":"/v"}]}"#);
        let object = format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"x"}},"spec":{{"containers":[{container}]}}}}"#
        );
        one(format!(r#"{{"op":"retain","desired":{object},"live":{object}}}"#))
    }),
    shape("retain: ports of a service", 60, |n| {
        let service = |ports: &str| {
            format!(r#"{{{SERVICE},"metadata":{{"name":"x"}},"spec":{{"type":"NodePort","ports":[{ports}]}}}}"#)
        };
        let (desired, live) = (each(n, r#"{"port":~}"#), down(n, r#"{"port":~,"nodePort":~}"#));
        one(format!(r#"{{"op":"retain","desired":{},"live":{}}}"#, service(&desired), service(&live)))
    }),
    shape("retain: equal ports, compat", 60, |n| {
        let service = |ports: &str| {
            format!(r#"{{{SERVICE},"metadata":{{"name":"x"}},"spec":{{"type":"NodePort","ports":[{ports}]}}}}"#)
        };
        let (desired, live) = (each(n, r#"{"port":1}"#), each(n, r#"{"port":1,"nodePort":3}"#));
        one(format!(r#"{{"op":"retain","mode":"compat","desired":{},"live":{}}}"#, service(&desired), service(&live)))
    }),
    shape("patch: appended elements", 60, |n| {
        let patch = each(n, r#"{"op":"add","path":"/l/-","value":~}"#);
        one(format!(r#"{{"op":"patch","object":{{"l":[]}},"patch":[{patch}]}}"#))
    }),
    shape("patch: elements in front of a list", 60, |n| {
        let patch = each(n, r#"{"op":"add","path":"/l/0","value":~}"#);
        one(format!(r#"{{"op":"patch","object":{{"l":[{}]}},"patch":[{patch}]}}"#, each(n, "~")))
    }),
    shape("patch: copies", 40, |n| {
        let patch = each(n, r#"{"op":"copy","from":"/l","path":"/k~"}"#);
        one(format!(r#"{{"op":"patch","object":{{"l":[{}]}},"patch":[{patch}]}}"#, each(n, "~")))
    }),
    shape("match: containers", 60, |n| {
        let list = each(n, r#"{"name":"c~","image":"i"}"#);
        matching(DEPLOYMENT, &containers(&list), &containers(&list.replace("\"i\"", "\"j\"")), None)
    }),
    shape("match: containers, three ways", 60, |n| {
        let list = each(n, r#"{"name":"c~","image":"i"}"#);
        let last = down(n, r#"{"name":"c~","image":"h"}"#);
        matching(DEPLOYMENT, &containers(&list), &containers(&list.replace("\"i\"", "\"j\"")), Some(&containers(&last)))
    }),
    shape("match: removed containers", 60, |n| {
        let list = each(n, r#"{"name":"c~","image":"i"}"#);
        matching(DEPLOYMENT, &containers(r#"{"name":"x"}"#), &containers(&list), Some(&containers(&list)))
    }),
    shape("match: a reversed list", 200, |n| {
        matching(DEPLOYMENT, &arguments(&each(n, r#""a~""#)), &arguments(&down(n, r#""a~""#)), None)
    }),
    shape("match: disjoint lists", 200, |n| {
        matching(DEPLOYMENT, &arguments(&each(n, r#""a~""#)), &arguments(&down(n, r#""b~""#)), None)
    }),
    shape("match: disjoint sets", 100, |n| {
        matching(ROLE, &rules(&each(n, r#""a~""#)), &rules(&each(n, r#""b~""#)), None)
    }),
    shape("match: rules in another order", 100, |n| {
        let rule = r#"{"apiGroups":[""],"verbs":["get"],"resources":["r~"]}"#;
        let rules = |list: String| format!(r#""rules":[{list}]"#);
        matching(ROLE, &rules(each(n, rule)), &rules(down(n, rule)), None)
    }),
    shape("match: ports with other numbers", 60, |n| {
        let ports = |list: String| format!(r#""spec":{{"ports":[{list}]}}"#);
        let kind = r#""apiVersion":"v1","kind":"Service""#;
        let desired = ports(each(n, r#"{"name":"p~","port":1~}"#));
        matching(kind, &desired, &ports(down(n, r#"{"name":"p~","port":2~}"#)), Some(&desired))
    }),
    shape("match: compat, reversed lists", 100, |n| {
        let mut requests = matching(DEPLOYMENT, &arguments(&each(n, r#""a~""#)), &arguments(&down(n, r#""a~""#)), None);
        requests.iter_mut().for_each(|it| it.insert_str(1, r#""mode":"compat","#));
        requests
    }),
    shape("adopt: owners", 60, |n| {
        let owners = each(n, r#"{"apiVersion":"v1","kind":"X","name":"o~","uid":"u~"}"#);
        let object = |metadata: &str| {
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x","namespace":"n"{metadata}}}}}"#)
        };
        let owner = r#"{"apiVersion":"v1","kind":"X","name":"o","uid":"u","namespace":"n"}"#;
        let live = object(&format!(r#","ownerReferences":[{owners}]"#));
        one(format!(r#"{{"op":"adopt","owner":{owner},"desired":{},"live":{live}}}"#, object("")))
    }),
    shape("authorize: roles and bindings", 40, |n| {
        let rule = r#"{"apiGroups":["g~"],"resources":["r~"],"verbs":["update"]}"#;
        let role = format!(r#"{{{ROLE},"metadata":{{"name":"r~"}},"rules":[{rule}]}}"#);
        let subject = r#"{"kind":"User","name":"eve","apiGroup":"rbac.authorization.k8s.io"}"#;
        let reference = r#"{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r~"}"#;
        let kind = r#""apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding""#;
        let rest = format!(r#""roleRef":{reference},"subjects":[{subject}]"#);
        let binding = format!(r#"{{{kind},"metadata":{{"name":"b~"}},{rest}}}"#);
        let labels = each(n, r#""info.open-cluster-management.io/k~":"v""#);
        let cluster = |labels: &str| {
            format!(
                r#"{{"apiVersion":"{OCM}/v1","kind":"ManagedCluster","metadata":{{"name":"c","labels":{{{labels}}}}}}}"#
            )
        };
        let documents = [each(n, &role), each(n, &binding)].join(",");
        one(format!(
            r#"{{"op":"authorize","user":{{"name":"eve"}},"old":{},"new":{},"documents":[{documents}]}}"#,
            cluster(""),
            cluster(&labels)
        ))
    }),
    shape("refresh: workloads", 60, |n| {
        let issued = r#""annotations":{"cert-manager.io/issuer-kind":"Issuer"}"#;
        let metadata = format!(r#"{{"name":"t","namespace":"n","resourceVersion":"4",{issued}}}"#);
        let data = r#"{"tls.crt":"Y2VydA==","tls.key":"a2V5"}"#;
        let secret = format!(r#"{{"apiVersion":"v1","kind":"Secret","metadata":{metadata},"data":{data}}}"#);
        let annotations = r#""annotations":{"certmanagerdeployment.opdev.io/allow-restart":"true"}"#;
        let pod = r#"{"volumes":[{"name":"v","secret":{"secretName":"t"}}]}"#;
        let metadata = format!(r#"{{"name":"w~","namespace":"n",{annotations}}}"#);
        let workload = format!(r#"{{{DEPLOYMENT},"metadata":{metadata},"spec":{{"template":{{"spec":{pod}}}}}}}"#);
        one(format!(
            r#"{{"op":"refresh","now":"2026-01-01T00:00:00Z","secret":{secret},"workloads":[{}]}}"#,
            each(n, &workload)
        ))
    }),
    shape("mold: unknown flags", 100, |n| {
        one(format!(
            r#"{{"op":"mold","component":"controller","version":"v1.3.0","flags":[{}]}}"#,
            each(n, r#""--flagg~=1""#)
        ))
    }),
    // Greenhouse
    shape("greenhouse: clusters", 40, |n| fleet(&[gh_clusters(n), definition(""), preset("p", "", "")].join(","))),
    shape("greenhouse: presets", 40, |n| {
        fleet(&[gh_clusters(1), definition(""), each(n, &preset("p-x-", "", "").replace("p-x-", "p~"))].join(","))
    }),
    shape("greenhouse: undeclared options, lint", 60, |n| {
        let declared = definition(&each(n, r#"{"name":"option-~","type":"string"}"#));
        fleet(&[gh_clusters(1), declared, preset("p", &each(n, r#"{"name":"optoin-~","value":"x"}"#), "")].join(","))
    }),
    shape("greenhouse: undeclared options, admit", 60, |n| {
        let declared = definition(&each(n, r#"{"name":"option-~","type":"string"}"#));
        let values = each(n, r#"{"name":"optoin-~","value":"x"}"#);
        vec![load(&[gh_clusters(1), declared].join(",")), admit_preset(&preset("p", &values, ""))]
    }),
    shape("greenhouse: required options", 60, |n| {
        let declared = definition(&each(n, r#"{"name":"o~","type":"string","required":true}"#));
        fleet(&[gh_clusters(1), declared, preset("p", &each(n, r#"{"name":"x~","value":"x"}"#), "")].join(","))
    }),
    shape("greenhouse: secret options", 60, |n| {
        let declared = definition(&each(n, r#"{"name":"o~","type":"secret"}"#));
        fleet(&[gh_clusters(1), declared, preset("p", &each(n, r#"{"name":"o~","value":"x"}"#), "")].join(","))
    }),
    shape("greenhouse: padded options", 40, |n| {
        fleet(
            &[gh_clusters(2), definition(""), preset("p", &each(n, r#"{"name":"a~[65535]","value":"x"}"#), "")]
                .join(","),
        )
    }),
    shape("greenhouse: overrides of unknown clusters", 60, |n| {
        let overrides = each(n, r#"{"clusterName":"cc~","overrides":[{"name":"x","value":"1"}]}"#);
        let further = format!(r#","clusterOptionOverrides":[{overrides}]"#);
        fleet(&[gh_clusters(n), definition(""), preset("p", "", &further)].join(","))
    }),
    shape("greenhouse: overrides of all clusters", 40, |n| {
        let overrides = each(n, r#"{"clusterName":"c~","overrides":[{"name":"x","value":"1"}]}"#);
        let further = format!(r#","clusterOptionOverrides":[{overrides}]"#);
        fleet(&[gh_clusters(n), definition(""), preset("p", "", &further)].join(","))
    }),
    shape("greenhouse: plugin overrides of one option", 30, |n| {
        let spec = r#"{"overrides":[{"name":"x","value":"v~"}],"clusterSelector":{"matchLabels":{"all":"1"}}}"#;
        let overrides = each(
            n,
            &format!(r#"{{{GH},"kind":"PluginOverride","metadata":{{"name":"o~","namespace":"a"}},"spec":{spec}}}"#),
        );
        fleet(&[gh_clusters(1), definition(""), preset("p", "", ""), overrides].join(","))
    }),
    shape("greenhouse: expressions", 30, |n| {
        let values = each(n, r#"{"name":"e~","expression":"x-${global.greenhouse.clusterName}"}"#);
        let documents = [gh_clusters(4), definition(""), preset("p", &values, "")].join(",");
        vec![r#"{"op":"configure","expressions":true}"#.into(), load(&documents), op("lint"), op("plan")]
    }),
    shape("greenhouse: plugins", 40, |n| {
        let spec =
            r#"{"clusterName":"c~","pluginDefinitionRef":{"kind":"PluginDefinition","name":"d"},"optionValues":[]}"#;
        let plugins =
            each(n, &format!(r#"{{{GH},"kind":"Plugin","metadata":{{"name":"q~","namespace":"a"}},"spec":{spec}}}"#));
        fleet(&[gh_clusters(n), definition(""), plugins].join(","))
    }),
    shape("greenhouse: what if a label changes", 40, |n| {
        let cluster = gh_clusters(1).replace(r#""all":"1""#, r#""all":"2""#);
        let documents = [gh_clusters(n), definition(""), preset("p", "", "")].join(",");
        vec![load(&documents), format!(r#"{{"op":"whatIf","load":[{{"documents":[{cluster}]}}]}}"#), op("plan")]
    }),
    // Open Cluster Management
    shape("ocm: clusters", 40, |n| fleet(&[managed(n), sets(1), placement("p", "")].join(","))),
    shape("ocm: placements", 30, |n| {
        fleet(&[managed(3), sets(1), each(n, &placement("p-x-", "").replace("p-x-", "p~"))].join(","))
    }),
    shape("ocm: sets and bindings", 30, |n| fleet(&[managed(3), sets(n), placement("p", "")].join(","))),
    shape("ocm: tolerations", 60, |n| {
        let tolerations = each(n, r#"{"key":"k~","operator":"Exists"}"#);
        fleet(&[managed(3), sets(1), placement("p", &format!(r#""tolerations":[{tolerations}]"#))].join(","))
    }),
    shape("ocm: predicates", 60, |n| {
        let predicates = each(n, r#"{"requiredClusterSelector":{"labelSelector":{"matchLabels":{"n":"x~"}}}}"#);
        fleet(&[managed(3), sets(1), placement("p", &format!(r#""predicates":[{predicates}]"#))].join(","))
    }),
    shape("ocm: an expression for all clusters", 40, |n| {
        expression(n, "managedCluster.metadata.name.matches('c[0-9]+')")
    }),
    // Expressions
    shape("cel: one long text compared with itself", 20, |n| {
        let text = "a".repeat(n * 50);
        expression(
            4,
            &format!("[{}].all(x, [{}].all(y, x == y))", each(n, &format!("'{text}'")), each(n, &format!("'{text}'"))),
        )
    }),
    shape("cel: doubled texts", 10, |n| expression(4, &format!("['a']{}.size() > 0", ".map(x, x + x)".repeat(n)))),
    shape("cel: a large class repeated", 50, |n| {
        expression(4, &format!("'x'.matches('(?:[{}]{{1000}}){{1000}}')", "abcdefghij".repeat(n)))
    }),
    shape("cel: a pattern of braces", 200, |n| expression(4, &format!("'x'.matches('{}')", "{".repeat(n)))),
    shape("cel: pattern and text", 50, |n| {
        expression(4, &format!("'{}'.matches('{}')", "a".repeat(n), "a?".repeat(n)))
    }),
    shape("cel: nested loops", 10, |n| {
        let list = each(n, "~");
        expression(4, &format!("[{list}].all(a, [{list}].all(b, [{list}].all(c, a + b + c >= 0)))"))
    }),
    shape("cel: expressions that take all their steps", 10, |n| {
        let list = each(1000, "~");
        expression(n, &format!("[{list}].all(a, [{list}].all(b, a + b >= 0))"))
    }),
    shape("cel: a long list", 200, |n| expression(4, &format!("1 in [{}]", each(n, "~")))),
    shape("cel: a long map", 50, |n| expression(4, &format!("{{{}}}.size() > 0", each(n, "'k~': ~")))),
    shape("cel: types of nested maps", 5, |n| {
        let nested =
            (0..n).fold("1".to_string(), |inner, depth| format!("[{{1: {inner}}}].map(x{depth}, {{1: x{depth}}})"));
        expression(2, &format!("{nested}.size() > 0"))
    }),
    // KubeFed
    shape("kubefed: clusters", 30, |n| {
        let spec = r#""placement":{"clusterSelector":{}},"template":{"data":{"k":"1"}}"#;
        fleet(&federation(n, &federated_object("ConfigMap", "x", spec)))
    }),
    shape("kubefed: objects", 30, |n| {
        let spec = r#""placement":{"clusterSelector":{}},"template":{"data":{"k":"1"}}"#;
        fleet(&federation(2, &each(n, &federated_object("ConfigMap", "x-n-", spec).replace("x-n-", "x~"))))
    }),
    shape("kubefed: listed clusters and overrides", 30, |n| {
        let listed = each(n, r#"{"name":"c~"}"#);
        let overrides = each(n, r#"{"clusterName":"c~","clusterOverrides":[{"path":"/data/k","value":"~"}]}"#);
        let spec = format!(
            r#""placement":{{"clusters":[{listed}]}},"overrides":[{overrides}],"template":{{"data":{{"k":"1"}}}}"#
        );
        fleet(&federation(n, &federated_object("ConfigMap", "x", &spec)))
    }),
    shape("kubefed: unknown clusters", 30, |n| {
        let listed = each(n, r#"{"name":"cc~"}"#);
        let spec = format!(r#""placement":{{"clusters":[{listed}]}},"template":{{"data":{{"k":"1"}}}}"#);
        fleet(&federation(n, &federated_object("ConfigMap", "x", &spec)))
    }),
    // KUDO
    shape("kudo: versions that share objects", 25, |n| kudo(&versions(n, 3))),
    shape("kudo: templates of a version", 30, |n| {
        kudo(&version("v", &templates(n), &apply("t", &each(n, r#""t~""#)), STEP))
    }),
    shape("kudo: tasks and steps", 30, |n| {
        let (tasks, steps) =
            (each(n, &apply("k-x-", r#""t-x-""#).replace("-x-", "~")), each(n, r#"{"name":"s~","tasks":["k~"]}"#));
        kudo(&version("v", &templates(n), &tasks, &steps))
    }),
    shape("kudo: unknown templates", 30, |n| {
        kudo(&version("v", &templates(n), &apply("t", &each(n, r#""u~""#)), STEP))
    }),
    // cert-manager
    shape("certmanager: manifests of a bundle", 30, |n| {
        let manifests = each(
            n,
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m~","namespace":"cm"},"data":{"a":"b"}}"#,
        );
        certmanager(&bundle("b", "v1.3.1", &manifests))
    }),
    shape("certmanager: bundles", 30, |n| certmanager(&each(n, &bundle("b~", "v1.~.1", "")))),
];
