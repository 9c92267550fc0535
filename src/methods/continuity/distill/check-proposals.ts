/** Holds a model's proposals against the messages: what is not quoted from them is left out, and how many is told. */

import type { Span } from "../../../kernel/store/thought-source.ts";
import type { NewCandidate } from "../harvest/candidates.ts";
import type { CandidateType } from "../harvest/reading/candidate-types.ts";
import type { Proposals } from "./distill-contract.ts";
import { locateQuote } from "./locate-quote.ts";
import type { WindowMessage } from "./window-messages.ts";

export type Proposed = Omit<NewCandidate, "match" | "replaces">;

export interface CheckedProposals {
  readonly proposed: readonly Proposed[];
  /** Quotes that stand nowhere, or only in what is redacted. */
  readonly dropped: number;
  /** Quotes that stand in another message than the one that was named. */
  readonly moved: number;
}

interface Claim {
  readonly type: CandidateType;
  readonly message: string;
  readonly quote: string;
  readonly title: string | undefined;
  readonly text: string | undefined;
  readonly isBlocker: boolean;
  readonly isOpenLoop: boolean;
}

export function checkProposals(
  proposals: Proposals,
  messages: readonly WindowMessage[],
): CheckedProposals {
  const proposed: Proposed[] = [];
  let [dropped, moved] = [0, 0];
  for (const claim of claimsOf(proposals)) {
    const found = findQuote(claim, messages);
    if (found === undefined) {
      dropped += 1;
      continue;
    }
    if (found.message.mark !== claim.message) moved += 1;
    proposed.push(toProposed(claim, found.message, found.span));
  }
  return { proposed, dropped, moved };
}

function claimsOf({ decisions, tasks, highlights }: Proposals): readonly Claim[] {
  const plain = { isBlocker: false, isOpenLoop: false };
  return [
    ...decisions.map(({ content, ...each }) => ({
      type: "decision" as const,
      ...plain,
      ...each,
      text: content,
    })),
    ...tasks.map(({ description, isBlocker = false, isOpenLoop = false, ...each }) => ({
      type: "task" as const,
      ...each,
      isBlocker,
      isOpenLoop,
      text: description,
    })),
    ...highlights.map(({ label, ...each }) => ({
      type: "highlight" as const,
      ...plain,
      ...each,
      title: label?.trim() === "" ? undefined : label,
      text: undefined,
    })),
  ];
}

interface FoundQuote {
  readonly message: WindowMessage;
  readonly span: Span;
}

/** In the message that was named; else in the only other one that has it. */
function findQuote(claim: Claim, messages: readonly WindowMessage[]): FoundQuote | undefined {
  const found = messages.flatMap((message): FoundQuote[] => {
    const span = locateIn(message, claim.quote);
    return span === undefined ? [] : [{ message, span }];
  });
  const named = found.find(({ message }) => message.mark === claim.message);
  return named ?? (found.length === 1 ? found[0] : undefined);
}

function locateIn({ content, shown, hidden }: WindowMessage, quote: string): Span | undefined {
  const span = locateQuote(content.slice(shown.start, shown.end), quote);
  if (span === undefined) return undefined;
  const placed = { start: span.start + shown.start, end: span.end + shown.start };
  const isHidden = hidden.some(({ start, end }) => start < placed.end && end > placed.start);
  return isHidden ? undefined : placed;
}

function toProposed(claim: Claim, { id, content }: WindowMessage, { start, end }: Span): Proposed {
  const quoted = content.slice(start, end);
  return {
    type: claim.type,
    title: claim.title?.trim(),
    text: claim.type === "highlight" ? quoted : (claim.text?.trim() ?? ""),
    isBlocker: claim.isBlocker,
    isOpenLoop: claim.isOpenLoop,
    quote: { text: quoted, start, end, messageId: id },
  };
}
