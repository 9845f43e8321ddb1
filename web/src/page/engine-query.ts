// A question that a view keeps asking: the last answer stays on screen until the next one is there.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Answers, Finding, Op, Refusal, Requests } from "../../contract.js";
import { SOON } from "./engine.js";
import type { WorkspaceName } from "./messages.js";
import type { State } from "./state.js";

export class EngineQuery<O extends Op> implements ReactiveController {
  /** The last answer that was good. */
  value: Answers[O] | undefined;
  diagnostics: Finding[] = [];
  /** Why there is no answer to the newest question. */
  error: Refusal | undefined;
  /** Whether `value` is of documents or a question that have changed since. */
  stale = false;
  readonly #host: ReactiveControllerHost & { state: State };
  readonly #request: () => (Requests[O] & { op: O }) | undefined | Promise<(Requests[O] & { op: O }) | undefined>;
  readonly #options: { urgency?: number; on?: WorkspaceName };
  #key = "";

  /** `request` gives the question as things stand, or nothing when there is none. */
  constructor(
    host: ReactiveControllerHost & { state: State },
    request: () => (Requests[O] & { op: O }) | undefined | Promise<(Requests[O] & { op: O }) | undefined>,
    options: { urgency?: number; on?: WorkspaceName } = {},
  ) {
    this.#host = host;
    this.#request = request;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    for (const event of ["typed", "change"]) this.#host.state.addEventListener(event, this.#run);
    void this.#run();
  }

  hostDisconnected(): void {
    for (const event of ["typed", "change"]) this.#host.state.removeEventListener(event, this.#run);
  }

  /** For a question that depends on more than the state: call it when that has changed. */
  refresh(): void {
    void this.#run();
  }

  readonly #run = async (): Promise<void> => {
    const state = this.#host.state;
    const request = await this.#request();
    const key = request ? `${state.generation} ${JSON.stringify(request)}` : "";
    if (key === this.#key) return;
    this.#key = key;
    if (!request) {
      [this.value, this.error, this.diagnostics, this.stale] = [undefined, undefined, [], false];
      return this.#host.requestUpdate();
    }
    this.stale = true;
    const answer = await state.query<O>(request, this.#options.urgency ?? SOON, this.#options.on);
    if (!answer || key !== this.#key) return;
    this.stale = false;
    if ("ok" in answer) {
      this.value = answer.ok as Answers[O];
      this.error = undefined;
    } else {
      this.error = answer.error;
    }
    this.diagnostics = answer.diagnostics ?? [];
    this.#host.requestUpdate();
  };
}
