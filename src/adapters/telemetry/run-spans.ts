/**
 * A run as a trace: the run, its steps, and every call of a model. Ids are worked out from ours, so the same run gives
 * the same trace however often it is sent, and runs below a run lie in its trace. No words of a prompt or a reply, nor
 * the title, which may hold some.
 */

import { hashText } from "../../kernel/base/hash.ts";
import { GEN_AI, OPERATIONS, OWN, splitModel } from "./gen-ai-names.ts";
import type { Span } from "./otlp.ts";

export interface TracedRun {
  readonly id: string;
  /** The run above all others. */
  readonly rootId: string;
  readonly parentRunId: string | null;
  readonly method: string;
  readonly state: string;
  readonly reason: string | null;
  readonly projectId: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

export interface TracedExchange {
  readonly id: string;
  readonly jobId: string;
  readonly step: string;
  readonly item: string | null;
  readonly attempt: number;
  readonly continuation: number;
  readonly model: string;
  readonly contract: string;
  readonly promptHash: string;
  readonly createdAt: number;
  readonly outcome: string | null;
  readonly finish: string | null;
  readonly failure: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly costMicroUsd: number | null;
  readonly finishedAt: number | null;
}

export function runSpan(run: TracedRun): Span {
  const { id, rootId, parentRunId, method, state, startedAt, createdAt, finishedAt } = run;
  return {
    traceId: traceIdOf(rootId),
    spanId: spanIdOf(id),
    parentSpanId: parentRunId === null ? undefined : spanIdOf(parentRunId),
    name: `${OPERATIONS.workflow} ${method}`,
    kind: "internal",
    startMs: startedAt ?? createdAt,
    endMs: finishedAt ?? startedAt ?? createdAt,
    attributes: {
      [GEN_AI.operation]: OPERATIONS.workflow,
      [GEN_AI.workflow]: method,
      [GEN_AI.inputTokens]: run.inputTokens,
      [GEN_AI.outputTokens]: run.outputTokens,
      [OWN.runId]: id,
      [OWN.runState]: state,
      [OWN.projectId]: run.projectId ?? undefined,
      [OWN.cost]: run.costMicroUsd / 1e6,
      [GEN_AI.errorType]: state === "failed" ? codeOf(run.reason) : undefined,
    },
    error: state === "failed" ? codeOf(run.reason) : undefined,
  };
}

/** The calls, each under the step it was made for. All of one job must be given together. */
export function exchangeSpans(run: TracedRun, exchanges: readonly TracedExchange[]): Span[] {
  const jobs = Map.groupBy(exchanges, ({ jobId }) => jobId);
  return [...jobs].flatMap(([jobId, calls]) => [
    stepSpan(run, jobId, calls),
    ...calls.map((exchange) => callSpan(run, exchange)),
  ]);
}

function stepSpan(run: TracedRun, jobId: string, calls: readonly TracedExchange[]): Span {
  const [first] = calls;
  const step = first?.step ?? "";
  const last = calls.at(-1);
  const hasFailed = last?.outcome !== "answered";
  return {
    traceId: traceIdOf(run.rootId),
    spanId: spanIdOf(jobId),
    parentSpanId: spanIdOf(run.id),
    name: `step ${step}`,
    kind: "internal",
    startMs: Math.min(...calls.map(({ createdAt }) => createdAt)),
    endMs: Math.max(...calls.map(({ finishedAt, createdAt }) => finishedAt ?? createdAt)),
    attributes: {
      [OWN.runId]: run.id,
      [OWN.step]: step,
      [OWN.item]: first?.item ?? undefined,
      [OWN.attempt]: last?.attempt,
    },
    error: hasFailed ? (last?.failure ?? "lost") : undefined,
  };
}

function callSpan(run: TracedRun, exchange: TracedExchange): Span {
  const { provider, model } = splitModel(exchange.model);
  const error = exchange.outcome === "answered" ? undefined : (exchange.failure ?? "lost");
  return {
    traceId: traceIdOf(run.rootId),
    spanId: spanIdOf(exchange.id),
    parentSpanId: spanIdOf(exchange.jobId),
    name: `${OPERATIONS.chat} ${model}`,
    kind: "client",
    startMs: exchange.createdAt,
    endMs: exchange.finishedAt ?? exchange.createdAt,
    attributes: {
      [GEN_AI.operation]: OPERATIONS.chat,
      [GEN_AI.provider]: provider,
      [GEN_AI.requestModel]: model,
      [GEN_AI.promptName]: exchange.contract,
      [GEN_AI.promptVersion]: exchange.promptHash,
      [GEN_AI.finishReasons]: exchange.finish === null ? undefined : [exchange.finish],
      [GEN_AI.inputTokens]: exchange.inputTokens ?? undefined,
      [GEN_AI.outputTokens]: exchange.outputTokens ?? undefined,
      [GEN_AI.cachedTokens]: exchange.cachedTokens ?? undefined,
      [GEN_AI.errorType]: error,
      [OWN.exchangeId]: exchange.id,
      [OWN.attempt]: exchange.attempt,
      [OWN.continuation]: exchange.continuation,
      [OWN.outcome]: exchange.outcome ?? "open",
      [OWN.cost]: exchange.costMicroUsd === null ? undefined : exchange.costMicroUsd / 1e6,
    },
    error,
  };
}

export function traceIdOf(rootRunId: string): string {
  return hashText(`trace ${rootRunId}`).slice(0, 32);
}

export function spanIdOf(id: string): string {
  return hashText(`span ${id}`).slice(0, 16);
}

function codeOf(reason: string | null): string {
  return reason === null
    ? "failed"
    : ((JSON.parse(reason) as { readonly code?: string }).code ?? "failed");
}
