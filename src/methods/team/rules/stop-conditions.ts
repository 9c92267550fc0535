/** When a team is done. Conditions compose; the reason is told in words and kept. */

import type { StopCondition } from "../state/team-shape.ts";
import type { Draft } from "./draft.ts";

/** What only the engine and the clock know. */
export interface Spent {
  readonly tokens: number;
  readonly costMicroUsd: number;
  readonly now: number;
}

export interface Stop {
  readonly code: "all_accepted" | "rounds" | "deadline" | "tokens" | "cost" | "no_progress";
  readonly message: string;
}

/** Undefined as long as the team goes on. Of several that hold, the one that is written first. */
export function stopOf(condition: StopCondition, draft: Draft, spent: Spent): Stop | undefined {
  if ("any" in condition) {
    for (const each of condition.any) {
      const stop = stopOf(each, draft, spent);
      if (stop !== undefined) return stop;
    }
    return undefined;
  }
  if ("all" in condition) {
    const stops = condition.all.map((each) => stopOf(each, draft, spent));
    const held = stops.filter((stop) => stop !== undefined);
    const [first] = held;
    if (first === undefined || held.length < stops.length) return undefined;
    return { code: first.code, message: held.map(({ message }) => message).join(" ") };
  }
  return simpleStop(condition, draft, spent);
}

function simpleStop(
  condition: Exclude<StopCondition, { readonly any: unknown } | { readonly all: unknown }>,
  draft: Draft,
  spent: Spent,
): Stop | undefined {
  if ("allAccepted" in condition) {
    const products = draft.products();
    const isDone = products.length > 1 && products.every(({ status }) => status === "accepted");
    return isDone
      ? { code: "all_accepted", message: `All ${products.length} products are accepted.` }
      : undefined;
  }
  if ("rounds" in condition) {
    return draft.round >= condition.rounds
      ? {
          code: "rounds",
          message: `The team has worked its ${condition.rounds === 1 ? "round" : `${condition.rounds} rounds`}.`,
        }
      : undefined;
  }
  if ("deadline" in condition) {
    return spent.now >= Date.parse(condition.deadline)
      ? { code: "deadline", message: `The deadline ${condition.deadline} has passed.` }
      : undefined;
  }
  if ("tokens" in condition) {
    return spent.tokens >= condition.tokens
      ? {
          code: "tokens",
          message: `The team has used ${spent.tokens} of its ${condition.tokens} tokens.`,
        }
      : undefined;
  }
  if ("costUsd" in condition) {
    const used = spent.costMicroUsd / 1e6;
    return used >= condition.costUsd
      ? {
          code: "cost",
          message: `The team has spent $${used.toFixed(2)} of its $${condition.costUsd.toFixed(2)}.`,
        }
      : undefined;
  }
  return noProgress(condition.noProgress, draft);
}

function noProgress(rounds: number, draft: Draft): Stop | undefined {
  if (draft.round < rounds) return undefined;
  for (let round = draft.round; round > draft.round - rounds; round -= 1) {
    if (hasProgress(draft, round)) return undefined;
  }
  return {
    code: "no_progress",
    message: `Nothing was written or accepted for ${rounds === 1 ? "a round" : `${rounds} rounds`}.`,
  };
}

/** Writing, accepting and reshaping move the work; talking about it does not. */
export function hasProgress(draft: Draft, round: number): boolean {
  return (
    draft.list("versions").some((version) => version.round === round) ||
    draft
      .list("actions")
      .some((action) => action.round === round && action.action !== "select_version")
  );
}

/** The most rounds the condition allows; undefined when it names none. */
export function roundsAllowed(condition: StopCondition): number | undefined {
  if ("rounds" in condition) return condition.rounds;
  if ("any" in condition || "all" in condition) {
    const inner = "any" in condition ? condition.any : condition.all;
    const rounds = inner.map(roundsAllowed).filter((each) => each !== undefined);
    if (rounds.length === 0) return undefined;
    return "any" in condition ? Math.min(...rounds) : Math.max(...rounds);
  }
  return undefined;
}

export function deadlineOf(condition: StopCondition): string | undefined {
  if ("deadline" in condition) return condition.deadline;
  if ("any" in condition || "all" in condition) {
    const inner = "any" in condition ? condition.any : condition.all;
    return inner.map(deadlineOf).find((each) => each !== undefined);
  }
  return undefined;
}
