// The page: a folder of files with relative URLs that any file server can serve under a strict content security policy.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  publicDir: "engine/public",
  build: {
    outDir: "site",
    emptyOutDir: true,
    target: "es2022",
    // Nothing is inlined: `data:` URLs would need a weaker policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
});
