//! The fields of built-in kinds at every level, to find retention paths that cannot exist.
//!
//! A type is one text. Each of its words is a field:
//!
//! | word | is |
//! |---|---|
//! | `name` | a plain value |
//! | `name[]` | a list of plain values |
//! | `name{}` | a map with any keys |
//! | `name*` | anything |
//! | `name:Type` | a map of this type |
//! | `name[]:Type` | a list of them |

use crate::object::identity::group_of;
use crate::value::Text;
use crate::value::path::RetentionStep;
use crate::value::suggest::nearest;

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misstep {
    /// What is wrong, for people.
    pub message: String,
    /// The path that was probably meant.
    pub meant: Option<Vec<RetentionStep>>,
    /// The fields that there are instead.
    pub known: Vec<&'static str>,
}

/// Why no object of this kind has a field at this path, if that is known. Kinds without a row may have any.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::fields::misstep, value::path::RetentionPath};
///
/// let (version, kind) = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
/// let path = RetentionPath::parse("webhooks.clientConfig.caBundle").unwrap();
/// let misstep = misstep(version, kind, path.steps()).unwrap();
/// assert_eq!(misstep.message, "`webhooks` is a list");
/// assert_eq!(RetentionPath::of(misstep.meant.unwrap()).to_string(), "webhooks[].clientConfig.caBundle");
/// ```
pub fn misstep(api_version: &str, kind: &str, steps: &[RetentionStep]) -> Option<Misstep> {
    let group = group_of(api_version);
    let (_, _, root) = KINDS.iter().find(|(in_group, kinds, _)| *in_group == group && kinds.contains(&kind))?;
    let mut walk = Walk { meant: Vec::new(), first: None };
    let is_sure = walk.follow(Below::Type(root), steps);
    let (message, known) = walk.first?;
    Some(Misstep { message, meant: is_sure.then_some(walk.meant), known })
}

/// What may follow on a path.
#[derive(Clone, Copy)]
enum Below {
    /// A field of this type.
    Type(&'static str),
    /// `[]`, then what follows.
    List(Option<&'static str>),
    /// Nothing.
    Plain,
    /// Anything.
    Any,
}

struct Walk {
    /// The corrected path so far.
    meant: Vec<RetentionStep>,
    /// The first mistake, and the fields that there are instead.
    first: Option<(String, Vec<&'static str>)>,
}

impl Walk {
    /// Follows a path; returns whether it leads to a known field once it is corrected.
    fn follow(&mut self, mut here: Below, steps: &[RetentionStep]) -> bool {
        for step in steps {
            if let (Below::List(of), RetentionStep::Key(_)) = (here, step) {
                self.wrong(format!("`{}` is a list", self.last()), Vec::new());
                self.meant.push(RetentionStep::Each);
                here = of.map_or(Below::Plain, Below::Type);
            }
            here = match (here, step) {
                (Below::Any, _) => Below::Any,
                (Below::List(of), RetentionStep::Each) => of.map_or(Below::Plain, Below::Type),
                (_, RetentionStep::Each) => {
                    self.wrong(format!("`{}` is not a list", self.last()), Vec::new());
                    continue;
                }
                (Below::Type(fields), RetentionStep::Key(key)) => match self.field(fields, key) {
                    Some((name, below)) => {
                        self.meant.push(RetentionStep::Key(name));
                        here = below;
                        continue;
                    }
                    None => return false,
                },
                (Below::List(_) | Below::Plain, RetentionStep::Key(_)) => {
                    self.wrong(format!("`{}` is a plain value", self.last()), Vec::new());
                    return false;
                }
            };
            self.meant.push(step.clone());
        }
        true
    }

    /// A field by its name, or the one that was probably meant.
    fn field(&mut self, fields: &'static str, key: &str) -> Option<(Text, Below)> {
        let name_of = |word: &'static str| word.split([':', '[', '{', '*']).next().unwrap_or(word);
        let find = |name: &str| fields.split_whitespace().find(|it| name_of(it) == name);
        let known = || fields.split_whitespace().map(name_of);
        let word = match find(key) {
            Some(word) => word,
            None => {
                let message = match self.last() {
                    last if last.is_empty() => format!("there is no field `{key}` at the root"),
                    last => format!("`{last}` has no field `{key}`"),
                };
                self.wrong(message, known().collect());
                nearest(key, known()).and_then(find)?
            }
        };
        let name = name_of(word);
        let of = word.split_once(':').and_then(|(_, of)| TYPES.iter().find(|(name, _)| *name == of)).map(|(_, it)| *it);
        let rest = word.get(name.len()..).unwrap_or_default();
        let below = match (rest, of) {
            ("", _) => Below::Plain,
            (rest, of) if rest.starts_with("[]") && !rest.ends_with('*') => Below::List(of),
            (_, Some(of)) => Below::Type(of),
            _ => Below::Any,
        };
        Some((name.into(), below))
    }

    fn wrong(&mut self, message: String, known: Vec<&'static str>) {
        self.first.get_or_insert((message, known));
    }

    /// The last key of the path.
    fn last(&self) -> String {
        let mut keys = self.meant.iter().rev().filter_map(|it| match it {
            RetentionStep::Key(key) => Some(key.to_string()),
            RetentionStep::Each => None,
        });
        keys.next().unwrap_or_default()
    }
}

/// Group, kinds, and the fields at the root.
const KINDS: &[(&str, &[&str], &str)] = &[
    ("", &["ConfigMap"], "apiVersion kind metadata:Meta data{} binaryData{} immutable"),
    ("", &["Secret"], "apiVersion kind metadata:Meta data{} stringData{} type immutable"),
    (
        "",
        &["ServiceAccount"],
        "apiVersion kind metadata:Meta secrets[]:ObjectRef imagePullSecrets[]:Name automountServiceAccountToken",
    ),
    ("", &["Service"], "apiVersion kind metadata:Meta spec:ServiceSpec status*"),
    ("", &["Namespace"], "apiVersion kind metadata:Meta spec:NamespaceSpec status*"),
    ("", &["Pod"], "apiVersion kind metadata:Meta spec:PodSpec status*"),
    ("", &["PersistentVolumeClaim"], "apiVersion kind metadata:Meta spec:ClaimSpec status*"),
    ("", &["PersistentVolume"], "apiVersion kind metadata:Meta spec:VolumeSpec status*"),
    (
        "admissionregistration.k8s.io",
        &["MutatingWebhookConfiguration"],
        "apiVersion kind metadata:Meta webhooks[]:Mutating",
    ),
    (
        "admissionregistration.k8s.io",
        &["ValidatingWebhookConfiguration"],
        "apiVersion kind metadata:Meta webhooks[]:Webhook",
    ),
    ("apps", &["Deployment"], "apiVersion kind metadata:Meta spec:DeploymentSpec status*"),
    ("apps", &["ReplicaSet"], "apiVersion kind metadata:Meta spec:ReplicaSetSpec status*"),
    ("apps", &["StatefulSet"], "apiVersion kind metadata:Meta spec:StatefulSetSpec status*"),
    ("apps", &["DaemonSet"], "apiVersion kind metadata:Meta spec:DaemonSetSpec status*"),
    ("autoscaling", &["HorizontalPodAutoscaler"], "apiVersion kind metadata:Meta spec:AutoscalerSpec status*"),
    ("batch", &["Job"], "apiVersion kind metadata:Meta spec:JobSpec status*"),
    ("batch", &["CronJob"], "apiVersion kind metadata:Meta spec:CronJobSpec status*"),
    ("networking.k8s.io", &["Ingress"], "apiVersion kind metadata:Meta spec:IngressSpec status*"),
    ("networking.k8s.io", &["NetworkPolicy"], "apiVersion kind metadata:Meta spec:PolicySpec"),
    ("policy", &["PodDisruptionBudget"], "apiVersion kind metadata:Meta spec:BudgetSpec status*"),
    ("rbac.authorization.k8s.io", &["Role"], "apiVersion kind metadata:Meta rules[]:Rule"),
    ("rbac.authorization.k8s.io", &["ClusterRole"], "apiVersion kind metadata:Meta rules[]:Rule aggregationRule*"),
    (
        "rbac.authorization.k8s.io",
        &["RoleBinding", "ClusterRoleBinding"],
        "apiVersion kind metadata:Meta roleRef:RoleRef subjects[]:Subject",
    ),
];

const TYPES: &[(&str, &str)] = &[
    (
        "Meta",
        "annotations{} creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers[] generateName \
         generation labels{} managedFields[]* name namespace ownerReferences[]:Owner resourceVersion selfLink uid",
    ),
    ("Owner", "apiVersion blockOwnerDeletion controller kind name uid"),
    ("ObjectRef", "apiVersion fieldPath kind name namespace resourceVersion uid"),
    ("Name", "name"),
    ("Selector", "matchExpressions[]:Requirement matchLabels{}"),
    ("Requirement", "key operator values[]"),
    ("NamespaceSpec", "finalizers[]"),
    (
        "ServiceSpec",
        "allocateLoadBalancerNodePorts clusterIP clusterIPs[] externalIPs[] externalName externalTrafficPolicy \
         healthCheckNodePort internalTrafficPolicy ipFamilies[] ipFamilyPolicy loadBalancerClass loadBalancerIP \
         loadBalancerSourceRanges[] ports[]:ServicePort publishNotReadyAddresses selector{} sessionAffinity \
         sessionAffinityConfig* trafficDistribution type",
    ),
    ("ServicePort", "appProtocol name nodePort port protocol targetPort"),
    (
        "ClaimSpec",
        "accessModes[] dataSource* dataSourceRef* resources:VolumeResources selector:Selector storageClassName \
         volumeAttributesClassName volumeMode volumeName",
    ),
    (
        "VolumeSpec",
        "accessModes[] awsElasticBlockStore* azureDisk* azureFile* capacity{} cephfs* cinder* claimRef:ObjectRef csi* \
         fc* flexVolume* flocker* gcePersistentDisk* glusterfs* hostPath* iscsi* local* mountOptions[] nfs* \
         nodeAffinity* persistentVolumeReclaimPolicy photonPersistentDisk* portworxVolume* quobyte* rbd* scaleIO* \
         storageClassName storageos* volumeAttributesClassName volumeMode vsphereVolume*",
    ),
    (
        "Webhook",
        "admissionReviewVersions[] clientConfig:ClientConfig failurePolicy matchConditions[]:Condition matchPolicy \
         name namespaceSelector:Selector objectSelector:Selector rules[]:Operations sideEffects timeoutSeconds",
    ),
    (
        "Mutating",
        "admissionReviewVersions[] clientConfig:ClientConfig failurePolicy matchConditions[]:Condition matchPolicy \
         name namespaceSelector:Selector objectSelector:Selector reinvocationPolicy rules[]:Operations sideEffects \
         timeoutSeconds",
    ),
    ("ClientConfig", "caBundle service:ServiceRef url"),
    ("ServiceRef", "name namespace path port"),
    ("Condition", "expression name"),
    ("Operations", "apiGroups[] apiVersions[] operations[] resources[] scope"),
    (
        "DeploymentSpec",
        "minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector:Selector \
         strategy:Strategy template:PodTemplate",
    ),
    ("Strategy", "rollingUpdate:Rolling type"),
    ("Rolling", "maxSurge maxUnavailable"),
    ("OrdinalStrategy", "rollingUpdate:OrdinalRolling type"),
    ("OrdinalRolling", "maxUnavailable partition"),
    ("ReplicaSetSpec", "minReadySeconds replicas selector:Selector template:PodTemplate"),
    (
        "StatefulSetSpec",
        "minReadySeconds ordinals* persistentVolumeClaimRetentionPolicy* podManagementPolicy replicas \
         revisionHistoryLimit selector:Selector serviceName template:PodTemplate updateStrategy:OrdinalStrategy \
         volumeClaimTemplates[]:ClaimTemplate",
    ),
    ("ClaimTemplate", "apiVersion kind metadata:Meta spec:ClaimSpec status*"),
    (
        "DaemonSetSpec",
        "minReadySeconds revisionHistoryLimit selector:Selector template:PodTemplate updateStrategy:Strategy",
    ),
    (
        "JobSpec",
        "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector \
         maxFailedIndexes parallelism podFailurePolicy* podReplacementPolicy selector:Selector successPolicy* suspend \
         template:PodTemplate ttlSecondsAfterFinished",
    ),
    (
        "CronJobSpec",
        "concurrencyPolicy failedJobsHistoryLimit jobTemplate:JobTemplate schedule startingDeadlineSeconds \
         successfulJobsHistoryLimit suspend timeZone",
    ),
    ("JobTemplate", "metadata:Meta spec:JobSpec"),
    ("PodTemplate", "metadata:Meta spec:PodSpec"),
    (
        "PodSpec",
        "activeDeadlineSeconds affinity* automountServiceAccountToken containers[]:Container dnsConfig* dnsPolicy \
         enableServiceLinks ephemeralContainers[]:Ephemeral hostAliases[]:HostAlias hostIPC hostNetwork hostPID \
         hostUsers hostname hostnameOverride imagePullSecrets[]:Name initContainers[]:Container nodeName \
         nodeSelector{} os* overhead{} preemptionPolicy priority priorityClassName readinessGates[]* resourceClaims[]* \
         resources:Resources restartPolicy runtimeClassName schedulerName schedulingGates[]:Name schedulingGroup* \
         securityContext* serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain \
         terminationGracePeriodSeconds tolerations[]:Toleration topologySpreadConstraints[]:Spread volumes[]:Volume",
    ),
    (
        "Container",
        "args[] command[] env[]:EnvVar envFrom[]* image imagePullPolicy lifecycle* livenessProbe:Probe name \
         ports[]:ContainerPort readinessProbe:Probe resizePolicy[]* resources:Resources restartPolicy \
         restartPolicyRules[]* securityContext* startupProbe:Probe stdin stdinOnce terminationMessagePath \
         terminationMessagePolicy tty volumeDevices[]:Device volumeMounts[]:Mount workingDir",
    ),
    (
        "Ephemeral",
        "args[] command[] env[]:EnvVar envFrom[]* image imagePullPolicy lifecycle* livenessProbe:Probe name \
         ports[]:ContainerPort readinessProbe:Probe resizePolicy[]* resources:Resources restartPolicy \
         restartPolicyRules[]* securityContext* startupProbe:Probe stdin stdinOnce targetContainerName \
         terminationMessagePath terminationMessagePolicy tty volumeDevices[]:Device volumeMounts[]:Mount workingDir",
    ),
    ("EnvVar", "name value valueFrom*"),
    ("ContainerPort", "containerPort hostIP hostPort name protocol"),
    ("Resources", "claims[]* limits{} requests{}"),
    ("VolumeResources", "limits{} requests{}"),
    ("Device", "devicePath name"),
    ("Mount", "mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr"),
    (
        "Probe",
        "exec* failureThreshold grpc* httpGet* initialDelaySeconds periodSeconds successThreshold tcpSocket* \
         terminationGracePeriodSeconds timeoutSeconds",
    ),
    ("HostAlias", "hostnames[] ip"),
    ("Toleration", "effect key operator tolerationSeconds value"),
    (
        "Spread",
        "labelSelector:Selector matchLabelKeys[] maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey \
         whenUnsatisfiable",
    ),
    (
        "Volume",
        "awsElasticBlockStore* azureDisk* azureFile* cephfs* cinder* configMap* csi* downwardAPI* emptyDir* ephemeral* \
         fc* flexVolume* flocker* gcePersistentDisk* gitRepo* glusterfs* hostPath* image* iscsi* name nfs* \
         persistentVolumeClaim* photonPersistentDisk* portworxVolume* projected* quobyte* rbd* scaleIO* secret* \
         storageos* vsphereVolume*",
    ),
    (
        "AutoscalerSpec",
        "behavior* maxReplicas metrics[]* minReplicas scaleTargetRef:ScaleTarget targetCPUUtilizationPercentage",
    ),
    ("ScaleTarget", "apiVersion kind name"),
    ("IngressSpec", "defaultBackend:Backend ingressClassName rules[]:IngressRule tls[]:Tls"),
    ("Backend", "resource* service:BackendService"),
    ("BackendService", "name port:BackendPort"),
    ("BackendPort", "name number"),
    ("IngressRule", "host http:IngressHttp"),
    ("IngressHttp", "paths[]:IngressPath"),
    ("IngressPath", "backend:Backend path pathType"),
    ("Tls", "hosts[] secretName"),
    ("PolicySpec", "egress[]:Egress ingress[]:Ingress podSelector:Selector policyTypes[]"),
    ("Egress", "ports[]:PolicyPort to[]:Peer"),
    ("Ingress", "from[]:Peer ports[]:PolicyPort"),
    ("PolicyPort", "endPort port protocol"),
    ("Peer", "ipBlock:Block namespaceSelector:Selector podSelector:Selector"),
    ("Block", "cidr except[]"),
    ("BudgetSpec", "maxUnavailable minAvailable selector:Selector unhealthyPodEvictionPolicy"),
    ("Rule", "apiGroups[] nonResourceURLs[] resourceNames[] resources[] verbs[]"),
    ("RoleRef", "apiGroup kind name"),
    ("Subject", "apiGroup kind name namespace"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::kinds::retention::{KARMADA, Kinds, STRICT};
    use crate::value::path::RetentionPath;

    #[track_caller]
    fn check(api_version: &str, kind: &str, path: &str, want: Option<(&str, Option<&str>)>) {
        let path = RetentionPath::parse(path).unwrap();
        let found = misstep(api_version, kind, path.steps());
        let meant = |it: &Misstep| it.meant.clone().map(|it| RetentionPath::of(it).to_string());
        let found = found.map(|it| (it.message.clone(), meant(&it)));
        assert_eq!(found, want.map(|(message, meant)| (message.to_string(), meant.map(String::from))), "{path}");
    }

    #[test]
    fn every_type_that_is_named_is_there() {
        let texts = KINDS.iter().map(|(_, _, it)| *it).chain(TYPES.iter().map(|(_, it)| *it));
        for (_, name) in texts.flat_map(str::split_whitespace).filter_map(|it| it.split_once(':')) {
            assert!(TYPES.iter().any(|(it, _)| *it == name), "{name}");
        }
    }

    #[test]
    fn the_built_in_rules_lead_somewhere() {
        for rule in STRICT.rows.iter().chain(KARMADA.rows) {
            let (version, kind) = match rule.kinds {
                Kinds::InGroup("", kind) => ("v1".to_string(), kind),
                Kinds::InGroup(group, kind) => (format!("{group}/v1"), kind),
                Kinds::InVersion(version, kind) => (version.to_string(), kind),
                _ => ("apps/v1".to_string(), "Deployment"),
            };
            check(&version, kind, rule.path, None);
        }
    }

    #[test]
    fn a_misspelt_or_missing_step_has_the_path_that_was_meant() {
        let (version, kind) = ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration");
        check(version, kind, "webhooks[].clientConfig.caBundle", None);
        let meant = Some("webhooks[].clientConfig.caBundle");
        check(version, kind, "webhooks[].clientConfg.caBundle", Some(("`webhooks` has no field `clientConfg`", meant)));
        check(version, kind, "webhooks.clientConfig.caBundle", Some(("`webhooks` is a list", meant)));
        check(
            "v1",
            "ConfigMap",
            "metadata.anotations.x",
            Some(("`metadata` has no field `anotations`", Some("metadata.annotations.x"))),
        );
        check("apps/v1", "Deployment", "spec[].replicas", Some(("`spec` is not a list", Some("spec.replicas"))));
        check("apps/v1", "Deployment", "spec.replicas.x", Some(("`replicas` is a plain value", None)));
        check("apps/v1", "Deployment", "spec.zzz", Some(("`spec` has no field `zzz`", None)));
    }

    #[test]
    fn free_maps_and_unknown_kinds_have_any_field() {
        check("v1", "ConfigMap", "data.anything", None);
        check("apps/v1", "Deployment", "spec.template.spec.affinity.nodeAffinity.x", None);
        check("x.io/v1", "Deployment", "spec.zzz", None);
    }
}
