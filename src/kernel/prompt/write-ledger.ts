/**
 * The rows of the ledger and the cuts among them: what was fitted in reading order, then what was
 * ruled out before fitting, then what the caller had left out.
 */

import type { CutRecord } from "./compiled-prompt.ts";
import type { Fit } from "./fit-parts.ts";
import type { LedgerRow } from "./ledger.ts";
import type { Candidate, Place } from "./page.ts";
import type { LeftOut, SourceRef } from "./part.ts";
import type { PreparedPart } from "./prepare-part.ts";
import { type Redactor, redactText } from "./redactor.ts";
import type { RenderedPart } from "./rendered-part.ts";
import type { Selection } from "./select-candidates.ts";
import type { Meter } from "./sheet.ts";

export interface WrittenLedger {
  readonly ledger: readonly LedgerRow[];
  readonly cuts: readonly CutRecord[];
}

export function writeLedger(
  { candidates, ruledOut }: Selection,
  fit: Fit,
  leftOut: readonly LeftOut[],
  redactor: Redactor,
  /** Absent when tokens are not counted. */
  meter: Meter | undefined,
): WrittenLedger {
  const ledger: LedgerRow[] = [];
  const cuts: CutRecord[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const place = fit.places[index];
    if (place === undefined) continue;
    const rendered = "rendered" in place ? place.rendered : place.whole;
    const row = createRow(candidate.prepared, redactor, rendered, meter);
    ledger.push({ ...row, ...verdictOf(place, candidate, candidates) });
    const cut = cutOf(place, candidate.prepared, row.ref);
    if (cut !== undefined) cuts.push(cut);
  }
  for (const { prepared, reason, because } of ruledOut) {
    const row = createRow(prepared, redactor, undefined, meter);
    ledger.push({ ...row, outcome: "out", reason, ...(because === undefined ? {} : { because }) });
  }
  for (const candidate of leftOut.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    ledger.push(leftOutRow(candidate, redactor));
  }
  return { ledger, cuts };
}

type Draft = { -readonly [Key in keyof LedgerRow]: LedgerRow[Key] };

function createRow(
  { part, pieces, before, redactions, cleaning }: PreparedPart,
  redactor: Redactor,
  rendered: RenderedPart | undefined,
  meter: Meter | undefined,
): LedgerRow {
  const row: Draft = {
    part: part.id,
    layer: part.layer,
    outcome: "in",
    reason: "included",
    importance: part.importance,
  };
  const ref = pieces.find((piece) => piece.ref !== undefined)?.ref;
  if (part.kind !== undefined) row.kind = part.kind;
  if (ref !== undefined) row.ref = ref;
  if (part.score !== undefined) row.score = part.score;
  if (part.note !== undefined) row.note = redactText(redactor, part.note);
  if (redactions > 0) row.redactions = redactions;
  if (cleaning !== undefined) row.cleaning = cleaning;
  if (rendered === undefined) return row;
  row.characters = rendered.text.length;
  if (meter !== undefined) row.tokens = meter.cost(rendered.text).tokens;
  if (rendered.own < before) row.truncated = { from: before, to: rendered.own };
  return row;
}

function verdictOf(
  place: Place,
  { leader }: Candidate,
  candidates: readonly Candidate[],
): Pick<LedgerRow, "outcome" | "reason" | "shortage" | "because"> {
  if ("rendered" in place) return { outcome: "in", reason: place.reason };
  const { shortage, outrankedBy } = place;
  if (outrankedBy !== undefined) {
    return { outcome: "out", reason: "outranked", because: idAt(candidates, outrankedBy) };
  }
  if (shortage !== undefined) return { outcome: "out", reason: "budget", shortage };
  const because = idAt(candidates, leader);
  return { outcome: "out", reason: "leader_out", because };
}

function idAt(candidates: readonly Candidate[], index: number | undefined): string {
  return candidates[index ?? -1]?.prepared.part.id ?? "";
}

function cutOf(
  place: Place,
  { part, before }: PreparedPart,
  ref: SourceRef | undefined,
): CutRecord | undefined {
  const to = "rendered" in place ? place.rendered.own : 0;
  if (to >= before) return undefined;
  const isByBudget = !("rendered" in place) || place.rendered.isCut;
  const cut = { part: part.id, layer: part.layer, from: before, to };
  const cause = isByBudget ? "budget" : "maximum";
  return ref === undefined ? { ...cut, cause } : { ...cut, cause, ref };
}

function leftOutRow({ id, layer, reason, ...rest }: LeftOut, redactor: Redactor): LedgerRow {
  const row = { part: id, layer, outcome: "out" as const, reason, ...rest };
  return rest.note === undefined ? row : { ...row, note: redactText(redactor, rest.note) };
}
