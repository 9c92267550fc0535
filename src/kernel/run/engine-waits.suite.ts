/** Waits and timers: an answer counts once, also when it comes early, late, twice or together with another. */

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
  until,
} from "../../../tests/scratch/engine-rig.ts";
import type { Json } from "../base/json.ts";
import { answerByKey, answerWait } from "./answer-wait.ts";
import type { NewWait } from "./decision.ts";
import { cancelRun, pauseRun, resumeRun } from "./run-control.ts";

const asking = (wait: Partial<NewWait> = {}) =>
  move("ask", () => ({
    waits: [
      {
        key: "review",
        kind: "review",
        title: "Is it good?",
        reason: "Somebody has to look.",
        answers: ["approve", "reject"],
        followUp: job("answered", "answered", { asked: true }),
        ...wait,
      },
    ],
  }));
const answered = move("answered", (view) => ({
  ...completed(view.input),
  effects: [note(view, view.input)],
}));

interface GivenInput {
  readonly asked: boolean;
  readonly answer: { choice: string; by: string; fields?: Json; note?: string; at: number };
}

export function waitsSuite(kind: RigKind): void {
  describe("waits and timers", { concurrency: 1 }, () => {
    test(
      "an answer goes to the job that follows, with who gave it and what they said",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        await rig.reaches(id, "waiting");

        const wait = await rig.openWait(id);
        const answer = { choice: "approve", fields: { stars: 5 }, note: "Well done." };
        await rig.write(() => answerWait(rig.tools, wait.id, { answer, by: "bob" }, rig.now()));
        const run = await rig.rest(id);

        const { asked, answer: given } = run.result as unknown as GivenInput;
        assert.equal(asked, true);
        assert.deepEqual({ ...given, at: 0 }, { ...answer, by: "bob", at: 0 });
      }),
    );

    test(
      "the second answer is refused and told who was first",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        await rig.reaches(id, "waiting");
        const { id: waitId } = await rig.openWait(id);

        await answer(rig, waitId, "approve", "bob");

        await assert.rejects(answer(rig, waitId, "reject", "eve"), {
          code: "wait_answered",
          message: /bob/,
        });
        await assert.rejects(
          rig.write(() =>
            answerByKey(
              rig.tools,
              { runId: id, key: "review" },
              { answer: { choice: "reject" }, by: "eve" },
              rig.now(),
            ),
          ),
          { code: "wait_answered", message: /bob/ },
        );
        const run = await rig.rest(id);
        assert.equal((run.result as unknown as GivenInput).answer.choice, "approve");
      }),
    );

    test(
      "of twenty answers at the same moment one counts",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        await rig.reaches(id, "waiting");
        const { id: waitId } = await rig.openWait(id);
        const other = rig.reopen();

        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? other : rig.store).write(() =>
              answerWait(
                rig.tools,
                waitId,
                { answer: { choice: "approve" }, by: `person-${index}` },
                rig.now(),
              ),
            ),
          ),
        );

        const counted = outcomes.filter(({ status }) => status === "fulfilled");
        assert.equal(counted.length, 1);
        for (const outcome of outcomes) {
          if (outcome.status === "rejected")
            assert.equal((outcome.reason as { code: string }).code, "wait_answered");
        }
        await rig.rest(id);
        assert.equal((await rig.effects(id)).length, 1);
      }),
    );

    test(
      "an answer that is not offered, or to a version that was not seen, changes nothing",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        rig.engine();
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        await rig.reaches(id, "waiting");
        const wait = await rig.openWait(id);

        await assert.rejects(answer(rig, wait.id, "explode", "bob"), {
          code: "answer_not_allowed",
        });
        await assert.rejects(
          rig.write(() =>
            answerWait(
              rig.tools,
              wait.id,
              { answer: { choice: "approve" }, by: "bob", version: wait.version + 1 },
              rig.now(),
            ),
          ),
          { code: "version_conflict" },
        );
        await assert.rejects(answer(rig, "no-such-wait", "approve", "bob"), {
          code: "wait_not_found",
        });

        assert.equal((await rig.openWait(id)).version, wait.version);
      }),
    );

    test(
      "an answer that comes before its question is kept, and used when it is asked",
      inRig(
        kind,
        {
          handlers: [
            asking(),
            answered,
            move("later", (view) => ({
              timers: [{ key: "wait", dueAt: view.now + 100, followUp: job("b", "ask") }],
            })),
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "later")] });
          await rig.reaches(id, "waiting");
          const early = (choice: string, by: string) =>
            rig.write(() =>
              answerByKey(
                rig.tools,
                { runId: id, key: "review" },
                { answer: { choice }, by },
                rig.now(),
              ),
            );

          assert.equal(await early("approve", "bob"), "kept");
          await assert.rejects(early("reject", "eve"), { code: "wait_answered", message: /bob/ });
          const run = await rig.reaches(id, "completed");

          const { answer: given } = run.result as unknown as GivenInput;
          assert.deepEqual([given.choice, given.by], ["approve", "bob"]);
          assert.deepEqual(
            (await rig.waits(id)).map(({ state, kind: what }) => [state, what]),
            [["answered", "review"]],
          );
        },
      ),
    );

    for (const [which, wait, given] of [
      ["that the question does not offer", {}, { choice: "explode" }],
      ["of somebody whom it is not put to", { assigneeId: "eve" }, { choice: "approve" }],
      [
        "without what it has to say",
        { form: [{ name: "why", type: "text", required: true }] },
        { choice: "approve", fields: "no fields" },
      ],
      ["to a form that is none", { form: [{ type: "text" }] }, { choice: "approve" }],
    ] as const)
      test(
        `an early answer ${which} is not used: the question is asked`,
        inRig(
          kind,
          {
            handlers: [
              asking(wait),
              answered,
              move("later", (view) => ({
                timers: [{ key: "wait", dueAt: view.now + 100, followUp: job("b", "ask") }],
              })),
            ],
          },
          async (rig) => {
            rig.engine();
            const id = await rig.begin({ jobs: [job("a", "later")] });
            await rig.reaches(id, "waiting");
            await rig.write(() =>
              answerByKey(
                rig.tools,
                { runId: id, key: "review" },
                { answer: given, by: "bob" },
                rig.now(),
              ),
            );

            const asked = await until("the question is open", async () =>
              (await rig.waits(id)).find(({ state }) => state === "open"),
            );
            await rig.write(() =>
              answerWait(
                rig.tools,
                asked.id,
                { answer: { choice: "reject", fields: { why: "No." } }, by: "eve" },
                rig.now(),
              ),
            );
            const run = await rig.reaches(id, "completed");

            const { answer: last } = run.result as unknown as GivenInput;
            assert.deepEqual([last.choice, last.by], ["reject", "eve"]);
          },
        ),
      );

    test(
      "an answer by key while the question is just being asked is given, not lost",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        const other = rig.reopen();
        rig.engine();
        for (let round = 0; round < 8; round += 1) {
          const id = await rig.begin({ jobs: [job("a", "ask")] });
          const place = { runId: id, key: "review" };
          await other.write(() =>
            answerByKey(rig.tools, place, { answer: { choice: "approve" }, by: "bob" }, rig.now()),
          );

          assert.equal((await rig.reaches(id, "completed")).state, "completed");
        }
      }),
    );

    test("a deadline answers by itself, once, and says so", async () => {
      const hurried = move("ask", (view) => ({
        waits: [
          {
            key: "review",
            kind: "review",
            title: "?",
            reason: "",
            answers: ["approve", "reject"],
            deadline: { at: view.now + 60, answer: "reject" },
            followUp: job("answered", "answered", { asked: true }),
          },
        ],
      }));
      await inRig(kind, { handlers: [hurried, answered] }, async (rig) => {
        rig.engine();
        rig.engine({ store: rig.reopen() });
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        const run = await rig.reaches(id, "completed");

        const { answer: given } = run.result as unknown as GivenInput;
        assert.deepEqual([given.choice, given.by], ["reject", "deadline"]);
        const expired = (await rig.events(id)).filter(({ type }) => type === "wait.expired");
        assert.equal(expired.length, 1);
        const [wait] = await rig.waits(id);
        assert.equal(wait?.state, "expired");
        await assert.rejects(answer(rig, wait?.id ?? "", "approve", "bob"), {
          code: "wait_answered",
        });
      })();
    });

    test(
      "a cancelled run closes its waits and timers and refuses answers",
      inRig(
        kind,
        {
          handlers: [
            asking(),
            answered,
            move("both", (view) => ({
              jobs: [job("b", "ask")],
              timers: [{ key: "t", dueAt: view.now + 80, followUp: job("answered", "answered") }],
            })),
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "both")] });
          await rig.reaches(id, "waiting");
          const wait = await rig.openWait(id);

          await rig.write(() => cancelRun(rig.tools, id, "ann", rig.now()));
          await new Promise((resolve) => setTimeout(resolve, 160));

          assert.equal((await rig.waits(id))[0]?.state, "cancelled");
          await assert.rejects(answer(rig, wait.id, "approve", "bob"), (error: Error) => {
            assert.doesNotMatch(error.message, /answered by someone/);
            return true;
          });
          await assert.rejects(
            rig.write(() =>
              answerByKey(
                rig.tools,
                { runId: id, key: "other" },
                { answer: { choice: "x" }, by: "bob" },
                rig.now(),
              ),
            ),
            { code: "run_ended" },
          );
          assert.deepEqual(await rig.effects(id), []);
        },
      ),
    );

    test("a timer fires once, however many workers look", async () => {
      const many = move("many", (view) => ({
        batches: [
          {
            key: "timers",
            jobs: Array.from({ length: 30 }, (_, index) => job(`set${index}`, "set", { index })),
            followUp: job("end", "end"),
          },
        ],
        effects: [note(view)],
      }));
      const set = move("set", (view) => ({
        timers: [
          {
            key: `t${view.key}`,
            dueAt: view.now + 40,
            followUp: { ...job(`fired.${view.key}`, "fired"), staysInBatch: true },
          },
        ],
      }));
      const fired = move("fired", (view) => ({ effects: [note(view)] }));
      const end = move("end", (view) => ({ ...completed(), effects: [note(view)] }));
      await inRig(kind, { handlers: [many, set, fired, end] }, async (rig) => {
        rig.engine();
        rig.engine({ store: rig.reopen() });
        rig.engine({ store: rig.reopen() });
        const id = await rig.begin({ jobs: [job("a", "many")] });
        await rig.reaches(id, "completed");

        assert.equal((await rig.effects(id)).length, 32);
        const events = await rig.events(id);
        assert.equal(events.filter(({ type }) => type === "timer.fired").length, 30);
      })();
    });

    test(
      "an answer to a paused run is taken, and what follows waits for the run to go on",
      inRig(kind, { handlers: [asking(), answered] }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({ jobs: [job("a", "ask")] });
        await rig.reaches(id, "waiting");
        await rig.write(() => pauseRun(rig.tools, id, "ann", rig.now()));

        await answer(rig, (await rig.openWait(id)).id, "approve", "bob");
        engine.wake();
        await engine.whenIdle();
        assert.equal((await rig.run(id)).state, "paused");
        assert.deepEqual(await rig.effects(id), []);

        await rig.write(() => resumeRun(rig.tools, id, "ann", rig.now()));
        await rig.reaches(id, "completed");
      }),
    );

    test(
      "a wait in a batch keeps the join waiting for its answer",
      inRig(
        kind,
        {
          handlers: [
            move("fan", () => ({
              batches: [
                {
                  key: "fan",
                  jobs: [job("x", "quick"), job("y", "ask")],
                  followUp: job("end", "end"),
                },
              ],
            })),
            move("quick", (view) => ({ effects: [note(view)] })),
            asking({ followUp: { ...job("after", "quick"), staysInBatch: true } }),
            move("end", (view) => ({ ...completed(), effects: [note(view)] })),
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "fan")] });
          await rig.reaches(id, "waiting");
          assert.deepEqual(await rig.effects(id), [`${id}:x`]);

          await answer(rig, (await rig.openWait(id)).id, "approve", "bob");
          await rig.reaches(id, "completed");
          assert.deepEqual(await rig.effects(id), [`${id}:x`, `${id}:after`, `${id}:end`]);
        },
      ),
    );
  });
}

function answer(rig: Rig, waitId: string, choice: string, by: string): Promise<void> {
  return rig.write(() => answerWait(rig.tools, waitId, { answer: { choice }, by }, rig.now()));
}
