/**
 * Budgets reserve before a call and settle after it, so that calls under way together cannot
 * overrun a limit together. Pure arithmetic over plain data; the store keeps the numbers.
 */

export type BudgetScopeName = "run" | "project" | "day";

/** Money in whole micro-dollars. */
export interface Amounts {
  readonly microUsd: number;
  readonly tokens: number;
  readonly turns: number;
}

export type BudgetLimits = { readonly [Key in keyof Amounts]?: number };

export interface BudgetScope {
  readonly scope: BudgetScopeName;
  readonly limits: BudgetLimits;
  readonly spent: Amounts;
  readonly reserved: Amounts;
}

export interface CallEstimate {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** Cost of exactly these tokens; `undefined` when the model's price is unknown. */
  readonly microUsd: number | undefined;
  /** A person has said that this model may run although its price is unknown. */
  readonly unknownPriceAllowed?: boolean;
}

export type BudgetAnswer =
  | { readonly answer: "go"; readonly reserved: Amounts; readonly scopes: readonly BudgetScope[] }
  | { readonly answer: "hold"; readonly reason: BudgetReason };

export type BudgetReason =
  | { readonly code: "price_unknown"; readonly scope: BudgetScopeName; readonly message: string }
  | {
      readonly code: "budget_reached";
      readonly scope: BudgetScopeName;
      readonly limit: keyof Amounts;
      readonly allowed: number;
      readonly needed: number;
      readonly left: number;
      readonly message: string;
    };

export const NOTHING: Amounts = { microUsd: 0, tokens: 0, turns: 0 };

/** Takes what the call may need at most from every scope, or says which limit stands in the way. */
export function reserveBudget(
  scopes: readonly BudgetScope[],
  estimate: CallEstimate,
): BudgetAnswer {
  const need: Amounts = {
    microUsd: estimate.microUsd ?? 0,
    tokens: estimate.inputTokens + estimate.maxOutputTokens,
    turns: 1,
  };
  for (const scope of scopes) {
    const reason = unknownPrice(scope, estimate) ?? reachedLimit(scope, need);
    if (reason) return { answer: "hold", reason };
  }
  return {
    answer: "go",
    reserved: need,
    scopes: scopes.map((scope) => ({ ...scope, reserved: add(scope.reserved, need) })),
  };
}

export interface CallOutcome {
  /** `undefined` when the provider did not tell: the reservation is then taken as spent. */
  readonly microUsd: number | undefined;
  readonly tokens: number | undefined;
}

/** Gives the reservation back and books what the call really took, also when that is more. */
export function settleBudget(
  scopes: readonly BudgetScope[],
  reserved: Amounts,
  outcome: CallOutcome,
): readonly BudgetScope[] {
  const taken: Amounts = {
    microUsd: outcome.microUsd ?? reserved.microUsd,
    tokens: outcome.tokens ?? reserved.tokens,
    turns: reserved.turns,
  };
  return scopes.map((scope) => ({
    ...scope,
    reserved: subtract(scope.reserved, reserved),
    spent: add(scope.spent, taken),
  }));
}

/** For a call that never left: nothing is booked. */
export function releaseBudget(
  scopes: readonly BudgetScope[],
  reserved: Amounts,
): readonly BudgetScope[] {
  return scopes.map((scope) => ({ ...scope, reserved: subtract(scope.reserved, reserved) }));
}

function unknownPrice(scope: BudgetScope, estimate: CallEstimate): BudgetReason | undefined {
  if (scope.limits.microUsd === undefined || estimate.microUsd !== undefined) return undefined;
  if (estimate.unknownPriceAllowed) return undefined;
  return {
    code: "price_unknown",
    scope: scope.scope,
    message: `The ${scope.scope} has a money budget, but the price of this model is unknown.`,
  };
}

function reachedLimit(scope: BudgetScope, need: Amounts): BudgetReason | undefined {
  for (const limit of ["turns", "tokens", "microUsd"] as const) {
    const allowed = scope.limits[limit];
    if (allowed === undefined) continue;
    const left = allowed - scope.spent[limit] - scope.reserved[limit];
    if (need[limit] <= left) continue;
    return {
      code: "budget_reached",
      scope: scope.scope,
      limit,
      allowed,
      needed: need[limit],
      left,
      message: `The ${scope.scope} budget has ${show(limit, left)} left of ${show(limit, allowed)}; this call may need ${show(limit, need[limit])}.`,
    };
  }
  return undefined;
}

function show(limit: keyof Amounts, amount: number): string {
  if (limit !== "microUsd") return `${Math.max(0, amount)} ${limit}`;
  return `$${(Math.max(0, amount) / 1_000_000).toFixed(amount % 10_000 === 0 ? 2 : 6)}`;
}

function add(a: Amounts, b: Amounts): Amounts {
  return {
    microUsd: a.microUsd + b.microUsd,
    tokens: a.tokens + b.tokens,
    turns: a.turns + b.turns,
  };
}

function subtract(a: Amounts, b: Amounts): Amounts {
  return {
    microUsd: a.microUsd - b.microUsd,
    tokens: a.tokens - b.tokens,
    turns: a.turns - b.turns,
  };
}
