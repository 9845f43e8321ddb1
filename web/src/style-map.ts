// Lit's `styleMap` writes the first value as an attribute, which a strict content security policy blocks. This one only
// uses the CSS object model, which the policy allows.
import { type AttributePart, noChange } from "lit";
import { Directive, directive, type PartInfo, PartType } from "lit/directive.js";

export type Styles = Record<string, string | number | undefined>;

class StyleMap extends Directive {
  #set = new Set<string>();

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ATTRIBUTE || part.name !== "style")
      throw new Error("styleMap is for the whole of `style`");
  }

  override render(_: Styles) {
    return noChange;
  }

  override update(part: AttributePart, [styles]: [Styles]) {
    const { style } = part.element as HTMLElement;
    for (const name of this.#set) if (styles[name] === undefined) style.removeProperty(dashed(name));
    for (const [name, value] of Object.entries(styles))
      if (value !== undefined) style.setProperty(dashed(name), String(value));
    this.#set = new Set(Object.keys(styles));
    return noChange;
  }
}

function dashed(name: string): string {
  return name.startsWith("--") ? name : name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`);
}

export const styleMap = directive(StyleMap);
