/** `linkStyle 3 …` names edges by number: when edges come or go, the numbers have to follow. */

import type { Diagram } from "./diagram.ts";
import { deleteStatement } from "./statement-edits.ts";
import { replace, type TextEdit } from "./text-edit.ts";

/** `moved` tells the new number of an edge, or that it is gone. */
export function renumberLinkStyles(
  diagram: Diagram,
  moved: (edge: number) => number | undefined,
): TextEdit[] {
  return diagram.statements.flatMap((statement, index): readonly TextEdit[] => {
    if (statement.kind !== "styling" || statement.keyword !== "linkStyle") return [];
    const { start, end } = statement.span;
    const found = /^linkStyle\s+([\d,\s]*\d)/.exec(diagram.source.slice(start, end));
    const numbers = found?.[1];
    if (found === null || numbers === undefined) return [];
    const kept = numbers.split(",").flatMap((number) => moved(Number(number)) ?? []);
    if (kept.length === 0) return [deleteStatement(diagram, index)];
    const text = kept.join(",");
    const from = start + found[0].length - numbers.length;
    return text === numbers.replaceAll(/\s/g, "")
      ? []
      : [replace({ start: from, end: from + numbers.length }, text)];
  });
}
