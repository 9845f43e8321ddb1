// Redraws a view when the state of the page changes.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { State } from "./state.js";

export class StateController implements ReactiveController {
  readonly #host: ReactiveControllerHost & { state: State };

  constructor(host: ReactiveControllerHost & { state: State }) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.state.addEventListener("change", this.#update);
  }

  hostDisconnected(): void {
    this.#host.state.removeEventListener("change", this.#update);
  }

  readonly #update = (): void => this.#host.requestUpdate();
}
