// Two copies of the package may be loaded in one page. The first one to define an element keeps it. The package is built with this in
// place of `customElements.define`, which is why it is called by another name here.
const registry = customElements;

export function defineOnce(name: string, element: CustomElementConstructor): void {
  if (!registry.get(name)) registry.define(name, element);
}
