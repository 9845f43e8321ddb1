// Empty states with documents to start from.
import { html } from "lit";

export function noSubjects() {
  return html`<div class="empty">
    <p>
      Here stands what one cluster gets and who decides over each value. Three documents are enough for a start: a
      cluster, what can be set, and a preset that sets it.
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
    <p>${subject} picks no cluster. A cluster is picked when its labels are what the selector asks for:</p>
    <pre tabindex="0" role="region" aria-label="Example of a selector">
kind: Cluster
metadata: {name: eu-1, labels: {tier: gold}}
---
spec:
  clusterSelector:
    matchLabels: {tier: gold}</pre>
    <p>Choose a cluster above to see which requirement does not hold.</p>
  </div>`;
}
