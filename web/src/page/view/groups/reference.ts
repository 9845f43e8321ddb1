// Parses and formats references to documents.

export interface Reference {
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** `Kind/name` or `Kind/namespace/name`. */
export function parseReference(ref: string): Reference {
  const [kind = "", ...rest] = ref.split("/");
  return { kind, name: rest.at(-1) ?? "", ...(rest.length > 1 ? { namespace: rest[0] } : {}) };
}

/** `namespace/name`. */
export function shortName({ namespace, name }: Reference): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function referenceOf({ kind, namespace, name }: Reference): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}
