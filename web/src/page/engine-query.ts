// A query that a view repeats whenever the state changes. The last answer stays visible until the next one arrives.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Answers, Finding, Op, Refusal, Requests } from "../../contract.js";
import { toJson } from "../format.js";
import { SOON } from "./engine.js";
import type { WorkspaceName } from "./messages.js";
import type { State } from "./state.js";

export class EngineQuery<O extends Op> implements ReactiveController {
  /** The last successful answer. */
  value: Answers[O] | undefined;
  diagnostics: Finding[] = [];
  /** The error of the newest request. */
  error: Refusal | undefined;
  /** Whether the documents or the request changed since `value`. */
  stale = false;
  readonly #host: ReactiveControllerHost & { state: State };
  readonly #request: () => (Requests[O] & { op: O }) | undefined | Promise<(Requests[O] & { op: O }) | undefined>;
  readonly #options: { urgency?: number; on?: WorkspaceName };
  #key = "";

  /** `request` returns the request for the current state, or nothing if there is none. */
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

  /** Call it when something other than the state changes the request. */
  refresh(): void {
    void this.#run();
  }

  readonly #run = async (): Promise<void> => {
    const state = this.#host.state;
    const request = await this.#request();
    const key = request ? `${state.generation} ${toJson(request)}` : "";
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
