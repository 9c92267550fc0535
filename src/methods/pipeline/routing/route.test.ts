/** One look at a run that is open in a way we choose: what it plans, to the letter. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../../kernel/base/json.ts";
import { readWorkflow } from "../workflow/read-workflow.ts";
import { buildGraph, routingGraphOf } from "./graph.ts";
import type { Container, OpenRun, Outcome, Visit } from "./open-run.ts";
import { route } from "./route.ts";
import type { RoutePlan } from "./route-plan.ts";

const EMPTY: OpenRun = {
  visits: [],
  containers: [],
  arrivals: [],
  marks: [],
  failures: [],
  tasks: 1,
  caps: {},
};

interface Known {
  readonly outputs?: Readonly<Record<string, Json>>;
  /** How often a step was visited before, in whatever scope. */
  readonly visits?: Readonly<Record<string, number>>;
}

/** New ids are n1, n2 and so on; what the plan says nothing about is left out. */
function look(source: string, open: Partial<OpenRun>, known: Known = {}): Partial<RoutePlan> {
  const { definition, problems } = readWorkflow(source);
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
  let last = 0;
  const facts = {
    runInput: { size: 3 },
    outputOf: (id: string) => known.outputs?.[id] ?? null,
    namesIn: () => ({}),
    visitsOf: (_scope: string, step: string) => known.visits?.[step] ?? 0,
  };
  const plan = route(routingGraphOf(definition), { ...EMPTY, ...open }, facts, () => `n${++last}`);
  return Object.fromEntries(
    Object.entries(plan).filter(
      ([, said]) => said !== undefined && said !== false && !(Array.isArray(said) && !said.length),
    ),
  );
}

function visit(id: string, step: string, outcome?: Outcome, more: Partial<Visit> = {}): Visit {
  return { id, step, scope: "", outcome, isResting: false, isHeld: false, ...more };
}

function container(more: Partial<Container> = {}): Container {
  return {
    id: "c",
    step: "C",
    scope: "",
    from: "a",
    total: 2,
    completed: 0,
    failed: 0,
    skipped: 0,
    pending: 0,
    next: [],
    live: [],
    isHeld: false,
    isForced: false,
    isOverdue: false,
    ...more,
  };
}

const pendingItems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, value: index, attempts: 0 }));

const LINE = "graph TD\n A[Ask] --> B[Build]\n";
const EACH = (settings = "", join = "") => `graph TD
  A[List] --> C[[Each]]
  C --> W[Work]
  W --> D[Join All]
  D --> E[Report]
%% @C: {"stepType": "foreach", "itemsPath": "output.list"${settings}}
%% @D: {"stepType": "join"${join}}
`;
const FORK = (join = "") => `graph TD
  A[Fork] --> B[Left]
  A --> C[Right]
  B --> D[Join]
  C --> D
  D --> E[Report]
%% @D: {"stepType": "join"${join}}
`;
const CHOICE = `graph TD
  A[Ask] --> Q{Good?}
  Q -->|output.score >= 80| G[Ship]
  Q -->|output.score < 50| H[Drop]
`;

const held = (plan: Partial<RoutePlan>) => {
  const { holds: [hold] = [], ...rest } = plan;
  return { code: hold?.code, id: hold?.id, message: hold?.message, details: hold?.details, rest };
};

describe("a visit that is done", () => {
  test("leads to the next step, and the last ends the run", () => {
    assert.deepEqual(look(LINE, { visits: [visit("a", "A", "completed")] }), {
      routed: [{ id: "a", isLast: false, isAbsorbed: false }],
      visits: [
        { id: "n1", step: "B", scope: "", from: "a", iteration: 1, kind: "work", sources: [] },
      ],
    });
    assert.deepEqual(look(LINE, { visits: [visit("b", "B", "completed")] }), {
      routed: [{ id: "b", isLast: true, isAbsorbed: false }],
      end: { state: "completed" },
    });
    assert.deepEqual(look(LINE, { visits: [visit("a", "A", "skipped")] }).visits?.length, 1);
  });

  test("that failed fails the run once nothing else is alive", () => {
    const routed = [{ id: "b", isLast: false, isAbsorbed: false }];
    const failed = visit("b", "B", "failed");

    assert.deepEqual(look(FORK(), { visits: [failed, visit("c", "C")] }), { routed });
    assert.deepEqual(look(LINE, { visits: [failed] }), {
      routed,
      end: { state: "failed", failures: ["b"] },
    });
  });

  test("whose model said how to go on is followed by the rest of its step", () => {
    assert.deepEqual(look(LINE, { visits: [visit("a", "A", "continued")] }, { visits: { A: 1 } }), {
      routed: [{ id: "a", isLast: false, isAbsorbed: false }],
      visits: [
        {
          id: "n1",
          step: "A",
          scope: "",
          from: "a",
          iteration: 2,
          kind: "follow_up",
          sources: [],
        },
      ],
    });
  });

  test("and held, or not done, leads nowhere", () => {
    const open = [visit("a", "A", "completed", { isHeld: true }), visit("b", "B")];

    assert.deepEqual(look(LINE, { visits: open }), {});
  });
});

describe("a cap", () => {
  const capped = LINE.concat('%% @B: {"maxIterations": 2}\n%% @A: {"maxIterations": 2}\n');
  const message = '"Build" has run 2 times; more is not allowed without a person.';

  test("on visits of a step lets as many through, then holds, unless a person allowed more", () => {
    const open = { visits: [visit("a", "A", "completed")] };
    const after = (visits: number, caps = {}) =>
      look(capped, { ...open, caps }, { visits: { B: visits } });

    assert.equal(after(1).visits?.[0]?.iteration, 2);
    assert.deepEqual(held(after(2)), {
      code: "iteration_cap",
      id: "a",
      message,
      details: { step: "B", cap: 2 },
      rest: {},
    });
    assert.equal(after(2, { iterations: { B: 3 } }).visits?.[0]?.iteration, 3);
    assert.equal(held(after(3, { iterations: { B: 3 } })).details?.["cap"], 3);
  });

  test("on visits counts what a model asks for, too", () => {
    const open = { visits: [visit("a", "A", "continued")] };
    const after = (visits: number, caps = {}) =>
      look(capped, { ...open, caps }, { visits: { A: visits } });

    assert.equal(after(1).visits?.[0]?.kind, "follow_up");
    assert.deepEqual(held(after(2)), {
      code: "iteration_cap",
      id: "a",
      message: message.replace("Build", "Ask"),
      details: { step: "A", cap: 2 },
      rest: {},
    });
    assert.equal(after(2, { iterations: { A: 3 } }).visits?.[0]?.iteration, 3);
  });

  test("on the tasks of a run holds before anything is added, and one forked in two counts two", () => {
    const message = (made: number, cap: number) =>
      `The run has made ${made} tasks; at most ${cap} are allowed.`;
    const fork = (tasks: number, cap: number) =>
      look(FORK(), { visits: [visit("a", "A", "completed")], tasks, caps: { tasks: cap } });

    assert.equal(fork(8, 10).visits?.length, 2);
    assert.deepEqual(held(fork(9, 10)), {
      code: "task_cap",
      id: "a",
      message: message(9, 10),
      details: { cap: 10 },
      rest: {},
    });
    const rest = look(LINE, {
      visits: [visit("a", "A", "continued")],
      tasks: 5,
      caps: { tasks: 5 },
    });
    assert.equal(held(rest).message, message(5, 5));
    const last = { visits: [visit("b", "B", "completed")], tasks: 5, caps: { tasks: 5 } };
    assert.deepEqual(look(LINE, last).end, { state: "completed" });
  });

  test("on the tasks of a run is the workflow's where no person set one, and counts what this look adds", () => {
    const source = `graph TD
      A[Fork] --> B[One]
      A --> C[Two]
      B --> E[Three]
      C --> F[Four]
%% === WORKFLOW_CONFIG ===
%% workflow: {"maxTasks": 4}
%% === END_CONFIG ===
`;
    const visits = [visit("b", "B", "completed"), visit("c", "C", "completed")];
    const plan = look(source, { visits, tasks: 3 });

    assert.deepEqual(
      plan.visits?.map(({ step }) => step),
      ["E"],
    );
    assert.equal(held(plan).id, "c");
    assert.equal(held(plan).message, "The run has made 4 tasks; at most 4 are allowed.");
  });
});

describe("a decision", () => {
  const decide = (output: Json, source = CHOICE) =>
    look(source, { visits: [visit("a", "A", "completed")] }, { outputs: { a: output } });

  test("leads where its first true condition says, and what was tried is told", () => {
    const plan = decide({ score: 40 });

    assert.equal(plan.visits?.[0]?.step, "H");
    const [record] = plan.decisions ?? [];
    assert.deepEqual(
      [record?.visitId, record?.step, record?.target, record?.tried.map(({ result }) => result)],
      ["a", "Q", "H", ["false", "true"]],
    );
    assert.equal(decide({ score: 90 }).decisions?.[0]?.tried.length, 1);
  });

  test("that cannot be answered holds, and says why", () => {
    const { code, id, message, details, rest } = held(decide({ points: 1 }));

    assert.deepEqual([code, id], ["condition_unknown", "a"]);
    assert.equal(
      message,
      '"Good?" cannot be decided: output.score >= 80 — output.score is absent (there is no "score" in output).',
    );
    assert.equal(details?.["step"], "Q");
    const [tried, ...others] = (details?.["tried"] ?? []) as {
      condition: string;
      result: string;
    }[];
    assert.deepEqual([tried?.condition, tried?.result], ["output.score >= 80", "unknown"]);
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(rest), ["decisions"]);
    assert.equal(rest.decisions?.[0]?.target, undefined);
  });

  test("none of whose conditions is true holds, unless it has a default", () => {
    const { code, message, details } = held(decide({ score: 60 }));

    assert.equal(code, "no_branch_matches");
    assert.equal(message, 'No branch of "Good?" matches and it has no default.');
    const tried = details?.["tried"] as { reason: null; evaluated: Json }[];
    assert.deepEqual(
      tried.map(({ reason, evaluated }) => [reason, evaluated]),
      [
        [null, [{ path: "output.score", type: "number", value: 60 }]],
        [null, [{ path: "output.score", type: "number", value: 60 }]],
      ],
    );
    const withDefault = CHOICE.concat("  Q -->|default| E[Else]\n");
    assert.equal(decide({ score: 60 }, withDefault).visits?.[0]?.step, "E");
  });

  test("after a decision is answered on the way; a circle of them holds", () => {
    const two = `graph TD
      A[Ask] --> Q{One?}
      Q -->|output.n === 1| B[One]
      Q -->|default| R{Two?}
      R -->|output.n === 2| C[Two]
      R -->|default| Q
    `;

    assert.equal(decide({ n: 2 }, two).visits?.[0]?.step, "C");
    const { code, message, details } = held(decide({ n: 3 }, two));
    assert.equal(code, "decision_cycle");
    assert.equal(
      message,
      'The decisions around "One?" lead back to it without any work between them.',
    );
    assert.deepEqual(details, { step: "Q" });
  });
});

describe("the items of a foreach", () => {
  const list = (output: Json, settings = "", caps = {}) =>
    look(
      EACH(settings),
      { visits: [visit("a", "A", "completed")], caps },
      { outputs: { a: output } },
    );

  test("are as many as the list has; an empty one is done at once", () => {
    assert.deepEqual(list({ list: [1, 2] }), {
      routed: [{ id: "a", isLast: false, isAbsorbed: false }],
      containers: [
        { id: "n1", step: "C", scope: "", from: "a", iteration: 1, total: 2, warning: undefined },
      ],
      isMore: true,
    });
    const none = list({ list: [] });
    assert.deepEqual(none.containers?.[0]?.warning, undefined);
    assert.deepEqual(none.closed, [{ id: "n1", state: "completed", isAbsorbed: false }]);
    assert.deepEqual(none.visits?.[0]?.sources, ["n1"]);
  });

  test("are none where there is no list, with a warning", () => {
    const warning = (output: Json) => list(output).containers?.[0]?.warning;

    assert.equal(warning({}), 'No items for "Each": there is no "list" in output.');
    assert.equal(warning({ list: null }), 'No items for "Each": output.list is null.');
  });

  test("hold where there is something else, or too many of them", () => {
    const { code, id, message, details, rest } = held(list({ list: "a, b" }));

    assert.deepEqual([code, id, rest], ["items_not_array", "a", {}]);
    assert.equal(message, '"Each" needs a list at output.list; there is a string.');
    assert.deepEqual(details, { step: "C", itemsPath: "output.list" });
    assert.match(held(list({ list: {} })).message ?? "", /there is an object\.$/);

    const three = list({ list: [1, 2, 3] }, ', "maxItems": 2');
    assert.deepEqual(held(three), {
      code: "too_many_items",
      id: "a",
      message: '"Each" has 3 items; at most 2 are allowed.',
      details: { step: "C", cap: 2, items: 3 },
      rest: {},
    });
    assert.equal(list({ list: [1, 2] }, ', "maxItems": 2').containers?.[0]?.total, 2);
    const allowed = list({ list: [1, 2, 3] }, ', "maxItems": 2', { items: { C: 3 } });
    assert.equal(allowed.containers?.[0]?.total, 3);
  });

  test("begin as many at once as there is room for, and the rest in the next look", () => {
    const begin = (settings: string, more: Partial<Container>) =>
      look(EACH(settings), {
        containers: [container({ total: 600, ...more })],
        visits: (more.live ?? []).map((index) =>
          visit(`w${index}`, "W", undefined, { scope: `c/${index}` }),
        ),
      });

    const three = begin(', "concurrency": 3', { pending: 9, next: pendingItems(9), live: [9] });
    assert.deepEqual(three.started, [
      { containerId: "c", index: 0 },
      { containerId: "c", index: 1 },
    ]);
    assert.deepEqual(
      three.visits?.map(({ step, scope, from, kind }) => [step, scope, from, kind]),
      [
        ["W", "c/0", "a", "work"],
        ["W", "c/1", "a", "work"],
      ],
    );
    assert.equal(three.isMore, undefined, "there is no room for more");
    const many = begin("", { pending: 600, next: pendingItems(300) });
    assert.deepEqual([many.started?.length, many.isMore], [250, true]);
    const last = begin("", { pending: 250, next: pendingItems(250) });
    assert.deepEqual([last.started?.length, last.isMore], [250, undefined]);
    const full = begin(', "concurrency": 1', { pending: 1, next: pendingItems(1), live: [1] });
    assert.deepEqual(full, {});
  });

  test("that wait for people make room for others", () => {
    const open = {
      containers: [container({ pending: 1, next: pendingItems(1), live: [1], total: 2 })],
      visits: [visit("w", "W", undefined, { scope: "c/1", isResting: true })],
    };

    assert.deepEqual(look(EACH(', "concurrency": 1'), open).started, [
      { containerId: "c", index: 0 },
    ]);
    assert.deepEqual(
      look(EACH(', "concurrency": 1'), {
        ...open,
        visits: [visit("w", "W", undefined, { scope: "c/1" })],
      }),
      {},
    );
  });

  test("do not begin while their foreach is held, or once the run has made all its tasks", () => {
    const waiting = container({ pending: 2, next: pendingItems(2) });

    assert.deepEqual(look(EACH(), { containers: [{ ...waiting, isHeld: true }] }), {});
    const full = look(EACH(), { containers: [waiting], tasks: 9, caps: { tasks: 10 } });
    assert.deepEqual(full.started, [{ containerId: "c", index: 0 }]);
    assert.deepEqual([held(full).code, held(full).id], ["task_cap", "c"]);
  });

  test("begin with the foreach's own prompt, where it has one", () => {
    const source = EACH(', "prompt": "Do it."').replace("C --> W[Work]\n  W --> D", "C --> D");
    const [first] =
      look(source, { containers: [container({ pending: 1, next: pendingItems(1), total: 1 })] })
        .visits ?? [];

    assert.deepEqual([first?.step, first?.scope, first?.kind], ["C", "c/0", "work"]);
  });

  test("end when nothing is alive in them, in the order in which they are drawn", () => {
    const done = (outcome: Outcome) =>
      look(EACH(), {
        containers: [container({ live: [0], completed: 1 })],
        visits: [visit("w", "W", outcome, { scope: "c/0" })],
      });

    assert.deepEqual(done("completed").ended, [
      { containerId: "c", index: 0, state: "completed", from: ["w"] },
    ]);
    assert.deepEqual(done("completed").closed, [
      { id: "c", state: "completed", isAbsorbed: false },
    ]);
    assert.equal(done("completed").visits?.[0]?.kind, "join");
    assert.equal(done("completed").isMore, true, "a join without a prompt only collects");
    assert.deepEqual(done("skipped").ended, [
      { containerId: "c", index: 0, state: "skipped", from: [] },
    ]);
    assert.deepEqual(done("skipped").closed?.[0]?.state, "completed");
    assert.deepEqual(done("failed").ended, [
      { containerId: "c", index: 0, state: "failed", from: [] },
    ]);
    assert.deepEqual(held(done("failed")), {
      code: "join_unsatisfied",
      id: "c",
      message: '"Join All" needs all items; 1 of 2 items are completed, 1 failed.',
      details: { step: "C", total: 2, completed: 1, failed: 1 },
      rest: {
        routed: [{ id: "w", isLast: false, isAbsorbed: false }],
        ended: [{ containerId: "c", index: 0, state: "failed", from: [] }],
      },
    });
  });

  test("need as many as the join says", () => {
    const close = (join: string, more: Partial<Container>) =>
      look(EACH("", join), { containers: [container({ total: 4, ...more })] });
    const two = { completed: 2, failed: 2 };

    assert.equal(close(', "minCount": 2', two).closed?.[0]?.state, "completed");
    assert.equal(close(', "minPercent": 50', two).closed?.[0]?.state, "completed");
    assert.match(held(close(', "minPercent": 51', two)).message ?? "", /needs 51 % of the items;/);
    assert.match(held(close(', "minCount": 3', two)).message ?? "", /needs 3 items;/);
    const none = held(close(', "minCount": 1', { failed: 4 }));
    assert.match(none.message ?? "", /needs one item; 0 of 4/);
    assert.equal(close("", { completed: 3, skipped: 1 }).closed?.[0]?.state, "completed");
    assert.equal(close("", { completed: 4, isHeld: true }).closed, undefined);
  });

  test("of whom enough are done and the others wait for people, do not wait for them", () => {
    const open = (join: string, isResting: boolean) =>
      look(EACH("", join), {
        containers: [container({ completed: 1, live: [1] })],
        visits: [visit("w", "W", undefined, { scope: "c/1", isResting })],
      });

    const enough = open(', "minCount": 1', true);
    assert.deepEqual([enough.dropped, enough.closed?.[0]?.state], [["w"], "completed"]);
    assert.deepEqual(open(', "minCount": 1', false), {});
    assert.deepEqual(open(', "minCount": 2', true), {});
    assert.deepEqual(open("", true), {});
  });

  test("are let go when a person, or the deadline, says so: on with what there is, or failed", () => {
    const open = (more: Partial<Container>) =>
      look(EACH(), {
        containers: [container({ completed: 1, live: [1], ...more })],
        visits: [visit("w", "W", undefined, { scope: "c/1" })],
      });

    const forced = open({ isForced: true });
    assert.deepEqual(
      [forced.dropped, forced.closed?.[0]?.state, forced.end],
      [["w"], "completed", undefined],
    );
    const overdue = open({ isOverdue: true });
    assert.deepEqual(overdue, {
      dropped: ["w"],
      closed: [{ id: "c", state: "failed", isAbsorbed: false }],
      end: { state: "failed", failures: ["c"] },
    });
  });
});

describe("a join of parallel edges", () => {
  const arrival = (visitId: string, place: number, isFailed = false) => ({
    scope: "",
    join: "D",
    visitId,
    isFailed,
    place,
  });
  const mark = (more: { isForced?: boolean; isOverdue?: boolean }) => ({
    scope: "",
    join: "D",
    isForced: false,
    isOverdue: false,
    ...more,
  });
  const joined = [{ scope: "", join: "D" }];

  test("waits for what can still come, and says who was first", () => {
    const first = look(FORK(), { visits: [visit("b", "B", "completed"), visit("c", "C")] });
    assert.deepEqual(first, {
      routed: [{ id: "b", isLast: false, isAbsorbed: false }],
      arrived: [{ ...arrival("b", 2), isFirst: true }],
    });
    const later = look(FORK(), {
      visits: [visit("c", "C", "completed"), visit("x", "A")],
      arrivals: [arrival("b", 2)],
    });
    assert.deepEqual(later.arrived, [{ ...arrival("c", 3), isFirst: false }]);
  });

  test("goes on once with all that came, in drawing order, from the first that did not fail", () => {
    const plan = look(FORK(), {
      visits: [visit("b", "B", "completed")],
      arrivals: [arrival("c", 3)],
    });

    assert.deepEqual(plan, {
      routed: [{ id: "b", isLast: false, isAbsorbed: false }],
      visits: [
        {
          id: "n1",
          step: "D",
          scope: "",
          from: "b",
          iteration: 1,
          kind: "join",
          sources: ["b", "c"],
        },
      ],
      joined,
      isMore: true,
    });
    const tolerant = look(FORK(', "minCount": 1'), {
      arrivals: [arrival("b", 2, true), arrival("c", 3)],
    });
    assert.deepEqual(tolerant.visits?.[0]?.from, "c");
    const prompted = look(FORK(', "prompt": "Sum up."'), {
      arrivals: [arrival("b", 2), arrival("c", 3)],
    });
    assert.equal(prompted.isMore, undefined);
  });

  test("that needs all stays where something failed on the way, and the run fails", () => {
    const plan = look(FORK(), {
      visits: [visit("c", "C", "failed")],
      arrivals: [arrival("b", 2)],
    });

    assert.deepEqual(plan, {
      routed: [{ id: "c", isLast: false, isAbsorbed: false }],
      end: { state: "failed", failures: ["c"] },
    });
  });

  test("that needs less takes a failure up; too few of them, and it fails itself", () => {
    const plan = (join: string) =>
      look(FORK(join), { visits: [visit("c", "C", "failed")], arrivals: [arrival("b", 2)] });

    assert.deepEqual(plan(', "minCount": 1').visits?.[0]?.sources, ["b", "c"]);
    assert.deepEqual(plan(', "minCount": 2'), {
      routed: [{ id: "c", isLast: false, isAbsorbed: true }],
      visits: [
        {
          id: "n1",
          step: "D",
          scope: "",
          from: "b",
          iteration: 1,
          kind: "join",
          sources: ["b", "c"],
          failed: { isAbsorbed: false },
        },
      ],
      joined,
      end: { state: "failed", failures: ["n1"] },
    });
  });

  test("goes on without those who wait for people, once enough is there", () => {
    const open = (join: string, isResting: boolean) =>
      look(FORK(join), {
        visits: [visit("c", "C", undefined, { isResting })],
        arrivals: [arrival("b", 2)],
      });

    const enough = open(', "minCount": 1', true);
    assert.deepEqual([enough.dropped, enough.visits?.[0]?.sources], [["c"], ["b"]]);
    assert.deepEqual(open(', "minCount": 1', false), {});
    assert.deepEqual(open(', "minCount": 2', true), {});
    assert.deepEqual(open("", true), {});
  });

  test("is let go when a person, or the deadline, says so: on with what there is, or failed", () => {
    const open = (more: { isForced?: boolean; isOverdue?: boolean }) =>
      look(FORK(), { visits: [visit("c", "C")], arrivals: [arrival("b", 2)], marks: [mark(more)] });

    assert.deepEqual(open({}), {});
    assert.deepEqual(open({ isForced: true }), {
      dropped: ["c"],
      visits: [
        { id: "n1", step: "D", scope: "", from: "b", iteration: 1, kind: "join", sources: ["b"] },
      ],
      joined,
      isMore: true,
    });
    const overdue = open({ isOverdue: true });
    assert.deepEqual(
      [overdue.dropped, overdue.visits?.[0]?.failed, overdue.end],
      [["c"], { isAbsorbed: false }, { state: "failed", failures: ["n1"] }],
    );
  });

  test("of which each could reach the other, goes on in the order in which they are drawn", () => {
    const circle = `graph TD
      A[Fork] --> J[First]
      A --> K[Second]
      J --> K
      K --> J
      K --> E[End]
    %% @J: {"stepType": "join"}
    %% @K: {"stepType": "join"}
    `;
    const plan = look(circle, {
      arrivals: [
        { ...arrival("a", 1), join: "K" },
        { ...arrival("a", 0), join: "J" },
      ],
    });

    assert.deepEqual(
      plan.visits?.map(({ step }) => step),
      ["J"],
    );
    assert.deepEqual(plan.joined, [{ scope: "", join: "J" }]);
  });
});

describe("what is open in several places at once", () => {
  const NESTED = (join = "") => `graph TD
    A[List] --> B[Left]
    A --> C[[Each]]
    C --> W[Work]
    W --> D[Join All]
    D --> K[Both]
    B --> K
    K --> E[Report]
  %% @C: {"stepType": "foreach", "itemsPath": "output.list"}
  %% @D: {"stepType": "join"}
  %% @K: {"stepType": "join"${join}}
  `;
  const left = { scope: "", join: "K", visitId: "b", isFailed: false, place: 5 };
  const work = (index: number, isResting: boolean) =>
    visit(`w${index}`, "W", undefined, { scope: `c/${index}`, isResting });

  test("a foreach is waited for unless it is held, or all that is left of it waits for people", () => {
    const goesOn = (more: Partial<Container>, visits: readonly Visit[]) =>
      look(NESTED(', "minCount": 1'), {
        containers: [container(more)],
        visits,
        arrivals: [left],
      }).visits?.some(({ step }) => step === "K") ?? false;

    assert.equal(goesOn({ isHeld: true, live: [0] }, [work(0, false)]), true);
    assert.equal(goesOn({ completed: 1, live: [1] }, [work(1, true)]), true);
    assert.equal(goesOn({ live: [0, 1] }, [work(0, true), work(1, false)]), false);
    assert.equal(goesOn({ live: [0], pending: 1 }, [work(0, true)]), false);
  });

  test("items of a foreach are waited for while any of them moves", () => {
    const open = (isResting: boolean) =>
      look(EACH("", ', "minCount": 1'), {
        containers: [container({ total: 3, completed: 1, live: [0, 1] })],
        visits: [work(0, true), work(1, isResting)],
      });

    assert.deepEqual(open(false), {});
    assert.deepEqual(open(true).dropped, ["w0", "w1"]);
  });

  test("two foreaches share what one look may begin, and items that end are each their own's", () => {
    const many = (id: string) =>
      container({ id, total: 200, pending: 200, next: pendingItems(200) });
    const plan = look(EACH(), { containers: [many("c"), many("d")] });
    const begun = (id: string) => plan.started?.filter((item) => item.containerId === id).length;
    assert.deepEqual([begun("c"), begun("d"), plan.isMore], [200, 50, true]);

    const ended = look(EACH(), {
      containers: ["c", "d"].map((id) =>
        container({ id, total: 3, pending: 2, live: [0], isHeld: true }),
      ),
      visits: ["c", "d"].map((id) => visit(`w${id}`, "W", "completed", { scope: `${id}/0` })),
    });
    assert.deepEqual(ended.ended, [
      { containerId: "c", index: 0, state: "completed", from: ["wc"] },
      { containerId: "d", index: 0, state: "completed", from: ["wd"] },
    ]);
  });

  test("an item whose first step cannot be decided holds its foreach", () => {
    const source = `graph TD
      A[List] --> C[[Each]]
      C --> Q{Which?}
      Q -->|output.odd > 1| W[Work]
      Q -->|default| V[Other]
      W --> D[Join All]
      V --> D
    %% @C: {"stepType": "foreach", "itemsPath": "output.list"}
    %% @D: {"stepType": "join"}
    `;
    const plan = look(source, { containers: [container({ pending: 2, next: pendingItems(2) })] });

    assert.deepEqual([held(plan).code, held(plan).id], ["condition_unknown", "c"]);
    assert.deepEqual([plan.started, plan.visits], [undefined, undefined]);
  });

  test("marks and arrivals count for their own join alone", () => {
    const two = `graph TD
      A[Fork] --> B[One]
      A --> C[Two]
      A --> F[Three]
      B --> J[First]
      C --> J
      J --> K[Second]
      F --> K
      K --> E[End]
    %% @J: {"stepType": "join", "minPercent": 50}
    %% @K: {"stepType": "join", "minCount": 1}
    `;
    const at = (join: string, visitId: string, place: number, isFailed = false) => ({
      scope: "",
      join,
      visitId,
      isFailed,
      place,
    });
    const mark = { scope: "", join: "K", isForced: true, isOverdue: false };

    const other = look(two, {
      visits: [visit("c", "C")],
      arrivals: [at("J", "b", 3)],
      marks: [mark, { ...mark, join: "J", scope: "c/0" }],
    });
    assert.deepEqual(other, {});
    const first = look(two, {
      visits: [visit("b", "B", "completed"), visit("c", "C")],
      arrivals: [at("K", "f", 6)],
    });
    assert.equal(first.arrived?.[0]?.isFirst, true);
    const both = look(two, { arrivals: [at("J", "b", 3), at("J", "c", 4), at("K", "f", 6)] });
    assert.deepEqual(
      both.visits?.map(({ step }) => step),
      ["J"],
      "the second waits for the first",
    );
    assert.deepEqual(both.joined, [{ scope: "", join: "J" }]);
    const half = (visits: readonly Visit[]) => look(two, { visits, arrivals: [at("J", "b", 3)] });
    assert.deepEqual(half([visit("c", "C", undefined, { isResting: true })]).dropped, ["c"]);
    const third = visit("x", "C", undefined, { isResting: true });
    assert.deepEqual(half([third, { ...third, id: "c" }]), {});
    const failed = look(two, { arrivals: [at("J", "b", 3, true), at("J", "c", 4, true)] });
    assert.deepEqual(
      failed.visits?.map(({ step, from, sources, failed }) => [step, from, sources, failed]),
      [
        ["J", "b", ["b", "c"], { isAbsorbed: true }],
        ["K", "n1", ["n1"], { isAbsorbed: false }],
      ],
    );
    const forced = look(two, {
      arrivals: [at("J", "c", 4, true), at("J", "b", 3, true)],
      marks: [{ ...mark, join: "J" }],
    });
    assert.deepEqual([forced.visits?.[0]?.from, forced.visits?.[0]?.failed], ["b", undefined]);
  });

  test("a failure some steps before a join that needs less is taken up by it", () => {
    const source = FORK(', "minCount": 1').replace("C --> D", "C --> X[Further]\n  X --> D");
    const plan = look(source, {
      visits: [visit("c", "C", "failed")],
      arrivals: [{ ...left, join: "D" }],
    });

    assert.deepEqual(plan.routed, [{ id: "c", isLast: false, isAbsorbed: true }]);
    assert.deepEqual(plan.visits?.[0]?.sources, ["c", "b"]);
  });
});

test("conditions see the output over the input of the run, and a subflow is told from work", () => {
  const source = `graph TD
    A[Ask] --> Q{Which?}
    Q -->|input.size === 3 && input.more === 1 && run.input.size === 3| S[[Sub]]
    Q -->|default| B[Build]
  %% @S: {"stepType": "subflow", "subflowId": "other"}
  `;
  const to = (output: Json) =>
    look(source, { visits: [visit("a", "A", "completed")] }, { outputs: { a: output } })
      .visits?.[0];

  assert.deepEqual([to({ more: 1 })?.step, to({ more: 1 })?.kind], ["S", "subflow"]);
  assert.deepEqual([to({ more: 1, size: 4 })?.step, to({ more: 1, size: 4 })?.kind], ["B", "work"]);
});

test("a graph knows its own steps and where its items end, and says what it does not know", () => {
  const graph = routingGraphOf(readWorkflow(EACH()).definition);

  assert.equal(graph.joinOf("C").id, "D");
  assert.equal(graph.foreachOf("D"), "C");
  assert.equal(graph.foreachOf("E"), undefined);
  assert.deepEqual(graph.targetsOf(""), ["A"]);
  assert.deepEqual(graph.targetsOf("E"), []);
  assert.throws(() => graph.step("Z"), /The workflow has no step "Z"\./);
  assert.throws(() => graph.joinOf("Z"), /The workflow has no step ""\./);
  assert.equal(graph.placeAt("D", "W"), 2);
  assert.equal(graph.placeAt("D", "C"), 2, "by the step behind it");
  assert.equal(graph.placeAt("D", "E"), 4, "after all edges");
  assert.equal(graph.canReach("E", "D", undefined), false);
  const { definition } = graph;
  const wrong = buildGraph(definition, [], new Map([["C", { body: new Set(["W"]), joinId: "E" }]]));
  assert.throws(() => wrong.joinOf("C"), /"C" ends at "E", which is no join\./);
});
