import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import { startRun } from "../../src/kernel/run/start-run.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { nounTables } from "../../src/kernel/store/noun-migration.ts";
import { searchTables } from "../../src/kernel/store/search-migration.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { auditTeam } from "../../src/methods/team/rules/team-audit.suite.ts";
import { newTeamRun } from "../../src/methods/team/running/begin-team.ts";
import { teamEffects } from "../../src/methods/team/running/team-effects.ts";
import { teamHandlers } from "../../src/methods/team/running/team-handlers.ts";
import { ROUND_STEPS } from "../../src/methods/team/state/team-records.ts";
import { teamRunTables } from "../../src/methods/team/state/team-migration.ts";
import { loadTeam } from "../../src/methods/team/state/team-rows.ts";
import { briefOf, ROUNDS, teamOf } from "../../src/methods/team/team-rig.suite.ts";
import { rowsOf } from "../scratch/engine-audit.ts";
import { builtInLibrary } from "../scratch/scratch-kernel.ts";
import { scratchSqlite } from "../scratch/scratch-store.ts";

/** `KILLS=100` gives the full figure. */
const KILLS = Number(process.env["KILLS"] ?? 3);
const TEAMS = ["lab", "book"];
/** Answers between two kills. */
const MOST_BETWEEN = 8;
const ROUNDS_EACH = Math.max(2, Math.ceil(KILLS / 10));

test(`teams whose worker is killed -9 ${KILLS} times in the middle of rounds end whole, with no version twice`, async (t) => {
  const { store, folder, remove } = await scratchSqlite([
    engineTables,
    nounTables,
    searchTables,
    teamRunTables,
  ]);
  t.after(remove);
  const ids = createIdSource(systemClock);
  const handlers = createHandlerRegistry(teamHandlers(builtInLibrary()), teamEffects);
  const tools = { queue: localQueue, handlers, nextId: () => ids.next(), costOf: () => 0 };
  const runIds = await store.write(function* () {
    yield* insertUser(
      { id: "admin", displayName: "admin", role: "admin" },
      { actor: "admin", now: systemClock.now() },
    );
    const started: string[] = [];
    for (const name of TEAMS) {
      const team = teamOf(name);
      const run = newTeamRun(briefOf(team, { stop: ROUNDS(ROUNDS_EACH) }), team, {});
      started.push(
        yield* startRun(tools, run, { projectId: null, startedBy: "admin" }, systemClock.now()),
      );
    }
    return started;
  });

  const start = () => work(path.join(folder, "workspace.db"));
  let worker = start();
  let kills = 0;
  for (;;) {
    await worker.ready;
    if (kills >= KILLS) break;
    if (!(await hasAnswered(store, 1 + Math.floor(Math.random() * MOST_BETWEEN)))) break;
    worker.child.kill("SIGKILL");
    await ended(worker.child);
    kills += 1;
    worker = start();
  }
  await ended(worker.child);

  assert.ok(kills >= Math.min(KILLS, 2), "it was killed at work");
  for (const runId of runIds) {
    const state = await store.read(() => loadTeam(runId));
    assert.deepEqual(auditTeam(state), []);
    assert.equal(state.round, ROUNDS_EACH);
    assert.equal(state.steps.length, 1 + ROUNDS_EACH * ROUND_STEPS.length, "every step once");
    assert.ok(state.steps.every((step) => step.state !== "running"));
    const perDirective = new Set(state.versions.map(({ lastDirectiveId }) => lastDirectiveId));
    assert.equal(perDirective.size, state.versions.length, "no version twice");
  }
  const states = await rowsOf<{ state: string }>(store, "select state from run");
  assert.deepEqual(
    states.map(({ state }) => state),
    TEAMS.map(() => "completed"),
  );
  const [lost] = await rowsOf<{ n: number }>(
    store,
    "select count(*) as n from answer where outcome = 'lost'",
  );
  t.diagnostic(`${kills} kills, ${lost?.n ?? 0} calls lost and done again`);
});

/** Waits for so many more answers, at whatever pace; false when the teams are done before. */
async function hasAnswered(store: Store, more: number): Promise<boolean> {
  const count = async (text: string) => Number((await rowsOf<{ n: number }>(store, text))[0]?.n);
  const before = await count(ANSWERS);
  while ((await count(ANSWERS)) < before + more) {
    if ((await count(OPEN_RUNS)) === 0) return false;
    await sleep(2);
  }
  return true;
}

const ANSWERS = "select count(*) as n from answer where outcome = 'answered'";
const OPEN_RUNS = "select count(*) as n from run where state <> 'completed'";

function work(file: string): { readonly child: ChildProcess; readonly ready: Promise<void> } {
  const script = path.join(import.meta.dirname, "..", "scratch", "team-worker.ts");
  const child = spawn(process.execPath, [script, "sqlite", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.once("data", () => resolve());
    child.once("exit", () => resolve());
  });
  return { child, ready };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}
