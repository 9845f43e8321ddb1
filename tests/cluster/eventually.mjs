import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

/**
 * Asks `probe` until it answers something true, and answers that.
 *
 * An error is an answer that is not true yet. In the end the last of them, or the last answer, is part of the message:
 * a test that times out should say what it saw, not only that it waited.
 */
export async function eventually(probe, { timeout = 20_000, interval = 100, what = "it" } = {}) {
  const end = Date.now() + timeout;
  let last;
  for (;;) {
    try {
      const answer = await probe();
      if (answer) return answer;
      last = { answer };
    } catch (error) {
      last = { error };
    }
    if (Date.now() >= end) break;
    await sleep(interval);
  }
  const seen = "error" in last ? (last.error?.message ?? inspect(last.error)) : inspect(last.answer, { depth: 6 });
  throw new Error(`${what} did not come true in ${timeout / 1000} s; last seen: ${seen}`, { cause: last.error });
}
