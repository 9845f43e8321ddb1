// JavaScript has no setting for how much memory an instance may take, but a module can say it of itself.

const MEMORY = 5;

/** The module with a maximum in its memory section. What is no module is left to those who compile it. */
export function limited(wasm, pages) {
  for (let at = 8; at < wasm.length;) {
    const size = number(wasm, at + 1);
    const end = size.end + size.value;
    if (wasm[at] === MEMORY) {
      // One memory, flags, the pages at the start.
      const start = number(wasm, size.end + 2);
      const section = [1, 1, ...leb(start.value), ...leb(pages)];
      return Buffer.concat([
        wasm.subarray(0, at),
        Buffer.from([MEMORY, section.length, ...section]),
        wasm.subarray(end),
      ]);
    }
    at = end;
  }
  return wasm;
}

/** WebAssembly's numbers: seven bits a byte, the lowest first. */
function number(wasm, at) {
  let [value, end] = [0, at];
  do value += (wasm[end] & 0x7f) * 2 ** (7 * (end - at));
  while (wasm[end++] & 0x80);
  return { value, end };
}

function leb(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
