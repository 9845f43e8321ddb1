// Imports files: a new one, picked ones, dropped ones. A notice reports the result and offers the alternative.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../../../theme.styles.js";
import { pluralize } from "../../../format.js";
import { type File, rolesOf } from "../../files.js";
import { localSource } from "../../source.js";
import type { State } from "../../state.js";
import { type ImportedFiles, filesFromTransfer, filesFromList, strayMessage } from "./dropped-files.js";

export class ImportFiles extends LitElement {
  static override properties = {
    state: { attribute: false },
    naming: { state: true },
    brought: { state: true },
    problem: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        flex: none;
      }
      .bar,
      .notice {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px var(--ff-space);
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        border-bottom: 1px solid var(--ff-line);
      }
      .bar {
        background: var(--ff-raised);
      }
      h2 {
        margin-right: auto;
      }
      form {
        display: flex;
        flex: 1 0 100%;
        gap: var(--ff-space);
      }
      form input {
        flex: 1;
        min-width: 0;
      }
      .notice {
        background: var(--ff-chosen);
      }
      .notice.bad {
        background: var(--ff-warning-soft);
      }
      ul {
        flex: 1 0 100%;
        margin: 0;
        padding-left: calc(var(--ff-space) * 2);
        max-height: 6em;
        overflow: auto;
        overflow-wrap: anywhere;
      }
    `,
  ];
  declare state: State;
  /** Whether the form for a new file is open. */
  declare naming: boolean;
  /** The result of the last import, until dismissed. */
  declare brought: (ImportedFiles & { added: boolean }) | undefined;
  /** Why the name is invalid. */
  declare problem: string | undefined;

  constructor() {
    super();
    this.naming = false;
  }

  override render() {
    const pick = (id: string) => () => this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)!.click();
    return html`
      <div class="bar">
        <h2>Documents</h2>
        <button aria-expanded=${this.naming} @click=${this.#toggleForm}>New file</button>
        <button @click=${pick("files")}>Open files…</button>
        <button @click=${pick("folder")}>Open folder…</button>
        ${this.naming ? this.#form() : nothing}
      </div>
      ${this.brought ? this.#notice(this.brought) : nothing}
      <input
        id="files"
        type="file"
        multiple
        accept=".yaml,.yml,.json"
        hidden
        aria-label="Files"
        @change=${this.#filesPicked}
      />
      <input id="folder" type="file" webkitdirectory hidden aria-label="Folder" @change=${this.#filesPicked} />
    `;
  }

  #form() {
    return html`
      <form
        @submit=${this.#nameSubmitted}
        @keydown=${(event: KeyboardEvent) => event.key === "Escape" && (this.naming = false)}
      >
        <input
          id="name"
          aria-label="Name of the new file"
          .defaultValue=${this.#unusedName()}
          aria-invalid=${this.problem !== undefined}
          aria-describedby="problem"
        />
        <button class="primary">Add</button>
        <button type="button" @click=${() => (this.naming = false)}>Cancel</button>
      </form>
      <span id="problem" role="alert">${this.problem ?? ""}</span>
    `;
  }

  #notice({ files, skipped, added }: ImportedFiles & { added: boolean }) {
    const done = files.length
      ? `${added ? "Added" : "Opened"} ${pluralize(files.length, "file")}.`
      : "Nothing was added.";
    return html`
      <div class="notice ${skipped.length ? "bad" : ""}" role="status">
        <span>${done}</span>
        ${
          added && files.length
            ? html`<button @click=${() => void this.#replaceAll(files)}>
                Start fresh with ${files.length === 1 ? "only this" : "only these"}
              </button>`
            : nothing
        }
        <button @click=${() => (this.brought = undefined)}>Dismiss</button>
        ${
          skipped.length
            ? html`<ul>
                ${skipped.slice(0, 20).map((it) => html`<li>${it}</li>`)}${
                  skipped.length > 20 ? html`<li>and ${skipped.length - 20} more</li>` : nothing
                }
              </ul>`
            : nothing
        }
      </div>
    `;
  }

  /** Imports a drop or a paste. It replaces an unedited example; otherwise it adds to the existing files. */
  async importTransfer(transfer: DataTransfer): Promise<void> {
    await this.#import(await filesFromTransfer(this.state.engine, transfer));
  }

  async add(files: File[]): Promise<void> {
    await this.state.add(files);
    this.state.select({ file: files[0]!.name });
  }

  async #import(brought: ImportedFiles): Promise<void> {
    const { files } = brought;
    const replaces =
      !this.state.files.size || (this.state.source.id.startsWith("example:") && !this.state.edits.length);
    if (files.length && replaces) await this.#replaceAll(files);
    else if (files.length) await this.add(files);
    this.brought = { ...brought, added: !replaces };
  }

  /** Replaces all files. */
  async #replaceAll(files: File[]): Promise<void> {
    this.brought = undefined;
    this.state.select({
      subject: undefined,
      cluster: undefined,
      compare: undefined,
      path: undefined,
      object: undefined,
      file: undefined,
    });
    await this.state.open(localSource(files));
  }

  readonly #filesPicked = async (event: Event): Promise<void> => {
    const input = event.currentTarget as HTMLInputElement;
    if (input.files?.length) await this.#import(await filesFromList(this.state.engine, input.files));
    input.value = "";
  };

  #unusedName(): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? "new.yaml" : `new-${number}.yaml`;
      if (!this.state.files.has(name)) return name;
    }
  }

  readonly #toggleForm = async (): Promise<void> => {
    this.naming = !this.naming;
    this.problem = undefined;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>("#name")?.select();
  };

  readonly #nameSubmitted = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = this.renderRoot.querySelector<HTMLInputElement>("#name")!.value.trim().replace(/^\/+/, "");
    const { roles, stray } = await rolesOf(this.state.engine, [name]);
    if (stray.length) this.problem = strayMessage(name);
    else if (!roles.has(name)) this.problem = "a name ends in .yaml, .yml or .json";
    else if (this.state.files.get(name)?.text != null) this.problem = `${name} is there already`;
    else {
      this.naming = false;
      await this.add([{ name, text: "", ...roles.get(name) }]);
      this.state.goTo({ file: name, line: 1 });
    }
  };
}

customElements.define("ff-import", ImportFiles);
