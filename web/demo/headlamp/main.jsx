// Opens the page of a cluster as Headlamp does: plugins first, then the page.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { DetailsView } from "./headlamp.jsx";
import { objects } from "./objects.js";
import "./plugin.jsx";

const clusters = objects.filter((it) => it.kind === "Cluster");

function Page() {
  const [name, setName] = useState(clusters[0].metadata.name);
  return (
    <>
      <nav>{clusters.map(({ metadata }) => <button key={metadata.name} aria-pressed={metadata.name === name} onClick={() => setName(metadata.name)}>{metadata.name}</button>)}</nav>
      <DetailsView resource={clusters.find((it) => it.metadata.name === name)} />
    </>
  );
}

createRoot(document.querySelector("#root")).render(<Page />);
