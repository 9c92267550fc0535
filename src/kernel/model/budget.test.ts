import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type BudgetScope,
  type CallEstimate,
  NOTHING,
  releaseBudget,
  reserveBudget,
  settleBudget,
} from "./budget.ts";

const scope = (name: BudgetScope["scope"], limits: BudgetScope["limits"]): BudgetScope => ({
  scope: name,
  limits,
  spent: NOTHING,
  reserved: NOTHING,
});
const call: CallEstimate = { inputTokens: 1_000, maxOutputTokens: 500, microUsd: 12_000 };

test("a call reserves in every scope and settles to what it took", () => {
  const scopes = [scope("run", { tokens: 2_000 }), scope("day", { microUsd: 1_000_000 })];

  const answer = reserveBudget(scopes, call);
  assert.ok(answer.answer === "go");
  const settled = settleBudget(answer.scopes, answer.reserved, { microUsd: 9_000, tokens: 1_200 });

  assert.deepEqual(answer.scopes[0]?.reserved, { microUsd: 12_000, tokens: 1_500, turns: 1 });
  for (const after of settled) {
    assert.deepEqual(after.reserved, NOTHING);
    assert.deepEqual(after.spent, { microUsd: 9_000, tokens: 1_200, turns: 1 });
  }
});

test("two calls under way cannot pass one limit together", () => {
  const first = reserveBudget([scope("run", { tokens: 2_000 })], call);
  assert.ok(first.answer === "go");

  const second = reserveBudget(first.scopes, call);

  assert.ok(second.answer === "hold" && second.reason.code === "budget_reached");
  assert.deepEqual(
    [second.reason.scope, second.reason.limit, second.reason.left, second.reason.needed],
    ["run", "tokens", 500, 1_500],
  );
  assert.match(
    second.reason.message,
    /500 tokens left of 2000 tokens; this call may need 1500 tokens/,
  );
});

test("a money budget and an unknown price hold until a person allows it", () => {
  const scopes = [scope("project", { microUsd: 5_000_000 })];
  const unknown = { ...call, microUsd: undefined };

  const held = reserveBudget(scopes, unknown);

  assert.ok(held.answer === "hold");
  assert.equal(held.reason.code, "price_unknown");
  assert.equal(reserveBudget(scopes, { ...unknown, unknownPriceAllowed: true }).answer, "go");
  assert.equal(reserveBudget([scope("run", { turns: 3 })], unknown).answer, "go");
});

test("turns are counted, and a call that never left gives its reservation back", () => {
  const scopes = [scope("run", { turns: 1 })];
  const first = reserveBudget(scopes, call);
  assert.ok(first.answer === "go");

  assert.equal(reserveBudget(first.scopes, call).answer, "hold");
  assert.deepEqual(releaseBudget(first.scopes, first.reserved), scopes);
});

test("when the provider tells no usage the whole reservation counts as spent", () => {
  const answer = reserveBudget([scope("run", { tokens: 5_000 })], call);
  assert.ok(answer.answer === "go");

  const [settled] = settleBudget(answer.scopes, answer.reserved, {
    microUsd: undefined,
    tokens: undefined,
  });

  assert.deepEqual(settled?.spent, { microUsd: 12_000, tokens: 1_500, turns: 1 });
});

test("money in messages reads as dollars", () => {
  const held = reserveBudget([scope("day", { microUsd: 10_000 })], call);

  assert.ok(held.answer === "hold");
  assert.equal(
    held.reason.message,
    "The day budget has $0.01 left of $0.01; this call may need $0.012000.",
  );
});

test("as long as calls stay within their estimates, no order of calls passes a limit", () => {
  const estimate = fc.record({
    inputTokens: fc.nat(900),
    maxOutputTokens: fc.nat(900),
    microUsd: fc.nat(9_000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    settles: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(estimate, { maxLength: 60 }), (calls) => {
      const limits = { microUsd: 50_000, tokens: 5_000, turns: 20 };
      let scopes: readonly BudgetScope[] = [scope("run", limits), scope("day", limits)];
      for (const each of calls) {
        const answer = reserveBudget(scopes, each);
        if (answer.answer === "hold") continue;
        scopes = each.settles
          ? settleBudget(answer.scopes, answer.reserved, {
              microUsd: Math.floor(each.microUsd * each.share),
              tokens: Math.floor((each.inputTokens + each.maxOutputTokens) * each.share),
            })
          : answer.scopes;
      }
      for (const { spent, reserved } of scopes) {
        assert.ok(spent.microUsd + reserved.microUsd <= limits.microUsd);
        assert.ok(spent.tokens + reserved.tokens <= limits.tokens);
        assert.ok(spent.turns + reserved.turns <= limits.turns);
      }
    }),
  );
});
