// What we build on: licences, sources, checksums and install scripts. It needs no network: advisories are the business
// of `cargo deny check advisories` and `npm audit`, where their lists can be fetched.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bill, crates, npmPackages } from "./sbom.mjs";

const deny = readFileSync(fileURLToPath(new URL("../../deny.toml", import.meta.url)), "utf8");
const allowed = new Set(
  [...deny.match(/^allow = \[([^\]]+)\]/m)[1].matchAll(/"([^"]+)"/g)].map(([, licence]) => licence),
);
/** For development alone; none of these is shipped. */
const ALLOWED_FOR_DEVELOPMENT = new Set([
  ...allowed,
  "BlueOak-1.0.0",
  "CC-BY-3.0",
  "CC-BY-4.0",
  "MPL-2.0",
  "Python-2.0",
]);
/** npm packages that run code while they are installed, each with its reason. */
const INSTALL_SCRIPTS = new Set(["esbuild", "fsevents"]);

/** Whether an SPDX expression can be met with these licences. */
function isMet(expression, licences) {
  const parts = expression.replaceAll("/", " OR ").replaceAll(/[()]/g, " ").split(/ OR /);
  return parts.some((part) => part.split(/ AND /).every((it) => licences.has(it.trim())));
}

test("every crate has a permissive licence", () => {
  const wrong = crates().filter((it) => !it.license || !isMet(it.license, allowed));
  assert.deepEqual(
    wrong.map((it) => `${it.name} ${it.version}: ${it.license}`),
    [],
  );
});

test("every crate of others comes from the registry, with its checksum", () => {
  const others = crates().filter((it) => !it.isOurs);
  assert.ok(others.length > 100);
  for (const it of others) {
    assert.match(it.source ?? "", /^registry\+/, it.name);
    assert.match(it.checksum ?? "", /^[0-9a-f]{64}$/, it.name);
  }
});

test("every npm package has a checksum and a licence that fits its use", () => {
  const all = npmPackages();
  assert.ok(all.length > 50);
  for (const it of all) {
    assert.match(it.integrity ?? "", /^sha512-/, it.name);
    const licences = it.isDevelopment ? ALLOWED_FOR_DEVELOPMENT : allowed;
    assert.ok(isMet(it.license ?? "", licences), `${it.name} ${it.version}: ${it.license}`);
  }
});

test("no npm package runs a script on installation but those that are known", () => {
  const scripts = npmPackages().filter((it) => it.hasInstallScript);
  assert.deepEqual(
    scripts.filter((it) => !INSTALL_SCRIPTS.has(it.name)).map((it) => it.name),
    [],
  );
});

test("the bill of materials names every crate of others once, and is the same every time", () => {
  const [first, second] = [bill(), bill()];
  assert.deepEqual(first, second);
  const references = first.components.map((it) => it["bom-ref"]);
  assert.equal(new Set(references).size, references.length);
  const cargo = references.filter((it) => it.startsWith("pkg:cargo/"));
  assert.equal(cargo.length, crates().filter((it) => !it.isOurs).length);
  for (const it of first.components) assert.ok(it.version && it.licenses && it.hashes, it["bom-ref"]);
});
