import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ProductError } from "../base/errors.ts";
import type { RunState } from "../store/engine-tables.ts";
import { checkRunTransition, impliedState, isEnded, type RunCounts } from "./run-state.ts";

const STATES: readonly RunState[] = [
  "queued",
  "running",
  "waiting",
  "paused",
  "held",
  "completed",
  "failed",
  "cancelled",
];
const anyState = fc.constantFrom(...STATES);
const fewOf = fc.nat({ max: 3 });
const anyCounts: fc.Arbitrary<RunCounts> = fc.record({
  openJobs: fewOf,
  heldJobs: fewOf,
  openWaits: fewOf,
  openTimers: fewOf,
  openRuns: fewOf,
});

/** Arrow by arrow; a run that stays what it is needs none. */
const ARROWS: Readonly<Record<RunState, string>> = {
  queued: "running waiting paused held completed failed cancelled",
  running: "waiting paused held completed failed cancelled",
  waiting: "running paused held completed failed cancelled",
  paused: "queued running waiting held completed failed cancelled",
  held: "queued running waiting paused completed failed cancelled",
  completed: "queued",
  failed: "queued running",
  cancelled: "",
};

describe("checkRunTransition", () => {
  test("allows exactly these arrows", () => {
    for (const from of STATES) {
      for (const to of STATES.filter((state) => state !== from)) {
        const check = () => checkRunTransition(from, to);
        if (ARROWS[from].split(" ").includes(to)) assert.doesNotThrow(check, `${from} → ${to}`);
        else assert.throws(check, { code: "run_transition", kind: "conflict" }, `${from} → ${to}`);
      }
      assert.doesNotThrow(() => checkRunTransition(from, from));
    }
  });

  test("lets every run that has not ended be completed, failed, cancelled, held or paused", () => {
    for (const from of STATES.filter((state) => !isEnded(state))) {
      for (const to of ["completed", "failed", "cancelled", "held", "paused"] as const) {
        assert.doesNotThrow(() => checkRunTransition(from, to), `${from} → ${to}`);
      }
    }
  });

  test("lets a completed run only be reopened, and a cancelled one become nothing else", () => {
    assert.doesNotThrow(() => checkRunTransition("completed", "queued"));
    for (const from of ["completed", "cancelled"] as const) {
      const reopened = from === "completed" ? "queued" : from;
      for (const to of STATES.filter((state) => state !== from && state !== reopened)) {
        assert.throws(
          () => checkRunTransition(from, to),
          (error) => error instanceof ProductError && error.code === "run_transition",
          `${from} → ${to}`,
        );
      }
    }
  });

  test("never lets a run that started go back to queued by itself", () => {
    assert.throws(() => checkRunTransition("running", "queued"), { code: "run_transition" });
    assert.throws(() => checkRunTransition("waiting", "queued"), { code: "run_transition" });
  });

  test("names both states, and tells what to do with a run that has ended", () => {
    assert.throws(
      () => checkRunTransition("completed", "running"),
      (error: ProductError) => {
        assert.match(error.message, /completed cannot become running/);
        assert.match(error.hint ?? "", /start a new run/);
        assert.deepEqual(error.details, { from: "completed", to: "running" });
        return true;
      },
    );
    assert.throws(() => checkRunTransition("running", "queued"), {
      hint: "Look at its state first: `run show`.",
    });
  });
});

describe("impliedState", () => {
  test("never moves a run that has ended or that someone stopped", () => {
    fc.assert(
      fc.property(anyState, fc.boolean(), anyCounts, (state, isStopped, counts) => {
        fc.pre(isEnded(state) || isStopped);
        assert.equal(impliedState({ state, isStopped }, counts), state);
      }),
    );
  });

  test("always implies a state the table lets the run reach", () => {
    fc.assert(
      fc.property(anyState, fc.boolean(), anyCounts, (state, isStopped, counts) => {
        // A paused run goes on by being stopped no longer; until then the counts do not matter.
        fc.pre(state !== "paused" || isStopped);
        const implied = impliedState({ state, isStopped }, counts);
        checkRunTransition(state, implied ?? "failed");
      }),
    );
  });

  test("a run that nothing can move any more is in no state, and one thing left makes it wait", () => {
    const none = { openJobs: 0, heldJobs: 0, openWaits: 0, openTimers: 0, openRuns: 0 };
    const running = { state: "running", isStopped: false } as const;

    assert.equal(impliedState(running, none), undefined);
    for (const left of ["openWaits", "openTimers", "openRuns"] as const) {
      assert.equal(impliedState(running, { ...none, [left]: 1 }), "waiting");
    }
  });

  test("says running exactly while a job is open, and nothing only when nothing is left", () => {
    fc.assert(
      fc.property(anyState, anyCounts, (state, counts) => {
        fc.pre(!isEnded(state));
        const implied = impliedState({ state, isStopped: false }, counts);
        const left = Object.values(counts).reduce((sum, count) => sum + count, 0);
        assert.equal(implied === "running", counts.openJobs > 0);
        assert.equal(implied === undefined, left === 0);
        assert.equal(implied === "held", counts.openJobs === 0 && counts.heldJobs > 0);
      }),
    );
  });
});
