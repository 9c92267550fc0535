/** What a colleague says about a new version. Agreeing points to what was said; it does not say it again. */

import { z } from "zod";
import { breach } from "./breach.ts";
import type { Fault, Gate } from "./gate.ts";
import { OPEN_SHAPES, type CommentShape } from "./reply-shapes.ts";
import { isSameText } from "./similar-text.ts";
import { takeItems } from "./take-items.ts";

export function applyPeerReview(gate: Gate, reply: Readonly<Record<string, unknown>>): void {
  const { draft, call, breaches } = gate;
  const version = draft.find("versions", call.target);
  if (version === undefined) return;
  const { id: versionId, productId, authorId } = version;
  for (const { value: collabId, path } of takeItems(reply, "agreesWith", z.string(), breaches)) {
    const passes = gate.passes({ path, item: collabId }, () =>
      gate.known("comment", [collabId], call.allowed.collabs),
    );
    if (passes) agree(gate, collabId, { versionId, productId });
  }
  for (const { value, path } of takeItems(reply, "comments", OPEN_SHAPES.comment, breaches)) {
    const passes = gate.passes(
      { path, item: value },
      () => gate.known("comment", [value.respondsTo], call.allowed.collabs),
      () => gate.traced(value.trace),
      () => repeatedComment(gate, productId, value),
    );
    if (passes) addComment(gate, value, { productId, versionId, to: [authorId] });
  }
}

function agree(
  gate: Gate,
  collabId: string,
  about: { versionId: string; productId: string },
): void {
  const { draft, call } = gate;
  const agreed = draft.find("collabs", collabId);
  const { memberId, round, exchangeId } = call;
  // Whoever wrote it agrees already, and agreeing twice weighs no more.
  const isSaid =
    agreed?.authorId === memberId ||
    draft
      .collabsOn(about.productId)
      .some(
        (each) =>
          each.kind === "agreement" &&
          each.authorId === memberId &&
          each.respondsTo.includes(collabId),
      );
  if (agreed === undefined || isSaid) return;
  draft.add("collabs", {
    ...about,
    round,
    authorId: memberId,
    to: [agreed.authorId],
    content: `Agrees with ${collabId}.`,
    kind: "agreement",
    importance: agreed.importance,
    respondsTo: [collabId],
    state: "resolved",
    age: 0,
    answer: null,
    trace: [collabId],
    exchangeId,
  });
}

export function addComment(
  { draft, call }: Gate,
  { comment: content, kind, importance, respondsTo, trace }: CommentShape,
  about: {
    readonly productId: string;
    readonly versionId: string | null;
    readonly to: readonly string[];
  },
): string {
  const { memberId, round, exchangeId } = call;
  const { id } = draft.add("collabs", {
    ...about,
    round,
    authorId: memberId,
    content,
    kind,
    importance,
    respondsTo: respondsTo === null ? [] : [respondsTo],
    state: "open",
    age: 0,
    answer: null,
    trace,
    exchangeId,
  });
  return id;
}

export function repeatedComment(
  { draft }: Gate,
  productId: string,
  { comment }: Pick<CommentShape, "comment">,
): Fault | undefined {
  const twin = draft
    .collabsOn(productId)
    .find((each) => each.kind !== "agreement" && isSameText(each.content, comment));
  if (twin === undefined) return undefined;
  return breach(
    "team_comment_duplicate",
    `says what ${twin.id} says already: agree with that one in \`agreesWith\` instead`,
  );
}
