/** How far a run may go. Every limit is visible and reaching one holds the run with the reason. */

import * as z from "zod";

/** The kind of the wait that a run which reached a limit stands at. */
export const LIMIT_REACHED = "limit_reached";

export const runLimitsSchema = z.object({
  turns: z.int().positive().default(10_000),
  jobs: z.int().positive().default(50_000),
  tokens: z.int().positive().optional(),
  costMicroUsd: z.int().nonnegative().optional(),
  wallMs: z.int().positive().optional(),
  /** A person said that models of unknown price may be used although there is a money budget. */
  allowUnknownPrice: z.boolean().optional(),
});

export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface LimitReason extends Reason {
  /** The smallest limit with which the run could go on. */
  readonly atLeast?: number;
}

export type RunLimits = z.output<typeof runLimitsSchema>;

export interface RunUse {
  readonly turns: number;
  readonly jobs: number;
  readonly tokens: number;
  readonly costMicroUsd: number;
  readonly hasUnknownCost: boolean;
  readonly startedAt: number | null;
}

/** The reason why one more turn may not start, if there is one. */
export function reachedLimit(limits: RunLimits, use: RunUse, now: number): LimitReason | undefined {
  const tooManyJobs = passedJobs(limits, use);
  if (tooManyJobs) return tooManyJobs;
  if (use.turns >= limits.turns) {
    return limitReason("turns", `${limits.turns} turns`, use.turns + 1);
  }
  if (limits.tokens !== undefined && use.tokens >= limits.tokens) {
    return limitReason("tokens", `${limits.tokens} tokens`, use.tokens + 1);
  }
  if (limits.costMicroUsd !== undefined) {
    if (use.hasUnknownCost && limits.allowUnknownPrice !== true) {
      return {
        code: "limit_cost_unknown",
        message: "The run has a money budget, but the price of a model it used is not known.",
        hint: "Set the model's price, or lift the run's money budget.",
      };
    }
    if (use.costMicroUsd >= limits.costMicroUsd) {
      const amount = `$${(limits.costMicroUsd / 1e6).toFixed(2)}`;
      return limitReason("cost", amount, use.costMicroUsd + 1);
    }
  }
  if (
    limits.wallMs !== undefined &&
    use.startedAt !== null &&
    now - use.startedAt >= limits.wallMs
  ) {
    const amount = `${Math.round(limits.wallMs / 1000)} s`;
    return limitReason("time", amount, now - use.startedAt + 1);
  }
  return undefined;
}

/** The reason why nothing more of the run may start, moves included: it planned more than it may. */
export function passedJobs(
  limits: RunLimits,
  { jobs }: Pick<RunUse, "jobs">,
): LimitReason | undefined {
  return jobs > limits.jobs ? limitReason("jobs", `${limits.jobs} jobs`, jobs) : undefined;
}

function limitReason(what: string, amount: string, atLeast: number): LimitReason {
  return {
    atLeast,
    code: `limit_${what}`,
    message: `The run reached its limit of ${amount}.`,
    hint: "Raise the limit to go on, or cancel the run; nothing done so far is lost.",
  };
}
