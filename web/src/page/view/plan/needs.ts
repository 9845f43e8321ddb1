// The needs of a plan in one cluster, and a form to paste the objects.
import { css, html, LitElement, nothing } from "lit";
import type { NeedAnswer } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, pluralize } from "../../../format.js";
import { liveFile } from "../../files.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import "../copy-button.js";
import { sheetStyles } from "../sheet.styles.js";
import { kubectlCommand, targetName } from "./action-groups.js";

const INITIAL_NEEDS = 6;

export class Needs extends LitElement {
  static override properties = {
    state: { attribute: false },
    cluster: {},
    needs: { attribute: false },
    open: { state: true },
    all: { state: true },
    problem: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      textarea {
        width: 100%;
        min-height: 8em;
        font-family: var(--ff-mono);
        resize: vertical;
      }
      textarea.over {
        border-color: var(--ff-accent);
        background: var(--ff-chosen);
      }
    `,
  ];
  declare state: State;
  declare cluster: string;
  declare needs: NeedAnswer[];
  declare open: boolean;
  declare all: boolean;
  declare problem: string;

  constructor() {
    super();
    [this.cluster, this.needs, this.open, this.all, this.problem] = ["", [], false, false, ""];
    new StateController(this);
  }

  override render() {
    const cluster = clusterName(this.cluster);
    const shown = this.all ? this.needs : this.needs.slice(0, INITIAL_NEEDS);
    return html`<article class="card loud" aria-label="To read in ${cluster}">
      <div class="line">
        <span class="sign warn" aria-hidden="true">?</span>
        <button class="link" @click=${() => this.state.select({ cluster: this.cluster })}>${cluster}</button>
        <span>${pluralize(this.needs.length, "object or list", "objects and lists")} to read</span>
        <button class="push" aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
          paste observed objects
        </button>
      </div>
      <ul class="plain">
        ${shown.map(
          (it) =>
            html`<li>
              <code>${targetName(it)}</code>${
                it.name
                  ? nothing
                  : html` <span class="quiet">the list${it.labelSelector ? ` of ${it.labelSelector}` : ""}</span>`
              }
            </li>`,
        )}
      </ul>
      ${
        shown.length < this.needs.length
          ? html`<button class="link" @click=${() => (this.all = true)}>
              and ${this.needs.length - shown.length} more
            </button>`
          : nothing
      }
      ${this.open ? this.#paste(cluster) : nothing}
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : nothing}
    </article>`;
  }

  #paste(cluster: string) {
    const commands = this.needs.map(kubectlCommand).join("\necho ---\n");
    return html` <p>
        Run the command, and paste or drop its output as YAML or JSON. Objects that are missing there
        ${this.#isAll ? "count as absent" : "stay unknown"}.
      </p>
      <div class="line">
        <span class="quiet"
          >${this.needs.length === 1 ? html`<code>${commands}</code>` : pluralize(this.needs.length, "command")}</span
        >
        <ff-copy class="push" .text=${commands} .what=${"the kubectl commands"}></ff-copy>
      </div>
      <textarea
        aria-label="Observed objects in ${cluster}"
        spellcheck="false"
        placeholder="apiVersion: …"
        @dragover=${this.#over}
        @dragleave=${this.#leave}
        @drop=${this.#drop}
      ></textarea>
      <div class="line">
        <button class="primary" @click=${this.#load}>load as observed in ${cluster}</button>
        ${this.#isAll ? html`<button @click=${() => this.#add("")}>none of them exist</button>` : nothing}
      </div>`;
  }

  /** Whether the pasted objects are complete for the cluster. */
  get #isAll(): boolean {
    const { source } = this.state;
    return source.complete.includes(this.cluster) || !source.files.some((it) => it.live === this.cluster);
  }

  readonly #over = (event: DragEvent): void => {
    event.preventDefault();
    (event.currentTarget as HTMLElement).classList.add("over");
  };

  readonly #leave = (event: DragEvent): void => (event.currentTarget as HTMLElement).classList.remove("over");

  readonly #drop = async (event: DragEvent): Promise<void> => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    event.stopPropagation();
    const area = event.currentTarget as HTMLTextAreaElement;
    this.#leave(event);
    area.value = (await Promise.all(files.map((it) => it.text()))).join("\n---\n");
  };

  readonly #load = (): void => {
    const text = this.renderRoot.querySelector("textarea")?.value ?? "";
    if (text.trim()) void this.#add(text);
    else this.problem = "Paste the objects first.";
  };

  /** Rejects input that does not parse. */
  async #add(text: string): Promise<void> {
    const parsed = await this.state.query({ op: "parse", text }, 0);
    if (parsed && "error" in parsed) {
      this.problem = `${
        parsed.error.at ? `line ${parsed.error.at.replace(":", ", column ")}: ` : ""
      }${parsed.error.message}`;
      return;
    }
    this.problem = "";
    const name = liveFile(this.cluster, "pasted.yaml");
    const before = this.state.files.get(name)?.text;
    await this.state.add([
      { name, text: before?.trim() ? `${before.trimEnd()}\n---\n${text}` : text, live: this.cluster },
    ]);
  }
}

customElements.define("ff-needs", Needs);
