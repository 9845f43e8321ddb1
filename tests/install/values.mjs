import { DIALECTS } from "./render.mjs";

/** Values that between them reach every line of the templates. */
export const SETS = {
  "the defaults": {},
  "no webhook": { "webhook.enabled": false },
  "a certificate of cert-manager": { "webhook.certificate.mode": "cert-manager" },
  "a certificate of an issuer": {
    "webhook.certificate": { mode: "cert-manager", issuerRef: { name: "corporate", kind: "ClusterIssuer" } },
  },
  "a certificate in a secret": { "webhook.certificate": { mode: "secret", secretName: "mine", caBundle: "QUJD" } },
  "limits on changes": { "webhook.limits": { maxDeletes: 0, maxDeletePercent: 5, maxChanges: 1000000 } },
  "a second engine": { "runner.extraArgs": ["--shadow=/module/next.wasm"] },
  "a digest key in a secret": { "runner.digestKey": { mode: "secret", secretName: "mine" } },
  "no digest key": { "runner.digestKey.mode": "none" },
  "no roles": { "rbac.create": false },
  "a user that the cluster picks": { podUser: null },
  "narrow rights": {
    "dialects.certmanager": true,
    "rbac.secretNamespaces": ["acme", "kube-federation-system"],
    "rbac.secrets": [{ namespace: "shop", names: ["eu-1", "eu-2"] }],
    "rbac.certManagerNamespaces": ["cert-manager"],
  },
  "wide rights": {
    "dialects.certmanager": true,
    "rbac.secretsEverywhere": true,
    "rbac.certManagerEverywhere": true,
    "rbac.installRoles": true,
    "rbac.clusterAdmin": true,
  },
  "certificates of clients": { "webhook.clientCAConfigMap": "api-server-ca" },
  "no network policies": { "networkPolicy.enabled": false },
  "rights for what is installed": {
    "rbac.installs": [
      {
        apiGroups: ["apps"],
        resources: ["statefulsets"],
        verbs: ["get", "list", "watch", "create", "patch", "delete"],
        namespaces: ["databases", "queues"],
      },
      { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["get", "create"] },
    ],
  },
  everything: {
    imagePullSecrets: [{ name: "pull" }],
    "image.digest": `sha256:${"a".repeat(64)}`,
    runner: {
      replicas: 3,
      planName: "fleet",
      requireApproval: true,
      dryRun: true,
      podRefresher: true,
      limits: { maxDeletes: 0, maxDeletePercent: 5, maxChanges: 1000000 },
      deleteWindow: "30m",
      protect: ["Service", "Ingress"],
      unprotect: ["Secret"],
      resync: "90m",
      reconcileTokenSecret: "reconcile",
      engineMemoryMiB: 2048,
      logLevel: "debug",
      extraArgs: ["--module=/module/engine.wasm"],
      extraVolumes: [{ name: "module", configMap: { name: "module" } }],
      extraVolumeMounts: [{ name: "module", mountPath: "/module" }],
      serviceAccount: { annotations: { a: "1" } },
      podAnnotations: { b: "2" },
      podLabels: { c: "3" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "hub", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "system-cluster-critical",
    },
    "webhook.podAnnotations": { d: "4" },
    "webhook.podLabels": { e: "5" },
    "webhook.serviceAccount.annotations": { f: "6" },
    "webhook.extraArgs": ["--log-level=warn"],
    "webhook.timeoutSeconds": 3,
    "metrics.serviceMonitor": { enabled: true, interval: "10s", labels: { release: "prometheus" } },
    networkPolicy: { enabled: true, metricsFrom: [{ namespaceSelector: {} }] },
  },
  ...Object.fromEntries(DIALECTS.map((it) => [`${it} off`, { [`dialects.${it}`]: false }])),
  ...Object.fromEntries(DIALECTS.map((it) => [`only ${it}`, { dialects: only(it) }])),
};

export function only(...dialects) {
  return Object.fromEntries(DIALECTS.map((it) => [it, dialects.includes(it)]));
}
