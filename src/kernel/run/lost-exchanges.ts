/**
 * What earlier tries of a job left behind. A call whose worker died is kept as lost, with what it probably used,
 * and the text received until then is gone on from. A reply that was kept but not decided on is decided on now.
 */

import { estimateTokens } from "../model/estimate-tokens.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { bookUse } from "./book-use.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { deleteDeltas, insertAnswers, listOpenExchanges, type NewAnswer } from "./exchanges.ts";
import type { JobRow } from "./jobs.ts";
import type { Reason } from "./limits.ts";
import { lockFreeRuns, type RunDrafts, writeRuns } from "./run-drafts.ts";

/** Where a new try of a job takes up. */
export interface Resumption {
  readonly received: string;
  readonly keptReply?: KeptReply;
}

export interface KeptReply {
  readonly exchangeId: string;
  /** All of it, joined where it was continued. */
  readonly text: string;
}

const WORKER_LOST: Reason = {
  code: "worker_lost",
  message: "The worker that made this call is gone.",
};

/** Jobs whose run is in other hands at this moment are left as they are. */
export interface Takeover {
  readonly resumptions: ReadonlyMap<string, Resumption>;
  readonly busyJobs: ReadonlySet<string>;
}

/** Never waits for a run, so it may follow the locks of a claim. */
export function* loseExchanges(
  transaction: EngineTransaction,
  rows: readonly Pick<JobRow, "id" | "run_id" | "progress">[],
  reason: Reason = WORKER_LOST,
  /** The runs, where the caller holds and writes them. */
  locked?: RunDrafts,
): DatabaseWork<Takeover> {
  const resumptions = new Map<string, Resumption>();
  const busyJobs = new Set<string>();
  if (rows.length === 0) return { resumptions, busyJobs };
  for (const { id, progress } of rows) {
    if (progress !== null) resumptions.set(id, parseProgress(progress));
  }
  const found = yield* listOpenExchanges(rows);
  if (found.length === 0) return { resumptions, busyJobs };
  const runs = locked ?? (yield* lockFreeRuns(found.map((exchange) => exchange.run_id)));
  const open = found.filter(({ run_id }) => runs.has(run_id));
  for (const { run_id, job_id } of found) if (!runs.has(run_id)) busyJobs.add(job_id);
  const answers = open.map((exchange): NewAnswer => {
    // What a continuation received is no reply without what came before it.
    const before = resumptions.get(exchange.job_id)?.received ?? "";
    const received = exchange.continuation === 0 ? exchange.received : before;
    resumptions.set(exchange.job_id, { received });
    const usage = {
      inputTokens: estimateTokens(exchange.messages),
      outputTokens: estimateTokens(exchange.received),
    };
    return {
      exchangeId: exchange.id,
      runId: exchange.run_id,
      outcome: "lost",
      reply: exchange.received,
      finish: null,
      rawFinish: null,
      reading: null,
      failure: JSON.stringify(reason),
      ...usage,
      cachedTokens: null,
      costMicroUsd: transaction.costOf(exchange.model, usage) ?? null,
      isCostEstimated: true,
    };
  });
  yield* insertAnswers(answers, transaction.now);
  yield* deleteDeltas(open.map(({ id }) => id));
  for (const answer of answers) bookUse(transaction, runs.get(answer.runId), answer);
  if (!locked) yield* writeRuns(transaction, runs);
  return { resumptions, busyJobs };
}

/** Kept on a job that is held although its reply was good: trying again decides again, without a call. */
export function progressOf(answer: KeptReply): string {
  return JSON.stringify({ exchangeId: answer.exchangeId, text: answer.text } satisfies KeptReply);
}

/** Kept on a job that a limit stopped between two calls: when it goes on, it goes on from here. */
export function progressOfPart(received: string): string | null {
  return received === "" ? null : JSON.stringify({ received });
}

function parseProgress(progress: string): Resumption {
  const kept = JSON.parse(progress) as KeptReply | { readonly received: string };
  return "received" in kept ? { received: kept.received } : { received: "", keptReply: kept };
}
