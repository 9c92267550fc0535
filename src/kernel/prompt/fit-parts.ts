/**
 * Decides which parts survive when not all fit. What is required comes first and is never left out;
 * then each kind gets the places kept for it; then the rest, the more important before the less, and
 * among equals so that the scores add up to as much as the room allows.
 */

import type { PackingCertificate } from "./compiled-prompt.ts";
import type { Frame } from "./frame.ts";
import type { InReason } from "./ledger.ts";
import { type Packing, packItems } from "./pack-items.ts";
import { type Cost, plus } from "./pack-problem.ts";
import {
  byRank,
  type Candidate,
  candidateAt,
  largest,
  type Page,
  type Place,
  place,
  placeCut,
  toPlaces,
  wholeOf,
} from "./page.ts";
import { overBudget, type PartSize } from "./prompt-refusals.ts";
import { type RenderedPart, renderCut, renderWhole } from "./rendered-part.ts";
import { createSheet, type Meter, type Sheet } from "./sheet.ts";

export interface FitRules {
  readonly budget: Cost;
  readonly floors: Readonly<Record<string, number>>;
  readonly fill: "best" | "in_order";
  /** Said in the text when something was cut to fit; not said when empty. */
  readonly marker: string;
  readonly isMarkerRequired: boolean;
}

export interface Fit {
  /** By candidate. */
  readonly places: readonly Place[];
  readonly marker: "none" | "shown" | "no_room";
  readonly packing: PackingCertificate;
  /** What was spent, as counted. */
  readonly sheet: Sheet;
}

/** The usual case: undefined unless everything fits as it is. */
export function fitWhole(
  candidates: readonly Candidate[],
  frame: Frame,
  meter: Meter,
  { budget }: FitRules,
): Fit | undefined {
  const sheet = createSheet(frame, meter, budget);
  let achieved = 0;
  const places: Place[] = [];
  for (const candidate of candidates) {
    const rendered = renderWhole(candidate.prepared);
    if (!sheet.add(candidate.layer, rendered.text)) return undefined;
    if (candidate.importance !== Infinity) achieved += candidate.score;
    places.push({ rendered, reason: reasonOf(candidate, "included") });
  }
  const packing = certify([{ achieved, upperBound: achieved }]);
  return { places, marker: "none", packing, sheet };
}

export function fitParts(
  candidates: readonly Candidate[],
  frame: Frame,
  meter: Meter,
  rules: FitRules,
): Fit {
  const page: Page = {
    candidates,
    wholes: candidates.map(({ prepared }) => renderWhole(prepared)),
    meter,
    sheet: createSheet(frame, meter, rules.budget),
    chosen: candidates.map(() => undefined),
  };
  placeRequired(page, rules);
  const marker = placeMarker(page, rules.marker);
  growRequired(page, "first");
  placeFloors(page, rules.floors);
  const packings = placeOthers(page, rules.fill);
  growRequired(page, "last");
  return { places: toPlaces(page), marker, packing: certify(packings), sheet: page.sheet };
}

/** Optional parts never make a prompt fail, so a note about them does not either. */
function placeMarker({ sheet }: Page, marker: string): Fit["marker"] {
  if (marker === "") return "none";
  return sheet.addBlock(marker) ? "shown" : "no_room";
}

function certify(
  packings: readonly { readonly achieved: number; readonly upperBound: number }[],
): PackingCertificate {
  const achieved = packings.reduce((total, packing) => total + packing.achieved, 0);
  const upperBound = packings.reduce((total, packing) => total + packing.upperBound, 0);
  return { achieved, upperBound, gap: upperBound === 0 ? 0 : 1 - achieved / upperBound };
}

/** As short as they may be; growing comes after. */
function placeRequired(page: Page, { budget, marker, isMarkerRequired }: FitRules): void {
  const { candidates, sheet } = page;
  const sizes: PartSize[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.importance !== Infinity) continue;
    const rendered = shortest(page, index);
    sheet.force(candidate.layer, rendered.text);
    page.chosen[index] = { rendered, reason: reasonOf(candidate, "required") };
    sizes.push({ part: candidate.prepared.part.id, characters: rendered.text.length });
  }
  const isNoted = isMarkerRequired && marker !== "";
  const needs = isNoted ? plus(sheet.spent(), sheet.blockCost(marker)) : sheet.spent();
  if (needs.characters > budget.characters || needs.tokens > budget.tokens) {
    throw overBudget(needs, budget, sizes);
  }
}

function shortest(page: Page, index: number): RenderedPart {
  const whole = wholeOf(page, index);
  const { prepared } = candidateAt(page, index);
  const minimum = prepared.part.cut?.minimum;
  if (minimum === undefined || minimum >= whole.text.length) return whole;
  return renderCut(prepared, minimum) ?? whole;
}

function growRequired(page: Page, when: "first" | "last"): void {
  const shortened = page.candidates.flatMap(({ importance, prepared }, index) => {
    const isShort = importance === Infinity && page.chosen[index]?.rendered.isCut === true;
    return isShort && (prepared.part.cut?.grows ?? "first") === when ? [index] : [];
  });
  for (const index of byRank(page, shortened)) {
    const before = page.chosen[index];
    if (before === undefined) continue;
    const room = plus(page.sheet.left(), page.meter.cost(before.rendered.text));
    const rendered = largest(page, index, room);
    if (rendered === undefined || rendered.text.length <= before.rendered.text.length) continue;
    page.sheet.replace(candidateAt(page, index).layer, before.rendered.text, rendered.text);
    page.chosen[index] = { ...before, rendered };
  }
}

/** Each kind gets the places kept for it, its best parts first, one kind after the other in turns. */
function placeFloors(page: Page, floors: Readonly<Record<string, number>>): void {
  const queues = Object.keys(floors)
    .toSorted()
    .map((kind) => createQueue(page, kind, floors[kind] ?? 0));
  for (let waiting = queues; waiting.length > 0; ) {
    waiting = waiting.filter((queue) => queue.open > 0 && placeNext(page, queue));
  }
}

interface FloorQueue {
  /** The best first. */
  readonly members: number[];
  open: number;
}

function createQueue(page: Page, kind: string, floor: number): FloorQueue {
  const all = page.candidates.flatMap(({ prepared }, index) =>
    prepared.part.kind === kind ? [index] : [],
  );
  const members = all.filter((index) => page.chosen[index] === undefined);
  return { members: [...byRank(page, members)], open: floor - (all.length - members.length) };
}

/** False when nothing more of this kind fits. */
function placeNext(page: Page, queue: FloorQueue): boolean {
  for (let next = queue.members.shift(); next !== undefined; next = queue.members.shift()) {
    if (!place(page, next, "floor") && !placeCut(page, next, "floor")) continue;
    queue.open -= 1;
    return true;
  }
  return false;
}

function placeOthers(page: Page, fill: FitRules["fill"]): readonly Packing[] {
  const packings: Packing[] = [];
  for (const members of byImportance(page.candidates)) {
    packings.push(placeEquals(page, members));
    const short = members.find((index) => page.chosen[index]?.rendered.isCut !== false);
    if (fill === "best" || short === undefined) continue;
    page.stoppedAt = short;
    break;
  }
  return packings;
}

/** From high to low; what must be in is in already. */
function byImportance(candidates: readonly Candidate[]): (readonly number[])[] {
  const groups = Map.groupBy(candidates.keys(), (index) => candidates[index]?.importance ?? 0);
  groups.delete(Infinity);
  return [...groups].toSorted(([a], [b]) => b - a).map(([, members]) => members);
}

function placeEquals(page: Page, equals: readonly number[]): Packing {
  const members = equals.filter((index) => mayBePlaced(page, index));
  const positions = new Map(members.map((index, position) => [index, position]));
  const items = members.map((index) => {
    const { layer, score, leader } = candidateAt(page, index);
    const position = leader === undefined ? undefined : positions.get(leader);
    return {
      value: score,
      cost: page.meter.cost(wholeOf(page, index).text),
      group: layer,
      ...(position === undefined ? {} : { leader: position }),
    };
  });
  const packing = packItems(items, page.sheet.groups(), page.sheet.left());
  const ranked = byRank(page, members);
  placeAll(
    page,
    ranked.filter((index) => packing.chosen.has(positions.get(index) ?? -1)),
    place,
  );
  // What has no score, and what may be cut, fills the room that is left.
  placeAll(page, ranked, place);
  placeAll(page, ranked, placeCut);
  return packing;
}

/** Whether its leader, if it has one, is in or may still come in. */
function mayBePlaced(page: Page, index: number): boolean {
  if (page.chosen[index] !== undefined) return false;
  const { leader, importance } = candidateAt(page, index);
  if (leader === undefined || page.chosen[leader] !== undefined) return true;
  return candidateAt(page, leader).importance === importance && mayBePlaced(page, leader);
}

/** In rounds, for those whose leader comes in only now. */
function placeAll(page: Page, indexes: readonly number[], how: typeof place): void {
  let waiting = indexes;
  for (let before = Infinity; waiting.length < before; ) {
    before = waiting.length;
    waiting = waiting.filter((index) => !how(page, index, "included"));
  }
}

function reasonOf({ isPinned, importance }: Candidate, otherwise: InReason): InReason {
  if (isPinned) return "pinned";
  return importance === Infinity ? "required" : otherwise;
}
