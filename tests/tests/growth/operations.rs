//! Requests about what is loaded.

use super::*;

/// A fleet of Greenhouse with one preset for n clusters.
fn fleet_of(n: usize) -> String {
    [gh_clusters(n), definition(""), preset("p", r#"{"name":"x","value":"1"}"#, "")].join(",")
}

fn overrides(n: usize) -> String {
    let spec = r#"{"overrides":[{"name":"x","value":"v~"}],"clusterSelector":{"matchLabels":{"all":"1"}}}"#;
    each(n, &format!(r#"{{{GH},"kind":"PluginOverride","metadata":{{"name":"o~","namespace":"a"}},"spec":{spec}}}"#))
}

fn ask(documents: &str, request: &str) -> Vec<String> {
    vec![load(documents), request.into()]
}

const SUBJECT: &str = r#""subject":"PluginPreset/a/p""#;

fn admission(kind: &str, group: &str, version: &str, resource: &str, object: &str) -> String {
    let kind = format!(r#""kind":{{"group":"{group}","version":"{version}","kind":"{kind}"}}"#);
    let resource = format!(r#""resource":{{"group":"{group}","version":"{version}","resource":"{resource}"}}"#);
    let rest = r#""name":"p","namespace":"a","operation":"CREATE","userInfo":{"username":"eve","groups":["dev"]}"#;
    format!(r#"{{"uid":"u",{kind},{resource},{rest},"oldObject":null,"object":{object}}}"#)
}

/// One option whose value is an expression.
fn greenhouse_expression(expression: &str) -> Vec<String> {
    let value = format!(r#"{{"name":"e","expression":"{expression}"}}"#);
    let documents = [gh_clusters(2), definition(""), preset("p", &value, "")].join(",");
    vec![r#"{"op":"configure","expressions":true}"#.into(), load(&documents), op("lint"), op("plan")]
}

/// A Plugin of the preset in the state that the hub has.
fn plugins(n: usize) -> String {
    let labels = r#""labels":{"greenhouse.sap/pluginpreset":"p"}"#;
    let metadata = format!(r#""metadata":{{"name":"p-c~","namespace":"a","uid":"u~","resourceVersion":"1",{labels}}}"#);
    each(n, &format!(r#"{{{GH},"kind":"Plugin",{metadata},"spec":{{"clusterName":"c~"}}}}"#))
}

pub const SHAPES: &[Shape] = &[
    shape("load: documents one by one", 20, |n| {
        let mut requests = vec![load(&fleet_of(1))];
        requests.extend((1..n).map(|at| load(&gh_clusters(1).replace("c0", &format!("c{at}")))));
        requests.push(op("plan"));
        requests
    }),
    shape("load: one document again and again", 60, |n| {
        fleet(&[definition(""), (0..n).map(|_| preset("p", "", "")).collect::<Vec<_>>().join(",")].join(","))
    }),
    shape("load: a text of documents", 60, |n| {
        let text = lines(n, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m~, namespace: n}\ndata: {a: b}\n");
        vec![format!(r#"{{"op":"load","file":"a.yaml","whole":true,"text":{text}}}"#), op("lint")]
    }),
    shape("load: live objects and absent ones", 60, |n| {
        let absent = each(n, &format!(r#"{{{GH},"kind":"Plugin","namespace":"a","name":"q~"}}"#));
        let objects = plugins(n);
        vec![
            load(&fleet_of(n)),
            format!(r#"{{"op":"load","live":"","documents":[{objects}],"absent":[{absent}]}}"#),
            op("plan"),
        ]
    }),
    shape("unload: clusters", 40, |n| {
        let refs = each(n, r#""Cluster/a/c~""#);
        vec![load(&fleet_of(n)), op("plan"), format!(r#"{{"op":"unload","refs":[{refs}]}}"#), op("plan")]
    }),
    shape("unload: unknown names", 40, |n| {
        let refs = each(n, r#""Cluster/a/d~""#);
        vec![load(&fleet_of(n)), format!(r#"{{"op":"unload","refs":[{refs}]}}"#)]
    }),
    shape("configure: protected kinds", 60, |n| {
        let kinds = each(n, r#""K~.example.com""#);
        let limits = format!(r#"{{"protect":[{kinds}],"unprotect":[{kinds}]}}"#);
        vec![load(&fleet_of(n)), format!(r#"{{"op":"configure","limits":{limits}}}"#), op("plan")]
    }),
    shape("configure: quarantined documents", 40, |n| {
        let presets = each(n, &preset("p-x-", "", "").replace("p-x-", "p~"));
        let names = each(n, r#""PluginPreset/a/p~""#);
        let documents = [gh_clusters(1), definition(""), presets].join(",");
        vec![load(&documents), format!(r#"{{"op":"configure","quarantined":[{names}]}}"#), op("plan"), op("lint")]
    }),
    shape("configure: namespaces of control planes", 60, |n| {
        let names = each(n, r#""n~""#);
        vec![
            load(&federation(n, "")),
            format!(r#"{{"op":"configure","kubefed":{{"namespaces":[{names}]}}}}"#),
            op("plan"),
        ]
    }),
    shape("clusters: a selector", 60, |n| ask(&fleet_of(n), r#"{"op":"clusters","selector":"n notin (1,2,3)"}"#)),
    shape("clusters: exclusive sets", 40, |n| {
        let label = r#"{"key":"n","value":"~"}"#;
        let selector = format!(r#"{{"selectorType":"ExclusiveLabel","exclusiveLabel":{label}}}"#);
        let spec = format!(r#""spec":{{"clusterSelector":{selector}}}"#);
        let set =
            format!(r#"{{"apiVersion":"{OCM}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"s~"}},{spec}}}"#);
        vec![load(&[managed(n), each(n, &set)].join(",")), op("clusters"), op("lint"), op("plan")]
    }),
    shape("kinds: types of KubeFed", 60, |n| {
        let federated = r#"{"group":"types.kubefed.io","kind":"FederatedK~","version":"v1beta1"}"#;
        let target = r#"{"kind":"K~","version":"v1","group":"g~"}"#;
        let spec = format!(r#"{{"federatedType":{federated},"propagation":"Enabled","targetType":{target}}}"#);
        let config =
            format!(r#"{{{FED},"kind":"FederatedTypeConfig","metadata":{{"name":"k~",{FED_NS}}},"spec":{spec}}}"#);
        let object =
            r#"{"apiVersion":"types.kubefed.io/v1beta1","kind":"FederatedK~","metadata":{"name":"x","namespace":"n"}}"#;
        vec![load(&[each(n, &config), each(n, object)].join(",")), op("kinds"), op("lint"), op("plan")]
    }),
    shape("reach: clusters", 60, |n| {
        let spec = r#""spec":{"apiEndpoint":"https://c~.example.com","caBundle":"Y2E=","secretRef":{"name":"s~"}}"#;
        let member = format!(r#"{{{FED},"kind":"KubeFedCluster","metadata":{{"name":"c~",{FED_NS}}},{spec}}}"#);
        ask(&each(n, &member), r#"{"op":"reach"}"#)
    }),
    shape("subjects: presets", 40, |n| {
        let presets = each(n, &preset("p-x-", "", "").replace("p-x-", "p~"));
        ask(&[gh_clusters(1), definition(""), presets].join(","), r#"{"op":"subjects"}"#)
    }),
    shape("effective: clusters with origins", 40, |n| {
        ask(&fleet_of(n), &format!(r#"{{"op":"effective",{SUBJECT},"origins":true}}"#))
    }),
    shape("effective: named clusters", 40, |n| {
        let names = each(n, r#""c~""#);
        ask(&fleet_of(n), &format!(r#"{{"op":"effective",{SUBJECT},"clusters":[{names}]}}"#))
    }),
    shape("effective: clusters with overrides of their own", 40, |n| {
        let overrides = each(n, r#"{"clusterName":"c~","overrides":[{"name":"x","value":"~"}]}"#);
        let preset = preset("p", "", &format!(r#","clusterOptionOverrides":[{overrides}]"#));
        let documents = [gh_clusters(n), definition(""), preset].join(",");
        ask(&documents, &format!(r#"{{"op":"effective",{SUBJECT},"origins":true}}"#))
    }),
    shape("explain: an option of many layers", 40, |n| {
        ask(
            &[fleet_of(1), overrides(n)].join(","),
            &format!(r#"{{"op":"explain",{SUBJECT},"cluster":"c0","path":"x"}}"#),
        )
    }),
    shape("explain: an unknown option", 60, |n| {
        let options = each(n, r#"{"name":"option-~","value":"x"}"#);
        let documents = [gh_clusters(1), definition(""), preset("p", &options, "")].join(",");
        ask(&documents, &format!(r#"{{"op":"explain",{SUBJECT},"cluster":"c0","path":"optoin-1"}}"#))
    }),
    shape("explain: a cluster", 60, |n| ask(&fleet_of(n), &format!(r#"{{"op":"explain",{SUBJECT},"cluster":"c0"}}"#))),
    shape("explain: an action that is not planned", 40, |n| {
        vec![load(&fleet_of(n)), live("", ""), r#"{"op":"explain","action":"nothing"}"#.into()]
    }),
    shape("diff: options of two clusters", 60, |n| {
        let options = each(n, r#"{"name":"o~","value":"x"}"#);
        let overrides = format!(
            r#","clusterOptionOverrides":[{{"clusterName":"c1","overrides":[{}]}}]"#,
            options.replace("\"x\"", "\"y\"")
        );
        let documents = [gh_clusters(2), definition(""), preset("p", &options, &overrides)].join(",");
        ask(&documents, &format!(r#"{{"op":"diff",{SUBJECT},"left":"c0","right":"c1"}}"#))
    }),
    shape("lint: unknown fields of one document", 60, |n| {
        let spec = format!(r#""spec":{{"accessMode":"direct",{}}}"#, each(n, r#""field~":1"#));
        ask(
            &format!(r#"{{{GH},"kind":"Cluster","metadata":{{"name":"c","namespace":"a"}},{spec}}}"#),
            r#"{"op":"lint"}"#,
        )
    }),
    shape("lint: unknown fields of documents", 60, |n| {
        let spec = r#""spec":{"accessMode":"direct","acessMode":1}"#;
        let cluster = format!(r#"{{{GH},"kind":"Cluster","metadata":{{"name":"c~","namespace":"a"}},{spec}}}"#);
        ask(&each(n, &cluster), r#"{"op":"lint"}"#)
    }),
    shape("lint: definitions of one kind", 40, |n| {
        let schema = r#"{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object"}}}}"#;
        let versions = format!(r#""versions":[{{"name":"v1alpha1","schema":{schema}}}]"#);
        let spec = format!(r#""spec":{{"group":"greenhouse.sap","names":{{"kind":"Cluster"}},{versions}}}"#);
        let kind = r#""apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition""#;
        let crds = each(n, &format!(r#"{{{kind},"metadata":{{"name":"d~"}},{spec}}}"#));
        ask(&[gh_clusters(n), crds].join(","), r#"{"op":"lint"}"#)
    }),
    shape("plan: a scope of clusters and subjects", 40, |n| {
        let presets = each(n, &preset("p-x-", "", "").replace("p-x-", "p~"));
        let (subjects, clusters) = (each(n, r#""PluginPreset/a/p~""#), each(n, r#""c~""#));
        let scope = format!(r#"{{"subjects":[{subjects}],"clusters":[{clusters}]}}"#);
        let documents = [gh_clusters(1), definition(""), presets].join(",");
        vec![load(&documents), live("", ""), format!(r#"{{"op":"plan","scope":{scope}}}"#)]
    }),
    shape("plan: deletes with recent ones", 40, |n| {
        let recent = each(n, r#"{"at":"2026-01-01T00:00:00Z","objects":1}"#);
        let plan = format!(
            r#"{{"op":"plan","now":"2026-01-01T00:10:00Z","recentDeletes":[{recent}],"events":true,"lint":true}}"#
        );
        let preset = preset("p", "", "").replace(r#""all":"1""#, r#""all":"2""#);
        vec![load(&[gh_clusters(n), definition(""), preset].join(",")), live("", &plugins(n)), plan]
    }),
    shape("whatIf: documents that come and go", 40, |n| {
        let gone = each(n, r#""Cluster/a/c~""#);
        let come = gh_clusters(n).replace("\"c", "\"d");
        vec![
            load(&fleet_of(n)),
            format!(r#"{{"op":"whatIf","load":[{{"documents":[{come}]}}],"unload":[{gone}]}}"#),
            op("plan"),
        ]
    }),
    shape("whatIf: overrides that hide another", 30, |n| {
        let one = overrides(1).replace("\"o0\"", "\"a\"");
        ask(&[fleet_of(2), overrides(n)].join(","), &format!(r#"{{"op":"whatIf","load":{{"documents":[{one}]}}}}"#))
    }),
    shape("admit: a preset for clusters", 40, |n| {
        let object = preset("p", r#"{"name":"x","value":"1"}"#, "");
        let request = admission("PluginPreset", "greenhouse.sap", "v1alpha1", "pluginpresets", &object);
        ask(
            &[gh_clusters(n), definition("")].join(","),
            &format!(r#"{{"op":"admit","limits":{{"changes":1}},"request":{request}}}"#),
        )
    }),
    shape("admit: labels by roles", 6, |n| {
        let rule = r#"{"apiGroups":["g~"],"resources":["r~"],"verbs":["update"]}"#;
        let role = format!(r#"{{{ROLE},"metadata":{{"name":"r~"}},"rules":[{rule}]}}"#);
        let labels = each(n, r#""info.open-cluster-management.io/k~":"v""#);
        let object = format!(
            r#"{{"apiVersion":"{OCM}/v1","kind":"ManagedCluster","metadata":{{"name":"p","labels":{{{labels}}}}}}}"#
        );
        let request = admission("ManagedCluster", OCM, "v1", "managedclusters", &object);
        ask(&each(20 * n, &role), &format!(r#"{{"op":"admit","permissions":"roles","request":{request}}}"#))
    }),
    shape("defaults: options of a definition", 60, |n| {
        let options = each(n, r#"{"name":"o~","type":"string","default":"x"}"#);
        let spec =
            r#"{"clusterName":"c0","pluginDefinitionRef":{"kind":"PluginDefinition","name":"d"},"optionValues":[]}"#;
        let object = format!(r#"{{{GH},"kind":"Plugin","metadata":{{"name":"p","namespace":"a"}},"spec":{spec}}}"#);
        let request = admission("Plugin", "greenhouse.sap", "v1alpha1", "plugins", &object);
        ask(&[gh_clusters(1), definition(&options)].join(","), &format!(r#"{{"op":"defaults","request":{request}}}"#))
    }),
    shape("greenhouse: catalogs and definitions", 30, |n| {
        let definitions = each(n, &definition(r#"{"name":"o","type":"string"}"#).replace("\"d\"", "\"d~\""));
        let item = r#"{"name":"d~","optionsOverride":[{"name":"o","value":"x"}]}"#;
        let spec = format!(r#"{{"sources":[{{"overrides":[{item}]}}]}}"#);
        let kind = r#""kind":"PluginDefinitionCatalog""#;
        let catalogs = each(n, &format!(r#"{{{GH},{kind},"metadata":{{"name":"k~","namespace":"a"}},"spec":{spec}}}"#));
        fleet(&[gh_clusters(1), definitions, catalogs].join(","))
    }),
    shape("greenhouse: overrides for definitions", 30, |n| {
        let definitions = each(n, &definition(r#"{"name":"o","type":"string"}"#).replace("\"d\"", "\"d~\""));
        let spec = r#"{"pluginDefinitionNames":["d~"],"overrides":[{"name":"o","value":"v~"}]}"#;
        let kind = r#""kind":"PluginOverride""#;
        let overrides =
            each(n, &format!(r#"{{{GH},{kind},"metadata":{{"name":"o~","namespace":"a"}},"spec":{spec}}}"#));
        fleet(&[gh_clusters(1), definitions, overrides].join(","))
    }),
    shape("greenhouse: overrides for many lists of definitions", 80, |n| {
        // Subsets of twelve definitions, which include each other in many ways.
        let overrides: Vec<String> = (1..=n)
            .map(|at| {
                let names: Vec<String> = (0..12)
                    .filter(|bit| (at * 1597 % 4096) >> bit & 1 == 1)
                    .map(|bit| format!(r#""d{bit}""#))
                    .collect();
                let names = names.join(",");
                let spec = format!(r#"{{"pluginDefinitionNames":[{names}],"overrides":[{{"name":"o","value":"v"}}]}}"#);
                let metadata = format!(r#"{{"name":"o{at}","namespace":"a"}}"#);
                format!(r#"{{{GH},"kind":"PluginOverride","metadata":{metadata},"spec":{spec}}}"#)
            })
            .collect();
        vec![load(&overrides.join(",")), op("lint")]
    }),
    shape("greenhouse: a long expression", 1_000, |n| {
        greenhouse_expression(&format!("${{'{}' == ''}}", "a".repeat(n * 20)))
    }),
    shape("greenhouse: a nested expression", 20, |n| {
        greenhouse_expression(&format!("${{{}1{} == 1}}", "(".repeat(n), ")".repeat(n)))
    }),
    shape("greenhouse: options that the organization replaces", 60, |n| {
        let values = each(n, r#"{"name":"o~","value":"x"}"#);
        let spec = format!(r#""spec":{{"pluginOverrides":[{}]}}"#, down(n, r#"{"name":"o~","value":"y"}"#));
        let organization = format!(r#"{{{GH},"kind":"Organization","metadata":{{"name":"a"}},{spec}}}"#);
        let documents = [gh_clusters(2), definition(""), preset("p", &values, ""), organization].join(",");
        vec![load(&documents), live("", &plugins(2)), op("lint"), op("plan")]
    }),
    shape("greenhouse: parents and children in one override", 40, |n| {
        let entries = each(n, r#"{"name":"a~","value":{"b":"x"}},{"name":"a~.b","value":"x"}"#);
        let spec = format!(r#"{{"overrides":[{entries}]}}"#);
        let kind = r#""kind":"PluginOverride""#;
        let it = format!(r#"{{{GH},{kind},"metadata":{{"name":"o","namespace":"a"}},"spec":{spec}}}"#);
        fleet(&[fleet_of(1), it].join(","))
    }),
    shape("greenhouse: presets that are each other's rivals", 20, |n| {
        // Of the clusters, each rival picks one that the first preset picks, too.
        let rivals: Vec<String> = (1..n)
            .map(|at| {
                preset(&format!("p-{at}"), "", "")
                    .replace(r#"{"matchLabels":{"all":"1"}}"#, &format!(r#"{{"matchLabels":{{"n":"{at}"}}}}"#))
            })
            .collect();
        fleet(&[fleet_of(n), rivals.join(",")].join(","))
    }),
    shape("ocm: roles that are bound in namespaces", 40, |n| {
        let rule = format!(r#"{{"apiGroups":["{OCM}"],"resources":["managedclusters/label"],"verbs":["create"]}}"#);
        let role = format!(r#"{{{ROLE},"metadata":{{"name":"r"}},"rules":[{}]}}"#, vec![rule; n].join(","));
        let reference = r#"{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"}"#;
        let metadata = r#""metadata":{"name":"b~","namespace":"n"}"#;
        let kind = r#""apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding""#;
        let binding = format!(r#"{{{kind},{metadata},"roleRef":{reference},"subjects":[]}}"#);
        ask(&[role, each(n, &binding)].join(","), r#"{"op":"lint"}"#)
    }),
    // A plan looks up every object in every cluster, so only one of the two grows.
    shape("kubefed: objects that name unknown clusters", 60, |n| {
        let spec = r#""placement":{"clusters":[{"name":"d~"}]},"template":{"data":{"k":"1"}}"#;
        fleet(&federation(100, &each(n, &federated_object("ConfigMap", "x-n-", spec).replace("x-n-", "x~"))))
    }),
    shape("kubefed: overrides that fail", 20, |n| {
        let listed = each(n, r#"{"name":"c~"}"#);
        let overrides = each(n, r#"{"clusterName":"c~","clusterOverrides":[{"path":"/data/x/y","value":"~"}]}"#);
        let spec = format!(
            r#""placement":{{"clusters":[{listed}]}},"overrides":[{overrides}],"template":{{"data":{{"k":"1"}}}}"#
        );
        fleet(&federation(n, &federated_object("ConfigMap", "x", &spec)))
    }),
];
