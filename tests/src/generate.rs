//! Generated values and objects for the property tests.

use fleetfold_core::Value;
use fleetfold_core::value::Number;
use proptest::prelude::*;

/// Any value that JSON can say, within the limits of the contract.
pub fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-100i64..100).prop_map(Value::from),
        double(),
        "[ -~]{0,12}".prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..6).prop_map(Value::map),
        ]
    })
}

/// Keys from a small alphabet, so that generated maps meet, and some odd ones.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![9 => "[a-e]", 1 => "[ -~]{0,4}", 1 => Just("a/b~c".into()), 1 => Just("__proto__".into())]
}

/// Doubles that are not written as an integer beyond int64: those are not read back, by the contract.
fn double() -> impl Strategy<Value = Value> {
    let readable = |double: &f64| double.fract() != 0.0 || double.abs() < 9e18 || double.abs() >= 1e21;
    any::<f64>().prop_filter_map("a finite double that reads back", move |double| {
        Number::double(double).filter(|_| readable(&double)).map(Value::from)
    })
}

fn label_map() -> impl Strategy<Value = Value> {
    prop::collection::vec(("[a-c]", "[x-z]"), 0..4).prop_map(Value::map)
}

fn metadata() -> impl Strategy<Value = Value> {
    (prop::option::of(label_map()), prop::option::of(label_map())).prop_map(|(labels, annotations)| {
        let name = ("name", Value::text("x"));
        let maps = [labels.map(|it| ("labels", it)), annotations.map(|it| ("annotations", it))];
        Value::map([name].into_iter().chain(maps.into_iter().flatten()))
    })
}

/// A list whose elements have distinct names, in any order.
fn named(fields: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    let elements = prop::collection::btree_map("[a-d]", fields, 0..4).prop_map(|elements| {
        let element = |(name, mut fields): (String, Value)| {
            if let Some(map) = fields.as_map_mut() {
                map.insert("name", name);
            }
            fields
        };
        elements.into_iter().map(element).collect::<Vec<_>>()
    });
    elements.prop_shuffle().prop_map(Value::from)
}

/// The fields that are there.
fn present<const N: usize>(fields: [Option<(&'static str, Value)>; N]) -> Value {
    Value::map(fields.into_iter().flatten())
}

fn container() -> impl Strategy<Value = Value> {
    let env = named(prop::option::of("[x-z]").prop_map(|value| Value::map(value.map(|it| ("value", it)))));
    let args = prop::option::of(prop::collection::vec("--[a-c]", 0..3).prop_map(Value::list));
    let policy = prop::option::of(prop_oneof![Just("Always"), Just("Never")]);
    (env, args, policy, "i:[1-3]").prop_map(|(env, args, policy, image)| {
        present([
            Some(("env", env)),
            Some(("image", image.into())),
            args.map(|it| ("args", it)),
            policy.map(|it| ("imagePullPolicy", it.into())),
        ])
    })
}

/// A Deployment with the lists that make merging hard.
pub fn deployment() -> impl Strategy<Value = Value> {
    let replicas = prop::option::of(0i64..4);
    let paused = prop::option::of(any::<bool>());
    (metadata(), named(container()), replicas, paused, label_map(), prop::option::of(label_map())).prop_map(
        |(metadata, containers, replicas, paused, selector, node)| {
            let pod = [Some(("containers", containers)), node.map(|it| ("nodeSelector", it))];
            let spec = [
                replicas.map(|it| ("replicas", it.into())),
                paused.map(|it| ("paused", it.into())),
                Some(("selector", Value::map([("matchLabels", selector)]))),
                Some(("template", Value::map([("spec", present(pod))]))),
            ];
            object("apps/v1", "Deployment", metadata, [("spec", present(spec))])
        },
    )
}

/// A ClusterRole: sets inside an ordered list.
pub fn cluster_role() -> impl Strategy<Value = Value> {
    let words = || prop::collection::vec("[a-c]", 0..4).prop_map(Value::list);
    let rule =
        (words(), words()).prop_map(|(verbs, resources)| Value::map([("verbs", verbs), ("resources", resources)]));
    (metadata(), prop::collection::vec(rule, 0..3)).prop_map(|(metadata, rules)| {
        object("rbac.authorization.k8s.io/v1", "ClusterRole", metadata, [("rules", rules.into())])
    })
}

/// A Service with ports that a cluster gave numbers to.
pub fn service() -> impl Strategy<Value = Value> {
    let port =
        (prop::option::of("[a-c]"), 1i64..4, prop::option::of(30_000i64..30_003)).prop_map(|(name, port, node)| {
            present([
                name.map(|it| ("name", it.into())),
                Some(("port", port.into())),
                node.map(|it| ("nodePort", it.into())),
            ])
        });
    let address = prop::option::of(prop_oneof![Just("10.0.0.1"), Just("10.0.0.2"), Just("None"), Just("")]);
    (metadata(), prop::collection::vec(port, 0..4), address).prop_map(|(metadata, ports, address)| {
        let spec = [Some(("ports", Value::from(ports))), address.map(|it| ("clusterIP", it.into()))];
        object("v1", "Service", metadata, [("spec", present(spec))])
    })
}

/// Any kind that no table knows.
pub fn custom() -> impl Strategy<Value = Value> {
    (metadata(), any_value())
        .prop_map(|(metadata, spec)| object("example.test/v1", "Widget", metadata, [("spec", spec)]))
}

/// Two objects of one kind, as desired and live.
pub fn pair() -> impl Strategy<Value = (Value, Value)> {
    prop_oneof![
        (deployment(), deployment()),
        (cluster_role(), cluster_role()),
        (service(), service()),
        (custom(), custom())
    ]
}

fn object(
    api_version: &str,
    kind: &str,
    metadata: Value,
    fields: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let head = [("apiVersion", Value::text(api_version)), ("kind", kind.into()), ("metadata", metadata)];
    Value::map(head.into_iter().chain(fields))
}
