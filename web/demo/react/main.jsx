// React 19 sets properties of custom elements and listens to their events itself: no wrapper, no ref.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import "fleetfold/element";

const labels = { tier: "gold" };
const metadata = (name) => ({ name, namespace: "acme" });

/** Objects as an API server returns them, not text. */
function documents(replicas) {
  const apiVersion = "greenhouse.sap/v1alpha1";
  return [
    { apiVersion, kind: "Cluster", metadata: { ...metadata("eu-1"), labels } },
    { apiVersion, kind: "Cluster", metadata: { ...metadata("us-1"), labels } },
    { apiVersion, kind: "PluginDefinition", metadata: metadata("metrics"), spec: { version: "1.0.0", options: [{ name: "replicas", type: "int", default: 2 }] } },
    {
      apiVersion,
      kind: "PluginPreset",
      metadata: metadata("metrics"),
      spec: {
        clusterSelector: { matchLabels: labels },
        plugin: { pluginDefinitionRef: { kind: "PluginDefinition", name: "metrics" }, optionValues: [{ name: "replicas", value: replicas }] },
      },
    },
  ];
}

function App() {
  const [replicas, setReplicas] = useState(3);
  const [fleet, setFleet] = useState(() => documents(3));
  const [cluster, setCluster] = useState("us-1");
  const [selection, setSelection] = useState({});
  const [shown, setShown] = useState(true);
  const change = (event) => {
    const value = Number(event.target.value);
    setReplicas(value);
    setFleet(documents(value));
  };
  return (
    <>
      <h1>React 19</h1>
      <p>
        <label>Replicas <input type="number" value={replicas} onChange={change} /></label>{" "}
        <button onClick={() => setCluster(cluster === "us-1" ? "eu-1" : "us-1")}>other cluster</button>{" "}
        <button onClick={() => setShown(!shown)}>{shown ? "take it out" : "put it back"}</button>
      </p>
      {shown && <fleetfold-preview documents={fleet} cluster={cluster} onfleetfold-select={(event) => setSelection(event.detail)} />}
      <p>Chosen: <output>{[selection.subject, selection.cluster, selection.path].filter(Boolean).join(" · ")}</output></p>
    </>
  );
}

createRoot(document.querySelector("#root")).render(<App />);
