/** What changed between two texts, on a terminal. */

import type { DiffLine } from "../prompt/diff-lines.ts";
import { manyLines } from "./terminal-text.ts";

export const PART_CHANGES = {
  same: "=",
  moved: "↕",
  changed: "~",
  added: "+",
  removed: "−",
} as const;

/** Changed lines with one line around them; undefined when there are none. */
export function changedLines(
  lines: readonly Pick<DiffLine, "change" | "text">[],
): string | undefined {
  if (lines.every(({ change }) => change === "same")) return undefined;
  const isNear = (index: number): boolean =>
    [index - 1, index, index + 1].some((at) => (lines[at]?.change ?? "same") !== "same");
  const shown: string[] = [];
  let isGap = false;
  for (const [index, { change, text }] of lines.entries()) {
    if (!isNear(index)) {
      if (!isGap) shown.push("  …");
      isGap = true;
      continue;
    }
    isGap = false;
    const mark = change === "added" ? "+" : change === "removed" ? "-" : " ";
    shown.push(`${mark} ${manyLines(text)}`.trimEnd());
  }
  return shown.join("\n");
}
