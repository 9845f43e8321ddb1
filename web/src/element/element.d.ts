// The types of `fleetfold/element`. They stand by themselves: nothing else has to be installed for them.

/** A file: `live/<cluster>/…` is what was seen in a cluster, `fleetfold.yaml` holds settings, everything else are documents. */
export interface PreviewFile {
  name: string;
  text: string;
}

/** YAML text, objects, or files. */
export type PreviewDocuments = string | readonly object[] | readonly PreviewFile[];

/** What somebody looks at. */
export interface PreviewSelection {
  /** What produces results, as `Kind/namespace/name`. */
  subject?: string;
  /** The hub is the empty name. */
  cluster?: string;
  /** An option path, or a JSON pointer into `object`. */
  path?: string;
  object?: string;
}

/** A place in a file, counted from one. */
export interface PreviewPlace {
  file: string;
  line?: number;
  column?: number;
}

export interface PreviewEventMap {
  /** The documents are loaded. */
  "fleetfold-ready": CustomEvent<{ subjects: string[] }>;
  /** Somebody chose another subject, cluster or value. */
  "fleetfold-select": CustomEvent<PreviewSelection>;
  /** Somebody edited: all files as they are now. */
  "fleetfold-change": CustomEvent<{ files: PreviewFile[] }>;
  /** Somebody wants to see a line. Prevent its default to show it yourself. */
  "fleetfold-open": CustomEvent<PreviewPlace>;
  /** An address gave no documents, or the engine does not start. */
  "fleetfold-error": CustomEvent<{ message: string; src?: string }>;
}

/** What can be set, by property or by attribute of the same name. `documents` is a property only. */
export interface PreviewProperties {
  documents?: PreviewDocuments;
  /** Addresses of YAML or JSON files, separated by spaces. */
  src?: string;
  cluster?: string;
  subject?: string;
  /** `cluster`: one cluster, value by value. `groups`: who gets what beside it. */
  show?: "cluster" | "groups";
  /** Whether the documents can be edited beside it. */
  editable?: boolean;
  /** Wins over `editable`. */
  readonly?: boolean;
  /** Left out: as the page around it has it. `system`: as the system has it. */
  theme?: "light" | "dark" | "system";
}

/** What every cluster gets and why, inside somebody else's page. */
export interface FleetfoldPreview extends HTMLElement, PreviewProperties {
  addEventListener<K extends keyof PreviewEventMap>(
    type: K,
    listener: (this: FleetfoldPreview, event: PreviewEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof PreviewEventMap>(
    type: K,
    listener: (this: FleetfoldPreview, event: PreviewEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

export declare const FleetfoldPreview: {
  new (): FleetfoldPreview;
  prototype: FleetfoldPreview;
  /** Makes the worker, when a bundler wants that done in another way. Set it before the first element is connected. */
  worker: () => Worker;
};

declare global {
  interface HTMLElementTagNameMap {
    "fleetfold-preview": FleetfoldPreview;
  }
}
