/** Windows overlap, and models repeat themselves: what was proposed twice is kept once, in the order it was said. */

import { contentTokens, type MatchingWords } from "../harvest/matching/content-tokens.ts";
import { overlapOf } from "../harvest/matching/token-overlap.ts";
import type { Proposed } from "./check-proposals.ts";

const SAME = 0.85;

export function mergeProposals(
  proposed: readonly Proposed[],
  words: MatchingWords,
): readonly Proposed[] {
  const kept: { readonly proposal: Proposed; readonly tokens: readonly string[] }[] = [];
  for (const proposal of proposed) {
    const tokens = contentTokens(subjectOf(proposal), words);
    const isRepeat = kept.some(
      (other) =>
        other.proposal.type === proposal.type &&
        (isSamePlace(other.proposal, proposal) || overlapOf(tokens, other.tokens).dice >= SAME),
    );
    if (!isRepeat) kept.push({ proposal, tokens });
  }
  return kept.map(({ proposal }) => proposal);
}

function subjectOf({ type, title, text }: Proposed): string {
  return type === "highlight" ? text : (title ?? text);
}

/** Two highlights of one passage are one; two tasks may well follow from the same words. */
function isSamePlace(one: Proposed, other: Proposed): boolean {
  if (one.type !== "highlight" || one.quote.messageId !== other.quote.messageId) return false;
  const shared =
    Math.min(one.quote.end, other.quote.end) - Math.max(one.quote.start, other.quote.start);
  const shorter = Math.min(one.quote.end - one.quote.start, other.quote.end - other.quote.start);
  return shared * 2 > shorter;
}
