import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdSource, isId } from "./ids.ts";

test("ids are UUIDv7 and strictly increase, also within a millisecond and when the clock steps back", () => {
  let now = 1_800_000_000_000;
  const ids = createIdSource({ now: () => now });

  const made = Array.from({ length: 20_000 }, (_, i) => {
    if (i === 5_000) now -= 60_000;
    if (i === 15_000) now += 120_000;
    return ids.next();
  });

  assert.ok(made.every(isId));
  assert.deepEqual(made, made.toSorted());
  assert.equal(new Set(made).size, made.length);
});

test("a seeded source repeats itself", () => {
  const seeded = () => createIdSource({ now: () => 1 }, (count) => new Uint8Array(count).fill(7));

  assert.equal(seeded().next(), seeded().next());
});
