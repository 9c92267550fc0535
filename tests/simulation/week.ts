/**
 * A week of a workspace in simulated time, every day alike: people start work and answer by day, schedules fire, webhooks
 * come in twice, models are away for two hours, processes are killed and started again, the power is off in the evening,
 * and at night there is a backup, old words are let go of, and everything is stopped, looked through and started again.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { webhookKey } from "../../src/app/webhook-key.ts";
import { ModelError } from "../../src/kernel/model/model-error.ts";
import type { ModelProvider } from "../../src/kernel/model/model-provider.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { refreshSearch } from "../../src/kernel/store/search-index.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { isStoreAway } from "../../src/kernel/store/store-errors.ts";
import { sendNotices } from "../../src/methods/notice/send-messages.ts";
import { startDueSchedules } from "../../src/methods/pipeline/starters/due-schedules.ts";
import { auditEngine, auditRuns, rowsOf } from "../scratch/engine-audit.ts";
import { count } from "./faulty-store.ts";
import { firedOf, type ScheduledTimes, strayTimes } from "./fired-times.ts";
import type { DaySample } from "./growth.ts";
import { answer, type Entry } from "./people.ts";
import { listOpen, stopAll } from "./simulation.ts";
import { REFERENCE, WORK } from "./workload.ts";
import { openWorld, type Process, type World } from "./world.ts";

export interface WeekOptions {
  readonly days: number;
  /** What people start a day; schedules and webhooks come besides. */
  readonly runsADay: number;
  readonly place?: string;
  /** The one who brings the search index up to date has stopped: what is noted for it stays. */
  readonly leaks?: boolean;
  /** What lies about in memory is taken away first, so that only what is held counts. */
  readonly collectGarbage?: () => void;
}

export interface PlayedWeek {
  readonly days: readonly DaySample[];
  readonly happened: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, number>>;
  readonly accepted: number;
  readonly fired: number;
  readonly missed: number;
  readonly backups: number;
}

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
const MONDAY = Date.UTC(2026, 0, 5);
const at = (hour: number, minute = 0) => hour * 60 + minute;

const WORKDAY = { from: at(8), to: at(18) };
const AWAKE = { from: at(8), to: at(21) };
const MODELS_AWAY = { from: at(13), to: at(15) };
const POWER_OFF = { from: at(22, 10), to: at(24, 20) };
const RECEIVER_AWAY = { from: at(11), to: at(12) };
const KILLS = [at(9, 17), at(11, 41), at(16, 3), at(20, 30)];
const DELIVERIES = [at(8, 20), at(12, 10), at(17, 45), at(23, 40)];
const HAD_ENOUGH = at(18, 30);
const BACKUP = at(2);
const PRUNE = at(2, 10);
const CLOSING = at(3, 30);
const KEPT_BACKUPS = 2;
const PROCESSES = 2;
/** What hangs for an hour with its models there and nobody asked hangs for ever. */
const MOST_CATCHING_UP = 60;
const ANSWERS_AT_ONCE = 10;

const SCHEDULED = [
  { cron: "0 * * * *", timeZone: "UTC", workflow: "Watch", input: {} },
  { cron: "20 9-17/2 * * *", timeZone: "America/New_York", workflow: "Watch", input: {} },
  {
    cron: "30 7 * * *",
    timeZone: "Europe/Berlin",
    workflow: "library:pr-review",
    input: { prNumber: 7 },
  },
] as const;
const WATCH = "graph TD\n  A[Look] --> B[Tell]\n";

/** One flow of each method first, so that few runs a day are something of everything. */
const WORKS = [...REFERENCE, ...WORK];
const UPKEEP_MINUTES = 2;
const LOOKED_AT_MINUTES = 5;
const GOING_ON = ["approve", "complete", "answer", "continue", "go_on", "retry", "raise"];

export async function playWeek(seed: string, options: WeekOptions): Promise<PlayedWeek> {
  const folder = mkdtempSync(path.join(options.place ?? tmpdir(), "throughline-week-"));
  const asked = { statements: 0 };
  const file = path.join(folder, "workspace.db");
  const away = { isOn: false };
  const plain = openSqlite({ path: file });
  const world = await openWorld(seed, folder, {
    store: countingStore(plain, asked),
    startsAt: MONDAY + CLOSING * MINUTE,
    // Polled as seldom as leases and people bear: all that nobody waits for is asked of the clock.
    pace: { concurrency: 6, leaseMs: 4 * MINUTE, pollMs: MINUTE },
    faultsOneIn: 300,
    through: (model) => whileThere(model, away),
  });
  try {
    return await week(world, options, { folder, asked, away });
  } finally {
    await plain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly folder: string;
  readonly asked: { statements: number };
  readonly away: { isOn: boolean };
}

async function week(
  world: World,
  options: WeekOptions,
  { folder, asked, away }: Surroundings,
): Promise<PlayedWeek> {
  const { time, faults, store, demand, ask, dice } = world;
  const accepted = new Set<string>();
  const unforeseen: unknown[] = [];
  const days: DaySample[] = [];
  const begunAt = time.now();
  const schedules: ScheduledTimes[] = [];
  let fired = 0;
  let missed = 0;
  let answered = 0;
  let deliveries = 0;
  let backups = 0;
  let isPowered = true;
  let isReceiverAway = false;

  await demand("workflow.create", { name: "Watch", source: WATCH });
  for (const { cron, timeZone, workflow, input } of SCHEDULED) {
    const made = await demand("schedule.add", { workflow, cron, timeZone, input });
    schedules.push({ id: (made as Made).id, cron, timeZone, since: begunAt });
  }
  const webhook = (await demand("webhook.add", { workflow: "Watch" })) as Made;
  await demand("notice.add", { url: "https://example.org/told" });

  const act = (what: string, action: () => Promise<unknown>) => {
    count(faults, what);
    action().catch((error: unknown) => {
      if (!isStoreAway(error)) unforeseen.push(error);
    });
  };

  const startOne = (which: number) => {
    const work = WORKS[which % WORKS.length];
    act("people started something", async () => {
      const runId = await work?.start(ask, dice);
      if (runId !== undefined) accepted.add(runId);
    });
  };

  const deliver = () => {
    const deliveryId = `delivery ${(deliveries += 1)}`;
    const given = { webhookId: webhook.id, body: {}, deliveryId };
    act("webhooks came in twice", async () => {
      const first = (await demand("webhook.deliver", given)) as Made;
      const second = (await demand("webhook.deliver", given)) as Made;
      assert.equal(second.runId, first.runId, "the same delivery starts one run");
      accepted.add(first.runId);
    });
  };

  const answerSome = async () => {
    const listed = (await ask("inbox.list", { limit: ANSWERS_AT_ONCE })) as
      | { items: readonly Entry[] }
      | undefined;
    for (const entry of listed?.items ?? []) {
      count(faults, "people answered");
      await answer(ask, dice, entry, GOING_ON);
    }
  };

  /** Whoever has waited a whole day for the end of it ends it. */
  const giveUp = async () => {
    const old = await rowsOf<{ id: string }>(
      store,
      `select id from run where state not in ('completed','failed','cancelled') and parent_run_id is null and created_at < ?`,
      [time.now() - 20 * 60 * MINUTE],
    );
    for (const { id } of old) {
      count(faults, "people had enough");
      await demand("run.cancel", { runId: id });
    }
  };

  const keepUp = ({ kernel }: Process) => {
    act("schedules looked at", () => startDueSchedules(kernel));
    if (!options.leaks)
      act("search index refreshed", () =>
        refreshSearch(kernel.store, { clock: kernel.clock, budgetMs: 1000 }),
      );
    const tools = {
      post: async () => ({ status: isReceiverAway ? 503 : 204 }),
      findKey: async () => webhookKey(folder),
    };
    act("notices sent", () => sendNotices(kernel, tools, new AbortController().signal));
  };

  const backUp = async () => {
    const made = (await demand("backup.make", {})) as { name: string; path: string };
    backups += 1;
    await demand("backup.verify", { name: made.name, drill: backups === 1 });
    const { items } = (await demand("backup.list", {})) as { items: readonly { name: string }[] };
    for (const { name } of items.slice(KEPT_BACKUPS)) {
      const old = path.join(path.dirname(made.path), name);
      for (const each of [old, `${old}.manifest.json`]) rmSync(each, { force: true });
    }
  };

  const passMinute = async () => {
    const until = time.elapsed() + MINUTE;
    while (time.elapsed() < until) {
      await time.settle();
      time.pass(until - time.elapsed());
    }
    await time.settle();
    assert.deepEqual(unforeseen, []);
  };

  const startAll = async () => {
    while (world.running().length < PROCESSES) {
      count(faults, "processes started");
      await world.startProcess();
    }
  };

  /** Everything is stopped and looked through. */
  const close = async (day: number) => {
    for (let waited = 0; (await unseen(world)).length > 0; waited += 1) {
      assert.ok(
        waited < MOST_CATCHING_UP,
        `it ends or waits where it is seen: ${JSON.stringify(await unseen(world))}`,
      );
      await startAll();
      await passMinute();
    }
    await stopAll(world);
    await auditEngine(store);
    assert.deepEqual(await wordsLeft(store, time.now() - 2 * DAY_MINUTES * MINUTE), [], "pruned");
    const rows = await rowsOf<{ id: string }>(store, "select id from run");
    const known = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...accepted].filter((id) => !known.has(id)),
      [],
      "accepted and lost",
    );
    for (const schedule of schedules) {
      const told = await firedOf(store, schedule.id, schedule.since);
      const { doubled, forgotten, strange } = strayTimes(schedule, told, time.now());
      assert.deepEqual(
        { doubled, forgotten, strange },
        { doubled: [], forgotten: [], strange: [] },
        `day ${day}, ${schedule.cron}`,
      );
      fired += told.length;
      missed += told.reduce((sum, each) => sum + each.missed, 0);
      Object.assign(schedule, { since: time.now() });
    }
  };

  const sample = async (day: number): Promise<DaySample> => {
    const tables = await rowsOf<{ name: string }>(
      store,
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'search_document_%'",
    );
    const statements = asked.statements;
    const rows: Record<string, number> = {};
    for (const { name } of tables) {
      const [counted] = await rowsOf<{ n: number }>(store, `select count(*) as n from "${name}"`);
      rows[name] = counted?.n ?? 0;
    }
    const [pages] = await rowsOf<{ all: number; free: number; size: number }>(
      store,
      `select (select page_count from pragma_page_count) as "all", (select freelist_count from pragma_freelist_count) as free,
         (select page_size from pragma_page_size) as size`,
    );
    const { all = 0, free = 0, size = 0 } = pages ?? {};
    const steps = (rows["answer"] ?? 0) - answered;
    answered = rows["answer"] ?? 0;
    world.troubles.length = 0;
    options.collectGarbage?.();
    const { heapUsed, external } = process.memoryUsage();
    const taken = {
      day,
      rows,
      fileBytes: all * size,
      usedBytes: (all - free) * size,
      statements,
      steps,
      memoryBytes: heapUsed + external,
    };
    asked.statements = 0;
    return taken;
  };

  await startAll();
  for (let day = 1; day <= options.days; day += 1) {
    // A day goes from one closing to the next.
    for (let passed = 0; passed < DAY_MINUTES; passed += 1) {
      const minute = (CLOSING + passed) % DAY_MINUTES;
      away.isOn = isWithin(minute, MODELS_AWAY);
      isReceiverAway = isWithin(minute, RECEIVER_AWAY);
      if (minute === POWER_OFF.from) for (const { life } of world.running()) life.kill();
      isPowered = !isWithin(minute, POWER_OFF);
      if (isPowered && !KILLS.some((kill) => minute > kill && minute < kill + 3)) await startAll();
      if (KILLS.includes(minute)) {
        count(faults, "processes killed at work");
        dice.pick(world.running())?.life.kill();
      }
      const [first] = world.running();
      if (first !== undefined) {
        if (minute % UPKEEP_MINUTES === 0) keepUp(first);
        for (let which = 0; which < options.runsADay; which += 1)
          if (minute === startOf(which, options.runsADay)) startOne(which);
        if (DELIVERIES.includes(minute)) deliver();
        if (minute % LOOKED_AT_MINUTES === 0 && isWithin(minute, AWAKE) && !away.isOn)
          act("people looked at the inbox", answerSome);
        if (minute === HAD_ENOUGH) await giveUp();
        if (minute === BACKUP) await backUp();
        if (minute === PRUNE)
          await demand("workspace.prune", { olderThan: "1d", artifacts: "all" });
      }
      if (minute % 60 === 0) await auditRuns(store);
      await passMinute();
    }
    await close(day);
    days.push(await sample(day));
  }
  const rows = await rowsOf<{ state: string; n: number }>(
    store,
    "select state, count(*) as n from run group by state order by state",
  );
  return {
    days,
    happened: Object.fromEntries(faults.happened),
    states: Object.fromEntries(rows.map(({ state, n }) => [state, n])),
    accepted: accepted.size,
    fired,
    missed,
    backups,
  };
}

interface Made {
  readonly id: string;
  readonly runId: string;
}

/** A span may go on into the day after. */
function isWithin(
  minute: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  return (minute >= from && minute < to) || minute + DAY_MINUTES < to;
}

function startOf(which: number, runs: number): number {
  return WORKDAY.from + Math.floor((which * (WORKDAY.to - WORKDAY.from)) / runs);
}

/** Where words are still kept of what ended before; pruning was to let go of them. */
async function wordsLeft(store: Store, before: number): Promise<readonly string[]> {
  const ended = `run_id in (select id from run where state in ('completed','failed','cancelled') and finished_at < ${before})`;
  const kept = {
    exchange: `${ended} and messages <> '[]'`,
    answer: `${ended} and reply is not null`,
    job: `${ended} and (input <> 'null' or progress is not null)`,
    effect: `${ended} and data <> 'null'`,
    artifact: `${ended} and body is not null`,
    event: `at < ${before} and data is not null`,
    delta: `exchange_id in (select id from exchange where ${ended})`,
  };
  const left: string[] = [];
  for (const [table, condition] of Object.entries(kept))
    if ((await rowsOf(store, `select 1 from ${table} where ${condition} limit 1`)).length > 0)
      left.push(table);
  return left;
}

async function unseen(world: World) {
  return (await listOpen(world)).filter(({ isSeen }) => !isSeen);
}

function whileThere(model: ModelProvider, away: { readonly isOn: boolean }): ModelProvider {
  return {
    async *call(request, given) {
      if (away.isOn) throw new ModelError("unavailable", "The simulated provider is away.");
      yield* model.call(request, given);
    },
  };
}

/** Every statement that anybody asks of it is counted. */
function countingStore(store: Store, asked: { statements: number }): Store {
  function* counted<Result>(work: DatabaseWork<Result>): DatabaseWork<Result> {
    let step = work.next();
    while (!step.done) {
      asked.statements += 1;
      try {
        step = work.next(yield step.value);
      } catch (thrown) {
        step = work.throw(thrown);
      }
    }
    return step.value;
  }
  return {
    ...store,
    read: (work) => store.read(() => counted(work())),
    write: (work) => store.write(() => counted(work())),
  };
}
