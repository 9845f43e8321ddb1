// Reads dragged, pasted or picked files: paths are kept, and only possible documents are imported.
import { formatCount, pluralize } from "../../../format.js";
import type { Engine } from "../../engine.js";
import { type File as Document, rolesOf } from "../../files.js";

const MEGABYTE = 1_000_000;
const MAX_SIZE = 8 * MEGABYTE;
const MAX_FILES = 5_000;

/** The imported files, and a message for each skipped one. */
export interface ImportedFiles {
  files: Document[];
  skipped: string[];
}

interface FoundFile {
  path: string;
  file: globalThis.File;
}

/** Reads a drop or a paste. Call it synchronously in the event handler: the transfer is empty afterwards. */
export async function filesFromTransfer(engine: Engine, transfer: DataTransfer): Promise<ImportedFiles> {
  const items = [...transfer.items]
    .filter((it) => it.kind === "file")
    .map((it) => [it.webkitGetAsEntry?.() ?? null, it.getAsFile()] as const);
  const found: FoundFile[] = [];
  for (const [entry, file] of items) {
    if (entry) await walk(entry, found);
    else if (file) found.push({ path: file.name, file });
  }
  const folders = items.flatMap(([entry]) => (entry?.isDirectory ? [entry.name] : []));
  return readFiles(engine, found, folders);
}

/** Reads picked files, with the paths of a folder. */
export function filesFromList(engine: Engine, list: FileList): Promise<ImportedFiles> {
  const found = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return readFiles(engine, found, []);
}

/** A file below `live/` that belongs to no cluster. */
export function strayMessage(path: string): string {
  return `${path} belongs to no cluster: put it into live/<cluster>/, or into live/_hub/ for the hub`;
}

async function walk(entry: FileSystemEntry, found: FoundFile[]): Promise<void> {
  if (found.length > MAX_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<globalThis.File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ path: entry.fullPath.replace(/^\/+/, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // `readEntries` returns a folder in batches, the last one empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) return;
    for (const it of part.sort((a, b) => (a.name < b.name ? -1 : 1)))
      if (!it.name.startsWith(".")) await walk(it, found);
  }
}

async function readFiles(engine: Engine, found: FoundFile[], folders: string[]): Promise<ImportedFiles> {
  const files: Document[] = [];
  const paths = found.map((it) => it.path);
  const { roles, skipped: others, stray } = await rolesOf(engine, paths, folders);
  const skipped = stray.map(strayMessage);
  if (others.length === 1) skipped.push(`${others[0]} is neither YAML nor JSON`);
  if (others.length > 1) skipped.push(`${pluralize(others.length, "file")} are neither YAML nor JSON`);
  if (found.length > MAX_FILES) skipped.push(`more than ${formatCount(MAX_FILES)} files: the rest is left out`);
  for (const { path, file } of found.slice(0, MAX_FILES)) {
    const role = roles.get(path);
    if (!role) continue;
    if (file.size > MAX_SIZE) {
      skipped.push(
        `${path} has ${formatCount(
          Math.ceil(file.size / MEGABYTE),
        )} MB, and ${formatCount(MAX_SIZE / MEGABYTE)} MB is the limit`,
      );
      continue;
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      files.push({ name: path, text, ...role });
    } catch (problem) {
      skipped.push(
        problem instanceof TypeError ? `${path} is not UTF-8` : `${path} cannot be read: ${String(problem)}`,
      );
    }
  }
  return { files, skipped };
}
