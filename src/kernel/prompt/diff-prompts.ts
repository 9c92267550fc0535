/** Two compiled prompts compared part by part: what came, what went, what changed, and why. */

import { type DiffLine, diffLines } from "./diff-lines.ts";
import type { LedgerRow } from "./ledger.ts";
import { type Redactor, redactData, redactText, secretsOnly } from "./redactor.ts";
import type { ComparedPrompt } from "./sent-prompt.ts";

export interface PromptDiff {
  /** In the reading order of the next prompt; what went stands where it was. */
  readonly parts: readonly PartDiff[];
  /** The whole text, line by line. */
  readonly lines: readonly DiffLine[];
  readonly counts: Readonly<Record<PartDiff["change"], number>>;
  /** Negative when the next prompt is shorter. */
  readonly characters: number;
}

export interface PartDiff {
  readonly part: string;
  readonly layer: string;
  readonly change: "same" | "moved" | "changed" | "added" | "removed";
  /** The part's row in each ledger says why it was in or out. */
  readonly before?: LedgerRow;
  readonly after?: LedgerRow;
  /** With `changed`. */
  readonly lines?: readonly DiffLine[];
}

/** What is redacted by now is shown on neither side, also where the older prompt still held it. */
export function diffPrompts(
  previous: ComparedPrompt,
  next: ComparedPrompt,
  redactor: Redactor = secretsOnly,
): PromptDiff {
  const old = readParts(previous, redactor);
  const now = readParts(next, redactor);
  const rowsBefore = rowsOf(previous);
  const rowsAfter = rowsOf(next);
  const moved = findMoved([...old.keys()], [...now.keys()]);
  const parts = mergeOrder([...old.keys()], [...now.keys()]).map((part): PartDiff => {
    const before = rowsBefore.get(part);
    const after = rowsAfter.get(part);
    return {
      part,
      layer: (now.get(part) ?? old.get(part))?.layer ?? "",
      ...compare(old.get(part), now.get(part), moved.has(part)),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  });
  const counts = { same: 0, moved: 0, changed: 0, added: 0, removed: 0 };
  for (const { change } of parts) counts[change] += 1;
  return {
    parts: redactData(redactor, parts),
    lines: diffLines(redactText(redactor, previous.text), redactText(redactor, next.text)),
    counts,
    characters: next.characters - previous.characters,
  };
}

interface ReadPart {
  readonly layer: string;
  readonly text: string;
}

/** In reading order. */
function readParts(prompt: ComparedPrompt, redactor: Redactor): ReadonlyMap<string, ReadPart> {
  const parts = new Map<string, ReadPart>();
  for (const { part, layer, start, end } of prompt.sourceMap) {
    if (part === undefined) continue;
    const text = (parts.get(part)?.text ?? "") + prompt.text.slice(start, end);
    parts.set(part, { layer, text });
  }
  for (const [part, { layer, text }] of parts) {
    parts.set(part, { layer, text: redactText(redactor, text) });
  }
  return parts;
}

function rowsOf({ ledger }: ComparedPrompt): ReadonlyMap<string, LedgerRow> {
  return new Map(ledger.map((row) => [row.part, row]));
}

function compare(
  before: ReadPart | undefined,
  after: ReadPart | undefined,
  isMoved: boolean,
): Pick<PartDiff, "change" | "lines"> {
  if (before === undefined) return { change: "added" };
  if (after === undefined) return { change: "removed" };
  if (before.text !== after.text) {
    return { change: "changed", lines: diffLines(before.text, after.text) };
  }
  return { change: isMoved || before.layer !== after.layer ? "moved" : "same" };
}

/** As few parts as possible count as moved: those outside the longest run that kept its order. */
function findMoved(old: readonly string[], now: readonly string[]): ReadonlySet<string> {
  const places = new Map(old.map((part, index) => [part, index]));
  const common = now.filter((part) => places.has(part));
  const kept = longestRising(common.map((part) => places.get(part) ?? -1));
  return new Set(common.filter((_, index) => !kept.has(index)));
}

/** Indexes of a longest strictly rising subsequence. */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? -1] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index !== -1; index = previous[index] ?? -1) kept.add(index);
  return kept;
}

/** The order now, with each part that went after the one it followed. */
function mergeOrder(old: readonly string[], now: readonly string[]): readonly string[] {
  const present = new Set(now);
  const gone = new Map<string, string[]>();
  let anchor = "";
  for (const part of old) {
    if (present.has(part)) anchor = part;
    else gone.set(anchor, [...(gone.get(anchor) ?? []), part]);
  }
  return [...(gone.get("") ?? []), ...now.flatMap((part) => [part, ...(gone.get(part) ?? [])])];
}
