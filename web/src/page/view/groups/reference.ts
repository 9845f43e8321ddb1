// A reference, taken apart.

export interface Named {
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** `Kind/name` or `Kind/namespace/name`. */
export function named(ref: string): Named {
  const [kind = "", ...rest] = ref.split("/");
  return { kind, name: rest.at(-1) ?? "", ...(rest.length > 1 ? { namespace: rest[0] } : {}) };
}

/** `namespace/name`. */
export function shortName({ namespace, name }: Named): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function refOf({ kind, namespace, name }: Named): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}
