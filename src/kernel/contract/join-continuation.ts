/**
 * Joins a cut reply with its continuation.
 *
 * Whether the first words of a continuation repeat the last words received, or merely look like
 * them (`aa|aa`), cannot be seen from the words. So the prompt asks for proof: the continuation is
 * to begin with a mark derived from the text, then the anchor (the last characters), then the rest.
 * The rule, in this order:
 *
 * 1. Mark found: everything up to it is dropped, then the anchor, once. Exact for every text.
 * 2. Mark absent, an open JSON value: whatever cannot follow by JSON's grammar (a fence, a lead-in
 *    line, a repeated stretch of at least 4, a new beginning) is dropped; where the plain joining is
 *    grammatical, rule 3 alone may drop something.
 * 3. Mark absent: a repeated stretch is dropped when it has at least 32 characters, 24 of them no
 *    white space, and is no run of one pattern. A first line that is nothing but a lead-in
 *    ("Continuing:"), a fence opened in the middle of a line or right behind another, and a
 *    ```markdown wrapper are dropped too. A new beginning is known by the first 64 characters (at
 *    least 32); the longer version is kept.
 * 4. Otherwise the two texts are joined as they are.
 *
 * So a bare continuation joins exactly unless it begins with one of the things named in 3, and
 * whatever was dropped is listed. Bytes must be decoded as one stream: a cut inside a character is
 * taken care of when the model writes that character whole, not when each half is decoded alone.
 */

import {
  type ContinuationPoint,
  continuationPoint,
  type OpenJson,
  openJsonIn,
} from "./continuation-point.ts";
import { type LeadIn, leadIns, withoutClosingFence } from "./lead-ins.ts";
import { createLedger } from "./ledger.ts";
import { readLooseJson } from "./loose-json.ts";
import { longestOverlap, overlapLengths } from "./overlap.ts";

interface Dropped {
  readonly what:
    | "torn_character"
    | "mark"
    | "anchor"
    | "fence"
    | "lead_in"
    | "overlap"
    | "earlier_version"
    | "shorter_version";
  readonly text: string;
}

export interface Joined {
  readonly text: string;
  readonly seam: "mark" | "overlap" | "exact" | "restart" | "nothing";
  readonly dropped: readonly Dropped[];
  /** Characters gained over what was there before. */
  readonly added: number;
  /** The continuation brought nothing that was not there. */
  readonly repeated: boolean;
  /** The model began anew and wrote less than before; what was there is kept. */
  readonly shrunk: boolean;
}

const MIN_OVERLAP = 32;
const MIN_SOLID_OVERLAP = 24;
const MIN_GRAMMATICAL_OVERLAP = 4;
const RESTART_LENGTH = 64;
const MARK_WITHIN = 400;
const NEAR_SEAM = 64;

export function joinContinuation(soFar: string, next: string): Joined {
  const point = continuationPoint(soFar);
  const asItWas = { ...point, text: soFar, torn: "" };
  if (isSecondHalf(point, next)) return joined(asItWas, next, "exact", []);
  if (next.trim() === "") return joined(asItWas, next, "nothing", []);
  const seam = { point, next, open: openJsonIn(point.text) };
  return joinByMark(seam) ?? joinByGrammar(seam) ?? joinByText(seam);
}

interface Seam {
  readonly point: ContinuationPoint;
  readonly next: string;
  readonly open: OpenJson | undefined;
}

/** The other half of a UTF-16 pair: nothing was torn after all. */
function isSecondHalf({ torn }: ContinuationPoint, next: string): boolean {
  const code = next.charCodeAt(0);
  return torn !== "" && torn !== "\ufffd" && code >= 0xdc00 && code <= 0xdfff;
}

function joinByMark({ point, next, open }: Seam): Joined | undefined {
  const { mark, anchor } = point;
  const at = next.slice(0, MARK_WITHIN).indexOf(mark);
  if (at === -1) return undefined;
  const lead = next.slice(0, at);
  // The anchor begins with a character that is no space, so spaces before it are the model's own.
  const behind = next.slice(at + mark.length);
  const body = anchor === "" ? behind.replace(/^[ \t]*\r?\n/, "") : behind.trimStart();
  const fence = leadIns(body).find(({ rest }) => rest.startsWith(anchor));
  const inside = body.startsWith(anchor) || fence === undefined ? body : fence.rest;
  const wasFenced = inside !== body || lead.includes("```");
  const dropped: Dropped[] = [
    ...(lead.trim() === "" ? [] : [{ what: "lead_in", text: lead } as const]),
    { what: "mark", text: mark },
    ...(inside === body ? [] : [{ what: "fence", text: fence?.text ?? "" } as const]),
  ];
  const found = [anchor, anchor.trimEnd()].find((text) => inside.startsWith(text));
  if (found === undefined || (found === "" && anchor !== "")) {
    const rest = joinByText({ point, next: inside, open });
    return { ...rest, dropped: [...dropped, ...rest.dropped] };
  }
  const rest = inside.slice(found.length);
  return joined(point, rest, "mark", [...dropped, { what: "anchor", text: found }], wasFenced);
}

function joinByGrammar({ point, next, open }: Seam): Joined | undefined {
  if (open === undefined) return undefined;
  const json = point.text.slice(open.start);
  const fault = breaksAt(json, next);
  // A fault far behind the seam says nothing about the seam: the model's JSON is just broken.
  if (fault === undefined || fault > NEAR_SEAM) return undefined;
  for (const { kind, text, rest } of versionsOf(next)) {
    const length = usableOverlap(point.text, rest);
    if (breaksAt(json, rest.slice(length)) !== undefined) continue;
    const dropped = [...leadIn(kind, text), ...overlapOf(rest, length)];
    const seam = length > 0 ? "overlap" : "exact";
    return joined(point, rest.slice(length), seam, dropped, kind === "fence");
  }
  for (const { rest } of versionsOf(next)) {
    if (beginsAlike(json, rest.trimStart())) return restarted(point, rest.trimStart(), open.start);
  }
  for (const length of overlapLengths(point.text, next, MIN_GRAMMATICAL_OVERLAP)) {
    const rest = next.slice(length);
    if (breaksAt(json, rest) === undefined)
      return joined(point, rest, "overlap", overlapOf(next, length));
  }
  return undefined;
}

function joinByText({ point, next, open }: Seam): Joined {
  const json = open === undefined ? undefined : point.text.slice(open.start);
  const fits = (rest: string) => json === undefined || breaksAt(json, rest) === undefined;
  for (const { kind, text, rest } of versionsOf(next)) {
    const length = usableOverlap(point.text, rest);
    if (length === 0 || (!fits(rest.slice(length)) && fits(next))) continue;
    const dropped = [...leadIn(kind, text), ...overlapOf(rest, length)];
    return joined(point, rest.slice(length), "overlap", dropped, kind === "fence");
  }
  const head = point.text.trimStart().slice(0, RESTART_LENGTH);
  for (const { rest } of usableOverlap(head, head) === 0 ? [] : versionsOf(next)) {
    if (rest.trimStart().startsWith(head)) return restarted(point, rest.trimStart(), 0);
  }
  const isGrammatical = json !== undefined && fits(next);
  const lead = isGrammatical
    ? undefined
    : leadIns(next).findLast(({ isSure }) => isSure(point.text));
  if (lead === undefined) return joined(point, next, "exact", []);
  return joined(point, lead.rest, "exact", leadIn(lead.kind, lead.text), lead.kind === "fence");
}

interface Version {
  readonly kind: LeadIn["kind"] | undefined;
  readonly text: string;
  readonly rest: string;
}

/** The continuation as it is, and without what may stand before it. */
function versionsOf(next: string): readonly Version[] {
  return [{ kind: undefined, text: "", rest: next }, ...leadIns(next)];
}

function leadIn(kind: LeadIn["kind"] | undefined, text: string): Dropped[] {
  return kind === undefined ? [] : [{ what: kind, text }];
}

/** Offset in `rest` at which `json + rest` stops being JSON or the beginning of it. */
function breaksAt(json: string, rest: string): number | undefined {
  const reading = readLooseJson(json + rest, createLedger());
  if (reading.state === "broken") return Math.max(0, reading.end - json.length);
  return undefined;
}

function usableOverlap(text: string, rest: string): number {
  const { length, isPeriodic } = longestOverlap(text, rest);
  if (length < MIN_OVERLAP || isPeriodic) return 0;
  // Indented JSON repeats its spaces everywhere; they prove nothing.
  const solid = rest.slice(0, length).replace(/\s/g, "").length;
  return solid >= MIN_SOLID_OVERLAP ? length : 0;
}

function overlapOf(rest: string, length: number): Dropped[] {
  return length === 0 ? [] : [{ what: "overlap", text: rest.slice(0, length) }];
}

/** Two beginnings of one JSON value, however they are spaced: the same bracket and the same first key. */
function beginsAlike(open: string, again: string): boolean {
  const head = (text: string) =>
    /^[[{][\s[{]*(?:"[^"\n]{0,80}"?)?/.exec(text)?.[0].replace(/\s+/g, "") ?? "";
  const first = head(open);
  const second = head(again);
  return (
    first !== "" &&
    second !== "" &&
    (second.startsWith(first) || first.startsWith(second)) &&
    second.length > 1
  );
}

/** What stood before the value that was begun anew stays before it. */
function restarted(point: ContinuationPoint, again: string, from: number): Joined {
  const before = point.text.slice(from);
  const shrunk = again.length < before.length;
  const whole = shrunk ? before : again;
  const lost = shrunk ? again : before;
  const isContained = whole.trimStart().startsWith(lost.trimStart());
  const what = shrunk ? "shorter_version" : "earlier_version";
  return {
    text: point.text.slice(0, from) + whole,
    seam: "restart",
    dropped: [...tornOf(point), ...(isContained ? [] : [{ what, text: lost } as const])],
    added: whole.length - before.length,
    repeated: shrunk && isContained,
    shrunk,
  };
}

function joined(
  point: ContinuationPoint,
  rest: string,
  seam: Joined["seam"],
  dropped: readonly Dropped[],
  wasFenced: boolean = false,
): Joined {
  const plain = point.text + rest;
  const text = wasFenced ? withoutClosingFence(plain) : plain;
  return {
    text,
    seam,
    dropped: [...tornOf(point), ...dropped],
    added: text.length - point.text.length,
    repeated: isRepetition(point.text, rest),
    shrunk: false,
  };
}

/** Nothing new, or a stretch long enough to be no accident that stands in the text already. */
function isRepetition(text: string, rest: string): boolean {
  const trimmed = rest.trim();
  return trimmed === "" || (trimmed.length >= RESTART_LENGTH && text.includes(trimmed));
}

function tornOf({ torn }: ContinuationPoint): Dropped[] {
  return torn === "" ? [] : [{ what: "torn_character", text: torn }];
}
