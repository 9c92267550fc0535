/** Runs of which something is taken up are shown as running. */

import type { DatabaseWork } from "../store/database-work.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { changeState, isParking, lockFreeRuns, type RunDraft, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";

/**
 * At the end of the transaction, so that nothing is waited for with a run in hand, and only those that nobody else is
 * writing at this moment: whoever holds them, we or others, settles their state anyway.
 */
export function* rouseRuns(transaction: EngineTransaction): DatabaseWork<void> {
  const { roused, lockedRuns } = transaction;
  const others = [...roused].filter((id) => !lockedRuns.has(id));
  if (others.length === 0) return;
  const runs = yield* lockFreeRuns(others);
  for (const run of runs.values()) rouse(transaction, run);
  yield* writeRuns(transaction, runs);
}

/** What settling leaves of it is said when the run is written. */
export function rouse(transaction: EngineTransaction, run: RunDraft): void {
  const canMove = !isEnded(run.state) && !isParking(run) && run.openJobs > 0;
  if (canMove) changeState(transaction, run, { state: "running" });
}
