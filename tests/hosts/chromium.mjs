// The npm package in Chromium, under a strict policy: answers every vector and prints the same digest as every other
// host.
//   fleetfold vectors DIR --requests | node tests/hosts/chromium.mjs page|worker
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, check, open, site } from "../web/harness.mjs";
import { pack } from "../web/package-packed.mjs";
import { cases } from "./requests.mjs";

const all = cases();
const { folder, scratch } = pack();
const served = join(scratch, "served");
mkdirSync(served);
cpSync(join(folder, "dist"), join(served, "dist"), { recursive: true });
cpSync(fileURLToPath(new URL("chromium-page.js", import.meta.url)), join(served, "page.js"));
writeFileSync(join(served, "requests.json"), JSON.stringify(all));
writeFileSync(
  join(served, "index.html"),
  '<!doctype html><title>Vectors</title><script type="module" src="page.js"></script>',
);

const [server, chromium] = [await site(served), await browser()];
try {
  const page = await open(chromium, server, { hash: process.argv[2], settle: false });
  const { digest, answered } = await page.evaluate(() => globalThis.done);
  check(page);
  console.log(`answers sha256:${digest}`);
  console.log(`${answered} answered`);
} finally {
  await chromium.close();
  await server.close();
}
