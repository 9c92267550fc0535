import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { TASK_STATUSES, type TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { taskClassOf } from "./candidate-reads.ts";
import {
  type Candidate,
  NEWEST_OF_CLASS,
  NEXT,
  type Selection,
  selectDecisions,
  selectHighlights,
  selectTasks,
  type TaskCandidate,
  type TaskSelection,
} from "./select-thoughts.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18, 12);

function task(
  id: string,
  days: number,
  more: Partial<Omit<TaskCandidate, "id" | "createdAt">> = {},
): TaskCandidate {
  return {
    id,
    createdAt: NOW - days * DAY,
    status: "pending",
    isPressing: false,
    hasBlocker: false,
    hasOpenLoop: false,
    ...more,
  };
}

const idsOf = (thoughts: readonly Candidate[]): string => thoughts.map(({ id }) => id).join(" ");

describe("choosing tasks", () => {
  test("an old blocker stands before new open work: nothing is cut off by age", () => {
    const newer = Array.from({ length: 30 }, (_, index) => task(`n${index}`, index / 10 + 6));

    const { top, tensions } = selectTasks([...newer, task("old", 300, { hasBlocker: true })], NOW);

    assert.equal(top[0]?.id, "old");
    assert.equal(tensions[0]?.id, "old");
  });

  test("ties go to the newer, then to the later id", () => {
    const tied = [task("b", 40), task("a", 50), task("c", 40), task("d", 60)];

    assert.equal(idsOf(selectTasks(tied, NOW).top), "c b a d");
  });

  test("at most five that block or are left open, then at most three open, seven in all", () => {
    const blockers = Array.from({ length: 6 }, (_, index) =>
      task(`b${index}`, index, { hasBlocker: true }),
    );
    const loops = [task("loop", 9, { hasOpenLoop: true })];
    const open = Array.from({ length: 4 }, (_, index) => task(`o${index}`, 20 + index));

    const all = selectTasks([...open, ...loops, ...blockers], NOW);
    const few = selectTasks([...open, ...loops, ...blockers.slice(0, 2)], NOW);

    assert.equal(idsOf(all.tensions), "b0 b1 b2 b3 b4 b5 loop");
    assert.equal(idsOf(few.tensions), "b0 b1 loop o0 o1 o2");
  });

  test("what is on hold leads its group, whatever its score", () => {
    const tasks = [
      task("block", 0, { hasBlocker: true, isPressing: true }),
      task("held block", 90, { hasBlocker: true, status: "on_hold" }),
      task("open", 0),
      task("held", 90, { status: "on_hold" }),
    ];

    assert.equal(idsOf(selectTasks(tasks, NOW).tensions), "held block block held open");
  });

  test("what presses or is under way is no open question", () => {
    const tasks = [
      task("pressing", 0, { isPressing: true }),
      task("doing", 0, { status: "in_progress" }),
      task("waiting", 5, { status: "waiting" }),
    ];

    const { tensions, underWay } = selectTasks(tasks, NOW);

    assert.equal(idsOf(tensions), "waiting");
    assert.equal(idsOf(underWay), "doing");
  });

  test("finished tasks are nowhere", () => {
    const finished: TaskStatus[] = ["completed", "failed", "cancelled"];
    const tasks = finished.map((status) => task(status, 0, { status, hasBlocker: true }));

    assert.deepEqual(selectTasks(tasks, NOW), { top: [], next: [], tensions: [], underWay: [] });
  });

  test("pinned ones come first and take places; more than five get more places", () => {
    const tasks = Array.from({ length: 12 }, (_, index) => task(`t${index}`, index));

    const some = selectTasks(tasks, NOW, new Set(["t9"]));
    const many = selectTasks(tasks, NOW, new Set(["t5", "t6", "t7", "t8", "t9", "t10"]));

    assert.equal(idsOf(some.top), "t9 t0 t1 t2 t3");
    assert.equal(idsOf(many.top), "t5 t6 t7 t8 t9 t10");
    assert.equal(idsOf(many.next), "t0 t1 t2");
  });
});

describe("choosing decisions and highlights", () => {
  test("five decisions, the newest first", () => {
    const decisions = [8, 2, 50, 4, 60, 6, 40].map((days) => task(`d${days}`, days));

    const { top, next } = selectDecisions(decisions, NOW);

    assert.equal(idsOf(top), "d2 d4 d6 d8 d40");
    assert.equal(idsOf(next), "d50 d60");
  });

  test("a label is worth twenty days", () => {
    const highlights = [
      { id: "new", createdAt: NOW - 9 * DAY, isLabelled: false },
      { id: "labelled", createdAt: NOW - 28 * DAY, isLabelled: true },
      { id: "faded", createdAt: NOW - 31 * DAY, isLabelled: false },
    ];

    assert.equal(idsOf(selectHighlights(highlights, NOW).top), "labelled new faded");
  });
});

/** Coarse times and small ids make ties common. */
const anyTask: fc.Arbitrary<TaskCandidate> = fc.record({
  id: fc.integer({ min: 0, max: 1e6 }).map((number) => `id${String(number).padStart(7, "0")}`),
  createdAt: fc.integer({ min: -2, max: 80 }).map((halfDays) => NOW - (halfDays * DAY) / 2),
  status: fc.constantFrom(...TASK_STATUSES),
  isPressing: fc.boolean(),
  hasBlocker: fc.boolean(),
  hasOpenLoop: fc.boolean(),
});
/** Of all classes, or of few, so that classes overflow. */
const anyTasks = fc
  .tuple(
    fc.uniqueArray(anyTask, { selector: ({ id }) => id, maxLength: 300, size: "max" }),
    fc.boolean(),
  )
  .map(([tasks, isNarrow]) =>
    isNarrow ? tasks.map((each) => ({ ...each, isPressing: false, hasOpenLoop: false })) : tasks,
  );

/** The definition itself: score everything, sort, take. Written apart from the code under test. */
function bruteForce(tasks: readonly TaskCandidate[]): Record<string, string> {
  const score = (each: TaskCandidate): number => {
    const days = Math.max(0, NOW - each.createdAt) / DAY;
    const presses = each.isPressing && (each.status === "pending" || each.status === "in_progress");
    return Math.max(0, 1 - days / 30) * 0.3 + (presses ? 0.4 : 0.2) + (each.hasBlocker ? 0.3 : 0);
  };
  const eligible = tasks.filter(({ status }) =>
    ["pending", "in_progress", "waiting", "on_hold"].includes(status),
  );
  const better = (a: TaskCandidate, b: TaskCandidate): number => {
    const gap = score(b) - score(a);
    if (Math.abs(gap) > 1e-6) return gap;
    return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
  };
  const ranked = eligible.toSorted(better);
  const held = (each: TaskCandidate): number => (each.status === "on_hold" ? 0 : 1);
  const marked = ranked
    .filter((each) => each.hasBlocker || each.hasOpenLoop)
    .toSorted((a, b) => held(a) - held(b) || better(a, b))
    .slice(0, 5);
  const isOpen = ({ status, isPressing }: TaskCandidate): boolean =>
    status === "waiting" || status === "on_hold" || (status === "pending" && !isPressing);
  const open = ranked
    .filter((each) => isOpen(each) && !marked.includes(each))
    .toSorted((a, b) => held(a) - held(b) || better(a, b))
    .slice(0, 3);
  return {
    top: idsOf(ranked.slice(0, 5)),
    tensions: idsOf([...marked, ...open].slice(0, 7)),
    underWay: idsOf(ranked.filter(({ status }) => status === "in_progress").slice(0, 5)),
  };
}

function newestOfEachClass<Thought extends Candidate>(
  thoughts: readonly Thought[],
  classOf: (thought: Thought) => string,
  count: number,
): readonly Thought[] {
  const newestFirst = thoughts.toSorted(
    (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1),
  );
  return [...Map.groupBy(newestFirst, classOf).values()].flatMap((few) => few.slice(0, count));
}

const told = ({ top, tensions, underWay }: TaskSelection) => ({
  top: idsOf(top),
  tensions: idsOf(tensions),
  underWay: idsOf(underWay),
});
const toldAll = ({ top, next }: Selection<Candidate>) => [idsOf(top), idsOf(next)];

describe("for any project", () => {
  test("tasks are chosen as scoring everything would choose them", () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        assert.deepEqual(told(selectTasks(tasks, NOW)), bruteForce(tasks));
      }),
      { numRuns: 500 },
    );
  });

  test("the newest few of each class hold the whole answer", () => {
    let dropped = 0;
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const few = newestOfEachClass(tasks, taskClassOf, NEWEST_OF_CLASS);
        dropped += tasks.length - few.length;

        assert.deepEqual(selectTasks(few, NOW), selectTasks(tasks, NOW));
      }),
      { numRuns: 500 },
    );
    assert.ok(dropped > 1000, `${dropped} tasks were not looked at`);
  });

  test("the same holds for decisions and highlights", () => {
    fc.assert(
      fc.property(anyTasks, (thoughts) => {
        const highlights = thoughts.map((each) => ({ ...each, isLabelled: each.hasBlocker }));
        const labelled = ({ isLabelled }: { isLabelled: boolean }) => String(isLabelled);
        const decisions = newestOfEachClass(thoughts, () => "", NEWEST_OF_CLASS);
        const few = newestOfEachClass(highlights, labelled, 10 + NEXT);

        assert.deepEqual(
          toldAll(selectDecisions(decisions, NOW)),
          toldAll(selectDecisions(thoughts, NOW)),
        );
        assert.deepEqual(
          toldAll(selectHighlights(few, NOW, { most: 10 })),
          toldAll(selectHighlights(highlights, NOW, { most: 10 })),
        );
      }),
      { numRuns: 300 },
    );
  });
});
