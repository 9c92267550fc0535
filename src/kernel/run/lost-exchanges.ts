/**
 * What earlier tries of a job left behind. A call whose worker died is kept as lost, with what it probably used,
 * and the text received until then is gone on from. A reply that was kept but not decided on is decided on now.
 */

import { estimateTokens } from "../model/estimate-tokens.ts";
import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import { deleteDeltas, insertAnswers, listOpenExchanges, type NewAnswer } from "./exchanges.ts";
import type { JobRow } from "./jobs.ts";
import { lockRuns, writeRuns } from "./run-drafts.ts";
import { bookUse } from "./settle.ts";

/** Where a new try of a job takes up. */
export interface Resumption {
  readonly received: string;
  readonly keptReply?: { readonly exchangeId: string; readonly text: string };
}

export function* loseExchanges(
  transaction: EngineTransaction,
  rows: readonly JobRow[],
): DatabaseWork<ReadonlyMap<string, Resumption>> {
  const resumptions = new Map<string, Resumption>();
  if (rows.length === 0) return resumptions;
  for (const { id, progress } of rows) {
    const keptReply = yield* findKeptReply(progress);
    if (keptReply) resumptions.set(id, { received: "", keptReply });
  }
  const open = yield* listOpenExchanges(rows.map(({ id }) => id));
  if (open.length === 0) return resumptions;
  const runs = yield* lockRuns(open.map((exchange) => exchange.run_id));
  const answers = open.map((exchange): NewAnswer => {
    resumptions.set(exchange.job_id, { received: exchange.received });
    return {
      exchangeId: exchange.id,
      runId: exchange.run_id,
      outcome: "lost",
      reply: exchange.received,
      finish: null,
      rawFinish: null,
      reading: null,
      failure: JSON.stringify({
        code: "worker_lost",
        message: "The worker that made this call is gone.",
      }),
      inputTokens: estimateTokens(exchange.messages),
      outputTokens: estimateTokens(exchange.received),
      cachedTokens: null,
      costMicroUsd: null,
      isCostEstimated: true,
    };
  });
  yield* insertAnswers(answers, transaction.now);
  yield* deleteDeltas(open.map(({ id }) => id));
  for (const answer of answers) bookUse(runs.get(answer.runId), answer);
  yield* writeRuns(transaction, runs);
  return resumptions;
}

function* findKeptReply(progress: string | null): DatabaseWork<Resumption["keptReply"]> {
  if (progress === null) return undefined;
  const { redecide } = JSON.parse(progress) as { redecide?: string };
  if (redecide === undefined) return undefined;
  const [found] = yield* runSql<{ reply: string | null }>(FIND_REPLY, [redecide]);
  return typeof found?.reply === "string" ? { exchangeId: redecide, text: found.reply } : undefined;
}

const FIND_REPLY = sqlText("select reply from answer where exchange_id = ?");
