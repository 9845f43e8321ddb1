/** One workspace: an instance of the module. Returns what answers its requests. After an exception, make another. */
export function workspace(module) {
  const { exports } = new WebAssembly.Instance(module);
  const { memory, fleetfold_abi, fleetfold_alloc, fleetfold_free, fleetfold_call } = exports;
  const abi = fleetfold_abi?.();
  if (abi !== 1) throw new Error(`the module has ABI ${abi}, this host has 1`);
  return (request) => {
    const bytes = new TextEncoder().encode(request);
    const place = fleetfold_alloc(bytes.length) >>> 0;
    if (place === 0) throw new Error(`the module has no room for ${bytes.length} bytes`);
    // The memory may have grown, so its buffer is read again each time.
    new Uint8Array(memory.buffer, place).set(bytes);
    const answer = BigInt.asUintN(64, fleetfold_call(place, bytes.length));
    const [start, length] = [Number(answer >> 32n), Number(answer & 0xffffffffn)];
    const text = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(memory.buffer, start, length));
    fleetfold_free(place, bytes.length);
    fleetfold_free(start, length);
    return text;
  };
}
