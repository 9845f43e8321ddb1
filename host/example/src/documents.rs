//! The documents that are the same in a fleet of any size.

/// The organization, whose overrides reach all plugins.
pub const ORGANIZATION: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: Organization
metadata:
  name: acme
spec:
  displayName: Acme
  mappedOrgAdminIdPGroup: ACME_ADMIN
  pluginOverrides:
  - path: retention.days
    value: 30
";

/// What the presets install, with the defaults of its options.
pub const DEFINITION: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata:
  name: metrics
  namespace: acme
spec:
  version: 1.4.0
  helmChart:
    name: metrics
    repository: https://charts.example.test
    version: 9.1.0
  options:
  - name: replicas
    type: int
    default: 2
  - name: image.tag
    type: string
    required: true
  - name: logLevel
    type: string
    default: info
  - name: retention.days
    type: int
    default: 14
  - name: ingress.annotations
    type: map
    default:
      team: core
  - name: remote.password
    type: secret
    required: true
";

/// Overrides by cluster, by definition, and by both.
pub const OVERRIDES: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginOverride
metadata:
  name: dev-talks
  namespace: acme
  creationTimestamp: \"2026-01-01T00:00:00Z\"
spec:
  clusterSelector:
    labelSelector:
      matchLabels:
        environment: dev
  overrides:
  - path: logLevel
    value: debug
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginOverride
metadata:
  name: metrics-quiet
  namespace: acme
  creationTimestamp: \"2026-01-02T00:00:00Z\"
spec:
  pluginDefinitionNames:
  - metrics
  overrides:
  - path: ingress.annotations
    value:
      team: metrics
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginOverride
metadata:
  name: gold-in-production
  namespace: acme
  creationTimestamp: \"2026-01-03T00:00:00Z\"
spec:
  pluginDefinitionNames:
  - metrics
  clusterSelector:
    labelSelector:
      matchLabels:
        environment: prod
        tier: gold
  overrides:
  - path: replicas
    value: 3
";

/// A set by selector, and who may put clusters into one of the others.
pub const SELECTED_SETS: &str = "\
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata:
  name: production
spec:
  clusterSelector:
    selectorType: LabelSelector
    labelSelector:
      matchLabels:
        environment: prod
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: set-00-labels
rules:
- apiGroups:
  - cluster.open-cluster-management.io
  resources:
  - managedclusters/label
  resourceNames:
  - cluster.open-cluster-management.io/clusterset:set-00
  verbs:
  - create
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: set-00-labels
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: set-00-labels
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: team-00
";

/// Production clusters in Europe, the bronze ones first.
pub const PLACEMENT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata:
  name: production
  namespace: shop
spec:
  clusterSet: production
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata:
  name: web
  namespace: shop
spec:
  clusterSets:
  - production
  predicates:
  - requiredClusterSelector:
      labelSelector:
        matchExpressions:
        - key: region
          operator: In
          values:
          - eu-west
          - eu-north
        - key: team
          operator: NotIn
          values:
          - team-07
  decisionStrategy:
    groupStrategy:
      decisionGroups:
      - groupName: canary
        groupClusterSelector:
          labelSelector:
            matchLabels:
              tier: bronze
      clustersPerDecisionGroup: 25%
";

/// A Deployment that is federated, up to its overrides; its members scale it themselves.
pub const FEDERATED_TYPES: &str = "\
apiVersion: core.kubefed.io/v1beta1
kind: FederatedTypeConfig
metadata:
  name: deployments.apps
  namespace: kube-federation-system
spec:
  targetType:
    group: apps
    kind: Deployment
    pluralName: deployments
    scope: Namespaced
    version: v1
  federatedType:
    group: types.kubefed.io
    kind: FederatedDeployment
    pluralName: federateddeployments
    scope: Namespaced
    version: v1beta1
  propagation: Enabled
  retention:
    fields:
    - spec.replicas
---
apiVersion: core.kubefed.io/v1beta1
kind: FederatedTypeConfig
metadata:
  name: namespaces
  namespace: kube-federation-system
spec:
  targetType:
    kind: Namespace
    pluralName: namespaces
    scope: Cluster
    version: v1
  federatedType:
    group: types.kubefed.io
    kind: FederatedNamespace
    pluralName: federatednamespaces
    scope: Namespaced
    version: v1beta1
  propagation: Enabled
---
apiVersion: v1
kind: Namespace
metadata:
  name: shop
---
apiVersion: types.kubefed.io/v1beta1
kind: FederatedNamespace
metadata:
  name: shop
  namespace: shop
spec:
  placement:
    clusterSelector:
      matchExpressions:
      - key: environment
        operator: Exists
---
apiVersion: types.kubefed.io/v1beta1
kind: FederatedDeployment
metadata:
  name: web
  namespace: shop
spec:
  template:
    metadata:
      labels:
        app: web
    spec:
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
            image: example.test/shop/web:1.1.0
            ports:
            - containerPort: 8080
  placement:
    clusterSelector:
      matchExpressions:
      - key: environment
        operator: Exists
";
