import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  passedJobs,
  type RunLimits,
  type RunUse,
  reachedLimit,
  runLimitsSchema,
} from "./limits.ts";

const anyLimits: fc.Arbitrary<RunLimits> = fc
  .record(
    {
      turns: fc.integer({ min: 1, max: 100 }),
      jobs: fc.integer({ min: 1, max: 100 }),
      tokens: fc.integer({ min: 1, max: 1000 }),
      costMicroUsd: fc.nat({ max: 1000 }),
      wallMs: fc.integer({ min: 1, max: 1000 }),
    },
    { requiredKeys: ["turns", "jobs"] },
  )
  .map((limits) => runLimitsSchema.parse(limits));
const anyUse: fc.Arbitrary<RunUse> = fc.record({
  turns: fc.nat({ max: 100 }),
  jobs: fc.nat({ max: 110 }),
  tokens: fc.nat({ max: 1000 }),
  costMicroUsd: fc.nat({ max: 1000 }),
  hasUnknownCost: fc.boolean(),
  startedAt: fc.option(fc.nat({ max: 1000 })),
});
const unused: RunUse = {
  turns: 0,
  jobs: 0,
  tokens: 0,
  costMicroUsd: 0,
  hasUnknownCost: false,
  startedAt: null,
};

describe("reachedLimit", () => {
  test("lets one more turn start only while every limit has room", () => {
    fc.assert(
      fc.property(anyLimits, anyUse, fc.nat({ max: 3000 }), (limits, use, now) => {
        const hasRoom =
          use.turns < limits.turns &&
          use.jobs <= limits.jobs &&
          use.tokens < (limits.tokens ?? Number.POSITIVE_INFINITY) &&
          (limits.costMicroUsd === undefined ||
            (!use.hasUnknownCost && use.costMicroUsd < limits.costMicroUsd)) &&
          (limits.wallMs === undefined ||
            use.startedAt === null ||
            now - use.startedAt < limits.wallMs);
        assert.equal(reachedLimit(limits, use, now) === undefined, hasRoom);
      }),
    );
  });

  test("always says which limit it was and what can be done", () => {
    fc.assert(
      fc.property(anyLimits, anyUse, fc.nat({ max: 3000 }), (limits, use, now) => {
        const reason = reachedLimit(limits, use, now);
        fc.pre(reason !== undefined);
        assert.match(reason?.code ?? "", /^limit_[a-z_]+$/);
        assert.ok((reason?.message ?? "").endsWith("."));
        assert.ok((reason?.hint ?? "") !== "");
      }),
    );
  });

  test("names the limit, says how much it was, and the smallest one with which the run could go on", () => {
    const hint = "Raise the limit to go on, or cancel the run; nothing done so far is lost.";
    const told: [Partial<RunLimits>, Partial<RunUse>, string, string, number][] = [
      [{ jobs: 3 }, { jobs: 4 }, "jobs", "3 jobs", 4],
      [{ turns: 3 }, { turns: 3 }, "turns", "3 turns", 4],
      [{ tokens: 9 }, { tokens: 12 }, "tokens", "9 tokens", 13],
      [{ tokens: 9 }, { tokens: 9 }, "tokens", "9 tokens", 10],
      [{ costMicroUsd: 4e12 }, { costMicroUsd: 4e12 }, "cost", "$4000000.00", 4e12 + 1],
      [{ wallMs: 6_000_000 }, { startedAt: 10_000 - 6_000_000 }, "time", "6000 s", 6_000_001],
      [{ costMicroUsd: 1_230_000 }, { costMicroUsd: 1_230_000 }, "cost", "$1.23", 1_230_001],
      [{ wallMs: 2_600 }, { startedAt: 1_000 }, "time", "3 s", 9_001],
    ];

    for (const [limits, use, what, amount, atLeast] of told) {
      const all = runLimitsSchema.parse(limits);
      assert.deepEqual(reachedLimit(all, { ...unused, ...use }, 10_000), {
        atLeast,
        code: `limit_${what}`,
        message: `The run reached its limit of ${amount}.`,
        hint,
      });
    }
    assert.deepEqual(
      reachedLimit(
        runLimitsSchema.parse({ costMicroUsd: 5 }),
        { ...unused, hasUnknownCost: true },
        0,
      ),
      {
        code: "limit_cost_unknown",
        message: "The run has a money budget, but the price of a model it used is not known.",
        hint: "Set the model's price, or lift the run's money budget.",
      },
    );
  });

  test("goes on with an unknown price where a person allowed it, as far as the known ones reach", () => {
    const limits = runLimitsSchema.parse({ costMicroUsd: 5, allowUnknownPrice: true });
    const use = { ...unused, hasUnknownCost: true };

    assert.equal(reachedLimit(limits, { ...use, costMicroUsd: 4 }, 0), undefined);
    assert.equal(reachedLimit(limits, { ...use, costMicroUsd: 5 }, 0)?.code, "limit_cost");
  });

  test("a run may plan as many jobs as it may have, and not one more", () => {
    const limits = runLimitsSchema.parse({ jobs: 3 });

    assert.equal(passedJobs(limits, { jobs: 3 }), undefined);
    assert.equal(passedJobs(limits, { jobs: 4 })?.code, "limit_jobs");
  });

  test("does not care about an unknown price without a money budget, and stops at once with one", () => {
    const use = { ...unused, hasUnknownCost: true };
    assert.equal(reachedLimit(runLimitsSchema.parse({}), use, 0), undefined);
    assert.equal(
      reachedLimit(runLimitsSchema.parse({ costMicroUsd: 1_000_000 }), use, 0)?.code,
      "limit_cost_unknown",
    );
  });

  test("does not count wall time before the run has started, nor when the clock stepped back", () => {
    const limits = runLimitsSchema.parse({ wallMs: 10 });
    assert.equal(reachedLimit(limits, unused, 1_000_000), undefined);
    assert.equal(reachedLimit(limits, { ...unused, startedAt: 500 }, 400), undefined);
    assert.equal(reachedLimit(limits, { ...unused, startedAt: 500 }, 510)?.code, "limit_time");
  });
});

describe("runLimitsSchema", () => {
  test("gives every run an end even when nobody set one", () => {
    assert.deepEqual(runLimitsSchema.parse({}), { turns: 10_000, jobs: 50_000 });
  });

  test("refuses limits that are no whole positive numbers", () => {
    for (const wrong of [{ turns: 0 }, { turns: 1.5 }, { jobs: -1 }, { tokens: Number.NaN }]) {
      assert.equal(runLimitsSchema.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });
});
