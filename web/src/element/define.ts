// Two copies of the package may be loaded in one page; the first one to define an element wins. The package build
// replaces `customElements.define` with this function, so it refers to the registry by another name.
const registry = customElements;

export function defineOnce(name: string, element: CustomElementConstructor): void {
  if (!registry.get(name)) registry.define(name, element);
}
