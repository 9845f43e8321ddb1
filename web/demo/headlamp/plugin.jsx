// A details section for a cluster in Headlamp: its effective values and their origins. Written against Headlamp's
// plugin API; this demo runs it only on the stand-in `headlamp.jsx`.
import { ApiProxy, registerDetailsViewSection } from "@kinvolk/headlamp-plugin/lib";
import { SectionBox } from "@kinvolk/headlamp-plugin/lib/CommonComponents";
import { useEffect, useState } from "react";
import "fleetfold/element";

const GROUP = "/apis/greenhouse.sap/v1alpha1";
const KINDS = ["clusters", "organizations", "plugindefinitions", "clusterplugindefinitions", "pluginpresets", "pluginoverrides"];

function FleetSection({ resource }) {
  const [documents, setDocuments] = useState();
  const [problem, setProblem] = useState();
  useEffect(() => {
    Promise.all(KINDS.map((it) => ApiProxy.request(`${GROUP}/${it}`)))
      .then((lists) => setDocuments(lists.flatMap((list) => list.items)))
      .catch((error) => setProblem(String(error)));
  }, []);
  if (problem) return <SectionBox title="Fleet">{problem}</SectionBox>;
  return (
    <SectionBox title="Fleet">
      <fleetfold-preview documents={documents} cluster={resource.metadata.name} />
    </SectionBox>
  );
}

registerDetailsViewSection(({ resource }) => (resource?.kind === "Cluster" ? <FleetSection resource={resource} /> : null));
