import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { createBeats } from "./beats.ts";

function scene() {
  let now = 0;
  let timers = 0;
  const sleepers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    sleep: (ms) => {
      timers += 1;
      return new Promise((wake) => sleepers.set(wake, now + ms));
    },
  };
  const over = new AbortController();
  const called: string[] = [];
  const beats = createBeats(clock, 250, over.signal);
  const pass = async (ms: number) => {
    for (const until = now + ms; now < until; ) {
      now += 10;
      for (const [wake, at] of sleepers) if (at <= now && sleepers.delete(wake)) wake();
      await nextTurn();
    }
  };
  const call = (name: string) => () => void called.push(`${name} at ${now}`);
  return { beats, over, called, call, pass, timers: () => timers };
}

describe("beats", () => {
  test("each is called once, when its own time has passed, on one timer at a time", async () => {
    const { beats, called, call, pass, timers } = scene();

    beats.add(call("first"));
    await pass(100);
    beats.add(call("second"));
    await pass(1000);

    assert.deepEqual(called, ["first at 250", "second at 350"]);
    assert.equal(timers(), 2);
  });

  test("after all were called it begins anew with who comes then", async () => {
    const { beats, called, call, pass } = scene();

    beats.add(call("first"));
    await pass(300);
    beats.add(call("late"));
    await pass(300);

    assert.deepEqual(called, ["first at 250", "late at 550"]);
  });

  test("who is removed is not called, and a thousand that come and go share a timer", async () => {
    const { beats, called, call, pass, timers } = scene();

    for (let count = 0; count < 1000; count += 1) {
      const quick = call("quick");
      beats.add(quick);
      beats.remove(quick);
    }
    beats.add(call("slow"));
    await pass(300);

    assert.deepEqual(called, ["slow at 250"]);
    assert.equal(timers(), 1);
  });

  test("once it is over nobody is called, not even who comes later", async () => {
    const { beats, over, called, call, pass } = scene();

    beats.add(call("before"));
    over.abort();
    beats.add(call("after"));
    await pass(500);

    assert.deepEqual(called, []);
  });
});
