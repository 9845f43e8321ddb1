// Builds the demos into a folder: `node web/demo/build.mjs OUT`. They use the package as its users do: bundled, and as
// plain files.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** `dist` is the built package. */
export async function demos(out, dist = join(here, "..", "dist")) {
  mkdirSync(out, { recursive: true });
  // Plain pages load the package's files directly.
  for (const it of ["index.html", "page.css", "plain.html", "plain.js"]) cpSync(join(here, it), join(out, it));
  for (const it of ["element.js", "element-worker.js", "engine.wasm"]) cpSync(join(dist, it), join(out, it));
  cpSync(join(here, "..", "engine", "public", "examples", "mixed.json"), join(out, "mixed.json"));
  for (const it of ["react", "headlamp"]) {
    await build({
      entryPoints: [join(here, it, "main.jsx")],
      outfile: join(out, it, "main.js"),
      bundle: true,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      minify: true,
      logLevel: "warning",
      define: { "process.env.NODE_ENV": '"production"' },
      alias: {
        "fleetfold/element": join(dist, "element.js"),
        // Resolves Headlamp's modules to the stand-in.
        "@kinvolk/headlamp-plugin/lib/CommonComponents": join(here, "headlamp", "headlamp.jsx"),
        "@kinvolk/headlamp-plugin/lib": join(here, "headlamp", "headlamp.jsx"),
      },
    });
    cpSync(join(here, it, "index.html"), join(out, it, "index.html"));
    // The bundle contains the element; its worker and the engine must be files beside it.
    for (const file of ["element-worker.js", "engine.wasm"]) cpSync(join(dist, file), join(out, it, file));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await demos(process.argv[2] ?? join(here, "out"));
