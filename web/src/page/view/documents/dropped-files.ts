// Reads dragged, pasted or picked files: paths are kept, and only possible documents are imported.
import { formatCount, pluralize } from "../../../format.js";
import { type File as Document, fileOf, isDocument } from "../../files.js";

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
export async function filesFromTransfer(transfer: DataTransfer): Promise<ImportedFiles> {
  const items = [...transfer.items]
    .filter((it) => it.kind === "file")
    .map((it) => [it.webkitGetAsEntry?.() ?? null, it.getAsFile()] as const);
  const found: FoundFile[] = [];
  for (const [entry, file] of items) {
    if (entry) await walk(entry, found);
    else if (file) found.push({ path: file.name, file });
  }
  return readFiles(found);
}

/** Reads picked files, with the paths of a folder. */
export function filesFromList(list: FileList): Promise<ImportedFiles> {
  return readFiles([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
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

async function readFiles(found: FoundFile[]): Promise<ImportedFiles> {
  const files: Document[] = [];
  const skipped: string[] = [];
  const others = found.filter((it) => !isDocument(it.path));
  if (others.length === 1) skipped.push(`${others[0]!.path} is neither YAML nor JSON`);
  if (others.length > 1) skipped.push(`${pluralize(others.length, "file")} are neither YAML nor JSON`);
  if (found.length > MAX_FILES) skipped.push(`more than ${formatCount(MAX_FILES)} files: the rest is left out`);
  for (const { path, file } of found.slice(0, MAX_FILES)) {
    if (!isDocument(path)) continue;
    if (file.size > MAX_SIZE) {
      skipped.push(
        `${path} has ${formatCount(
          Math.ceil(file.size / MEGABYTE),
        )} MB, and ${formatCount(MAX_SIZE / MEGABYTE)} MB is the limit`,
      );
      continue;
    }
    try {
      files.push(fileOf(path, new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())));
    } catch (problem) {
      skipped.push(
        problem instanceof TypeError ? `${path} is not UTF-8` : `${path} cannot be read: ${String(problem)}`,
      );
    }
  }
  return { files, skipped };
}
