// Groups similar actions: same wave, verb, subject, kind of target and reason.
import type { ActionAnswer, NeedAnswer, TargetAnswer } from "../../../../contract.js";

export interface ActionGroup {
  key: string;
  wave: number;
  verb: string;
  subject: string;
  kind: string;
  actions: ActionAnswer[];
}

/** The filter of the actions. Empty fields match everything. */
export interface Filter {
  cluster: string | undefined;
  subject: string;
  verb: string;
  text: string;
}

export function matchesFilter(action: ActionAnswer, filter: Filter): boolean {
  if (filter.cluster !== undefined && action.cluster !== filter.cluster) return false;
  if (filter.subject && action.subject !== filter.subject) return false;
  if (filter.verb && action.verb !== filter.verb) return false;
  const text = filter.text.trim().toLowerCase();
  return (
    !text ||
    [
      targetName(action.target),
      action.cluster,
      action.subject,
      action.reason.text,
      action.reason.code,
      action.held?.text ?? "",
    ].some((it) => it.toLowerCase().includes(text))
  );
}

/** In plan order. */
export function groupActions(actions: ActionAnswer[]): ActionGroup[] {
  const groups = new Map<string, ActionGroup>();
  for (const it of actions) {
    const key = JSON.stringify([it.wave, it.verb, it.subject, it.target.kind, it.reason.code, it.held?.code ?? ""]);
    const group = groups.get(key);
    if (group) group.actions.push(it);
    else
      groups.set(key, { key, wave: it.wave, verb: it.verb, subject: it.subject, kind: it.target.kind, actions: [it] });
  }
  return [...groups.values()];
}

export function targetName(it: TargetAnswer | NeedAnswer): string {
  return [it.kind, it.namespace, it.name].filter((part) => part !== undefined).join("/");
}

/** The kubectl command that fetches the object or list. */
export function kubectlCommand(need: NeedAnswer): string {
  const [group, version] = need.apiVersion.includes("/") ? need.apiVersion.split("/") : ["", need.apiVersion];
  const kind = group ? `${need.kind.toLowerCase()}.${version}.${group}` : need.kind.toLowerCase();
  const where = need.namespace ? `-n ${need.namespace}` : need.name ? "" : "-A";
  return [
    "kubectl",
    need.cluster && `--context ${need.cluster}`,
    "get",
    kind,
    need.name,
    where,
    need.labelSelector && `-l '${need.labelSelector}'`,
    "-o yaml",
  ]
    .filter(Boolean)
    .join(" ");
}
