//! Which kinds live in a namespace. A template may leave its namespace open, so this decides where an object goes.

use crate::object::document::Document;
use crate::object::identity::group_of;
use crate::value::{Text, Value};
use crate::workspace::store::View;

pub const CRD: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// The kinds of Kubernetes itself that have no namespace, by API group.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    (CRD.0, &[CRD.1]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("certificates.k8s.io", &["CertificateSigningRequest", "ClusterTrustBundle"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io", &["IngressClass", "IPAddress", "ServiceCIDR"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    ("storage.k8s.io", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"]),
];

/// What is known of kinds: the table, and the definitions that are loaded.
#[derive(Clone, Debug, Default)]
pub struct Scopes(Vec<(Text, Text, bool)>);

impl Scopes {
    pub fn of(view: View) -> Scopes {
        let mut scopes = Scopes::default();
        let loaded = view.store.of_kind(CRD.0, CRD.1, None).map(|it: &Document| &it.value);
        loaded.for_each(|it| scopes.learn(it));
        scopes
    }

    /// Reads the scope of the kind of a CustomResourceDefinition.
    pub fn learn(&mut self, definition: &Value) {
        let text = |path: &[&str]| Text::from(definition.text_at(path));
        let namespaced = definition.text_at(&["spec", "scope"]) != "Cluster";
        self.0.push((text(&["spec", "group"]), text(&["spec", "names", "kind"]), namespaced));
    }

    /// Whether objects like this one live in a namespace. Most kinds do, so an unknown one is taken to.
    pub fn is_namespaced(&self, object: &Value) -> bool {
        let (group, kind) = (group_of(object.text_at(&["apiVersion"])), object.text_at(&["kind"]));
        match self.0.iter().find(|(its_group, its_kind, _)| its_group == group && its_kind == kind) {
            Some((.., namespaced)) => *namespaced,
            None => !CLUSTER_SCOPED.iter().any(|(its_group, kinds)| *its_group == group && kinds.contains(&kind)),
        }
    }
}
