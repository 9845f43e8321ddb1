//! The rows: from the Go types of Kubernetes 1.36 (k8s.io/api, apiextensions-apiserver) and its defaulting functions.

use super::Filled::{self, Allocated, Computed, With};

/// The groups whose kinds are Go structs in the API server. Some groups that end in `.k8s.io` are custom resources.
pub const BUILT_IN: &[&str] = &[
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    RBAC,
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

const RBAC: &str = "rbac.authorization.k8s.io";
const WORKLOADS: &[&str] = &["", "apps", "batch"];

/// Fields of the metadata of every kind that are left out when they are empty.
pub const METADATA: &[&str] = &["annotations", "finalizers", "generateName", "labels", "namespace", "ownerReferences"];

/// Fields of the metadata that the API server sets, whatever is sent.
pub const SERVER_SET: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Maps whose keys somebody chose, by their last steps; without kinds, of all of them.
pub const FREE_KEYS: &[(&[&str], &str)] = &[
    (&[], "annotations"),
    (&[], "binaryData"),
    (&[], "capacity"),
    (&[], "data"),
    (&[], "defaultRequest"),
    (&[], "flexVolume.options"),
    (&[], "hard"),
    (&[], "labels"),
    (&[], "limits.default"),
    (&[], "matchLabels"),
    (&[], "max"),
    (&[], "maxLimitRequestRatio"),
    (&[], "min"),
    (&[], "nodeSelector"),
    (&[], "overhead"),
    (&[], "podFixed"),
    (&[], "requests"),
    (&[], "resources.limits"),
    (&[], "stringData"),
    (&[], "userAnnotations"),
    (&[], "volumeAttributes"),
    (&["ReplicationController", "Service"], "spec.selector"),
    (&["StorageClass"], "parameters"),
];

/// Fields that are Go pointers: an empty value, zero or false in them is stored, and often differs from none.
pub const KEPT: &str = "\
    activeDeadlineSeconds additionalItems additionalProperties affinity aggregationRule allocateLoadBalancerNodePorts \
    allowPrivilegeEscalation allowVolumeExpansion appArmorProfile appProtocol attachRequired \
    automountServiceAccountToken averageUtilization backoffLimit backoffLimitPerIndex behavior borrowingLimitPercent \
    capabilities claimRef clientIP completionMode completions configMap conversion count csi dataSource dataSourceRef \
    defaultBackend defaultMode deprecationWarning dnsConfig downwardAPI emptyDir enableServiceLinks endPort ephemeral \
    exec exempt expirationSeconds external failedJobsHistoryLimit failurePolicy fsGroup fsGroupChangePolicy \
    fsGroupPolicy grpc holderIdentity hostPath hostProcess hostUsers http httpGet immutable ingressClassName \
    internalTrafficPolicy ipBlock ipFamilyPolicy labelSelector labelSelectorPath leaseDurationSeconds leaseTransitions \
    lendablePercent lifecycle limited livenessProbe loadBalancerClass local localhostProfile managedBy manualSelector \
    matchConstraints matchPolicy matchResources maxExpirationSeconds maxFailedIndexes maxItems maxLength maxProperties \
    maxSurge maxUnavailable maximum minAvailable minDomains minItems minLength minProperties minReplicas minimum mode \
    mountPropagation multipleOf namespaceSelector nfs nodeAffinity nodeAffinityPolicy \
    nodeAllocatableUpdatePeriodSeconds nodeTaintsPolicy nominalConcurrencyShares not objectSelector onExitCodes \
    openAPIV3Schema optional optionalOldSelf ordinals os parallelism paramKind paramRef parameterNotFoundAction \
    partition pathType persistentVolumeClaim persistentVolumeClaimRetentionPolicy podAffinity podAntiAffinity \
    podFailurePolicy podInfoOnMount podReplacementPolicy podSelector postStart preStop preemptionPolicy \
    privileged procMount progressDeadlineSeconds projected queuing readOnlyRootFilesystem readinessProbe reclaimPolicy \
    recursiveReadOnly reinvocationPolicy replicas requiresRepublish revisionHistoryLimit rollingUpdate runAsGroup \
    runAsNonRoot runAsUser runAsUserName runtimeClassName scale scaleDown scaleUp scheduling schema scopeSelector \
    seLinuxChangePolicy seLinuxMount seLinuxOptions seccompProfile secret securityContext selectPolicy selector \
    serviceAccountToken sessionAffinityConfig setHostnameAsFQDN shareProcessNamespace sideEffects sizeLimit sleep \
    stabilizationWindowSeconds startingDeadlineSeconds startupProbe status stopSignal storageCapacity storageClassName \
    subresources succeededCount successPolicy successfulJobsHistoryLimit supplementalGroupsPolicy suspend \
    targetCPUUtilizationPercentage tcpSocket terminationGracePeriodSeconds timeZone tolerationSeconds \
    trafficDistribution ttlSecondsAfterFinished unhealthyPodEvictionPolicy valueFrom volumeAttributesClassName \
    volumeBindingMode volumeClaimTemplate volumeMode webhook windowsOptions x-kubernetes-list-type \
    x-kubernetes-map-type x-kubernetes-preserve-unknown-fields";

/// The same names where they are not pointers, by kind.
pub const NOT_POINTERS: &[(&[&str], &str)] = &[
    (&["ReplicationController", "Service"], "spec.selector"),
    (&["PersistentVolume"], "spec.storageClassName"),
    (&["VolumeAttachment"], "inlineVolumeSpec.storageClassName"),
];

/// Paths of quantities, by their last steps; `*` is any name.
pub const QUANTITIES: &[&str] = &[
    "capacity",
    "capacity.*",
    "emptyDir.sizeLimit",
    "limits.default.*",
    "limits.defaultRequest.*",
    "limits.max.*",
    "limits.maxLimitRequestRatio.*",
    "limits.min.*",
    "maximumVolumeSize",
    "overhead.podFixed.*",
    "resourceFieldRef.divisor",
    "resources.limits.*",
    "resources.requests.*",
    "scaleDown.tolerance",
    "scaleUp.tolerance",
    "spec.hard.*",
    "spec.overhead.*",
    "target.averageValue",
    "target.value",
];

/// Groups, kinds, the last steps of the path, and what the API server makes of an empty value there.
type FilledRow = (&'static [&'static str], &'static [&'static str], &'static str, Filled);

pub const FILLED: &[FilledRow] = &[
    (&[""], &["Service"], "spec.clusterIP", Allocated),
    (&[""], &["Service"], "spec.clusterIPs", Allocated),
    (&[""], &["Service"], "spec.externalTrafficPolicy", With("Cluster")),
    (&[""], &["Service"], "spec.healthCheckNodePort", Allocated),
    (&[""], &["Service"], "spec.ipFamilies", Allocated),
    (&[""], &["Service"], "spec.ports.nodePort", Allocated),
    (&[""], &["Service"], "spec.ports.protocol", With("TCP")),
    (&[""], &["Service"], "spec.ports.targetPort", Computed),
    (&[""], &["Service"], "spec.sessionAffinity", With("None")),
    (&[""], &["Service"], "spec.type", With("ClusterIP")),
    (&[""], &["Namespace"], "spec.finalizers", Computed),
    (&[""], &["PersistentVolume"], "spec.persistentVolumeReclaimPolicy", With("Retain")),
    (&[""], &["Pod"], "spec.nodeName", Computed),
    (&[""], &["Pod"], "spec.serviceAccountName", With("default")),
    (&[""], &["Secret"], "type", With("Opaque")),
    (WORKLOADS, &[], "containers.imagePullPolicy", Computed),
    (WORKLOADS, &[], "initContainers.imagePullPolicy", Computed),
    (WORKLOADS, &[], "dnsPolicy", With("ClusterFirst")),
    (WORKLOADS, &[], "failureThreshold", With("3")),
    (WORKLOADS, &[], "fieldRef.apiVersion", With("v1")),
    (WORKLOADS, &[], "httpGet.path", With("/")),
    (WORKLOADS, &[], "httpGet.scheme", With("HTTP")),
    (WORKLOADS, &[], "periodSeconds", With("10")),
    (WORKLOADS, &[], "ports.protocol", With("TCP")),
    (WORKLOADS, &[], "spec.restartPolicy", With("Always")),
    (WORKLOADS, &[], "schedulerName", With("default-scheduler")),
    (WORKLOADS, &[], "successThreshold", With("1")),
    (WORKLOADS, &[], "terminationMessagePath", With("/dev/termination-log")),
    (WORKLOADS, &[], "terminationMessagePolicy", With("File")),
    (WORKLOADS, &[], "livenessProbe.timeoutSeconds", With("1")),
    (WORKLOADS, &[], "readinessProbe.timeoutSeconds", With("1")),
    (WORKLOADS, &[], "startupProbe.timeoutSeconds", With("1")),
    (&["apiextensions.k8s.io"], &[], "conversion.strategy", With("None")),
    (&["apiextensions.k8s.io"], &[], "names.listKind", Computed),
    (&["apiextensions.k8s.io"], &[], "names.singular", Computed),
    (&["apps"], &[], "spec.podManagementPolicy", With("OrderedReady")),
    (&["apps"], &[], "strategy.type", With("RollingUpdate")),
    (&["apps"], &[], "updateStrategy.type", With("RollingUpdate")),
    (&["autoscaling"], &[], "spec.metrics", Computed),
    (&["batch"], &["CronJob"], "spec.concurrencyPolicy", With("Allow")),
    (&["networking.k8s.io"], &["NetworkPolicy"], "spec.policyTypes", Computed),
    (&[RBAC], &[], "roleRef.apiGroup", With(RBAC)),
    (&[RBAC], &[], "subjects.apiGroup", With(RBAC)),
];
