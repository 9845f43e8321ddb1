// The keyboard shortcuts of the page.

export type Key = "jump" | "help" | "next" | "previous" | "line" | "compare" | "close";

/** Entries without `key` are handled by the editor itself and only listed. */
export const KEYS: { key?: Key; shown: string; pressed: string; does: string }[] = [
  { key: "jump", shown: "⌘K or Ctrl K", pressed: "k", does: "jump to a cluster, subject, option, document or view" },
  { key: "next", shown: "]", pressed: "]", does: "next change of a what-if" },
  { key: "previous", shown: "[", pressed: "[", does: "previous change of a what-if" },
  { key: "line", shown: "e", pressed: "e", does: "to the line that decides the chosen value" },
  { key: "compare", shown: "c", pressed: "c", does: "compare the cluster with another" },
  { key: "close", shown: "Esc", pressed: "Escape", does: "leave the editor, close what is open" },
  { key: "help", shown: "?", pressed: "?", does: "this list" },
  { shown: "Ctrl Space", pressed: "", does: "in the editor: completion" },
  { shown: "Ctrl F", pressed: "", does: "in the editor: find" },
  { shown: "F8", pressed: "", does: "in the editor: the next problem" },
  { shown: "Alt Enter", pressed: "", does: "in the editor: the value that this line decides" },
  { shown: "Esc, Tab", pressed: "", does: "out of the editor" },
];

/** The shortcut of an event; none while the user types into a field, except for ⌘K. */
export function keyOf(event: KeyboardEvent): Key | undefined {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "k") return "jump";
  if (command || event.altKey || event.defaultPrevented || isTyping(event)) return undefined;
  return KEYS.find((it) => it.key && it.key !== "jump" && it.pressed === event.key)?.key;
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}
