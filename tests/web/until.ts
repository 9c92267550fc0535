import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Asks again and again, as somebody does who waits for it. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, `it never came to that: ${what}`);
    await delay(50);
  }
}
