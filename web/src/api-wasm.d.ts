// What `import … from "….wasm"` gives: the module in `workerd.ts`, which workerd compiles, and the bytes in `inline.ts`, which
// `package.mjs` puts into the file.
declare module "./engine.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*/engine_bg.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
