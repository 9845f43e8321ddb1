//! Fleets of each dialect.

use super::*;

pub const SHAPES: &[Shape] = &[
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
    shape("greenhouse: expressions for many clusters", 130, |n| {
        let documents = [gh_clusters(n), definition(""), preset("p", &costly_option(), "")].join(",");
        vec![r#"{"op":"configure","expressions":true}"#.into(), load(&documents), op("lint"), op("plan")]
    }),
    shape("greenhouse: expressions of many presets", 4, |n| {
        let presets = each(n, &preset("p-x-", &costly_option(), "").replace("p-x-", "p~"));
        let documents = [gh_clusters(72), definition(""), presets].join(",");
        vec![r#"{"op":"configure","expressions":true}"#.into(), load(&documents), op("lint")]
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
    shape("cel: one text compared with itself", 20, |n| {
        let texts = each(n, &format!("'{}'", "a".repeat(200)));
        expression(4, &format!("[{texts}].all(x, [{texts}].all(y, x == y))"))
    }),
    shape("cel: a long expression", 1_000, |n| expression(4, &format!("'{}' != ''", "a".repeat(n * 20)))),
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
    shape("cel: placements of a namespace", 10, |n| {
        let list = each(30, "~");
        let costly = cel(&format!("[{list}].all(a, [{list}].all(b, [{list}].all(c, a + b + c >= 0)))"));
        let placements = each(n, &placement("p-x-", &costly).replace("p-x-", "p~"));
        fleet(&[managed(2), sets(1), placements].join(","))
    }),
    shape("cel: namespaces with bindings", 20, |n| {
        let list = each(38, "~");
        let costly = cel(&format!("[{list}].all(a, [{list}].all(b, [{list}].all(c, a + b + c >= 0)))"));
        let bindings = each(n, &binding("s0").replace(r#""namespace":"n""#, r#""namespace":"n~""#));
        fleet(&[managed(2), sets(1), bindings, placement("p", &costly)].join(","))
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
