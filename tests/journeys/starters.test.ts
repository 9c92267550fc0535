/** Runs that start by themselves in the real program, killed with -9 while they do: nothing is lost, nothing happens twice. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callerOf, findAdmin } from "../../src/app/first-user.ts";
import { listNouns } from "../../src/app/methods.ts";
import { openWorkspace } from "../../src/app/open-workspace.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import { executeSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres as openStoreAt } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { insertTask } from "../../src/kernel/store/tasks.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";

const MAIN = path.join(import.meta.dirname, "../../src/main.ts");
const KILL_AT_STEP = path.join(import.meta.dirname, "../scratch/kill-at-step.ts");
const KILLS = Number(process.env["KILLS"] ?? 2);
const WORKFLOW = 'flowchart TD\n    write[Write]\n\n%% @write: { "prompt": "Write." }\n';

describe("what starts by itself", () => {
  test(`a server that is killed ${KILLS} times takes up every task and schedule once, and loses no delivery`, async (t) => {
    const place = await open(t, { providers: slow(60) });
    const { home, kernel, call } = place;
    const { store } = kernel;
    await call("workflow.create", { name: "Clockwork", source: WORKFLOW });
    const { id: agentId } = await call<{ id: string }>("agent.add", { displayName: "Bee" });
    const hook = await call<Hook>("webhook.add", { workflow: "Clockwork" });
    const scheduleIds: string[] = [];
    for (const name of ["S0", "S1", "S2", "S3"]) {
      const input = { workflow: "Clockwork", cron: "@yearly", name };
      scheduleIds.push((await call<{ id: string }>("schedule.add", input)).id);
    }
    await addTasks(store, agentId, 24);
    await makeDue(store, scheduleIds.slice(0, 2));

    const delivered: string[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      const server = await home.serve(["serve"]);
      if (kills === 1) await makeDue(store, scheduleIds.slice(2));
      const { runId } = await send(server.url, hook, `delivery-${kills}`);
      delivered.push(runId);
      await sleep((kills * 1100) / KILLS);
      await server.kill();
    }
    const server = await home.serve(["serve"]);
    const again = await send(server.url, hook, "delivery-0");
    await untilDone(store);
    await server.stop();

    assert.deepEqual([again.runId, again.isNew], [delivered[0], false]);
    assert.equal(new Set(delivered).size, KILLS);
    await assertOnce(store, 24);
    assert.equal(await count(store, "event where type = 'schedule.started'"), 4);
    const clockwork = "run where title = 'Clockwork' and state = 'completed'";
    assert.equal(await count(store, clockwork), 4 + KILLS);
    await auditEngine(store);
  });

  test("a worker that is killed at any step of taking up tasks has taken up all of them or none", async (t) => {
    const { kernel, work } = await openPostgres(t);
    const { store } = kernel;
    await addBee(store);
    const steps: readonly (readonly [string, number])[] = [
      ["insert into .?run.? ", 0],
      ["insert into agent_run", 0],
      ["insert into agent_run>commit", 0],
      ["insert into agent_run>commit>.", 3],
    ];
    await addTasks(store, "bee", 3);

    for (const [step, taken] of steps) {
      const environment = { NODE_OPTIONS: `--import ${KILL_AT_STEP}`, KILL_AT_SQL: step };
      await work([], environment).over;
      assert.equal(await count(store, "agent_run"), taken, step);
      assert.equal(await count(store, "task where run_id is not null"), taken, step);
    }
    work();
    await untilDone(store);

    await assertOnce(store, 3);
    await auditEngine(store);
  });

  test("two workers with a view share its tasks and touch nothing else; one with no view does the rest", async (t) => {
    // Slow enough that the second worker is up before the first has done everything, also on a busy machine.
    const { kernel, schema, work, call } = await openPostgres(t, 800);
    const { store } = kernel;
    await addBee(store);
    await call("view.save", { name: "garden", tag: ["garden"], order: "urgent" });
    await call("workflow.create", { name: "Aside", source: WORKFLOW });
    await call("workflow.run", { workflow: "Aside" });
    await addTasks(store, "bee", 20, ["garden"]);
    await addTasks(store, "bee", 4);
    for (let number = 0; number < 2; number += 1) work(["--view", "garden", "--concurrency", "3"]);

    const busy = "select distinct worker from job where state = 'leased'";
    await until(async () => (await rowsOf(store, busy)).length === 2);
    const [victim] = await rowsOf<{ worker: string }>(store, busy);
    process.kill(Number(victim?.worker.split(":")[1]), "SIGKILL");
    const ofView = "task where tags like '%garden%' and status <> 'completed'";
    await until(async () => (await count(store, ofView)) === 0);
    const left = await count(store, "task where status = 'pending'");
    const aside = await rowsOf<{ state: string }>(
      store,
      "select state from run where title = 'Aside'",
    );
    const messages = await count(store, `${schema}_queue.job where state <> 'completed'`);
    work();
    await untilDone(store);

    assert.equal(left, 4);
    assert.deepEqual(aside, [{ state: "queued" }]);
    assert.equal(messages, 1, "only the message that is for others stands in the queue");
    await assertOnce(store, 24);
    assert.equal(await count(store, "agent_run where view = 'garden'"), 20);
    await auditEngine(store);
  });

  test("an embedded workspace takes a worker with a view where no server runs", async (t) => {
    const { home, kernel, work, call } = await open(t, {});
    const { store } = kernel;
    await addBee(store);
    await call("view.save", { name: "garden", tag: ["garden"] });
    await call("view.save", { name: "mine", assignee: "me" });
    await addTasks(store, "bee", 1, ["garden"]);
    await addTasks(store, "bee", 1);

    const worker = work(["--view", "garden"]);
    await until(async () => (await count(store, "task where status = 'completed'")) === 1);
    const second = await home.run(["work", "--view", "garden"]);
    worker.end("SIGINT");
    await worker.over;
    const mine = await home.run(["work", "--view", "mine"]);
    const server = await home.serve(["serve", "--no-agents"]);
    const beside = await home.run(["work", "--view", "garden"]);
    await server.stop();

    assert.match(second.stderr, /workspace_in_use/);
    assert.match(beside.stderr, /workspace_in_use/);
    assert.match(mine.stderr, /tasks of whoever looks at it.*view_without_agents/s);
    assert.equal(await count(store, "task where status = 'pending' and run_id is null"), 1);
  });
});

interface Hook {
  readonly path: string;
  readonly secret: string;
}

const act = () => ({ actor: "test", now: Date.now() });
const slow = (latencyMs: number) => ({ slow: { kind: "rehearsal", latencyMs } });

interface Place {
  readonly home: ScratchFolder;
  readonly kernel: Kernel;
  /** An operation as the owner calls it. */
  call<Output = unknown>(name: string, input: object): Promise<Output>;
  work(flags?: readonly string[], environment?: Readonly<Record<string, string>>): Worker;
}

interface Worker {
  readonly over: Promise<unknown>;
  end(signal: NodeJS.Signals): void;
}

async function open(t: TestContext, config: object): Promise<Place> {
  const home = scratchFolder();
  const folder = path.join(home.folder, ".throughline");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const model = "providers" in config ? { defaultModel: "slow/rehearsal" } : {};
  writeFileSync(path.join(folder, "config.json"), JSON.stringify({ ...config, ...model }));
  const workspace = await openWorkspace(folder);
  const { kernel } = workspace;
  const caller = callerOf(await findAdmin(kernel));
  const registry = createOperationRegistry(await loadOperations(listNouns(() => folder)));
  const workers: ChildProcess[] = [];
  t.after(async () => {
    for (const worker of workers) endGroup(worker, "SIGKILL");
    await home.remove();
    await workspace.close();
  });
  return {
    home,
    kernel,
    call: async <Output>(name: string, input: object) =>
      (await invoke(kernel, registry, name, caller, input)) as Output,
    work: (flags = [], environment = {}) => {
      const child = spawn(process.execPath, [MAIN, "-C", home.folder, "work", ...flags], {
        detached: true,
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, ...environment },
      });
      workers.push(child);
      const over = new Promise((resolve) => child.once("exit", resolve));
      return { over, end: (signal) => endGroup(child, signal) };
    },
  };
}

async function openPostgres(
  t: TestContext,
  latencyMs = 300,
): Promise<Place & { readonly schema: string }> {
  const schema = `s_${randomBytes(6).toString("hex")}`;
  const database = await findPostgres();
  const place = await open(t, { database, schema, providers: slow(latencyMs) });
  const admin = openStoreAt({ connectionString: database, schema });
  t.after(async () => {
    for (const name of [schema, `${schema}_queue`]) {
      await admin.write(() => executeSql(sqlText(`drop schema ${name} cascade`), []));
    }
    await admin.close();
  });
  return { ...place, schema };
}

async function addBee(store: Kernel["store"]): Promise<void> {
  const bee = { id: "bee", displayName: "Bee", role: "operator", isAgent: true } as const;
  await store.write(() => insertUser(bee, act()));
}

async function count(store: Kernel["store"], what: string): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(store, `select count(*) as n from ${what}`);
  return row?.n ?? 0;
}

/** Nothing is left to take up, and nothing under way. */
async function untilDone(store: Kernel["store"]): Promise<void> {
  await until(async () => (await count(store, "task where status = 'pending'")) === 0);
  const open = "run where state not in ('completed', 'failed', 'cancelled')";
  await until(async () => (await count(store, open)) === 0);
}

async function addTasks(
  store: Kernel["store"],
  assigneeId: string,
  count: number,
  tags: readonly string[] = [],
): Promise<void> {
  await store.write(function* () {
    for (let number = 0; number < count; number += 1) {
      const id = `${Date.now().toString(16)}-${randomBytes(8).toString("hex")}`;
      yield* insertTask({ id, title: `Task ${number}`, tags, assigneeId }, act());
    }
  });
}

/** As if the year were over in a moment. */
async function makeDue(store: Kernel["store"], ids: readonly string[]): Promise<void> {
  await store.write(function* () {
    for (const id of ids) {
      yield* executeSql(sqlText("update schedule set due_at = ? where id = ?"), [
        Date.now() + 300,
        id,
      ]);
    }
  });
}

/** Every task was done by one run, and became completed once. */
async function assertOnce(store: Kernel["store"], tasks: number): Promise<void> {
  const runs = await rowsOf<{ task_id: string; state: string; runs: number }>(
    store,
    "select task_id, min(state) as state, count(*) as runs from agent_run join run on run.id = run_id group by task_id",
  );
  assert.equal(runs.length, tasks);
  assert.deepEqual(
    runs.filter(({ state, runs: amount }) => state !== "completed" || amount !== 1),
    [],
  );
  const done = await rowsOf<{ data: string }>(
    store,
    "select data from event where type = 'task.completed'",
  );
  const ids = done.map(({ data }) => (JSON.parse(data) as { id: string }).id);
  const ofAgents = ids.filter((id) => runs.some(({ task_id }) => task_id === id));
  assert.equal(ofAgents.length, tasks);
}

async function send(
  url: string,
  { path: place, secret }: Hook,
  id: string,
): Promise<{ runId: string; isNew: boolean }> {
  const body = JSON.stringify({ id });
  const at = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  const answer = await fetch(url + place, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${signature}`,
    },
    body,
  });
  assert.equal(answer.status, 202, await answer.clone().text());
  return (await answer.json()) as { runId: string; isNew: boolean };
}

/** The whole group: the program starts itself again with stricter settings. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function until(isSo: () => Promise<boolean>, patienceMs = 120_000): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < giveUpAt, "it took too long");
    await sleep(40);
  }
}
