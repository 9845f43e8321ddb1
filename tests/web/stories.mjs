// Stories: each runs on its own page and checks for violations at its end.
import { after, before, test } from "node:test";
import { browser, check, open, site } from "./harness.mjs";

/**
 * Returns `story(name, async (page, view, served) => …, page options)` for a test file. `arrange` runs before each
 * story and returns the view under test; `usual` are page options of all stories.
 */
export function stories(arrange = async () => {}, usual = {}) {
  let chromium, served;
  before(async () => {
    [chromium, served] = [await browser(), await site()];
  });
  after(async () => {
    await chromium?.close();
    await served?.close();
  });
  return (name, tell, options = {}) =>
    test(name, async () => {
      const page = await open(chromium, served, { ...usual, ...options });
      try {
        await tell(page, await arrange(page), served);
        check(page);
      } finally {
        await page.context().close();
      }
    });
}
