// The reference in the page: every request runs, every field and code is listed, and links open them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { axe, query, select, selectView, settled } from "./harness.mjs";
import { shown, shows } from "./visible-text.mjs";
import { stories } from "./stories.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const VIEW = { fromShadowDom: ["ff-app", "ff-reference"] };
const codes = [...readFileSync(`${root}docs/codes.md`, "utf8").matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(
  ([, name, means]) => ({ name, means }),
);
const schema = JSON.parse(readFileSync(`${root}core/src/api/contract.schema.json`, "utf8"));
const story = stories(async (page) => {
  await selectView(page, "Reference");
  const view = page.locator("ff-reference");
  await view.getByRole("heading", { name: "Reference", exact: true }).waitFor();
  return view;
});

const answered = (view) => view.locator("[data-answer]").getAttribute("data-answer");
const answer = (view) => view.getByRole("group", { name: "the answer of the engine" });
const request = (view) => view.getByRole("textbox", { name: "request" });

story("every op has a page whose example is answered, away from the loaded fleet", async (page, view) => {
  const { ok: before } = await query(page, { op: "clusters" });
  const { ok } = await query(page, { op: "describe" });
  for (const op of ok.ops) {
    await select(page, { path: `op:${op}` });
    await view.getByRole("region", { name: op, exact: true }).waitFor();
    await page.waitForFunction(
      () =>
        document
          .querySelector("ff-app")
          .shadowRoot.querySelector("ff-reference")
          .shadowRoot.querySelector("ff-reference-pages")
          .shadowRoot.querySelector("ff-try")
          .shadowRoot.querySelector("[data-answer]").dataset.answer,
    );
    assert.equal(await answered(view), "ok", `${op}: ${await shown(answer(view))}`);
    // Every field of the request is listed with its description from the schema.
    const record = Object.values(schema.$defs).find((it) => it.properties?.op?.const === op);
    const fields = await shown(view.getByRole("region", { name: "Request", exact: true }));
    for (const field of Object.keys(record.properties).filter((it) => it !== "op"))
      assert.ok(fields.includes(field), `${op}.${field}`);
    assert.notEqual(await shown(view.getByRole("region", { name: "Answer", exact: true })), "", op);
    assert.equal(
      (await shown(view.getByRole("region", { name: "Answer", exact: true }))).includes("No fields"),
      false,
      op,
    );
  }
  assert.deepEqual((await query(page, { op: "clusters" })).ok, before);
});

story("a changed request is answered at once, and errors name the place and what to do", async (page, view) => {
  await select(page, { path: "op:plan" });
  await request(view).fill('{"op": "plan", "nope": 1}');
  await view.getByRole("alert").waitFor();
  assert.match(
    await shown(view.getByRole("alert")),
    /unknown-field[\s\S]*nope[\s\S]*at \/nope[\s\S]*known here: scope, now/,
  );
  await request(view).fill("{");
  await shows(view.getByRole("alert"), /bad-json/);
  await view.getByRole("button", { name: "as it was" }).click();
  await view.locator('[data-answer="ok"]').waitFor();
});

story("integers beyond 2^53 come back as they were", async (page, view) => {
  await select(page, { path: "op:parse" });
  await request(view).fill('{"op": "parse", "text": "a: 9007199254740993"}');
  await shows(answer(view), /9007199254740993/);
});

story("integers beyond 2^53 in a request reach the engine as they were typed", async (page, view) => {
  await select(page, { path: "op:patch" });
  const object = '{"n": [9007199254740993, -9223372036854775808, 7], "__proto__": {"m": 9007199254740995}}';
  await request(view).fill(`{"op": "patch", "object": ${object}, "patch": []}`);
  await shows(answer(view), /9007199254740995/);
  const said = await answer(view).evaluate((it) => it.textContent.replace(/\s/g, ""));
  assert.equal(
    said,
    '{"ok":{"object":{"__proto__":{"m":9007199254740995},"n":[9007199254740993,-9223372036854775808,7]}}}',
  );
  // The next integer is an error of the engine, at its place.
  await request(view).fill('{"op": "patch", "object": {"n": 9223372036854775808}, "patch": []}');
  await shows(view.getByRole("alert"), /integer-out-of-range[\s\S]*at \/object\/n/);
});

story("a record that a field names opens below", async (page, view) => {
  await select(page, { path: "op:whatIf" });
  await view.getByRole("region", { name: "Answer", exact: true }).getByRole("button", { name: "ChangeGroup" }).click();
  const record = view.getByRole("group").filter({ hasText: "Clusters with the same changes" });
  assert.match(await shown(record), /changes\s+list of\s+ChangeAnswer/);
});

story(
  "the same request for a shell runs there, with the same answer",
  async (page, view) => {
    await select(page, { path: "op:effective" });
    await settled(page);
    await view.getByRole("button", { name: "fleetfold call" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const run = spawnSync("sh", ["-c", command], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, PATH: `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug:${process.env.PATH}` },
    });
    const said = JSON.parse(run.stdout.trim().split("\n").at(-1));
    assert.deepEqual(JSON.parse(await answer(view).evaluate((it) => it.textContent)), said);
    await view.getByRole("button", { name: "curl" }).click();
    assert.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /^curl [^\n]*\/v1\/call[^\n]*"op":"load"[\s\S]*\ncurl [^\n]*"op":"effective"/,
    );
    await view.getByRole("button", { name: "JavaScript" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /import \{ Workspace \} from "fleetfold"/);
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

story("every code is listed, can be searched, and is found by a link", async (page, view) => {
  await view.getByRole("button", { name: "Codes" }).click();
  const said = await shown(view);
  for (const { name } of codes) assert.ok(said.includes(name), name);
  assert.match(said, new RegExp(`${codes.length} codes`));
  await view.getByRole("searchbox", { name: "Find a code" }).fill("shadow");
  const wanted = codes.filter((it) => `${it.name} ${it.means.toLowerCase()}`.includes("shadow"));
  assert.match(await shown(view), new RegExp(`\\b${wanted.length} codes?\\b`));
  await select(page, { view: "groups" });
  await select(page, { view: "reference", path: "code:wrong-type" });
  const row = view.getByRole("row", { name: /^wrong-type/ });
  await row.waitFor();
  assert.equal(await row.getAttribute("aria-current"), "true");
  const box = await row.boundingBox();
  assert.ok(box.y > 60 && box.y < 880, `${box.y}`);
  assert.equal(
    await page.evaluate(() => document.querySelector("ff-app").scrollTop + document.scrollingElement.scrollTop),
    0,
  );
});

story("the guide says how to read the page and has every key", async (page, view) => {
  const said = await shown(view);
  for (const part of [
    "How to read this page",
    "What-if is always on",
    "Unknown is not absent",
    "next change of a what-if",
    "compare the cluster",
  ])
    assert.ok(said.includes(part), part);
});

story("the keyboard alone chooses an op and changes its request", async (page, view) => {
  const focused = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.id || at?.textContent?.trim();
    });
  const tabTo = async (wanted) => {
    for (let step = 0; step < 80 && (await focused()) !== wanted; step++) await page.keyboard.press("Tab");
    assert.equal(await focused(), wanted);
  };
  await view.getByRole("button", { name: "Guide" }).focus();
  await tabTo("Requests");
  await page.keyboard.press("Enter");
  await tabTo("lint");
  await page.keyboard.press("Enter");
  await tabTo("request");
  await page.keyboard.press("Control+A");
  await page.keyboard.type('{"op":"subjects"}');
  await shows(answer(view), /PluginPreset\/acme\/metrics/);
});

story("what somebody writes into a request is text", async (page, view) => {
  await select(page, { path: "op:parse" });
  const hostile = '<img src=x onerror="globalThis.pwned=1">';
  await request(view).fill(JSON.stringify({ op: "parse", text: JSON.stringify(hostile), [hostile]: 1 }));
  await view.getByRole("alert").waitFor();
  assert.ok((await shown(view.getByRole("alert"))).includes(hostile));
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page, view) => {
      for (const chapter of ["Guide", "Codes", "Requests"]) {
        await view.getByRole("button", { name: chapter }).click();
        await settled(page);
        assert.deepEqual(await axe(page, { within: VIEW }), [], chapter);
      }
    },
    { colorScheme },
  );
}
