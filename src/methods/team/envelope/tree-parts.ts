/** The product tree in minimal detail: a line for each product, always; what it is for and when it is done, as far as there is room. */

import type { Part } from "../../../kernel/prompt/part.ts";
import type { Envelope } from "./envelope.ts";
import type { ProductMinimal } from "./product-views.ts";

export function treeParts(envelope: Envelope): readonly Part[] {
  if (envelope.tree.length === 0) return [];
  return envelope.tree.flatMap((product, place): Part[] => [
    {
      id: `tree ${product.id}`,
      layer: "tree",
      order: place * 2,
      importance: "required",
      text: [
        { text: treeLine(product, envelope.memberId), ref: { type: "product", id: product.id } },
      ],
    },
    {
      id: `tree ${product.id} in detail`,
      layer: "tree",
      order: place * 2 + 1,
      importance: isNear(envelope, product) ? 4 : 1,
      keepWith: `tree ${product.id}`,
      text: wantsDetail(envelope)
        ? [{ text: detailOf(product), ref: { type: "product", id: product.id } }]
        : "",
    },
    ...deltaParts(envelope, product, place),
  ]);
}

/** `- p3 “Plan”: content, pending, owner m2, v4 of v1 v4, 3 comments ← yours` */
export function treeLine(product: ProductMinimal, memberId: string): string {
  const { id, name, type, status, ownerId, selectedVersionId, versionIds, collabCount, depth } =
    product;
  const versions =
    versionIds.length === 0
      ? "no version"
      : `${selectedVersionId ?? "none"} selected of ${shortList(versionIds)}`;
  const owner = ownerId === null ? "no owner" : `owner ${ownerId}`;
  const comments =
    collabCount === 0 ? "" : `, ${collabCount} ${collabCount === 1 ? "comment" : "comments"}`;
  const mine = ownerId === memberId ? " ← yours" : "";
  return `${"  ".repeat(depth)}- ${id} “${name}”: ${type}, ${status}, ${owner}, ${versions}${comments}${mine}`;
}

function shortList(ids: readonly string[]): string {
  return ids.length <= 4 ? ids.join(" ") : `${ids.length} up to ${ids.at(-1) ?? ""}`;
}

function detailOf({ description, dod, summary, depth }: ProductMinimal): string {
  const margin = `${"  ".repeat(depth)}  `;
  return [
    `${margin}${description}`,
    `${margin}Done when: ${dod.map((criterion, place) => `(${place + 1}) ${criterion}`).join(" ")}`,
    ...(summary === "" ? [] : [`${margin}Last change: ${summary}`]),
  ].join("\n");
}

/** Decision nodes carry what followed from them. */
function deltaParts({ decisions }: Envelope, { id, depth }: ProductMinimal, place: number): Part[] {
  const deltas = decisions.find(({ productId }) => productId === id)?.deltas ?? [];
  if (deltas.length === 0) return [];
  const margin = `${"  ".repeat(depth)}  `;
  return [
    {
      id: `tree ${id} deltas`,
      layer: "tree",
      order: place * 2 + 1.5,
      importance: 2,
      keepWith: `tree ${id}`,
      text: [
        {
          text: deltas.map((line) => `${margin}followed: ${line}`).join("\n"),
          ref: { type: "product", id },
        },
      ],
    },
  ];
}

/** Who writes one thing has its details elsewhere in the prompt. */
function wantsDetail({ step }: Envelope): boolean {
  return step === "plan_assign" || step === "bootstrap" || step === "reflect";
}

function isNear({ memberId, step }: Envelope, { ownerId, status }: ProductMinimal): boolean {
  return step === "plan_assign" ? status !== "accepted" : ownerId === memberId;
}
