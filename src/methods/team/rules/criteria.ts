/** Criteria of definitions of done have names of their own: `p3.1` is the first of p3, `v12.1` the same, of the version. */

import type { Draft } from "./draft.ts";

export interface NamedCriterion {
  readonly productId: string;
  readonly versionId: string | null;
  readonly criterion: string;
}

export function criterionOf(draft: Draft, id: string): NamedCriterion | undefined {
  const [, holder = "", place = ""] = /^([pv]\d+)\.(\d+)$/.exec(id) ?? [];
  const version = draft.find("versions", holder);
  const product = draft.find("products", version?.productId ?? holder);
  const criterion = product?.dod[Number(place) - 1];
  if (product === undefined || criterion === undefined) return undefined;
  return { productId: product.id, versionId: version?.id ?? null, criterion };
}

export function criterionIds(holder: string, dod: readonly string[]): readonly string[] {
  return dod.map((_, place) => `${holder}.${place + 1}`);
}
