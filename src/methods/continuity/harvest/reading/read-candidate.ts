/** Something an answer proposes, as it was read: its words, and the exact place they stand at. */

import type { TextRange } from "./answer-outline.ts";
import { type CandidateType } from "./candidate-types.ts";
import type { Group } from "./group-words.ts";
import { cleaned, dedented, oneLine, splitLead, toLabelled, toTitled } from "./split-item.ts";

export interface ReadCandidate {
  readonly type: CandidateType;
  /** A task's or decision's title, a highlight's label. */
  readonly title: string | undefined;
  /** A task's description, a decision's or highlight's content. */
  readonly text: string;
  readonly isBlocker: boolean;
  readonly isOpenLoop: boolean;
  /** In the answer. */
  readonly quote: TextRange;
  /** What the item itself says it takes the place of. */
  readonly replaces?: string | undefined;
}

/** Groups whose items become candidates. */
export type HarvestedGroup = Exclude<Group, "answer">;

/** `head` is what an item says first, `details` the lines under it. Undefined when it says nothing. */
export function toCandidate(
  group: HarvestedGroup,
  head: string,
  details: string,
  quote: TextRange,
): ReadCandidate | undefined {
  const more = dedented(details);
  if (group === "highlights") {
    const { label, content } = toLabelled(head, more);
    return content === "" ? undefined : candidate("highlight", label, content, quote);
  }
  const { title, body } = toTitled(head, more);
  return title === "" ? undefined : ofGroup(group, title, body, quote);
}

/** Where title and text are known apart: nothing is split. */
export function ofGroup(
  group: HarvestedGroup,
  title: string,
  text: string,
  quote: TextRange,
): ReadCandidate {
  if (group === "highlights") return candidate("highlight", title, text, quote);
  const isQuestion = /[?？]$/.test(title) && text === "";
  // A question nobody answers is not settled: it is something to do.
  if (group === "decisions" && !isQuestion) return candidate("decision", title, text, quote);
  return {
    ...candidate("task", title, text, quote),
    isBlocker: group === "blockers",
    isOpenLoop: group === "questions" || group === "decisions",
  };
}

function candidate(
  type: CandidateType,
  title: string | undefined,
  text: string,
  quote: TextRange,
): ReadCandidate {
  return { type, title, text, isBlocker: false, isOpenLoop: false, quote };
}

export interface LabelledHead {
  readonly group: Group;
  readonly head: string;
}

/** "**Decision:** use leases" says itself what it is, whatever stands above it. */
export function readLabel(
  head: string,
  exactGroup: (text: string) => Group | undefined,
): LabelledHead | undefined {
  const tagged = /^\[([^\]]{2,30})\]\s+(\S[^]*)$/.exec(cleaned(oneLine(head)));
  const { lead, rest } =
    tagged === null ? splitLead(head) : { lead: tagged[1], rest: tagged[2] ?? "" };
  if (lead === undefined || rest === "") return undefined;
  const group = exactGroup(lead);
  return group === undefined ? undefined : { group, head: rest };
}
