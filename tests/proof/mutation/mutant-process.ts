/**
 * A process that tries one mutant after the other. The changed file, and whatever of this repository reaches it, is
 * loaded anew for each; everything else stays as it is loaded.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { type Course, runTests } from "./small-runner.ts";

export interface Trial {
  /** From the root of the repository. */
  readonly file: string;
  /** The file as it is, unless given: that comes first, and shows what reaches it. */
  readonly source?: string;
  readonly tests: readonly string[];
  /** Tests whose names have one of these are left out. */
  readonly without: readonly string[];
  /** How much the tests try, as variables of the environment. */
  readonly amount: Readonly<Record<string, string>>;
  /** Time of the processor after which it counts as endless. */
  readonly milliseconds: number;
}

export interface Outcome {
  readonly passed: number;
  readonly failed?: string;
  readonly message?: string;
  /** Perhaps no program any more. */
  readonly isSyntax: boolean;
  /** Tests that never came to the file prove nothing about it. */
  readonly isReached: boolean;
  /** Time of the processor. */
  readonly milliseconds: number;
}

const root = path.join(import.meta.dirname, "..", "..", "..");
const urlOf = (file: string) => pathToFileURL(path.join(root, file)).href;
const RUNNER = new URL("small-runner.ts", import.meta.url).href;
const usedMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The same examples each time, fewer where a test does not say how many, and none made smaller once found. */
fc.configureGlobal({ seed: 20_260_417, numRuns: 50, endOnFailure: true });

/** Which file of this repository is imported by which. */
const importersOf = new Map<string, Set<string>>();
/** Without its types, as it is; test files are read once for all mutants. */
const plainSources = new Map<string, string>();
let number = 0;
let changed: { readonly url: string; readonly source: string } | undefined;
let reloaded: ReadonlySet<string> | undefined;

registerHooks({
  resolve(specifier, context, next) {
    const importer = plain(context.parentURL ?? "");
    if (specifier === "node:test" && isOurs(importer))
      return { url: RUNNER, format: "module-typescript", shortCircuit: true };
    const found = next(specifier, context);
    const url = plain(found.url);
    if (number === 0 || !isOurs(url) || url === RUNNER) return found;
    importersOf.set(url, (importersOf.get(url) ?? new Set()).add(importer));
    return reloaded?.has(url) === false ? found : { ...found, url: `${url}?${number}` };
  },
  load(url, context, next) {
    const file = plain(url);
    if (file === url || !file.endsWith(".ts")) return next(url, context);
    const source =
      changed?.url === file ? stripTypeScriptTypes(changed.source) : plainSourceOf(file);
    return { format: "module", source, shortCircuit: true };
  },
});

function plain(url: string): string {
  return url.split("?", 1)[0] ?? url;
}

function plainSourceOf(url: string): string {
  const source =
    plainSources.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
  plainSources.set(url, source);
  return source;
}

function isOurs(url: string): boolean {
  if (!url.startsWith("file:")) return false;
  const inside = path.relative(root, fileURLToPath(url));
  return !inside.startsWith("..") && !inside.startsWith("node_modules");
}

function allThatReach(url: string): ReadonlySet<string> {
  const reached = new Set([url]);
  for (const each of reached)
    for (const importer of importersOf.get(each) ?? []) reached.add(importer);
  return reached;
}

/** Ends this process when a trial takes more of the processor than it may: a loop without an end stops all else. */
const deadline = new Float64Array(new SharedArrayBuffer(8));
deadline[0] = Number.POSITIVE_INFINITY;
new Worker(
  `const { workerData: deadline } = require("node:worker_threads");
   setInterval(() => {
     const { user, system } = process.cpuUsage();
     if ((user + system) / 1000 > deadline[0]) process.kill(process.pid, "SIGKILL");
   }, 100);`,
  { eval: true, workerData: deadline },
).unref();

/** What fails beside the tests, or leaves one of them waiting for ever. */
let endEarly: ((course: Course) => void) | undefined;
const failBeside = (error: unknown) => endEarly?.({ passed: 0, failed: "nobody caught it", error });
process.on("uncaughtException", failBeside);
process.on("unhandledRejection", failBeside);
process.on("beforeExit", () => endEarly?.({ passed: 0, failed: "it never ended" }));

async function tryOne({
  file,
  source,
  tests,
  without,
  amount,
  milliseconds,
}: Trial): Promise<Outcome> {
  number += 1;
  Object.assign(process.env, amount);
  const url = urlOf(file);
  reloaded = source === undefined ? undefined : allThatReach(url);
  changed = source === undefined ? undefined : { url, source };
  const begun = usedMs();
  deadline[0] = begun + milliseconds;
  const load = async () => {
    for (const each of tests) await import(`${urlOf(each)}?${number}`);
  };
  const course = await new Promise<Course>((resolve, reject) => {
    endEarly = resolve;
    runTests(load, without).then(resolve, reject);
  });
  endEarly = undefined;
  deadline[0] = Number.POSITIVE_INFINITY;
  const { passed, failed, error } = course;
  return {
    passed,
    ...(failed === undefined ? {} : { failed, message: String(error) }),
    isSyntax: failed === "the file is read" && error instanceof SyntaxError,
    isReached: tests.every((each) => allThatReach(url).has(urlOf(each))),
    milliseconds: usedMs() - begun,
  };
}

process.once("disconnect", () => process.exit());
// While it tries something, only that keeps it alive: a test that waits for what never comes is found at once.
process.on("message", (trial: Trial) => {
  process.channel?.unref();
  void tryOne(trial).then((outcome) => {
    process.channel?.ref();
    process.send?.(outcome);
  });
});
