// Files as the command line reads them: `live/<cluster>/` is what was seen in a cluster, all of it; `live/_hub/` is the hub; a
// `fleetfold.yaml` holds settings.
import type { LoadRequest } from "../../contract.js";
import type { SetupRequest } from "./messages.js";

export interface File {
  /** The path, as places name it. */
  name: string;
  text: string;
  /** The cluster in which it was seen, empty for the hub; nothing for what people wrote. */
  live?: string;
}

const DOCUMENT = /\.(ya?ml|json)$/i;
const OBSERVED = /(?:^|\/)live\/([^/]+)\/[^/]/;
const SETTINGS = /(?:^|\/)fleetfold\.yaml$/;

export function isDocument(name: string): boolean {
  return DOCUMENT.test(name) && !name.split("/").some((it) => it.startsWith("."));
}

/** A file by its path and text. */
export function fileOf(name: string, text: string): File {
  const cluster = OBSERVED.exec(name)?.[1];
  return cluster === undefined ? { name, text } : { name, text, live: cluster === "_hub" ? "" : cluster };
}

export function isSettings(name: string): boolean {
  return SETTINGS.test(name);
}

/** What a workspace is told about one file. Its cluster, where it was seen in one, is told by `seen`. */
export function loadRequest(file: File): LoadRequest {
  return { op: "load", file: file.name, text: file.text, whole: true };
}

/** What was seen in a cluster: its files, and if everything is known of it, nothing else. */
export function observedLoads(cluster: string, files: Iterable<File>, complete: boolean): LoadRequest[] {
  const nothing: LoadRequest = { op: "load", documents: [], live: cluster, complete: true };
  const of = [...files].filter((it) => it.live === cluster);
  return [
    ...(complete ? [nothing] : []),
    ...of.map((it): LoadRequest => ({ op: "load", file: it.name, text: it.text, live: cluster })),
  ];
}

/** The settings in a `fleetfold.yaml` that was parsed. */
export function settingsRequest(documents: unknown[]): SetupRequest | undefined {
  const [first] = documents as { kind?: unknown; spec?: object }[];
  return first?.kind === "Settings" ? ({ ...first.spec, op: "configure" } as SetupRequest) : undefined;
}
