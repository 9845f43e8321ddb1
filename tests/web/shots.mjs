// Screenshots of every view, light and dark, into docs/shots: `npm run shots`. The README shows them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, goTo, open, replace, select, selectExample, settled, site } from "./harness.mjs";

const out = process.argv[2] ?? fileURLToPath(new URL("../../docs/shots", import.meta.url));
const METRICS = "PluginPreset/acme/metrics";

/** The steps to each screenshot. */
const SHOTS = {
  documents: async (page) => {
    await select(page, { subject: METRICS, cluster: "eu-1", path: "replicas" });
    await goTo(page, { file: "greenhouse/presets.yaml", line: 29, column: 11 });
  },
  fleet: async (page) => {
    await selectExample(page, "thousand");
    await select(page, { view: "fleet", subject: METRICS });
  },
  effective: async (page) => select(page, { subject: METRICS, cluster: "eu-1", path: "replicas", compare: "us-1" }),
  "what-if": async (page) => {
    await selectExample(page, "thousand");
    await replace(page, "definition.yaml", "default: info", "default: warn");
    await select(page, {
      view: "whatif",
      subject: METRICS,
      file: "definition.yaml",
      cluster: "cluster-000002",
      path: "logLevel",
    });
  },
  plan: async (page) =>
    select(page, { view: "plan", subject: METRICS, cluster: "eu-1", file: "greenhouse/presets.yaml" }),
  permissions: async (page) => select(page, { view: "permissions", file: "ocm/team-a.yaml" }),
  picture: async (page) => {
    await replace(page, "greenhouse/presets.yaml", "value: 3", "value: 4");
    await select(page, {
      view: "picture",
      subject: METRICS,
      cluster: "eu-2",
      path: "replicas",
      file: "greenhouse/presets.yaml",
    });
  },
  reference: async (page) => select(page, { view: "reference" }),
};

mkdirSync(out, { recursive: true });
const [served, chromium] = [await site(), await browser()];
try {
  for (const [name, arrange] of Object.entries(SHOTS)) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(chromium, served, { colorScheme, reducedMotion: "reduce" });
      await arrange(page);
      await settled(page, { quiet: 400 });
      await page.screenshot({ path: join(out, `${name}-${colorScheme}.png`) });
      await page.context().close();
      console.log(`${name}-${colorScheme}.png`);
    }
  }
} finally {
  await chromium.close();
  await served.close();
}
