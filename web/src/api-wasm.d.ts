// The types of `import … from "….wasm"`: a module in `workerd.ts`, compiled by workerd, and bytes in `inline.ts`,
// embedded by `package.mjs`.
declare module "./engine.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*/engine_bg.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
