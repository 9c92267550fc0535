/** Runs that start runs: an end is told upwards once, a cancellation travels down, a failure travels up. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
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
import type { NewChildRun } from "./decision.ts";
import { cancelRun, pauseRun, resumeRun, retryRun } from "./run-control.ts";

function child(key: string, handler: string, onEnd = `end.${key}`): NewChildRun {
  return {
    key,
    method: "trial",
    title: `The child ${key}`,
    input: {},
    jobs: [job("first", handler)],
    onEnd: job(onEnd, "heard", { key }),
  };
}

const parentOf = (...children: readonly NewChildRun[]) =>
  move("parent", (view) => ({ effects: [note(view)], runs: children }));
const good = turn("good", { accept: (view) => ({ ...completed({ from: view.runId }) }) });
const bad = move("bad", () => ({
  run: { end: { state: "failed", reason: { code: "no_luck", message: "It did not work." } } },
}));
const waiting = move("waiting", () => ({
  waits: [
    {
      key: "w",
      kind: "review",
      title: "?",
      reason: "",
      answers: ["yes"],
      followUp: job("x", "good"),
    },
  ],
}));
/** Notes what it was told, and never ends the run: that is done when all are heard. */
const heard = move("heard", (view) => ({ effects: [note(view, view.input)] }));

export function childrenSuite(kind: RigKind): void {
  describe("child runs", { concurrency: 1 }, () => {
    test("the parent hears once of every child, with state and result, and goes on", async () => {
      const all = move("heard", (view) => {
        const { key, child: told } = view.input as { key: string; child: { state: string } };
        return {
          effects: [note(view, view.input)],
          ...(key === "c3" ? {} : {}),
          events: [{ type: "child.heard", data: { key, state: told.state } }],
        };
      });
      await inRig(
        kind,
        {
          handlers: [
            parentOf(child("c1", "good"), child("c2", "bad"), child("c3", "good")),
            good,
            bad,
            all,
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          // Nothing follows what it hears, so the parent stalls once the last child is over.
          const run = await rig.reaches(id, "failed");

          assert.equal(run.reason?.code, "run_stalled");
          const told = (await rig.events(id)).filter(({ type }) => type === "child.heard");
          assert.deepEqual(
            told.map(({ data }) => JSON.stringify(data)).toSorted(),
            [
              { key: "c1", state: "completed" },
              { key: "c2", state: "failed" },
              { key: "c3", state: "completed" },
            ].map((data) => JSON.stringify(data)),
          );
        },
      )();
    });

    test(
      "a child planned twice is started once",
      inRig(
        kind,
        {
          handlers: [
            turn("twice", { accept: () => ({ runs: [child("same", "good")] }) }),
            good,
            heard,
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "twice"), job("b", "twice")] });
          await rig.reaches(id, "failed");

          assert.equal((await childrenOf(rig, id)).length, 1);
          assert.equal((await rig.effects(id)).length, 1);
        },
      ),
    );

    test(
      "cancelling travels down to children of children, and nothing of them goes on",
      inRig(
        kind,
        {
          handlers: [
            parentOf(child("middle", "middle"), child("side", "slow")),
            move("middle", () => ({ runs: [child("leaf", "waiting"), child("leaf2", "slow")] })),
            waiting,
            turn("slow", { accept: (view) => ({ effects: [note(view)] }) }),
            good,
            heard,
          ],
          latencyMs: 60_000,
        },
        async (rig) => {
          const engine = rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          await until("two calls are under way", () => (rig.calls.length === 2 ? true : undefined));
          await until("the leaf waits", async () =>
            (await rowsOf(rig.store, "select id from wait where state = 'open'")).length === 1
              ? true
              : undefined,
          );

          await rig.write(() => cancelRun(rig.tools, id, "ann", rig.now()));
          await engine.checkLeases();
          await until("the calls are over", () =>
            rig.calls.every(({ endedAt }) => endedAt !== undefined) ? true : undefined,
          );

          const states = await rowsOf<{ state: string; reason: string | null }>(
            rig.store,
            "select state, reason from run order by id",
          );
          assert.deepEqual(
            states.map(({ state }) => state),
            Array.from({ length: 5 }, () => "cancelled"),
          );
          assert.match(states[1]?.reason ?? "", /parent_ended/);
          assert.ok(rig.calls.every(({ wasAborted }) => wasAborted));
        },
      ),
    );

    test(
      "a child that is cancelled twice is told once: its sisters still count",
      inRig(
        kind,
        {
          handlers: [
            parentOf(child("c1", "waiting"), child("c2", "waiting")),
            waiting,
            good,
            heard,
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          const [first] = await until("both children wait", async () => {
            const children = await childrenOf(rig, id);
            return children.filter(({ state }) => state === "waiting").length === 2
              ? children
              : undefined;
          });

          for (const _ of [1, 2, 3]) {
            await rig.write(() => cancelRun(rig.tools, first?.id ?? "", "ann", rig.now()));
          }
          await rig
            .write(() => retryRun(rig.tools, first?.id ?? "", "ann", rig.now()))
            .catch(() => 0);
          await until("the parent has heard", async () =>
            (await rig.effects(id)).length === 2 ? true : undefined,
          );

          const run = await rig.reaches(id, "waiting");
          assert.equal(run.state, "waiting");
        },
      ),
    );

    test(
      "a parent that ends before its children ends them too, and counts none as open",
      inRig(
        kind,
        {
          handlers: [
            move("parent", () => ({ runs: [child("c", "waiting")], jobs: [job("b", "end")] })),
            move("end", () => completed()),
            waiting,
            good,
            heard,
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          await rig.reaches(id, "completed");
          await until("the child is cancelled", async () =>
            (await childrenOf(rig, id))[0]?.state === "cancelled" ? true : undefined,
          );
        },
      ),
    );

    test(
      "a parent that stalls because it was told nothing new still tells its own parent",
      inRig(
        kind,
        {
          handlers: [
            parentOf(child("middle", "middle", "heardOfMiddle")),
            move("middle", () => ({
              runs: [child("x", "good", "same"), child("y", "late", "same")],
            })),
            move("late", (view) => ({
              timers: [{ key: "t", dueAt: view.now + 60, followUp: job("g", "good") }],
            })),
            good,
            heard,
          ],
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          await rig.reaches(id, "failed");

          assert.ok((await rig.effects(id)).includes(`${id}:heardOfMiddle`));
        },
      ),
    );

    test(
      "a paused parent is told of its child's end when it goes on",
      inRig(
        kind,
        { handlers: [parentOf(child("c", "good")), good, heard], latencyMs: 40 },
        async (rig) => {
          const engine = rig.engine();
          const id = await rig.begin({ jobs: [job("a", "parent")] });
          await until("the child is under way", () => (rig.calls.length === 1 ? true : undefined));
          await rig.write(() => pauseRun(rig.tools, id, "ann", rig.now()));
          await until("the child is over", async () =>
            (await childrenOf(rig, id))[0]?.state === "completed" ? true : undefined,
          );
          await engine.whenIdle();
          assert.equal((await rig.effects(id)).length, 1);

          await rig.write(() => resumeRun(rig.tools, id, "ann", rig.now()));
          await rig.reaches(id, "failed");
          assert.equal((await rig.effects(id)).length, 2);
        },
      ),
    );

    test(
      "a child started from a batch keeps its place there until the parent has heard of its end",
      inRig(
        kind,
        {
          handlers: [
            move("parent", () => ({
              batches: [
                {
                  key: "each",
                  jobs: ["a", "b", "c"].map((key) => job(`start.${key}`, "start", { key })),
                  followUp: job("join", "join"),
                },
              ],
            })),
            move("start", (view) => {
              const { key } = view.input as { key: string };
              const run = child(key, "good");
              return { runs: [{ ...run, onEnd: { ...run.onEnd, staysInBatch: true } }] };
            }),
            good,
            heard,
            move("join", (view) => ({ ...completed(), effects: [note(view)] })),
          ],
          latencyMs: 10,
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("p", "parent")] });
          await rig.reaches(id, "completed");

          const effects = await rig.effects(id);
          assert.equal(effects.length, 4);
          assert.equal(effects.at(-1), `${id}:join`);
        },
      ),
    );
  });
}

async function childrenOf(rig: Rig, id: string) {
  return rowsOf<{ id: string; state: string }>(
    rig.store,
    "select id, state from run where parent_run_id = ? order by id",
    [id],
  );
}
