/** Chains, fans and joins: what follows a job follows once, in order, within the batch's limit. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  completed,
  inRig,
  job,
  mostAtOnce,
  move,
  note,
  type RigKind,
  turn,
} from "../../../tests/scratch/engine-rig.ts";
import type { Decision, NewJob } from "./decision.ts";
import type { JobView } from "./handler.ts";
import type { Queue } from "./queue.ts";

interface Chain {
  readonly index: number;
  readonly length: number;
}

const chained = turn("chain", {
  accept(view) {
    const { index, length } = view.input as unknown as Chain;
    if (index + 1 === length) return { ...completed({ index }), effects: [note(view)] };
    return {
      effects: [note(view)],
      jobs: [job(`t${index + 1}`, "chain", { index: index + 1, length })],
    };
  },
});

const item = turn("item", { accept: (view) => ({ effects: [note(view)] }) });
const join = move("join", (view) => ({ ...completed({ joined: true }), effects: [note(view)] }));

function fan(count: number, concurrency?: number) {
  return move("fan", (): Decision => {
    const jobs = Array.from(
      { length: count },
      (_, index): NewJob => ({ ...job(`item${index}`, "item"), item: String(index) }),
    );
    const limit = concurrency === undefined ? {} : { concurrency };
    return { batches: [{ key: "fan", jobs, followUp: job("join", "join"), ...limit }] };
  });
}

export function batchesSuite(kind: RigKind): void {
  describe("chains and batches", { concurrency: 1 }, () => {
    test(
      "a chain of 60 turns is done in order, each once",
      inRig(kind, { handlers: [chained] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("t0", "chain", { index: 0, length: 60 })] });
        const run = await rig.rest(id);

        assert.equal(run.state, "completed");
        assert.deepEqual(run.result, { index: 59 });
        assert.deepEqual(
          await rig.effects(id),
          Array.from({ length: 60 }, (_, index) => `${id}:t${index}`),
        );
        assert.equal(rig.calls.length, 60);
      }),
    );

    for (const count of [0, 1, 500, 501, 1300]) {
      test(
        `a fan of ${count} is joined once, after all of it, in order`,
        inRig(kind, { handlers: [fan(count), item, join] }, async (rig) => {
          rig.engine({ concurrency: 200 });

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          const run = await rig.rest(id);

          assert.equal(run.state, "completed");
          const effects = await rig.effects(id);
          assert.equal(effects.at(-1), `${id}:join`);
          assert.equal(effects.length, count + 1);
          assert.equal(new Set(effects).size, count + 1);
          const items = (await rig.jobs(id)).filter(({ item }) => item !== null);
          assert.deepEqual(
            items.map(({ item }) => Number(item)),
            Array.from({ length: count }, (_, index) => index),
          );
          const events = await rig.events(id);
          const finished = events.filter(({ type }) => type === "batch.finished");
          assert.deepEqual(
            finished.map(({ data }) => data),
            [{ batch: "fan", total: count, failed: 0 }],
          );
        }),
      );
    }

    for (const count of [20, 520]) {
      test(
        `a batch of ${count} with a limit of 3 never has more than 3 under way`,
        inRig(
          kind,
          {
            handlers: [fan(count, 3), item, join],
            latencyMs: count > 100 ? 0 : 6,
          },
          async (rig) => {
            rig.engine();

            const id = await rig.begin({ jobs: [job("start", "fan")] });
            const run = await rig.rest(id);

            assert.equal(run.state, "completed");
            assert.equal(rig.calls.length, count);
            assert.equal(mostAtOnce(rig.calls), 3);
          },
        ),
      );
    }

    test("jobs of a limited batch that are there already do not make room for more than its limit", async () => {
      const seven = Array.from({ length: 7 }, (_, index) => job(`item${index}`, "item"));
      const start = move("fan", () => ({
        jobs: [job("item9", "item")],
        batches: [
          {
            key: "fan",
            concurrency: 2,
            jobs: [...seven, ...Array.from({ length: 5 }, () => job("item9", "item"))],
            followUp: job("join", "join"),
          },
        ],
      }));
      await inRig(kind, { handlers: [start, item, join], latencyMs: 6 }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await rig.rest(id);

        const ofBatch = rig.calls.filter(
          ({ request }) => !request.messages.some(({ text }) => text.includes("item9")),
        );
        assert.equal(ofBatch.length, 7);
        assert.equal(mostAtOnce(ofBatch), 2);
      })();
    });

    test(
      "a place handed on keeps the batch open: the join waits for the last of every chain",
      inRig(
        kind,
        {
          handlers: [
            move("fan", () => ({
              batches: [
                {
                  key: "chains",
                  jobs: [2, 5, 3].map((length) =>
                    job(`c${length}.0`, "link", { index: 0, length, name: `c${length}` }),
                  ),
                  followUp: job("join", "join"),
                },
              ],
            })),
            turn("link", { accept: nextLink }),
            join,
          ],
        },
        async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          const run = await rig.rest(id);

          assert.equal(run.state, "completed");
          const effects = await rig.effects(id);
          assert.equal(effects.length, 2 + 5 + 3 + 1);
          assert.equal(effects.at(-1), `${id}:join`);
        },
      ),
    );

    test("with room for every chain, all but their first turns are handed on past the queue", async () => {
      const runs = 120;
      const length = 6;
      let announced = 0;
      const counting: RigKind = {
        ...kind,
        openQueue: async (store) => {
          const { queue, close } = await kind.openQueue(store);
          const counted: Queue = {
            ...queue,
            *enqueue(messages, now) {
              announced += messages.length;
              yield* queue.enqueue(messages, now);
            },
          };
          return { queue: counted, close };
        },
      };
      await inRig(counting, { handlers: [chained] }, async (rig) => {
        const ids: string[] = [];
        for (let run = 0; run < runs; run += 1)
          ids.push(await rig.begin({ jobs: [job("t0", "chain", { index: 0, length })] }));
        rig.engine({ concurrency: runs });

        for (const id of ids) assert.equal((await rig.rest(id)).state, "completed");

        assert.ok(announced < 2 * runs, `${announced} of ${runs * length} turns were queued`);
      })();
    });

    test(
      "a batch inside a batch keeps the outer one open until its own follow-up is done",
      inRig(
        kind,
        {
          handlers: [
            move("outer", () => ({
              batches: [
                {
                  key: "outer",
                  jobs: [1, 2, 3].map((number) => job(`o${number}`, "inner", { number })),
                  followUp: job("join", "join"),
                },
              ],
            })),
            move("inner", (view) => {
              const { number } = view.input as { number: number };
              return {
                batches: [
                  {
                    key: `inner${number}`,
                    jobs: Array.from({ length: number - 1 }, (_, index) =>
                      job(`i${number}.${index}`, "item"),
                    ),
                    followUp: { ...job(`ij${number}`, "innerJoin"), staysInBatch: true },
                  },
                ],
              };
            }),
            move("innerJoin", (view) => ({
              jobs: [{ ...job(`after.${view.key}`, "item"), staysInBatch: true }],
            })),
            item,
            join,
          ],
        },
        async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("start", "outer")] });
          const run = await rig.rest(id);

          assert.equal(run.state, "completed");
          const effects = await rig.effects(id);
          assert.equal(effects.at(-1), `${id}:join`);
          assert.deepEqual(
            effects.slice(0, -1).toSorted(),
            ["after.ij1", "after.ij2", "after.ij3", "i2.0", "i3.0", "i3.1"].map(
              (key) => `${id}:${key}`,
            ),
          );
        },
      ),
    );

    test("planning what is planned already adds nothing: jobs, batches, waits and timers", async () => {
      const same = (view: JobView): Decision => ({
        effects: [note(view), { key: `${view.runId}:once`, kind: "noted", data: {} }],
        jobs: [job("next", "next")],
        batches: [{ key: "batch", jobs: [job("in", "item")], followUp: job("join", "join") }],
        waits: [
          {
            key: "ask",
            kind: "question",
            title: "?",
            reason: "",
            answers: ["yes"],
            followUp: job("answered", "item"),
          },
        ],
        timers: [{ key: "tick", dueAt: view.now + 3_600_000, followUp: job("ticked", "item") }],
      });
      await inRig(
        kind,
        {
          handlers: [
            turn("twice", { accept: same }),
            move("next", () => ({})),
            item,
            move("join", () => ({})),
          ],
        },
        async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("a", "twice"), job("b", "twice")] });
          await rig.reaches(id, "waiting");

          assert.equal((await rig.jobs(id)).length, 5);
          assert.equal((await rig.waits(id)).length, 1);
          const effects = await rig.effects(id);
          assert.equal(effects.filter((key) => key.endsWith(":once")).length, 1);
        },
      )();
    });

    test(
      "a run that its method forgets is failed with the reason, and tells nobody else",
      inRig(
        kind,
        {
          handlers: [turn("last", { accept: (view) => ({ effects: [note(view)] }) }), chained],
        },
        async (rig) => {
          rig.engine();

          const forgotten = await rig.begin({ jobs: [job("a", "last")] });
          const other = await rig.begin({ jobs: [job("t0", "chain", { index: 0, length: 3 })] });
          const run = await rig.rest(forgotten);

          assert.equal(run.state, "failed");
          assert.equal(run.reason?.code, "run_stalled");
          assert.equal((await rig.rest(other)).state, "completed");
        },
      ),
    );
  });
}

function nextLink(view: JobView): Decision {
  const { index, length, name } = view.input as unknown as Chain & { name: string };
  if (index + 1 === length) return { effects: [note(view)] };
  const next = { index: index + 1, length, name };
  return {
    effects: [note(view)],
    jobs: [{ ...job(`${name}.${index + 1}`, "link", next), staysInBatch: true }],
  };
}
