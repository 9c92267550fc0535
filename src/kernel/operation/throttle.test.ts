import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createThrottle } from "./throttle.ts";

function scene() {
  const clock = { at: 0, elapsed: () => clock.at };
  const throttle = createThrottle(clock);
  const fail = (count: number, ...keys: readonly string[]) => {
    for (let n = 0; n < count; n += 1) throttle.fail(keys);
  };
  /** To the millisecond. */
  const waitFor = (...keys: readonly string[]) => {
    const begun = clock.at;
    for (let step = 2 ** 20; step >= 1; step /= 2) {
      clock.at += step - 1;
      if (isFree(...keys)) clock.at -= step - 1;
      else clock.at += 1;
    }
    const waited = clock.at - begun;
    clock.at = begun;
    return waited;
  };
  const isFree = (...keys: readonly string[]) => {
    try {
      throttle.check(keys);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, throttle, fail, waitFor, isFree };
}

describe("guessing", () => {
  test("is free four times; then each failure doubles the wait, up to a quarter of an hour", () => {
    const { fail, waitFor } = scene();
    const waits = Array.from({ length: 17 }, () => {
      fail(1, "a");
      return waitFor("a");
    });

    assert.deepEqual(waits.slice(0, 8), [0, 0, 0, 0, 1000, 2000, 4000, 8000]);
    assert.deepEqual(waits.slice(-3), [900_000, 900_000, 900_000]);
  });

  test("waits for the slowest of its keys, and others do not wait", () => {
    const { fail, waitFor } = scene();
    fail(5, "a");
    fail(6, "b");

    assert.deepEqual(
      [waitFor("a", "b"), waitFor("b", "a", "c"), waitFor("c"), waitFor()],
      [2000, 2000, 0, 0],
    );
  });

  test("says how long to wait, in whole seconds", () => {
    const { clock, throttle, fail } = scene();
    fail(6, "a");
    clock.at += 1;

    assert.throws(() => throttle.check(["a"]), {
      code: "attempts_too_many",
      kind: "limit",
      message: "Too many failed attempts; wait 2 s.",
      hint: "If you forgot the password, ask an admin for a new invitation.",
      details: { retryAfterSeconds: 2 },
    });
  });

  test("is forgiven by success, for the keys that are named", () => {
    const { throttle, fail, waitFor } = scene();
    fail(5, "a", "b");
    throttle.succeed(["a"]);

    assert.deepEqual([waitFor("a"), waitFor("b")], [0, 1000]);
    fail(1, "a");
    assert.equal(waitFor("a"), 0);
  });

  test("is forgotten a quarter of an hour after the wait was over", () => {
    const { clock, fail, waitFor } = scene();
    fail(5, "a");
    clock.at += 1000 + 900_000;
    fail(1, "a");
    assert.equal(waitFor("a"), 2000);

    clock.at += 2000 + 900_001;
    fail(4, "a");
    assert.equal(waitFor("a"), 0);
  });

  test("is remembered of ten thousand keys, those that failed last", () => {
    const { throttle, fail, isFree } = scene();
    fail(5, "first");
    fail(5, "second");
    throttle.fail(Array.from({ length: 9_998 }, (_, n) => `key ${n}`));
    assert.deepEqual([isFree("first"), isFree("second")], [false, false]);

    throttle.fail(["first"]);
    throttle.fail(["one more"]);
    assert.deepEqual([isFree("first"), isFree("second")], [false, true]);
  });
});
