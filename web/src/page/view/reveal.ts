// Scrolls an element into view within its nearest scroller only: the frame of the page does not move.

export function reveal(element: Element | null | undefined): void {
  const scroller = element && scrollerOf(element);
  if (!scroller) return;
  const [outer, inner] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  scroller.scrollTop += inner.top - outer.top - Math.max(0, (outer.height - inner.height) / 3);
}

/** The nearest scrolling ancestor, through shadow roots and slots. */
function scrollerOf(element: Element): Element | undefined {
  for (
    let at: Element | null = element;
    at;
    at = at.assignedSlot ?? at.parentElement ?? (at.getRootNode() as ShadowRoot).host ?? null
  ) {
    if (at !== element && at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY))
      return at;
  }
  return undefined;
}
