// Builds missing or outdated parts: the engine for JavaScript (`engine/`), the package (`dist/`) and the page
// (`site/`).
//   node web/build.mjs [--force] [PART…]
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = join(root, "web");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const force = process.argv.includes("--force");
const named = process.argv.slice(2).filter((it) => !it.startsWith("--"));

/** The crates of the engine, without their tests. */
const core = readdirSync(join(root, "core"))
  .filter((it) => it !== "tests")
  .map((it) => join("core", it));

/** What each part is made of, and how. */
const PARTS = [
  {
    name: "node_modules",
    from: ["package-lock.json", "package.json", "web/package.json"],
    makes: join(root, "node_modules"),
    how: () => run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]),
  },
  {
    name: "engine",
    from: [
      "Cargo.toml",
      "Cargo.lock",
      "rust-toolchain.toml",
      ...core,
      "wasm/builder",
      "wasm/javascript",
      "wasm/tools",
      "host/crds",
      "host/example",
    ],
    makes: join(web, "engine"),
    how: engine,
  },
  {
    name: "package",
    from: [
      "LICENSE",
      "web/tsconfig.json",
      "web/src",
      "web/contract.ts",
      "core/src/api/contract.schema.json",
      "web/package.json",
      "web/package.mjs",
    ],
    after: "engine",
    makes: join(web, "dist"),
    how: () => run("node", ["web/package.mjs"]),
  },
  {
    name: "page",
    from: [
      "web/src",
      "web/index.html",
      "web/vite.config.ts",
      "web/contract.ts",
      "core/src/api/contract.schema.json",
      "web/examples.json",
      "web/package.json",
      "docs/codes.md",
      "examples",
    ],
    after: "engine",
    makes: join(web, "site"),
    how: page,
  },
];

for (const part of PARTS) {
  if (named.length && !named.includes(part.name)) continue;
  const wanted = digest(part.from, part.after ? stamp(PARTS.find((it) => it.name === part.after)) : "");
  if (!force && stamp(part) === wanted) continue;
  console.error(`building ${part.name}`);
  part.how();
  writeFileSync(join(part.makes, ".made-from"), wanted);
}

function engine() {
  run("cargo", ["build", "--quiet", "--locked", "-p", "fleetfold-tools"]);
  // wasm-bindgen warns of a section that nothing needs: its output matters only when it fails.
  const args = ["javascript", join(target, "module"), join(web, "engine")];
  const { status, stderr } = spawnSync(join(target, "debug", "fleetfold-tools"), args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function page() {
  examples();
  run(join(root, "node_modules", ".bin", "vite"), ["build", "--logLevel", "error"], web);
}

/** Writes one file for each example into Vite's public folder. */
function examples() {
  const examples = join(web, "engine", "public", "examples");
  mkdirSync(examples, { recursive: true });
  const folders = ["greenhouse", "ocm", "kubefed", "kudo", "certmanager"];
  for (const folder of folders) write(join(examples, `${folder}.json`), texts(join(root, "examples", folder), ""));
  write(join(examples, "mixed.json"), Object.assign({}, ...folders.map((it) => texts(join(root, "examples", it), it))));
  cpSync(join(web, "engine", "thousand.json"), join(examples, "thousand.json"));
}

/** The documents of a folder by path, as the command line reads it. */
function texts(folder, prefix) {
  const files = walk(folder).filter((it) => /\.(ya?ml|json)$/.test(it));
  return Object.fromEntries(files.map((it) => [join(prefix, relative(folder, it)), readFileSync(it, "utf8")]));
}

function write(path, value) {
  writeFileSync(path, JSON.stringify(value));
}

function stamp(part) {
  const path = join(part.makes, ".made-from");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** A digest of file contents: modification times mean little in a fresh clone. */
function digest(paths, more) {
  const hash = createHash("sha256").update(more ?? "");
  for (const path of paths.flatMap((it) => walk(join(root, it))))
    hash.update(`${relative(root, path)}\n`).update(readFileSync(path));
  return hash.digest("hex");
}

function walk(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((it) => !it.startsWith("."))
    .sort()
    .flatMap((it) => walk(join(path, it)));
}

function run(command, args, cwd = root) {
  execFileSync(command, args, { cwd, stdio: ["ignore", process.stderr, "inherit"] });
}
