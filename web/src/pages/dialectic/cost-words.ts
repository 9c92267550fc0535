/** Costs in words. Models without a known price have no known cost, and nothing is shown as free that is not. */

import { money } from "../../parts/format.ts";

export interface Cost {
  readonly calls: number;
  readonly costMicroUsd: number;
  readonly hasUnknownCost: boolean;
}

export interface Sum extends Cost {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export function sumOf(spent: readonly Sum[]): Sum {
  const sum = (pick: (each: Sum) => number) => spent.reduce((total, each) => total + pick(each), 0);
  return {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costMicroUsd: sum(({ costMicroUsd }) => costMicroUsd),
    hasUnknownCost: spent.some(({ hasUnknownCost }) => hasUnknownCost),
  };
}

/** `$0.12`, `$0.12 and more`, `unknown`. */
export function spentWords({ costMicroUsd, hasUnknownCost }: Omit<Cost, "calls">): string {
  if (!hasUnknownCost) return money(costMicroUsd);
  return costMicroUsd === 0 ? "unknown" : `${money(costMicroUsd)} and more`;
}

/** `≈ $0.12`, `cost unknown`. */
export function aboutWords(costMicroUsd: number | undefined): string {
  return costMicroUsd === undefined ? "cost unknown" : `≈ ${money(costMicroUsd)}`;
}
