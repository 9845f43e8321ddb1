// Groups files by folder; observed objects are separate from manifests.
import { clusterName, pluralize } from "../../../format.js";
import { splitLive } from "../../files.js";
import type { FileState } from "../../state.js";

export interface Folder {
  id: string;
  title: string;
  /** The number of clusters that the files were observed in; 0 for manifests. */
  observedIn: number;
  files: { name: string; title: string; file: FileState }[];
}

/** A folder with more observed files is initially folded. */
const FOLD_ABOVE = 6;

export function foldersOf(files: Iterable<FileState>): Folder[] {
  const folders = new Map<string, Folder>();
  for (const file of files) {
    const parts = file.name.split("/");
    const observed = file.live === undefined ? undefined : (splitLive(file.name) ?? { above: "", below: file.name });
    const above = observed?.above ?? parts.slice(0, -1).join("/");
    const id = observed ? `${above}/live` : above;
    let folder = folders.get(id);
    if (!folder) folders.set(id, (folder = { id, title: above, observedIn: 0, files: [] }));
    folder.files.push({ name: file.name, title: observed?.below ?? parts.at(-1)!, file });
  }
  for (const folder of folders.values()) {
    const clusters = new Set(folder.files.flatMap((it) => it.file.live ?? []));
    folder.observedIn = clusters.size;
    if (folder.observedIn === 0) continue;
    const seen =
      folder.observedIn === 1
        ? `observed in ${clusterName([...clusters][0]!)}`
        : `observed in ${pluralize(folder.observedIn, "cluster")}`;
    folder.title = folder.title ? `${folder.title}: ${seen}` : seen;
  }
  // Files without a folder first, then in load order; top-level observed files last.
  const rank = (it: Folder) => (it.id === "" ? 0 : it.id === "/live" ? 2 : 1);
  return [...folders.values()].sort((a, b) => rank(a) - rank(b));
}

export function isInitiallyFolded(folder: Folder): boolean {
  return folder.observedIn > 0 && folder.files.length > FOLD_ABOVE;
}

/** `~` for edited, `+` for added, `−` for removed. */
export function signOf(file: FileState): "" | "~" | "+" | "−" {
  if (file.text === file.base) return "";
  return file.base === null ? "+" : file.text === null ? "−" : "~";
}

export const SIGNS = { "": "", "~": "edited", "+": "added", "−": "removed" };
