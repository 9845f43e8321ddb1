//! Further requests that need nothing loaded.

use super::*;

const USER: &str = r#""user":{"name":"eve"}"#;

/// Asks for n guarded labels.
fn authorize(n: usize, further: &str) -> Vec<String> {
    let cluster = |labels: &str| {
        format!(
            r#"{{"apiVersion":"{OCM}/v1","kind":"ManagedCluster","metadata":{{"name":"c","labels":{{{labels}}}}}}}"#
        )
    };
    let labels = each(n, r#""info.open-cluster-management.io/k~":"v""#);
    one(format!(r#"{{"op":"authorize",{USER},"old":{},"new":{}{further}}}"#, cluster(""), cluster(&labels)))
}

fn binding(kind: &str, namespace: &str, subjects: &str) -> String {
    let reference = r#"{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r~"}"#;
    let metadata = format!(r#"{{"name":"b~"{namespace}}}"#);
    let rest = format!(r#""metadata":{metadata},"roleRef":{reference},"subjects":[{subjects}]"#);
    format!(r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"{kind}",{rest}}}"#)
}

const EVE: &str = r#"{"kind":"User","name":"eve","apiGroup":"rbac.authorization.k8s.io"}"#;
const GRANTS: &str = r#"{"apiGroups":["cluster.open-cluster-management.io"],"resources":["managedclusters/label"]"#;

/// Roles that aggregate the role with the next number.
fn aggregating(n: usize) -> String {
    (0..n)
        .map(|at| {
            let metadata = format!(r#"{{"name":"r{at}","labels":{{"at":"{at}"}}}}"#);
            let selector = format!(r#"{{"clusterRoleSelectors":[{{"matchLabels":{{"at":"{}"}}}}]}}"#, at + 1);
            format!(r#"{{{ROLE},"metadata":{metadata},"rules":[],"aggregationRule":{selector}}}"#)
        })
        .collect::<Vec<_>>()
        .join(",")
}

fn secret_of(n: usize) -> String {
    format!(r#"{{"kind":"Secret","metadata":{{"name":"s"}},"data":{{{}}}}}"#, each(n, r#""k~":"dmFsdWU=""#))
}

pub const SHAPES: &[Shape] = &[
    shape("describe: again and again", 2, |n| vec![op("describe"); n]),
    shape("print: lines and their places", 200, |n| {
        let documents = format!(r#"[{{"l":[{}]}}]"#, each(n, r#"{"name":"a~","value":~}"#));
        one(format!(r#"{{"op":"print","lines":true,"documents":{documents}}}"#))
    }),
    shape("redact: values of loaded Secrets", 60, |n| {
        let secrets =
            each(n, r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s~"},"stringData":{"k":"value-~"}}"#);
        vec![load(&secrets), format!(r#"{{"op":"redact","text":{}}}"#, lines(n, "a~: has value-~ in it\n"))]
    }),
    shape("sources: files and folders", 100, |n| {
        let (files, folders) = (each(n, r#""f~/live/c~/x.yaml""#), each(n, r#""f~""#));
        one(format!(r#"{{"op":"sources","files":[{files}],"folders":[{folders}]}}"#))
    }),
    shape("select: named and ignored clusters", 100, |n| {
        let (clusters, names) = (each(n, r#"{"name":"c~"}"#), each(n, r#""c~""#));
        let selector = format!(r#"{{"labelSelector":{{}},"clusterNames":[{names}],"ignoreClusters":[{names}]}}"#);
        one(format!(r#"{{"op":"select","selector":{selector},"clusters":[{clusters}],"why":true}}"#))
    }),
    shape("select: affinity with names", 100, |n| {
        let (clusters, names) = (each(n, r#"{"name":"c~"}"#), each(n, r#""x~""#));
        let selector = format!(r#"{{"clusterNames":[{names}],"exclude":[{names}]}}"#);
        one(format!(
            r#"{{"op":"select","mode":"compat","dialect":"karmada","selector":{selector},"clusters":[{clusters}]}}"#
        ))
    }),
    shape("fold: deep paths", 20, |n| {
        fold(&layer(&each(n, &format!(r#"{{"path":"a{}.b~","value":1}}"#, ".a".repeat(60)))), "strict")
    }),
    shape("fold: many layers for some clusters", 100, |n| {
        let layers = each(n, r#"{"name":"l~","when":"n=~","set":[{"path":"a~","value":1}]}"#);
        one(format!(r#"{{"op":"fold","cluster":{{"name":"c","labels":{{"n":"1"}}}},"layers":[{layers}]}}"#))
    }),
    shape("retain: fields", 60, |n| {
        let object = format!(
            r#"{{"apiVersion":"v1","kind":"X","metadata":{{"name":"x"}},"spec":{{{}}}}}"#,
            each(n, r#""k~":1"#)
        );
        let fields = each(n, r#""spec.k~""#);
        one(format!(r#"{{"op":"retain","fields":[{fields}],"desired":{object},"live":{object}}}"#))
    }),
    shape("retain: fields of a list", 20, |n| {
        let items = each(n, r#"{"name":"n~"}"#);
        let object = |items: &str| {
            format!(r#"{{"apiVersion":"v1","kind":"X","metadata":{{"name":"x"}},"spec":{{"l":[{items}]}}}}"#)
        };
        let (desired, live) = (object(&items), object(&items.replace('}', r#","v":1}"#)));
        one(format!(r#"{{"op":"retain","fields":["spec.l[].v"],"desired":{desired},"live":{live}}}"#))
    }),
    shape("retain: labels and owners", 60, |n| {
        let object = |labels: &str| {
            format!(r#"{{"apiVersion":"v1","kind":"X","metadata":{{"name":"x","labels":{{{labels}}}}}}}"#)
        };
        let (labels, rules) = (each(n, r#""a~/x":"v""#), each(n, r#""a~/*""#));
        one(format!(r#"{{"op":"retain","labels":[{rules}],"desired":{},"live":{}}}"#, object(""), object(&labels)))
    }),
    shape("patch: other paths", 60, |n| {
        let patch = each(n, r#"{"op":"add","path":"/k~","value":~}"#);
        one(format!(r#"{{"op":"patch","object":{{}},"patch":[{patch}]}}"#))
    }),
    shape("patch: a value that is moved on", 60, |n| {
        let moves: Vec<String> =
            (0..n).map(|at| format!(r#"{{"op":"move","from":"/k{at}","path":"/k{}"}}"#, at + 1)).collect();
        let object = format!(r#"{{"k0":[{}]}}"#, each(40 * n, "\"a text of some length\""));
        one(format!(r#"{{"op":"patch","object":{object},"patch":[{}]}}"#, moves.join(",")))
    }),
    shape("patch: a Secret that is another kind and a Secret again", 30, |n| {
        let kinds = r#"{"path":"/s/kind","value":"X"},{"path":"/s/kind","value":"Secret"}"#;
        one(format!(r#"{{"op":"patch","object":{{"s":{}}},"patch":[{}]}}"#, secret_of(500 * n), each(n, kinds)))
    }),
    shape("patch: values of a Secret that are copied", 50, |n| {
        let copies = each(n, r#"{"op":"copy","from":"/s/data/k~","path":"/c~"}"#);
        one(format!(r#"{{"op":"patch","object":{{"s":{}}},"patch":[{copies}]}}"#, secret_of(100 * n)))
    }),
    shape("adopt: claims", 60, |n| {
        let owner = r#"{"apiVersion":"v1","kind":"X","name":"o","uid":"u","namespace":"other"}"#;
        let owners = each(n, r#"{"apiVersion":"v1","kind":"X","name":"o~","uid":"u~"}"#);
        let live = format!(
            r#"{{"apiVersion":"v1","kind":"ClusterRole","metadata":{{"name":"x","ownerReferences":[{owners}]}}}}"#
        );
        let desired = r#"{"apiVersion":"v1","kind":"ClusterRole","metadata":{"name":"x"}}"#;
        one(format!(r#"{{"op":"adopt","owner":{owner},"desired":{desired},"live":{live}}}"#))
    }),
    shape("release: owners", 60, |n| {
        let owners = each(n, r#"{"apiVersion":"v1","kind":"X","name":"o~","uid":"u~"}"#);
        let owner = r#"{"apiVersion":"v1","kind":"X","name":"o0","uid":"u0","namespace":"n"}"#;
        let metadata = format!(r#"{{"name":"x","namespace":"n","ownerReferences":[{owners}]}}"#);
        let live = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata}}}"#);
        one(format!(r#"{{"op":"release","owner":{owner},"live":{live}}}"#))
    }),
    shape("authorize: labels without documents", 60, |n| authorize(n, "")),
    shape("authorize: reviews", 60, |n| {
        let name = r#""name":"info.open-cluster-management.io/k~:v","verb":"create","allowed":true"#;
        let review = format!(r#"{{"resource":"managedclusters","subresource":"label",{name}}}"#);
        authorize(n, &format!(r#","reviews":[{}]"#, each(n, &review)))
    }),
    shape("authorize: names of a role", 60, |n| {
        let names = each(n, r#""info.open-cluster-management.io/k~:v""#);
        let rule = format!(r#"{GRANTS},"verbs":["create"],"resourceNames":[{names}]}}"#);
        let role = format!(r#"{{{ROLE},"metadata":{{"name":"r0"}},"rules":[{rule}]}}"#);
        let binding = binding("ClusterRoleBinding", "", EVE).replace('~', "0");
        authorize(n, &format!(r#","documents":[{role},{binding}]"#))
    }),
    shape("authorize: groups and subjects", 60, |n| {
        let groups = each(n, r#""g~""#);
        let subjects = each(n, r#"{"kind":"Group","name":"h~"}"#);
        let binding = binding("ClusterRoleBinding", "", &subjects.replace("h", "i"));
        let documents = binding.replace("r~", "r").replace("b~", "b");
        authorize(1, &format!(r#","documents":[{documents}]"#))
            .iter()
            .map(|it| it.replace(r#""name":"eve""#, &format!(r#""name":"eve","groups":[{groups}]"#)))
            .collect()
    }),
    shape("authorize: bindings of namespaces", 40, |n| {
        let rule = format!(r#"{GRANTS},"verbs":["create"]}}"#);
        let role = format!(r#"{{{ROLE},"metadata":{{"name":"r~"}},"rules":[{rule}]}}"#);
        let binding = binding("RoleBinding", r#","namespace":"n~""#, EVE);
        authorize(n, &format!(r#","documents":[{},{}]"#, each(n, &role), each(n, &binding)))
    }),
    shape("authorize: a chain of roles", 400, |n| {
        let binding = binding("ClusterRoleBinding", "", EVE).replace('~', "0");
        authorize(1, &format!(r#","documents":[{},{binding}]"#, aggregating(n)))
    }),
    shape("authorize: roles that aggregate all others", 400, |n| {
        let selector = r#"{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}"#;
        let metadata = r#"{"name":"r~","labels":{"a":"b"}}"#;
        let role = format!(r#"{{{ROLE},"metadata":{metadata},"rules":[],"aggregationRule":{selector}}}"#);
        let binding = binding("ClusterRoleBinding", "", EVE).replace('~', "0");
        authorize(1, &format!(r#","documents":[{},{binding}]"#, each(n, &role)))
    }),
    shape("authorize: cluster sets", 40, |n| {
        let label = r#"{"key":"info.open-cluster-management.io/k~","value":"v"}"#;
        let selector = format!(r#"{{"selectorType":"ExclusiveLabel","exclusiveLabel":{label}}}"#);
        let spec = format!(r#""spec":{{"clusterSelector":{selector}}}"#);
        let set =
            format!(r#"{{"apiVersion":"{OCM}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"s~"}},{spec}}}"#);
        authorize(n, &format!(r#","documents":[{}]"#, each(n, &set)))
    }),
    shape("authorize: cluster sets of one label", 40, |n| {
        let selector = r#"{"selectorType":"ExclusiveLabel","exclusiveLabel":{"key":"k","value":"v"}}"#;
        let spec = format!(r#""spec":{{"clusterSelector":{selector}}}"#);
        let set =
            format!(r#"{{"apiVersion":"{OCM}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"s~"}},{spec}}}"#);
        authorize(1, &format!(r#","documents":[{}]"#, each(n, &set)))
    }),
    shape("refresh: volumes of a workload", 60, |n| {
        let issued = r#""annotations":{"cert-manager.io/issuer-kind":"Issuer"}"#;
        let metadata = format!(r#"{{"name":"t0","namespace":"n","resourceVersion":"4",{issued}}}"#);
        let data = r#"{"tls.crt":"Y2VydA==","tls.key":"a2V5"}"#;
        let secret = format!(r#"{{"apiVersion":"v1","kind":"Secret","metadata":{metadata},"data":{data}}}"#);
        let annotations = r#""annotations":{"certmanagerdeployment.opdev.io/allow-restart":"true"}"#;
        let volumes = each(n, r#"{"name":"v~","secret":{"secretName":"t~"}}"#);
        let spec = format!(r#""spec":{{"template":{{"spec":{{"volumes":[{volumes}]}}}}}}"#);
        let workload = format!(r#"{{{DEPLOYMENT},"metadata":{{"name":"w","namespace":"n",{annotations}}},{spec}}}"#);
        one(format!(r#"{{"op":"refresh","now":"2026-01-01T00:00:00Z","secret":{secret},"workloads":[{workload}]}}"#))
    }),
    shape("mold: one flag again and again", 100, |n| {
        let (flags, base) = (each(n, r#""--v=~""#), each(n, r#""--v=~""#));
        let component = r#""component":"controller","version":"v1.3.0""#;
        one(format!(r#"{{"op":"mold",{component},"flags":[{flags}],"base":[{base}]}}"#))
    }),
];
