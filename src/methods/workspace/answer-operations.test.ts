/** Answers by key, before and after the question. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import {
  AGENT,
  furnish,
  OPERATOR,
  openWorld,
  REVIEWER,
  STRANGER,
  startTrial,
  VIEWER,
  type World,
} from "./workspace-world.suite.ts";

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`answering by key on ${dialect}`, () => {
    let world: World;
    let projectId: string;
    before(async () => {
      world = await openWorld({ dialect });
      ({ projectId } = await furnish(world, "own", "thoughts"));
    });
    after(() => world.remove());

    /** Its question comes when the engine runs. */
    const start = () =>
      world.kernel.store.write(() =>
        startTrial(world, "asks", { projectId, startedBy: "operator" }),
      );
    const answer = (who: Caller, runId: string, more: object) =>
      world.as(who, "inbox.answer-by-key", { runId, key: "review", ...more });
    const outcomeOf = async (work: Promise<unknown>) =>
      ((await work) as { outcome: string }).outcome;
    const show = async (runId: string) =>
      (await world.as(OPERATOR, "run.show", { runId })) as {
        run: { state: string; result?: unknown };
        waits: { id: string }[];
      };

    test("an answer that comes first is kept, used when it is asked, and counts once", async () => {
      const runId = await start();
      const given = { choice: "complete", fields: { severity: "high" }, note: "Seen." };

      assert.equal(await outcomeOf(answer(REVIEWER, runId, given)), "kept");
      const second = await refusal(answer(OPERATOR, runId, { choice: "reject" }));
      await world.settle();

      assert.deepEqual([second.code, second.details["by"]], ["wait_answered", "reviewer"]);
      assert.match(second.message, /by reviewer/);
      const { run, waits } = await show(runId);
      assert.deepEqual([run.state, run.result], ["completed", { choice: "complete" }]);
      assert.deepEqual(waits, []);
      assert.equal((await refusal(answer(REVIEWER, runId, given))).code, "wait_answered");
    });

    test("one that does not fit the form or the answers is not used: the question is asked", async () => {
      const misfits = [
        { choice: "explode" },
        { choice: "complete" },
        { choice: "complete", fields: { severity: "huge" } },
        { choice: "complete", fields: { severity: "low", other: 1 } },
      ];
      for (const given of misfits) {
        const runId = await start();
        assert.equal(await outcomeOf(answer(REVIEWER, runId, given)), "kept");
        await world.settle();

        assert.equal((await show(runId)).waits.length, 1, JSON.stringify(given));
        const fitting = { choice: "complete", fields: { severity: "low" } };
        assert.equal(await outcomeOf(answer(REVIEWER, runId, fitting)), "answered");
      }
    });

    test("once it is asked, the same holds as for any entry of the inbox", async () => {
      const runId = await start();
      await world.settle();
      const { waits } = await show(runId);
      const wrong = { choice: "complete", fields: { severity: "huge" } };

      assert.equal((await refusal(answer(REVIEWER, runId, wrong))).code, "input_invalid");
      assert.equal(
        (await refusal(answer(REVIEWER, runId, { choice: "explode" }))).code,
        "answer_not_allowed",
      );
      await world.as(OPERATOR, "inbox.assign", { waitId: waits[0]?.id, user: "operator" });
      assert.equal(
        (await refusal(answer(REVIEWER, runId, { choice: "reject" }))).code,
        "answer_is_others",
      );
      assert.equal(await outcomeOf(answer(OPERATOR, runId, { choice: "reject" })), "answered");
      await world.settle();
      assert.deepEqual((await show(runId)).run.result, { choice: "reject" });
    });

    test("is refused to those who may not answer there, and for what nobody can know beforehand", async () => {
      const runId = await start();
      const reject = { choice: "reject" };
      const codes = [];
      for (const who of [VIEWER, AGENT, STRANGER]) {
        codes.push((await refusal(answer(who, runId, reject))).code);
      }

      assert.deepEqual(codes, ["permission_missing", "run_not_found", "run_not_found"]);
      const open = await furnish(world, "workspace", "thoughts");
      const openRun = await world.kernel.store.write(() =>
        startTrial(world, "asks", { projectId: open.projectId, startedBy: "operator" }),
      );
      assert.equal((await refusal(answer(AGENT, openRun, reject))).code, "answer_by_agent");
      assert.equal(
        (await refusal(answer(OPERATOR, runId, { key: "held:first", choice: "skip" }))).code,
        "wait_not_found",
      );
      await world.as(OPERATOR, "run.cancel", { runId });
      assert.equal((await refusal(answer(REVIEWER, runId, reject))).code, "run_ended");
      assert.equal(await outcomeOf(answer(REVIEWER, openRun, reject)), "kept");
    });
  });

async function refusal(attempt: Promise<unknown>): Promise<ProductError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}
