// A page that sets the element's documents and listens to its events.
const given = document.querySelector("#given");
const heard = document.querySelector("#heard");

given.documents = `
kind: Cluster
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}
---
kind: Cluster
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: us-1, namespace: acme, labels: {tier: gold}}
---
kind: PluginDefinition
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: metrics, namespace: acme}
spec:
  version: 1.0.0
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
      - {name: replicas, value: 3}
  clusterOptionOverrides:
    - clusterName: eu-1
      overrides:
        - {name: replicas, value: 5}
`.trimStart();

for (const type of ["fleetfold-ready", "fleetfold-select", "fleetfold-change", "fleetfold-error"]) {
  document.addEventListener(type, ({ target, detail }) => {
    heard.textContent = `${type} from ${target.id}: ${JSON.stringify(detail).slice(0, 200)}`;
  });
}
