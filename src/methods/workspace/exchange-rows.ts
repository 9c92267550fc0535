/** Reading exchanges of runs the caller sees. */

import type { z } from "zod";
import { notFound } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { unpackTrace } from "../../kernel/prompt/prompt-trace.ts";
import { readMessages } from "../../kernel/run/stored-messages.ts";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import type { exchangeSummary, readingShape } from "./exchange-shape.ts";
import { failureText } from "./failure-text.ts";

export type ShownExchange = z.input<typeof exchangeSummary>;
export type ShownReading = z.output<typeof readingShape>;

export interface ExchangePageRequest {
  readonly step?: string | undefined;
  readonly order: "newest" | "oldest";
  readonly limit: number;
  /** The id of the last one seen. */
  readonly after?: string | undefined;
}

/**
 * One more than asked for, to know whether there are others. The page is chosen first, by ids alone: no index holds a
 * run's exchanges in order, and sorting them whole, with their answers, takes a tenth of a second in a long run.
 */
export function* listExchanges(
  runId: string,
  { step, order, limit, after }: ExchangePageRequest,
): DatabaseWork<readonly ShownExchange[]> {
  const direction = order === "newest" ? "desc" : "asc";
  let chosen = db
    .selectFrom("exchange")
    .select("id")
    .where("run_id", "=", runId)
    .orderBy("id", direction)
    .limit(limit + 1);
  if (step !== undefined) chosen = chosen.where("step", "=", step);
  if (after !== undefined) chosen = chosen.where("id", order === "newest" ? "<" : ">", after);
  const ids = (yield* query(chosen)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const page = selectSummaries().where("exchange.id", "in", ids).orderBy("exchange.id", direction);
  return (yield* query(page)).map(toSummary);
}

export interface ExchangeText {
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly promptHash: string;
  readonly trace: Json | undefined;
  readonly reply: string | undefined;
  readonly replyHash: string | undefined;
  readonly finish: string | undefined;
  readonly rawFinish: string | undefined;
  readonly reading: ShownReading | undefined;
  readonly isPruned: boolean;
}

export function* getExchange(id: string): DatabaseWork<ShownExchange> {
  const row = yield* queryFirst(selectSummaries().where("exchange.id", "=", id));
  if (row === undefined) throw notFound("exchange", id);
  return toSummary(row);
}

export function* getExchangeText(id: string): DatabaseWork<ExchangeText> {
  const row = yield* queryFirst(
    db
      .selectFrom("exchange")
      .leftJoin("answer", "answer.exchange_id", "exchange.id")
      .select([
        "exchange.messages",
        "exchange.prompt_hash",
        "exchange.trace",
        "answer.reply",
        "answer.reply_hash",
        "answer.finish",
        "answer.raw_finish",
        "answer.reading",
      ])
      .where("exchange.id", "=", id),
  );
  if (row === undefined) throw notFound("exchange", id);
  const isOpen = row.reply_hash === null;
  const messages = yield* readMessages(row.messages);
  return {
    messages,
    promptHash: row.prompt_hash,
    trace: row.trace === null ? undefined : unpackTrace(JSON.parse(row.trace) as Json),
    reply: isOpen ? yield* receivedSoFar(id) : (row.reply ?? undefined),
    replyHash: row.reply_hash ?? undefined,
    finish: row.finish ?? undefined,
    rawFinish: row.raw_finish ?? undefined,
    reading: row.reading === null ? undefined : (JSON.parse(row.reading) as ShownReading),
    isPruned: messages.length === 0,
  };
}

export function selectSummaries() {
  return db
    .selectFrom("exchange")
    .leftJoin("answer", "answer.exchange_id", "exchange.id")
    .select([
      "exchange.id",
      "exchange.run_id",
      "exchange.step",
      "exchange.item",
      "exchange.attempt",
      "exchange.continuation",
      "exchange.model",
      "exchange.contract",
      "exchange.created_at",
      "answer.outcome",
      "answer.reading",
      "answer.failure",
      "answer.input_tokens",
      "answer.output_tokens",
      "answer.cached_tokens",
      "answer.cost_micro_usd",
      "answer.is_cost_estimated",
      "answer.finished_at",
    ]);
}

type SummaryRow =
  ReturnType<typeof selectSummaries> extends { execute(): Promise<(infer Row)[]> } ? Row : never;

export function toSummary(row: SummaryRow): ShownExchange {
  return {
    id: row.id,
    runId: row.run_id,
    step: row.step,
    item: row.item ?? undefined,
    attempt: row.attempt,
    continuation: row.continuation,
    model: row.model,
    contract: row.contract,
    outcome: row.outcome ?? "open",
    loss: row.reading === null ? undefined : (JSON.parse(row.reading) as ShownReading).loss,
    failure: failureText(row.failure),
    inputTokens: row.input_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    cachedTokens: row.cached_tokens ?? undefined,
    costMicroUsd: row.cost_micro_usd ?? undefined,
    isCostEstimated: row.is_cost_estimated === 1,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
  };
}

function* receivedSoFar(exchangeId: string): DatabaseWork<string | undefined> {
  const deltas = yield* query(
    db.selectFrom("delta").select("body").where("exchange_id", "=", exchangeId).orderBy("id"),
  );
  return deltas.length === 0 ? undefined : deltas.map(({ body }) => body).join("");
}
