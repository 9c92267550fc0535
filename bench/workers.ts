/**
 * Many workers on one PostgreSQL: how much they do together, how evenly, and what a turn costs the database.
 *
 *   node bench/workers.ts [--workers 1,2,4,8] [--runs 3000] [--latency 0,300]
 *
 * Workers are real processes of `throughline work`. A latency is how long the rehearsed model thinks: without, processors
 * are what is short; with, workers mostly wait, as they do for real models. Costs come from PostgreSQL's own counters and
 * from /proc; Linux.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { openWorkspace } from "../src/app/open-workspace.ts";
import { makeFolder } from "../src/app/workspace-folder.ts";
import { ASK, startRuns, withDatabase } from "./bench-workspace.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { range } from "./subject.ts";

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2,4,8" },
    runs: { type: "string", default: "3000" },
    latency: { type: "string", default: "0,300" },
  },
});
const MAIN = path.join(import.meta.dirname, "../src/main.ts");
const RUNS = Number(values.runs);
const CONCURRENCY = 32;
const IDLE_MS = 4000;
const COUNTED_LATE_MS = 1200;
/** Of this very script, and of the workspace that it opens: one each while they rest. */
const OUR_CONNECTIONS = 3;
/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

for (const latency of values.latency.split(",").map(Number))
  for (const workers of values.workers.split(",").map(Number))
    await withDatabase("postgres", (databaseUrl) => measure(databaseUrl ?? "", workers, latency));
process.exit(0);

async function measure(databaseUrl: string, workers: number, latencyMs: number): Promise<void> {
  const directory = makeScratchDirectory("workers");
  const folder = makeFolder(directory);
  const thinking = { kind: "rehearsal", latencyMs };
  writeFileSync(path.join(folder, "config.json"), JSON.stringify({ providers: { thinking } }));
  const workspace = await openWorkspace(folder);
  const input = { ...(ASK.input as object), model: "thinking/rehearsal" };
  const run = { ...ASK, input, jobs: ASK.jobs.map((job) => ({ ...job, input })) };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows: own } = await client.query("select pg_backend_pid() as pid");
  const postmaster = readProcess((own as { pid: number }[])[0]?.pid ?? 0)[0]?.parent ?? 0;
  const count = async (text: string) => Number((await client.query(text)).rows[0]?.n ?? 0);
  const left = () =>
    count("select count(*) as n from throughline.job where state in ('ready','leased','parked')");

  // Everybody is warm before anything is counted.
  await startRuns(workspace.kernel, workers * 50, run, "bench");
  const children = range(workers).map(() => startWorker(directory));
  while ((await left()) > 0) await sleep(50);

  const idleFrom = await countersOf(client);
  await sleep(IDLE_MS);
  const idleTo = await countersOf(client);
  const connections = await count(
    "select count(*) as n from pg_stat_activity where datname = current_database()",
  );

  // They are held still while the work is laid out, so that all of it is done in the time that is taken.
  signal(children, "SIGSTOP");
  await startRuns(workspace.kernel, RUNS, run, "bench");
  const before = await countersOf(client);
  const processorBefore = processorOf(children, postmaster);
  const begun = performance.now();
  signal(children, "SIGCONT");
  const shares = new Map<string, number>();
  while ((await left()) > 0) {
    const { rows } = await client.query(
      "select worker, count(*) as n from throughline.job where state = 'leased' group by worker",
    );
    for (const { worker, n } of rows as { worker: string; n: string }[])
      shares.set(worker, (shares.get(worker) ?? 0) + Number(n));
    // Seldom: looking costs the database, too, and that is counted.
    await sleep(latencyMs === 0 ? 100 : 1000);
  }
  const seconds = (performance.now() - begun) / 1000;
  const after = await countersOf(client);
  const processor = processorOf(children, postmaster);
  const per = (what: keyof Counters) => (after[what] - before[what]) / RUNS;
  const held = [...shares.values()];
  console.log(
    JSON.stringify({
      workers,
      latencyMs,
      turnsPerSecond: Math.round(RUNS / seconds),
      // The least that one of them had under way, beside the most.
      fairness: Number((Math.min(...held) / Math.max(...held)).toFixed(2)),
      workersSeen: shares.size,
      transactionsPerTurn: Number(per("commits").toFixed(2)),
      rowsWrittenPerTurn: Number(per("written").toFixed(1)),
      rowsReadPerTurn: Number(per("read").toFixed(1)),
      walBytesPerTurn: Math.round(per("wal")),
      workerCpuMsPerTurn: Number(
        (((processor.workers - processorBefore.workers) * 1000) / TICKS / RUNS).toFixed(2),
      ),
      connectionsPerWorker: Number(((connections - OUR_CONNECTIONS) / workers).toFixed(1)),
      idleTransactionsPerSecondPerWorker: Number(
        (
          (idleTo.commits - idleFrom.commits) /
          workers /
          (IDLE_MS / 1000 + COUNTED_LATE_MS / 1000)
        ).toFixed(1),
      ),
      databaseCpuMsPerTurn: Number(
        (((processor.database - processorBefore.database) * 1000) / TICKS / RUNS).toFixed(2),
      ),
    }),
  );
  const gone = children.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  signal(children, "SIGTERM");
  await Promise.all(gone);
  await client.end();
  await workspace.close();
  removeScratchDirectory(directory);
}

function startWorker(directory: string): ChildProcess {
  return spawn(
    process.execPath,
    [MAIN, "-C", directory, "work", "--concurrency", String(CONCURRENCY)],
    { stdio: "ignore", env: process.env, detached: true },
  );
}

/** To them and to whatever they started. */
function signal(children: readonly ChildProcess[], name: NodeJS.Signals): void {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, name);
}

interface Counters {
  readonly commits: number;
  readonly written: number;
  readonly read: number;
  readonly wal: number;
}

async function countersOf(client: Client): Promise<Counters> {
  // What backends counted is told a moment later.
  await sleep(COUNTED_LATE_MS);
  const { rows } = await client.query(
    `select xact_commit::float8 as commits, (tup_inserted + tup_updated + tup_deleted)::float8 as written,
            tup_fetched::float8 as read, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
       from pg_stat_database where datname = current_database()`,
  );
  return rows[0] as Counters;
}

/** Of the workers with all they started, and of the whole database server. */
function processorOf(
  children: readonly ChildProcess[],
  postmaster: number,
): { readonly workers: number; readonly database: number } {
  const wanted = new Set(children.map(({ pid }) => pid));
  const used = { workers: 0, database: 0 };
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
  for (const { pid, parent, group, ticks, ofEnded } of all) {
    if (wanted.has(group)) used.workers += ticks;
    if (pid === postmaster) used.database += ticks + ofEnded;
    if (parent === postmaster) used.database += ticks;
  }
  return used;
}

interface ProcessUse {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly ticks: number;
  /** Of its children that have ended. */
  readonly ofEnded: number;
}

function readProcess(pid: number): readonly ProcessUse[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent = 0, group = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return [{ pid, parent, group, ticks: user + system, ofEnded: endedUser + endedSystem }];
  } catch {
    return [];
  }
}
