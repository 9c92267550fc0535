import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createQueryCache } from "./query-cache.ts";

function question(answers: () => Promise<unknown>, key = "task.list {}") {
  let reads = 0;
  return {
    key,
    name: "task.list",
    input: {},
    read: () => {
      reads += 1;
      return answers();
    },
    reads: () => reads,
  };
}

const scratchCache = (isHidden = () => false) => createQueryCache({ isHidden, keepMs: 0 });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("two that ask the same ask once, and both hear of the answer", async () => {
  const cache = scratchCache();
  const asked = question(async () => "an answer");
  let heard = 0;
  const leave = [cache.watch(asked, () => (heard += 1)), cache.watch(asked, () => (heard += 1))];

  await settled();

  assert.equal(asked.reads(), 1);
  assert.equal(heard, 2);
  assert.equal(cache.peek(asked.key).data, "an answer");
  for (const end of leave) end();
});

test("a thousand events have an answer read twice a second, not a thousand times", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.after(() => mock.timers.reset());
  const cache = scratchCache();
  const asked = question(async () => "an answer");
  const leave = cache.watch(asked, () => undefined);
  await settled();

  for (let n = 0; n < 1000; n += 1) {
    cache.spoil(() => true);
    mock.timers.tick(1);
    await settled();
  }
  mock.timers.tick(1000);
  await settled();

  assert.ok(asked.reads() >= 3 && asked.reads() <= 4, `${asked.reads()} reads`);
  leave();
});

test("what grew old while it was being read is read again", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.after(() => mock.timers.reset());
  const cache = scratchCache();
  let answer = "before";
  let release: (value: unknown) => void = () => undefined;
  const first = new Promise((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  const asked = question(async () => {
    if (!isFirst) return answer;
    isFirst = false;
    await first;
    return "before";
  });
  const leave = cache.watch(asked, () => undefined);

  cache.spoil(() => true);
  answer = "after";
  release(undefined);
  await settled();
  mock.timers.tick(600);
  await settled();

  assert.equal(cache.peek(asked.key).data, "after");
  leave();
});

test("a failed reading keeps what was known and says why", async () => {
  const cache = scratchCache();
  let isBroken = false;
  const asked = question(async () => {
    if (isBroken) throw new Error("no way");
    return "known";
  });
  const leave = cache.watch(asked, () => undefined);
  await settled();
  isBroken = true;

  cache.refresh(asked.key);
  await settled();

  const { data, problem } = cache.peek(asked.key);
  assert.equal(data, "known");
  assert.equal(problem?.message, "no way");
  leave();
});

test("a tab out of sight reads nothing until it is looked at", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.after(() => mock.timers.reset());
  let isHidden = false;
  const cache = scratchCache(() => isHidden);
  const asked = question(async () => "an answer");
  const leave = cache.watch(asked, () => undefined);
  await settled();
  isHidden = true;

  cache.spoil(() => true);
  mock.timers.tick(5000);
  await settled();
  assert.equal(asked.reads(), 1);

  isHidden = false;
  cache.catchUp();
  mock.timers.tick(5000);
  await settled();
  assert.equal(asked.reads(), 2);
  leave();
});
