// The sources of documents: an example of the page, the server behind it, a shared link, or local files.
import type { Configure, Finding, Load } from "../../contract.js";
import type { Engine } from "./engine.js";
import { type File, filesOf } from "./files.js";

/** The documents before any edit. */
export interface Source {
  /**
   * `example:mixed`, `served`, `link` or `own`. A shared link stores the name of an example instead of its documents.
   */
  id: string;
  title: string;
  files: File[];
  /** The clusters whose observed objects are complete. */
  complete: string[];
  /** Further facts from a server: absent objects and unreachable clusters. */
  facts: Load[];
  /** Settings that are in no file. */
  settings?: Configure[];
  /** Whether Secrets hold digests instead of their values. */
  masked?: boolean;
  /** The digest of the plan over the real Secrets, which only the server has. */
  digest?: string;
  /** The server's diagnostics for its documents. */
  diagnostics?: Finding[];
}

export interface Example {
  name: string;
  title: string;
  about: string;
}

/** The examples of the page; `build.mjs` builds them from `examples/`. */
export const EXAMPLES: Example[] = [
  { name: "mixed", title: "Mixed fleet", about: "all five systems at once" },
  { name: "greenhouse", title: "Greenhouse", about: "presets, overrides, catalogs" },
  { name: "ocm", title: "Open Cluster Management", about: "sets, placements, label permissions" },
  { name: "kubefed", title: "KubeFed", about: "per-cluster patches, retained values" },
  { name: "kudo", title: "KUDO", about: "objects shared between owners" },
  { name: "certmanager", title: "cert-manager", about: "updates kind by kind" },
  { name: "thousand", title: "1,000 clusters", about: "a large mixed fleet" },
];

export async function fetchExample(engine: Engine, name: string): Promise<Source> {
  const known = EXAMPLES.find((it) => it.name === name) ?? EXAMPLES[0]!;
  const response = await fetch(new URL(`examples/${known.name}.json`, document.baseURI));
  if (response.status === 401)
    throw new Error("the server was started again with another token: open the address that it printed");
  if (!response.ok) throw new Error(`the example ${known.title} is not there (${response.status})`);
  const texts = Object.entries((await response.json()) as Record<string, string>);
  // The mixed fleet has a folder for each of the systems.
  const folders = known.name === "mixed" ? new Set(texts.map(([path]) => path.split("/")[0]!)) : [];
  return {
    ...localSource(await filesOf(engine, texts, [...folders])),
    id: `example:${known.name}`,
    title: known.title,
  };
}

/** A source of local files. */
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

/** Fetches the fleet of the server and its revision. */
export async function fetchServedFleet(): Promise<{ source: Source; revision: string }> {
  const response = await fetch("v1/fleet");
  if (!response.ok) throw new Error(`the server did not return its fleet (${response.status})`);
  const fleet = (await response.json()) as Served;
  const isFile = (load: Load) => load.text !== undefined && load.file !== undefined;
  const isAll = (load: Load) => load.complete === true && load.query === undefined && load.documents?.length === 0;
  const files = fleet.loads
    .filter(isFile)
    .map((it): File => ({ name: it.file!, text: it.text!, ...(it.live === undefined ? {} : { live: it.live }) }));
  const settings = fleet.configure ?? [];
  const written = settings.flatMap((it): File[] =>
    it.file === undefined || it.text === undefined ? [] : [{ name: it.file, text: it.text, settings: true }],
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

/** The server behind the page: with a fleet, with calls only, or a plain file server. */
export function serverMode(): "fleet" | "call" | "" {
  const said = document.querySelector<HTMLMetaElement>('meta[name="fleetfold-serve"]')?.content;
  return said === "fleet" || said === "call" ? said : "";
}
