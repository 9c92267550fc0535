/**
 * How much of the source its own tests go through, counted by Node, branch by branch. `COVERAGE=src/kernel` counts that
 * folder with the tests in it, `COVERAGE=src` all of them. Node knows only files that were loaded: the branches of
 * others are counted in their text, as not gone through. `COVERAGE_SHOW=1` names the files that are below the bound.
 */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { run, test } from "node:test";
import { countBranches } from "./unloaded-branches.ts";

const { COVERAGE, COVERAGE_SHOW } = process.env;
const LEAST_PERCENT = 90;
const FOLDERS_DEEP = 3;
const NO_SOURCE = ["**/*.test.ts", "**/*.suite.ts"];

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
    coverageExcludeGlobs: NO_SOURCE,
  });
  const counts = new Map<string, Counted>();
  const files = new Map<string, Counted>();
  const failed: string[] = [];
  stream.on("test:fail", ({ name }) => failed.push(name));
  stream.on("test:coverage", ({ summary }) => {
    for (const { path: file, totalBranchCount, coveredBranchCount } of summary.files) {
      files.set(path.relative(root, file).split(path.sep).join("/"), {
        branches: totalBranchCount,
        covered: coveredBranchCount,
      });
    }
  });
  stream.resume();
  await new Promise((resolve) => stream.once("end", resolve));

  assert.ok(files.size > 0, "something was counted");
  const sources = globSync(`${COVERAGE}/**/*.ts`, { cwd: root, exclude: NO_SOURCE });
  const unloaded = sources.filter((file) => !files.has(file));
  for (const file of unloaded) {
    const branches = countBranches(file, readFileSync(path.join(root, file), "utf8"));
    if (branches > 0) files.set(file, { branches, covered: 0 });
  }
  for (const [file, { branches, covered }] of files) {
    for (const name of [file.split("/").slice(0, FOLDERS_DEEP).join("/"), "all of it"]) {
      const counted = counts.get(name) ?? { branches: 0, covered: 0 };
      counted.branches += branches;
      counted.covered += covered;
      counts.set(name, counted);
    }
  }

  const percent = ({ branches, covered }: Counted) => (100 * covered) / Math.max(1, branches);
  for (const [name, counted] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    t.diagnostic(`${name}: ${percent(counted).toFixed(1)} % of ${counted.branches} branches`);
  const never = unloaded.filter((file) => files.has(file));
  t.diagnostic(`${never.length} files with branches were never loaded`);
  if (COVERAGE_SHOW !== undefined) {
    for (const [file, counted] of files) {
      if (percent(counted) >= LEAST_PERCENT) continue;
      const how = never.includes(file) ? ", never loaded" : "";
      t.diagnostic(`${file}: ${counted.covered} of ${counted.branches} branches${how}`);
    }
  }
  const all = counts.get("all of it") ?? { branches: 0, covered: 0 };
  assert.deepEqual(failed, [], "tests failed");
  assert.ok(percent(all) >= LEAST_PERCENT, `${percent(all).toFixed(1)} % of branches`);
});
