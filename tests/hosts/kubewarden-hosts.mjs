// The policy in two hosts that nobody here wrote, and the engine natively, which is what `fleetfold webhook` asks.
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const { WapcHost } = createRequire(import.meta.url)("@wapc/host/dist/src/wapc-host.js");

export const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const program = (name) => join(target, "debug", name);

export const policy = join(target, "policies", "fleetfold-kubewarden.wasm");
export const mutatingPolicy = join(target, "policies", "fleetfold-kubewarden-mutating.wasm");
/** How the names of host calls are written in scripts. */
export const LIST = "kubewarden/kubernetes/list_resources_all";
export const CAN_I = "kubewarden/kubernetes/can_i";

const MOST = 1 << 28;

/** What each host answers to each case: `op`, `payload` or `hex`, and the `script` of the host. */
export async function inBothHosts(cases) {
  const [wasmtime, node] = await Promise.all([inWasmtime(cases), inNode(cases)]);
  return { wasmtime, node };
}

async function inWasmtime(cases) {
  const running = promisify(execFile)(program("policy-host"), [policy], { encoding: "utf8", maxBuffer: MOST });
  // A program that ends too early says so itself.
  running.child.stdin.on("error", () => {});
  running.child.stdin.end(cases.map((it) => `${JSON.stringify(it)}\n`).join(""));
  const { stdout } = await running;
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function inNode(cases) {
  const module = await WebAssembly.compile(readFileSync(policy));
  const answers = [];
  for (const { op, payload, hex, script = [] } of cases) {
    const calls = [];
    const host = new WapcHost((binding, namespace, operation, bytes) => {
      const call = {
        operation: `${binding}/${namespace}/${operation}`,
        request: JSON.parse(new TextDecoder().decode(bytes)),
      };
      calls.push(call);
      return scripted(script, call);
    });
    host.initialize(await WebAssembly.instantiate(module, host.getImports()));
    const bytes = hex === undefined ? new TextEncoder().encode(payload) : Buffer.from(hex, "hex");
    try {
      answers.push({ answer: new TextDecoder("utf-8", { fatal: true }).decode(await host.invoke(op, bytes)), calls });
    } catch (error) {
      answers.push({ error: error.message, calls });
    }
  }
  return answers;
}

/**
 * What the script says to a call: its first line that fits. A failure is a text, as this host would put `Error:` before
 * any other.
 */
function scripted(script, { operation, request }) {
  const line = script.find((it) => it.operation === operation && (it.when === undefined || isWithin(it.when, request)));
  if (line?.error !== undefined) throw line.error;
  if (line?.answer === undefined) throw `unknown operation: ${operation}`;
  return new TextEncoder().encode(typeof line.answer === "string" ? line.answer : JSON.stringify(line.answer));
}

export function isWithin(part, whole) {
  if (part === null || typeof part !== "object") return part === whole;
  return (
    whole !== null &&
    typeof whole === "object" &&
    Object.entries(part).every(([key, value]) => isWithin(value, whole[key]))
  );
}

/** The engine's answers to requests for one workspace. */
export function ask(requests) {
  const input = requests.map((it) => `${JSON.stringify(it)}\n`).join("");
  const output = execFileSync(program("fleetfold"), ["call", "--native"], { input, encoding: "utf8", maxBuffer: MOST });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** YAML as the engine reads it. */
export function yaml(text) {
  const [answer] = ask([{ op: "parse", text }]);
  if (answer.error) throw new Error(`${answer.error.message} at ${answer.error.at}`);
  return answer.ok.documents;
}

/**
 * What the webhook says: the engine's verdict, after every review that it asked for. The settings are those of the
 * policy, and the reviews are answered by the same script, and told beside the answer.
 */
export function webhook({ documents = [], permissions, limits, context, defaults, ...configure }, request, script) {
  const setup = [
    { op: "configure", ...configure },
    { op: "load", ...(typeof documents === "string" ? { text: documents } : { documents }) },
  ];
  const reviews = [];
  for (let round = 0; round < 4; round += 1) {
    const answer = ask([...setup, { op: "admit", request, reviews, permissions, limits }]).at(-1);
    if (answer.error || !answer.ok.needs) return { ...answer, reviews };
    for (const { spec } of answer.ok.needs) {
      const { resource, subresource, name, verb } = spec.resourceAttributes;
      const call = {
        operation: CAN_I,
        request: {
          subject_access_review: { user: spec.user, resource_attributes: { resource, subresource, name, verb } },
        },
      };
      const { allowed } = JSON.parse(new TextDecoder().decode(scripted(script, call)));
      reviews.push({ resource, subresource: subresource ?? "", name: name ?? "", verb, allowed });
    }
  }
  throw new Error("the engine keeps requesting access reviews");
}
