// The Permissions view: who may set which label and bind which set, by which rule, and which sets a change joins and
// leaves.
import assert from "node:assert/strict";
import { axe, query, selection, selectView, setText, settled, text } from "./harness.mjs";
import { shown } from "./visible-text.mjs";
import { stories } from "./stories.mjs";

const SET = "cluster.open-cluster-management.io/clusterset";
const VIEW = { fromShadowDom: ["ff-app", "ff-permissions"] };
const story = stories(
  async (page) => {
    await selectView(page, "Permissions");
    return page.locator("ff-permissions");
  },
  { example: "ocm" },
);

const answer = (view) => view.getByRole("region", { name: "Answer" });

async function fill(page, view, { who, cluster, key, value, remove }) {
  if (who !== undefined) await view.getByLabel("who", { exact: true }).selectOption({ label: who });
  if (cluster !== undefined) {
    await view.getByLabel("cluster", { exact: true }).fill(cluster);
    await page.keyboard.press("Tab");
  }
  if (key !== undefined) await view.getByLabel("Key").fill(key);
  if (value !== undefined) await view.getByLabel("Value").fill(value);
  if (remove) await view.getByLabel("take off").check();
  await settled(page);
}

/** The line number of a string in a file. */
async function lineOf(page, file, what) {
  return (await text(page, file)).split("\n").findIndex((it) => it.includes(what)) + 1;
}

/** Clicks a link and returns the position that the editor opened. */
async function follow(page, link) {
  await page.evaluate(() =>
    document
      .querySelector("ff-app")
      .state.addEventListener("open", (event) => (globalThis.went = event.detail), { once: true }),
  );
  await link.click();
  await page.waitForFunction(() => globalThis.went);
  return page.evaluate(() => {
    const { went } = globalThis;
    globalThis.went = undefined;
    return went;
  });
}

story("it begins with a question from the documents, already answered", async (page, view) => {
  const who = await view.getByLabel("who", { exact: true }).evaluate((it) => it.selectedOptions[0].textContent);
  assert.equal(who, "group team-a");
  const cluster = await view.getByLabel("cluster", { exact: true }).inputValue();
  const [key, value] = [await view.getByLabel("Key").inputValue(), await view.getByLabel("Value").inputValue()];
  const { ok } = await query(page, {
    op: "explain",
    user: { name: "somebody", groups: ["team-a", "system:authenticated"] },
    cluster,
    labels: { [key]: value },
  });
  assert.ok(ok.checks.length > 0);
  assert.match(await shown(answer(view)), new RegExp(ok.allowed ? "Allowed" : "Denied"));
});

story("allowed: the rule that grants is named and leads to its line", async (page, view) => {
  await fill(page, view, { who: "ada", cluster: "c4", key: SET, value: "dev" });
  const said = await shown(answer(view));
  assert.match(said, /Allowed:\s*ada may set cluster\.open-cluster-management\.io\/clusterset=dev on c4\./);
  assert.match(
    said,
    new RegExp(
      "create managedclusters/label cluster\\.open-cluster-management\\.io/clusterset:dev not granted" +
        "[\\s\\S]*clusterset:\\* granted",
    ),
  );
  assert.match(said, /granted by ClusterRoleBinding\/all-sets → ClusterRole\/all-sets → rule 1/);
  assert.match(said, /The cluster joins dev/);
  const rule = await follow(page, answer(view).getByRole("button", { name: "rule 1" }).first());
  const role = await lineOf(page, "permissions.yaml", "name: all-sets");
  assert.deepEqual([rule.file, rule.line], ["permissions.yaml", role + 2]);
  const binding = await follow(page, answer(view).getByRole("button", { name: "ClusterRoleBinding/all-sets" }).first());
  assert.ok(binding.line > rule.line);
  assert.equal((await selection(page)).file, "permissions.yaml");
});

story(
  "denied: every permission that was looked for is listed, and the rule that would allow it",
  async (page, view) => {
    await fill(page, view, { who: "group team-a", cluster: "c4", key: SET, value: "dev" });
    const said = await shown(answer(view));
    assert.match(said, /Denied:\s*somebody in team-a may not set/);
    const { ok } = await query(page, {
      op: "explain",
      user: { name: "somebody", groups: ["team-a", "system:authenticated"] },
      cluster: "c4",
      labels: { [SET]: "dev" },
    });
    for (const it of ok.checks.flatMap((it) => it.asked)) assert.ok(said.includes(`create ${it}`), it);
    assert.match(said, /granted by ClusterRoleBinding\/dev-set → ClusterRole\/dev-set → rule 1/);
    await answer(view).getByText("the rules that would allow it").click();
    assert.match(
      await shown(answer(view).getByLabel("The rules that would allow it")),
      /resourceNames: \["cluster\.open-cluster-management\.io\/clusterset:default"\]/,
    );
  },
);

story("a label that is taken off leaves the set", async (page, view) => {
  await fill(page, view, { who: "ada", cluster: "c1", key: SET, remove: true });
  const said = await shown(answer(view));
  assert.match(said, /Allowed:\s*ada may take off/);
  assert.match(said, /The cluster leaves dev/);
});

story("a label that nobody guards is warned of", async (page, view) => {
  await fill(page, view, { who: "group team-a", cluster: "c4", key: "vendor", value: "openshift" });
  assert.match(await shown(answer(view)), /Allowed[\s\S]*joins openshift[\s\S]*no permission protects/);
});

story("binding a set is asked for as well", async (page, view) => {
  await view.getByLabel("bind a set").check();
  await view.getByLabel("set", { exact: true }).selectOption("openshift");
  await settled(page);
  assert.match(
    await shown(answer(view)),
    new RegExp(
      "Allowed:\\s*somebody in team-a may bind the set openshift[\\s\\S]*" +
        "granted by ClusterRoleBinding/dev-set → ClusterRole/dev-set → rule 2",
    ),
  );
  await view.getByLabel("who", { exact: true }).selectOption({ label: "somebody else" });
  await settled(page);
  assert.match(await shown(answer(view)), /Denied:\s*somebody may not bind the set openshift/);
});

story("the overview says for everybody what the engine says, and a click asks why", async (page, view) => {
  const table = view.getByRole("table", { name: /Who may set which label/ });
  const cluster = await view.getByLabel("cluster", { exact: true }).inputValue();
  const cells = {
    "group team-a": { name: "somebody", groups: ["team-a", "system:authenticated"] },
    ada: { name: "ada" },
    "service account ops/placer": { name: "system:serviceaccount:ops:placer" },
  };
  for (const [who, user] of Object.entries(cells)) {
    const { ok } = await query(page, { op: "explain", user, cluster, labels: { [SET]: "dev" } });
    const word = ok.allowed
      ? "may"
      : ok.checks.some((it) => it.change === "add" && it.granted)
        ? "add only"
        : "may not";
    assert.equal(
      await table.getByRole("button", { name: `${who}, set ${SET}=dev: ${word}` }).count(),
      1,
      `${who}: ${word}`,
    );
  }
  await table.getByRole("button", { name: "ada, bind dev: may" }).click();
  await settled(page);
  assert.match(await shown(answer(view)), /Allowed:\s*ada may bind the set dev/);
});

story("an edit of a role shows at once", async (page, view) => {
  await fill(page, view, { who: "ada", cluster: "c4", key: SET, value: "dev" });
  assert.match(await shown(answer(view)), /Allowed/);
  await setText(
    page,
    "permissions.yaml",
    (await text(page, "permissions.yaml")).replace("clusterset:*", "clusterset:qa"),
  );
  assert.match(await shown(answer(view)), /Denied/);
});

story("what cannot be a label is told", async (page, view) => {
  await fill(page, view, { key: "a b", value: "c" });
  assert.match(await shown(answer(view)), /the label key/);
});

story(
  "without clusters of this kind it teaches, and opens the example",
  async (page, view) => {
    assert.match(await shown(view), /There is no ManagedCluster[\s\S]*kind: ManagedCluster/);
    await view.getByRole("button", { name: "open the example of Open Cluster Management" }).click();
    await settled(page);
    assert.match(await shown(answer(view)), /Allowed|Denied/);
  },
  { example: "greenhouse" },
);

story("without roles it teaches how to give one", async (page, view) => {
  await setText(page, "permissions.yaml", "# nobody\n");
  assert.match(await shown(view), /No ClusterRoleBinding among the documents/);
});

story(
  "a thousand clusters to choose from, and many sets",
  async (page, view) => {
    assert.match(await shown(answer(view)), /Allowed|Denied/);
    await fill(page, view, { cluster: "cluster-000777" });
    assert.match(await shown(answer(view)), /on cluster-000777\./);
    // Twenty sets by the default label, one by its own label, and the labels that the placement selects.
    assert.ok((await view.getByRole("button", { name: /^group team-00, set .*: / }).count()) >= 21);
  },
  { example: "thousand" },
);

story("the keyboard alone asks another question", async (page, view) => {
  const focused = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.getAttribute("aria-label") || at?.id || at?.textContent?.trim();
    });
  await view.getByLabel("who", { exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  for (let step = 0; step < 20 && (await focused()) !== "Value"; step++) await page.keyboard.press("Tab");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("qa");
  await settled(page);
  assert.match(await shown(answer(view)), /Allowed:\s*ada may set \S+=qa/);
  for (let step = 0; step < 40 && !/^ada, bind dev/.test(await focused()); step++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await shown(answer(view)), /ada may bind the set dev/);
});

story("what documents say is text", async (page, view) => {
  const hostile = '<img src=x onerror="globalThis.pwned=1">';
  await setText(
    page,
    "permissions.yaml",
    (await text(page, "permissions.yaml")).replaceAll("name: team-a", `name: ${JSON.stringify(hostile)}`),
  );
  assert.ok((await shown(view)).includes(hostile));
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page, view) => {
      await fill(page, view, { who: "group team-a", cluster: "c4", key: SET, value: "dev" });
      assert.deepEqual(await axe(page, { within: VIEW }), []);
      await fill(page, view, { who: "ada", key: "vendor", value: "openshift" });
      assert.deepEqual(await axe(page, { within: VIEW }), []);
    },
    { colorScheme },
  );
}
