/** When a product may be accepted, and what an inspection comes to. Arithmetic, not opinion. */

import type { Finding, Product, Verdict } from "../state/team-records.ts";
import { type Draft, isUnsettled, weightOf } from "./draft.ts";

const BLOCKS_FROM = 8;
const REVISES_FROM = 5;

export function verdictOf(findings: readonly Pick<Finding, "severity">[]): Verdict {
  const highest = Math.max(0, ...findings.map(({ severity }) => severity));
  if (highest >= BLOCKS_FROM) return "blocked";
  return highest >= REVISES_FROM ? "needs_revision" : "approved";
}

/** Why the product cannot be accepted as it stands; nothing when it can. */
export function acceptanceObstacles(
  draft: Draft,
  product: Product,
  versionId: string | null,
): readonly string[] {
  const version = draft.find("versions", versionId);
  const holds = draft.childrenOf(product.id);
  const obstacles: string[] = [];
  if (version === undefined || version.productId !== product.id) {
    if (holds.length === 0) return [`${product.id} has no version to accept`];
  } else obstacles.push(...versionObstacles(draft, product, version.id));
  const open = holds.filter(({ status }) => status !== "accepted");
  if (open.length > 0) obstacles.push(`${listed(open.map(({ id }) => id))} below it not accepted`);
  const heavy = draft
    .collabsOn(product.id)
    .filter((collab) => isUnsettled(collab) && weightOf(collab) >= BLOCKS_FROM);
  if (heavy.length > 0) {
    obstacles.push(
      `open comments of importance ${BLOCKS_FROM} or more: ${listed(heavy.map(({ id }) => id))}`,
    );
  }
  return obstacles;
}

function versionObstacles(draft: Draft, product: Product, versionId: string): readonly string[] {
  const inspection = draft.inspectionOf(versionId);
  if (inspection === undefined) return [`${versionId} has not been inspected`];
  const passed = new Set(
    inspection.dod.filter(({ passes }) => passes).map(({ criterion }) => criterion),
  );
  const failing = product.dod.filter((criterion) => !passed.has(criterion));
  return [
    ...(failing.length > 0
      ? [
          `${failing.length} of ${product.dod.length} criteria of its definition of done do not pass`,
        ]
      : []),
    ...(inspection.verdict === "blocked"
      ? [`its last inspection ${inspection.id} blocked it`]
      : []),
  ];
}

/** The versions that could be accepted right now, newest of each product. */
export function acceptableVersions(
  draft: Draft,
): readonly { readonly productId: string; readonly versionId: string | null }[] {
  return draft.products().flatMap((product) => {
    if (product.status === "accepted") return [];
    const versionId = draft.lastVersionOf(product.id)?.id ?? null;
    return acceptanceObstacles(draft, product, versionId).length === 0
      ? [{ productId: product.id, versionId }]
      : [];
  });
}

function listed(ids: readonly string[]): string {
  return ids.length <= 4
    ? ids.join(", ")
    : `${ids.slice(0, 4).join(", ")} and ${ids.length - 4} more`;
}
