/**
 * How much of the source its own tests go through, counted by Node, branch by branch. `COVERAGE=src/kernel` counts that
 * folder with the tests in it, `COVERAGE=src` all of them.
 */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { run, test } from "node:test";

const { COVERAGE } = process.env;
const LEAST_PERCENT = 90;
const FOLDERS_DEEP = 3;

interface Counted {
  branches: number;
  covered: number;
}

test("the tests beside the source go through its branches", {
  skip: COVERAGE === undefined ? "COVERAGE=src says what is counted" : false,
  timeout: 3_600_000,
}, async (t) => {
  const root = path.join(import.meta.dirname, "..", "..");
  const { NODE_TEST_CONTEXT: _runner, ...environment } = process.env;
  process.env = environment;
  const stream = run({
    cwd: root,
    files: globSync(`${COVERAGE}/**/*.test.ts`, { cwd: root }).map((file) => path.join(root, file)),
    concurrency: availableParallelism(),
    coverage: true,
    coverageIncludeGlobs: [`${COVERAGE}/**/*.ts`],
    coverageExcludeGlobs: ["**/*.test.ts", "**/*.suite.ts"],
  });
  const counts = new Map<string, Counted>();
  let failed = 0;
  stream.on("test:fail", () => {
    failed += 1;
  });
  stream.on("test:coverage", ({ summary }) => {
    for (const { path: file, totalBranchCount, coveredBranchCount } of summary.files) {
      const folder = path.relative(root, file).split(path.sep).slice(0, FOLDERS_DEEP).join("/");
      for (const name of [folder, "all of it"]) {
        const counted = counts.get(name) ?? { branches: 0, covered: 0 };
        counted.branches += totalBranchCount;
        counted.covered += coveredBranchCount;
        counts.set(name, counted);
      }
    }
  });
  stream.resume();
  await new Promise((resolve) => stream.once("end", resolve));

  const percent = ({ branches, covered }: Counted) => (100 * covered) / Math.max(1, branches);
  for (const [name, counted] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    t.diagnostic(`${name}: ${percent(counted).toFixed(1)} % of ${counted.branches} branches`);
  const all = counts.get("all of it");
  assert.ok(all !== undefined && all.branches > 0, "something was counted");
  assert.equal(failed, 0, "tests failed");
  assert.ok(percent(all) >= LEAST_PERCENT, `${percent(all).toFixed(1)} % of branches`);
});
