// The frame of the page: counts and notices on top, then three columns in the order data flows.
import { html, LitElement, nothing } from "lit";
import { baseStyles, tokens } from "../theme.styles.js";
import { formatCount, pluralize, placeName } from "../format.js";
import { appStyles } from "./app.styles.js";
import { EngineQuery } from "./engine-query.js";
import { initialSelection, initialSubject } from "./initial-selection.js";
import "./columns.js";
import type { Columns } from "./columns.js";
import { LATER, SOON } from "./engine.js";
import { followServer } from "./server-updates.js";
import "./command-palette.js";
import type { CommandPalette } from "./command-palette.js";
import { KEYS, keyOf } from "./keys.js";
import { fragmentOf, readLink, sourceKey } from "./share-link.js";
import "./share-button.js";
import { serverMode, EXAMPLES, fetchExample, fetchServedFleet } from "./source.js";
import { StateController } from "./state-controller.js";
import type { Selection, Place, State, View } from "./state.js";
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
  ["groups", "Results"],
  ["fleet", "Fleet"],
  ["whatif", "What-if"],
  ["plan", "Plan"],
  ["permissions", "Permissions"],
  ["picture", "Picture"],
  ["reference", "Reference"],
];

const NO_SELECTION: Partial<Selection> = {
  subject: undefined,
  cluster: undefined,
  compare: undefined,
  path: undefined,
  object: undefined,
  file: undefined,
};
const THEMES = ["", "light", "dark"] as const;
const THEME_KEY = "fleetfold.theme";

export class App extends LitElement {
  static override properties = {
    state: { attribute: false },
    theme: { reflect: true },
    problem: { state: true },
    notice: { state: true },
    help: { state: true },
  };
  static override styles = [tokens, baseStyles, appStyles];
  declare state: State;
  declare theme: (typeof THEMES)[number];
  declare problem: string;
  declare notice: string;
  declare help: boolean;
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
  readonly subjects = new EngineQuery<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  readonly lint = new EngineQuery<"lint">(this, () => ({ op: "lint" }), { urgency: LATER });
  readonly whatIf = new EngineQuery<"whatIf">(
    this,
    async () => {
      const change = await this.state.editsAsChange();
      return change && { op: "whatIf", ...change };
    },
    { on: "baseline" },
  );

  constructor() {
    super();
    [this.theme, this.problem, this.notice, this.help] = [rememberedTheme(), "", "", false];
    new StateController(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("change", this.#updateAddress);
    this.state.addEventListener(
      "open",
      (event) => (event as CustomEvent<Place>).detail.aside || this.#columns?.show(0),
    );
    addEventListener("keydown", this.#key);
    addEventListener("hashchange", () => void this.#hashChanged());
    void this.#start();
  }

  /** The back button changes the selection; a pasted link may also change the documents. */
  async #hashChanged(): Promise<void> {
    if (sourceKey(location.hash) !== sourceKey(this.#address ?? "")) return this.#start();
    const link = await this.#link();
    this.#previousView = undefined;
    this.state.select({ ...NO_SELECTION, view: "groups", ...link.selection });
  }

  #link(): ReturnType<typeof readLink> {
    return readLink(this.state.engine, location.hash).catch((problem: Error) => {
      this.problem = problem.message;
      return { selection: {} };
    });
  }

  /** Opens the documents of the link, else of the server, else the default example. */
  async #start(): Promise<void> {
    try {
      await this.state.engine.ready;
      const link = await this.#link();
      this.state.selection = { view: "groups", ...link.selection };
      if (link.source) await this.state.open(link.source, link.edits);
      else if (serverMode() === "fleet") await this.#openServedFleet();
      else await this.state.open(await fetchExample(this.state.engine, "mixed"));
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
  }

  async #openServedFleet(): Promise<void> {
    const { source, revision } = await fetchServedFleet();
    await this.state.open(source);
    followServer(this.state, revision, (notice) => (this.notice = notice));
  }

  override willUpdate(): void {
    // Selects a subject on start, so that the page is never empty.
    const subjects = this.subjects.value?.subjects ?? [];
    const { subject } = this.state.selection;
    if (this.subjects.stale || this.#selectingInitial || subjects.some((it) => it.subject === subject)) return;
    const initial = initialSubject(subjects);
    if (initial) void this.#selectInitial(initial.subject);
  }

  #selectingInitial = false;
  async #selectInitial(subject: string): Promise<void> {
    this.#selectingInitial = true;
    const { selection, place } = await initialSelection(this.state, subject);
    this.#selectingInitial = false;
    this.state.select({ cluster: undefined, path: undefined, object: undefined, ...selection });
    if (place && this.state.selection.file === undefined) this.state.goTo({ ...place, aside: true });
  }

  override render() {
    const { view } = this.state.selection;
    return html`
      <header>
        <h1>Fleetfold</h1>
        <label class="example"
          ><span class="visually-hidden">Example</span>
          <select @change=${this.#openExample}>
            ${
              this.state.source.id.startsWith("example:")
                ? nothing
                : html`<option value="" selected>${this.state.source.title || "no documents"}</option>`
            }
            <optgroup label="Examples">
              ${EXAMPLES.map(
                (it) =>
                  html`<option value=${it.name} ?selected=${this.state.source.id === `example:${it.name}`}>
                    ${it.title}: ${it.about}
                  </option>`,
              )}
            </optgroup>
          </select>
        </label>
        <button
          class="command-palette"
          @click=${() => this.#commandPalette?.show()}
          aria-keyshortcuts="Control+K Meta+K"
        >
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
            ${VIEWS.map(
              ([it, title]) =>
                html`<button
                  role="tab"
                  id="tab-${it}"
                  aria-selected=${view === it}
                  aria-controls="view"
                  tabindex=${view === it ? 0 : -1}
                  @click=${() => this.state.select({ view: it })}
                >
                  ${title}
                </button>`,
            )}
          </div>
          <div class="view" id="view" role="tabpanel" aria-labelledby="tab-${view}" tabindex="-1">
            ${this.#middle(view)}
          </div>
        </section>
        <section slot="right" aria-label="Cluster"><ff-effective .state=${this.state}></ff-effective></section>
      </ff-columns>
      <ff-command-palette .state=${this.state} .views=${VIEWS}></ff-command-palette>
    `;
  }

  #counts() {
    const found = [...this.state.findings.values()].flat();
    const errors = (this.lint.value?.errors ?? 0) + found.filter((it) => it.severity === "error").length;
    const warnings = (this.lint.value?.warnings ?? 0) + found.filter((it) => it.severity === "warning").length;
    const changed = this.whatIf.value;
    return html`<div class="counts">
      <div role="status" aria-label="Counts">
        <button class="link" @click=${() => this.state.select({ view: "fleet" })}>
          ${pluralize(new Set(this.clusters.value?.clusters.map((it) => it.name)).size, "cluster")}
        </button>
        ·
        <button class="link" @click=${() => this.state.select({ view: "groups" })}>
          ${pluralize(this.subjects.value?.subjects.length ?? 0, "subject")}
        </button>
        ·
        ${
          errors
            ? html`<button class="link error" @click=${this.#problems}>${pluralize(errors, "error")}</button> ·`
            : nothing
        }
        <button class="link ${warnings ? "warning" : ""}" @click=${this.#problems}>
          ${pluralize(warnings, "warning")}
        </button>
      </div>
      <div class="whatif" role="status" aria-label="What-if">
        ${
          changed
            ? html`<button class="link" @click=${() => this.state.select({ view: "whatif" })}>
                  what-if: <strong>${formatCount(changed.counts.changed)} change</strong> ·
                  <strong class=${changed.counts.shadowed ? "warning" : ""}
                    >${formatCount(changed.counts.shadowed)} shadowed</strong
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
      ${
        this.problem
          ? html`<p class="notice error" role="alert">
              ${this.problem} <button @click=${() => (this.problem = "")}>Dismiss</button>
            </p>`
          : nothing
      }
      ${this.notice ? html`<p class="notice" role="status">${this.notice}</p>` : nothing}
      ${
        this.state.source.diagnostics?.length
          ? html`<p class="notice warning" role="status">
              ⚠
              ${this.state.source.diagnostics
                .map((it) => `${it.at?.file ? `${placeName(it.at)}: ` : ""}${it.message}`)
                .join("; ")}
            </p>`
          : nothing
      }
      ${
        broken.length
          ? html`<p class="notice warning" role="status">
              ⚠
              ${broken.map(
                (it) =>
                  html`<button class="link" @click=${() => this.state.goTo({ ...this.#firstError(it), file: it })}>
                    ${it}
                  </button> `,
              )}
              cannot be read: showing the last valid version
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

  get #commandPalette(): CommandPalette | null {
    return this.renderRoot.querySelector("ff-command-palette");
  }

  #firstError(file: string): { line?: number; column?: number } {
    const at = this.state.findings.get(file)?.find((it) => it.severity === "error")?.at;
    return {
      ...(at?.line === undefined ? {} : { line: at.line }),
      ...(at?.column === undefined ? {} : { column: at.column }),
    };
  }

  /** The address follows the selection, so that reload and back button restore it. */
  #address: string | undefined;
  #previousView: View | undefined;
  readonly #updateAddress = (): void => {
    const { view } = this.state.selection;
    const moved = this.#previousView !== undefined && this.#previousView !== view;
    this.#previousView = view;
    this.#address = fragmentOf(this.state, location.hash);
    if (this.#address !== location.hash.replace(/^#/, ""))
      history[moved ? "pushState" : "replaceState"](null, "", `#${this.#address}`);
  };

  readonly #problems = (): void => {
    this.#columns?.show(0);
    this.state.dispatchEvent(new Event("problems"));
  };

  readonly #openExample = async (event: Event): Promise<void> => {
    const { value } = event.target as HTMLSelectElement;
    if (!value) return;
    try {
      const source = await fetchExample(this.state.engine, value);
      history.replaceState(null, "", location.pathname + location.search);
      this.state.selection = { ...this.state.selection, ...NO_SELECTION };
      await this.state.open(source);
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
  };

  readonly #nextTheme = (): void => {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length]!;
    try {
      localStorage.setItem(THEME_KEY, this.theme);
    } catch {
      // Storage is disabled: the theme lasts as long as the page.
    }
  };

  readonly #tabKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = VIEWS.findIndex(([it]) => it === this.state.selection.view);
    const [view] = VIEWS[(at + step + VIEWS.length) % VIEWS.length]!;
    this.state.select({ view });
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`#tab-${view}`)?.focus());
  };

  readonly #key = (event: KeyboardEvent): void => {
    switch (keyOf(event)) {
      case "jump":
        this.#commandPalette?.show();
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

  /** Moves to the next or previous value that the edits change. */
  #step(by: number): void {
    const changes = (this.whatIf.value?.groups ?? []).flatMap((group): Partial<Selection>[] => {
      const at = { subject: group.subject, cluster: group.clusters[0] };
      return group.changes.length
        ? group.changes.map((it) => ({ ...at, path: it.path, object: it.object }))
        : [{ ...at, path: undefined, object: undefined }];
    });
    if (!changes.length) return;
    const { selection } = this.state;
    const now = changes.findIndex(
      (it) =>
        it.subject === selection.subject &&
        it.cluster === selection.cluster &&
        it.path === selection.path &&
        it.object === selection.object,
    );
    const next = now < 0 ? (by > 0 ? 0 : changes.length - 1) : (now + by + changes.length) % changes.length;
    this.state.select(changes[next]!);
  }
}

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

function rememberedTheme(): (typeof THEMES)[number] {
  try {
    return THEMES.find((it) => it === localStorage.getItem(THEME_KEY)) ?? "";
  } catch {
    return "";
  }
}
