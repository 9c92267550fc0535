/** Takes stretches out of a text and says where everything else stands afterwards. */

import { redactionMarker, withoutOverlap } from "../../../kernel/prompt/redaction-span.ts";
import type { TextRange } from "./context-refs.ts";

export interface MaskedText {
  readonly text: string;
  /** Where a range of the original stands now; one that was partly taken out ends with the mark. */
  readonly move: (range: TextRange) => TextRange;
}

const MARK = redactionMarker("");

/** Ranges may touch and overlap. */
export function maskText(text: string, ranges: readonly TextRange[]): MaskedText {
  const holes: Hole[] = [];
  let masked = "";
  let at = 0;
  for (const { start, end } of withoutOverlap(ranges.map((range) => ({ ...range, label: "" })))) {
    masked += text.slice(at, start);
    holes.push({ start, end, markStart: masked.length, markEnd: masked.length + MARK.length });
    masked += MARK;
    at = end;
  }
  return {
    text: masked + text.slice(at),
    move: ({ start, end }) => ({ start: startAfter(holes, start), end: endAfter(holes, end) }),
  };
}

interface Hole extends TextRange {
  readonly markStart: number;
  readonly markEnd: number;
}

function startAfter(holes: readonly Hole[], offset: number): number {
  const hole = holes.findLast(({ start }) => start <= offset);
  if (hole === undefined) return offset;
  return offset < hole.end ? hole.markStart : hole.markEnd + offset - hole.end;
}

function endAfter(holes: readonly Hole[], offset: number): number {
  const hole = holes.findLast(({ start }) => start < offset);
  if (hole === undefined) return offset;
  return offset <= hole.end ? hole.markEnd : hole.markEnd + offset - hole.end;
}
