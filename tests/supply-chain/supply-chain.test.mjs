// The crates and npm packages that the product uses: licences, bans, versions, sources, checksums and install scripts.
// Everything that `deny.toml` declares is checked here from the lock files, except advisories: their lists need the
// network (`npm run advisories`, SECURITY.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAbout, isMet, readDeny } from "./deny.mjs";
import { bill, crates, npmPackages, wildcards } from "./sbom.mjs";

const { advisories, bans, graph, licenses, sources, ...others } = readDeny();
const allowed = new Set(licenses.allow);
/** For development alone; none of these is shipped. */
const ALLOWED_FOR_DEVELOPMENT = new Set([...allowed, "BlueOak-1.0.0", "MPL-2.0"]);
/** npm packages that run code while they are installed. */
const INSTALL_SCRIPTS = { esbuild: "checks that its program runs on this platform" };

const foreign = () => crates().filter((it) => !it.isOurs);
const named = (all) => all.map((it) => `${it.name} ${it.version}`);

test("deny.toml declares nothing that no test checks", () => {
  assert.deepEqual(others, {});
  // `npm run advisories` checks them; what is ignored must say why.
  assert.deepEqual(Object.keys(advisories), ["version", "yanked", "unmaintained", "ignore"]);
  assert.ok(advisories.ignore.every((it) => it.id && it.reason));
  assert.deepEqual(graph, { "all-features": true });
  assert.deepEqual(Object.keys(licenses), ["version", "allow"]);
  assert.deepEqual(Object.keys(bans), ["wildcards", "deny", "multiple-versions", "skip"]);
  assert.deepEqual([bans.wildcards, bans["multiple-versions"]], ["deny", "deny"]);
  assert.deepEqual(Object.keys(sources), ["unknown-registry", "unknown-git", "allow-registry"]);
  assert.deepEqual([sources["unknown-registry"], sources["unknown-git"]], ["deny", "deny"]);
});

test("every crate has a licence that deny.toml allows, and every one of these is needed", () => {
  const wrong = crates().filter((it) => !it.license || !isMet(it.license, allowed));
  assert.deepEqual(
    wrong.map((it) => `${it.name} ${it.version}: ${it.license}`),
    [],
  );
  for (const licence of allowed) {
    const rest = new Set([...allowed].filter((it) => it !== licence));
    assert.ok(
      crates().some((it) => !isMet(it.license, rest)),
      `no crate needs ${licence}`,
    );
  }
});

test("expressions of licences are read as SPDX does", () => {
  const licences = new Set(["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]);
  for (const met of [
    "MIT",
    "MIT/Apache-2.0",
    "Apache-2.0 OR MIT",
    "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR GPL-2.0-only",
    "(MIT OR Apache-2.0) AND Unicode-3.0",
  ])
    assert.ok(isMet(met, licences), met);
  for (const unmet of [
    "",
    "Apache-2.0",
    "MIT AND Apache-2.0",
    "(MIT OR Apache-2.0) AND NCSA",
    "NCSA AND (MIT OR Apache-2.0)",
    "MIT WITH LLVM-exception",
    "MIT)",
  ])
    assert.ok(!isMet(unmet, licences), unmet);
});

test("no crate is banned", () => {
  const banned = foreign().filter((it) => bans.deny.some(({ crate }) => isAbout(crate, it)));
  assert.deepEqual(named(banned), []);
  assert.ok(bans.deny.every((it) => it.reason));
});

test("no crate asks for any version of another", () => {
  assert.deepEqual(wildcards(), []);
});

test("a second version of a crate has a reason in deny.toml, and each reason is needed", () => {
  const all = foreign();
  const isSkipped = (it) => bans.skip.some(({ crate }) => isAbout(crate, it));
  const counted = all.filter((it) => !isSkipped(it));
  const twice = counted.filter((it) => counted.some((other) => other.name === it.name && other.version !== it.version));
  assert.deepEqual(named(twice), []);
  for (const { crate, reason } of bans.skip) {
    const found = all.find((it) => isAbout(crate, it));
    assert.ok(found && reason, crate);
    assert.ok(
      counted.some((it) => it.name === found.name),
      `${crate} is the only version`,
    );
  }
});

test("every crate of others comes from an allowed registry, with its checksum", () => {
  const registries = sources["allow-registry"].map((it) => `registry+${it}`);
  const all = foreign();
  assert.ok(all.length > 100);
  for (const it of all) {
    assert.ok(registries.includes(it.source), `${it.name}: ${it.source}`);
    assert.match(it.checksum ?? "", /^[0-9a-f]{64}$/, it.name);
  }
});

test("every npm package comes from the registry, with a checksum and a licence that fits its use", () => {
  const all = npmPackages();
  assert.ok(all.length > 50);
  for (const it of all) {
    // The lock file leaves out the address where it is the registry's own.
    assert.equal(it.resolved, undefined, it.name);
    assert.match(it.integrity ?? "", /^sha512-/, it.name);
    const licences = it.isDevelopment ? ALLOWED_FOR_DEVELOPMENT : allowed;
    assert.ok(isMet(it.license ?? "", licences), `${it.name} ${it.version}: ${it.license}`);
  }
});

test("no npm package runs a script on installation but those that are known", () => {
  const scripts = npmPackages().filter((it) => it.hasInstallScript);
  assert.deepEqual([...new Set(scripts.map((it) => it.name))], Object.keys(INSTALL_SCRIPTS));
});

test("the bill of materials names every crate of others once, and is the same every time", () => {
  const [first, second] = [bill(), bill()];
  assert.deepEqual(first, second);
  const references = first.components.map((it) => it["bom-ref"]);
  assert.equal(new Set(references).size, references.length);
  const cargo = references.filter((it) => it.startsWith("pkg:cargo/"));
  assert.equal(cargo.length, foreign().length);
  for (const it of first.components) assert.ok(it.version && it.licenses && it.hashes, it["bom-ref"]);
});
