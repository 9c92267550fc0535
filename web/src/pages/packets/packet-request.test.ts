import assert from "node:assert/strict";
import { test } from "node:test";
import { readWanted, toRequest, wish } from "./packet-request.ts";

const wanted = (query: string) => readWanted(new URLSearchParams(query));

test("an address says what is wanted, and nonsense in it counts as nothing", () => {
  const read = wanted("origin=task:t1&target=cursor&budget=4000&pin=decision:d1,task:t2");

  assert.deepEqual(toRequest(read), {
    originType: "task",
    originId: "t1",
    targetTool: "cursor",
    budget: 4000,
    pin: ["decision:d1", "task:t2"],
  });
  assert.equal(toRequest(wanted("origin=planet:x&budget=many&target=paper")), undefined);
  assert.equal(wanted("budget=many&target=paper").budget, undefined);
});

test("a project needs an intent and gets the first; free words must be there to be asked", () => {
  assert.equal(toRequest(wanted("origin=project:p"))?.intent, "generate_next_actions");
  assert.equal(toRequest(wanted("origin=decision:d"))?.intent, undefined);
  assert.equal(toRequest(wanted("origin=project:p&intent=custom")), undefined);
  assert.equal(
    toRequest(wanted("origin=project:p&intent=custom&ask=What+now"))?.customIntent,
    "What now",
  );
});

test("a thought is pinned, banned or neither, never both", () => {
  const pinned = wish({ pin: [], ban: ["task:a"] }, "task:a", "pin");

  assert.deepEqual(pinned, { pin: ["task:a"], ban: [] });
  assert.deepEqual(wish(pinned, "task:a", undefined), { pin: [], ban: [] });
});
