// Every host that answers the vectors, how each is started, and what a run in one of them shows.
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { root } from "../cluster/documents.mjs";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const fleetfold = join(target, "debug", "fleetfold");
const raw = join(target, "fleetfold.wasm");
const policy = (name) => join(target, "policies", `fleetfold-${name}.wasm`);

/**
 * `{ name, runs, compares, command, args }` for each host. `runs` names what runs the engine there. A host that
 * compares reads the wanted answers itself; the others answer the requests, and their digest is compared with the
 * native one.
 *
 * `vectors` is a folder of vectors, or a file with lines as `fleetfold vectors --requests` prints them: then none
 * compares.
 */
export function conformanceHosts(vectors) {
  const isFolder =
    statSync(isAbsolute(vectors) ? vectors : join(root, vectors), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const requests = isFolder ? `"${fleetfold}" vectors "${vectors}" --requests` : `cat "${vectors}"`;
  const shell = (command) => ({ compares: false, command: "sh", args: ["-c", `${requests} | ${command}`] });
  const piped = (script, ...args) => shell(`node tests/hosts/${script} ${args.map((it) => `"${it}"`).join(" ")}`);
  const own = (...args) =>
    isFolder
      ? { compares: true, command: fleetfold, args: ["vectors", vectors, ...args] }
      : shell([`"${fleetfold}"`, "vectors", "-", ...args].join(" "));
  const hosts = [
    ["native", "the engine linked into `fleetfold`", own("--native")],
    ["wasmtime", "the module in `fleetfold`, under wasmtime", own()],
    ["node, module", "the module, in Node", piped("node.mjs", raw)],
    ["node, package", "the npm package, in Node", piped("package.mjs")],
    ["chromium, page", "the npm package, in a page in Chromium", piped("chromium.mjs", "page")],
    ["chromium, worker", "the npm package, in a worker in Chromium", piped("chromium.mjs", "worker")],
    ["go, wazero", "the module, in Go under wazero", piped("anywhere.mjs", "go", raw)],
    ["python, wasmtime", "the module, in Python under wasmtime", piped("anywhere.mjs", "python", raw)],
    ["java, chicory", "the module, in Java under Chicory", piped("anywhere.mjs", "java", raw)],
    ["node, extism", "the Extism plugin, in Node", piped("extism.mjs", policy("extism"))],
    [
      "python, extism",
      "the Extism plugin, in Python",
      piped("python.mjs", "tests/hosts/extism-host.py", policy("extism")),
    ],
    [
      "python, component",
      "the component, in Python under wasmtime",
      piped("python.mjs", "tests/hosts/component.py", policy("component")),
    ],
  ];
  return hosts.map(([name, runs, it]) => ({ name, runs, ...it }));
}

/** What the output of a run shows: `{ digest, version, answered, passed, failed }`, as far as the host prints it. */
export function resultOf(output) {
  const number = (pattern) => {
    const found = output.match(pattern)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  return {
    digest: output.match(/^answers (sha256:[0-9a-f]{64})$/m)?.[1],
    version: output.match(/^version (\S+)$/m)?.[1],
    answered: number(/^(\d+) answered$/m),
    passed: number(/^(\d+) passed, \d+ failed$/m),
    failed: number(/^\d+ passed, (\d+) failed$/m),
  };
}
