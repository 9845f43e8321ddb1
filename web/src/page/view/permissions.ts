// The Permissions view: who may set which label, which sets a change joins and leaves, and who may bind a set.
import { css, html, LitElement, nothing } from "lit";
import type { ClusterAnswer, ExplainRequest } from "../../../contract.js";
import { baseStyles } from "../../theme.styles.js";
import { EngineQuery } from "../engine-query.js";
import { SOON } from "../engine.js";
import { fetchExample } from "../source.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { answerStyles, verdictCard } from "./permissions/verdict.js";
import { type Candidates, findCandidates } from "./permissions/candidates.js";
import "./permissions/permission-table.js";
import type { Cell } from "./permissions/permission-table.js";
import { reveal } from "./reveal.js";
import { sheetStyles } from "./sheet.styles.js";

interface Change {
  key: string;
  value: string;
  remove: boolean;
}

/** The input of the form. */
interface Form {
  name: string;
  groups: string;
  asks: "labels" | "set";
  cluster: string;
  labels: Change[];
  set: string;
}

const EMPTY_FORM: Form = { name: "", groups: "", asks: "labels", cluster: "", labels: [], set: "" };

export class Permissions extends LitElement {
  static override properties = { state: { attribute: false }, found: { state: true }, form: { state: true } };
  static override styles = [
    baseStyles,
    sheetStyles,
    answerStyles,
    css`
      form {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        align-items: center;
        gap: calc(var(--ff-space) / 2) var(--ff-space);
        margin-bottom: calc(var(--ff-space) * 1.5);
      }
      form > label,
      form > span {
        color: var(--ff-quiet);
      }
      input,
      select {
        min-width: 0;
        width: 100%;
      }
      input[type="radio"],
      input[type="checkbox"] {
        width: auto;
      }
      .change {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto auto;
        align-items: center;
        gap: 2px calc(var(--ff-space) / 2);
        margin-bottom: calc(var(--ff-space) / 2);
      }
      .change > :first-child {
        grid-column: 1 / -1;
      }
      fieldset {
        margin: 0;
        padding: 0;
        border: 0;
      }
      .teach {
        max-width: 62ch;
      }
    `,
  ];
  declare state: State;
  declare found: Candidates | undefined;
  declare form: Form;
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }), { urgency: SOON });
  readonly answer = new EngineQuery<"explain">(this, () => this.#request(), { urgency: SOON });
  #loadedGeneration = -1;

  constructor() {
    super();
    this.form = EMPTY_FORM;
    new StateController(this);
  }

  override updated(): void {
    // Runs once for each generation of the documents, and only while the view is open.
    if (this.#loadedGeneration === this.state.generation) return;
    this.#loadedGeneration = this.state.generation;
    void this.#loadCandidates(this.state.generation);
  }

  async #loadCandidates(generation: number): Promise<void> {
    const found = await findCandidates(this.state);
    if (generation !== this.state.generation) return;
    this.found = found;
    this.#prefill();
  }

  get #managed(): ClusterAnswer[] {
    return (this.clusters.value?.clusters ?? []).filter((it) => it.kind === "ManagedCluster");
  }

  /** Prefills the form from the documents: a user, a cluster, and a label that it does not have. */
  #prefill(): void {
    const [found, managed] = [this.found, this.#managed];
    if (!found || !managed.length || managed.some((it) => it.name === this.form.cluster)) return;
    const label = found.labels.find((it) => it.key.includes("open-cluster-management.io/")) ?? found.labels[0];
    const lacks = managed.filter((it) => label && it.labels[label.key] !== label.value);
    const cluster = lacks.find((it) => it.name === this.state.selection.cluster) ?? lacks[0] ?? managed[0]!;
    const who = found.who[0];
    this.#set({
      name: who?.user.name ?? "somebody",
      groups: (who?.user.groups ?? []).join(", "),
      asks: "labels",
      cluster: cluster.name,
      labels: [
        {
          key: label?.key ?? "cluster.open-cluster-management.io/clusterset",
          value: label?.value ?? "dev",
          remove: false,
        },
      ],
      set: found.sets[0] ?? "",
    });
  }

  #request(): ExplainRequest | undefined {
    const { asks, cluster, groups, labels, name, set } = this.form;
    if (!name) return undefined;
    const list = groups.split(/[,\s]+/).filter(Boolean);
    const user = { name, ...(list.length ? { groups: list } : {}) };
    if (asks === "set") return set ? { op: "explain", user, set } : undefined;
    const wanted = Object.fromEntries(labels.filter((it) => it.key).map((it) => [it.key, it.remove ? null : it.value]));
    return cluster && Object.keys(wanted).length ? { op: "explain", user, cluster, labels: wanted } : undefined;
  }

  #set(form: Partial<Form>): void {
    this.form = { ...this.form, ...form };
    this.answer.refresh();
  }

  override willUpdate(): void {
    if (this.found && !this.form.cluster) queueMicrotask(() => this.#prefill());
  }

  override render() {
    if (this.clusters.value && !this.clusters.stale && !this.#managed.length) return this.#empty();
    if (!this.found || !this.form.cluster) return html`<div class="head"><h2>Permissions</h2></div>`;
    return html`<div class="head"><h2>Permissions</h2></div>
      ${this.#form(this.found)}
      <section aria-label="Answer" aria-live="polite" class=${this.state.broken.length ? "stale" : ""}>
        ${this.#answer()}
      </section>
      <section aria-label="Overview">
        <h3>Who may set which label <span class="quiet">on ${this.form.cluster}</span></h3>
        ${this.found.who.length ? this.#table(this.found) : this.#noRoles()}
      </section>`;
  }

  #form(found: Candidates) {
    const { asks, cluster, groups, labels, name, set } = this.form;
    const valueOf = (event: Event) => (event.target as HTMLInputElement).value;
    const known = found.who.findIndex((it) => it.user.name === name && (it.user.groups ?? []).join(", ") === groups);
    return html`<form aria-label="Who wants what" @submit=${(event: Event) => event.preventDefault()}>
      <label for="who">who</label>
      <select id="who" @change=${(event: Event) => this.#selectRequester(found, Number(valueOf(event)))}>
        ${found.who.map((it, at) => html`<option value=${at} ?selected=${at === known}>${it.shown}</option>`)}
        <option value="-1" ?selected=${known < 0}>somebody else</option>
      </select>
      <label for="name">user</label>
      <input
        id="name"
        autocomplete="off"
        spellcheck="false"
        .value=${name}
        @input=${(event: Event) => this.#set({ name: valueOf(event) })}
      />
      <label for="groups">groups</label>
      <input
        id="groups"
        autocomplete="off"
        spellcheck="false"
        placeholder="those that the name implies"
        .value=${groups}
        @input=${(event: Event) => this.#set({ groups: valueOf(event) })}
      />
      <span>wants to</span>
      <div class="line" role="radiogroup" aria-label="Wants to">
        <label
          ><input
            type="radio"
            name="asks"
            .checked=${asks === "labels"}
            @change=${() => this.#set({ asks: "labels" })}
          />
          change labels of a cluster</label
        >
        <label
          ><input type="radio" name="asks" .checked=${asks === "set"} @change=${() => this.#set({ asks: "set" })} />
          bind a set</label
        >
      </div>
      ${
        asks === "set"
          ? html`<label for="set">set</label>
              <select id="set" @change=${(event: Event) => this.#set({ set: valueOf(event) })}>
                ${found.sets.map((it) => html`<option ?selected=${it === set}>${it}</option>`)}
              </select>`
          : html`<label for="cluster">cluster</label>
              <div>
                <input
                  id="cluster"
                  list="clusters"
                  autocomplete="off"
                  spellcheck="false"
                  .value=${cluster}
                  @change=${(event: Event) => this.#set({ cluster: valueOf(event) })}
                />
                <datalist id="clusters">
                  ${this.#managed.map((it) => html`<option value=${it.name}></option>`)}
                </datalist>
              </div>
              <span>labels</span>
              <div>
                ${labels.map((it, at) => this.#change(it, at))}
                <datalist id="keys">
                  ${[...new Set(found.labels.map((it) => it.key))].map((it) => html`<option value=${it}></option>`)}
                </datalist>
                <button
                  type="button"
                  @click=${() => this.#set({ labels: [...labels, { key: "", value: "", remove: false }] })}
                >
                  add a label
                </button>
              </div>`
      }
    </form>`;
  }

  #change({ key, remove, value }: Change, at: number) {
    const set = (change: Partial<Change>) =>
      this.#set({ labels: this.form.labels.map((it, index) => (index === at ? { ...it, ...change } : it)) });
    return html`<div class="change" role="group" aria-label="Label ${at + 1}">
      <input
        list="keys"
        aria-label="Key"
        placeholder="key"
        autocomplete="off"
        spellcheck="false"
        .value=${key}
        @input=${(event: Event) => set({ key: (event.target as HTMLInputElement).value })}
      />
      <span aria-hidden="true">=</span>
      <input
        aria-label="Value"
        placeholder="value"
        autocomplete="off"
        spellcheck="false"
        .value=${value}
        ?disabled=${remove}
        @input=${(event: Event) => set({ value: (event.target as HTMLInputElement).value })}
      />
      <label><input type="checkbox" .checked=${remove} @change=${() => set({ remove: !remove })} /> take off</label>
      <button
        type="button"
        aria-label="Leave label ${at + 1} as it is"
        @click=${() => this.#set({ labels: this.form.labels.filter((_, index) => index !== at) })}
      >
        ✕
      </button>
    </div>`;
  }

  #selectRequester(found: Candidates, at: number): void {
    const user = found.who[at]?.user;
    this.#set(user ? { name: user.name, groups: (user.groups ?? []).join(", ") } : { name: "somebody", groups: "" });
  }

  #answer() {
    if (this.answer.error)
      return html`<p class="card error">
        ${this.answer.error.message}${this.answer.error.hint ? html`<br />${this.answer.error.hint}` : nothing}
      </p>`;
    if (!this.answer.value) return html`<p class="quiet">Say who wants what.</p>`;
    const { asks, cluster, groups, labels, name, set } = this.form;
    const own = groups.split(/[,\s]+/).filter((it) => it && it !== "system:authenticated");
    const who = name === "somebody" && own.length ? `somebody in ${own.join(", ")}` : name;
    const wanted = labels
      .filter((it) => it.key)
      .map((it) => (it.remove ? `take off ${it.key}` : `set ${it.key}=${it.value}`));
    return verdictCard(
      this.answer.value,
      this.answer.diagnostics,
      who,
      asks === "set" ? `bind the set ${set}` : `${wanted.join(" and ")} on ${cluster}`,
      this.state,
    );
  }

  #table(found: Candidates) {
    const labels = this.#managed.find((it) => it.name === this.form.cluster)?.labels ?? {};
    return html`<p class="quiet">
        ✕ is denied. ◐ is denied only because of the cluster's current label. ⚠ is a label that everyone who may update
        the cluster can set.
      </p>
      <ff-permission-table
        .state=${this.state}
        .found=${found}
        .cluster=${this.form.cluster}
        .labels=${labels}
        @pick=${(event: CustomEvent<Cell>) => this.#pick(event.detail)}
      ></ff-permission-table>`;
  }

  #pick({ row, who }: Cell): void {
    const user = { name: who.user.name, groups: (who.user.groups ?? []).join(", ") };
    this.#set(
      "set" in row
        ? { ...user, asks: "set", set: row.set }
        : { ...user, asks: "labels", labels: [{ key: row.label.key, value: row.label.value, remove: false }] },
    );
    void this.updateComplete.then(() => reveal(this.renderRoot.querySelector("section")));
  }

  #noRoles() {
    return html`<div class="teach">
      <p>
        No ClusterRoleBinding among the documents grants a permission on cluster sets. This one lets a group move
        clusters into the set dev:
      </p>
      <pre tabindex="0" aria-label="A role and its binding">${ROLE}</pre>
      <button @click=${() => this.state.add([{ name: "permissions.yaml", text: ROLE }])}>
        add it as permissions.yaml
      </button>
    </div>`;
  }

  #empty() {
    return html`<div class="head"><h2>Permissions</h2></div>
      <div class="teach">
        <p>
          Labels of ManagedClusters decide over the sets that they are in, so setting them takes a permission. There is
          no ManagedCluster among the documents. It takes three lines to make one:
        </p>
        <pre>
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: eu-1}</pre>
        <p><button class="primary" @click=${this.#open}>open the example of Open Cluster Management</button></p>
      </div>`;
  }

  readonly #open = async (): Promise<void> => {
    const source = await fetchExample(this.state.engine, "ocm");
    this.state.select({ subject: undefined, cluster: undefined, path: undefined, file: undefined });
    await this.state.open(source);
  };
}

const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: dev-set}
rules:
  - apiGroups: [cluster.open-cluster-management.io]
    resources: [managedclusters/label]
    resourceNames: ["cluster.open-cluster-management.io/clusterset:dev"]
    verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: dev-set}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: dev-set}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: Group, name: dev}
`;

customElements.define("ff-permissions", Permissions);
