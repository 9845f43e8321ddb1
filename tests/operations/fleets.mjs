// The fleets that are drilled: the examples, and what they lack.
import { readFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { documentsOf, filesBelow } from "./corpus.mjs";
import { root } from "./engine.mjs";
import { Fleet } from "./fleet.mjs";

const examples = join(root, "examples");
const own = join(root, "tests", "operations", "fleets");

/**
 * By name: the dialect, folders of `examples`, and files of `fleets`. With `only`, the kinds that are drilled in it:
 * another fleet has the others.
 */
const FLEETS = {
  greenhouse: { dialect: "greenhouse", folders: ["greenhouse"], files: ["greenhouse"] },
  ocm: { dialect: "ocm", folders: ["ocm"], files: ["ocm"] },
  kubefed: { dialect: "kubefed", folders: ["kubefed"], files: [] },
  "kubefed-webhooks": {
    dialect: "kubefed",
    folders: ["stories/003-ca-bundle/corrected"],
    files: [],
    only: /Federated/,
  },
  kudo: { dialect: "kudo", folders: ["kudo"], files: ["kudo"] },
  certmanager: { dialect: "certmanager", folders: ["certmanager"], files: [] },
  "certmanager-overrides": {
    dialect: "certmanager",
    folders: ["certmanager/bundles"],
    files: ["certmanager-overrides"],
    only: /CertManagerDeployment/,
  },
  "certmanager-redhat": {
    dialect: "certmanager",
    folders: ["certmanager/bundles"],
    files: ["certmanager-redhat"],
    only: /CertManagerDeployment/,
  },
  "certmanager-openshift": {
    dialect: "certmanager",
    folders: ["certmanager/bundles"],
    files: ["certmanager-openshift"],
    only: /CertManager$/,
  },
  installation: { dialect: "certmanager", folders: [], files: ["installation"] },
};

/** `[{ name, dialect, only, documents, live }]`. */
export function readFleets() {
  return Object.entries(FLEETS).map(([name, { dialect, folders, files, only = /./ }]) => {
    const fleet = { name, dialect, only, documents: [], live: {} };
    for (const folder of folders) readFolder(join(examples, folder), fleet);
    for (const file of files) fleet.documents.push(...documentsOf(readFileSync(join(own, `${file}.yaml`), "utf8")));
    return fleet;
  });
}

function readFolder(folder, { documents, live }) {
  for (const path of filesBelow(folder, ".yaml")) {
    const [first, cluster] = relative(folder, path).split(sep);
    const found = documentsOf(readFileSync(path, "utf8"));
    if (basename(path) === "fleetfold.yaml") continue;
    if (first !== "live") documents.push(...found);
    else (live[cluster === "_hub" ? "" : cluster] ??= []).push(...found);
  }
}

/** A fleet of these documents, settled. */
export function settled({ name, documents, live }) {
  const fleet = Fleet.of({ documents, live });
  fleet.settle(`the fleet \`${name}\``);
  return fleet;
}
