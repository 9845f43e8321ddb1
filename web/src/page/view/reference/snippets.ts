// The same request for a shell, a server and a program.
import { json } from "../../../format.js";
import { LOAD, type OpPage } from "./contract.js";

/** A text in single quotes, as a POSIX shell takes it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request in one line; as it stands where it is no JSON. */
function oneLine(request: string): string {
  try {
    JSON.parse(request);
    // Integers stay as they are written: only the space between tokens goes.
    return request.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text: string | undefined) => text ?? "");
  } catch {
    return request.replaceAll("\n", " ");
  }
}

export function asCurl(request: string, page: OpPage): string {
  const call = (it: string) =>
    `curl -sS http://127.0.0.1:8470/v1/call -H 'content-type: application/json' -d ${quoted(it)}`;
  return [...(before(page) ? [call(before(page)!)] : []), call(oneLine(request))].join("\n");
}

export function asCommand(request: string, page: OpPage): string {
  return `printf '%s\\n' ${[...(before(page) ? [quoted(before(page)!)] : []), quoted(oneLine(request))].join(" ")} | fleetfold call`;
}

export function asJavaScript(request: string, page: OpPage): string {
  const load = before(page) ? `workspace.call(${json(LOAD, 2)});\n` : "";
  return `import { Workspace } from "fleetfold";\n\nusing workspace = new Workspace();\n${load}console.log(workspace.callText(${JSON.stringify(oneLine(request))}));\n`;
}

function before(page: OpPage): string | undefined {
  return page.needsDocuments && page.op !== "load" ? json(LOAD) : undefined;
}
