// The visible text of an element including nested shadow roots, where `innerText` stops.
import assert from "node:assert/strict";

/** One line for each block. Excludes elements that are not displayed, includes text for screen readers. */
export function shown(locator) {
  return locator.evaluate((top) => {
    let text = "";
    const walk = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return void (text += node.textContent.replace(/\s+/g, " "));
      if (node.nodeType !== Node.ELEMENT_NODE && node.nodeType !== Node.DOCUMENT_FRAGMENT_NODE) return;
      const display = node instanceof Element ? getComputedStyle(node).display : "contents";
      if (display === "none" || node.tagName === "STYLE") return;
      const isBlock = !/^(inline|contents)/.test(display);
      if (isBlock) text += "\n";
      const inside = node.shadowRoot
        ? node.shadowRoot.childNodes
        : node.tagName === "SLOT"
          ? node.assignedNodes({ flatten: true })
          : node.childNodes;
      for (const it of inside) walk(it);
      if (isBlock) text += "\n";
    };
    walk(top);
    return text
      .replace(/[ \t]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n+/g, "\n")
      .trim();
  });
}

/** Waits until the text of an element matches. */
export async function shows(locator, pattern) {
  let text = "";
  for (const late = Date.now() + 15_000; Date.now() < late; await new Promise((it) => setTimeout(it, 30))) {
    if (await locator.count()) text = await shown(locator);
    if (pattern.test(text)) return;
  }
  assert.match(text, pattern);
}
