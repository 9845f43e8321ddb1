// The frame of the page: what is loaded and what it comes to on top, then three columns as the data flows.
import { html, LitElement, nothing } from "lit";
import { look, tokens } from "../theme.styles.js";
import { count, counted, placeName } from "../format.js";
import { frame } from "./app.styles.js";
import { Ask, Watch } from "./engine-query.js";
import { begin, mostTelling } from "./initial-selection.js";
import "./columns.js";
import type { Columns } from "./columns.js";
import { LATER, SOON } from "./engine.js";
import { follow } from "./server-updates.js";
import "./command-palette.js";
import type { Jump } from "./command-palette.js";
import { KEYS, keyOf } from "./keys.js";
import { fragmentOf, read, sourceIn } from "./share-link.js";
import "./share-button.js";
import { behind, EXAMPLES, example, served } from "./source.js";
import type { Choice, Place, State, View } from "./state.js";
import "./view/documents.js";
import "./view/effective.js";
import "./view/fleet.js";
import "./view/groups.js";
import "./view/permissions.js";
import "./view/picture.js";
import "./view/plan.js";
import "./view/reference.js";
import "./view/whatif.js";

export const VIEWS: [view: View, title: string][] = [
  ["groups", "Who gets what"],
  ["fleet", "Fleet"],
  ["whatif", "What-if"],
  ["plan", "Plan"],
  ["permissions", "Permissions"],
  ["picture", "Picture"],
  ["reference", "Reference"],
];

const NOTHING: Partial<Choice> = {
  subject: undefined,
  cluster: undefined,
  compare: undefined,
  path: undefined,
  object: undefined,
  file: undefined,
};
const THEMES = ["", "light", "dark"] as const;
const THEME = "fleetfold.theme";

export class App extends LitElement {
  static override properties = {
    state: { attribute: false },
    theme: { reflect: true },
    problem: { state: true },
    notice: { state: true },
    help: { state: true },
  };
  static override styles = [tokens, look, frame];
  declare state: State;
  declare theme: (typeof THEMES)[number];
  declare problem: string;
  declare notice: string;
  declare help: boolean;
  readonly clusters = new Ask<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
  readonly subjects = new Ask<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  readonly lint = new Ask<"lint">(this, () => ({ op: "lint" }), { urgency: LATER });
  readonly whatIf = new Ask<"whatIf">(
    this,
    async () => {
      const change = await this.state.change();
      return change && { op: "whatIf", ...change };
    },
    { on: "baseline" },
  );

  constructor() {
    super();
    [this.theme, this.problem, this.notice, this.help] = [rememberedTheme(), "", "", false];
    new Watch(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("change", this.#remember);
    this.state.addEventListener(
      "open",
      (event) => (event as CustomEvent<Place>).detail.aside || this.#columns?.show(0),
    );
    addEventListener("keydown", this.#key);
    addEventListener("hashchange", () => void this.#arrive());
    void this.#start();
  }

  /** Another address: by the back button it is another choice, by a link that was pasted it may be other documents. */
  async #arrive(): Promise<void> {
    if (sourceIn(location.hash) !== sourceIn(this.#address ?? "")) return this.#start();
    const link = await this.#link();
    this.#viewed = undefined;
    this.state.choose({ ...NOTHING, view: "groups", ...link.choice });
  }

  #link(): ReturnType<typeof read> {
    return read(location.hash).catch((problem: Error) => {
      this.problem = problem.message;
      return { choice: {} };
    });
  }

  /** Opens what the address says, or what the server has, or the example: never nothing. */
  async #start(): Promise<void> {
    try {
      await this.state.engine.ready;
      const link = await this.#link();
      this.state.choice = { view: "groups", ...link.choice };
      if (link.source) await this.state.open(link.source, link.edits);
      else if (behind() === "fleet") await this.#serve();
      else await this.state.open(await example("mixed"));
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
  }

  async #serve(): Promise<void> {
    const { source, revision } = await served();
    await this.state.open(source);
    follow(this.state, revision, (said) => (this.notice = said));
  }

  override willUpdate(): void {
    // Something is chosen from the start: the page answers before it is asked.
    const subjects = this.subjects.value?.subjects ?? [];
    const { subject } = this.state.choice;
    if (this.subjects.stale || this.#beginning || subjects.some((it) => it.subject === subject)) return;
    const most = mostTelling(subjects);
    if (most) void this.#begin(most.subject);
  }

  #beginning = false;
  async #begin(subject: string): Promise<void> {
    this.#beginning = true;
    const { choice, place } = await begin(this.state, subject);
    this.#beginning = false;
    this.state.choose({ cluster: undefined, path: undefined, object: undefined, ...choice });
    if (place && this.state.choice.file === undefined) this.state.goTo({ ...place, aside: true });
  }

  override render() {
    const { view } = this.state.choice;
    return html`
      <header>
        <h1>Fleetfold</h1>
        <label class="example"
          ><span class="visually-hidden">Example</span>
          <select @change=${this.#example}>
            ${this.state.source.id.startsWith("example:") ? nothing : html`<option value="" selected>${this.state.source.title || "nothing yet"}</option>`}
            <optgroup label="Examples">
              ${EXAMPLES.map((it) => html`<option value=${it.name} ?selected=${this.state.source.id === `example:${it.name}`}>${it.title}: ${it.about}</option>`)}
            </optgroup>
          </select>
        </label>
        <button class="jump" @click=${() => this.#jump?.show()} aria-keyshortcuts="Control+K Meta+K">
          <kbd>${MAC ? "⌘K" : "Ctrl K"}</kbd> jump to cluster, option, document
        </button>
        <ff-sharing .state=${this.state}></ff-sharing>
        <button @click=${this.#nextTheme} title="Light, dark, or as the system has it">
          ${{ "": "◐ System", light: "☀ Light", dark: "☾ Dark" }[this.theme]}
        </button>
        <button
          @click=${() => (this.help = !this.help)}
          aria-expanded=${this.help}
          aria-keyshortcuts="?"
          aria-label="Keyboard"
        >
          ?
        </button>
      </header>
      ${this.#counts()}
      <div class="notices">${this.#notices()} ${this.help ? this.#keys() : nothing}</div>
      <ff-columns role="main" .titles=${["Documents", VIEWS.find(([it]) => it === view)?.[1] ?? "", "Cluster"]}>
        <section slot="left" aria-label="Documents"><ff-documents .state=${this.state}></ff-documents></section>
        <section slot="middle" class="middle" aria-label="Views">
          <div class="tabs" role="tablist" aria-label="Views" @keydown=${this.#tabKey}>
            ${VIEWS.map(([it, title]) => html`<button role="tab" id="tab-${it}" aria-selected=${view === it} aria-controls="view" tabindex=${view === it ? 0 : -1} @click=${() => this.state.choose({ view: it })}>${title}</button>`)}
          </div>
          <div class="view" id="view" role="tabpanel" aria-labelledby="tab-${view}" tabindex="-1">
            ${this.#middle(view)}
          </div>
        </section>
        <section slot="right" aria-label="Cluster"><ff-effective .state=${this.state}></ff-effective></section>
      </ff-columns>
      <ff-jump .state=${this.state} .views=${VIEWS}></ff-jump>
    `;
  }

  /** Counts first, always in the same place. */
  #counts() {
    const found = [...this.state.findings.values()].flat();
    const errors = (this.lint.value?.errors ?? 0) + found.filter((it) => it.severity === "error").length;
    const warnings = (this.lint.value?.warnings ?? 0) + found.filter((it) => it.severity === "warning").length;
    const changed = this.whatIf.value;
    return html`<div class="counts">
      <div role="status" aria-label="Counts">
        <button class="link" @click=${() => this.state.choose({ view: "fleet" })}>
          ${counted(new Set(this.clusters.value?.clusters.map((it) => it.name)).size, "cluster")}
        </button>
        ·
        <button class="link" @click=${() => this.state.choose({ view: "groups" })}>
          ${counted(this.subjects.value?.subjects.length ?? 0, "subject")}
        </button>
        ·
        ${errors ? html`<button class="link error" @click=${this.#problems}>${counted(errors, "error")}</button> ·` : nothing}
        <button class="link ${warnings ? "warning" : ""}" @click=${this.#problems}>
          ${counted(warnings, "warning")}
        </button>
      </div>
      <div class="whatif" role="status" aria-label="What-if">
        ${
          changed
            ? html`<button class="link" @click=${() => this.state.choose({ view: "whatif" })}>
                  what-if: <strong>${count(changed.counts.changed)} change</strong> ·
                  <strong class=${changed.counts.shadowed ? "warning" : ""}
                    >${count(changed.counts.shadowed)} shadowed</strong
                  >
                </button>
                <button
                  @click=${() => this.state.reset()}
                  aria-label="Return to the baseline"
                  title="Return to the baseline"
                >
                  ⟲
                </button>`
            : html`<span class="quiet">what-if: ${this.whatIf.error ? this.whatIf.error.message : "no edits"}</span>`
        }
      </div>
    </div>`;
  }

  #notices() {
    const { broken } = this.state;
    return html`
      ${this.problem ? html`<p class="notice error" role="alert">${this.problem} <button @click=${() => (this.problem = "")}>Dismiss</button></p>` : nothing}
      ${this.notice ? html`<p class="notice" role="status">${this.notice}</p>` : nothing}
      ${this.state.source.met?.length ? html`<p class="notice warning" role="status">⚠ ${this.state.source.met.map((it) => `${it.at?.file ? `${placeName(it.at)}: ` : ""}${it.message}`).join("; ")}</p>` : nothing}
      ${
        broken.length
          ? html`<p class="notice warning" role="status">
              ⚠
              ${broken.map((it) => html`<button class="link" @click=${() => this.state.goTo({ ...this.#firstError(it), file: it })}>${it}</button> `)}
              cannot be read: what it said last is shown
            </p>`
          : nothing
      }
    `;
  }

  #keys() {
    return html`<section class="help" aria-label="Keyboard">
      <dl>
        ${KEYS.map(
          (it) =>
            html`<div>
              <dt><kbd>${it.shown}</kbd></dt>
              <dd>${it.does}</dd>
            </div>`,
        )}
      </dl>
      <button @click=${() => (this.help = false)}>Close</button>
    </section>`;
  }

  #middle(view: View) {
    switch (view) {
      case "fleet":
        return html`<ff-fleet .state=${this.state}></ff-fleet>`;
      case "whatif":
        return html`<ff-whatif .state=${this.state}></ff-whatif>`;
      case "plan":
        return html`<ff-plan .state=${this.state}></ff-plan>`;
      case "permissions":
        return html`<ff-permissions .state=${this.state}></ff-permissions>`;
      case "picture":
        return html`<ff-picture .state=${this.state}></ff-picture>`;
      case "reference":
        return html`<ff-reference .state=${this.state}></ff-reference>`;
      default:
        return html`<ff-groups .state=${this.state}></ff-groups>`;
    }
  }

  get #columns(): Columns | null {
    return this.renderRoot.querySelector("ff-columns");
  }

  get #jump(): Jump | null {
    return this.renderRoot.querySelector("ff-jump");
  }

  #firstError(file: string): { line?: number; column?: number } {
    const at = this.state.findings.get(file)?.find((it) => it.severity === "error")?.at;
    return {
      ...(at?.line === undefined ? {} : { line: at.line }),
      ...(at?.column === undefined ? {} : { column: at.column }),
    };
  }

  /** The address follows, so that a reload and the back button find what was looked at. */
  #address: string | undefined;
  #viewed: View | undefined;
  readonly #remember = (): void => {
    const { view } = this.state.choice;
    const moved = this.#viewed !== undefined && this.#viewed !== view;
    this.#viewed = view;
    this.#address = fragmentOf(this.state, location.hash);
    if (this.#address !== location.hash.replace(/^#/, ""))
      history[moved ? "pushState" : "replaceState"](null, "", `#${this.#address}`);
  };

  readonly #problems = (): void => {
    this.#columns?.show(0);
    this.state.dispatchEvent(new Event("problems"));
  };

  readonly #example = async (event: Event): Promise<void> => {
    const { value } = event.target as HTMLSelectElement;
    if (!value) return;
    try {
      const source = await example(value);
      history.replaceState(null, "", location.pathname + location.search);
      this.state.choice = { ...this.state.choice, ...NOTHING };
      await this.state.open(source);
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
  };

  readonly #nextTheme = (): void => {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length]!;
    try {
      localStorage.setItem(THEME, this.theme);
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  };

  readonly #tabKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = VIEWS.findIndex(([it]) => it === this.state.choice.view);
    const [view] = VIEWS[(at + step + VIEWS.length) % VIEWS.length]!;
    this.state.choose({ view });
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`#tab-${view}`)?.focus());
  };

  readonly #key = (event: KeyboardEvent): void => {
    switch (keyOf(event)) {
      case "jump":
        this.#jump?.show();
        break;
      case "help":
        this.help = !this.help;
        break;
      case "next":
        this.#step(1);
        break;
      case "previous":
        this.#step(-1);
        break;
      case "line":
        this.state.dispatchEvent(new Event("line"));
        break;
      case "compare":
        this.state.dispatchEvent(new Event("compare"));
        break;
      case "close":
        this.help = false;
        return;
      default:
        return;
    }
    event.preventDefault();
  };

  /** Through what the edits change, one value after the other. */
  #step(by: number): void {
    const changes = (this.whatIf.value?.groups ?? []).flatMap((group): Partial<Choice>[] => {
      const at = { subject: group.subject, cluster: group.clusters[0] };
      return group.changes.length
        ? group.changes.map((it) => ({ ...at, path: it.path, object: it.object }))
        : [{ ...at, path: undefined, object: undefined }];
    });
    if (!changes.length) return;
    const { choice } = this.state;
    const now = changes.findIndex(
      (it) =>
        it.subject === choice.subject &&
        it.cluster === choice.cluster &&
        it.path === choice.path &&
        it.object === choice.object,
    );
    const next = now < 0 ? (by > 0 ? 0 : changes.length - 1) : (now + by + changes.length) % changes.length;
    this.state.choose(changes[next]!);
  }
}

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

function rememberedTheme(): (typeof THEMES)[number] {
  try {
    return THEMES.find((it) => it === localStorage.getItem(THEME)) ?? "";
  } catch {
    return "";
  }
}
