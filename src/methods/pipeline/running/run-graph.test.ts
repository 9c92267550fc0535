import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { z } from "zod";
import type { Dialect } from "../../../kernel/store/store.ts";
import { openRig, type Reply } from "./pipeline-rig.suite.ts";
import { LANES } from "./run-graph.ts";
import type { comparisonShape, runGraphShape } from "./run-graph-shape.ts";

type Graph = z.output<typeof runGraphShape>;
type Comparison = z.output<typeof comparisonShape>;

const PR_REVIEW = readFileSync(
  new URL("../workflow/fixtures/pr-review.mmd", import.meta.url),
  "utf8",
);

const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `src/file-${index}.ts` }));

const replies = (count: number): readonly Reply[] => [
  { step: "A", output: { title: "Faster", author: "ann" } },
  { step: "B", output: { files: files(count) } },
  { step: "C", output: { score: 80, issues: [] } },
  { step: "H", time: 1, output: { feedback: "Please add tests.", shouldRetry: true } },
  { step: "D", time: 1, output: { score: 20, summary: "Poor." } },
  { step: "D", time: 2, output: { score: 65, summary: "Fair." } },
];

const wayOf = ({ edges }: Graph) =>
  edges
    .filter(({ taken }) => taken > 0)
    .map(({ source, target }) => source + target)
    .toSorted()
    .join(" ");

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`a run as a drawing, on ${dialect}`, () => {
    test("it is drawn pass by pass, with ways through decisions, items as cells, and who is asked", async () => {
      const rig = await openRig(replies(3), { dialect });
      try {
        const runId = await rig.start(PR_REVIEW, { prNumber: 7 });
        await rig.idle();

        const now = await rig.invoke<Graph>("step.graph", { runId });
        const first = await rig.invoke<Graph>("step.graph", { runId, pass: 1 });

        assert.deepEqual([now.passes, now.pass, first.pass], [2, 2, 1]);
        assert.equal(wayOf(first), "AB BC CD DE EH");
        assert.equal(wayOf(now), "AB BC CD DE EG HJ JA");
        const back = first.edges.find(({ source, target }) => source === "J" && target === "A");
        assert.deepEqual([back?.taken, back?.takenInAll, back?.when], [0, 1, "output.shouldRetry"]);
        const branch = now.edges.find(({ source, target }) => source === "E" && target === "G");
        assert.deepEqual(branch?.seen, { path: "output.score", value: "65" });
        const step = (graph: Graph, id: string) => graph.steps.find((each) => each.id === id);
        assert.deepEqual(step(now, "C")?.itemStates, ["completed", "completed", "completed"]);
        assert.deepEqual(step(now, "C")?.counts, { completed: 3 });
        assert.equal(step(now, "G")?.status, "waiting");
        assert.equal(step(first, "G")?.status, undefined);
        assert.equal(step(first, "E")?.status, "completed");
        assert.equal(step(now, "A")?.spans.length, 2);
        assert.equal(step(now, "G")?.spans[0]?.to, undefined);
        assert.equal(step(now, "A")?.calls, 2);
        assert.match(await rig.show("step.graph", { runId }), /═▶ G output\.score >= 50/);
      } finally {
        await rig.close();
      }
    });

    test("two runs are laid side by side: what differs is named, step by step and path by path", async () => {
      const rig = await openRig(replies(2), { dialect });
      try {
        const one = await rig.start(PR_REVIEW, { prNumber: 7 });
        await rig.idle();
        const other = await rig.start(
          PR_REVIEW,
          { prNumber: 8 },
          {
            replies: [
              { step: "A", output: { title: "Slower", author: "ann" } },
              { step: "B", output: { files: files(2) } },
              { step: "C", output: { score: 80, issues: [] } },
              { step: "D", output: { score: 95, summary: "Fine." } },
            ],
          },
        );
        await rig.idle();

        const { runs, steps } = await rig.invoke<Comparison>("step.compare", {
          runId: one,
          otherRunId: other,
        });

        assert.deepEqual(
          runs.map(({ runId, state }) => [runId, state]),
          [
            [one, "waiting"],
            [other, "completed"],
          ],
        );
        const step = (id: string) => steps.find((each) => each.id === id);
        assert.deepEqual(step("A")?.differences, [{ path: "title", values: ["Faster", "Slower"] }]);
        assert.deepEqual(
          step("H")?.sides.map((side) => side?.visits),
          [1, 0],
        );
        assert.equal(step("I")?.sides[0]?.status, undefined);
        assert.equal(step("I")?.sides[1]?.status, "completed");
        assert.ok(!steps.some(({ type }) => type === "decision"));
        const same = await rig.invoke<Comparison>("step.compare", { runId: one, otherRunId: one });
        assert.ok(same.steps.every(({ isSame }) => isSame));
        assert.match(
          await rig.show("step.compare", { runId: one, otherRunId: other }),
          /title: "Faster" \| "Slower"/,
        );
      } finally {
        await rig.close();
      }
    });
  });
}

test("of a loop, what comes before it stays as it was while the next pass goes on", async () => {
  const rig = await openRig([{ step: "write", output: { text: "Once more." } }]);
  try {
    const runId = await rig.start(`graph TD
      plan[Plan] --> write[Write] --> look(Look) --> good{Good?}
      good -->|"output.ok"| done[Done]
      good -->|default| write
%% @plan: { "prompt": "Plan." }
%% @write: { "prompt": "Write." }
%% @look: { "execution": "manual", "prompt": "Good?" }
%% @done: { "prompt": "Done." }
`);
    await rig.idle();
    await rig.answer(await rig.wait(runId), "complete", { output: '{"ok": false}' });
    await rig.idle();

    const { pass, steps, edges } = await rig.invoke<Graph>("step.graph", { runId });

    assert.equal(pass, 2);
    assert.deepEqual(
      steps.map(({ id, status = "ahead" }) => `${id} ${status}`),
      ["plan completed", "write completed", "look waiting", "good completed", "done ahead"],
    );
    assert.ok(edges.find(({ source, target }) => source === "plan" && target === "write")?.taken);

    await rig.invoke("step.rerun", { runId, step: "plan" });
    await rig.idle();
    const anew = await rig.invoke<Graph>("step.graph", { runId });
    assert.deepEqual(
      [anew.passes, anew.steps.find(({ id }) => id === "look")?.status],
      [3, "waiting"],
    );
  } finally {
    await rig.close();
  }
});

test("a thousand items are a bar: few spans in few lanes, and none is lost", async () => {
  const rig = await openRig([
    { step: "list", output: { rows: Array.from({ length: 1000 }, (_, n) => n) } },
    { step: "each", output: { ok: true } },
  ]);
  try {
    const runId = await rig.start(`graph TD
      list[List] --> each[[Each: row]] --> all[Join all]
%% @list: { "prompt": "List." }
%% @each: { "stepType": "foreach", "itemsPath": "output.rows", "maxItems": 1000, "prompt": "Do {{item}}." }
%% @all: { "stepType": "join" }
`);
    await rig.idle();

    const { steps, edges } = await rig.invoke<Graph>("step.graph", { runId });
    const each = steps.find(({ id }) => id === "each");

    assert.deepEqual(each?.items, { total: 1000, pending: 0 });
    assert.equal(each?.itemStates, undefined);
    const spans = each?.spans ?? [];
    assert.equal(
      spans.reduce((sum, { visits }) => sum + visits, 0),
      1000,
    );
    assert.ok(spans.length <= 60, `${spans.length} spans`);
    assert.ok(spans.every(({ lane }) => lane < LANES));
    assert.deepEqual(
      edges.map(({ taken }) => taken),
      [1, 1],
    );
  } finally {
    await rig.close();
  }
});
