// Builds the npm package: `dist/`, from `src/` and the engine. All entry points share one WebAssembly file; `inline.js`
// embeds its own.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = fileURLToPath(new URL(".", import.meta.url));
/** Renamed to `dist` when it is complete. */
const dist = join(web, `.dist-${process.pid}`);
const source = (name) => join(web, "src", name);

/** A bundler may turn the file into a URL or a module; the engine starts from either. */
const WASM =
  'import type { EngineSource } from "./index.js";\ndeclare const source: EngineSource;\nexport default source;\n';

/** `Symbol.dispose`, for programs that are compiled for older JavaScript. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n';

/** Resolves `?url` imports as Vite does for the page: to URLs of files beside the script. */
const besides = {
  name: "besides",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm\?url$/ }, () => ({ path: "engine.wasm", namespace: "address" }));
    onLoad({ filter: /.*/, namespace: "address" }, ({ path }) => ({
      contents: `export default new URL("./${path}", import.meta.url).href;`,
    }));
  },
};

process.on("exit", () => rmSync(dist, { recursive: true, force: true }));
mkdirSync(dist);
copyFileSync(join(web, "engine", "engine_bg.wasm"), join(dist, "engine.wasm"));
copyFileSync(join(web, "..", "core", "src", "api", "contract.schema.json"), join(dist, "schema.json"));
copyFileSync(join(web, "..", "LICENSE"), join(dist, "LICENSE"));
await scripts();
types();
rmSync(join(web, "dist"), { recursive: true, force: true });
renameSync(dist, join(web, "dist"));

async function scripts() {
  const all = {
    bundle: true,
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    legalComments: "eof",
    absWorkingDir: web,
  };
  const out = (name) => join(dist, name);
  const esm = { ...all, format: "esm" };
  const node = { ...all, platform: "node", entryPoints: [source("node.ts")] };
  // Both entry points share one error class.
  await build({
    ...esm,
    entryPoints: [source("web.ts"), source("worker.ts")],
    outdir: dist,
    splitting: true,
    chunkNames: "shared",
  });
  await build({ ...esm, entryPoints: [source("worker-script.ts")], outfile: out("worker-script.js") });
  await build({ ...esm, entryPoints: [source("workerd.ts")], outfile: out("workerd.js"), external: ["./engine.wasm"] });
  await build({ ...esm, entryPoints: [source("inline.ts")], outfile: out("inline.js"), loader: { ".wasm": "binary" } });
  await build({ ...node, format: "esm", outfile: out("node.js") });
  const here = {
    define: { "import.meta.url": "here" },
    banner: { js: 'const here = require("node:url").pathToFileURL(__filename);' },
  };
  await build({ ...node, ...here, format: "cjs", outfile: out("node.cjs") });
  const once = { define: { "customElements.define": "defineOnce" }, inject: [source("element/define.ts")] };
  await build({ ...esm, ...once, entryPoints: [source("element/index.ts")], outfile: out("element.js"), minify: true });
  await build({
    ...esm,
    entryPoints: [source("page/engine.worker.ts")],
    outfile: out("element-worker.js"),
    minify: true,
    plugins: [besides],
  });
}

/** Writes self-contained types: one file for all entry points, and a copy for CommonJS. */
function types() {
  const made = mkdtempSync(join(dist, ".types-"));
  const files = ["web.ts", "worker.ts", "api-wasm.d.ts"].map(source);
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: web,
    outDir: made,
  };
  writeFileSync(
    join(made, "tsconfig.json"),
    JSON.stringify({ extends: join(web, "tsconfig.json"), files, include: [], compilerOptions }),
  );
  execFileSync(join(web, "..", "node_modules", ".bin", "tsc"), ["-p", made], {
    stdio: ["ignore", process.stderr, "inherit"],
  });

  const parts = ["contract.d.ts", "src/api-call.d.ts", "src/api-start.d.ts", "src/api.d.ts", "src/web.d.ts"];
  const index = told(parts.map((it) => own(readFileSync(join(made, it), "utf8"))).join("\n"));
  for (const name of ["index.d.ts", "index.d.cts"])
    writeFileSync(join(dist, name), `${DISPOSABLE}${index}\nexport {};\n`);
  const worker = readFileSync(join(made, "src/worker.d.ts"), "utf8");
  writeFileSync(
    join(dist, "worker.d.ts"),
    DISPOSABLE + worker.replace(/"(\.\.\/contract|\.\/api-call|\.\/api-start)\.js"/g, '"./index.js"'),
  );
  writeFileSync(join(dist, "worker-script.d.ts"), "export {};\n");
  writeFileSync(join(dist, "engine.wasm.d.ts"), WASM);
  copyFileSync(source("element/element.d.ts"), join(dist, "element.d.ts"));
  copyFileSync(source("element/react.d.ts"), join(dist, "element-react.d.ts"));
  rmSync(made, { recursive: true });
}

/** Removes the imports and exports between the parts, which end up in one file. */
function own(types) {
  return types
    .split("\n")
    .filter((it) => !/^(import .*|export .* from ".*"|export \{\});?$/.test(it))
    .join("\n");
}

/** Copies the description of each op to its function, so that editors show it as they do for methods. */
function told(types) {
  return types.replace(/^export declare const (\w+): Ops\["\w+"\];$/gm, (declared, op) => {
    const [, doc] = types.match(new RegExp(`^ +(/\\*\\* .* \\*/)\n +${op}: \\w+Request;$`, "m")) ?? [];
    return doc ? `${doc}\n${declared}` : declared;
  });
}
