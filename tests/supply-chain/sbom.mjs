// The software bill of materials of the program and the npm package, in CycloneDX's JSON.
//
//   npm run sbom > fleetfold.cdx.json
//
// It comes from the lock files and from `cargo metadata` alone: the same tree gives the same bytes.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

let known;
/** What cargo knows of the workspace, for all platforms and features. */
function metadata() {
  known ??= JSON.parse(
    execFileSync("cargo", ["metadata", "--format-version", "1", "--locked", "--all-features"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    }),
  );
  return known;
}

/** Every crate that the lock file names, with where it comes from. */
export function crates() {
  const { packages, workspace_members: members } = metadata();
  const checksums = lockedChecksums();
  return packages.map(({ id, name, version, license, license_file: file, source }) => ({
    name,
    version,
    license: license ?? (file ? "see its licence file" : undefined),
    source,
    isOurs: members.includes(id),
    checksum: checksums.get(`${name} ${version}`),
  }));
}

/** The dependencies that name no version, as `crate: dependency`. */
export function wildcards() {
  return metadata().packages.flatMap(({ name, dependencies }) =>
    dependencies.filter((it) => it.req === "*").map((it) => `${name}: ${it.name}`),
  );
}

function lockedChecksums() {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const entries = lock.matchAll(
    /name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]{64})"/g,
  );
  return new Map([...entries].map(([, name, version, checksum]) => [`${name} ${version}`, checksum]));
}

/** Every npm package of the lock file, our own folders left out. */
export function npmPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .map(([path, it]) => ({
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: it.version,
      license: it.license,
      resolved: it.resolved,
      integrity: it.integrity,
      hasInstallScript: it.hasInstallScript ?? false,
      isDevelopment: it.dev ?? false,
    }));
}

/** The bill: what the program is built from, and what the npm package ships. */
export function bill() {
  const { version } = crates().find((it) => it.name === "fleetfold");
  const components = [
    ...crates()
      .filter((it) => !it.isOurs)
      .map((it) => component("cargo", it, it.checksum && { alg: "SHA-256", content: it.checksum })),
    ...npmPackages()
      .filter((it) => !it.isDevelopment)
      .map((it) => component("npm", it, npmHash(it.integrity))),
  ];
  components.sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", name: "fleetfold", version, licenses: [{ expression: "Apache-2.0" }] },
    },
    components,
  };
}

function component(type, { name, version, license }, hash) {
  const purl = `pkg:${type}/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(license ? { licenses: [{ expression: license.replaceAll("/", " OR ") }] } : {}),
    ...(hash ? { hashes: [hash] } : {}),
  };
}

function npmHash(integrity) {
  const [, digest] = integrity?.match(/^sha512-(.+)$/) ?? [];
  return digest && { alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(bill(), null, 2));
