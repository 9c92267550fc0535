/** Line and column of any place in a text, after one pass over it. */

import type { TextPosition } from "../../../kernel/base/text-position.ts";

export type PositionOf = (offset: number) => TextPosition;

export function indexLines(text: string): PositionOf {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = lastAtMost(starts, offset);
    return { offset, line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** Index of the last number that is not greater; the first is never greater. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
