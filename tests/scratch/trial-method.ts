/** A small method for trying the engine: chains of turns, and fans that a join closes. Its effects are counted. */

import * as z from "zod";
import { defineContract } from "../../src/kernel/contract/contract.ts";
import type { Decision, NewRun } from "../../src/kernel/run/decision.ts";
import {
  createHandlerRegistry,
  type EffectKind,
  type HandlerRegistry,
  type JobView,
  type MoveHandler,
  type TurnHandler,
} from "../../src/kernel/run/handler.ts";

export const trialContract = defineContract({
  name: "trial.reply",
  schema: z.object({ summary: z.string(), score: z.number() }),
});

interface TrialInput {
  readonly index: number;
  readonly length: number;
  readonly fan?: number;
}

const PROMPT = "You summarise one item and score it. Answer with JSON only.".repeat(8);

const trialTurn: TurnHandler = {
  kind: "turn",
  name: "trial.turn",
  lane: () => "model:rehearsal",
  *compile(job: JobView) {
    const text = `Item ${job.key} of run ${job.runId}. ${"Some context to read. ".repeat(60)}`;
    return {
      model: "rehearsal/trial",
      contract: trialContract,
      prompt: {
        messages: [
          { role: "system", text: PROMPT, isShared: true },
          { role: "user", text },
        ],
        hash: job.key,
        trace: null,
      },
    };
  },
  *accept(job): Generator<never, Decision> {
    const { index, length } = job.input as unknown as TrialInput;
    const effects = [
      { key: `${job.runId}:${job.key}`, kind: "trial.counted", data: { key: job.key } },
    ];
    if (job.item !== null) return { effects };
    if (index + 1 >= length)
      return { effects, run: { end: { state: "completed", result: { index } } } };
    const next = {
      key: `t${index + 1}`,
      handler: "trial.turn",
      input: { index: index + 1, length },
    };
    return { effects, jobs: [next] };
  },
};

const trialFan: MoveHandler = {
  kind: "move",
  name: "trial.fan",
  *decide(job): Generator<never, Decision> {
    const { fan = 0 } = job.input as unknown as TrialInput;
    const jobs = Array.from({ length: fan }, (_, index) => ({
      key: `item${index}`,
      handler: "trial.turn",
      item: String(index),
      input: { index, length: fan },
    }));
    return {
      batches: [
        { key: "fan", jobs, followUp: { key: "join", handler: "trial.join", input: { fan } } },
      ],
    };
  },
};

const trialJoin: MoveHandler = {
  kind: "move",
  name: "trial.join",
  *decide(job): Generator<never, Decision> {
    return {
      effects: [{ key: `${job.runId}:join`, kind: "trial.counted", data: { key: "join" } }],
      run: { end: { state: "completed", result: { joined: true } } },
    };
  },
};

/** Its steps wait: for a timer, then for somebody who never answers until a deadline does, and so on. */
const trialPause: MoveHandler = {
  kind: "move",
  name: "trial.pause",
  *decide(job): Generator<never, Decision> {
    const { index, length, due } = job.input as unknown as TrialInput & { readonly due?: number };
    const data = { key: job.key, due: due ?? 0 };
    const effects = [{ key: `${job.runId}:${job.key}`, kind: "trial.counted", data }];
    if (index >= length)
      return { effects, run: { end: { state: "completed", result: { index } } } };
    const at = job.now + PAUSE_MS;
    const followUp = {
      key: `p${index + 1}`,
      handler: "trial.pause",
      input: { index: index + 1, length, due: at },
    };
    if (index % 2 === 0) return { effects, timers: [{ key: `t${index}`, dueAt: at, followUp }] };
    const wait = {
      key: `w${index}`,
      kind: "trial.question",
      title: "Go on?",
      reason: "Nobody is there to say.",
      answers: ["late"],
      deadline: { at, answer: "late" },
      followUp,
    };
    return { effects, waits: [wait] };
  },
};

export const PAUSE_MS = 700;

const counted: EffectKind = { kind: "trial.counted", *apply() {} };

export const trialHandlers: HandlerRegistry = createHandlerRegistry(
  [trialTurn, trialFan, trialJoin, trialPause],
  [counted],
);

export function chainRun(length: number): NewRun {
  const first = { key: "t0", handler: "trial.turn", input: { index: 0, length } };
  return { method: "trial", title: `chain of ${length}`, input: { length }, jobs: [first] };
}

export function fanRun(fan: number): NewRun {
  const first = { key: "fan", handler: "trial.fan", input: { index: 0, length: 0, fan } };
  return { method: "trial", title: `fan of ${fan}`, input: { fan }, jobs: [first] };
}

export function pausingRun(length: number): NewRun {
  const first = { key: "p0", handler: "trial.pause", input: { index: 0, length } };
  return { method: "trial", title: `pauses of ${length}`, input: { length }, jobs: [first] };
}
