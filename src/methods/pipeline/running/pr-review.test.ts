import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openRig, type Reply } from "./pipeline-rig.suite.ts";

/** The user's own example, word for word. */
const PR_REVIEW = readFileSync(
  new URL("../workflow/fixtures/pr-review.mmd", import.meta.url),
  "utf8",
);

const FILES = [0, 1, 3, 100];

interface Path {
  readonly name: string;
  readonly score: number;
  readonly more?: readonly Reply[];
  readonly stages: string;
}

const PATHS: readonly Path[] = [
  { name: "auto-approve", score: 91, stages: "A B C* D F I" },
  { name: "human review", score: 65, stages: "A B C* D G I" },
  { name: "request changes without retry", score: 20, stages: "A B C* D H K" },
  {
    name: "request changes with retry",
    score: 20,
    more: [
      { step: "H", output: { shouldRetry: true } },
      { step: "D", time: 2, output: { score: 95 } },
    ],
    stages: "A B C* D H A B C* D F I",
  },
];

for (const { name, score, more = [], stages } of PATHS) {
  for (const files of FILES) {
    test(`the seed's PR review runs to its end along "${name}" with ${files} files`, async () => {
      const paths = Array.from({ length: files }, (_, index) => ({ path: `src/file-${index}.ts` }));
      const rig = await openRig([
        ...more,
        { step: "A", output: { title: "Faster", author: "ann" } },
        { step: "B", output: { files: paths } },
        { step: "C", output: { score: 80, issues: [] } },
        { step: "D", output: { score, summary: "Fine." } },
        { step: "H", output: { feedback: "Please add tests." } },
        { step: "F", output: { comment: "Well done." } },
        { step: "I", output: { merged: true } },
        { step: "K", output: { closed: true } },
      ]);
      try {
        const runId = await rig.start(PR_REVIEW, { prNumber: 7 });
        await rig.idle();
        if (name === "human review") {
          const [wait, ...others] = await rig.waits(runId);
          assert.deepEqual(others, []);
          assert.match(wait?.reason ?? "", /Score: 65\/100/);
          await rig.answer(wait, "complete", { output: '{"verdict": "approve"}' });
          await rig.idle();
        }
        const run = await rig.run(runId);
        const tasks = await rig.tasks(runId);
        const waits = await rig.waits(runId);
        assert.equal(run.state, "completed", waits.map(({ reason }) => reason).join());
        const children = "C"
          .repeat(files + 1)
          .split("")
          .join(" ");
        const order = tasks.map(({ stage }) => stage ?? "").join(" ");
        assert.equal(order, stages.replaceAll("C*", children));
        assert(tasks.every(({ status }) => status === "completed"));
        for (const { step, text } of await rig.prompts(runId)) {
          assert(!text.includes("{{"), `${step} was asked with an unfilled place`);
        }
      } finally {
        await rig.close();
      }
    });
  }
}
