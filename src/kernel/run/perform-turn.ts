/**
 * One turn, from its first call to what is settled: calls the model, writes down what arrives, reads it by the
 * contract and follows the course. The only place in the product that calls a model.
 */

import type { Clock } from "../base/clock.ts";
import { joinContinuation } from "../contract/join-continuation.ts";
import { readReply } from "../contract/read-reply.ts";
import type { Reading } from "../contract/reading.ts";
import { jsonSchemaOf } from "../contract/shape.ts";
import { ModelError } from "../model/model-error.ts";
import type { ModelFinish, ModelRequest, Usage } from "../model/model-provider.ts";
import type { Store } from "../store/store.ts";
import type { TurnLease } from "./claim.ts";
import { appendDelta, type NewAnswer, type NewExchange } from "./exchanges.ts";
import type { PromptMessage } from "./handler.ts";
import type { ConfiguredModel, ModelDirectory } from "./model-directory.ts";
import type { Settlement } from "./settle.ts";
import { nextStep, type TurnCourse } from "./turn-course.ts";
import { continueMessages, correctMessages } from "./turn-messages.ts";

export interface TurnTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly models: ModelDirectory;
  nextId(): string;
  /** Between 0 and 1. */
  random(): number;
  /** Keeps an answer and the prompt of the next call in one transaction. False when the lease is lost. */
  exchangeAgain(
    lease: TurnLease,
    answer: NewAnswer,
    next: NewExchange,
    hasDeltas: boolean,
  ): Promise<boolean>;
  /** Text as it arrives, for whoever watches. */
  onDelta?(lease: TurnLease, exchangeId: string, text: string): void;
}

const FLUSH_MS = 250;
const FLUSH_CHARACTERS = 4096;
const MAX_CONTINUATIONS = 5;
const MAX_ATTEMPTS = 5;
const DEFAULT_OUTPUT_TOKENS = 8192;

/** Undefined when the lease was lost or the call was cancelled: then there is nothing to settle. */
export async function performTurn(
  tools: TurnTools,
  lease: TurnLease,
  signal: AbortSignal,
): Promise<Settlement | undefined> {
  const { plan } = lease;
  if (lease.keptReply) return settleKept(lease, lease.keptReply);
  const model = await tools.models.find(plan.model);
  let state: TurnState = firstState(lease);
  for (;;) {
    const call = await callModel(tools, lease, model, state, signal);
    if (signal.aborted) return undefined;
    const text = joined(state.soFar, call.text);
    const reading = readReply(plan.contract, text, finishOf(call));
    const answer = toAnswer(lease, state, call, reading, model);
    const step = nextStep(
      courseOf(lease, state),
      { text, reading, error: call.error },
      tools.random(),
    );
    const settled = {
      row: lease.row,
      view: lease.view,
      answers: [answer],
      hasDeltas: call.hasDeltas,
    };
    switch (step.kind) {
      case "accept": {
        const exchangeId = state.exchange.id;
        return {
          ...settled,
          outcome: { kind: "accepted", answer: { value: step.value, exchangeId, reading, text } },
        };
      }
      case "retry":
        return {
          ...settled,
          outcome: { kind: "retry", at: tools.clock.now() + step.delayMs, reason: step.reason },
        };
      case "give_up": {
        const failure = { reason: step.reason, exchangeId: state.exchange.id, text };
        return { ...settled, outcome: { kind: "failed", failure } };
      }
      case "continue":
        state = nextState(tools, state, {
          soFar: text,
          messages: continueMessages(plan, text),
          continuations: state.continuations + 1,
        });
        break;
      case "correct":
        state = nextState(tools, state, {
          soFar: "",
          messages: correctMessages(plan, step.reading, text),
          corrections: state.corrections + 1,
        });
        break;
      case "enlarge":
        state = nextState(tools, state, {
          soFar: "",
          messages: plan.prompt.messages,
          enlargements: state.enlargements + 1,
        });
        break;
    }
    if (!(await tools.exchangeAgain(lease, answer, state.exchange, call.hasDeltas)))
      return undefined;
  }
}

/** Where the turn stands between two calls. */
interface TurnState {
  readonly exchange: NewExchange;
  readonly soFar: string;
  readonly continuations: number;
  readonly corrections: number;
  readonly enlargements: number;
}

function firstState(lease: TurnLease): TurnState {
  const { exchange, soFar } = lease;
  return { exchange, soFar, continuations: exchange.continuation, corrections: 0, enlargements: 0 };
}

function nextState(
  tools: TurnTools,
  state: TurnState,
  change: {
    readonly soFar: string;
    readonly messages: readonly PromptMessage[];
  } & Partial<TurnState>,
): TurnState {
  const { messages, ...rest } = change;
  const exchange = {
    ...state.exchange,
    id: tools.nextId(),
    continuation: state.exchange.continuation + 1,
    messages,
  };
  return { ...state, ...rest, exchange };
}

interface Call {
  readonly text: string;
  readonly finish: ModelFinish | undefined;
  readonly error: ModelError | undefined;
  readonly hasDeltas: boolean;
}

async function callModel(
  tools: TurnTools,
  lease: TurnLease,
  model: ConfiguredModel,
  state: TurnState,
  signal: AbortSignal,
): Promise<Call> {
  const { clock, store } = tools;
  let text = "";
  let flushed = 0;
  let flushedAt = clock.elapsed();
  let hasDeltas = false;
  try {
    for await (const delta of model.provider.call(requestOf(lease, model, state), { signal })) {
      if (delta.type === "finish") return { text, finish: delta, error: undefined, hasDeltas };
      if (delta.type === "reasoning") continue;
      text += delta.text;
      tools.onDelta?.(lease, state.exchange.id, delta.text);
      const isDue =
        clock.elapsed() - flushedAt >= FLUSH_MS || text.length - flushed >= FLUSH_CHARACTERS;
      // A call that ends within one beat never writes deltas: its answer comes at once.
      if (isDue && clock.elapsed() - flushedAt >= FLUSH_MS / 10) {
        const body = text.slice(flushed);
        await store.write(() => appendDelta(state.exchange.id, body));
        flushed = text.length;
        flushedAt = clock.elapsed();
        hasDeltas = true;
      }
    }
    const error = new ModelError("cut", "The reply ended without saying that it was whole.");
    return { text, finish: undefined, error, hasDeltas };
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    return { text, finish: undefined, error: thrown, hasDeltas };
  }
}

function requestOf(lease: TurnLease, model: ConfiguredModel, state: TurnState): ModelRequest {
  const { plan, row } = lease;
  const { contract, settings = {} } = plan;
  const syntax = contract.syntaxes[0] ?? "json";
  const room = (settings.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS) * 2 ** state.enlargements;
  return {
    model: model.name,
    messages: state.exchange.messages,
    maxOutputTokens: room,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(state.enlargements > 0
      ? { reasoning: "low" as const }
      : settings.reasoning === undefined
        ? {}
        : { reasoning: settings.reasoning }),
    outputSchema: jsonSchemaOf(contract),
    syntax:
      syntax === "json" ? { kind: "json" } : { kind: "sections", sections: contract.sections },
    labels: {
      run: row.run_id,
      step: row.step,
      ...(row.item === null ? {} : { item: row.item }),
      attempt: row.attempt,
      continuation: state.exchange.continuation,
    },
    ...(state.soFar === "" ? {} : { continuationOf: { text: state.soFar } }),
  };
}

function joined(soFar: string, text: string): string {
  return soFar === "" ? text : joinContinuation(soFar, text).text;
}

function finishOf({ finish, error }: Call): { finish: string; rawFinish?: string } {
  if (error || !finish) return { finish: "cut" };
  return finish.rawReason === undefined
    ? { finish: finish.reason }
    : { finish: finish.reason, rawFinish: finish.rawReason };
}

function toAnswer(
  lease: TurnLease,
  { exchange }: TurnState,
  { text, finish, error }: Call,
  reading: Reading<unknown>,
  model: ConfiguredModel,
): NewAnswer {
  const usage: Usage = finish?.usage ?? {};
  return {
    exchangeId: exchange.id,
    runId: lease.row.run_id,
    outcome: error && text === "" ? "failed" : "answered",
    reply: text,
    finish: finish?.reason ?? "cut",
    rawFinish: finish?.rawReason ?? null,
    reading: readingRecord(reading),
    failure: error ? JSON.stringify({ code: error.code, message: error.message }) : null,
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    cachedTokens: usage.cachedInputTokens ?? null,
    costMicroUsd: model.costOf(usage) ?? null,
    isCostEstimated: false,
  };
}

/** The value itself is not kept twice: it is read from the reply again whenever it is wanted. */
function readingRecord(reading: Reading<unknown>): string | null {
  if (reading.ok) {
    return reading.repairs.length === 0
      ? null
      : JSON.stringify({ loss: reading.loss, repairs: reading.repairs });
  }
  const { failure, problems, repairs, loss } = reading;
  return JSON.stringify({ failure, problems, repairs, loss });
}

function settleKept(
  lease: TurnLease,
  { exchangeId, text }: { exchangeId: string; text: string },
): Settlement {
  const settled = { row: lease.row, view: lease.view, answers: [], hasDeltas: false };
  const reading = readReply(lease.plan.contract, text, { finish: "stop" });
  if (reading.ok) {
    return {
      ...settled,
      outcome: { kind: "accepted", answer: { value: reading.value, exchangeId, reading, text } },
    };
  }
  const reason = {
    code: "reply_unreadable",
    message: "The kept reply no longer meets its contract.",
  };
  return { ...settled, outcome: { kind: "failed", failure: { reason, exchangeId, text } } };
}

function courseOf(lease: TurnLease, state: TurnState): TurnCourse {
  const { settings = {} } = lease.plan;
  return {
    attempt: lease.row.attempt,
    maxAttempts: settings.maxAttempts ?? MAX_ATTEMPTS,
    continuations: state.continuations,
    maxContinuations: settings.maxContinuations ?? MAX_CONTINUATIONS,
    corrections: state.corrections,
    enlargements: state.enlargements,
  };
}
