/**
 * One flow of a method from start to end, with its process killed at a chosen statement and started again. What came
 * of it is told without ids and moments, so that it can be compared with a flow that nothing happened to.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import { createDice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { Dialect } from "../../src/kernel/store/store.ts";
import { auditEngine, rowsOf } from "../scratch/engine-audit.ts";
import { scratchStore } from "../scratch/scratch-store.ts";
import { answerOne } from "./people.ts";
import { isAtRest, listOpen, stopAll } from "./simulation.ts";
import type { Work } from "./workload.ts";
import { openWorld, type World } from "./world.ts";

export interface Flowed {
  readonly outline: readonly string[];
  /** How many statements and commits the first process was still allowed when all was done. */
  readonly left: number;
  readonly kills: number;
}

/** `killsAt` holds, process by process, the statement before which it is killed. */
export async function flow(
  work: Work,
  dialect: Dialect,
  killsAt: readonly number[] = [],
): Promise<Flowed> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-flow-"));
  const scratch = dialect === "postgres" ? await scratchStore(dialect, MIGRATIONS) : undefined;
  const left = [...killsAt];
  const world = await openWorld("reference", folder, {
    faultsOneIn: 0,
    misbehaves: false,
    saysTheSame: true,
    killsAt: () => left.shift(),
    ...(scratch ? { store: scratch.store } : {}),
  });
  try {
    return await flowIn(world, work);
  } finally {
    if (scratch) await scratch.remove();
    else await world.store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const MOST_STEPS = 3000;

async function flowIn(world: World, work: Work): Promise<Flowed> {
  const { time, ask } = world;
  const dice = createDice("0".repeat(15) + "1");
  const first = await world.startProcess();
  let kills = 0;
  assert.ok(await work.start(ask, dice), `${work.name} was accepted`);
  for (let steps = 0; !(await isAtRest(world)); steps += 1) {
    assert.ok(steps < MOST_STEPS, `it ends: ${JSON.stringify(await listOpen(world))}`);
    await time.settle();
    if (world.running().length === 0) {
      kills += 1;
      await world.startProcess();
    }
    if (steps % 5 === 0) await answerOne(ask, dice, work.answers);
    time.pass(1000);
  }
  const left = first.deadline.statementsLeft;
  await stopAll(world);
  if (kills === 0 && first.deadline.statementsLeft <= 0) kills = 1;
  await auditEngine(world.store);
  return { outline: await outlineOf(world), left, kills };
}

/** Everything that must be there once, counted. How often a dialectic looks what is open is no matter. */
async function outlineOf({ store }: World): Promise<readonly string[]> {
  const outline: string[] = [];
  for (const [what, text] of Object.entries(COUNTED)) {
    const rows = await rowsOf<Record<string, unknown>>(store, text);
    outline.push(...rows.map((row) => `${what} ${Object.values(row).join(" ")}`));
  }
  return outline.toSorted();
}

const COUNTED = {
  run: "select method, state, count(*) as n from run group by method, state",
  job: "select step, state, count(*) as n from job where handler <> 'dialectic.look' group by step, state",
  effect: "select kind, count(*) as n from effect where kind <> 'dialectic.looked' group by kind",
  task: "select stage, status, count(*) as n from task group by stage, status",
  artifact: "select kind, count(*) as n from artifact group by kind",
  harvest:
    "select kind, state, proposed, count(*) as n from harvest group by kind, state, proposed",
  packet: "select status, count(*) as n from packet group by status",
  dialectic:
    "select stage, kind, state, count(*) as n from dialectic_artifact group by stage, kind, state",
  team: "select round, stop_code, count(*) as n from team_run group by round, stop_code",
  envelope:
    "select step, count(*) as n from (select distinct run_id, job_key, step from team_envelope) as each_once group by step",
  version: "select number, count(*) as n from team_version group by number",
  wait: "select kind, state, count(*) as n from wait where kind <> 'held_job' group by kind, state",
} as const;
