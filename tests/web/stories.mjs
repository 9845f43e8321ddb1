// Stories: each on a page of its own, which must not have broken a rule at its end.
import { after, before, test } from "node:test";
import { browser, check, open, site } from "./harness.mjs";

/**
 * For a file of stories: how to tell one, `story(name, async (page, view, served) => …, options of the page)`. `arrange` goes
 * before each of them and answers the view that they are about, `usual` are options of all pages.
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
