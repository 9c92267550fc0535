/**
 * Tries what is promised and prints what broke.
 *
 *   npm run prove          two hours
 *   npm run prove -- --full   every statement, every write, overnight
 *   npm run prove:quick    a share of it, ten minutes
 *   … -- --write           also keeps the table, with date and machine, in docs/proof.md
 *   … -- --only simulation only what has this in the name of a file
 *   … -- --left            only what was not yet tried, at this size, on the sources as they stand here
 *   … -- --minutes 120     how long one row may take
 *   … -- --page            tries nothing, writes the page anew from what was found before
 *
 * What breaks, or takes longer than it may, is told and does not stop the rest; the page is written anew after every
 * row, so that whoever interrupts it keeps what was tried until then.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { GOALS, type Goal } from "./goals.ts";
import { PROOFS, type Proof } from "./proofs.ts";

const root = path.join(import.meta.dirname, "..", "..");
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
    left: { type: "boolean", default: false },
    minutes: { type: "string" },
    page: { type: "boolean", default: false },
  },
});

/** A proof that hangs is ended, with all it started, and counts as broken. */
const MOST_MINUTES = Number(values.minutes ?? (values.quick ? 6 : values.full ? 600 : 60));

/** What the runner itself says at the end, in the manner of a test's own figures. */
const SUMMARY = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

interface Result {
  readonly promise: string;
  readonly tried: string;
  readonly files: readonly string[];
  readonly mode: string;
  readonly date: string;
  readonly machine: string;
  /** What was tried, with a mark where the sources were not as committed. */
  readonly commit: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly wasEnded: boolean;
  readonly seconds: number;
  readonly figures: readonly string[];
}

/** What was found, row by row and size by size: what is not tried today keeps what it found, with its date. */
const KEPT = path.join(root, "tests", "proof", "found.json");
/** The largest first: what it found stands before what a smaller one found, and is what goals are held against. */
const SIZES = ["full", "long", "quick"] as const;
const mode = values.quick ? "quick" : values.full ? "full" : "long";

/** What a proof depends on; what proofs found and pages say is not among it. */
const SOURCES = ["src", "web", "library", "tests", "package-lock.json", ":!tests/proof/found.json"];
const commit = commitHere();

const chosen = values.page
  ? []
  : PROOFS.filter(
      (proof) =>
        proof.files.some((file) => file.includes(values.only ?? "")) &&
        !(values.left && isTried(proof)),
    );
const results: Result[] = [];
const begunAt = performance.now();
for (const [index, proof] of chosen.entries()) {
  const minutes = Math.round((performance.now() - begunAt) / 6000) / 10;
  process.stdout.write(`[${index + 1}/${chosen.length}, ${minutes} min] ${proof.tried} …\n`);
  const result = await prove(proof);
  results.push(result);
  for (const figure of result.figures) process.stdout.write(`    ${figure}\n`);
  process.stdout.write(
    `  ${verdictOf(result)}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped, ${result.seconds} s\n`,
  );
  if (values.write) keep();
}
if (values.page) keep();
const broken = results.filter((result) => verdictOf(result) !== "held");
const shown = values.left ? readKept().filter((result) => result.mode === mode) : results;
process.stdout.write(`\n${tableOf(shown)}\n\n${goalsOf(shown)}\n`);
const minutes = Math.round((performance.now() - begunAt) / 60_000);
process.stdout.write(
  `\n${results.length - broken.length} held, ${broken.length} broken, ${minutes} min\n`,
);
process.exit(broken.length > 0 ? 1 : 0);

/** On the sources as they stand here, at this size, and held. */
function isTried(proof: Proof): boolean {
  const found = readKept().find((result) => isOf(result, proof) && result.mode === mode);
  if (found === undefined || verdictOf(found) !== "held") return false;
  const changes = spawnSync("git", ["diff", "--quiet", found.commit, "--", ...SOURCES], {
    cwd: root,
  });
  return changes.status === 0;
}

function commitHere(): string {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, encoding: "utf8" });
  const isChanged = git("status", "--porcelain", "--", ...SOURCES) !== "";
  return `${git("rev-parse", "--short=10", "HEAD").trim()}${isChanged ? "+" : ""}`;
}

function readKept(): readonly Result[] {
  return existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : [];
}

function keep(): void {
  // Read again each time: another run beside this one may have kept something meanwhile.
  const kept = readKept();
  const all = PROOFS.flatMap((proof) =>
    SIZES.flatMap((size) => {
      const isThis = (result: Result) => isOf(result, proof) && result.mode === size;
      return results.find(isThis) ?? kept.find(isThis) ?? [];
    }),
  );
  writeFileSync(KEPT, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(path.join(root, "docs", "proof.md"), pageOf(all));
}

/** Two rows may try the same promise, but never with the same files. */
function isOf(result: Result, proof: Proof): boolean {
  return result.promise === proof.promise && result.files.join() === proof.files.join();
}

function verdictOf({ failed, passed, wasEnded }: Result): string {
  if (wasEnded) return "ENDED, took too long";
  return failed === 0 && passed > 0 ? "held" : "BROKEN";
}

async function prove(proof: Proof): Promise<Result> {
  const files = proof.files.flatMap((file) => globSync(file, { cwd: root }));
  const only = proof.only === undefined ? [] : [`--test-name-pattern=${proof.only}`];
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    [
      "--test",
      `--test-concurrency=${proof.together ?? 1}`,
      "--test-reporter=spec",
      ...only,
      ...files,
    ],
    {
      cwd: root,
      env: { ...process.env, ...amountOf(proof) },
      detached: true,
    },
  );
  let output = "";
  let wasEnded = false;
  child.stdout.on("data", (text) => (output += String(text)));
  child.stderr.on("data", (text) => (output += String(text)));
  const patience = setTimeout(() => {
    wasEnded = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, MOST_MINUTES * 60_000);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(patience);
  const total = (what: string) =>
    Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const failed = total("fail") + total("cancelled");
  if (failed > 0 || wasEnded)
    process.stdout.write(
      output.slice(Math.max(0, output.indexOf("✖ failing tests:"))).slice(-6000),
    );
  const { promise, tried } = proof;
  return {
    promise,
    tried,
    files: proof.files,
    mode,
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${process.platform}`,
    passed: total("pass"),
    failed,
    skipped: total("skipped"),
    wasEnded,
    seconds: Math.round((performance.now() - begun) / 1000),
    figures: [...output.matchAll(/^\s*ℹ (.*)$/gm)]
      .map(([, figure = ""]) => figure)
      .filter((figure) => !SUMMARY.test(figure)),
  };
}

function amountOf({ quick, long, full = long }: Proof): Readonly<Record<string, string>> {
  if (values.quick) return quick;
  return values.full ? full : long;
}

/** In a table a bar would begin a column. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** A row for each proof: what the largest try found, and how the others ended. */
function tableOf(all: readonly Result[]): string {
  const rows = PROOFS.flatMap((proof) => {
    const [result, ...smaller] = all.filter((each) => isOf(each, proof));
    if (result === undefined) return [];
    const { passed, failed, skipped, figures } = result;
    const told = figures
      .filter((figure) => /\d/.test(figure))
      .slice(0, 16)
      .join("; ");
    const left = skipped === 0 ? "" : `, ${skipped} skipped`;
    const found = `${verdictOf(result)}: ${passed} tests, ${failed} failed${left}`;
    const when = [
      whenOf(result),
      ...smaller.map((each) => `${whenOf(each)}: ${verdictOf(each)}`),
    ].join("; ");
    return `| ${proof.promise} | ${proof.tried} | ${cell(told)} | ${found} | ${when} |`;
  });
  return ["| Promise | Tried | Figures | Result | When |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function whenOf({ mode: size, date, commit: at, seconds }: Result): string {
  const took = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${size}, ${date} at ${at}, ${took}`;
}

/** What was aimed at, beside what the rows found where they measure it, and what is known otherwise. */
function goalsOf(all: readonly Result[]): string {
  const rows = GOALS.map((goal) => {
    const result = all.find(({ files }) => files.some((file) => file === goal.proof));
    const figures = (result?.figures ?? []).filter((figure) => /\d/.test(figure));
    const here =
      result === undefined
        ? ""
        : `${verdictOf(result)}, ${result.mode}, ${result.date}${figures.length > 0 ? ` (${figures.slice(0, 6).join("; ")})` : ""}. `;
    return `| ${goal.number} | ${goal.goal} | ${standingOf(goal, result)} | ${cell(here)}${cell(goal.found)} | ${goal.why ?? ""} |`;
  });
  return [
    "| | Goal | Reached | Found | Where not reached: why |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The word of a goal may not be better than that of the row that tries it. */
function standingOf({ proof, why }: Goal, result: Result | undefined): string {
  if (proof !== undefined && result === undefined) return "not tried";
  if (result !== undefined && verdictOf(result) !== "held") return verdictOf(result);
  if (why !== undefined) return "in part";
  const tried = PROOFS.find((each) => result !== undefined && isOf(result, each));
  const isShare = result?.mode === "quick" && !isDeepStrictEqual(tried?.quick, tried?.long);
  return isShare ? "in the share tried" : "yes";
}

function pageOf(all: readonly Result[]): string {
  const machines = [...new Set(all.map(({ machine }) => machine))].join("; ");
  const untried = PROOFS.filter((proof) => !all.some((result) => isOf(result, proof)));
  const missing = untried.map(({ tried }) => `- ${tried}`).join("\n");
  return `# Proof

What was tried, and what broke. \`npm run prove:quick\` takes ten minutes, \`npm run prove\` hours, \`npm run prove -- --full\` a night; with \`-- --write\` the page is renewed, with \`-- --only NAME\` only those of files with that name. Under [what was tried](#what-was-tried) "When" names which of the three found a row, the day and the commit; \`-- --left\` goes on where one was interrupted. A share of every row is in \`npm test\`. A simulated world that fails names its seed; \`SEED="world 22" node --test tests/simulation/simulation.test.ts\` plays it again, the same to the last byte.

Machine: ${machines}.

## Goals

What we set out to reach, and what was reached: first what the rows below found, then what was measured as said. How it grows: [scale](scale.md); how fast: [engine](engine.md); incidents of others, replayed: \`tests/proof/incidents.test.ts\`.

${goalsOf(all)}

Not promised: that a model is called exactly once (calls are at least once, bounded and on record), that others do things once who take no idempotency key, order between runs, protection from root or from other programs of the same user, that what a model says is true.

## What was tried

${tableOf(all)}
${untried.length > 0 ? `\nNot tried yet:\n\n${missing}\n` : ""}`;
}
