// Tracks whether the page is being printed: everything is expanded then, since paper has no buttons.
import type { ReactiveController, ReactiveControllerHost } from "lit";

const MEDIA = matchMedia("print");

export class PrintController implements ReactiveController {
  now = MEDIA.matches;
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener("beforeprint", this.#beforePrint);
    addEventListener("afterprint", this.#afterPrint);
    MEDIA.addEventListener("change", this.#changed);
  }

  hostDisconnected(): void {
    removeEventListener("beforeprint", this.#beforePrint);
    removeEventListener("afterprint", this.#afterPrint);
    MEDIA.removeEventListener("change", this.#changed);
  }

  readonly #beforePrint = (): void => this.#set(true);
  readonly #afterPrint = (): void => this.#set(false);
  readonly #changed = (): void => this.#set(MEDIA.matches);

  #set(now: boolean): void {
    if (this.now === now) return;
    this.now = now;
    this.#host.requestUpdate();
  }
}

/** Prints after all views have expanded; `print` alone leaves no time for it. */
export function printExpanded(): void {
  dispatchEvent(new Event("beforeprint"));
  requestAnimationFrame(() => requestAnimationFrame(() => print()));
}
