/**
 * The clock on the wall is set while real processes work: ahead and back by minutes, hours, days, to 1970 and to 2038,
 * of each machine on its own. `JUMPS=500` says how often.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { executeSql } from "../../src/kernel/store/database-work.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Dialect, Store } from "../../src/kernel/store/store.ts";
import {
  buildClockShift,
  type ClockShift,
  missingClockShift,
  type ShiftedClock,
} from "../scratch/clock-shift.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import type { WorkerOrders } from "../scratch/engine-worker.ts";
import { newTold, startWorker } from "../scratch/engine-workers.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { type Server, scratchFolder } from "../scratch/program.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";
import { PAUSE_MS } from "../scratch/trial-method.ts";

const JUMPS = Number(process.env["JUMPS"] ?? 8);
const BETWEEN_MS = 60;
const CHAINS = 6;
const PAUSING = 4;
const LATENCY_MS = [60, 140] as const;
/** No jump is shorter, and no machine so busy that it stands still for so long. */
const LEASE_MS = 30_000;
const SHORT_LEASE_MS = 2000;
/** What a busy machine may take on top of what was promised. */
const PATIENCE_MS = 20_000;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AHEAD: readonly number[] = [
  MINUTE,
  -5 * MINUTE,
  HOUR,
  -2 * HOUR,
  25 * HOUR,
  7 * DAY,
  -3 * DAY,
  0,
];
const YEAR_2038 = 2 ** 31 * 1000;

/** How far ahead of the real one the clock stands after the n-th jump. */
function aheadAfter(jump: number): number {
  const now = Date.now();
  if (jump % 23 === 11) return YEAR_2038 - now;
  if (jump % 23 === 17) return -now + DAY;
  return (AHEAD[jump % AHEAD.length] ?? 0) + (jump % 5) * 13_457;
}

// Most of the time they wait.
const how = { skip: missingClockShift() ?? false, concurrency: 3, timeout: 10 * MINUTE };
describe("a clock that is set", how, () => {
  let shift: ClockShift;
  before(() => {
    shift = buildClockShift();
  });
  after(() => shift?.remove());

  for (const dialect of ["sqlite", "postgres"] as const) {
    const workers = dialect === "sqlite" ? 1 : 2;
    test(`on ${dialect}, ${JUMPS} times under ${workers === 1 ? "a worker" : "two workers, each its own way"}: nothing is lost, done twice, taken from its owner or early`, async (t) => {
      const { store, orders } = await openPlace(t, dialect, LEASE_MS);
      const clocks = Array.from({ length: workers }, (_, at) => shift.newClock(`${dialect} ${at}`));
      const told = newTold();
      const begunAt = Date.now();
      const started = clocks.map((clock, at) =>
        startWorker({ ...orders, startsRuns: at === 0 }, told, undefined, clock.environment),
      );
      t.after(() => {
        for (const { child } of started) child.kill("SIGKILL");
      });
      await Promise.all(started.map(({ ready }) => ready));

      const jumps = await jump(clocks);
      assert.deepEqual(
        await Promise.all(started.map(({ over }) => over)),
        workers === 1 ? [0] : [0, 0],
      );

      assert.deepEqual(told.troubles, []);
      const { events } = await auditEngine(store);
      const found = await lookThrough(store, orders.runs);
      assert.deepEqual(found, WHOLE, JSON.stringify(told.away));
      const turns = CHAINS * chainLength();
      assert.equal(told.calls, turns, "each turn called its model once");
      const late = await lookAtPauses(store, dialect, { from: begunAt, to: Date.now() });
      t.diagnostic(
        `${dialect}: ${jumps} jumps of ${workers === 1 ? "a clock" : "two clocks"}, ${turns} turns called once each, ${events} events in order, 0 lost, 0 doubled, 0 leases taken from the living, 0 of ${late.pauses} timers and deadlines early${dialect === "sqlite" ? "" : `, the latest ${late.latestMs} ms late`}`,
      );
    });

    test(`on ${dialect}, killed with its clock a day ahead: what it held goes on as soon as ever, where the clock is a day behind`, async (t) => {
      const { store, orders } = await openPlace(t, dialect, SHORT_LEASE_MS);
      const clock = shift.newClock(`${dialect} kill`);
      const told = newTold();
      clock.set(DAY);
      const victim = startWorker(
        { ...orders, startsRuns: true },
        told,
        undefined,
        clock.environment,
      );
      const isAtWork = () => told.accepted.size === orders.runs.length && told.calls > CHAINS;
      await until("it is at work", isAtWork);
      const other = shift.newClock(`${dialect} heir`);
      other.set(-DAY);
      victim.child.kill("SIGKILL");
      await victim.over;
      const [leased] = await rowsOf<{ n: number }>(store, HELD);
      const held = leased?.n ?? 0;
      assert.ok(held > 0, "it died with work in its hands");
      const diedAt = performance.now();
      const heir = startWorker(orders, told, undefined, other.environment);
      t.after(() => heir.child.kill("SIGKILL"));
      await until("all that was held is taken over", async () => {
        const [row] = await rowsOf<{ n: number }>(store, `${HELD} and worker = ?`, [
          `worker-${victim.child.pid}`,
        ]);
        return row?.n === 0;
      });
      const tookMs = Math.round(performance.now() - diedAt);

      assert.ok(tookMs < SHORT_LEASE_MS + PATIENCE_MS, `${tookMs} ms`);
      assert.equal(await heir.over, 0);
      await auditEngine(store);
      const { doubled, lost, open } = await lookThrough(store, orders.runs);
      assert.deepEqual({ doubled, lost, open }, { doubled: 0, lost: 0, open: 0 });
      t.diagnostic(
        `${dialect}: ${held} jobs of a worker killed a day ahead taken over in ${tookMs} ms by one a day behind`,
      );
    });
  }

  for (const dialect of ["sqlite", "postgres"] as const) {
    test(`on ${dialect}, ${JUMPS} times under a server with people and a schedule: every question is answered once, every time counts once`, async (t) => {
      const clock = shift.newClock(`server ${dialect}`);
      const { store, server, stop } = await openServer(t, dialect, clock.environment);
      const source = "graph TD\n  A[Look] --> B[Tell]\n";
      await post(server, "workflow/create", { name: "Watch", source });
      await post(server, "schedule/add", { workflow: "Watch", cron: "* * * * *", model: MODEL });
      const begunAt = Date.now();

      const asked: string[] = [];
      for (let jumped = 0; jumped < JUMPS; jumped += 1) {
        // A login is good for a year: its end is not what is tried here.
        const first = Math.abs(aheadAfter(jumped)) < 30 * DAY ? aheadAfter(jumped) : 0;
        clock.set(first);
        const question = { request: `Question ${jumped}`, model: MODEL };
        const key = `question-${jumped}`;
        const { runId } = await post(server, "ask/start", question, key);
        asked.push(String(runId));
        await sleep(BETWEEN_MS);
        // A key is good for a day, by the clock.
        clock.set(Math.min(AHEAD[(jumped + 3) % AHEAD.length] ?? 0, first + 23 * HOUR));
        const again = await post(server, "ask/start", question, key);
        assert.equal(again.runId, runId, "the same key, the same run");
      }
      if (dialect === "sqlite") {
        // However soon all of it was over: the schedule gets the time to see one of its times come.
        clock.set(2 * MINUTE);
        await until("the schedule fired", async () => (await rowsOf(store, STARTED)).length > 0);
      }
      clock.set(0);
      await until("every run has ended", async () => (await rowsOf(store, OPEN_RUNS)).length === 0);
      await stop();

      await auditEngine(store);
      const rows = await rowsOf<{ id: string; state: string; method: string }>(
        store,
        "select id, state, method from run",
      );
      assert.deepEqual([...new Set(rows.map(({ state }) => state))], ["completed"]);
      const asks = rows.filter(({ method }) => method === "ask").map(({ id }) => id);
      assert.deepEqual(asks.toSorted(), asked.toSorted(), "none lost, none doubled");
      assert.deepEqual(await rowsOf(store, CALLED_TWICE), []);
      assert.deepEqual(await rowsOf(store, TAKEN), []);
      const started = (await rowsOf<{ data: string; at: number }>(store, STARTED)).map(
        ({ data, at }) => ({ at, ...(JSON.parse(data) as { readonly dueAt: number }) }),
      );
      const early = started.filter(({ dueAt, at }) => dueAt > at);
      assert.deepEqual(early, [], "early");
      const times = started.map(({ dueAt }) => dueAt);
      const inOrder = [...new Set(times)].toSorted((a, b) => a - b);
      assert.deepEqual(times, inOrder, "each time once, in order");
      if (dialect === "postgres")
        assert.ok(times.every((time) => time >= begunAt - MINUTE && time <= Date.now()));
      t.diagnostic(
        `a server on ${dialect}, ${2 * JUMPS} jumps: ${asked.length} questions asked twice under one key and answered once, ${times.length} times of a schedule, each once, none early`,
      );
    });
  }
});

const HELD = "select count(*) as n from job where state = 'leased'";
const TAKEN = "select id from event where type = 'job.taken_over'";
const OPEN_RUNS = "select id from run where state not in ('completed','failed','cancelled')";
const CALLED_TWICE = "select job_id from exchange group by job_id having count(*) > 1";
const STARTED = "select data, at from event where type = 'schedule.started' order by id";
const MODEL = "slow/rehearsal";
const WHOLE = { open: 0, doubled: 0, lost: 0, taken: 0, leasedTwice: 0 };

function chainLength(): number {
  return 4 + Math.ceil((JUMPS * BETWEEN_MS) / LATENCY_MS[0]);
}

function pauses(): number {
  return Math.ceil((JUMPS * BETWEEN_MS) / PAUSE_MS) + 1;
}

async function openServer(
  t: TestContext,
  dialect: Dialect,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly store: Store; readonly server: Server; stop(): Promise<void> }> {
  const schema = `jumps_${randomBytes(6).toString("hex")}`;
  const url = dialect === "postgres" ? await findPostgres() : undefined;
  const home = scratchFolder(environment);
  const folder = path.join(home.folder, ".throughline");
  mkdirSync(folder, { mode: 0o700 });
  const settings = {
    providers: { slow: { kind: "rehearsal", latencyMs: 300 } },
    rateLimit: { perSecond: 0, burst: 1 },
    ...(url === undefined ? {} : { database: url, schema }),
  };
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(settings));
  const server = await home.serve();
  const store =
    url === undefined
      ? openSqlite({ path: path.join(folder, "workspace.db") })
      : openPostgres({ connectionString: url, schema });
  t.after(async () => {
    await home.remove();
    if (url !== undefined)
      for (const each of [schema, `${schema}_queue`])
        await store.write(() => executeSql(sqlText(`drop schema if exists ${each} cascade`), []));
    await store.close();
  });
  return { store, server, stop: () => server.stop() };
}

async function jump(clocks: readonly ShiftedClock[]): Promise<number> {
  for (let jumped = 0; jumped < JUMPS; jumped += 1) {
    await sleep(BETWEEN_MS);
    // One after the other, so that they stand differently all the time.
    clocks[jumped % clocks.length]?.set(aheadAfter(jumped));
  }
  return JUMPS;
}

async function openPlace(
  t: TestContext,
  dialect: Dialect,
  leaseMs: number,
): Promise<{ readonly store: Store; readonly orders: WorkerOrders }> {
  const all = {
    runs: [
      ...Array.from({ length: CHAINS }, (_, at) => `chain ${chainLength()} no ${at}`),
      ...Array.from({ length: PAUSING }, (_, at) => `pauses ${pauses()} no ${at}`),
    ],
    startsRuns: false,
    concurrency: CHAINS,
    leaseMs,
    latencyMs: LATENCY_MS,
  };
  if (dialect === "sqlite") {
    const { store, folder, remove } = await scratchSqlite([engineTables]);
    t.after(remove);
    const file = path.join(folder, "workspace.db");
    const orders = {
      ...all,
      queue: "local",
      isAlone: true,
      place: { dialect, path: file },
    } as const;
    return { store, orders };
  }
  const { store, url, remove } = await scratchPostgres([engineTables]);
  t.after(async () => {
    await store.write(() =>
      executeSql(sqlText(`drop schema if exists ${store.schema}_q cascade`), []),
    );
    await remove();
  });
  const place = { dialect, url, schema: store.schema } as const;
  return { store, orders: { ...all, queue: "pg-boss", isAlone: false, place } };
}

async function lookThrough(store: Store, runs: readonly string[]) {
  const [row] = await rowsOf<Record<keyof typeof WHOLE, number>>(
    store,
    `select (select count(*) from run where state <> 'completed') as open,
       (select count(*) from (select key from effect group by key having count(*) > 1) as each_key) as doubled,
       (select count(*) from event where type = 'job.taken_over') as taken,
       (select count(*) from job where fence > 1) as "leasedTwice"`,
  );
  const effects = await rowsOf<{ key: string }>(store, "select key from effect");
  const kept = new Set(effects.map(({ key }) => key));
  const known = await rowsOf<{ id: string; title: string }>(store, "select id, title from run");
  const expected = runs.flatMap((title) => {
    const id = known.find((run) => run.title === title)?.id;
    const steps = title.startsWith("chain") ? chainLength() : pauses() + 1;
    const letter = title.startsWith("chain") ? "t" : "p";
    return Array.from({ length: steps }, (_, at) => `${id}:${letter}${at}`);
  });
  const { open = 0, doubled = 0, taken = 0, leasedTwice = 0 } = row ?? {};
  const lost =
    expected.filter((key) => !kept.has(key)).length + Math.max(0, kept.size - expected.length);
  return {
    open,
    doubled,
    lost,
    taken,
    leasedTwice,
  };
}

/** On PostgreSQL nobody's wall counts: what happened happened between the beginning and the end, and nothing late. */
async function lookAtPauses(
  store: Store,
  dialect: Dialect,
  real: { readonly from: number; readonly to: number },
): Promise<{ readonly pauses: number; readonly latestMs: number }> {
  const effects = await rowsOf<{ data: string; at: number }>(
    store,
    "select data, at from effect where key like '%:p%' order by id",
  );
  const told = effects
    .map(({ data, at }) => ({ at, due: (JSON.parse(data) as { readonly due: number }).due }))
    .filter(({ due }) => due > 0);
  assert.equal(told.length, PAUSING * pauses());
  assert.deepEqual(
    told.filter(({ at, due }) => at < due),
    [],
    "early",
  );
  const latestMs = Math.max(...told.map(({ at, due }) => at - due));
  if (dialect === "postgres") {
    assert.deepEqual(
      told.filter(({ at }) => at < real.from - MINUTE / 60 || at > real.to + MINUTE / 60),
      [],
    );
    assert.ok(latestMs < PATIENCE_MS, `${latestMs} ms late`);
  }
  return { pauses: told.length, latestMs };
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); ) {
    assert.ok(performance.now() - begun < MINUTE, `not within a minute: ${what}`);
    await sleep(20);
  }
}

async function post(
  { url, token }: Server,
  route: string,
  body: object,
  key?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/api/v1/${route}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, `${route}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
