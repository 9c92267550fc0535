/** The JSON that an answer holds, in a fence or bare, with the place of every value; cut or badly written JSON too. */

import { fencedBlocks } from "../../../../kernel/contract/fences.ts";
import { findCandidates } from "../../../../kernel/contract/json-candidates.ts";
import { createLedger } from "../../../../kernel/contract/ledger.ts";
import { readLooseJson } from "../../../../kernel/contract/loose-json.ts";
import { formatPath, type Path } from "../../../../kernel/contract/path.ts";
import { isRepairable, repairJson } from "../../../../kernel/contract/repair-json.ts";
import type { TextRange } from "./answer-outline.ts";

export interface FoundJson extends TextRange {
  readonly value: unknown;
  /** Breaks off before its end. */
  readonly isCut: boolean;
  /** It stands in the fence that the return contract asks for. */
  readonly isNamed: boolean;
  /** Where the value of that path stands; undefined where it is not whole, or had to be repaired. */
  placeOf(path: Path): TextRange | undefined;
}

export const FENCE_NAME = "tl-return";

/** In the order of the answer. */
export function findJson(answer: string): readonly FoundJson[] {
  // A line break at the end is no part of what was being written.
  const { closed, open } = findCandidates(answer.trimEnd());
  const fences = fencedBlocks(answer).filter(({ info }) => info === FENCE_NAME);
  const found: FoundJson[] = [];
  for (const { start, end } of [...closed, ...open].toSorted((a, b) => a.start - b.start)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const isNamed = fences.some(({ bodyStart, bodyEnd }) => start >= bodyStart && start < bodyEnd);
    const read = readAt(answer, { start, end }, isNamed);
    if (read !== undefined) found.push(read);
  }
  return found;
}

function readAt(answer: string, range: TextRange, isNamed: boolean): FoundJson | undefined {
  const source = answer.slice(range.start, range.end);
  const places = new Map<string, TextRange>();
  const reading = readLooseJson(source, createLedger(), range.start, (path, start, end) => {
    places.set(formatPath(path), { start, end });
  });
  const placeOf = (path: Path) => places.get(formatPath(path));
  if (reading.state === "whole") {
    return { ...range, value: reading.value, isCut: false, isNamed, placeOf };
  }
  if (reading.state === "cut" && isStructure(reading.value)) {
    return { ...range, value: reading.value, isCut: true, isNamed, placeOf };
  }
  // Prose in brackets is not worth repairing.
  if (!/["'“]\s*:/.test(source) || !isRepairable(source)) return undefined;
  const repaired = repairJson(source, range.start);
  if (repaired === undefined || repaired.repairs.some(({ loss }) => loss === "lossy")) {
    return undefined;
  }
  const value: unknown = JSON.parse(repaired.json);
  return { ...range, value, isCut: false, isNamed, placeOf: () => undefined };
}

function isStructure(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
