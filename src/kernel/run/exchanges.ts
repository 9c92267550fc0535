/** Prompts and answers, kept as they were: an exchange row when the prompt goes out, an answer row when it is over. */

import { hashRepeated, hashText } from "../base/hash.ts";
import { type DatabaseWork, runSql, writeRows, writeSql } from "../store/database-work.ts";
import type { AnswerOutcome } from "../store/engine-tables.ts";
import { promptHash, type StoredMessage } from "../store/exchange-hash.ts";
import { insertText, sqlOverRows, sqlText } from "../store/sql-text.ts";
import type { Reservation } from "./budgets.ts";
import type { PromptMessage, TurnPlan } from "./handler.ts";

export interface NewExchange {
  readonly id: string;
  readonly runId: string;
  readonly jobId: string;
  readonly step: string;
  readonly item: string | null;
  readonly attempt: number;
  readonly continuation: number;
  readonly plan: TurnPlan;
  /** The plan's messages, with what a continuation adds. */
  readonly messages: readonly PromptMessage[];
  readonly reserved: Reservation;
}

export function* insertExchanges(
  exchanges: readonly NewExchange[],
  now: number,
): DatabaseWork<void> {
  if (exchanges.length === 0) return;
  const shared = new Map<string, string>();
  const rows = exchanges.map((exchange) => ({
    id: exchange.id,
    run_id: exchange.runId,
    job_id: exchange.jobId,
    step: exchange.step,
    item: exchange.item,
    attempt: exchange.attempt,
    continuation: exchange.continuation,
    model: exchange.plan.model,
    contract: exchange.plan.contract.name,
    messages: JSON.stringify(exchange.messages.map((message) => storedMessage(message, shared))),
    prompt_hash: promptHash(exchange.messages),
    trace: exchange.plan.prompt.trace === null ? null : JSON.stringify(exchange.plan.prompt.trace),
    reserved_micro_usd: exchange.reserved.microUsd,
    reserved_tokens: exchange.reserved.tokens,
    created_at: now,
  }));
  if (shared.size > 0) {
    const texts = [...shared].map(([hash, body]) => ({ hash, body }));
    yield* writeRows(INSERT_TEXTS, texts);
  }
  yield* writeRows(INSERT_EXCHANGES, rows);
}

export interface NewAnswer {
  readonly exchangeId: string;
  readonly runId: string;
  readonly outcome: AnswerOutcome;
  readonly reply: string;
  readonly finish: string | null;
  readonly rawFinish: string | null;
  /** Repairs and problems of reading it, as JSON. */
  readonly reading: string | null;
  readonly failure: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly costMicroUsd: number | null;
  readonly isCostEstimated: boolean;
}

export function* insertAnswers(answers: readonly NewAnswer[], now: number): DatabaseWork<void> {
  if (answers.length === 0) return;
  const rows = answers.map((answer) => ({
    exchange_id: answer.exchangeId,
    run_id: answer.runId,
    outcome: answer.outcome,
    reply: answer.reply,
    reply_hash: hashText(answer.reply),
    finish: answer.finish,
    raw_finish: answer.rawFinish,
    reading: answer.reading,
    failure: answer.failure,
    input_tokens: answer.inputTokens,
    output_tokens: answer.outputTokens,
    cached_tokens: answer.cachedTokens,
    cost_micro_usd: answer.costMicroUsd,
    is_cost_estimated: answer.isCostEstimated ? 1 : 0,
    finished_at: now,
  }));
  yield* writeRows(INSERT_ANSWERS, rows);
}

export interface OpenExchange {
  readonly id: string;
  readonly run_id: string;
  readonly job_id: string;
  readonly model: string;
  readonly attempt: number;
  readonly continuation: number;
  readonly messages: string;
  /** What had been received when it was last written down. */
  readonly received: string;
}

/** Exchanges of these jobs that were sent and never answered: their worker is gone. */
export function* listOpenExchanges(
  jobs: readonly { readonly id: string; readonly run_id: string }[],
): DatabaseWork<readonly OpenExchange[]> {
  if (jobs.length === 0) return [];
  const rows = yield* runSql<Omit<OpenExchange, "received">>(LIST_OPEN, [
    JSON.stringify(jobs.map(({ id, run_id }) => ({ id, run_id }))),
  ]);
  const open: OpenExchange[] = [];
  for (const row of rows) {
    const deltas = yield* runSql<{ body: string }>(LIST_DELTAS, [row.id]);
    open.push({ ...row, received: deltas.map(({ body }) => body).join("") });
  }
  return open;
}

export function* isAnswered(exchangeId: string): DatabaseWork<boolean> {
  return (yield* runSql(FIND_ANSWER, [exchangeId])).length > 0;
}

/** Keeps a piece of a reply under way. A worker whose lease is gone keeps nothing. */
export function* appendDelta(
  exchangeId: string,
  body: string,
  lease: { readonly id: string; readonly fence: number },
): DatabaseWork<void> {
  yield* writeSql(INSERT_DELTA, [exchangeId, body, lease.id, lease.fence]);
}

export function* deleteDeltas(exchangeIds: readonly string[]): DatabaseWork<void> {
  if (exchangeIds.length === 0) return;
  yield* writeSql(DELETE_DELTAS, [JSON.stringify(exchangeIds.map((id) => ({ id })))]);
}

function storedMessage(
  { role, text, isShared }: PromptMessage,
  shared: Map<string, string>,
): StoredMessage {
  if (!isShared) return { role, text };
  const hash = hashRepeated(text);
  shared.set(hash, text);
  return { role, shared: hash };
}

const INSERT_TEXTS = insertText(
  "text",
  { hash: "text", body: "text" },
  "on conflict (hash) do nothing",
);
const INSERT_EXCHANGES = insertText("exchange", {
  id: "text",
  run_id: "text",
  job_id: "text",
  step: "text",
  item: "text",
  attempt: "int",
  continuation: "int",
  model: "text",
  contract: "text",
  messages: "text",
  prompt_hash: "text",
  trace: "text",
  reserved_micro_usd: "int",
  reserved_tokens: "int",
  created_at: "int",
});
const INSERT_ANSWERS = insertText("answer", {
  exchange_id: "text",
  run_id: "text",
  outcome: "text",
  reply: "text",
  reply_hash: "text",
  finish: "text",
  raw_finish: "text",
  reading: "text",
  failure: "text",
  input_tokens: "int",
  output_tokens: "int",
  cached_tokens: "int",
  cost_micro_usd: "int",
  is_cost_estimated: "int",
  finished_at: "int",
});
const LIST_OPEN = sqlOverRows(
  { id: "text", run_id: "text" },
  `select e.id, e.run_id, e.job_id, e.model, e.attempt, e.continuation, e.messages from {rows}
   join exchange e on e.run_id = x.run_id and e.job_id = x.id
   where not exists (select 1 from answer a where a.exchange_id = e.id) order by e.id`,
);
const FIND_ANSWER = sqlText("select 1 from answer where exchange_id = ?");
const LIST_DELTAS = sqlText("select body from delta where exchange_id = ? order by id");
const INSERT_DELTA = {
  sqlite: `insert into delta (exchange_id, body) select ?, ?
    where exists (select 1 from job where id = ? and fence = ? and state = 'leased')`,
  // The lock keeps whoever ends the job waiting until this piece can be seen, and this piece from coming after the end.
  postgres: `insert into delta (exchange_id, body) select $1::text, $2::text
    from (select 1 from job where id = $3 and fence = $4 and state = 'leased' for share) as held`,
};
const DELETE_DELTAS = sqlOverRows(
  { id: "text" },
  "delete from delta where exchange_id in (select id from {rows})",
);
