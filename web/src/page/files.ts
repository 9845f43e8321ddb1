// Files as the command line reads them. Which hold manifests, settings or observed objects is for the engine to say.
import type { LoadRequest } from "../../contract.js";
import type { Engine } from "./engine.js";
import type { SetupRequest } from "./messages.js";

export interface File {
  /** The path, as locations name it. */
  name: string;
  text: string;
  /** The cluster in which the objects were observed, empty for the hub; undefined for manifests. */
  live?: string;
  /** Whether the file holds settings. */
  settings?: boolean;
}

export type Role = Pick<File, "live" | "settings">;

/** The roles of files by name, and why the others are not read. */
export interface Roles {
  roles: Map<string, Role>;
  skipped: string[];
  stray: string[];
}

/** `folders` are the folders that were given; without any, it is the folder that all files share. */
export async function rolesOf(engine: Engine, names: string[], folders: string[] = []): Promise<Roles> {
  const found: Roles = { roles: new Map(), skipped: [], stray: [] };
  if (!names.length) return found;
  const { files } = await engine.ask({ op: "sources", files: names, ...(folders.length ? { folders } : {}) });
  for (const { file, role, live } of files) {
    if (role === "skipped" || role === "stray") found[role].push(file);
    else
      found.roles.set(file, {
        ...(live === undefined ? {} : { live }),
        ...(role === "settings" ? { settings: true } : {}),
      });
  }
  return found;
}

/** Files with their roles, whatever their names: those that are not read in a folder hold manifests. */
export async function filesOf(engine: Engine, texts: [string, string][], folders: string[] = []): Promise<File[]> {
  const names = texts.map(([name]) => name);
  const { roles } = await rolesOf(engine, names, folders);
  return texts.map(([name, text]) => ({ name, text, ...roles.get(name) }));
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

/**
 * The `configure` request of a parsed `fleetfold.yaml`. Its only document is of the kind `Settings` of `fleetfold.dev`;
 * otherwise it holds manifests. The same rule is `settings_of` in `core/src/object/folder.rs`.
 */
export function settingsRequest(documents: unknown[]): SetupRequest | undefined {
  const [only, ...others] = documents as ({ apiVersion?: unknown; kind?: unknown; spec?: object } | null)[];
  const isOurs = typeof only?.apiVersion === "string" && only.apiVersion.startsWith("fleetfold.dev/");
  if (!isOurs || only.kind !== "Settings" || others.length) return undefined;
  return { ...only.spec, op: "configure" } as SetupRequest;
}

// The names below are `LIVE` and `HUB` in `core/src/object/folder.rs`. The op `sources` decides which files hold
// observed objects; here the names only name and title files.
const LIVE = "live";
const HUB = "_hub";

/** The name of a file for objects observed in a cluster, or in the hub if the name is empty. */
export function liveFile(cluster: string, file: string): string {
  return `${LIVE}/${cluster || HUB}/${file}`;
}

/** The folder around `live/` of a file of observed objects, and its path below that; nothing without a `live/`. */
export function splitLive(name: string): { above: string; below: string } | undefined {
  const parts = name.split("/");
  const live = parts.lastIndexOf(LIVE, parts.length - 3);
  if (live < 0) return undefined;
  const [folder, ...rest] = parts.slice(live + 1);
  return {
    above: parts.slice(0, live).join("/"),
    below: [folder === HUB ? "hub" : folder, ...rest].join("/"),
  };
}
