// The same request for curl, the command line and JavaScript.
import { toJson } from "../../../format.js";
import { LOAD, type OpPage } from "./contract.js";

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request on one line; text that is not JSON only loses its line breaks. */
function oneLine(request: string): string {
  try {
    JSON.parse(request);
    // Removes only the space between tokens: integers stay as written.
    return request.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text: string | undefined) => text ?? "");
  } catch {
    return request.replaceAll("\n", " ");
  }
}

/** With the token of the address that `fleetfold serve` prints in `TOKEN`. */
export function asCurl(request: string, page: OpPage): string {
  const headers = `-H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
  const call = (it: string) => `curl -sS http://127.0.0.1:8470/v1/call ${headers} -d ${shellQuote(it)}`;
  return [...(loadRequest(page) ? [call(loadRequest(page)!)] : []), call(oneLine(request))].join("\n");
}

export function asCommand(request: string, page: OpPage): string {
  return `printf '%s\\n' ${[
    ...(loadRequest(page) ? [shellQuote(loadRequest(page)!)] : []),
    shellQuote(oneLine(request)),
  ].join(" ")} | fleetfold call`;
}

export function asJavaScript(request: string, page: OpPage): string {
  const load = loadRequest(page) ? `workspace.call(${toJson(LOAD, 2)});\n` : "";
  const call = `console.log(workspace.callText(${JSON.stringify(oneLine(request))}));\n`;
  return `import { Workspace } from "fleetfold";\n\nusing workspace = new Workspace();\n${load}${call}`;
}

function loadRequest(page: OpPage): string | undefined {
  return page.needsDocuments && page.op !== "load" ? toJson(LOAD) : undefined;
}
