//! A fleet like that of `npm run bench`, made without Go: a federated Deployment for every cluster, with a layer for
//! all, one for each environment and region, and one for each cluster. The inputs are in `tests/costs`, with names
//! between `~` for what differs.

use std::path::PathBuf;

use fleetfold_core::Value;
use fleetfold_core::value::json;

/// The federated object.
pub const SUBJECT: &str = "FederatedDeployment/observability/metrics";

const CONFIGURE: &str = r#"{"op":"configure","kubefed":{"namespaces":["observability"]}}"#;
const ENVIRONMENTS: [(&str, &str); 3] = [("dev", "256Mi"), ("stage", "768Mi"), ("prod", "1Gi")];
const REGIONS: usize = 8;

pub struct Fleet {
    count: usize,
    cluster: String,
    observed: String,
    layer_of_a_class: String,
    layer_of_a_cluster: String,
    federated: String,
}

/// Where the inputs are.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("costs")
}

pub fn input(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(name).with_extension("json")).expect("an input");
    json::parse(&text).unwrap_or_else(|error| panic!("{name}: {}", error.message))
}

impl Fleet {
    pub fn of(count: usize) -> Fleet {
        let text = |name: &str| input(name).to_canonical();
        Fleet {
            count,
            cluster: text("cluster"),
            observed: text("observed"),
            layer_of_a_class: text("layer-of-a-class"),
            layer_of_a_cluster: text("layer-of-a-cluster"),
            federated: text("federated"),
        }
    }

    pub fn name(&self, index: usize) -> String {
        format!("cluster-{index:06}")
    }

    /// The settings, the clusters, and the federated object with what belongs to it.
    pub fn documents(&self) -> Vec<String> {
        let clusters: Vec<String> = (0..self.count).map(|it| self.filled(&self.cluster, it)).collect();
        vec![CONFIGURE.into(), load(&clusters.join(",")), self.federated(3)]
    }

    /// The federated object with another default.
    pub fn other_default(&self) -> String {
        self.federated(4)
    }

    /// A cluster with another team.
    pub fn relabelled(&self, index: usize) -> String {
        load(&self.filled(&self.cluster.replace("~TEAM~", "team-changed"), index))
    }

    /// What a cluster shows. Every tenth shows another image; `is_changed` gives the image that it does not show.
    pub fn live(&self, index: usize, is_changed: bool) -> String {
        let tag = if index.is_multiple_of(10) != is_changed { "1.3.9" } else { "1.4.2" };
        let object = self.filled(&self.observed.replace("~TAG~", tag), index);
        // In the order of hosts, which begin the same for every cluster: the engine reads them beside each other.
        format!(r#"{{"complete":true,"documents":[{object}],"live":"{}","op":"load"}}"#, self.name(index))
    }

    fn federated(&self, limit: usize) -> String {
        let mut layers = Vec::new();
        for (environment, memory) in ENVIRONMENTS {
            for region in 0..REGIONS {
                let layer = self.layer_of_a_class.replace("~ENVIRONMENT~", environment).replace("~MEMORY~", memory);
                layers.push(layer.replace("~REGION~", &format!("region-{region}")));
            }
        }
        layers.extend((0..self.count).map(|it| self.filled(&self.layer_of_a_cluster, it)));
        let place = r#""path":"/spec/revisionHistoryLimit","value":"#;
        let documents = self.federated.trim_start_matches('[').trim_end_matches(']');
        let documents = documents.replace(&format!("{place}3"), &format!("{place}{limit}"));
        // Behind the layer for all, which the input has.
        let (start, end) = documents.split_once(r#""clusterSelector":{}}"#).expect("the layer for all");
        load(&format!(r#"{start}"clusterSelector":{{}}}},{}{end}"#, layers.join(",")))
    }

    /// The text with what the cluster has for each name. Labels repeat with periods that have no common factor.
    fn filled(&self, text: &str, index: usize) -> String {
        let (environment, memory) = ENVIRONMENTS[index % 3];
        let numbered = |prefix: &str, period: usize| format!("{prefix}-{}", index % period);
        let either = |period: usize, rare: &str, common: &str| {
            if index.is_multiple_of(period) { rare.to_string() } else { common.to_string() }
        };
        let revision = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let names = [
            ("ARCH", either(5, "arm64", "amd64")),
            ("CLUSTER", self.name(index)),
            ("ENVIRONMENT", environment.into()),
            ("GPU", either(10, "true", "false")),
            ("KUBERNETES", format!("v1.{}", 30 + index % 7)),
            ("MEMORY", memory.into()),
            ("PROVIDER", numbered("provider", 4)),
            ("REGION", numbered("region", REGIONS)),
            ("REVISION", format!("{revision:016x}")),
            ("SERIAL", format!("{index:08}")),
            ("SET", numbered("set", 19)),
            ("TEAM", numbered("team", 41)),
            ("TIER", ["gold", "silver", "bronze"][index % 3].into()),
            ("UID", format!("{index:012}")),
            ("VERSION", (184_000_000 + index).to_string()),
            ("ZONE", numbered("zone", 3)),
        ];
        let text = text.replace(r#""~REPLICAS~""#, &(3 + index % 10).to_string());
        names.iter().fold(text, |text, (name, value)| text.replace(&format!("~{name}~"), value))
    }
}

fn load(documents: &str) -> String {
    format!(r#"{{"op":"load","documents":[{documents}]}}"#)
}
