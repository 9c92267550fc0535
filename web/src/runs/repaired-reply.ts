/** A reply with the repairs in it: what the raw text would have been, had it been written as it was read. */

import { MOST_EXCERPT } from "../../../src/kernel/contract/ledger.ts";

interface PlacedChange {
  readonly step: string;
  readonly offset?: number | undefined;
  readonly before: string;
  readonly after: string;
  readonly loss: string;
}

export interface RepairedReply {
  readonly text: string;
  /** How many repairs are in it; the others say only how it was read. */
  readonly applied: number;
}

/** Those that put other signs in place of what stands there, and are kept whole. */
export function repairedReply(raw: string, repairs: readonly PlacedChange[]): RepairedReply {
  const changes = repairs
    .flatMap(({ offset, ...change }) => (offset === undefined ? [] : [{ ...change, offset }]))
    .filter((change) => isOfSyntax(change) && raw.startsWith(change.before, change.offset))
    .toSorted((a, b) => a.offset - b.offset);
  let text = "";
  let at = 0;
  let applied = 0;
  for (const { offset, before, after } of changes) {
    if (offset < at) continue;
    text += raw.slice(at, offset) + after;
    at = offset + before.length;
    applied += 1;
  }
  return { text: text + raw.slice(at), applied };
}

function isOfSyntax({ step, loss, before, after }: PlacedChange): boolean {
  const isWhole = before.length <= MOST_EXCERPT && after.length <= MOST_EXCERPT;
  return isWhole && loss === "syntactic" && (step === "jsonc" || step === "repair");
}
