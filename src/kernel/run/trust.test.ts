import assert from "node:assert/strict";
import { test } from "node:test";
import { ProductError } from "../base/errors.ts";
import { createTrust, type Trust } from "./trust.ts";

/** How each of so many attempts was made: t with trust, c with care. */
async function attempts(trust: Trust, count: number, isKnown: boolean): Promise<string> {
  let how = "";
  for (let turn = 0; turn < count; turn += 1) {
    await trust.trying(async (trusts) => {
      how += trusts ? "t" : "c";
      if (trusts && isKnown) throw new Error("duplicate key");
    });
  }
  return how;
}

test("what goes well is always tried with trust", async () => {
  assert.equal(await attempts(createTrust(true), 5, false), "ttttt");
});

test("what fails is done again with care, and trust rests longer every time", async () => {
  const trust = createTrust(true);
  assert.equal(await attempts(trust, 10, true), `tc${"c".repeat(8)}tc`);
  assert.equal(await attempts(trust, 17, true), `${"c".repeat(16)}tc`);
});

test("where nothing is gained by it, nothing is trusted", async () => {
  assert.equal(await attempts(createTrust(false), 3, false), "ccc");
});

test("a database that is away is not asked a second time", async () => {
  const away = new ProductError("store_unreachable", "It does not answer.", {
    kind: "unavailable",
  });
  let asked = 0;
  await assert.rejects(
    createTrust(true).trying(async () => {
      asked += 1;
      throw away;
    }),
    away,
  );
  assert.equal(asked, 1);
});

test("what fails with care, too, has failed", async () => {
  await assert.rejects(
    createTrust(true).trying(async () => {
      throw new Error("no decision");
    }),
    /no decision/,
  );
});
