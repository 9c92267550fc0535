/**
 * From a part to what of it may be shown: redactions made, foreign text cleaned, pieces held to
 * their maximum. Everything after this works on text that is safe to copy anywhere.
 */

import { cleanUntrusted } from "./clean-untrusted.ts";
import {
  type Content,
  createContentBuilder,
  cutContent,
  plainContent,
  redactContent,
  saysSomething,
} from "./content.ts";
import { cleanProvenance } from "./fence-untrusted.ts";
import type { Part, Piece, SourceRef } from "./part.ts";
import { type RedactionSpan, redactionMarker } from "./redaction-span.ts";
import { type Redactor, redactText } from "./redactor.ts";

export interface PreparedPart {
  readonly part: Part;
  readonly pieces: readonly PreparedPiece[];
  /** Characters before any piece was held to its maximum. */
  readonly before: number;
  readonly redactions: number;
  readonly cleaning: Cleaning | undefined;
}

export interface PreparedPiece {
  readonly content: Content;
  readonly ref: SourceRef | undefined;
  /** Present on text that has to be fenced. */
  readonly provenance: string | undefined;
}

/** What was taken out of foreign text. */
export interface Cleaning {
  readonly removed: number;
  readonly neutralised: number;
}

export function preparePart(part: Part, redactor: Redactor): PreparedPart {
  const pieces = typeof part.text === "string" ? [{ text: part.text }] : part.text;
  const counts = { removed: 0, neutralised: 0 };
  const safe = redactAcross(
    pieces.map((piece) => prepareContent(piece, redactor, counts)),
    redactor,
  );
  return {
    part,
    pieces: safe.map((content, index) => preparePiece(content, pieces[index], redactor)),
    before: sum(safe, ({ text }) => text.length),
    redactions: sum(safe, ({ marks }) => marks.length),
    cleaning: counts.removed + counts.neutralised === 0 ? undefined : counts,
  };
}

/** Nothing but blanks and redactions: there is nothing to say. */
export function isBlank(prepared: PreparedPart): boolean {
  return !prepared.pieces.some(({ content }) => saysSomething(content));
}

/** Redactions within single pieces, at places of the prepared contents. */
export function redactPieces(
  prepared: PreparedPart,
  spans: ReadonlyMap<number, readonly RedactionSpan[]>,
): PreparedPart {
  const pieces = prepared.pieces.map((piece, index) => ({
    ...piece,
    content: redactContent(piece.content, spans.get(index) ?? []),
  }));
  const added = sum([...spans.values()], (list) => list.length);
  return { ...prepared, pieces, redactions: prepared.redactions + added };
}

function prepareContent(
  piece: Piece,
  redactor: Redactor,
  counts: { removed: number; neutralised: number },
): Content {
  const settle = (text: string): string => {
    const plain = normalise(text);
    if (piece.untrusted === undefined) return plain;
    const cleaned = cleanUntrusted(plain);
    counts.removed += cleaned.removed;
    counts.neutralised += cleaned.neutralised;
    return cleaned.text;
  };
  const places = piece.ref === undefined ? [] : redactor.findIn(piece.ref, piece.text);
  const content =
    places.length === 0
      ? plainContent(settle(piece.text))
      : redactPlaces(piece.text, places, settle);
  return redactContent(content, redactor.find(content.text));
}

/** Places count characters of the source, so they are taken out before anything else changes. */
function redactPlaces(
  text: string,
  places: readonly RedactionSpan[],
  settle: (text: string) => string,
): Content {
  const builder = createContentBuilder();
  const keep = (kept: string): void => builder.copy(plainContent(kept), 0, kept.length);
  let at = 0;
  for (const { start, end, label } of places) {
    keep(settle(text.slice(at, start)));
    builder.mark(redactionMarker(label));
    at = end;
  }
  keep(settle(text.slice(at)));
  return builder.content();
}

/** One sort of line break, and no halves of characters. */
function normalise(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\r") ? whole.replaceAll(/\r\n?/g, "\n") : whole;
}

/** What is redacted may have been put together from several pieces. */
function redactAcross(contents: readonly Content[], redactor: Redactor): readonly Content[] {
  if (contents.length < 2) return contents;
  const spans = redactor.find(contents.map(({ text }) => text).join(""));
  if (spans.length === 0) return contents;
  let start = 0;
  return contents.map((content) => {
    const from = start;
    start += content.text.length;
    return redactContent(content, spansWithin(spans, from, start));
  });
}

/** The share of each span that falls between two places, counted from the first. */
function spansWithin(
  spans: readonly RedactionSpan[],
  from: number,
  to: number,
): readonly RedactionSpan[] {
  return spans
    .map(({ start, end, label }) => ({
      start: Math.max(start, from) - from,
      end: Math.min(end, to) - from,
      label,
    }))
    .filter(({ start, end }) => start < end);
}

function preparePiece(
  content: Content,
  piece: Piece | undefined,
  redactor: Redactor,
): PreparedPiece {
  const maximum = piece?.maximum;
  const held = maximum === undefined ? content : (cutContent(content, maximum) ?? plainContent(""));
  const provenance = piece?.untrusted;
  return {
    content: held,
    ref: piece?.ref,
    provenance:
      provenance === undefined ? undefined : cleanProvenance(redactText(redactor, provenance)),
  };
}

function sum<Item>(items: readonly Item[], amount: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += amount(item);
  return total;
}
