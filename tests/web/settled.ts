import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Nothing on the page stands for something that is still to come, nor does a moment later: what comes may bring more. */
export async function settled(page: Page): Promise<void> {
  const coming = page.locator(".skeleton, [aria-busy=true]");
  const until = Date.now() + 15_000;
  for (let calm = 0; calm < 2; ) {
    calm = (await coming.count()) === 0 ? calm + 1 : 0;
    assert.ok(Date.now() < until, "something is still to come");
    await page.waitForTimeout(20);
  }
}
