/**
 * Plays one world to its end. First everything goes wrong that can; then faults cease and people answer whatever is
 * left, and by then every run must have ended or wait where somebody can see it.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hashText } from "../../src/kernel/base/hash.ts";
import { auditEngine, auditRuns, rowsOf } from "../scratch/engine-audit.ts";
import { count } from "./faulty-store.ts";
import { answerOne, interfere } from "./people.ts";
import { WORK, type Work } from "./workload.ts";
import { openWorld, type World } from "./world.ts";

export interface Played {
  /** Over every event of the store: equal when everything went the same way. */
  readonly hash: string;
  readonly steps: number;
  readonly simulatedMs: number;
  /** How often what happened. */
  readonly happened: ReadonlyMap<string, number>;
  readonly states: Readonly<Record<string, number>>;
  readonly accepted: number;
  readonly events: number;
}

export interface PlayOptions {
  readonly work?: readonly Work[];
  readonly runs?: number;
  /** Where its folder lies while it is played. */
  readonly place?: string;
}

const STORMY_STEPS = 400;
const MOST_CALM_STEPS = 2000;
const PROCESSES = 2;

export async function play(
  seed: string,
  { work = WORK, runs = 5, place = tmpdir() }: PlayOptions = {},
): Promise<Played> {
  const folder = mkdtempSync(path.join(place, "throughline-simulation-"));
  const world = await openWorld(seed, folder);
  try {
    return await playIn(world, work, runs);
  } catch (error) {
    throw new Error(`Seed "${seed}" breaks a promise; replay it with SEED=${seed}.`, {
      cause: error,
    });
  } finally {
    await world.store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playIn(world: World, work: readonly Work[], runs: number): Promise<Played> {
  const { dice, time, faults, store } = world;
  const accepted = new Set<string>();
  const unforeseen: unknown[] = [];
  let steps = 0;
  let toStart = runs;

  /** People do not wait for one another, and whoever dies in the middle never comes back. */
  const act = (what: string, action: () => Promise<unknown>) => {
    count(faults, what);
    action().catch((error: unknown) => unforeseen.push(error));
  };
  const start = () => {
    toStart -= 1;
    const chosen = dice.pick(work);
    act(`people started ${chosen?.name}`, async () => {
      const runId = await chosen?.start(world.ask, dice);
      if (runId !== undefined) accepted.add(runId);
    });
  };
  const step = async () => {
    steps += 1;
    await time.settle();
    if (steps % 10 === 0) await auditRuns(store);
    assert.deepEqual(unforeseen, []);
  };

  while (world.running().length < PROCESSES) await world.startProcess();
  start();
  const isOver = async () => steps % 10 === 0 && (await isAtRest(world));
  while (toStart > 0 || (steps < STORMY_STEPS && !(await isOver()))) {
    await step();
    const chance = dice.below(100);
    if (toStart > 0 && chance < 12) start();
    else if (chance < 14) disturb(world);
    else if (chance < 22) act("people answered", () => answerOne(world.ask, dice));
    else if (chance < 24) act("people interfered", () => interfere(world.ask, dice, [...accepted]));
    else time.pass(dice.below(3000));
    while (world.running().length < PROCESSES) {
      count(faults, "processes started again");
      await world.startProcess();
    }
  }

  faults.oneIn = 0;
  world.misbehaving.isOn = false;
  for (const { life } of world.running()) life.thaw();
  for (let calm = 0; !(await isAtRest(world)); calm += 1) {
    assert.ok(calm < MOST_CALM_STEPS, `it comes to rest: ${JSON.stringify(await listOpen(world))}`);
    await step();
    if (calm % 12 === 0) await answerOne(world.ask, dice, GOING_ON);
    if (calm % 50 === 0)
      for (const runId of await listPaused(world)) await world.ask("run.resume", { runId });
    // Somebody who has had enough: whatever asks without end is ended by a person. Nothing else may last so long.
    if (calm === MOST_CALM_STEPS / 2) {
      const open = await listOpen(world);
      assert.deepEqual(
        open.filter(({ isSeen }) => !isSeen),
        [],
        "it ends, or waits where it is seen",
      );
      for (const { id } of open) {
        count(faults, "people had enough");
        await world.ask("run.cancel", { runId: id });
      }
    }
    time.pass(5000);
  }

  await stopAll(world);
  const { events } = await auditEngine(store);
  const rows = await rowsOf<{ id: string; state: string }>(store, "select id, state from run");
  const known = new Set(rows.map(({ id }) => id));
  assert.deepEqual(
    [...accepted].filter((id) => !known.has(id)),
    [],
    "accepted and lost",
  );
  const heads = await rowsOf<{ hash: string }>(store, "select hash from event order by id");
  return {
    hash: hashText(heads.map(({ hash }) => hash).join("\n")),
    steps,
    simulatedMs: time.elapsed(),
    happened: faults.happened,
    states: tally(rows.map(({ state }) => state)),
    accepted: accepted.size,
    events,
  };
}

/** What leads on is preferred by people who want to see the end of it. */
const GOING_ON = ["approve", "complete", "answer", "continue", "go_on", "retry", "raise"];

function disturb(world: World): void {
  const { dice, time, faults } = world;
  const process = dice.pick(world.running());
  switch (dice.below(4)) {
    case 0:
      count(faults, "processes killed at rest");
      process?.life.kill();
      break;
    case 1:
      count(faults, "processes frozen");
      process?.life.freeze();
      break;
    case 2:
      count(faults, "processes thawed");
      process?.life.thaw();
      break;
    default:
      count(faults, "clock set");
      time.jump((dice.below(2) === 0 ? -1 : 1) * dice.below(3_600_000));
  }
}

interface OpenRun {
  readonly id: string;
  readonly method: string;
  readonly state: string;
  readonly reason: string | null;
  /** It asks somebody, or is paused, or waits for a run that does. */
  readonly isSeen: number;
}

export async function listOpen({ store }: World): Promise<readonly OpenRun[]> {
  return rowsOf(
    store,
    `select id, method, state, reason, open_waits > 0 or open_runs > 0 or state in ('paused', 'held') as "isSeen"
     from run where state not in ('completed','failed','cancelled')`,
  );
}

async function listPaused(world: World): Promise<readonly string[]> {
  return (await listOpen(world)).filter(({ state }) => state === "paused").map(({ id }) => id);
}

export async function isAtRest({ store }: World): Promise<boolean> {
  return (await rowsOf(store, OPEN)).length === 0;
}

/** One is enough to know, and each state is looked up. */
const OPEN =
  "select 1 as one from run where state in ('queued','running','waiting','paused','held') limit 1";

/** One that is killed while it stops never says that it has. */
export async function stopAll({ running, time }: World): Promise<void> {
  const stopped = new Set<unknown>();
  for (const each of running()) void each.engine.stop().then(() => stopped.add(each));
  while (running().some((each) => !stopped.has(each))) {
    await time.settle();
    time.pass(1000);
  }
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
