// The types of `fleetfold/element`. They are self-contained and need no other package.

/**
 * A file: `live/<cluster>/…` holds objects observed in a cluster, `fleetfold.yaml` holds settings, all others hold
 * documents.
 */
export interface PreviewFile {
  name: string;
  text: string;
}

/** YAML text, objects, or files. */
export type PreviewDocuments = string | readonly object[] | readonly PreviewFile[];

/** The current selection of the user. */
export interface PreviewSelection {
  /** A document that produces results for clusters, as `Kind/namespace/name`. */
  subject?: string;
  /** The hub is the empty name. */
  cluster?: string;
  /** An option path, or a JSON pointer into `object`. */
  path?: string;
  object?: string;
}

/** A position in a file, counted from one. */
export interface PreviewPlace {
  file: string;
  line?: number;
  column?: number;
}

export interface PreviewEventMap {
  /** The documents are loaded. */
  "fleetfold-ready": CustomEvent<{ subjects: string[] }>;
  /** The user selected another subject, cluster or value. */
  "fleetfold-select": CustomEvent<PreviewSelection>;
  /** The user edited a document: the current text of all files. */
  "fleetfold-change": CustomEvent<{ files: PreviewFile[] }>;
  /** The user asks for a line. Prevent the default to show it yourself. */
  "fleetfold-open": CustomEvent<PreviewPlace>;
  /** A URL returned no documents, or the engine failed to start. */
  "fleetfold-error": CustomEvent<{ message: string; src?: string }>;
}

/** Properties, and attributes of the same name. `documents` is a property only. */
export interface PreviewProperties {
  documents?: PreviewDocuments;
  /** URLs of YAML or JSON files, separated by spaces. */
  src?: string;
  cluster?: string;
  subject?: string;
  /** `cluster`: one cluster, value by value. `groups`: also the groups of clusters with equal results. */
  show?: "cluster" | "groups";
  /** Whether the element shows an editor for the documents. */
  editable?: boolean;
  /** Takes precedence over `editable`. */
  readonly?: boolean;
  /** By default inherited from the page. `system`: from the operating system. */
  theme?: "light" | "dark" | "system";
}

/** Previews the effective configuration of every cluster and its origins inside another page. */
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
  /** Creates the worker; override it if a bundler needs another way. Set it before the first element is connected. */
  worker: () => Worker;
};

declare global {
  interface HTMLElementTagNameMap {
    "fleetfold-preview": FleetfoldPreview;
  }
}
