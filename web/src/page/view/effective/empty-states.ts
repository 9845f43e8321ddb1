// Empty states with documents to start from.
import { html } from "lit";

export function noSubjects() {
  return html`<div class="empty">
    <p>
      This column shows the values of one cluster, and the layer that sets each of them. Three documents are enough to
      start: a cluster, a definition of options, and a preset that sets them.
    </p>
    <pre tabindex="0" role="region" aria-label="Example documents">
kind: Cluster
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}
---
kind: PluginDefinition
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: metrics, namespace: acme}
spec:
  options:
    - {name: replicas, type: int, default: 2}
---
kind: PluginPreset
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: metrics, namespace: acme}
spec:
  clusterSelector: {matchLabels: {tier: gold}}
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
    optionValues:
      - {name: replicas, value: 3}</pre>
  </div>`;
}

export function noClustersSelected(subject: string) {
  return html`<div class="empty">
    <p>${subject} selects no cluster. It selects a cluster when its labels match the selector:</p>
    <pre tabindex="0" role="region" aria-label="Example of a selector">
kind: Cluster
metadata: {name: eu-1, labels: {tier: gold}}
---
spec:
  clusterSelector:
    matchLabels: {tier: gold}</pre>
    <p>Select a cluster above to see which requirement does not match.</p>
  </div>`;
}
