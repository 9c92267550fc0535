/** What people do with runs: pause, resume, cancel. Each takes hold at once, and nothing follows that should not. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import {
  completed,
  inRig,
  job,
  mostAtOnce,
  move,
  note,
  type RigKind,
  turn,
  until,
} from "../../../tests/scratch/engine-rig.ts";
import type { NewRun } from "./decision.ts";
import { cancelRun, pauseRun, resumeRun } from "./run-control.ts";

const link = turn("link", {
  accept(view) {
    const { index } = view.input as { index: number };
    if (index === 9) return { ...completed(), effects: [note(view)] };
    return { effects: [note(view)], jobs: [job(`t${index + 1}`, "link", { index: index + 1 })] };
  },
});
const chain: Pick<NewRun, "jobs"> = { jobs: [job("t0", "link", { index: 0 })] };
const item = turn("item", { accept: (view) => ({ effects: [note(view)] }) });
const fan = move("fan", () => ({
  batches: [
    {
      key: "fan",
      concurrency: 5,
      jobs: Array.from({ length: 40 }, (_, index) => job(`i${index}`, "item")),
      followUp: job("join", "join"),
    },
  ],
}));
const join = move("join", (view) => ({ ...completed(), effects: [note(view)] }));

export function controlSuite(kind: RigKind): void {
  describe("pausing and cancelling", { concurrency: 1 }, () => {
    test(
      "a paused run finishes what is under way and starts nothing; resumed, it goes on to the same end",
      inRig(kind, { handlers: [fan, item, join], latencyMs: 12 }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({ jobs: [job("a", "fan")] });
        await until("some items are done", async () =>
          (await rig.effects(id)).length >= 5 ? true : undefined,
        );

        await rig.write(() => pauseRun(rig.tools, id, "ann", rig.now()));
        await until("what was under way is over", async () =>
          engine.active === 0 ? true : undefined,
        );
        await engine.whenIdle();
        const doneAtPause = (await rig.effects(id)).length;
        await sleep(60);
        assert.equal((await rig.effects(id)).length, doneAtPause);
        assert.ok(doneAtPause < 40);
        const states = new Set((await rig.jobs(id)).map(({ state }) => state));
        assert.deepEqual([...states].toSorted(), ["blocked", "done", "parked"]);

        await rig.write(() => resumeRun(rig.tools, id, "ann", rig.now()));
        engine.wake();
        await rig.reaches(id, "completed");
        assert.equal((await rig.effects(id)).length, 41);
        assert.equal(rig.calls.length, 40);
        assert.ok(mostAtOnce(rig.calls) <= 5);
      }),
    );

    test(
      "a job parked before it began has used no attempt",
      inRig(kind, { handlers: [link] }, async (rig) => {
        const id = await rig.begin(chain);
        await rig.write(() => pauseRun(rig.tools, id, "ann", rig.now()));
        // As if the run had been paused after its job was announced.
        await rig.store.write(function* () {
          yield { kind: "sql", sql: READY_ALL, parameters: [id] };
        });
        const engine = rig.engine();
        await until("it is parked again", async () =>
          (await rig.jobs(id))[0]?.state === "parked" ? true : undefined,
        );

        await rig.write(() => resumeRun(rig.tools, id, "ann", rig.now()));
        engine.wake();
        await rig.reaches(id, "completed");
        assert.equal(rig.calls[0]?.request.labels.attempt, 1);
      }),
    );

    test(
      "pausing and resuming say who did it, and refuse what makes no sense",
      inRig(kind, { handlers: [link] }, async (rig) => {
        const id = await rig.begin(chain);
        const control = (action: typeof pauseRun) =>
          rig.write(() => action(rig.tools, id, "ann", rig.now()));

        await assert.rejects(control(resumeRun), { code: "run_not_paused" });
        await control(pauseRun);
        await control(pauseRun);
        await control(resumeRun);
        await control(cancelRun);
        await control(cancelRun);
        await assert.rejects(control(pauseRun), { code: "run_transition" });
        await assert.rejects(control(resumeRun), { code: "run_not_paused" });

        const told = (await rig.events(id)).filter(({ actor }) => actor === "ann");
        assert.deepEqual(
          told.map(({ type }) => type),
          ["run.queued", "run.paused", "run.resumed", "run.cancelled"],
        );
      }),
    );

    test(
      "cancelling aborts a call within two seconds, and no effect follows",
      inRig(kind, { handlers: [link], latencyMs: 60_000 }, async (rig) => {
        rig.engine({ pollMs: 200 });
        const id = await rig.begin(chain);
        await until("the call is under way", () => (rig.calls.length > 0 ? true : undefined));

        const asked = performance.now();
        await rig.write(() => cancelRun(rig.tools, id, "ann", rig.now()));
        const call = await until("the call is over", () =>
          rig.calls.find(({ endedAt }) => endedAt !== undefined),
        );

        assert.ok(call.wasAborted);
        assert.ok((call.endedAt ?? Infinity) - asked < 2000, "within two seconds");
        assert.equal((await rig.run(id)).state, "cancelled");
        assert.deepEqual(await rig.effects(id), []);
        const [exchange] = await rowsOf<{ outcome: string; failure: string; input_tokens: number }>(
          rig.store,
          "select outcome, failure, input_tokens from answer where run_id = ?",
          [id],
        );
        assert.equal(exchange?.outcome, "lost");
        assert.match(exchange?.failure ?? "", /run_ended/);
        assert.ok((exchange?.input_tokens ?? 0) > 0, "what it probably used is on record");
      }),
    );

    test(
      "cancelling at any moment leaves exactly what was settled before it",
      inRig(kind, { handlers: [fan, item, join], latencyMs: 3 }, async (rig) => {
        const engine = rig.engine();
        for (let round = 0; round < 10; round += 1) {
          const id = await rig.begin({ jobs: [job("a", "fan")] });
          await sleep(round * 4);
          const cancelling = rig.write(() => cancelRun(rig.tools, id, "ann", rig.now()));
          // On a busy machine a moment is long enough for the run to end by itself.
          const isLate = await cancelling.then(
            () => false,
            async () => (await rig.run(id)).state === "completed",
          );
          const atCancel = await rig.effects(id);
          await engine.checkLeases();
          await sleep(10);

          assert.deepEqual(await rig.effects(id), atCancel);
          assert.equal((await rig.run(id)).state, isLate ? "completed" : "cancelled");
          assert.ok(round > 0 || !isLate, "the first is cancelled at once");
        }
      }),
    );

    test("a run that ends while its other jobs are under way ends them, and their lane is free", async () => {
      const race = move("race", () => ({ jobs: [job("slow", "slow"), job("fast", "fast")] }));
      const fast = move("fast", () => completed());
      const slow = turn("slow", { accept: (view) => ({ effects: [note(view)] }) });
      await inRig(kind, { handlers: [race, fast, slow], latencyMs: 60_000 }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({ jobs: [job("a", "race")] });
        await rig.reaches(id, "completed");
        await engine.checkLeases();
        await until("nothing is under way", () => (engine.active === 0 ? true : undefined));

        assert.deepEqual(await rig.effects(id), []);
      })();
    });

    test(
      "an engine that stops gives its work back at once, and its half-done call is on record",
      inRig(kind, { handlers: [link], latencyMs: 60_000 }, async (rig) => {
        const first = rig.engine();
        const id = await rig.begin(chain);
        await until("the call is under way", () => (rig.calls.length > 0 ? true : undefined));

        const asked = performance.now();
        await first.stop();
        assert.ok(performance.now() - asked < 1000, "stopping does not wait for the model");
        assert.deepEqual(
          (await rig.jobs(id)).map(({ state }) => state),
          ["ready"],
        );

        rig.engine();
        await until("it is called again", () => (rig.calls.length > 1 ? true : undefined));
        const answers = await rowsOf<{ outcome: string }>(
          rig.store,
          "select outcome from answer where run_id = ?",
          [id],
        );
        assert.deepEqual(
          answers.map(({ outcome }) => outcome),
          ["lost"],
        );
      }),
    );

    test(
      "an engine asked to stop while it is claiming does not wait for what it has just claimed",
      inRig(kind, { handlers: [link], latencyMs: 60_000 }, async (rig) => {
        for (let round = 0; round < 12; round += 1) {
          const engine = rig.engine();
          await rig.begin(chain);
          await new Promise((resolve) => setTimeout(resolve, round % 4));
          const asked = performance.now();
          await engine.stop();
          assert.ok(performance.now() - asked < 2000);
        }
      }),
    );

    test("moves go on while every place for a call is taken", async () => {
      const quick = move("quick", (view) => ({ ...completed(), effects: [note(view)] }));
      await inRig(kind, { handlers: [link, quick], latencyMs: 60_000 }, async (rig) => {
        rig.engine({ concurrency: 2 });
        await rig.begin(chain);
        await rig.begin(chain);
        await until("both places are taken", () => (rig.calls.length === 2 ? true : undefined));

        const id = await rig.begin({ jobs: [job("a", "quick")] });
        await rig.reaches(id, "completed");
      })();
    });

    test(
      "no more calls are under way than the engine may make",
      inRig(kind, { handlers: [fan, item, join, link], latencyMs: 4 }, async (rig) => {
        const engine = rig.engine({ concurrency: 3 });
        const ids = await Promise.all(
          Array.from({ length: 12 }, async () => {
            const id = await rig.begin(chain);
            engine.wake();
            return id;
          }),
        );
        for (const id of ids) await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 120);
        assert.ok(mostAtOnce(rig.calls) <= 3, `${mostAtOnce(rig.calls)} at once`);
      }),
    );
  });
}

const READY_ALL = {
  sqlite: "update job set state = 'ready' where run_id = ?",
  postgres: "update job set state = 'ready' where run_id = $1",
};
