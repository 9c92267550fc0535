/** Jobs that cannot go on: held with their reason, their reply kept, their neighbours unharmed. */

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
import { runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import { answerWait } from "./answer-wait.ts";
import type { WaitAnswer } from "./decision.ts";
import { createHandlerRegistry, type EffectKind, type TurnHandler } from "./handler.ts";
import { retryRun } from "./run-control.ts";

const item = turn("item", { accept: (view) => ({ effects: [note(view)] }) });
const whole = turn("whole", { accept: (view) => ({ ...completed(), effects: [note(view)] }) });
const join = move("join", (view) => ({ ...completed(), effects: [note(view)] }));

function fanWith(...special: readonly string[]) {
  return move("fan", () => ({
    batches: [
      {
        key: "fan",
        jobs: [
          ...Array.from({ length: 10 }, (_, index) => job(`item${index}`, "item")),
          ...special.map((handler) => job(handler, handler)),
        ],
        followUp: job("join", "join"),
      },
    ],
  }));
}

export function heldSuite(kind: RigKind): void {
  describe("held work", { concurrency: 1 }, () => {
    test("a handler that cannot make its prompt holds its job and no other", async () => {
      let isBroken = true;
      const broken: TurnHandler = {
        ...turn("broken", { accept: (view) => ({ effects: [note(view)] }) }),
        *compile(view) {
          if (isBroken) throw new Error("The template has no such field.");
          return yield* whole.compile(view);
        },
      };
      await inRig(kind, { handlers: [fanWith("broken"), broken, item, join] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await rig.reaches(id, "held");

        const held = await heldJob(rig, id);
        assert.deepEqual(held.failure, {
          code: "unexpected",
          message: "The template has no such field.",
        });
        assert.equal((await rig.effects(id)).length, 10);
        assert.equal(rig.calls.length, 10);

        isBroken = false;
        await answerHeld(rig, id, "retry");
        assert.equal((await rig.reaches(id, "completed")).state, "completed");
        assert.equal((await rig.effects(id)).length, 12);
      })();
    });

    for (const how of ["throws", "holds"] as const) {
      test(`a reply whose acceptance ${how} is kept, and trying again decides on it without a call`, async () => {
        let isBroken = true;
        const broken = turn("broken", {
          accept(view, { text, value }) {
            if (isBroken && how === "throws") throw new Error("It cannot be decided yet.");
            const hold = { code: "not_yet", message: "It cannot be decided yet." };
            return {
              effects: [note(view, { text, value: JSON.stringify(value) })],
              ...(isBroken ? { hold } : {}),
            };
          },
        });
        await inRig(kind, { handlers: [fanWith("broken"), broken, item, join] }, async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          await rig.reaches(id, "held");
          const callsBefore = rig.calls.length;

          assert.equal((await heldJob(rig, id)).failure?.message, "It cannot be decided yet.");
          await answerHeld(rig, id, "retry");
          await heldAgain(rig, id, 2);
          isBroken = false;
          await answerHeld(rig, id, "retry");
          await rig.reaches(id, "completed");

          assert.equal(callsBefore, 11);
          assert.equal(rig.calls.length, 11, "no call was made again");
          assert.equal((await rig.effects(id)).length, 12);
        })();
      });
    }

    test("a kept reply survives a prompt that cannot be made when it is tried again", async () => {
      let acceptFails = true;
      let compileFails = false;
      const broken: TurnHandler = {
        ...turn("broken", {
          accept(view) {
            if (acceptFails) throw new Error("Not yet.");
            return { ...completed(), effects: [note(view)] };
          },
        }),
        *compile(view) {
          if (compileFails) throw new Error("Not now either.");
          return yield* whole.compile(view);
        },
      };
      await inRig(kind, { handlers: [broken] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("a", "broken")] });
        await rig.reaches(id, "held");
        compileFails = true;
        await answerHeld(rig, id, "retry");
        await heldAgain(rig, id, 2);
        acceptFails = false;
        compileFails = false;
        await answerHeld(rig, id, "retry");
        await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 1);
      })();
    });

    test("a move that throws is held, and its neighbours are decided", async () => {
      let isBroken = true;
      const broken = move("broken", (view) => {
        if (isBroken) throw new Error("No way on from here.");
        return { effects: [note(view)] };
      });
      await inRig(kind, { handlers: [fanWith("broken"), broken, item, join] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await rig.reaches(id, "held");
        assert.equal((await rig.effects(id)).length, 10);

        isBroken = false;
        await answerHeld(rig, id, "retry");
        await rig.reaches(id, "completed");
        assert.equal((await rig.effects(id)).length, 12);
      })();
    });

    for (const trouble of ["throws", "breaks a rule of the database"] as const) {
      for (const handlerKind of ["turn", "move"] as const) {
        test(`an effect of a ${handlerKind} whose application ${trouble} holds that job alone, its reply kept`, async () => {
          let isBroken = true;
          const risky: EffectKind = {
            kind: "risky",
            *apply({ key }) {
              if (!isBroken) return;
              if (trouble === "throws") throw new Error("It cannot be applied.");
              yield* runSql(sqlText("insert into effect (key) values (?)"), [key]);
            },
          };
          const decide = (view: Parameters<typeof note>[0]) => ({
            effects: [note(view), { key: `${view.runId}:risky`, kind: "risky", data: {} }],
          });
          const broken =
            handlerKind === "turn" ? turn("broken", { accept: decide }) : move("broken", decide);
          await inRig(
            kind,
            { handlers: [fanWith("broken"), broken, item, join], effects: [risky] },
            async (rig) => {
              rig.engine();

              const id = await rig.begin({ jobs: [job("start", "fan")] });
              await rig.reaches(id, "held");
              assert.equal((await heldJob(rig, id)).key, "broken");
              assert.equal((await rig.effects(id)).length, 10, "all or nothing");

              isBroken = false;
              await answerHeld(rig, id, "retry");
              await rig.reaches(id, "completed");
              assert.equal((await rig.effects(id)).length, 13);
              assert.equal(rig.calls.length, handlerKind === "turn" ? 11 : 10);
            },
          )();
        });
      }
    }

    for (const what of ["compile", "accept", "decide"] as const) {
      test(`a query that fails in ${what} holds that job alone`, async () => {
        let isBroken = true;
        const failing = sqlText("select no_such_column from job");
        function* ask() {
          if (isBroken) yield* runSql(failing, []);
        }
        const broken: TurnHandler = {
          ...turn("broken"),
          *compile(view) {
            if (what === "compile") yield* ask();
            return yield* whole.compile(view);
          },
          *accept(view) {
            if (what === "accept") yield* ask();
            return { effects: [note(view)] };
          },
        };
        const brokenMove = {
          ...move("broken", () => ({})),
          *decide(view: Parameters<typeof note>[0]) {
            yield* ask();
            return { effects: [note(view)] };
          },
        };
        const handler = what === "decide" ? brokenMove : broken;
        await inRig(kind, { handlers: [fanWith("broken"), handler, item, join] }, async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          await rig.reaches(id, "held");
          assert.match((await heldJob(rig, id)).failure?.message ?? "", /no_such_column/);
          assert.equal((await rig.effects(id)).length, 10);

          isBroken = false;
          await answerHeld(rig, id, "retry");
          await rig.reaches(id, "completed");
          assert.equal(rig.calls.length, what === "decide" ? 10 : 11);
        })();
      });
    }

    for (const handlerKind of ["turn", "move"] as const) {
      test(`a ${handlerKind} that nothing here can perform is held, not looped, and goes on where it can`, async () => {
        const known =
          handlerKind === "turn"
            ? turn("foreign", { accept: (view) => ({ ...completed(), effects: [note(view)] }) })
            : move("foreign", (view) => ({ ...completed(), effects: [note(view)] }));
        await inRig(kind, { handlers: [known, whole] }, async (rig) => {
          const poor = createHandlerRegistry([whole], []);
          const engine = rig.engine({ handlers: poor });

          const id = await rig.begin({ jobs: [job("a", "foreign")] });
          const run = await rig.rest(id);

          assert.equal(run.state, "held");
          assert.equal((await heldJob(rig, id)).failure?.code, "handler_unknown");
          assert.equal((await heldJob(rig, id)).fence, 1);

          await engine.stop();
          rig.engine();
          await answerHeld(rig, id, "retry");
          await rig.reaches(id, "completed");
        })();
      });
    }

    test("a timer and a deadline whose follow-up nothing here can perform stop no one else's", async () => {
      const planner = (followUp: string) =>
        move(`plan ${followUp}`, (view) => ({
          timers: [{ key: "tick", dueAt: view.now + 100, followUp: job("ticked", followUp) }],
          waits: [
            {
              key: "ask",
              kind: "question",
              title: "?",
              reason: "",
              answers: ["yes"],
              deadline: { at: view.now + 100, answer: "yes" },
              followUp: job("asked", followUp),
            },
          ],
        }));
      const known = [planner("item"), planner("foreign"), item, whole];
      const foreign = turn("foreign", {
        lane: "foreign",
        accept: (view) => ({ effects: [note(view)] }),
      });
      await inRig(kind, { handlers: [...known, foreign] }, async (rig) => {
        const first = rig.engine();
        const id = await rig.begin({ jobs: [job("a", "plan foreign")] });
        const other = await rig.begin({ jobs: [job("a", "plan item")] });
        await rig.reaches(id, "waiting");
        await rig.reaches(other, "waiting");
        await first.stop();

        const poor = rig.engine({ handlers: createHandlerRegistry(known, rig.effectKinds) });
        // Nothing follows what the timer and the deadline added, so the run stalls; that is how it ends here.
        await rig.reaches(other, "failed");
        assert.equal((await rig.effects(other)).length, 2);
        await until("both are held", async () =>
          (await rig.run(id)).held_jobs === 2 ? true : undefined,
        );
        await poor.stop();

        const able = rig.engine();
        await rig.write(() => retryRun(rig.tools, id, "ann", rig.now()));
        able.wake();
        await rig.reaches(id, "failed");
        assert.equal((await rig.effects(id)).length, 2);
      })();
    });

    test("a timer that cannot fire fails its own run with the reason, and no other", async () => {
      const big = move("big", (view) => ({
        timers: [
          { key: "tick", dueAt: view.now + 50, followUp: job("t", "item", "x".repeat(2_000_001)) },
        ],
      }));
      const small = move("small", (view) => ({
        timers: [{ key: "tick", dueAt: view.now + 50, followUp: job("t", "whole") }],
      }));
      await inRig(kind, { handlers: [big, small, item, whole] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({ jobs: [job("a", "big")] });
        const other = await rig.begin({ jobs: [job("a", "small")] });

        assert.equal((await rig.reaches(other, "completed")).state, "completed");
        assert.equal((await rig.reaches(id, "failed")).reason?.code, "job_too_large");
      })();
    });

    test("a model that the workspace does not have holds the job, and the exchange says so", async () => {
      const foreign = turn("foreign", { model: "nowhere/model" });
      await inRig(kind, { handlers: [foreign, whole] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("a", "foreign")] });
        const other = await rig.begin({ jobs: [job("a", "whole")] });
        await rig.reaches(id, "held");

        assert.equal((await heldJob(rig, id)).failure?.code, "model_unknown");
        assert.equal((await rig.rest(other)).state, "completed");
      })();
    });

    test("a provider that throws what no provider should holds the job, and the exchange says so", () =>
      inRig(
        kind,
        {
          handlers: [whole],
          // biome-ignore lint/correctness/useYield: it fails before it says anything
          async *call() {
            throw new TypeError("undefined is not a function");
          },
        },
        async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("a", "whole")] });
          await rig.reaches(id, "held");

          assert.equal((await heldJob(rig, id)).failure?.message, "undefined is not a function");
          assert.equal(rig.calls.length, 1);
        },
      )());

    test("someone who watches and fails harms nothing", () =>
      inRig(kind, { handlers: [whole], expectsTrouble: true }, async (rig) => {
        rig.engine({
          onDelta() {
            throw new Error("The watcher is broken.");
          },
        });

        const id = await rig.begin({ jobs: [job("a", "whole")] });

        assert.equal((await rig.rest(id)).state, "completed");
      })());

    for (const [name, odd] of [
      ["a null character", "before\u0000after"],
      ["half a character", "before\ud83dafter"],
      ["every kind of break", "a\u2028b\u2029c\r\nd\u0085e\ufeff"],
    ] as const) {
      test(`${name} in a prompt, a reply and a decision is stored and wedges nothing`, () =>
        inRig(
          kind,
          {
            handlers: [
              turn("odd", {
                prompt: () => `Look at this: ${odd}`,
                accept: (view, { value }) => ({
                  effects: [note(view, { value: JSON.stringify(value) })],
                  jobs: [job("next", "end", { odd })],
                }),
              }),
              move("end", (view) => ({ ...completed({ odd }), effects: [note(view, { odd })] })),
            ],
            async *call() {
              yield { type: "text", text: JSON.stringify({ summary: "odd", score: 1 }) };
              yield { type: "text", text: ` ${odd}` };
              yield { type: "finish", reason: "stop", rawReason: undefined, usage: {} };
            },
          },
          async (rig) => {
            rig.engine();

            const id = await rig.begin({ jobs: [job("a", "odd")] });

            assert.equal((await rig.rest(id)).state, "completed");
            assert.equal((await rig.effects(id)).length, 2);
          },
        )());
    }

    test("a failure whose words no database can hold is still shown", async () => {
      const broken = turn("broken", {
        accept() {
          throw new Error("Odd: \u0000 and \ud83d.");
        },
      });
      await inRig(kind, { handlers: [broken] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("a", "broken")] });
        await rig.reaches(id, "held");

        assert.equal((await rig.openWait(id)).reason, "Odd: \ufffd and \ufffd.");
      })();
    });

    test("a held job that is skipped counts as failed, and its batch goes on without it", async () => {
      const broken = turn("broken", {
        accept() {
          throw new Error("Never.");
        },
      });
      await inRig(kind, { handlers: [fanWith("broken"), broken, item, join] }, async (rig) => {
        rig.engine();

        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await rig.reaches(id, "held");
        await answerHeld(rig, id, "skip");
        await rig.reaches(id, "completed");

        const finished = (await rig.events(id)).find(({ type }) => type === "batch.finished");
        assert.deepEqual(finished?.data, { batch: "fan", total: 11, failed: 1 });
        assert.equal((await rig.effects(id)).length, 11);
      })();
    });

    test("all held jobs of a run are let go at once, and their entries leave the inbox", async () => {
      let isBroken = true;
      const broken = (name: string) =>
        turn(name, {
          accept(view) {
            if (isBroken) throw new Error("Not yet.");
            return { effects: [note(view)] };
          },
        });
      await inRig(
        kind,
        {
          handlers: [
            fanWith("b1", "b2", "b3"),
            broken("b1"),
            broken("b2"),
            broken("b3"),
            item,
            join,
          ],
        },
        async (rig) => {
          const engine = rig.engine();

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          await until("three are held", async () =>
            (await rig.run(id)).held_jobs === 3 ? true : undefined,
          );
          isBroken = false;
          const count = await rig.write(() => retryRun(rig.tools, id, "ann", rig.now()));
          engine.wake();
          await rig.reaches(id, "completed");

          assert.equal(count, 3);
          assert.deepEqual(
            (await rig.waits(id)).map(({ state, answered_by }) => [state, answered_by]),
            [1, 2, 3].map(() => ["answered", "ann"]),
          );
          assert.equal(rig.calls.length, 13);
        },
      )();
    });

    test("giving up decides what happens instead of holding, and counts as failed", async () => {
      const hopeless = turn("hopeless", {
        giveUp: (view, failure) => ({
          effects: [note(view, { code: failure.reason.code, text: failure.text })],
        }),
      });
      await inRig(
        kind,
        {
          handlers: [fanWith("hopeless"), hopeless, item, join],
          script: { replies: [{ step: "hopeless", continuation: "*", reply: "No." }] },
        },
        async (rig) => {
          rig.engine();

          const id = await rig.begin({ jobs: [job("start", "fan")] });
          assert.equal((await rig.rest(id)).state, "completed");

          const finished = (await rig.events(id)).find(({ type }) => type === "batch.finished");
          assert.deepEqual(finished?.data, { batch: "fan", total: 11, failed: 1 });
        },
      )();
    });
  });
}

async function heldJob(rig: Rig, runId: string) {
  const held = (await rig.jobs(runId)).filter(({ state }) => state === "held");
  assert.equal(held.length, 1, `one job is held, not ${held.length}`);
  return held[0]!;
}

async function heldAgain(rig: Rig, runId: string, fence: number): Promise<void> {
  await until(`a job is held after lease ${fence}`, async () => {
    const jobs = await rig.jobs(runId);
    return jobs.some((each) => each.state === "held" && each.fence === fence) ? true : undefined;
  });
}

async function answerHeld(
  rig: Rig,
  runId: string,
  choice: "retry" | "skip" | "cancel_run",
): Promise<void> {
  const wait = await rig.openWait(runId);
  const answer: WaitAnswer = { choice };
  await rig.write(() => answerWait(rig.tools, wait.id, { answer, by: "ann" }, rig.now()));
}
