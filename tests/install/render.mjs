// What Helm and kustomize make of install/, as objects.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readDocuments, root } from "../cluster/documents.mjs";
import { fleetfold as program } from "../cluster/runner.mjs";
import { findTools } from "../cluster/tools.mjs";

export const tools = findTools();
export const chart = join(root, "install", "chart");
export const kustomization = (name) => join(root, "install", "kustomize", name);

export const DIALECTS = ["greenhouse", "ocm", "kubefed", "kudo", "certmanager"];

/** The groups that are a dialect's alone. KubeFed reads those of ocm as well, so both go together below. */
export const GROUPS = {
  greenhouse: ["greenhouse.sap"],
  ocm: ["cluster.open-cluster-management.io"],
  kubefed: ["core.kubefed.io", "types.kubefed.io"],
  kudo: ["kudo.dev"],
  certmanager: [
    "operators.opdev.io",
    "operators.redhat.io",
    "operator.openshift.io",
    "apps",
    "rbac.authorization.k8s.io",
    "admissionregistration.k8s.io",
  ],
};

/** The release that has the names of the kustomize base. */
export const RELEASE = ["fleetfold", chart, "--namespace", "fleetfold-system"];

/** Runs a tool and answers `{ code, text, complaint }`. */
export function call(tool, args, { input } = {}) {
  const { status, stdout, stderr } = spawnSync(tools[tool], args, { input, encoding: "utf8", maxBuffer: 1 << 26 });
  return { code: status, text: stdout, complaint: stderr };
}

/** Runs a tool that has to succeed and answers what it prints. */
export function must(tool, args, options) {
  const { code, text, complaint } = call(tool, args, options);
  if (code !== 0) throw new Error(`${tool} ${args.join(" ")}: ${complaint}`);
  return text;
}

/** Arguments that give a release these values. */
export function withValues(values) {
  return Object.entries(values).flatMap(([path, value]) => ["--set-json", `${path}=${JSON.stringify(value)}`]);
}

/** What `helm template` says. Without a version, a Helm that was built from source thinks of an old Kubernetes. */
export function helmText(values = {}, [name, ...place] = RELEASE) {
  return must("helm", ["template", name, ...place, "--kube-version", "1.36", ...withValues(values)]);
}

export const helm = (values, release) => readDocuments(helmText(values, release), tools);

/** What `helm template` complains about. */
export function complaintAbout(values) {
  const { code, complaint } = call("helm", ["template", ...RELEASE, "--kube-version", "1.36", ...withValues(values)]);
  if (code === 0) throw new Error(`accepted: ${JSON.stringify(values)}`);
  return complaint;
}

export const kustomize = (name) => readDocuments(must("kustomize", ["build", kustomization(name)]), tools);

/**
 * What kustomize makes of an overlay that somebody would write: `files` by name, paths in `{…}` being folders of
 * install/kustomize.
 */
export function overlay(files) {
  const folder = mkdtempSync(join(tmpdir(), "fleetfold-overlay-"));
  try {
    const place = (_, name) => relative(folder, kustomization(name));
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name), text.replace(/\{([a-z/-]+)\}/g, place));
    return readDocuments(must("kustomize", ["build", folder]), tools);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const ofKind = (objects, ...kinds) => objects.filter((it) => kinds.includes(it.kind));
export const named = (objects, kind, name) => objects.find((it) => it.kind === kind && it.metadata.name === name);

/** The arguments of the program in a Deployment. */
export const argsOf = (objects, name) => named(objects, "Deployment", name).spec.template.spec.containers[0].args;

/** The rules of every role, by kind and name. */
export function rulesOf(objects) {
  const roles = ofKind(objects, "ClusterRole", "Role").map((it) => [`${it.kind}/${it.metadata.name}`, it.rules]);
  return Object.fromEntries(roles.sort());
}

/** What the API server asks the webhook about, without the authority that it trusts. */
export function hooksOf(objects) {
  const [configuration] = ofKind(objects, "ValidatingWebhookConfiguration");
  return configuration.webhooks.map(({ clientConfig: { caBundle, ...clientConfig }, ...rest }) => ({
    ...rest,
    clientConfig,
  }));
}

/** What the program itself says. */
export function fleetfold(args, input) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`fleetfold ${args.join(" ")}: ${error?.message ?? stderr}`);
  return stdout;
}

/** The kinds that the engine reads for some dialects: its own rows, and their `resource`. */
export function kindsOf(dialects) {
  const requests = [{ op: "configure", dialects }, { op: "kinds" }];
  const answers = fleetfold(["call"], requests.map((it) => `${JSON.stringify(it)}\n`).join(""));
  const { kinds } = JSON.parse(answers.trim().split("\n").at(-1)).ok;
  // A pattern such as `Federated*` has no plural.
  return kinds.map((it) => ({ ...it, resource: it.plural ?? "*" }));
}
