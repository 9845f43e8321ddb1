// Finds the programs that the harness runs, and builds the missing ones.
//
//   node tests/cluster/tools.mjs                                 builds once, prints the folder
//   FLEETFOLD_KUBERNETES=oldest node tests/cluster/tools.mjs     those of the oldest supported version
//
// They are compiled from the versions that tests/control-plane/go.mod pins, and tests/control-plane/oldest/go.mod for
// the oldest, into a folder outside of the tree that is named after everything that goes into them: another pin,
// another folder. A cold build takes minutes, hence the cache.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cache } from "../machine.mjs";

/** The versions of Kubernetes that there are, each with its pins and what is built from them. */
const VERSIONS = {
  newest: {
    pins: folder("../control-plane"),
    tools: ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm", "kustomize"],
  },
  // The rest is no part of a release of Kubernetes and comes from the newest.
  oldest: {
    pins: folder("../control-plane/oldest"),
    tools: ["kube-apiserver", "kube-controller-manager", "kubectl"],
  },
};

/** Which of them the tests run on: `FLEETFOLD_KUBERNETES`, else the newest. */
export const KUBERNETES = process.env.FLEETFOLD_KUBERNETES || "newest";
if (!VERSIONS[KUBERNETES]) {
  throw new Error(`FLEETFOLD_KUBERNETES is ${KUBERNETES}, and not one of ${Object.keys(VERSIONS).join(", ")}`);
}

/** What KUBEBUILDER_ASSETS holds; the rest is never part of it. */
const ASSETS = ["etcd", "kube-apiserver", "kubectl"];

/** `go build` names a program after the last part of its import path. */
const BUILT_AS = { server: "etcd", v5: "kustomize" };

/** Where every tool is: `{ etcd: "/…/etcd", … }`. Builds them if it has to. */
export function findTools() {
  const newest = places("newest", process.env.KUBEBUILDER_ASSETS);
  if (KUBERNETES === "newest") return newest;
  if (process.env.KUBEBUILDER_ASSETS) {
    throw new Error(`KUBEBUILDER_ASSETS and FLEETFOLD_KUBERNETES=${KUBERNETES} name different servers: unset one`);
  }
  return { ...newest, ...places(KUBERNETES) };
}

function places(version, assets) {
  const { tools } = VERSIONS[version];
  const folder = cacheFolder(version);
  const place = (tool) => (assets && ASSETS.includes(tool) ? join(assets, tool) : join(folder, tool));
  const expect = (tool) => {
    if (!isProgram(place(tool))) throw new Error(`${place(tool)} is not there, or not a program`);
  };
  // What somebody else provides cannot be built here.
  if (assets) ASSETS.forEach(expect);
  if (!tools.every((tool) => isProgram(place(tool)))) build(version, folder);
  tools.forEach(expect);
  return Object.fromEntries(tools.map((tool) => [tool, place(tool)]));
}

/** The folder of the tools that these pins and flags give. */
export function cacheFolder(version = KUBERNETES) {
  const inputs = ["go.mod", "go.sum"].map((file) => readFileSync(join(VERSIONS[version].pins, file)));
  const hash = createHash("sha256");
  for (const input of [...inputs, flags(version).join("\0")]) hash.update(input).update("\0");
  return join(cache(), `tools-${hash.digest("hex").slice(0, 16)}`);
}

/** The release of Kubernetes that the pins of a version name, as `v1.30.14`. */
export function releaseOf(version = KUBERNETES) {
  const pins = readFileSync(join(VERSIONS[version].pins, "go.mod"), "utf8");
  return pins.match(/^require k8s\.io\/kubernetes (v\d+\.\d+\.\d+)$/m)[1];
}

/** Without these versions kube-apiserver takes itself for v0.0.0 and kubectl refuses to talk to it. */
function flags(version) {
  const release = releaseOf(version);
  const [major, minor] = release.slice(1).split(".");
  const stamps = [
    `k8s.io/component-base/version.gitVersion=${release}`,
    `k8s.io/component-base/version.gitMajor=${major}`,
    `k8s.io/component-base/version.gitMinor=${minor}`,
    `k8s.io/client-go/pkg/version.gitVersion=${release}`,
  ];
  return ["-buildvcs=false", "-ldflags", ["-s", "-w", ...stamps.map((it) => `-X ${it}`)].join(" ")];
}

/** Builds beside the folder and renames: whoever looks sees all of the tools or none. */
function build(version, folder) {
  const { pins, tools } = VERSIONS[version];
  const parent = join(folder, "..");
  mkdirSync(parent, { recursive: true });
  const unfinished = mkdtempSync(join(parent, "unfinished-"));
  try {
    console.error(`building Kubernetes ${releaseOf(version)} into ${folder}; the first time takes minutes`);
    const options = { cwd: pins, env: { ...process.env, CGO_ENABLED: "0" }, stdio: ["ignore", "inherit", "inherit"] };
    const { status, error } = spawnSync("go", ["build", ...flags(), "-o", `${unfinished}/`, "tool"], options);
    if (status !== 0) throw new Error(`go build ends with ${error?.message ?? status}`);
    for (const name of readdirSync(unfinished)) {
      if (BUILT_AS[name]) renameSync(join(unfinished, name), join(unfinished, BUILT_AS[name]));
    }
    // Somebody else may have been faster, or left a folder with something missing.
    if (!tools.every((tool) => isProgram(join(folder, tool)))) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(unfinished, folder);
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function folder(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  findTools();
  console.log(cacheFolder());
}
