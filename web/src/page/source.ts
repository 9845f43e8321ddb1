// Where the documents come from: an example that is part of the page, a server behind it, or a link that somebody shared.
import type { Configure, Finding, Load } from "../../contract.js";
import { type File, fileOf } from "./files.js";

/** What is loaded before anybody edits. */
export interface Source {
  /** `example:mixed`, `served`, `link` or `own`: what a shared link says instead of the documents. */
  id: string;
  title: string;
  files: File[];
  /** The clusters of which everything is known. */
  complete: string[];
  /** What else a server knows of its clusters: what is not there, and who does not answer. */
  facts: Load[];
  /** Settings that are in no file. */
  settings?: Configure[];
  /** Whether Secrets hold digests in place of their values. */
  masked?: boolean;
  /** The digest of the plan over the real Secrets, where the server alone has those. */
  digest?: string;
  /** What the server met on the way to its documents. */
  diagnostics?: Finding[];
}

export interface Example {
  name: string;
  title: string;
  about: string;
}

/** The examples of the page, by their place in `examples/`. Made by `build.mjs`. */
export const EXAMPLES: Example[] = [
  { name: "mixed", title: "Mixed fleet", about: "all five systems at once" },
  { name: "greenhouse", title: "Greenhouse", about: "presets, overrides, catalogs" },
  { name: "ocm", title: "Open Cluster Management", about: "sets, placements, label permissions" },
  { name: "kubefed", title: "KubeFed", about: "per-cluster patches, retained values" },
  { name: "kudo", title: "KUDO", about: "objects shared between owners" },
  { name: "certmanager", title: "cert-manager", about: "updates kind by kind" },
  { name: "thousand", title: "1,000 clusters", about: "a large mixed fleet" },
];

export async function fetchExample(name: string): Promise<Source> {
  const known = EXAMPLES.find((it) => it.name === name) ?? EXAMPLES[0]!;
  const response = await fetch(new URL(`examples/${known.name}.json`, document.baseURI));
  if (!response.ok) throw new Error(`the example ${known.title} is not there (${response.status})`);
  const texts = (await response.json()) as Record<string, string>;
  return {
    ...localSource(Object.entries(texts).map(([path, text]) => fileOf(path, text))),
    id: `example:${known.name}`,
    title: known.title,
  };
}

/** Documents that somebody brought along. */
export function localSource(files: File[]): Source {
  return {
    id: "own",
    title: files.length === 1 ? files[0]!.name : `${files.length} files`,
    files,
    complete: observedClusters(files),
    facts: [],
  };
}

function observedClusters(files: File[]): string[] {
  return [...new Set(files.flatMap((it) => (it.live === undefined ? [] : [it.live])))];
}

interface Served {
  source: { kind: string; name: string; masked?: boolean };
  revision: string;
  loads: Load[];
  configure?: { file?: string; text?: string; configure: Configure }[];
  diagnostics?: Finding[];
  digest?: string;
}

/** What the server behind the page has, and its revision. */
export async function fetchServedFleet(): Promise<{ source: Source; revision: string }> {
  const response = await fetch("v1/fleet");
  if (!response.ok) throw new Error(`the server does not give its fleet (${response.status})`);
  const fleet = (await response.json()) as Served;
  const isFile = (load: Load) => load.text !== undefined && load.file !== undefined;
  const isAll = (load: Load) => load.complete === true && load.query === undefined && load.documents?.length === 0;
  const files = fleet.loads
    .filter(isFile)
    .map((it): File => ({ name: it.file!, text: it.text!, ...(it.live === undefined ? {} : { live: it.live }) }));
  const settings = fleet.configure ?? [];
  const written = settings.flatMap((it): File[] =>
    it.file === undefined || it.text === undefined ? [] : [{ name: it.file, text: it.text }],
  );
  return {
    revision: fleet.revision,
    source: {
      id: "served",
      title: fleet.source.name,
      files: [...written, ...files],
      complete: fleet.loads.filter(isAll).map((it) => it.live!),
      facts: fleet.loads.filter((it) => !isFile(it) && !isAll(it)),
      settings: settings.filter((it) => it.file === undefined).map((it) => it.configure),
      diagnostics: fleet.diagnostics ?? [],
      ...(fleet.source.masked ? { masked: true } : {}),
      ...(fleet.digest === undefined ? {} : { digest: fleet.digest }),
    },
  };
}

/** What stands behind the page: a fleet, only the calls, or nothing but a file server. */
export function serverMode(): "fleet" | "call" | "" {
  const said = document.querySelector<HTMLMetaElement>('meta[name="fleetfold-serve"]')?.content;
  return said === "fleet" || said === "call" ? said : "";
}
