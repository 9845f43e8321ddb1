// The page of `fleetfold serve`: its folder, changes of the folder, and edits that survive them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, check, open, select, selectView, settled, text } from "./harness.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fleetfold = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", "fleetfold");
const METRICS = "PluginPreset/acme/metrics";
let chromium, folder, server, origin, token;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetfold-serve-"));
  cpSync(join(root, "examples", "greenhouse"), join(folder, "fleet"), { recursive: true });
  server = spawn(fleetfold, ["serve", "-f", "fleet", "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const address = await new Promise((found, failed) => {
    server.once("exit", (code) => failed(new Error(`serve ended with ${code}: ${said}`)));
    server.stdout.on("data", (data) => {
      said += data;
      const address = /^(http:\/\/\S+)$/m.exec(said)?.[1];
      if (address) found(address);
    });
  });
  origin = new URL(address).origin;
  token = new URL(address).searchParams.get("token");
  assert.match(token, /^[0-9a-f]{64}$/, "the printed address has the token");
  assert.match(said, /to create/, "the summary of the plan comes first");
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the printed address. */
const visit = () => open(chromium, { origin }, { path: `/?token=${token}` });
const edit = (name, change) =>
  writeFileSync(join(folder, "fleet", name), change(readFileSync(join(folder, "fleet", name), "utf8")));
const until = (page, wanted) =>
  page.waitForFunction(
    ([name, wanted]) => document.querySelector("ff-app").state.files.get(name)?.base?.includes(wanted),
    wanted,
  );
const value = (page) =>
  page.evaluate(async (subject) => {
    const { ok } = await document
      .querySelector("ff-app")
      .state.query({ op: "explain", subject, cluster: "eu-2", path: "replicas" }, 0);
    return ok.value;
  }, METRICS);

test("the token is exchanged for a cookie and leaves the address, and without it there is no page", async () => {
  const page = await visit();
  assert.equal(page.url().split("#")[0], `${origin}/`);
  await page.reload();
  await settled(page);
  check(page);
  await page.context().close();
  for (const path of ["/", "/v1/fleet", "/v1/updates"])
    assert.equal((await fetch(`${origin}${path}`)).status, 401, path);
});

test("the page shows the folder, follows it, and keeps edits on top", async () => {
  const page = await visit();
  await select(page, { subject: METRICS, cluster: "eu-2", path: "replicas" });
  assert.equal(await value(page), 3);

  edit("presets.yaml", (it) => it.replace("value: 3", "value: 7"));
  await until(page, ["fleet/presets.yaml", "value: 7"]);
  await settled(page);
  assert.equal(await value(page), 7);
  assert.match(await page.getByRole("status", { name: "What-if" }).innerText(), /no edits/);

  const mine = (await text(page, "fleet/presets.yaml")).replace("value: 7", "value: 9");
  await page.evaluate((mine) => document.querySelector("ff-app").state.setText("fleet/presets.yaml", mine), mine);
  await settled(page);
  edit("definitions.yaml", (it) => `${it}# touched\n`);
  await until(page, ["fleet/definitions.yaml", "# touched"]);
  await settled(page);
  assert.equal(await value(page), 9, "what was edited here stays");
  assert.equal(await text(page, "fleet/presets.yaml"), mine);
  assert.match(await page.getByRole("status", { name: "What-if" }).innerText(), /change/);
  for (const view of ["Fleet", "What-if", "Plan", "Permissions", "Picture", "Reference"]) await selectView(page, view);
  check(page);
  await page.context().close();
});

test("a folder that breaks is told, and the last good state stays", async () => {
  const page = await visit();
  const before = await value(page);
  edit("presets.yaml", (it) => `${it}---\nkind: [\n`);
  await page
    .getByRole("status")
    .filter({ hasText: /presets\.yaml/ })
    .first()
    .waitFor();
  await settled(page);
  assert.equal(await value(page), before);
  edit("presets.yaml", (it) => it.replace("---\nkind: [\n", ""));
  await page.waitForFunction(() => !document.querySelector("ff-app").shadowRoot.querySelector(".notice"));
  check(page);
  await page.context().close();
});

test("the plan of the page has the digest of the command line", async () => {
  const page = await visit();
  await selectView(page, "Plan");
  const shown = await page
    .locator("ff-plan")
    .getByText(/^sha256:[0-9a-f]{64}$/)
    .first()
    .innerText();
  const answer = await (
    await fetch(`${origin}/v1/call`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ op: "plan", now: `${new Date().toISOString().slice(0, 16)}:00Z` }),
    })
  ).json();
  assert.equal(shown, answer.ok.digest);
  check(page);
  await page.context().close();
});
