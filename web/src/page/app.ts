// The frame of the page: what is loaded and what it comes to on top, then three columns as the data flows.
import { css, html, LitElement, nothing } from "lit";
import { look, tokens } from "../look.js";
import { count, counted } from "../words.js";
import { Ask, Watch } from "./ask.js";
import { LATER, SOON } from "./engine.js";
import { behind, EXAMPLES, example, served } from "./source.js";
import type { State, View } from "./state.js";
import "./view/documents.js";
import "./view/effective.js";
import "./view/fleet.js";
import "./view/groups.js";
import "./view/permissions.js";
import "./view/picture.js";
import "./view/plan.js";
import "./view/reference.js";
import "./view/whatif.js";

const VIEWS: [view: View, title: string][] = [
  ["groups", "Who gets what"],
  ["fleet", "Fleet"],
  ["whatif", "What-if"],
  ["plan", "Plan"],
  ["permissions", "Permissions"],
  ["picture", "Picture"],
  ["reference", "Reference"],
];

export class App extends LitElement {
  static override properties = { state: { attribute: false }, problem: { state: true } };
  static override styles = [
    tokens,
    look,
    css`
      :host {
        display: grid;
        grid-template-rows: auto auto 1fr;
        min-height: 0;
      }
      header,
      .counts {
        display: flex;
        align-items: center;
        gap: var(--ff-space);
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        border-bottom: 1px solid var(--ff-line);
      }
      .columns {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) minmax(0, 1fr);
        min-height: 0;
      }
      .columns > * {
        min-width: 0;
        overflow: auto;
        border-right: 1px solid var(--ff-line);
      }
      .push {
        margin-left: auto;
      }
    `,
  ];
  declare state: State;
  declare problem: string | undefined;
  readonly clusters = new Ask<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
  readonly subjects = new Ask<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  readonly lint = new Ask<"lint">(this, () => ({ op: "lint" }), { urgency: LATER });
  readonly whatIf = new Ask<"whatIf">(this, async () => {
    const change = await this.state.change();
    return change && { op: "whatIf", ...change };
  }, { on: "baseline" });

  constructor() {
    super();
    new Watch(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#start();
  }

  async #start(): Promise<void> {
    try {
      await this.state.engine.ready;
      await this.state.open(behind() === "fleet" ? (await served()).source : await example("mixed"));
    } catch (problem) {
      this.problem = String(problem);
    }
  }

  override willUpdate(): void {
    // Something is chosen from the start: the page answers before it is asked.
    const subjects = this.subjects.value?.subjects ?? [];
    if (!subjects.length || this.state.choice.subject) return;
    const most = subjects.reduce((best, it) => ((it.clusters ?? 0) > (best.clusters ?? 0) ? it : best));
    queueMicrotask(() => this.state.choose({ subject: most.subject }));
  }

  override render() {
    const { choice } = this.state;
    const changed = this.whatIf.value?.counts;
    return html`
      <header>
        <h1>Fleetfold</h1>
        <select aria-label="Example" @change=${this.#example}>
          ${EXAMPLES.map((it) => html`<option value=${it.name}>${it.title}</option>`)}
        </select>
        <nav role="tablist" aria-label="Views">
          ${VIEWS.map(([view, title]) => html`<button role="tab" aria-selected=${choice.view === view} @click=${() => this.state.choose({ view })}>${title}</button>`)}
        </nav>
      </header>
      <div class="counts" role="status">
        ${counted(this.clusters.value?.clusters.length ?? 0, "cluster")} · ${counted(this.subjects.value?.subjects.length ?? 0, "subject")} ·
        ${counted(this.lint.value?.warnings ?? 0, "warning")}
        ${changed ? html`<span class="push">what-if: ${count(changed.changed)} change · ${count(changed.shadowed)} shadowed</span>` : nothing}
      </div>
      <main class="columns">
        <ff-documents .state=${this.state}></ff-documents>
        ${this.#middle(choice.view)}
        <ff-effective .state=${this.state}></ff-effective>
      </main>
      ${this.problem ? html`<p role="alert">${this.problem}</p>` : nothing}
    `;
  }

  #middle(view: View) {
    switch (view) {
      case "groups": return html`<ff-groups .state=${this.state}></ff-groups>`;
      case "fleet": return html`<ff-fleet .state=${this.state}></ff-fleet>`;
      case "whatif": return html`<ff-whatif .state=${this.state}></ff-whatif>`;
      case "plan": return html`<ff-plan .state=${this.state}></ff-plan>`;
      case "permissions": return html`<ff-permissions .state=${this.state}></ff-permissions>`;
      case "picture": return html`<ff-picture .state=${this.state}></ff-picture>`;
      case "reference": return html`<ff-reference .state=${this.state}></ff-reference>`;
    }
  }

  readonly #example = async (event: Event): Promise<void> => {
    this.state.choose({ subject: undefined, cluster: undefined, path: undefined, file: undefined });
    await this.state.open(await example((event.target as HTMLSelectElement).value));
  };
}
