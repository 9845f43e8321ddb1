// A question that a view keeps asking: the last answer stays on screen until the next one is there.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Answers, Finding, Op, Refusal, Requests } from "../../contract.js";
import { SOON } from "./engine.js";
import type { Which } from "./messages.js";
import type { State } from "./state.js";

export class Ask<O extends Op> implements ReactiveController {
  /** The last answer that was good. */
  value: Answers[O] | undefined;
  diagnostics: Finding[] = [];
  /** Why there is no answer to the newest question. */
  error: Refusal | undefined;
  /** Whether `value` is of documents or a question that have changed since. */
  stale = false;
  readonly #host: ReactiveControllerHost & { state: State };
  readonly #request: () => (Requests[O] & { op: O }) | undefined | Promise<(Requests[O] & { op: O }) | undefined>;
  readonly #options: { urgency?: number; on?: Which };
  #asked = "";

  /** `request` gives the question as things stand, or nothing when there is none. */
  constructor(
    host: ReactiveControllerHost & { state: State },
    request: () => (Requests[O] & { op: O }) | undefined | Promise<(Requests[O] & { op: O }) | undefined>,
    options: { urgency?: number; on?: Which } = {},
  ) {
    this.#host = host;
    this.#request = request;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    for (const event of ["typed", "change"]) this.#host.state.addEventListener(event, this.#ask);
    void this.#ask();
  }

  hostDisconnected(): void {
    for (const event of ["typed", "change"]) this.#host.state.removeEventListener(event, this.#ask);
  }

  /** For a question that depends on more than the state: call it when that has changed. */
  again(): void {
    void this.#ask();
  }

  readonly #ask = async (): Promise<void> => {
    const state = this.#host.state;
    const request = await this.#request();
    const asked = request ? `${state.generation} ${JSON.stringify(request)}` : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (!request) {
      [this.value, this.error, this.diagnostics, this.stale] = [undefined, undefined, [], false];
      return this.#host.requestUpdate();
    }
    this.stale = true;
    const answer = await state.ask<O>(request, this.#options.urgency ?? SOON, this.#options.on);
    if (!answer || asked !== this.#asked) return;
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

/** A view that looks again whenever the state changes. */
export class Watch implements ReactiveController {
  readonly #host: ReactiveControllerHost & { state: State };

  constructor(host: ReactiveControllerHost & { state: State }) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.state.addEventListener("change", this.#look);
  }

  hostDisconnected(): void {
    this.#host.state.removeEventListener("change", this.#look);
  }

  readonly #look = (): void => this.#host.requestUpdate();
}
