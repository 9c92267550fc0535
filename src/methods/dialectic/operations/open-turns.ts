/** What is being written, waits to be, or could not be had; and what calls have taken so far, by stage and slot. */

import { z } from "zod";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { identityKey, placeInKey } from "../planning/identity.ts";
import { dialectic } from "../running/dialectic-tables.ts";
import { parseTurnInput, TURN } from "../running/turn-input.ts";

export interface OpenTurn {
  readonly state: "queued" | "working" | "held";
  readonly jobId: string;
  /** Its newest call, whose reply may still be growing. */
  readonly exchangeId?: string;
  /** Why it is held, and the entry of the inbox that says so. */
  readonly waitId?: string;
  readonly reason?: string;
}

const STATES = { ready: "queued", parked: "queued", leased: "working", held: "held" } as const;

/** By identity. */
export function* listOpenTurns(runId: string): DatabaseWork<ReadonlyMap<string, OpenTurn>> {
  const jobs = yield* query(
    dialectic
      .selectFrom("job")
      .select(["id", "input", "state"])
      .where("run_id", "=", runId)
      .where("handler", "=", TURN)
      .where("state", "in", Object.keys(STATES) as (keyof typeof STATES)[]),
  );
  if (jobs.length === 0) return new Map();
  const ids = jobs.map(({ id }) => id);
  const calls = yield* query(
    dialectic
      .selectFrom("exchange")
      .select(["id", "job_id"])
      .where("run_id", "=", runId)
      .where("job_id", "in", ids)
      .orderBy("id"),
  );
  const waits = yield* query(
    dialectic
      .selectFrom("wait")
      .select(["id", "job_id", "reason"])
      .where("run_id", "=", runId)
      .where("job_id", "in", ids)
      .where("state", "=", "open"),
  );
  const newestCall = new Map(calls.map(({ id, job_id }) => [job_id, id]));
  const asked = new Map(waits.map((wait) => [wait.job_id, wait]));
  return new Map(
    jobs.map(({ id, input, state }) => {
      const exchangeId = newestCall.get(id);
      const wait = asked.get(id);
      const turn: OpenTurn = {
        state: STATES[state as keyof typeof STATES],
        jobId: id,
        ...(exchangeId === undefined ? {} : { exchangeId }),
        ...(wait === undefined ? {} : { waitId: wait.id, reason: wait.reason }),
      };
      return [identityKey(parseTurnInput(JSON.parse(input)).identity), turn];
    }),
  );
}

export const spentShape = z.object({
  stage: z.string(),
  slot: z.int(),
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costMicroUsd: z.int(),
  hasUnknownCost: z.boolean(),
});

type Spent = z.output<typeof spentShape>;

/** Of every stage and slot that has had an answer, failed ones included: they are paid for, too. */
export function* listSpent(runId: string): DatabaseWork<readonly Spent[]> {
  const jobs = yield* query(
    dialectic
      .selectFrom("job")
      .select(["id", "key"])
      .where("run_id", "=", runId)
      .where("handler", "=", TURN),
  );
  const answers = yield* query(
    dialectic
      .selectFrom("exchange")
      .innerJoin("answer", "answer.exchange_id", "exchange.id")
      .select([
        "exchange.job_id",
        "answer.input_tokens",
        "answer.output_tokens",
        "answer.cost_micro_usd",
      ])
      .where("exchange.run_id", "=", runId),
  );
  // By their keys: what they were planned with may have been pruned.
  const places = new Map(jobs.map(({ id, key }) => [id, placeInKey(key)]));
  const sums = new Map<string, Spent>();
  for (const answer of answers) {
    const place = places.get(answer.job_id);
    if (place === undefined) continue;
    const { stage, slot } = place;
    const key = `${stage}/${slot}`;
    const before = sums.get(key) ?? { ...NOTHING, stage, slot };
    sums.set(key, {
      stage,
      slot,
      calls: before.calls + 1,
      inputTokens: before.inputTokens + (answer.input_tokens ?? 0),
      outputTokens: before.outputTokens + (answer.output_tokens ?? 0),
      costMicroUsd: before.costMicroUsd + (answer.cost_micro_usd ?? 0),
      hasUnknownCost: before.hasUnknownCost || answer.cost_micro_usd === null,
    });
  }
  return [...sums.values()];
}

const NOTHING = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicroUsd: 0,
  hasUnknownCost: false,
} as const;
