// Updates the baseline when the folder or the clusters of the server change.
import { fetchServedFleet } from "./source.js";
import type { State } from "./state.js";

/** Follows the server until the page closes. `report` receives a message for the user, empty when all is well. */
export function followServer(state: State, revision: string, report: (said: string) => void): void {
  let lastRevision = revision;
  const updates = new EventSource("v1/updates");
  updates.addEventListener("fleet", (event) => {
    const { revision } = JSON.parse((event as MessageEvent<string>).data) as { revision: string };
    if (revision === lastRevision) return;
    lastRevision = revision;
    void refetch();
  });
  updates.addEventListener("error", () => report("the server does not respond; showing its last fleet"));
  updates.addEventListener("open", () => report(""));

  const refetch = async (): Promise<void> => {
    try {
      const { source } = await fetchServedFleet();
      await state.replaceBaseline(source);
      report(state.edits.length ? "the documents were changed on the server; your edits are kept on top" : "");
    } catch (problem) {
      report(problem instanceof Error ? problem.message : String(problem));
    }
  };
}
