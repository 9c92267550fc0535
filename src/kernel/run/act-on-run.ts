/**
 * What a person does to a run in the words of its method: skip a step, run one again, force a join. Decided and
 * applied in one transaction, so that it is refused at once or has happened.
 */

import { notFound, ProductError } from "../base/errors.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { applyDecisions } from "./apply-decisions.ts";
import { toView } from "./claim.ts";
import type { Decision } from "./decision.ts";
import { closeEndedRuns } from "./end-runs.ts";
import { type EngineTools, inEngineTransaction } from "./engine-transaction.ts";
import type { JobRow } from "./jobs.ts";
import { changeState, lockRuns, type RunDraft, writeRuns } from "./run-drafts.ts";
import { isEnded } from "./run-state.ts";

export interface Act {
  readonly runId: string;
  readonly actor: string;
  /** A run that has completed or failed goes on with what is decided; without it, an ended run is refused. */
  readonly reopens?: boolean;
}

export function actOnRun(
  tools: EngineTools,
  { runId, actor, reopens = false }: Act,
  decide: () => DatabaseWork<Decision>,
  now: number,
): DatabaseWork<void> {
  return inEngineTransaction(tools, now, function* (transaction) {
    const runs = yield* lockRuns([runId]);
    const run = runs.get(runId);
    if (!run) throw notFound("run", runId);
    if (isEnded(run.state)) {
      checkReopening(run, reopens);
      run.result = undefined;
      changeState(transaction, run, { state: "queued", actor });
    }
    const decision = yield* decide();
    const row = actorRow(run, actor, transaction.nextId(), now);
    const view = toView(row, run, now);
    const job = { view, run, row, exchangeId: undefined, decision, isOver: false, isFailed: false };
    run.isChanged = true;
    yield* applyDecisions(transaction, runs, [job]);
    yield* writeRuns(transaction, runs);
    if (isEnded(run.state)) yield* closeEndedRuns(transaction, [run]);
  });
}

function checkReopening(run: RunDraft, reopens: boolean): void {
  if (!reopens || run.state === "cancelled") {
    throw new ProductError("run_ended", `The run is ${run.state}.`, {
      kind: "conflict",
      hint: run.state === "cancelled" ? "Start a new run." : "Look at it with `run show`.",
    });
  }
  if (run.parentRunId !== null) {
    throw new ProductError(
      "run_has_parent",
      "The run that started this one has heard of its end.",
      {
        kind: "conflict",
        hint: "Run the step of the other run again.",
        details: { parentRunId: run.parentRunId },
      },
    );
  }
}

/** Decisions come from jobs; this one comes from a person, and is told apart by its handler. */
function actorRow(run: RunDraft, actor: string, id: string, now: number): JobRow {
  return {
    id,
    run_id: run.id,
    key: "",
    kind: "move",
    handler: "person",
    step: actor,
    item: null,
    input: "null",
    state: "done",
    lane: "move",
    priority: 0,
    run_at: now,
    attempt: 1,
    fence: 0,
    batch_id: null,
    progress: null,
    message: null,
  };
}
