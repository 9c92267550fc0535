import assert from "node:assert/strict";
import { test } from "node:test";
import { isPointedAt } from "./pointed.ts";

test("a part lights up itself alone, a layer all that is in it, nothing nothing", () => {
  const lease = { layer: "tensions", part: "lease" };
  const clock = { layer: "tensions", part: "clock" };
  const heading = { layer: "tensions" };

  assert.equal(isPointedAt(lease, lease), true);
  assert.equal(isPointedAt(lease, clock), false);
  assert.equal(isPointedAt(lease, heading), false);
  assert.equal(isPointedAt(heading, clock), true);
  assert.equal(isPointedAt(heading, { layer: "request" }), false);
  assert.equal(isPointedAt(undefined, lease), false);
});
