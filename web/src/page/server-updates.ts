// Keeps up with the server behind the page: when its folder or its clusters change, so does the baseline.
import { served } from "./source.js";
import type { State } from "./state.js";

/** Follows until the page goes. `tell` hears what became of it, in words. */
export function follow(state: State, revision: string, tell: (said: string) => void): void {
  let known = revision;
  const updates = new EventSource("v1/updates");
  updates.addEventListener("fleet", (event) => {
    const { revision } = JSON.parse((event as MessageEvent<string>).data) as { revision: string };
    if (revision === known) return;
    known = revision;
    void take();
  });
  updates.addEventListener("error", () => tell("the server does not answer; what is shown is what it said last"));
  updates.addEventListener("open", () => tell(""));

  const take = async (): Promise<void> => {
    try {
      const { source } = await served();
      await state.follow(source);
      tell(state.edits.length ? "the documents were changed on the server; your edits are kept on top" : "");
    } catch (problem) {
      tell(problem instanceof Error ? problem.message : String(problem));
    }
  };
}
