/** The page while it is being filled: which candidates are on it, in what form. */

import type { InReason, Shortage } from "./ledger.ts";
import { type Cost, minus, plus } from "./pack-problem.ts";
import type { PreparedPart } from "./prepare-part.ts";
import { type RenderedPart, renderCut } from "./rendered-part.ts";
import type { Meter, Sheet } from "./sheet.ts";

export interface Candidate {
  readonly prepared: PreparedPart;
  readonly layer: number;
  readonly isPinned: boolean;
  /** Infinity when it must be in. */
  readonly importance: number;
  readonly score: number;
  /** Index of the candidate without which this one stays out. */
  readonly leader: number | undefined;
}

/** Where a candidate ended up. */
export type Place =
  | { readonly rendered: RenderedPart; readonly reason: InReason }
  | {
      readonly whole: RenderedPart;
      readonly shortage: Shortage | undefined;
      /** Index of the more important candidate that had no room. */
      readonly outrankedBy?: number;
    };

export interface Page {
  readonly candidates: readonly Candidate[];
  readonly wholes: readonly RenderedPart[];
  readonly meter: Meter;
  readonly sheet: Sheet;
  readonly chosen: (Chosen | undefined)[];
  /** Index of the candidate at which filling in order came to its end. */
  stoppedAt?: number;
}

interface Chosen {
  readonly rendered: RenderedPart;
  readonly reason: InReason;
}

/** False when it is not on the page afterwards. */
export function place(page: Page, index: number, reason: InReason): boolean {
  if (page.chosen[index] !== undefined) return true;
  const { layer, leader } = candidateAt(page, index);
  if (leader !== undefined && page.chosen[leader] === undefined) return false;
  const rendered = wholeOf(page, index);
  if (!page.sheet.add(layer, rendered.text)) return false;
  page.chosen[index] = { rendered, reason };
  return true;
}

export function placeCut(page: Page, index: number, reason: InReason): boolean {
  if (page.chosen[index] !== undefined) return true;
  const { layer, leader } = candidateAt(page, index);
  if (leader !== undefined && page.chosen[leader] === undefined) return false;
  const rendered = largest(page, index, page.sheet.roomIn(layer));
  if (rendered === undefined || !page.sheet.add(layer, rendered.text)) return false;
  page.chosen[index] = { rendered, reason };
  return true;
}

/** The longest form that fits the room; undefined when that would be shorter than allowed. */
export function largest(page: Page, index: number, room: Cost): RenderedPart | undefined {
  const { prepared } = candidateAt(page, index);
  const { cut } = prepared.part;
  const whole = wholeOf(page, index);
  if (fits(page.meter.cost(whole.text), room)) return whole;
  if (cut === undefined || room.characters < cut.minimum) return undefined;
  const limit = Math.min(room.characters, whole.text.length);
  const longest = renderCut(prepared, limit);
  if (longest !== undefined && fits(page.meter.cost(longest.text), room)) return longest;
  return largestByTokens(page, prepared, cut.minimum, limit, room);
}

/** Halving: a longer text has more tokens, near enough. */
function largestByTokens(
  page: Page,
  prepared: PreparedPart,
  minimum: number,
  limit: number,
  room: Cost,
): RenderedPart | undefined {
  let found: RenderedPart | undefined;
  let low = minimum;
  let high = limit - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const rendered = renderCut(prepared, middle);
    if (rendered === undefined || fits(page.meter.cost(rendered.text), room)) {
      found = rendered ?? found;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
}

function fits(cost: Cost, room: Cost): boolean {
  return cost.characters <= room.characters && cost.tokens <= room.tokens;
}

/** The best first; ties by reading order. */
export function byRank(page: Page, indexes: readonly number[]): readonly number[] {
  const rank = (index: number): Candidate => candidateAt(page, index);
  return indexes.toSorted((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    if (first.importance !== second.importance)
      return second.importance > first.importance ? 1 : -1;
    return second.score - first.score || a - b;
  });
}

export function toPlaces(page: Page): Place[] {
  const { stoppedAt } = page;
  const lowest = stoppedAt === undefined ? -Infinity : candidateAt(page, stoppedAt).importance;
  return page.candidates.map(({ layer, leader, importance }, index) => {
    const chosen = page.chosen[index];
    if (chosen !== undefined) return chosen;
    const whole = wholeOf(page, index);
    if (stoppedAt !== undefined && importance < lowest) {
      return { whole, shortage: undefined, outrankedBy: stoppedAt };
    }
    const isAlone = leader !== undefined && page.chosen[leader] === undefined;
    return { whole, shortage: isAlone ? undefined : shortageOf(page, layer, whole) };
  });
}

/** What it would have needed with everything around it, and what was left. */
function shortageOf(page: Page, layer: number, whole: RenderedPart): Shortage {
  const left = page.sheet.left();
  const needs = plus(minus(left, page.sheet.roomIn(layer)), page.meter.cost(whole.text));
  const unit = needs.characters > left.characters ? "characters" : "tokens";
  return { needs: needs[unit], left: Math.max(0, left[unit]), unit };
}

export function candidateAt({ candidates }: Page, index: number): Candidate {
  const candidate = candidates[index];
  if (candidate === undefined) throw new RangeError(`There is no candidate ${index}.`);
  return candidate;
}

export function wholeOf({ wholes }: Page, index: number): RenderedPart {
  const whole = wholes[index];
  if (whole === undefined) throw new RangeError(`There is no candidate ${index}.`);
  return whole;
}
