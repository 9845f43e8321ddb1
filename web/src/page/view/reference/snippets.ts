// The same request for a shell, a server and a program.
import { toJson } from "../../../format.js";
import { LOAD, type OpPage } from "./contract.js";

/** A text in single quotes, as a POSIX shell takes it. */
function shellQuote(text: string): string {
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
    `curl -sS http://127.0.0.1:8470/v1/call -H 'content-type: application/json' -d ${shellQuote(it)}`;
  return [...(loadRequest(page) ? [call(loadRequest(page)!)] : []), call(oneLine(request))].join("\n");
}

export function asCommand(request: string, page: OpPage): string {
  return `printf '%s\\n' ${[...(loadRequest(page) ? [shellQuote(loadRequest(page)!)] : []), shellQuote(oneLine(request))].join(" ")} | fleetfold call`;
}

export function asJavaScript(request: string, page: OpPage): string {
  const load = loadRequest(page) ? `workspace.call(${toJson(LOAD, 2)});\n` : "";
  return `import { Workspace } from "fleetfold";\n\nusing workspace = new Workspace();\n${load}console.log(workspace.callText(${JSON.stringify(oneLine(request))}));\n`;
}

function loadRequest(page: OpPage): string | undefined {
  return page.needsDocuments && page.op !== "load" ? toJson(LOAD) : undefined;
}
