//! An example fleet of any size: clusters with labels, and documents of three dialects that select them.
//!
//! `fleetfold example` writes it to a folder; the page embeds one of a thousand clusters. One splitmix64 draws every
//! label, so the same number of clusters gives the same bytes, and a cluster has the same labels in every larger fleet.
#![forbid(unsafe_code)]

mod documents;

use std::fmt::Write;

use documents::{DEFINITION, FEDERATED_TYPES, ORGANIZATION, OVERRIDES, PLACEMENT, SELECTED_SETS};

/// Clusters in one file.
const PER_FILE: u32 = 1_000;
/// Clusters that KubeFed knows too; what was seen in the first half of them is there.
const FEDERATED: u32 = 20;

/// Passes every file of the fleet to `take`, as a path and a text. Files below `live/` are observed objects.
///
/// # Errors
///
/// The first error of `take`, which ends the writing.
///
/// # Example
///
/// ```
/// let mut paths = Vec::new();
/// fleetfold_example::fleet(3, |path, _text| {
///     paths.push(path.to_owned());
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert!(paths.contains(&"clusters/greenhouse-000.yaml".to_owned()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn fleet<E>(clusters: u32, mut take: impl FnMut(&str, &str) -> Result<(), E>) -> Result<(), E> {
    take("organization.yaml", ORGANIZATION)?;
    take("definition.yaml", DEFINITION)?;
    take("overrides.yaml", OVERRIDES)?;
    take("presets.yaml", &presets(clusters))?;
    take("sets.yaml", &sets())?;
    take("placement.yaml", PLACEMENT)?;
    take("federated.yaml", &federated(clusters))?;

    let mut draw = Draw { state: SEED };
    let (mut plugins, mut members) = (String::new(), String::new());
    for from in (0..clusters).step_by(PER_FILE as usize) {
        let (mut hub, mut managed) = (String::new(), String::new());
        for index in from..clusters.min(from.saturating_add(PER_FILE)) {
            let cluster = Cluster::draw(index, &mut draw);
            hub.push_str(&cluster.greenhouse());
            managed.push_str(&cluster.managed());
            if index < FEDERATED {
                members.push_str(&cluster.federated());
            }
            if index < FEDERATED / 2 {
                take(&format!("live/{}/shop.yaml", cluster.name), &cluster.seen())?;
                plugins.push_str(&cluster.plugin());
            }
        }
        let number = from / PER_FILE;
        take(&format!("clusters/greenhouse-{number:03}.yaml"), &hub)?;
        take(&format!("clusters/managed-{number:03}.yaml"), &managed)?;
    }
    take("clusters/members.yaml", &members)?;
    take("live/_hub/plugins.yaml", &plugins)
}

const SEED: u64 = 0x4C41_4D49_4E41;

/// splitmix64.
struct Draw {
    state: u64,
}

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn one_of(&mut self, names: &[&'static str]) -> &'static str {
        usize::try_from(self.below(names.len() as u64)).ok().and_then(|at| names.get(at)).copied().unwrap_or("")
    }
}

struct Cluster {
    index: u32,
    name: String,
    labels: Vec<(&'static str, String)>,
}

impl Cluster {
    fn draw(index: u32, draw: &mut Draw) -> Cluster {
        const ENVIRONMENTS: [&str; 10] = ["dev", "dev", "dev", "dev", "stage", "stage", "prod", "prod", "prod", "prod"];
        const REGIONS: [&str; 8] =
            ["eu-west", "eu-north", "us-east", "us-west", "ap-south", "ap-east", "sa-east", "af-south"];
        const VERSIONS: [&str; 7] = ["v1.29", "v1.30", "v1.31", "v1.32", "v1.33", "v1.34", "v1.35"];
        let name = format!("cluster-{index:06}");
        let environment = draw.one_of(&ENVIRONMENTS).to_owned();
        let region = draw.one_of(&REGIONS).to_owned();
        let labels = vec![
            ("environment", environment),
            ("region", region.clone()),
            ("provider", draw.one_of(&["aws", "azure", "gcp", "metal"]).to_owned()),
            ("tier", draw.one_of(&["gold", "silver", "bronze"]).to_owned()),
            ("version", draw.one_of(&VERSIONS).to_owned()),
            ("team", format!("team-{:02}", draw.below(40))),
            ("set", format!("set-{:02}", draw.below(20))),
            ("zone", draw.one_of(&["a", "b", "c"]).to_owned()),
            ("gpu", (draw.below(10) == 0).to_string()),
            ("arch", if draw.below(5) == 0 { "arm64" } else { "amd64" }.to_owned()),
            ("topology.kubernetes.io/region", region),
            ("name", name.clone()),
        ];
        Cluster { index, name, labels }
    }

    /// The labels as lines, quoted: `true` is a boolean otherwise.
    fn labels(&self, set_key: &str) -> String {
        let mut out = String::new();
        for (key, value) in &self.labels {
            let key = if *key == "set" { set_key } else { key };
            let _ = writeln!(out, "    {key}: \"{value}\"");
        }
        out
    }

    fn greenhouse(&self) -> String {
        let name = &self.name;
        let mut out = format!(
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata:\n  name: {name}\n  namespace: acme\
             \n  labels:\n{}spec:\n  accessMode: direct\n",
            self.labels("set")
        );
        if self.index % 50 == 7 {
            out.push_str("  pluginOverrides:\n  - path: retention.days\n    value: 90\n");
        }
        out
    }

    fn managed(&self) -> String {
        let (name, labels) = (&self.name, self.labels("cluster.open-cluster-management.io/clusterset"));
        format!(
            "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  name: {name}\
             \n  labels:\n{labels}spec:\n  hubAcceptsClient: true\n"
        )
    }

    fn federated(&self) -> String {
        let (name, labels) = (&self.name, self.labels("set"));
        format!(
            "---\napiVersion: core.kubefed.io/v1beta1\nkind: KubeFedCluster\nmetadata:\n  name: {name}\
             \n  namespace: kube-federation-system\n  labels:\n{labels}spec:\
             \n  apiEndpoint: https://{name}.example.test\n  secretRef:\n    name: {name}\nstatus:\n  conditions:\
             \n  - type: Ready\n    status: \"True\"\n"
        )
    }

    /// What was seen in a member: the namespace, and the Deployment with what its own controllers wrote.
    fn seen(&self) -> String {
        let index = self.index;
        // Every fifth was scaled by its autoscaler, and every third still runs the version before.
        let replicas = if index.is_multiple_of(5) { 7 } else { 3 };
        let tag = if index.is_multiple_of(3) { "1.0.0" } else { "1.1.0" };
        format!(
            "\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  uid: 00000000-0000-4000-8000-{index:012}
  labels:
    kubefed.io/managed: \"true\"
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: 00000000-0000-4000-9000-{index:012}
  resourceVersion: \"{version}\"
  generation: 3
  labels:
    app: web
    kubefed.io/managed: \"true\"
  annotations:
    deployment.kubernetes.io/revision: \"3\"
spec:
  replicas: {replicas}
  revisionHistoryLimit: 10
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: example.test/shop/web:{tag}
        imagePullPolicy: IfNotPresent
        ports:
        - containerPort: 8080
          protocol: TCP
      restartPolicy: Always
status:
  observedGeneration: 3
  readyReplicas: {replicas}
  replicas: {replicas}
",
            version = 1_000 + index
        )
    }

    /// A Plugin that is on the hub already, made from an older preset.
    fn plugin(&self) -> String {
        let name = &self.name;
        let index = self.index;
        format!(
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: Plugin\nmetadata:\n  name: metrics-{name}\
             \n  namespace: acme\n  uid: 00000000-0000-4000-a000-{index:012}\n  labels:\
             \n    greenhouse.sap/pluginpreset: metrics\nspec:\n  pluginDefinitionRef:\n    kind: PluginDefinition\
             \n    name: metrics\n  clusterName: {name}\n  releaseName: metrics\n  releaseNamespace: monitoring\
             \n  optionValues:\n  - name: image.tag\n    value: 9.0.0\n"
        )
    }
}

/// Two presets: one for all clusters, with overrides for every hundredth of them, and one for those with GPUs.
fn presets(clusters: u32) -> String {
    let mut out = "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata:
  name: metrics
  namespace: acme
spec:
  clusterSelector:
    matchExpressions:
    - key: environment
      operator: Exists
  deletionPolicy: Delete
  plugin:
    pluginDefinitionRef:
      kind: PluginDefinition
      name: metrics
    releaseName: metrics
    releaseNamespace: monitoring
    optionValues:
    - name: image.tag
      value: 9.1.0
    - name: remote.password
      valueFrom:
        secret:
          name: metrics-remote
          key: password
"
    .to_owned();
    let overridden: Vec<u32> = (0..clusters).step_by(100).collect();
    if !overridden.is_empty() {
        out.push_str("  clusterOptionOverrides:\n");
    }
    for index in overridden {
        let _ = write!(
            out,
            "  - clusterName: cluster-{index:06}\n    overrides:\n    - name: replicas\n      value: {}\n",
            4 + index / 100 % 3
        );
    }
    out.push_str(
        "\
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata:
  name: metrics-gpu
  namespace: acme
spec:
  clusterSelector:
    matchLabels:
      gpu: \"true\"
  deletionPolicy: Delete
  plugin:
    pluginDefinitionRef:
      kind: PluginDefinition
      name: metrics
    releaseName: metrics-gpu
    releaseNamespace: monitoring
    optionValues:
    - name: image.tag
      value: 9.1.0-gpu
    - name: replicas
      value: 1
    - name: remote.password
      valueFrom:
        secret:
          name: metrics-remote
          key: password
",
    );
    out
}

/// Twenty sets by their fixed label, one by selector, and who may put clusters of a team into its set.
fn sets() -> String {
    let mut out = String::new();
    for index in 0..20 {
        let _ = write!(
            out,
            "---\napiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSet\nmetadata:\
             \n  name: set-{index:02}\nspec:\n  clusterSelector:\n    selectorType: ExclusiveClusterSetLabel\n"
        );
    }
    out.push_str(SELECTED_SETS);
    out
}

fn federated(clusters: u32) -> String {
    let mut out = FEDERATED_TYPES.to_owned();
    out.push_str("  overrides:\n");
    for index in 0..clusters.min(FEDERATED / 4) {
        let _ = write!(
            out,
            "  - clusterName: cluster-{index:06}\n    clusterOverrides:\n    - op: add\n      path: /spec/replicas\
             \n      value: {}\n    - op: add\n      path: /metadata/annotations/example.test~1ring\
             \n      value: \"{index}\"\n",
            5 + index
        );
    }
    out
}

#[cfg(test)]
mod tests;
