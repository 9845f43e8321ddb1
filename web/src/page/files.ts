// Files as the command line reads them: `live/<cluster>/` holds all objects observed in a cluster, `live/_hub/` those
// of the hub, `fleetfold.yaml` holds settings.
import type { LoadRequest } from "../../contract.js";
import type { SetupRequest } from "./messages.js";

export interface File {
  /** The path, as locations name it. */
  name: string;
  text: string;
  /** The cluster in which the objects were observed, empty for the hub; undefined for manifests. */
  live?: string;
}

const DOCUMENT = /\.(ya?ml|json)$/i;
const OBSERVED = /(?:^|\/)live\/([^/]+)\/[^/]/;
const SETTINGS = /(?:^|\/)fleetfold\.yaml$/;

export function isDocument(name: string): boolean {
  return DOCUMENT.test(name) && !name.split("/").some((it) => it.startsWith("."));
}

export function fileOf(name: string, text: string): File {
  const cluster = OBSERVED.exec(name)?.[1];
  return cluster === undefined ? { name, text } : { name, text, live: cluster === "_hub" ? "" : cluster };
}

export function isSettings(name: string): boolean {
  return SETTINGS.test(name);
}

/** Loads the documents of one file. Observed objects are loaded by `observedLoads`. */
export function loadRequest(file: File): LoadRequest {
  return { op: "load", file: file.name, text: file.text, whole: true };
}

/** Loads the observed objects of a cluster. If they are complete, all others are absent. */
export function observedLoads(cluster: string, files: Iterable<File>, complete: boolean): LoadRequest[] {
  const nothing: LoadRequest = { op: "load", documents: [], live: cluster, complete: true };
  const of = [...files].filter((it) => it.live === cluster);
  return [
    ...(complete ? [nothing] : []),
    ...of.map((it): LoadRequest => ({ op: "load", file: it.name, text: it.text, live: cluster })),
  ];
}

/** The `configure` request of a parsed `fleetfold.yaml`. */
export function settingsRequest(documents: unknown[]): SetupRequest | undefined {
  const [first] = documents as { kind?: unknown; spec?: object }[];
  return first?.kind === "Settings" ? ({ ...first.spec, op: "configure" } as SetupRequest) : undefined;
}
