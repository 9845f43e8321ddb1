//! The settings of a workspace. Each has a default, and `configure` returns all of them.

use crate::choice;
use crate::diagnostic::Mode;
use crate::engine::select::Names;
use crate::engine::select::cluster_set::Stage;
use crate::value::Text;
use crate::workspace::quarantine::Quarantine;
use crate::workspace::subject::Dialect;

choice! {
    /// Which of two PluginOverrides takes precedence. The seed contradicts itself: its text ranks one for a definition
    /// above one for clusters, its diagram the other way round.
    #[derive(Default)]
    pub enum Precedence {
        #[default]
        DefinitionOverCluster = "definition-over-cluster",
        ClusterOverDefinition = "cluster-over-definition",
    }
}

choice! {
    /// What becomes of what a cluster was given when it leaves the fleet.
    #[derive(Default)]
    pub enum Leaving {
        #[default]
        Orphan = "orphan",
        Delete = "delete",
    }
}

choice! {
    /// What an update does to fields that others set on an object in a cluster, and that no rule retains.
    #[derive(Default)]
    pub enum LocalChanges {
        #[default]
        Overwrite = "overwrite",
        Keep = "keep",
    }
}

/// The settings of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub precedence: Precedence,
    pub stage: Stage,
    pub mode: Mode,
    /// The dialects whose documents count.
    pub dialects: Vec<Text>,
    /// Whether Greenhouse evaluates expressions.
    pub expressions: bool,
    /// Whether workloads restart for renewed secrets.
    pub pod_refresher: bool,
    /// Whether the fleet is paused.
    pub paused: bool,
    pub leaving: Leaving,
    pub local_changes: LocalChanges,
    /// The namespaces whose KubeFedClusters are members: those of the control planes.
    pub kubefed_namespaces: Names,
    /// Whether credentials are sent to endpoints without TLS or with an unchecked certificate.
    pub insecure_endpoints: bool,
    pub limits: Limits,
    pub quarantine: Quarantine,
    /// The key of digests over the values of Secrets. Never empty.
    pub digest_key: Option<DigestKey>,
}

/// A key that the readers of digests do not have.
#[derive(Clone, PartialEq, Eq)]
pub struct DigestKey(pub Text);

/// The key would be printed.
impl std::fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DigestKey")
    }
}

/// What one plan may do before it is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Deletes in one plan, as a number and as a share of the objects that its subjects manage; the smaller one counts.
    pub deletes: u64,
    /// At most 100.
    pub delete_percent: u64,
    /// How long deletes of earlier plans count as deletes of the next one.
    pub window_seconds: i64,
    /// Creates and patches in one plan; without it any number.
    pub changes: Option<u64>,
    /// Kinds that are not deleted unless the object allows it.
    pub protected_kinds: Vec<Text>,
    /// Whether a subject may lose everything at once: because it selects no cluster, or others than before.
    pub empty_selection: bool,
}

/// Where KubeFed's control plane lives unless the settings name another namespace.
///
/// A KubeFedConfig elsewhere does not count by itself: its author could make the runner send tokens of its namespace
/// anywhere.
const KUBEFED_HOME: &str = "kube-federation-system";

const PROTECTED: [&str; 6] =
    ["Namespace", "CustomResourceDefinition", "PersistentVolume", "PersistentVolumeClaim", "Secret", "StatefulSet"];

const HOUR: i64 = 60 * 60;

impl Settings {
    /// The defaults, with every dialect switched on.
    pub fn of(dialects: &[&dyn Dialect]) -> Settings {
        Settings {
            precedence: Precedence::default(),
            stage: Stage::default(),
            mode: Mode::default(),
            dialects: dialects.iter().map(|it| Text::new_static(it.name())).collect(),
            expressions: true,
            pod_refresher: false,
            paused: false,
            leaving: Leaving::default(),
            local_changes: LocalChanges::default(),
            kubefed_namespaces: vec![Text::new_static(KUBEFED_HOME)].into(),
            insecure_endpoints: false,
            limits: Limits::default(),
            quarantine: Quarantine::default(),
            digest_key: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            deletes: 5,
            delete_percent: 10,
            window_seconds: HOUR,
            changes: None,
            protected_kinds: PROTECTED.map(Text::new_static).to_vec(),
            empty_selection: false,
        }
    }
}
