/**
 * How much memory a server takes that waits a lot. The server is the real one, started on a store filled beforehand.
 *
 *   node bench/memory.ts [--storage sqlite|postgres]
 *
 *   people   10,000 runs that wait for people
 *   calls    5,000 model calls under way at once, each of which takes a minute
 *   follow   a reader that follows the log from its beginning: 10,000 events
 *
 * Figures are the server's resident memory, most and last, from /proc; a PostgreSQL beside it is not in it.
 */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { openWorkspace } from "../src/app/open-workspace.ts";
import { startEngine } from "../src/kernel/run/engine.ts";
import { createHandlerRegistry, type MoveHandler } from "../src/kernel/run/handler.ts";
import { queryFirst } from "../src/kernel/store/database-work.ts";
import { db } from "../src/kernel/store/query-builder.ts";
import type { Store } from "../src/kernel/store/store.ts";
import { type Server, scratchFolder } from "../tests/scratch/program.ts";
import { ASK, STORAGES, startRuns, withDatabase } from "./bench-workspace.ts";

const RUNS = 10_000;
const CALLS = 5000;
const EVENTS = 10_000;

interface Case {
  readonly name: string;
  readonly fill: (workspace: Workspace) => Promise<void>;
  /** Until there is something to measure; what it gives is printed. */
  readonly wait: (server: Server, store: Store) => Promise<object>;
}
type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

const CASES: readonly Case[] = [
  { name: "people", fill: askPeople, wait: async () => sleep(5000, { runs: RUNS }) },
  {
    name: "calls",
    fill: ({ kernel }) => startRuns(kernel, CALLS, askOf("slow/rehearsal"), "bench"),
    wait: waitForCalls,
  },
  { name: "follow", fill: answerQuestions, wait: followLog },
];

const { values } = parseArgs({
  options: { storage: { type: "string", default: STORAGES.join(",") } },
});
for (const storage of STORAGES.filter((each) => values.storage.includes(each))) {
  for (const { name, fill, wait } of CASES) {
    await withDatabase(storage, async (databaseUrl) => {
      const home = scratchFolder({
        THROUGHLINE_CONCURRENCY: String(CALLS),
        ...(databaseUrl === undefined ? {} : { THROUGHLINE_DATABASE_URL: databaseUrl }),
      });
      await home.run(["init"]);
      const folder = path.join(home.folder, ".throughline");
      const slow = { kind: "rehearsal", latencyMs: 60_000 };
      writeFileSync(path.join(folder, "config.json"), JSON.stringify({ providers: { slow } }));
      const workspace = await openWorkspace(folder);
      await fill(workspace);
      const server = await home.serve();
      const found = await wait(server, workspace.kernel.store);
      console.log(JSON.stringify({ storage, case: name, ...found, ...memoryOf(folder) }));
      await workspace.close();
      await home.remove();
    });
  }
}
process.exit(0);

/** Each run comes to its question and stays there. */
async function askPeople({ kernel }: Workspace): Promise<void> {
  const question: MoveHandler = {
    kind: "move",
    name: "bench.question",
    *decide() {
      const followUp = { key: "after", handler: "bench.question", input: {} };
      const reason = "A person has to agree before it goes on.";
      const answers = ["approve", "reject"];
      const wait = { key: "agree", kind: "approval", title: "Agree?", reason, answers, followUp };
      return { waits: [wait] };
    },
  };
  const engine = { ...kernel.engine, handlers: createHandlerRegistry([question], []) };
  const job = { key: "ask", handler: "bench.question", input: {} };
  const run = { method: "bench", title: "Agree?", input: {}, jobs: [job] };
  await startRuns({ ...kernel, engine }, RUNS, run, "bench");
  await workOff(kernel, engine);
}

async function answerQuestions({ kernel }: Workspace): Promise<void> {
  await startRuns(kernel, EVENTS / 3, ASK, "bench");
  await workOff(kernel, kernel.engine);
}

async function workOff(
  { store, clock, models }: Workspace["kernel"],
  tools: Workspace["kernel"]["engine"],
): Promise<void> {
  const worker = startEngine({
    ...tools,
    store,
    clock,
    models,
    worker: "bench",
    concurrency: 100,
    random: Math.random,
    onTrouble: console.error,
  });
  await worker.whenIdle();
  await worker.stop();
}

function askOf(model: string): typeof ASK {
  const input = { ...(ASK.input as object), model };
  return { ...ASK, input, jobs: ASK.jobs.map((job) => ({ ...job, input })) };
}

async function waitForCalls(_: Server, store: Store): Promise<object> {
  const leased = db
    .selectFrom("job")
    .select(sql<number>`count(*)`.as("n"))
    .where("state", "=", "leased");
  for (let looks = 0; looks < 300; looks += 1) {
    const row = await store.read(() => queryFirst(leased));
    // A moment longer, so that each has received and kept pieces of its reply.
    if (row?.n === CALLS) return sleep(10_000, { calls: CALLS });
    await sleep(100);
  }
  throw new Error("The calls did not get under way.");
}

async function followLog({ url, token }: Server): Promise<object> {
  const before = performance.now();
  const response = await fetch(`${url}/api/v1/events?after=0.0`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let events = 0;
  for await (const chunk of response.body ?? []) {
    events += Buffer.from(chunk).toString().split("\nid:").length - 1;
    if (events >= EVENTS) break;
  }
  return { events, ms: Math.round(performance.now() - before) };
}

function memoryOf(folder: string): { readonly mostMb: number; readonly lastMb: number } {
  const address = readFileSync(path.join(folder, "server.json"), "utf8");
  const { processId } = JSON.parse(address) as { processId: number };
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { mostMb: megabytes("VmHWM"), lastMb: megabytes("VmRSS") };
}
