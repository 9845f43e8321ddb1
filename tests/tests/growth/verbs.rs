//! Requests that need nothing loaded.

use super::*;

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
    shape("fold: a deep path", 12, |n| {
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
    shape("patch: elements in front of a list", 150, |n| {
        let patch = each(n, r#"{"op":"add","path":"/l/0","value":~}"#);
        one(format!(r#"{{"op":"patch","object":{{"l":[{}]}},"patch":[{patch}]}}"#, each(n, "~")))
    }),
    shape("patch: copies", 80, |n| {
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
];
