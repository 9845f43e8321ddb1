// Files that people drag, paste or pick: their paths stay, and only what can be a document comes in.
import { count, counted } from "../../../format.js";
import { type File as Document, fileOf, isDocument } from "../../files.js";

const MEGABYTE = 1_000_000;
const LARGEST = 8 * MEGABYTE;
const MOST = 5_000;

/** What came in, and in words what did not. */
export interface Brought {
  files: Document[];
  left: string[];
}

interface Found {
  path: string;
  file: globalThis.File;
}

/** What was dropped or pasted. Must be called at once: a drop is empty afterwards. */
export async function broughtBy(transfer: DataTransfer): Promise<Brought> {
  const items = [...transfer.items]
    .filter((it) => it.kind === "file")
    .map((it) => [it.webkitGetAsEntry?.() ?? null, it.getAsFile()] as const);
  const found: Found[] = [];
  for (const [entry, file] of items) {
    if (entry) await walk(entry, found);
    else if (file) found.push({ path: file.name, file });
  }
  return read(found);
}

/** What was picked, with the paths of a folder. */
export function broughtFrom(list: FileList): Promise<Brought> {
  return read([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

async function walk(entry: FileSystemEntry, found: Found[]): Promise<void> {
  if (found.length > MOST) return;
  if (entry.isFile) {
    const file = await new Promise<globalThis.File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ path: entry.fullPath.replace(/^\/+/, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A folder is read in parts, until one is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) return;
    for (const it of part.sort((a, b) => (a.name < b.name ? -1 : 1)))
      if (!it.name.startsWith(".")) await walk(it, found);
  }
}

async function read(found: Found[]): Promise<Brought> {
  const files: Document[] = [];
  const left: string[] = [];
  const others = found.filter((it) => !isDocument(it.path));
  if (others.length === 1) left.push(`${others[0]!.path} is neither YAML nor JSON`);
  if (others.length > 1) left.push(`${counted(others.length, "file")} are neither YAML nor JSON`);
  if (found.length > MOST) left.push(`more than ${count(MOST)} files: the rest is left out`);
  for (const { path, file } of found.slice(0, MOST)) {
    if (!isDocument(path)) continue;
    if (file.size > LARGEST) {
      left.push(
        `${path} has ${count(Math.ceil(file.size / MEGABYTE))} MB, and ${count(LARGEST / MEGABYTE)} MB is the limit`,
      );
      continue;
    }
    try {
      files.push(fileOf(path, new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())));
    } catch (problem) {
      left.push(problem instanceof TypeError ? `${path} is not UTF-8` : `${path} cannot be read: ${String(problem)}`);
    }
  }
  return { files, left };
}
