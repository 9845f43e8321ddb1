//! Fleets made up from a seed: mostly sound documents of one dialect, with the odd mistake, and objects that are in the
//! clusters already.

use fleetfold_core::Value;

/// splitmix64: the same fleet for the same seed, everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % count
    }

    /// Whether a thing of this chance in a hundred happens.
    pub fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}

/// A fleet to plan for.
pub struct Made {
    pub documents: Vec<Value>,
    /// What is in a cluster before anything was planned.
    pub live: Vec<(String, Value)>,
}

type Make = fn(&mut Dice) -> Made;

pub const DIALECTS: [(&str, Make); 5] =
    [("greenhouse", greenhouse), ("ocm", ocm), ("kubefed", kubefed), ("kudo", kudo), ("certmanager", certmanager)];

/// Reads JSON made by `format!`.
fn json(text: &str) -> Value {
    fleetfold_core::value::json::parse(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

const ENVIRONMENTS: [&str; 3] = ["dev", "stage", "prod"];
const REGIONS: [&str; 3] = ["eu", "us", "ap"];

fn names(dice: &mut Dice) -> Vec<String> {
    (0..1 + dice.below(6)).map(|number| format!("c{number}")).collect()
}

fn labels(dice: &mut Dice, prefix: &str) -> String {
    let mut labels = vec![format!(r#""{prefix}env":"{}""#, dice.pick(&ENVIRONMENTS))];
    if dice.happens(70) {
        labels.push(format!(r#""{prefix}region":"{}""#, dice.pick(&REGIONS)));
    }
    format!("{{{}}}", labels.join(","))
}

fn selector(dice: &mut Dice, prefix: &str) -> String {
    match dice.below(5) {
        0 => "{}".into(),
        1 => format!(r#"{{"matchExpressions":[{{"key":"{prefix}region","operator":"Exists"}}]}}"#),
        2 => format!(
            r#"{{"matchExpressions":[{{"key":"{prefix}env","operator":"NotIn","values":["{}"]}}]}}"#,
            dice.pick(&ENVIRONMENTS)
        ),
        _ => format!(r#"{{"matchLabels":{{"{prefix}env":"{}"}}}}"#, dice.pick(&ENVIRONMENTS)),
    }
}

const OPTIONS: [&str; 5] = ["replicas", "image.tag", "ingress.host", "resources", "token"];

/// A value of an option, as its entry has it.
fn option_value(dice: &mut Dice, option: &str) -> String {
    match option {
        "replicas" => format!(r#""value":{}"#, dice.below(5)),
        "resources" => format!(r#""value":{{"cpu":"{}m","memory":"{}Mi"}}"#, dice.below(9), dice.below(9)),
        "token" => format!(r#""valueFrom":{{"secret":{{"name":"s{}","key":"k"}}}}"#, dice.below(3)),
        _ => format!(r#""value":"v{}""#, dice.below(4)),
    }
}

fn options(dice: &mut Dice, field: &str) -> String {
    let mut entries: Vec<String> = Vec::new();
    for option in OPTIONS {
        if dice.happens(45) {
            let value = option_value(dice, option);
            entries.push(format!(r#"{{"{field}":"{option}",{value}}}"#));
        }
    }
    format!("[{}]", entries.join(","))
}

fn greenhouse(dice: &mut Dice) -> Made {
    let api = r#""apiVersion":"greenhouse.sap/v1alpha1""#;
    let (clusters, prefix) = (names(dice), "metadata.greenhouse.sap/");
    let mut documents = Vec::new();
    for name in &clusters {
        let overrides =
            if dice.happens(20) { format!(r#","pluginOverrides":{}"#, options(dice, "path")) } else { String::new() };
        let labels = labels(dice, prefix);
        documents.push(format!(
            r#"{{{api},"kind":"Cluster","metadata":{{"name":"{name}","namespace":"acme","labels":{labels}}},"spec":{{"accessMode":"direct"{overrides}}}}}"#
        ));
    }
    let overrides = if dice.happens(40) { options(dice, "path") } else { "[]".into() };
    documents.push(format!(
        r#"{{{api},"kind":"Organization","metadata":{{"name":"acme"}},"spec":{{"displayName":"Acme","pluginOverrides":{overrides}}}}}"#
    ));
    documents.push(format!(
        r#"{{{api},"kind":"PluginDefinition","metadata":{{"name":"metrics","namespace":"acme"}},"spec":{{"version":"1.0.0","options":[{{"name":"replicas","type":"int","default":{}}},{{"name":"image.tag","type":"string","default":"v1"}},{{"name":"ingress.host","type":"string"}},{{"name":"resources","type":"map","default":{{"cpu":"1m"}}}},{{"name":"token","type":"secret"}}]}}}}"#,
        dice.below(4)
    ));
    for number in 0..dice.below(3) {
        let when = match dice.below(4) {
            0 => String::new(),
            1 => format!(r#""clusterSelector":{{"clusterNames":["{}"]}},"#, dice.pick(&clusters)),
            2 => format!(r#""clusterSelector":[{}],"#, selector(dice, prefix)),
            _ => format!(r#""clusterSelector":{{"labelSelector":{}}},"#, selector(dice, prefix)),
        };
        let of = if dice.happens(50) { r#""pluginDefinitionNames":["metrics"],"# } else { "" };
        let overrides = options(dice, "path");
        documents.push(format!(
            r#"{{{api},"kind":"PluginOverride","metadata":{{"name":"o{number}","namespace":"acme","creationTimestamp":"2026-01-0{}T00:00:00Z"}},"spec":{{{when}{of}"overrides":{overrides}}}}}"#,
            1 + dice.below(3)
        ));
    }
    for number in 0..1 + dice.below(2) {
        let (when, set) = (selector(dice, prefix), options(dice, "name"));
        let mut own = Vec::new();
        for name in &clusters {
            if dice.happens(30) {
                let value = dice.below(9);
                own.push(format!(r#"{{"clusterName":"{name}","overrides":[{{"name":"replicas","value":{value}}}]}}"#));
            }
        }
        let policy = if dice.happens(20) { "Retain" } else { "Delete" };
        documents.push(format!(
            r#"{{{api},"kind":"PluginPreset","metadata":{{"name":"p{number}","namespace":"acme","uid":"preset-{number}"}},"spec":{{"clusterSelector":{when},"deletionPolicy":"{policy}","plugin":{{"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"metrics"}},"releaseNamespace":"monitoring","optionValues":{set}}},"clusterOptionOverrides":[{}]}}}}"#,
            own.join(",")
        ));
    }
    if dice.happens(40) {
        let (cluster, set) = (dice.pick(&clusters).clone(), options(dice, "name"));
        documents.push(format!(
            r#"{{{api},"kind":"Plugin","metadata":{{"name":"lone","namespace":"acme","uid":"lone"}},"spec":{{"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"metrics"}},"clusterName":"{cluster}","optionValues":{set}}}}}"#
        ));
    }
    let mut live = Vec::new();
    if dice.happens(50) {
        let (cluster, set) = (dice.pick(&clusters).clone(), options(dice, "name"));
        live.push((
            String::new(),
            json(&format!(
                r#"{{{api},"kind":"Plugin","metadata":{{"name":"p0-{cluster}","namespace":"acme","labels":{{"greenhouse.sap/pluginpreset":"p0"}}}},"spec":{{"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"metrics"}},"clusterName":"{cluster}","optionValues":{set}}}}}"#
            )),
        ));
    }
    Made { documents: documents.iter().map(|it| json(it)).collect(), live }
}

fn ocm(dice: &mut Dice) -> Made {
    let group = "cluster.open-cluster-management.io";
    let mut documents = Vec::new();
    for name in names(dice) {
        let mut all = labels(dice, "");
        if dice.happens(60) {
            all = format!(r#"{{"{group}/clusterset":"{}",{}"#, dice.pick(&["dev", "qa"]), &all[1..]);
        }
        let taints = if dice.happens(20) {
            r#","taints":[{"key":"maintenance","effect":"NoSelect","timeAdded":"2025-12-31T00:00:00Z"}]"#
        } else {
            ""
        };
        documents.push(format!(
            r#"{{"apiVersion":"{group}/v1","kind":"ManagedCluster","metadata":{{"name":"{name}","labels":{all}}},"spec":{{"hubAcceptsClient":true{taints}}},"status":{{"clusterClaims":[{{"name":"zone","value":"z{}"}}],"allocatable":{{"cpu":"{}","memory":"{}Gi"}}}}}}"#,
            dice.below(2),
            1 + dice.below(8),
            1 + dice.below(64)
        ));
    }
    for set in ["dev", "qa"] {
        documents.push(format!(
            r#"{{"apiVersion":"{group}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"{set}","uid":"set-{set}"}},"spec":{{}}}}"#
        ));
    }
    let labelled = selector(dice, "");
    documents.push(format!(
        r#"{{"apiVersion":"{group}/v1beta2","kind":"ManagedClusterSet","metadata":{{"name":"any","uid":"set-any"}},"spec":{{"clusterSelector":{{"selectorType":"LabelSelector","labelSelector":{labelled}}}}}}}"#
    ));
    for set in ["dev", "qa", "any"] {
        if dice.happens(60) {
            documents.push(format!(
                r#"{{"apiVersion":"{group}/v1beta2","kind":"ManagedClusterSetBinding","metadata":{{"name":"{set}","namespace":"team","uid":"binding-{set}"}},"spec":{{"clusterSet":"{set}"}}}}"#
            ));
        }
    }
    for number in 0..1 + dice.below(2) {
        let count = if dice.happens(50) { format!(r#""numberOfClusters":{},"#, dice.below(4)) } else { String::new() };
        let tolerations =
            if dice.happens(40) { r#""tolerations":[{"key":"maintenance","operator":"Exists"}],"# } else { "" };
        let group_size = if dice.happens(40) {
            r#""decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":"50%"}},"#
        } else {
            ""
        };
        let when = selector(dice, "");
        documents.push(format!(
            r#"{{"apiVersion":"{group}/v1beta1","kind":"Placement","metadata":{{"name":"place{number}","namespace":"team","uid":"placement-{number}"}},"spec":{{{count}{tolerations}{group_size}"predicates":[{{"requiredClusterSelector":{{"labelSelector":{when}}}}}]}}}}"#
        ));
    }
    Made { documents: documents.iter().map(|it| json(it)).collect(), live: Vec::new() }
}

fn kubefed(dice: &mut Dice) -> Made {
    let clusters = names(dice);
    let mut documents = Vec::new();
    for name in &clusters {
        let (all, ready) = (labels(dice, ""), if dice.happens(85) { "True" } else { "False" });
        documents.push(format!(
            r#"{{"apiVersion":"core.kubefed.io/v1beta1","kind":"KubeFedCluster","metadata":{{"name":"{name}","namespace":"kube-federation-system","labels":{all}}},"spec":{{"apiEndpoint":"https://{name}.example.test"}},"status":{{"conditions":[{{"type":"Ready","status":"{ready}"}}]}}}}"#
        ));
    }
    documents.push(
        r#"{"apiVersion":"core.kubefed.io/v1beta1","kind":"FederatedTypeConfig","metadata":{"name":"deployments.apps","namespace":"kube-federation-system"},"spec":{"federatedType":{"group":"types.kubefed.io","kind":"FederatedDeployment","pluralName":"federateddeployments","scope":"Namespaced","version":"v1beta1"},"propagation":"Enabled","targetType":{"group":"apps","kind":"Deployment","pluralName":"deployments","scope":"Namespaced","version":"v1"},"retention":{"labels":["team"],"fields":["spec.paused"]}}}"#.into(),
    );
    documents.push(
        r#"{"apiVersion":"types.kubefed.io/v1beta1","kind":"FederatedNamespace","metadata":{"name":"shop","namespace":"shop"},"spec":{"placement":{"clusterSelector":{}}}}"#.into(),
    );
    let placement = if dice.happens(40) {
        let named: Vec<String> =
            clusters.iter().filter(|_| dice.happens(70)).map(|it| format!(r#"{{"name":"{it}"}}"#)).collect();
        format!(r#"{{"clusters":[{}]}}"#, named.join(","))
    } else {
        format!(r#"{{"clusterSelector":{}}}"#, selector(dice, ""))
    };
    let mut overrides = Vec::new();
    for name in &clusters {
        if dice.happens(40) {
            let more = if dice.happens(30) {
                r#",{"path":"/metadata/annotations/note","op":"add","value":"local"}"#
            } else {
                ""
            };
            overrides.push(format!(
                r#"{{"clusterName":"{name}","clusterOverrides":[{{"path":"/spec/replicas","value":{}}}{more}]}}"#,
                dice.below(9)
            ));
        }
    }
    documents.push(format!(
        r#"{{"apiVersion":"types.kubefed.io/v1beta1","kind":"FederatedDeployment","metadata":{{"name":"web","namespace":"shop","uid":"federated"}},"spec":{{"retainReplicas":{},"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"replicas":2,"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"web","image":"web:{}"}}]}}}}}}}},"placement":{placement},"overrides":[{}]}}}}"#,
        dice.happens(30),
        dice.below(3),
        overrides.join(",")
    ));
    let mut live = Vec::new();
    for name in &clusters {
        if dice.happens(50) {
            let managed = if dice.happens(80) { r#""kubefed.io/managed":"true","# } else { "" };
            live.push((
                name.clone(),
                json(&format!(
                    r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web","namespace":"shop","labels":{{{managed}"team":"blue","app":"web"}},"annotations":{{"deployment.kubernetes.io/revision":"4"}}}},"spec":{{"replicas":{},"paused":true,"progressDeadlineSeconds":600,"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"web","image":"web:{}","imagePullPolicy":"Always"}},{{"name":"sidecar","image":"mesh:1"}}]}}}}}},"status":{{"replicas":1}}}}"#,
                    dice.below(9),
                    dice.below(3)
                )),
            ));
        }
    }
    Made { documents: documents.iter().map(|it| json(it)).collect(), live }
}

fn kudo(dice: &mut Dice) -> Made {
    let mut documents = vec![
        r#"{"apiVersion":"kudo.dev/v1beta1","kind":"Operator","metadata":{"name":"mysql","namespace":"db"},"spec":{}}"#
            .to_string(),
    ];
    for number in 0..1 + dice.below(2) {
        let verb = dice.pick(&["get", "list"]);
        let (strategy, second) = (dice.pick(&["serial", "parallel"]), dice.happens(50));
        let tasks = if second { r#"["app","more"]"# } else { r#"["app"]"# };
        // In JSON, so line breaks and quotes are escaped once more.
        let role = format!(
            "apiVersion: rbac.authorization.k8s.io/v1\\nkind: ClusterRole\\nmetadata: {{name: mysql}}\\n\
             rules: [{{apiGroups: [\\\"\\\"], resources: [pods], verbs: [{verb}]}}]\\n"
        );
        let config = r"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: defaults}\ndata: {size: small}\n";
        documents.push(format!(
            r#"{{"apiVersion":"kudo.dev/v1beta1","kind":"OperatorVersion","metadata":{{"name":"mysql-{number}","namespace":"db","uid":"ov-{number}"}},
               "spec":{{"operator":{{"name":"mysql","kind":"Operator"}},"version":"1.0.{number}",
               "installPlan":"install",
               "templates":{{"role.yaml":"{role}","config.yaml":"{config}"}},
               "tasks":[{{"name":"app","kind":"Apply","spec":{{"resources":["role.yaml"]}}}},
               {{"name":"more","kind":"Apply","spec":{{"resources":["config.yaml"]}}}}],
               "plans":{{"install":{{"strategy":"{strategy}",
               "phases":[{{"name":"main","strategy":"{strategy}","steps":[{{"name":"all","tasks":{tasks}}}]}}]}}}}}}}}"#
        ));
    }
    if dice.happens(50) {
        documents.push(
            r#"{"apiVersion":"kudo.dev/v1beta1","kind":"Instance","metadata":{"name":"one","namespace":"db","uid":"one"},"spec":{"operatorVersion":{"name":"mysql-0"}}}"#.into(),
        );
    }
    let mut live = Vec::new();
    if dice.happens(50) {
        let size = dice.pick(&["small", "large"]);
        live.push((
            String::new(),
            json(&format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"defaults","namespace":"db"}},"data":{{"size":"{size}","more":"x"}}}}"#)),
        ));
    }
    Made { documents: documents.iter().map(|it| json(it)).collect(), live }
}

fn certmanager(dice: &mut Dice) -> Made {
    let mut documents = Vec::new();
    for (version, image) in [("v1.2.0", "1"), ("v1.3.1", "2")] {
        documents.push(format!(
            r#"{{"apiVersion":"fleetfold.dev/v1","kind":"Bundle","metadata":{{"name":"cert-manager-{version}"}},"spec":{{"product":"cert-manager","version":"{version}","components":[{{"name":"controller","deployment":"cert-manager","container":"cert-manager"}}],"manifests":[{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"cert-manager"}}}},{{"apiVersion":"v1","kind":"ServiceAccount","metadata":{{"name":"cert-manager","namespace":"cert-manager"}}}},{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{{"name":"cert-manager-controller","labels":{{"app":"cert-manager"}}}},"rules":[{{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list"]}}]}},{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"cert-manager","namespace":"cert-manager","labels":{{"app":"cert-manager"}}}},"spec":{{"replicas":1,"selector":{{"matchLabels":{{"app":"cert-manager"}}}},"template":{{"metadata":{{"labels":{{"app":"cert-manager"}}}},"spec":{{"containers":[{{"name":"cert-manager","image":"controller:{image}","args":["--v=2"]}}]}}}}}}}}]}}}}"#
        ));
    }
    let version = dice.pick(&["v1.2.0", "v1.3.1"]);
    let flags = if dice.happens(40) {
        r#""containerArgOverrides":{"controller":{"v":"4"}}"#
    } else {
        r#""imageOverrides":{"controller":"example.test/controller:dev"}"#
    };
    let zone = if dice.happens(50) { format!(r#","dangerZone":{{{flags}}}"#) } else { String::new() };
    documents.push(format!(
        r#"{{"apiVersion":"operators.opdev.io/v1alpha1","kind":"CertManagerDeployment","metadata":{{"name":"cluster","uid":"cmd"}},"spec":{{"version":"{version}"{zone}}}}}"#
    ));
    let mut live = Vec::new();
    if dice.happens(50) {
        live.push((
            String::new(),
            json(&format!(
                r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"cert-manager","namespace":"cert-manager","labels":{{"app":"other"}}}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"cert-manager"}}}},"template":{{"metadata":{{"labels":{{"app":"cert-manager"}}}},"spec":{{"containers":[{{"name":"cert-manager","image":"old","args":["--v=1"],"imagePullPolicy":"Always"}}]}}}}}}}}"#,
                dice.below(4)
            )),
        ));
    }
    Made { documents: documents.iter().map(|it| json(it)).collect(), live }
}
