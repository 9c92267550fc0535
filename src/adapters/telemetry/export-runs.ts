/**
 * Sends the traces of runs as they end. The store is the truth; a collector that is away misses runs, and nothing else
 * waits for it. Begins with what ends from now on.
 */

import type { Kernel } from "../../kernel/operation/kernel.ts";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import { latestCursor, readEvents } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { callMetrics } from "./call-metrics.ts";
import { metricRequest, type Resource, traceRequest } from "./otlp.ts";
import { exchangeSpans, runSpan, type TracedExchange, type TracedRun } from "./run-spans.ts";
import type { TelemetrySettings } from "./telemetry-settings.ts";

const ENDS = new Set(["run.completed", "run.failed", "run.cancelled"]);
const EVENTS = 500;
const EXCHANGES = 400;
const PATIENCE_MS = 10_000;
/** Deeper than runs can be nested. */
const MOST_DEPTH = 50;

export interface RunExporter {
  /** Everything that has ended since the last time. */
  exportEnded(signal: AbortSignal): Promise<void>;
}

export function createRunExporter(
  { store, clock }: Pick<Kernel, "store" | "clock">,
  settings: TelemetrySettings,
  serviceVersion: string,
): RunExporter {
  const resource: Resource = { serviceName: settings.serviceName, serviceVersion };
  const { dialect } = store;
  let after: string | undefined;
  const post = (url: string, body: object, signal: AbortSignal) =>
    postJson(url, settings.headers, body, signal);
  const exportRun = async (id: string, signal: AbortSignal) => {
    const run = await store.read(() => findRun(id));
    if (run === undefined) return;
    await post(settings.tracesUrl, traceRequest(resource, [runSpan(run)]), signal);
    let place: Place | undefined = { jobId: "", id: "" };
    while (place !== undefined) {
      const page: Page = await store.read(() => listExchanges(id, place ?? { jobId: "", id: "" }));
      place = page.next;
      if (page.exchanges.length === 0) break;
      const { exchanges } = page;
      await post(settings.tracesUrl, traceRequest(resource, exchangeSpans(run, exchanges)), signal);
      if (settings.metricsUrl === "") continue;
      const startMs = Math.min(...exchanges.map(({ createdAt }) => createdAt));
      const span = { startMs, endMs: clock.now() };
      await post(
        settings.metricsUrl,
        metricRequest(resource, callMetrics(exchanges), span),
        signal,
      );
    }
  };
  return {
    exportEnded: async (signal) => {
      after ??= await store.read(() => latestCursor(dialect));
      for (;;) {
        const events = await store.read(() => readEvents(dialect, { after, limit: EVENTS }));
        // Whatever comes of it, they are not tried again.
        after = events.at(-1)?.cursor ?? after;
        const ended = events.filter(({ type }) => ENDS.has(type)).map(({ stream }) => stream);
        for (const id of new Set(ended)) await exportRun(id, signal);
        if (events.length < EVENTS || signal.aborted) return;
      }
    },
  };
}

async function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The telemetry collector answered with ${response.status}.`);
}

function* findRun(id: string): DatabaseWork<TracedRun | undefined> {
  const row = yield* queryFirst(db.selectFrom("run").selectAll().where("id", "=", id));
  if (row === undefined) return undefined;
  return {
    id,
    rootId: yield* findRoot(id, row.parent_run_id),
    parentRunId: row.parent_run_id,
    method: row.method,
    state: row.state,
    reason: row.reason,
    projectId: row.project_id,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    costMicroUsd: row.cost_micro_usd,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

function* findRoot(id: string, parent: string | null): DatabaseWork<string> {
  let [root, above] = [id, parent];
  for (let depth = 0; above !== null && depth < MOST_DEPTH; depth += 1) {
    root = above;
    const row = yield* queryFirst(
      db.selectFrom("run").select("parent_run_id").where("id", "=", root),
    );
    above = row?.parent_run_id ?? null;
  }
  return root;
}

interface Place {
  readonly jobId: string;
  readonly id: string;
}

interface Page {
  readonly exchanges: readonly TracedExchange[];
  readonly next: Place | undefined;
}

/** Job by job: a job that a page would cut in two is left to the next one, unless it fills a page alone. */
function* listExchanges(runId: string, after: Place): DatabaseWork<Page> {
  const rows = yield* query(
    db
      .selectFrom("exchange")
      .leftJoin("answer", "answer.exchange_id", "exchange.id")
      .select([
        "exchange.id",
        "exchange.job_id",
        "exchange.step",
        "exchange.item",
        "exchange.attempt",
        "exchange.continuation",
        "exchange.model",
        "exchange.contract",
        "exchange.prompt_hash",
        "exchange.created_at",
        "answer.outcome",
        "answer.finish",
        "answer.failure",
        "answer.input_tokens",
        "answer.output_tokens",
        "answer.cached_tokens",
        "answer.cost_micro_usd",
        "answer.finished_at",
      ])
      .where("exchange.run_id", "=", runId)
      .where((where) =>
        where.or([
          where("exchange.job_id", ">", after.jobId),
          where.and([
            where("exchange.job_id", "=", after.jobId),
            where("exchange.id", ">", after.id),
          ]),
        ]),
      )
      .orderBy("exchange.job_id")
      .orderBy("exchange.id")
      .limit(EXCHANGES),
  );
  const isLast = rows.length < EXCHANGES;
  const lastJob = rows.at(-1)?.job_id;
  const whole = rows.filter(({ job_id }) => job_id !== lastJob);
  const shown = isLast || whole.length === 0 ? rows : whole;
  const end = shown.at(-1);
  return {
    exchanges: shown.map((row) => ({
      id: row.id,
      jobId: row.job_id,
      step: row.step,
      item: row.item,
      attempt: row.attempt,
      continuation: row.continuation,
      model: row.model,
      contract: row.contract,
      promptHash: row.prompt_hash,
      createdAt: row.created_at,
      outcome: row.outcome,
      finish: row.finish,
      failure: failureCode(row.failure),
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedTokens: row.cached_tokens,
      costMicroUsd: row.cost_micro_usd,
      finishedAt: row.finished_at,
    })),
    next: isLast || end === undefined ? undefined : { jobId: end.job_id, id: end.id },
  };
}

/** Its code alone: the rest may quote what a provider said. */
function failureCode(failure: string | null): string | null {
  if (failure === null) return null;
  try {
    const { code, kind } = JSON.parse(failure) as {
      readonly code?: string;
      readonly kind?: string;
    };
    return code ?? kind ?? "failed";
  } catch {
    return "failed";
  }
}
