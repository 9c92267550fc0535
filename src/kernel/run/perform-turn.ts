/**
 * One turn, from its first call to what is settled: calls the model, writes down what arrives, reads it by the
 * contract and follows the course. The only place in the product that calls a model.
 */

import { describeError } from "../base/errors.ts";
import { joinContinuation } from "../contract/join-continuation.ts";
import { readReply } from "../contract/read-reply.ts";
import type { Reading } from "../contract/reading.ts";
import { type Call, type CallTools, callModel } from "./call-model.ts";
import type { TurnLease } from "./claim.ts";
import type { NewAnswer, NewExchange } from "./exchanges.ts";
import type { PromptMessage } from "./handler.ts";
import type { Settlement } from "./settle.ts";
import { nextStep, type TurnCourse } from "./turn-course.ts";
import { continueMessages, correctMessages } from "./turn-messages.ts";

export interface TurnTools extends CallTools {
  readonly nextId: () => string;
  /** Between 0 and 1. */
  readonly random: () => number;
  /**
   * Keeps an answer and the prompt of the next call in one transaction; gives the exchange with what was set aside
   * for it. Undefined when the lease is lost, or when a limit stopped the run and the job waits with what it received.
   */
  exchangeAgain(
    lease: TurnLease,
    exchanged: Exchanged,
    signal: AbortSignal,
  ): Promise<NewExchange | undefined>;
}

export interface Exchanged {
  readonly answer: NewAnswer;
  readonly hasDeltas: boolean;
  readonly next: NewExchange;
  /** What the next call goes on from. */
  readonly soFar: string;
  readonly enlargements: number;
}

const MAX_CONTINUATIONS = 5;
const MAX_ATTEMPTS = 5;

/** Undefined when the lease was lost or the call was cancelled: then there is nothing to settle. */
export async function performTurn(
  tools: TurnTools,
  lease: TurnLease,
  signal: AbortSignal,
): Promise<Settlement | undefined> {
  const { plan } = lease;
  if (lease.keptReply) return settleKept(lease, lease.keptReply);
  let state: TurnState = firstState(lease);
  for (;;) {
    const call = await callModel(tools, lease, state, signal);
    if (signal.aborted) return undefined;
    const text = joined(state.soFar, call.text);
    const reading = readReply(plan.contract, text, finishOf(call));
    const answer = toAnswer(lease, state, call, reading);
    const settled = {
      row: lease.row,
      view: lease.view,
      answers: [answer],
      hasDeltas: call.hasDeltas,
    };
    if (call.fault !== undefined) {
      const failure = { reason: describeError(call.fault), exchangeId: state.exchange.id, text };
      return { ...settled, outcome: { kind: "failed", failure } };
    }
    const step = nextStep(
      courseOf(lease, state),
      { text, reading, error: call.error },
      tools.random(),
    );
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
    const { exchange: next, soFar, enlargements } = state;
    const exchanged = { answer, hasDeltas: call.hasDeltas, next, soFar, enlargements };
    const exchange = await tools.exchangeAgain(lease, exchanged, signal);
    if (!exchange) return undefined;
    state = { ...state, exchange };
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

function joined(soFar: string, text: string): string {
  return soFar === "" ? text : joinContinuation(soFar, text).text;
}

function finishOf({ finish }: Call): { finish: string; rawFinish?: string } {
  if (!finish) return { finish: "cut" };
  return finish.rawReason === undefined
    ? { finish: finish.reason }
    : { finish: finish.reason, rawFinish: finish.rawReason };
}

function toAnswer(
  lease: TurnLease,
  { exchange }: TurnState,
  { text, finish, error, fault, usage, costMicroUsd, isCostEstimated }: Call,
  reading: Reading<unknown>,
): NewAnswer {
  const trouble = error ?? fault;
  return {
    exchangeId: exchange.id,
    runId: lease.row.run_id,
    outcome: trouble !== undefined && text === "" ? "failed" : "answered",
    reply: text,
    finish: finish?.reason ?? "cut",
    rawFinish: finish?.rawReason ?? null,
    reading: readingRecord(reading),
    failure: trouble === undefined ? null : JSON.stringify(describeError(trouble)),
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    cachedTokens: usage.cachedInputTokens ?? null,
    costMicroUsd: costMicroUsd ?? null,
    isCostEstimated,
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
