/**
 * Runs the tests: all of them, or the files and globs it is given.
 *
 * Two things make them quick without changing what they show: compiled code is kept between the some three
 * hundred processes, and their folders lie in memory where the machine has such a place: a killed process leaves
 * there what it would have left on disk. What a disk costs is for `npm run bench`.
 */

import { chmodSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fastestPlace } from "./scratch/fastest-place.ts";
import { findChromium } from "./web/browser.ts";

/** Those that take longest come first, so that the last of them does not run alone. */
const EVERYTHING = [
  "tests/{journeys,web,hostile,simulation,proof}/**/*.test.ts",
  "src/methods/**/*.test.ts",
  "src/**/*.test.ts",
  "tests/**/*.test.ts",
  "web/src/**/*.test.ts",
];
const TEST_TIMEOUT_MS = 600_000;
const SLOWEST_SHOWN = 10;

const root = path.join(import.meta.dirname, "..");
const asked = process.argv.slice(2);
const files = [...new Set((asked.length > 0 ? asked : EVERYTHING).flatMap(filesOf))];
if (files.length === 0) {
  console.error(`No test file matches ${asked.join(" ")}.`);
  process.exit(1);
}

process.env["CHROMIUM"] ??= await findChromium();
const place = fastestPlace();
const folder = mkdtempSync(path.join(place, "tests-of-throughline-"));
// PostgreSQL refuses to be root, and has to read here.
chmodSync(folder, 0o755);
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
process.env["TMPDIR"] = folder;
// It outlives this run by some seconds, and another run beside this one uses it, too.
process.env["TEST_POSTGRES_PLACE"] = place;
process.env["NODE_COMPILE_CACHE"] = path.join(root, "node_modules/.cache/compiled-tests");

const secondsOf = new Map<string, number>();
const stream = run({
  cwd: root,
  files,
  concurrency: availableParallelism(),
  timeout: TEST_TIMEOUT_MS,
});
stream.on("test:complete", ({ file, nesting, details }) => {
  if (nesting !== 0 || !file?.endsWith(".test.ts")) return;
  secondsOf.set(file, Math.max(secondsOf.get(file) ?? 0, details.duration_ms / 1000));
});
stream.on("test:fail", () => {
  process.exitCode = 1;
});
const report = stream.compose(new spec());
report.pipe(process.stdout);
report.on("end", () => {
  const slowest = [...secondsOf].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
  console.log("slowest files, in seconds:");
  for (const [file, seconds] of slowest) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${path.relative(root, file)}`);
  }
});

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .toSorted()
    .map((file) => path.resolve(root, file));
}
