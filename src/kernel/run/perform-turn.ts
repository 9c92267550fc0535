/**
 * One turn, from its first call to what is settled: calls the model, writes down what arrives, reads it by the
 * contract and follows the course. The only place in the product that calls a model.
 */

import { describeError } from "../base/errors.ts";
import { joinContinuation } from "../contract/join-continuation.ts";
import { readReply } from "../contract/read-reply.ts";
import type { Reading } from "../contract/reading.ts";
import type { Asked, Assembled } from "../contract/reply-assembly.ts";
import { type Call, type CallTools, callModel } from "./call-model.ts";
import type { TurnLease } from "./claim.ts";
import type { NewAnswer, NewExchange } from "./exchanges.ts";
import type { PromptMessage, TurnCall, TurnPlan } from "./handler.ts";
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
    const call = await callModel(tools, lease, { ...state, soFar: goesOnFrom(state) }, signal);
    if (signal.aborted) return undefined;
    const { text, progressed } = joined(plan, state, call.text);
    const reading = plan.assembly
      ? plan.assembly.read(text, finishOf(call))
      : readReply(plan.contract, text, finishOf(call));
    const calls = [...state.calls, calledFor(state, call.text)];
    const stalled = progressed ? 0 : state.stalled + 1;
    const answer = toAnswer(lease, state, call, reading);
    const settled = {
      row: lease.row,
      view: lease.view,
      answers: [answer],
      hasDeltas: call.hasDeltas,
    };
    if (call.fault !== undefined) {
      const reason = describeError(call.fault);
      const failure = { reason, exchangeId: state.exchange.id, text, calls };
      return { ...settled, outcome: { kind: "failed", failure } };
    }
    const step = nextStep(
      { ...courseOf(lease, state), stalled },
      { text, reading, error: call.error },
      tools.random(),
    );
    switch (step.kind) {
      case "accept": {
        const exchangeId = state.exchange.id;
        return {
          ...settled,
          outcome: {
            kind: "accepted",
            answer: { value: step.value, exchangeId, reading, text, calls },
          },
        };
      }
      case "retry":
        return {
          ...settled,
          outcome: { kind: "retry", at: tools.clock.now() + step.delayMs, reason: step.reason },
        };
      case "give_up": {
        const failure = { reason: step.reason, exchangeId: state.exchange.id, text, calls };
        return { ...settled, outcome: { kind: "failed", failure } };
      }
      case "continue":
        state = nextState(tools, state, {
          soFar: text,
          asked: "continue",
          calls,
          stalled,
          messages: continueMessages(plan, text),
          continuations: state.continuations + 1,
        });
        break;
      case "correct":
        state = nextState(tools, state, {
          // Without an assembly the corrected reply stands alone.
          soFar: plan.assembly ? text : "",
          asked: "correct",
          calls,
          stalled,
          messages: correctMessages(plan, step.reading, text),
          corrections: state.corrections + 1,
        });
        break;
      case "enlarge":
        state = nextState(tools, state, {
          soFar: "",
          asked: "first",
          calls,
          stalled: 0,
          messages: plan.prompt.messages,
          enlargements: state.enlargements + 1,
        });
        break;
    }
    const { exchange: next, enlargements } = state;
    const soFar = goesOnFrom(state);
    const exchanged = { answer, hasDeltas: call.hasDeltas, next, soFar, enlargements };
    const exchange = await tools.exchangeAgain(lease, exchanged, signal);
    if (!exchange) return undefined;
    state = { ...state, exchange };
  }
}

/** Where the turn stands between two calls. */
interface TurnState {
  readonly exchange: NewExchange;
  /** What stands of the reply. */
  readonly soFar: string;
  readonly asked: Asked | "first";
  readonly calls: readonly TurnCall[];
  readonly stalled: number;
  readonly continuations: number;
  readonly corrections: number;
  readonly enlargements: number;
}

function firstState(lease: TurnLease): TurnState {
  const { exchange, soFar } = lease;
  const before: readonly TurnCall[] =
    soFar === "" ? [] : [{ exchangeId: undefined, asked: "first", text: soFar }];
  return {
    exchange,
    soFar,
    asked: soFar === "" ? "first" : "continue",
    calls: before,
    stalled: 0,
    continuations: exchange.continuation,
    corrections: 0,
    enlargements: 0,
  };
}

/** What the model is to go on from; one that corrects itself begins anew. */
function goesOnFrom({ asked, soFar }: TurnState): string {
  return asked === "continue" ? soFar : "";
}

function calledFor({ exchange, asked }: TurnState, text: string): TurnCall {
  return { exchangeId: exchange.id, asked, text };
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

function joined({ assembly }: TurnPlan, { soFar, asked }: TurnState, text: string): Assembled {
  if (asked === "first" || soFar === "") return { text, progressed: true };
  if (assembly) return assembly.join(soFar, text, asked);
  const whole = joinContinuation(soFar, text);
  // Text alone cannot tell an honest repetition from a stuck model; the number of continuations bounds it.
  return { text: whole.text, progressed: true };
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
      outcome: {
        kind: "accepted",
        answer: { value: reading.value, exchangeId, reading, text, calls: [] },
      },
    };
  }
  const reason = {
    code: "reply_unreadable",
    message: "The kept reply no longer meets its contract.",
  };
  return {
    ...settled,
    outcome: { kind: "failed", failure: { reason, exchangeId, text, calls: [] } },
  };
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
    ...(settings.maxCorrections === undefined ? {} : { maxCorrections: settings.maxCorrections }),
  };
}
