// The Plan view: equal to the plan of the engine and the command line; held actions, needs, and the digest to approve.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  axe,
  browser,
  check,
  files,
  open,
  query,
  selectExample,
  selection,
  selectView,
  setText,
  settled,
  site,
  text,
} from "./harness.mjs";
import { shown } from "./visible-text.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const VIEW = { fromShadowDom: ["ff-app", "ff-plan"] };
const NOW = "2026-11-16T18:53:00Z";
let chromium, served;

before(async () => {
  [chromium, served] = [await browser(), await site()];
});
after(async () => {
  await chromium?.close();
  await served?.close();
});

/** Runs a story on its own page with a fixed clock and the view open. */
function story(name, tell, options = {}) {
  test(name, async () => {
    const page = await open(chromium, served, { settle: false, ...options, example: undefined });
    try {
      await page.addInitScript((now) => (Date.now = () => now), Date.parse(NOW) + 31_000);
      await page.reload();
      await settled(page);
      if (options.example) await selectExample(page, options.example);
      await selectView(page, "Plan");
      await tell(page, page.locator("ff-plan"));
      check(page);
    } finally {
      await page.context().close();
    }
  });
}

/** The plan of the command line for a folder of examples. */
function commandLine(...folders) {
  const run = spawnSync(
    join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", "fleetfold"),
    ["plan", ...folders.flatMap((it) => ["-f", `examples/${it}`]), "-o", "json", "--now", NOW],
    { cwd: root, encoding: "utf8" },
  );
  assert.ok(run.status === 0 || run.status === 1, run.stderr);
  return JSON.parse(run.stdout);
}

const planOf = async (page) => (await query(page, { op: "plan", now: NOW })).ok;

async function tally(view) {
  return view
    .getByLabel("Planned actions")
    .evaluate((row) =>
      Object.fromEntries(
        [...row.querySelectorAll("div")].map((it) => [
          it.querySelector("dt").textContent.trim(),
          it.querySelector("dd").textContent.trim(),
        ]),
      ),
    );
}

/** The number of actions in the cards of a section. */
async function actionsIn(section) {
  const names = await section.getByRole("article").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")));
  return names.reduce(
    (sum, it) => sum + 1 + Number((/ and ([\d,]+) more$/.exec(it)?.[1] ?? "0").replaceAll(",", "")),
    0,
  );
}

for (const example of ["greenhouse", "ocm", "kubefed", "kudo", "certmanager"]) {
  story(
    `counts, waves and digest of ${example} are those of the command line`,
    async (page, view) => {
      const plan = commandLine(example);
      const number = (verb) => `${plan.actions.filter((it) => it.verb === verb).length}`;
      assert.deepEqual(await tally(view), {
        "+ create": number("create"),
        "~ patch": number("patch"),
        "− delete": number("delete"),
        "‖ held": `${plan.held.length}`,
        "? to read first": `${plan.needs.length}`,
        [plan.status.length === 1 ? "status" : "statuses"]: `${plan.status.length}`,
      });
      if (plan.actions.length) assert.ok((await shown(view)).includes(`fleetfold approve ${plan.digest}`));
      else assert.match(await shown(view), /There is nothing to approve until more objects are read/);
      for (const wave of new Set(plan.actions.map((it) => it.wave))) {
        const section = view.getByRole("region", { name: `Wave ${wave}`, exact: true });
        assert.equal(await actionsIn(section), plan.actions.filter((it) => it.wave === wave).length, `wave ${wave}`);
      }
    },
    { example },
  );
}

story(
  "an action unfolds to its reason, differences and object, and leads to its document",
  async (page, view) => {
    const card = view.getByRole("article", { name: /^patch Plugin\/acme\/certs-lab/ });
    assert.match(await shown(card), /the live Plugin differs in\s+logLevel\s*,\s+proxy\.url/);
    await card.getByRole("button", { name: /patch Plugin/ }).click();
    assert.match(
      await shown(card.getByRole("row", { name: /optionValues/ })),
      /\/spec\/optionValues\s+changed[\s\S]*debug[\s\S]*→[\s\S]*warn/,
    );
    await card.getByText("the patch, 2 operations").click();
    assert.match(await shown(card.getByLabel("The patch")), /"op": "replace"/);
    await card.getByRole("button", { name: "to the document of Plugin/acme/certs-lab" }).click();
    await settled(page);
    assert.equal((await selection(page)).file, "plugins.yaml");
    const made = view.getByRole("article", { name: /^create Plugin\/acme\/certs-eu-1 and/ });
    await made.getByRole("button", { name: /create Plugin/ }).click();
    await made.getByRole("button", { name: "Plugin/acme/certs-eu-2" }).click();
    await made.getByText("the object").click();
    assert.match(await shown(made.getByLabel("The object")), /clusterName: eu-2/);
  },
  { example: "greenhouse" },
);

story(
  "what is held is told apart, with why and how to let it pass",
  async (page, view) => {
    await setText(
      page,
      "fleetfold.yaml",
      "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  limits: {changes: 1}\n",
    );
    const plan = await planOf(page);
    assert.ok(plan.held.length > 0);
    const held = view.getByRole("region", { name: "Held" });
    assert.equal(await actionsIn(held), plan.held.length);
    const plain = (it) => it.replaceAll("`", "").replace(/\s+/g, " ");
    const said = plain(await shown(held));
    for (const it of plan.held)
      for (const part of [it.held.text, it.held.hint]) assert.ok(said.includes(plain(part)), `${part} in ${said}`);
    assert.equal((await tally(view))["‖ held"], `${plan.held.length}`);
  },
  { example: "greenhouse" },
);

story(
  "what was pasted answers what had to be seen",
  async (page, view) => {
    const before = await planOf(page);
    assert.ok(before.needs.length > 1 && before.actions.length === 0);
    const need = view.getByRole("article", { name: "To read in the hub" });
    await need.getByRole("button", { name: "paste observed objects" }).click();
    const area = need.getByRole("textbox", { name: "Observed objects in the hub" });
    await area.fill("kind: [");
    await need.getByRole("button", { name: "load as observed in the hub" }).click();
    assert.match(await need.getByRole("alert").innerText(), /^line \d+, column \d+: /);
    assert.ok(!(await files(page)).includes("live/_hub/pasted.yaml"));
    assert.match(await shown(need), /Objects that are missing there count as absent/);
    const wanted = before.needs.find((it) => it.kind === "ConfigMap");
    await area.fill(
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${wanted.name}, namespace: ${wanted.namespace}}\n` +
        "data: {other: thing}\n",
    );
    await need.getByRole("button", { name: "load as observed in the hub" }).click();
    await settled(page);
    const after = await planOf(page);
    assert.equal(after.needs.length, 0);
    assert.equal((await tally(view))["? to read first"], "0");
    assert.equal(await need.count(), 0);
    assert.match(await text(page, "live/_hub/pasted.yaml"), /other: thing/);
  },
  { example: "kudo" },
);

story(
  "a cluster can be told to have nothing of it",
  async (page, view) => {
    const need = view.getByRole("article", { name: "To read in the hub" });
    await need.getByRole("button", { name: "paste observed objects" }).click();
    await need.getByRole("button", { name: "none of them exist" }).click();
    await settled(page);
    const plan = await planOf(page);
    assert.equal(plan.needs.length, 0);
    assert.ok(plan.actions.length > 0);
    assert.equal((await tally(view))["+ create"], `${plan.actions.filter((it) => it.verb === "create").length}`);
  },
  { example: "certmanager" },
);

story(
  "a thousand actions are a handful of groups, and filters find one",
  async (page, view) => {
    const plan = await planOf(page);
    assert.ok(plan.actions.length > 1000);
    assert.ok((await view.locator("ff-actions").count()) < 20);
    const big = view.getByRole("article", { name: /^create Plugin\/acme\/metrics-cluster-\d+ and 9\d\d more$/ });
    await big.getByRole("button", { name: /^▸? ?create Plugin/ }).click();
    assert.equal(await big.locator(".one").count(), 50);
    await view.getByRole("searchbox", { name: "Find in actions" }).fill("cluster-000777");
    assert.match(await shown(view), new RegExp(`\\b1 of ${plan.actions.length.toLocaleString("en")} actions`));
    await view.getByRole("button", { name: "show all", exact: true }).click();
    await view.getByRole("combobox", { name: "Verb" }).selectOption("patch");
    const patches = plan.actions.filter((it) => it.verb === "patch").length;
    assert.match(await shown(view), new RegExp(`\\b${patches} of `));
    await view.getByRole("combobox", { name: "Cluster" }).selectOption("cluster-000003");
    assert.match(
      await shown(view),
      new RegExp(
        `\\b${plan.actions.filter((it) => it.verb === "patch" && it.cluster === "cluster-000003").length} of `,
      ),
    );
  },
  { example: "thousand" },
);

story(
  "statuses are counted and unfold",
  async (page, view) => {
    const plan = await planOf(page);
    const statuses = view.getByRole("region", { name: "Statuses" });
    assert.match(await shown(statuses), new RegExp(`Statuses\\s+${plan.status.length} to update`));
    await statuses.getByText(`Plugin/acme/certs-lab`).first().click();
    assert.match(await shown(statuses.getByLabel("The status").first()), /appliedOverrides/);
  },
  { example: "greenhouse" },
);

story(
  "the digest and the command are copied",
  async (page, view) => {
    const { digest } = await planOf(page);
    await view.getByRole("button", { name: "copy the digest" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), digest);
    await view.getByRole("button", { name: "copy the command that approves it" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `fleetfold approve ${digest}`);
  },
  { example: "greenhouse", permissions: ["clipboard-read", "clipboard-write"] },
);

test("with masked Secrets the server gives the digest, and with edits nobody does", async () => {
  const page = await open(chromium, served, {});
  try {
    await page.evaluate(async () => {
      const { state } = document.querySelector("ff-app");
      await state.open({ ...state.source, id: "served", masked: true, digest: "sha256:served" });
    });
    await selectView(page, "Plan");
    const view = page.locator("ff-plan");
    await view.getByText("fleetfold approve sha256:served").waitFor();
    await setText(
      page,
      "greenhouse/presets.yaml",
      (await text(page, "greenhouse/presets.yaml")).replace("value: 3}", "value: 4}"),
    );
    assert.match(await shown(view), /This digest covers masked Secrets only/);
    assert.ok(
      (await shown(view)).includes(
        (
          await query(
            page,
            await page.evaluate(() => ({ op: "plan", now: `${new Date().toISOString().slice(0, 16)}:00Z` })),
          )
        ).ok.digest,
      ),
    );
    check(page);
  } finally {
    await page.context().close();
  }
});

story(
  "what documents say is text",
  async (page, view) => {
    const hostile = '<img src=x onerror="globalThis.pwned=1">';
    const file = "presets.yaml";
    await setText(page, file, (await text(page, file)).replace("value: acme-ca", `value: ${JSON.stringify(hostile)}`));
    const made = view.getByRole("article", { name: /^create Plugin\/acme\/certs-eu-1/ });
    await made.getByRole("button", { name: /create Plugin/ }).click();
    await made.getByRole("button", { name: "Plugin/acme/certs-eu-2" }).click();
    await made.getByText("the object").click();
    assert.ok((await shown(made)).includes("<img src=x onerror="));
    assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  },
  { example: "greenhouse" },
);

story(
  "the keyboard alone reaches filters, groups, details and the paste box",
  async (page, view) => {
    const focused = () =>
      page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at?.getAttribute("aria-label") ?? at?.textContent?.trim();
      });
    await page.getByRole("tab", { name: "Plan" }).focus();
    for (let step = 0; step < 80 && (await focused()) !== "paste observed objects"; step++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    for (let step = 0; step < 10 && (await focused()) !== "Observed objects in the hub"; step++)
      await page.keyboard.press("Tab");
    assert.equal(await focused(), "Observed objects in the hub");
  },
  { example: "kudo" },
);

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page, view) => {
      await view.locator("ff-actions").first().getByRole("button").first().click();
      await setText(
        page,
        "fleetfold.yaml",
        "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  limits: {changes: 1}\n",
      );
      assert.deepEqual(await axe(page, { within: VIEW }), []);
    },
    { colorScheme, example: "thousand" },
  );
}
