// The raw module in Node, with no glue: answers every vector and prints the same digest as every other host. With
// `answers` it prints the answers themselves.
//   fleetfold vectors DIR --requests | node vectors.mjs MODULE PAGES MILLISECONDS [answers]
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { workspace } from "./host.mjs";
import { limited } from "./limited.mjs";

if (isMainThread) {
  try {
    await main(...process.argv.slice(2));
  } catch (error) {
    console.error(String(error));
    process.exitCode = 1;
  }
} else {
  parentPort.on("message", (requests) => parentPort.postMessage(answered(requests)));
}

async function main(path, pages, milliseconds, mode) {
  const module = new WebAssembly.Module(limited(readFileSync(path), Number(pages)));
  const vectors = readFileSync(0, "utf8").trimEnd().split("\n");
  const hash = createHash("sha256");
  let worker = thread(module);
  try {
    for (const vector of vectors) {
      const { answers, failed, late } = await ask(worker, JSON.parse(vector), Number(milliseconds));
      if (late) worker = thread(module);
      if (failed && mode !== "answers") throw new Error(failed);
      for (const answer of answers) hash.update(`${answer}\n`);
      if (mode === "answers") console.log([...answers, ...(failed ? [`failed: ${failed}`] : [])].join("\n"));
    }
  } finally {
    await worker.terminate();
  }
  if (mode === "answers") return;
  console.log(`answers sha256:${hash.digest("hex")}`);
  console.log(`${vectors.length} answered`);
}

/** A thread gets the module as it was compiled, and can be ended whatever it does. */
function thread(module) {
  return new Worker(new URL(import.meta.url), { workerData: module });
}

async function ask(worker, requests, milliseconds) {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), milliseconds);
  try {
    worker.postMessage(requests);
    const [answered] = await once(worker, "message", { signal: deadline.signal });
    return answered;
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    await worker.terminate();
    return { answers: [], failed: `no answer within ${milliseconds} ms`, late: true };
  } finally {
    clearTimeout(timer);
  }
}

/** In the thread: one vector, in a workspace of its own. */
function answered(requests) {
  const answers = [];
  try {
    const call = workspace(workerData);
    for (const request of requests) answers.push(call(request));
    return { answers };
  } catch (error) {
    return { answers, failed: String(error) };
  }
}
