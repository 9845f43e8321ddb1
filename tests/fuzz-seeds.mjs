// The first inputs of the fuzz targets: what the vectors hold.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const vectors = fileURLToPath(new URL("vectors", import.meta.url));

function* files(folder = vectors) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith(".json")) yield JSON.parse(readFileSync(path, "utf8"));
  }
}

const steps = (vector) => vector.steps ?? [vector];
const requestText = (step) => step.text ?? JSON.stringify(step.request);
const requests = () =>
  [...files()].flatMap((it) => [...(it.given ?? []).map((one) => JSON.stringify(one)), ...steps(it).map(requestText)]);

/** Every text in a value, with its key. */
function* texts(value, key = "") {
  if (typeof value === "string") yield [key, value];
  else if (value && typeof value === "object")
    for (const [name, inner] of Object.entries(value)) yield* texts(inner, Array.isArray(value) ? key : name);
}

const textsOf = (accept) => () => {
  const found = [...files()].flatMap((it) => [...(it.given ?? []), ...steps(it).map((step) => step.request)]);
  const all = found.flatMap((it) => [...texts(it)]).filter(([key, text]) => accept(key, text));
  return [...new Set(all.map(([, text]) => text))];
};

/** By target. */
export const SEEDS = {
  cel: textsOf((key, text) => /cel|expression/i.test(key) || /\$\{/.test(text)),
  history: () =>
    [...files()].map((it) =>
      [...(it.given ?? []).map((one) => JSON.stringify(one)), ...steps(it).map(requestText)].join("\n"),
    ),
  json: requests,
  // Buffers and answers of some lengths, each read and freed rightly and wrongly.
  memory: () =>
    [0, 1, 16, 255].flatMap((length) =>
      [0, 1].map((make) => {
        const [create, read, free] = [
          [make, 0, 7, length % 128, 0],
          [5, 0, 0, 8, 0],
          [2, 0, 0, 0, 0],
        ];
        return String.fromCharCode(...create, ...read, ...free);
      }),
    ),
  patch: () =>
    [...files()]
      .flatMap(steps)
      .map((it) => [it.request?.object ?? it.request?.desired, it.want?.ok?.object ?? it.request?.live])
      .filter(([from, to]) => from && to)
      .map((it) => it.map((one) => JSON.stringify(one)).join("\n")),
  path: textsOf((key, text) => /path|fields|labels|at|name/i.test(key) && text.length < 200),
  redact: textsOf((key) => key === "text"),
  request: requests,
  selector: textsOf((key, text) => /selector/i.test(key) || /[=!]|\bin\b/.test(text.slice(0, 200))),
  yaml: textsOf((key) => key === "text"),
};
