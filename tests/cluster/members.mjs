// Makes a member known on the hub, the way the systems do whose documents we read.

const PROBED = "2026-01-01T00:00:00Z";

/**
 * As KubeFed's `kubefedctl join` does: a Secret with the token, and a KubeFedCluster that refers to it.
 *
 * `token` may be any text, so that a wrong or an expired one can be tried; `labels` are those of the cluster. `ready`
 * is what the cluster controller would have found out.
 */
export async function registerKubeFedCluster(hub, server, options = {}) {
  const { name = server.name, namespace = "kube-federation-system", labels = {}, ready = true } = options;
  const { token = server.token("runner"), apiEndpoint = server.url } = options;
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `${name}-credentials`, namespace },
    data: { token: base64(token), "ca.crt": base64(server.ca) },
  };
  const cluster = {
    apiVersion: "core.kubefed.io/v1beta1",
    kind: "KubeFedCluster",
    metadata: { name, namespace, labels },
    spec: { apiEndpoint, caBundle: base64(server.ca), secretRef: { name: secret.metadata.name } },
    status: { conditions: [kubeFedCondition(ready)] },
  };
  return hub.apply([secret, cluster]);
}

/** What KubeFed says of a cluster that it could, or could not, reach. */
export function kubeFedCondition(ready) {
  const times = { lastProbeTime: PROBED, lastTransitionTime: PROBED };
  return ready
    ? { type: "Ready", status: "True", reason: "ClusterReady", ...times }
    : { type: "Offline", status: "True", reason: "ClusterNotReachable", ...times };
}

/**
 * As Greenhouse does: a Secret with the kubeconfig under the name of the cluster, and the Cluster.
 *
 * A user brings `kubeconfig`, Greenhouse adds `greenhousekubeconfig` with its own, short-lived token.
 */
export async function registerGreenhouseCluster(hub, server, options = {}) {
  const { name = server.name, organization = "acme", labels = {}, spec = { accessMode: "direct" } } = options;
  const { token = server.token("runner") } = options;
  const kubeconfig = base64(server.kubeconfigText("runner", { token }));
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "greenhouse.sap/kubeconfig",
    metadata: { name, namespace: organization },
    data: { kubeconfig, greenhousekubeconfig: kubeconfig },
  };
  const cluster = {
    apiVersion: "greenhouse.sap/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: organization, labels },
    spec,
    status: {
      statusConditions: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: PROBED, message: "" }] },
    },
  };
  return hub.apply([secret, cluster]);
}

function base64(text) {
  return Buffer.from(text).toString("base64");
}
