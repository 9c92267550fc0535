import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { ProductError } from "../../kernel/base/errors.ts";
import { createRateLimit } from "./rate-limit.ts";

describe("the rate limit", () => {
  test("never lets through more than the burst and what was filled since, for any times of asking", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 300 }),
        (perSecond, burst, pauses) => {
          let now = 0;
          const limit = createRateLimit({ elapsed: () => now }, { perSecond, burst });
          let passed = 0;
          for (const pause of pauses) {
            now += pause;
            if (isTaken(() => limit.take("one"))) passed += 1;
          }
          assert.ok(passed <= burst + (now / 1000) * perSecond + 1e-6);
        },
      ),
    );
  });

  test("whoever keeps to the rate is never refused, and one key does not slow another", () => {
    let now = 0;
    const limit = createRateLimit({ elapsed: () => now }, { perSecond: 10, burst: 5 });
    for (let n = 0; n < 5; n += 1) limit.take("greedy");
    assert.throws(() => limit.take("greedy"), { code: "requests_too_many" });

    for (let n = 0; n < 100; n += 1) {
      limit.take("patient");
      now += 100;
    }
    limit.take("greedy");
  });

  test("says how long to wait, and whoever waits that long may ask again", () => {
    let now = 0;
    const limit = createRateLimit({ elapsed: () => now }, { perSecond: 0.25, burst: 1 });
    limit.take("one");

    const { details } = refusal(() => limit.take("one"));
    now += Number(details["retryAfterSeconds"]) * 1000;

    assert.equal(details["retryAfterSeconds"], 4);
    limit.take("one");
  });

  test("fills up to the burst and no further, a part of a request at a time", () => {
    let now = 0;
    const limit = createRateLimit({ elapsed: () => now }, { perSecond: 2, burst: 3 });
    const taken = () => {
      let count = 0;
      while (isTaken(() => limit.take("one"))) count += 1;
      return count;
    };

    assert.equal(taken(), 3);
    now += 499;
    assert.equal(taken(), 0);
    now += 1;
    assert.equal(taken(), 1);
    now += 60_000;
    assert.equal(taken(), 3);
  });

  test("says who may ask how often, and who can change that", () => {
    const options = { perSecond: 0.5, burst: 1 };
    const told = (who?: string) => {
      const limit = createRateLimit(
        { elapsed: () => 0 },
        who === undefined ? options : { ...options, who },
      );
      limit.take("one");
      const { message, hint, kind } = refusal(() => limit.take("one"));
      return [message, hint, kind];
    };

    assert.deepEqual(told(), [
      "This token or login may ask 0.5 times a second, and 1 times at once.",
      "Wait 2 s. An admin can set more in `rateLimit` of config.json.",
      "limit",
    ]);
    assert.deepEqual(told("The sender"), [
      "The sender may ask 0.5 times a second, and 1 times at once.",
      "Wait 2 s.",
      "limit",
    ]);
  });

  test("nobody is told to wait for less than a second", () => {
    const limit = createRateLimit({ elapsed: () => 0 }, { perSecond: 100, burst: 1 });
    limit.take("one");

    assert.deepEqual(refusal(() => limit.take("one")).details, { retryAfterSeconds: 1 });
  });

  test("remembers the ten thousand that asked last, and forgets who has long not asked", () => {
    const limit = createRateLimit({ elapsed: () => 0 }, { perSecond: 1, burst: 1 });
    const ask = (count: number) => {
      for (let n = 0; n < count; n += 1) limit.take(`key ${n}`);
    };
    limit.take("first");
    ask(9_999);
    assert.throws(() => limit.take("first"), { code: "requests_too_many" });
    assert.throws(() => limit.take("key 0"), { code: "requests_too_many" });

    limit.take("one more");
    limit.take("key 1");
    assert.throws(() => limit.take("first"), { code: "requests_too_many" });
  });

  test("a rate of nothing means no limit", () => {
    const limit = createRateLimit({ elapsed: () => 0 }, { perSecond: 0, burst: 1 });
    for (let n = 0; n < 1000; n += 1) limit.take("one");
  });
});

describe("too many requests over HTTP", () => {
  let server: ScratchServer;
  before(async () => {
    const extra = { path: "/extra", handle: async () => new Response("extra") };
    server = await scratchServer({
      rateLimit: { perSecond: 0.5, burst: 3 },
      extraRoutes: [extra],
    });
  });
  after(() => server.close());

  test("are answered with 429, Retry-After and a problem, for that token alone, whatever it asks for", async () => {
    const token = await server.token("operator");
    const ask = (path: string) => server.fetch(path, { token });
    const statuses = [];
    for (const path of ["/api/v1/note/list", "/api/openapi.json", "/extra"]) {
      statuses.push((await ask(path)).status);
    }

    const refused = await ask("/api/v1/note/list");
    const refusedElsewhere = await ask("/extra");
    const other = await server.fetch("/api/v1/note/list", { token: await server.token("viewer") });

    assert.deepEqual(statuses, [200, 200, 200]);
    assert.deepEqual([refused.status, refusedElsewhere.status, other.status], [429, 429, 200]);
    assert.equal(refused.headers.get("retry-after"), "2");
    assert.match(refused.headers.get("content-type") ?? "", /^application\/problem\+json/);
    const problem = (await refused.json()) as { code: string; kind: string };
    assert.deepEqual([problem.code, problem.kind], ["requests_too_many", "limit"]);
  });

  test("a browser's login counts as one, and what needs no caller is not counted", async () => {
    const { cookie, secret } = await server.login("operator");
    const look = () =>
      fetch(`${server.url}/api/v1/note/list`, {
        headers: { cookie, "x-login-secret": secret, "x-app": "1" },
      });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await look()).status);
    for (let n = 0; n < 10; n += 1) {
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    }

    assert.deepEqual(statuses, [200, 200, 200, 429]);
  });
});

function isTaken(take: () => void): boolean {
  try {
    take();
    return true;
  } catch {
    return false;
  }
}

function refusal(take: () => void): ProductError {
  try {
    take();
  } catch (error) {
    if (error instanceof ProductError) return error;
  }
  throw new Error("It was not refused.");
}
