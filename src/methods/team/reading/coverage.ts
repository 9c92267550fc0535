/** How much of its definition of done each product has met, round by round, as inspected. */

import type { Draft } from "../rules/draft.ts";

export interface Coverage {
  readonly productId: string;
  readonly total: number;
  /** Criteria that passed in the last inspection up to each round; index 0 is round 1. */
  readonly byRound: readonly number[];
  readonly criteria: readonly {
    readonly criterion: string;
    readonly passes: boolean | null;
    readonly evidence: string;
  }[];
}

export function coverageOf(draft: Draft, productId: string): Coverage {
  const product = draft.find("products", productId);
  const dod = product?.dod ?? [];
  const inspections = draft.list("inspections").filter((each) => each.productId === productId);
  const passedBy = (round: number) => {
    const last = inspections.findLast((each) => each.round <= round);
    return dod.filter((criterion) =>
      last?.dod.some((each) => each.criterion === criterion && each.passes),
    ).length;
  };
  const last = inspections.at(-1);
  return {
    productId,
    total: dod.length,
    byRound: Array.from({ length: draft.round }, (_, place) => passedBy(place + 1)),
    criteria: dod.map((criterion) => {
      const found = last?.dod.find((each) => each.criterion === criterion);
      return { criterion, passes: found?.passes ?? null, evidence: found?.evidence ?? "" };
    }),
  };
}
