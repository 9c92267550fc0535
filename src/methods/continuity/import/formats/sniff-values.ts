/** The first objects of a text that may be cut off anywhere: of each as much as there is. */

import { createLedger } from "../../../../kernel/contract/ledger.ts";
import { readLooseJson } from "../../../../kernel/contract/loose-json.ts";
import { type Fields, fieldsOf } from "./loose-fields.ts";

/** Stops at the first that is not whole, which is given as far as it goes. */
export function sniffValues(text: string, most: number): readonly Fields[] {
  const values: Fields[] = [];
  for (let at = 0; values.length < most; ) {
    const start = at + (/^[\s,]*/.exec(text.slice(at))?.[0].length ?? 0);
    if (start >= text.length) break;
    const line = lineAt(text, start);
    const parsed = tryParse(line);
    if (parsed !== undefined) {
      values.push(fieldsOf(parsed));
      at = start + line.length;
      continue;
    }
    const { value, state, end } = readLooseJson(text.slice(start), createLedger());
    values.push(fieldsOf(value));
    if (state !== "whole") break;
    at = start + end;
  }
  return values;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end);
}

/** Most files have a value on each line: reading those the quick way is worth a try. */
function tryParse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
