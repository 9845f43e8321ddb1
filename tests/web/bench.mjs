// Measures the page against TARGETS: from a keystroke to the updated preview, what-if in the worker, and the bytes a
// browser downloads.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { browser, goTo, open, select, selectExample, settled, site, text } from "./harness.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const fleetfold = join(target, process.env.FLEETFOLD_PROFILE ?? "release", "fleetfold");
const served = await site();
const chromium = await browser();
const rows = [];
const told = (name, figure, goal, unit) =>
  rows.push([
    name,
    `${figure.toFixed(figure < 100 ? 1 : 0)} ${unit}`,
    `${goal} ${unit}`,
    figure <= goal ? "met" : "missed",
  ]);
const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];

const first = new Set(["index.html"]);
try {
  await (await open(chromium, served)).context().close();
  for (const it of served.requests) first.add(it.split(" ")[1].slice(1));
  await keystroke();
  await whatIf();
} finally {
  await chromium.close();
  await served.close();
}
sizes(first);
console.log("The page, in Chromium (median of the samples, wall clock)\n");
for (const row of [["", "figure", "target", ""], ...rows])
  console.log(
    row
      .map((cell, column) => (column === 1 || column === 2 ? cell.padStart(12) : cell.padEnd(58)))
      .join("  ")
      .trimEnd(),
  );

/** Types real keys into the editor. The measurement ends with the frame after the right column shows the new value. */
async function keystroke() {
  const page = await open(chromium, served);
  await selectExample(page, "thousand");
  const subject = "PluginPreset/acme/metrics";
  const file = "definition.yaml";
  // A cluster in which no other layer hides the default.
  const cluster = await page.evaluate(async (subject) => {
    const { ok } = await document.querySelector("ff-app").state.query({ op: "effective", subject, origins: true }, 0);
    return ok.results.find((it) =>
      it.options.some((option) => option.path === "logLevel" && option.from === "definition-default"),
    ).clusters[0];
  }, subject);
  await select(page, { subject, cluster, path: "logLevel" });
  const lines = (await text(page, file)).split("\n");
  const line = lines.findIndex((it) => it.includes("default: info"));
  await goTo(page, { file, line: line + 1, column: lines[line].indexOf("info") + 5 });
  await page.locator("ff-documents .cm-content").focus();
  const samples = [];
  for (let typed = 1; typed <= 25; typed += 1) {
    // Register the observer before the key is pressed.
    await page.evaluate(
      (wanted) =>
        void (globalThis.ffSeen = new Promise((done) => {
          const under = (node) => [
            node,
            ...[...node.querySelectorAll("*")].flatMap((it) => (it.shadowRoot ? under(it.shadowRoot) : [])),
          ];
          const column = document.querySelector("ff-app").shadowRoot.querySelector("ff-effective").shadowRoot;
          let pressed;
          addEventListener("keydown", (event) => (pressed = event.timeStamp), { capture: true, once: true });
          const look = () => {
            if (pressed === undefined || !under(column).some((it) => it.textContent.includes(wanted))) return;
            observer.disconnect();
            const seen = performance.now();
            requestAnimationFrame(() => done([seen - pressed, performance.now() - pressed]));
          };
          const observer = new MutationObserver(look);
          for (const node of under(column))
            observer.observe(node, { subtree: true, childList: true, characterData: true });
        })),
      `info${"x".repeat(typed)}`,
    );
    await page.keyboard.press("x");
    const [changed] = await page.evaluate(() => globalThis.ffSeen);
    if (typed > 5) samples.push(changed);
    await settled(page);
  }
  told("key to changed preview, 1,000 clusters, a default", median(samples), 16, "ms");
  await page.context().close();
}

/** Measured in the worker, including the message round trip. */
async function whatIf() {
  const folder = mkdtempSync(join(tmpdir(), "fleetfold-bench-"));
  execFileSync(fleetfold, ["example", "--clusters", "10000", "--dir", join(folder, "fleet")]);
  const files = Object.fromEntries(
    walk(join(folder, "fleet")).map((it) => [relative(join(folder, "fleet"), it), readFileSync(it, "utf8")]),
  );
  rmSync(folder, { recursive: true });
  const page = await open(chromium, served);
  const figures = await page.evaluate(async (files) => {
    const { state } = document.querySelector("ff-app");
    await state.open({
      id: "own",
      title: "ten thousand",
      complete: [],
      facts: [],
      files: Object.entries(files)
        .filter(([name]) => !name.startsWith("live/"))
        .map(([name, text]) => ({ name, text })),
    });
    const clusters = Object.values(files).find((it) => it.includes("kind: Cluster\n"));
    const one = clusters.split(/^---$/m).find((it) => it.includes("kind: Cluster\n"));
    const time = async (change) => {
      const samples = [];
      for (let at = 0; at < 9; at += 1) {
        const load = change(at);
        const started = performance.now();
        await state.engine.query("baseline", Number.MAX_SAFE_INTEGER, 0, { op: "whatIf", load });
        samples.push(performance.now() - started);
      }
      return samples;
    };
    return {
      label: await time((at) => ({ text: one.replace(/labels:\n/, `labels:\n    bench: b${at}\n`) })),
      default: await time((at) => ({
        file: "definition.yaml",
        text: files["definition.yaml"].replace("default: info", `default: info${at}`),
      })),
    };
  }, files);
  told("what-if in the worker, 10,000 clusters, one label", median(figures.label), 16, "ms");
  told("what-if in the worker, 10,000 clusters, a default", median(figures.default), 100, "ms");
  await page.context().close();
}

/** The files that opening the page downloads. The reference, schemas and completion load on demand. */
function sizes(first) {
  const zipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length / 1_000;
  const all = walk(served.folder).filter((it) => /\.(js|css|html|svg)$/.test(it));
  const sum = (paths) => paths.reduce((sum, it) => sum + zipped(it), 0);
  told("the package's wasm, gzip", zipped(join(root, "web", "dist", "engine.wasm")), 450, "KB");
  told(
    "the page as it is opened, without wasm, gzip",
    sum(all.filter((it) => first.has(relative(served.folder, it)))),
    250,
    "KB",
  );
  told("all of the page, without wasm, gzip", sum(all), 250, "KB");
}

function walk(path) {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((it) => walk(join(path, it))) : [path];
}
