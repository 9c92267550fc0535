/**
 * From the parts as given to those that may be in the prompt, in reading order: wishes heard, blanks
 * and duplicates ruled out, everything needed known to be there.
 */

import { findDuplicates } from "./find-duplicates.ts";
import type { Frame } from "./frame.ts";
import type { OutReason } from "./ledger.ts";
import type { Candidate } from "./page.ts";
import type { LeftOut, Part } from "./part.ts";
import { isBlank, type PreparedPart, preparePart } from "./prepare-part.ts";
import { banRefused, contextMissing, partInvalid, pinRefused } from "./prompt-refusals.ts";
import type { Redactor } from "./redactor.ts";

/** What people and methods decide before fitting begins. */
export interface Choice {
  /** Ids of parts that must be in. */
  readonly pins?: readonly string[];
  /** Ids of parts that must be out. */
  readonly bans?: readonly string[];
  /** By kind: how many parts are served before the ranking begins. */
  readonly floors?: Readonly<Record<string, number>>;
  /**
   * `best`: a small part may come in where a more important one had no room. `in_order`: whatever is less
   * important than a part that is not whole stays out, so that a larger budget only ever adds parts.
   */
  readonly fill?: "best" | "in_order";
  /** Parts with a lower score stay out even where there is room. */
  readonly minimumScore?: number;
  readonly leftOut?: readonly LeftOut[];
}

export interface Selection {
  readonly candidates: readonly Candidate[];
  readonly ruledOut: readonly RuledOut[];
}

interface RuledOut extends Verdict {
  readonly prepared: PreparedPart;
}

interface Verdict {
  readonly reason: OutReason;
  /** The other part that it is about. */
  readonly because?: string;
}

export function selectCandidates(
  frame: Frame,
  parts: readonly Part[],
  choice: Choice,
  redactor: Redactor,
): Selection {
  const ordered = inReadingOrder(frame, parts);
  const leaders = leadersOf(ordered);
  const musts = mustBeIn(ordered, choice.pins);
  addLeaders(musts, leaders);
  refuseWishes(ordered, musts, choice);
  const prepared = ordered.map((part) => preparePart(part, redactor));
  const verdicts = ruleOut(prepared, musts, choice);
  refuseEmptyPins(verdicts, choice.pins);
  refuseMissing(frame, prepared, verdicts, choice.leftOut);
  keepNeeded(frame, prepared, verdicts, musts);
  addLeaders(musts, leaders);
  const alive = prepared.filter(({ part }) => !verdicts.has(part.id));
  const ruledOut = prepared.flatMap((candidate) => {
    const verdict = verdicts.get(candidate.part.id);
    return verdict === undefined ? [] : [{ prepared: candidate, ...verdict }];
  });
  return { candidates: toCandidates(frame, alive, musts, choice.pins), ruledOut };
}

function inReadingOrder(frame: Frame, parts: readonly Part[]): readonly Part[] {
  const seen = new Set<string>();
  for (const part of parts) {
    const problem = problemOf(frame, part);
    if (problem !== undefined) throw partInvalid(part.id, problem);
    if (seen.has(part.id)) throw partInvalid(part.id, "is given twice");
    seen.add(part.id);
  }
  const layerOf = (part: Part): number => frame.indexes.get(part.layer) ?? 0;
  return parts.toSorted(
    (a, b) => layerOf(a) - layerOf(b) || a.order - b.order || (a.id < b.id ? -1 : 1),
  );
}

function problemOf(frame: Frame, part: Part): string | undefined {
  const score = scoreOf(part);
  if (!frame.indexes.has(part.layer)) return `belongs to an unknown layer "${part.layer}"`;
  if (!Number.isFinite(part.order)) return "has no place in the reading order";
  if (!Number.isFinite(score) || score < 0) return `has a score of ${score}`;
  if (part.importance === "required" || Number.isFinite(part.importance)) return undefined;
  return "has no importance";
}

/** Whom each part is kept with. */
function leadersOf(parts: readonly Part[]): ReadonlyMap<string, string> {
  const leaders = new Map<string, string>();
  for (const { id, keepWith } of parts) if (keepWith !== undefined) leaders.set(id, keepWith);
  for (const id of leaders.keys()) {
    const seen = new Set<string>();
    for (let next: string | undefined = id; next !== undefined; next = leaders.get(next)) {
      if (seen.has(next)) throw partInvalid(id, "is kept with itself");
      seen.add(next);
    }
  }
  return leaders;
}

/** Required and pinned parts. */
function mustBeIn(parts: readonly Part[], pins: readonly string[] = []): Set<string> {
  const musts = new Set(pins);
  for (const { id, importance } of parts) if (importance === "required") musts.add(id);
  return musts;
}

/** Whatever a part makes no sense without must be in with it. */
function addLeaders(musts: Set<string>, leaders: ReadonlyMap<string, string>): void {
  // A set that grows while it is walked is walked to its new end.
  for (const id of musts) {
    const leader = leaders.get(id);
    if (leader !== undefined) musts.add(leader);
  }
}

function refuseWishes(
  parts: readonly Part[],
  musts: ReadonlySet<string>,
  { pins = [], bans = [], leftOut = [] }: Choice,
): void {
  if (pins.length === 0 && bans.length === 0) return;
  const known = new Set(parts.map(({ id }) => id));
  for (const pin of pins) {
    if (bans.includes(pin)) throw pinRefused(pin, "it is banned as well");
    if (known.has(pin)) continue;
    const reason = leftOut.find(({ id }) => id === pin)?.reason;
    throw pinRefused(pin, reason === undefined ? "it is not a candidate" : `it is ${reason}`);
  }
  for (const ban of bans) if (known.has(ban) && musts.has(ban)) throw banRefused(ban);
}

type Verdicts = Map<string, Verdict>;

function ruleOut(
  prepared: readonly PreparedPart[],
  musts: ReadonlySet<string>,
  { bans = [], minimumScore = 0 }: Choice,
): Verdicts {
  const verdicts: Verdicts = new Map();
  for (const candidate of prepared) {
    const { id, score } = candidate.part;
    if (bans.includes(id)) verdicts.set(id, { reason: "banned" });
    else if (isBlank(candidate)) {
      verdicts.set(id, { reason: candidate.redactions > 0 ? "redacted" : "empty" });
    } else if (score !== undefined && score.value < minimumScore && !musts.has(id)) {
      verdicts.set(id, { reason: "below_floor" });
    }
  }
  ruleOutDuplicates(prepared, musts, verdicts);
  ruleOutFollowers(prepared, musts, verdicts);
  return verdicts;
}

function ruleOutDuplicates(
  prepared: readonly PreparedPart[],
  musts: ReadonlySet<string>,
  verdicts: Verdicts,
): void {
  const alive = prepared.filter(({ part }) => !verdicts.has(part.id));
  for (const [loser, winner] of findDuplicates(alive, (a, b) => isBetter(a.part, b.part, musts))) {
    if (musts.has(loser.part.id)) continue;
    verdicts.set(loser.part.id, { reason: "duplicate", because: winner.part.id });
  }
}

function ruleOutFollowers(
  prepared: readonly PreparedPart[],
  musts: ReadonlySet<string>,
  verdicts: Verdicts,
): void {
  const followers = prepared.filter(({ part }) => part.keepWith !== undefined);
  if (followers.length === 0) return;
  const offered = new Set(prepared.map(({ part }) => part.id));
  for (let before = -1; before !== verdicts.size; ) {
    before = verdicts.size;
    for (const { part } of followers) {
      const { id, keepWith = "" } = part;
      if (verdicts.has(id) || musts.has(id)) continue;
      if (offered.has(keepWith) && !verdicts.has(keepWith)) continue;
      verdicts.set(id, { reason: "leader_out", because: keepWith });
    }
  }
}

function refuseEmptyPins(verdicts: Verdicts, pins: readonly string[] = []): void {
  for (const pin of pins) {
    const verdict = verdicts.get(pin);
    if (verdict?.reason === "redacted") throw pinRefused(pin, "it is redacted");
    if (verdict !== undefined) throw pinRefused(pin, "it has nothing to say");
  }
}

function refuseMissing(
  frame: Frame,
  prepared: readonly PreparedPart[],
  verdicts: Verdicts,
  leftOut: readonly LeftOut[] = [],
): void {
  if (verdicts.size === 0 && !frame.layers.some(({ layer }) => layer.needed !== undefined)) return;
  const missing = frame.layers.flatMap(({ layer }) => {
    const members = prepared.filter(({ part }) => part.layer === layer.id);
    const lacking = members.filter(
      ({ part }) => part.importance === "required" && verdicts.has(part.id),
    );
    const hasNone = members.every(({ part }) => verdicts.has(part.id));
    if (lacking.length === 0 && (layer.needed === undefined || !hasNone)) return [];
    const reasons = [
      ...members.map(({ part }) => verdicts.get(part.id)?.reason),
      ...leftOut.filter((other) => other.layer === layer.id).map(({ reason }) => reason),
    ];
    const names = lacking.map(({ part }) => part.id);
    return (layer.needed === undefined ? names : [layer.needed]).map((what) => ({
      layer: layer.id,
      what,
      isRedacted: reasons.includes("redacted"),
    }));
  });
  if (missing.length > 0) throw contextMissing(missing);
}

/** Of a layer that is needed at least the best part stays, whatever the budget. */
function keepNeeded(
  frame: Frame,
  prepared: readonly PreparedPart[],
  verdicts: Verdicts,
  musts: Set<string>,
): void {
  for (const { layer } of frame.layers) {
    if (layer.needed === undefined) continue;
    let best: Part | undefined;
    for (const { part } of prepared) {
      if (part.layer !== layer.id || verdicts.has(part.id)) continue;
      if (best === undefined || !isBetter(best, part, musts)) best = part;
    }
    if (best !== undefined) musts.add(best.id);
  }
}

function toCandidates(
  frame: Frame,
  alive: readonly PreparedPart[],
  musts: ReadonlySet<string>,
  pins: readonly string[] = [],
): readonly Candidate[] {
  const indexes = new Map(alive.map(({ part }, index) => [part.id, index]));
  const pinned = new Set(pins);
  /** No part is served before the one it is kept with. */
  const effective = (part: Part): number => {
    const leader = alive[indexes.get(part.keepWith ?? "") ?? -1]?.part;
    const own = importanceOf(part, musts);
    return leader === undefined ? own : Math.min(own, effective(leader));
  };
  return alive.map((prepared) => {
    const { part } = prepared;
    return {
      prepared,
      layer: frame.indexes.get(part.layer) ?? 0,
      isPinned: pinned.has(part.id),
      importance: effective(part),
      score: scoreOf(part),
      leader: part.keepWith === undefined ? undefined : indexes.get(part.keepWith),
    };
  });
}

/** On a tie the first one wins. */
function isBetter(first: Part, second: Part, musts: ReadonlySet<string>): boolean {
  const [a, b] = [importanceOf(first, musts), importanceOf(second, musts)];
  return a === b ? scoreOf(first) >= scoreOf(second) : a > b;
}

function importanceOf({ id, importance }: Part, musts: ReadonlySet<string>): number {
  return importance === "required" || musts.has(id) ? Infinity : importance;
}

function scoreOf({ score }: Part): number {
  return score?.value ?? 1;
}
