// Two copies of the package may be loaded in one page. The first one to define an element keeps it.
export function defineOnce(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
