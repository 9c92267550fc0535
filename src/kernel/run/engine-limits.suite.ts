/** Limits: reaching one stops the run visibly, with one entry in the inbox, and raising it goes on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  completed,
  inRig,
  job,
  move,
  note,
  type Rig,
  type RigKind,
  turn,
  until,
} from "../../../tests/scratch/engine-rig.ts";
import type { Json } from "../base/json.ts";
import { answerWait } from "./answer-wait.ts";
import { DAY_SCOPE, setBudget } from "./budgets.ts";
import type { RunLimits } from "./limits.ts";
import { resumeRun } from "./run-control.ts";

const item = turn("item", { accept: (view) => ({ effects: [note(view)] }) });
const join = move("join", (view) => ({ ...completed(), effects: [note(view)] }));
const fan = (count: number) =>
  move("fan", () => ({
    batches: [
      {
        key: "fan",
        jobs: Array.from({ length: count }, (_, index) => ({
          ...job(`i${index}`, "item"),
          step: ["quick", "slow", "slower"][index % 3] ?? "quick",
        })),
        followUp: job("join", "join"),
      },
    ],
  }));
const link = turn("link", {
  settings: { maxOutputTokens: 100 },
  accept(view) {
    const { index } = view.input as { index: number };
    if (index === 5) return { ...completed(), effects: [note(view)] };
    return { effects: [note(view)], jobs: [job(`t${index + 1}`, "link", { index: index + 1 })] };
  },
});

/** Calls that take unequal time, so that some are always under way while others are settled. */
const unequal = {
  replies: [
    { step: "slow", latencyMs: 14 },
    { step: "slower", latencyMs: 31 },
  ],
};

const LONG = { summary: "A summary that is long enough to be cut in the middle.", score: 7 };

export function limitsSuite(kind: RigKind): void {
  describe("limits", { concurrency: 1 }, () => {
    for (const concurrency of [1, 4, 64]) {
      test(
        `a run of 30 turns with a limit of 10 makes 10 calls when ${concurrency} may be under way`,
        inRig(kind, { handlers: [fan(30), item, join], script: unequal }, async (rig) => {
          const engine = rig.engine({ concurrency });
          const id = await rig.begin({ jobs: [job("a", "fan")], limits: { turns: 10 } });
          const run = await rig.reaches(id, "held");
          await until("nothing is under way", () => (engine.active === 0 ? true : undefined));
          await engine.whenIdle();

          assert.equal(run.reason?.code, "limit_turns");
          assert.equal(rig.calls.length, 10);
          assert.equal((await rig.effects(id)).length, 10);
          const wait = await rig.openWait(id);
          assert.deepEqual([wait.kind, wait.answers], ["limit_reached", ["raise", "cancel_run"]]);

          await raise(rig, id, { turns: 1000 });
          engine.wake();
          await rig.reaches(id, "completed");
          assert.equal(rig.calls.length, 30);
          assert.equal((await rig.effects(id)).length, 31);
          const labels = rig.calls.map(({ request }) => request.labels.attempt);
          assert.deepEqual(new Set(labels), new Set([1]), "waiting used no attempt");
        }),
      );
    }

    const reachable: readonly {
      readonly name: string;
      readonly limits: Partial<RunLimits>;
      readonly code: RegExp;
      readonly costOf?: () => number | undefined;
    }[] = [
      { name: "tokens", limits: { tokens: 150 }, code: /^limit_(?:tokens|run_budget)$/ },
      { name: "money", limits: { costMicroUsd: 20 }, code: /^limit_(?:cost|run_budget)$/ },
      {
        name: "a price nobody knows, with a money budget",
        limits: { costMicroUsd: 1_000_000 },
        code: /^limit_cost_unknown$/,
        costOf: () => undefined,
      },
    ];
    for (const { name, limits, code, costOf } of reachable) {
      test(
        `${name}: the run is held with one entry in the inbox, and raising it without a number goes on`,
        inRig(kind, { handlers: [link], ...(costOf ? { costOf } : {}) }, async (rig) => {
          const engine = rig.engine();
          const id = await rig.begin({ jobs: [job("t0", "link", { index: 0 })], limits });
          const run = await rig.reaches(id, "held");
          assert.match(run.reason?.code ?? "", code);

          let answers = 0;
          while ((await rig.run(id)).state !== "completed") {
            assert.ok(answers < 6, "raising it six times is enough for six turns");
            await until("the run rests", async () =>
              (await rig.rest(id)) && engine.active === 0 ? true : undefined,
            );
            if ((await rig.run(id)).state === "completed") break;
            await raise(rig, id);
            answers += 1;
            engine.wake();
            await engine.whenIdle();
          }
          assert.equal((await rig.effects(id)).length, 6);
          assert.equal(rig.calls.length, 6);
        }),
      );
    }

    test(
      "a money budget of nothing stops before the first call, and raising it lets the run go on",
      inRig(kind, { handlers: [link] }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({
          jobs: [job("t0", "link", { index: 0 })],
          limits: { costMicroUsd: 0 },
        });
        await rig.reaches(id, "held");
        assert.equal(rig.calls.length, 0);

        await raise(rig, id, { costMicroUsd: 1000 });
        engine.wake();
        await rig.reaches(id, "completed");
      }),
    );

    test(
      "one large step beyond a limit needs one answer, not one for every doubling",
      inRig(kind, { handlers: [link], costOf: () => 100 }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({
          jobs: [job("t0", "link", { index: 0 })],
          limits: { costMicroUsd: 1 },
        });
        await rig.reaches(id, "held");
        await raise(rig, id);
        engine.wake();
        await until("it has made a call", () => (rig.calls.length > 0 ? true : undefined));
      }),
    );

    const midway: readonly {
      readonly what: string;
      readonly limits?: Partial<RunLimits>;
      readonly dayTokens?: number;
      readonly code: string;
      readonly raised: Json;
    }[] = [
      { what: "turns", limits: { turns: 1 }, code: "limit_turns", raised: { turns: 10 } },
      { what: "tokens", limits: { tokens: 160 }, code: "limit_tokens", raised: { tokens: 9000 } },
      {
        what: "money",
        limits: { costMicroUsd: 160 },
        code: "limit_cost",
        raised: { costMicroUsd: 9000 },
      },
      { what: "the day's tokens", dayTokens: 160, code: "limit_day_budget", raised: { turns: 99 } },
    ];
    for (const { what, limits = {}, dayTokens, code, raised } of midway) {
      test(
        `${what} reached between a call and its continuation: held with the reason, gone on from what was received`,
        inRig(
          kind,
          {
            handlers: [
              turn("long", {
                settings: { maxOutputTokens: 100 },
                accept: (view, { value }) => ({
                  ...completed(value as Json),
                  effects: [note(view)],
                }),
              }),
            ],
            script: {
              replies: [
                { continuation: 0, reply: LONG, misbehave: { kind: "truncate", at: 25 } },
                { continuation: 1, reply: LONG },
              ],
            },
            costOf: ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens,
          },
          async (rig) => {
            const setDay = (tokens: number | null) =>
              rig.write(() => setBudget(DAY_SCOPE, { microUsd: null, turns: null, tokens }));
            if (dayTokens !== undefined) await setDay(dayTokens);
            const engine = rig.engine();
            const id = await rig.begin({ jobs: [job("a", "long")], limits });
            const run = await rig.reaches(id, "held");
            await engine.whenIdle();

            assert.equal(run.reason?.code, code);
            assert.equal(rig.calls.length, 1);
            assert.deepEqual(
              (await rig.jobs(id)).map(({ state }) => state),
              ["parked"],
            );
            if (dayTokens !== undefined) await setDay(9000);
            await raise(rig, id, raised);
            engine.wake();
            const done = await rig.reaches(id, "completed");

            assert.deepEqual(done.result, LONG);
            assert.equal(rig.calls.length, 2);
            const received = JSON.stringify(LONG, null, 2).slice(0, 25);
            assert.equal(rig.calls[1]?.request.continuationOf?.text, received);
            assert.equal(rig.calls[1]?.request.labels.attempt, 1);
            assert.equal((await rig.effects(id)).length, 1);
          },
        ),
      );
    }

    test(
      "what a group has just settled counts for what it claims next: a day's budget is not overrun by a chain",
      inRig(kind, { handlers: [link] }, async (rig) => {
        await rig.write(() => setBudget(DAY_SCOPE, { microUsd: null, tokens: null, turns: 3 }));
        const engine = rig.engine();
        const id = await rig.begin({ jobs: [job("t0", "link", { index: 0 })] });
        const run = await rig.reaches(id, "held");
        await engine.whenIdle();

        assert.equal(run.reason?.code, "limit_day_budget");
        assert.equal(rig.calls.length, 3);
      }),
    );

    test(
      "failed calls cost nothing, so a busy provider does not use up a money budget",
      inRig(
        kind,
        {
          handlers: [link],
          script: {
            replies: [{ attempt: 1, misbehave: { kind: "rate_limit", retryAfterMs: 0 } }],
          },
          costOf: ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens,
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({
            jobs: [job("t0", "link", { index: 5 })],
            limits: { costMicroUsd: 100_000 },
          });
          await rig.reaches(id, "completed");

          assert.equal((await rig.run(id)).has_unknown_cost, 0);
          assert.equal(rig.calls.length, 2);
        },
      ),
    );

    test(
      "wall time holds the run, and resuming without raising holds it again at once",
      inRig(kind, { handlers: [link], latencyMs: 30 }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({
          jobs: [job("t0", "link", { index: 0 })],
          limits: { wallMs: 20 },
        });
        const run = await rig.reaches(id, "held");
        assert.equal(run.reason?.code, "limit_time");

        await rig.write(() => resumeRun(rig.tools, id, "ann", rig.now()));
        engine.wake();
        await rig.reaches(id, "held");
        await rig.openWait(id);
        await raise(rig, id, { wallMs: 3_600_000 });
        engine.wake();
        await rig.reaches(id, "completed");
      }),
    );

    test("moves that plan moves for ever are stopped at the number of jobs the run may have", async () => {
      const loop = move("loop", (view) => {
        const { index } = view.input as { index: number };
        return { jobs: [job(`l${index + 1}`, "loop", { index: index + 1 })] };
      });
      const whole = turn("whole", { accept: () => completed() });
      await inRig(kind, { handlers: [loop, whole] }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({
          jobs: [job("l0", "loop", { index: 0 })],
          limits: { jobs: 100 },
        });
        const other = await rig.begin({ jobs: [job("a", "whole")] });
        const run = await rig.reaches(id, "held");
        await engine.whenIdle();

        assert.equal(run.reason?.code, "limit_jobs");
        assert.ok((await rig.run(id)).jobs <= 102, `${(await rig.run(id)).jobs} jobs`);
        assert.equal((await rig.reaches(other, "completed")).state, "completed");
        await raise(rig, id, { jobs: 200 });
        engine.wake();
        await until("it is held again, further on", async () => {
          const { state, jobs } = await rig.run(id);
          return state === "held" && jobs > 190 ? true : undefined;
        });
      })();
    });

    test(
      "a fan of a hundred thousand is stopped at the limit, soon, and its memory stays small",
      inRig(kind, { handlers: [fan(100_000), item, join] }, async (rig) => {
        const engine = rig.engine();
        const before = process.memoryUsage().rss;
        const id = await rig.begin({ jobs: [job("a", "fan")], limits: { jobs: 1000 } });
        const run = await rig.reaches(id, "held");
        await until("nothing is under way", () => (engine.active === 0 ? true : undefined));

        assert.equal(run.reason?.code, "limit_jobs");
        assert.ok((await rig.run(id)).jobs <= 1600, `${(await rig.run(id)).jobs} jobs`);
        const grown = (process.memoryUsage().rss - before) / 1e6;
        assert.ok(grown < 250, `${Math.round(grown)} MB`);
      }),
    );

    test(
      "limits that are none are refused, and the entry stays in the inbox",
      inRig(kind, { handlers: [link] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({
          jobs: [job("t0", "link", { index: 0 })],
          limits: { turns: 1 },
        });
        await rig.reaches(id, "held");

        for (const wrong of [{ turns: -1 }, { turns: "many" }, { turns: 1.5 }]) {
          await assert.rejects(raise(rig, id, wrong), { code: "limits_invalid" });
        }
        await rig.openWait(id);
      }),
    );

    test(
      "cancelling from the inbox ends the run",
      inRig(kind, { handlers: [link] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({
          jobs: [job("t0", "link", { index: 0 })],
          limits: { turns: 1 },
        });
        await rig.reaches(id, "held");
        const wait = await rig.openWait(id);
        await rig.write(() =>
          answerWait(
            rig.tools,
            wait.id,
            { answer: { choice: "cancel_run" }, by: "ann" },
            rig.now(),
          ),
        );

        assert.equal((await rig.run(id)).state, "cancelled");
      }),
    );
  });
}

async function raise(rig: Rig, runId: string, fields?: Json): Promise<void> {
  const wait = await rig.openWait(runId);
  const answer = { choice: "raise", ...(fields === undefined ? {} : { fields }) };
  await rig.write(() => answerWait(rig.tools, wait.id, { answer, by: "ann" }, rig.now()));
}
