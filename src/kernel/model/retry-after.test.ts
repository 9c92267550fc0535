import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { retryAfterMs } from "./retry-after.ts";

const noon = Date.UTC(2026, 10, 18, 12, 0, 0);
const read = (value: string | undefined) => retryAfterMs({ "retry-after": value }, noon);

test("seconds and HTTP dates are both understood", () => {
  assert.equal(read("7"), 7_000);
  assert.equal(read(" 1.5 "), 1_500);
  assert.equal(read("Wed, 18 Nov 2026 12:00:30 GMT"), 30_000);
  assert.equal(read("Wednesday, 18-Nov-26 12:00:30 GMT"), 30_000);
  assert.equal(read("Wed Nov 18 12:00:30 2026"), 30_000);
  assert.equal(retryAfterMs({ "retry-after-ms": "250", "retry-after": "9" }, noon), 250);
});

test("the past, the absurd and the unreadable are bounded or ignored", () => {
  assert.equal(read("-5"), 0);
  assert.equal(read("Tue, 17 Nov 2026 12:00:00 GMT"), 0);
  assert.equal(read("99999999999999999999"), 3_600_000);
  assert.equal(read("Fri, 18 Nov 2099 12:00:00 GMT"), 3_600_000);
  assert.equal(read(undefined), undefined);
  assert.equal(read(""), undefined);
  assert.equal(read("soon"), undefined);
  assert.equal(read("1"), 1_000);
  assert.equal(read("2026"), 2_026_000);
});

test("no header value gives a wait outside zero to an hour", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String)), (value) => {
      const wait = read(value);
      assert.ok(wait === undefined || (wait >= 0 && wait <= 3_600_000));
    }),
  );
});
