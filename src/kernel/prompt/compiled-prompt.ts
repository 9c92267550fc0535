/** A prompt as it is stored, shown and sent: plain data, the same bytes for the same input. */

import { groupDigits } from "./group-digits.ts";
import type { LedgerRow } from "./ledger.ts";
import type { Role, SourceRef, Stability } from "./part.ts";

export interface CompiledPrompt {
  /** In reading order, for people and for copying. */
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  readonly characters: number;
  /** Present when there was a token budget. */
  readonly tokens?: number;
  /** The same layers for a call to a model: instructions first, then whatever changes least. */
  readonly messages: readonly PromptMessage[];
  readonly cache: CacheReport;
  /** Only layers that have something to say. */
  readonly layers: readonly LayerSize[];
  /** Every character of the text, without gap or overlap. */
  readonly sourceMap: readonly SourceRange[];
  /** What was really shown, piece by piece. */
  readonly refs: readonly ShownRef[];
  /** One row per candidate, in or out. */
  readonly ledger: readonly LedgerRow[];
  readonly cuts: readonly CutRecord[];
  /** Whether the text itself says that something was cut to fit. */
  readonly marker: "none" | "shown" | "no_room";
  readonly packing: PackingCertificate;
}

export interface PromptMessage {
  readonly role: Role;
  readonly text: string;
  readonly blocks: readonly MessageBlock[];
}

/** A layer's place in a message, and in the whole text. */
export interface MessageBlock {
  readonly layer: string;
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
}

export interface CacheReport {
  readonly breakpoints: readonly CacheBreakpoint[];
  /** Tokens below which the provider does not cache. */
  readonly minimumTokens?: number;
}

/** Everything up to the end of this message stays the same until what `stability` names changes. */
export interface CacheBreakpoint {
  readonly message: number;
  readonly stability: Stability;
  readonly characters: number;
  readonly tokens?: number;
  /** Of all messages so far: SHA-256 of the hash before, the role and the text, each on its line. */
  readonly prefixHash: string;
}

export interface LayerSize {
  readonly layer: string;
  readonly role: Role;
  readonly stability: Stability;
  readonly parts: number;
  readonly characters: number;
  readonly tokens?: number;
}

export interface SourceRange {
  readonly start: number;
  readonly end: number;
  readonly kind: RangeKind;
  readonly layer: string;
  readonly part?: string;
  readonly ref?: SourceRef;
}

/** A `marker` stands in for what is not shown: a redaction, the end of a cut, the note that there were cuts. */
export type RangeKind = "text" | "heading" | "fence" | "marker" | "separator";

export interface ShownRef {
  readonly ref: SourceRef;
  readonly part: string;
  readonly score?: number;
  readonly start: number;
  readonly end: number;
}

export interface CutRecord {
  readonly part: string;
  readonly layer: string;
  readonly ref?: SourceRef;
  /** What made it shorter: too little room, or the most that a piece of it may have. */
  readonly cause: "budget" | "maximum";
  readonly from: number;
  /** 0 when it was left out. */
  readonly to: number;
}

/** How good the choice among parts that did not all fit is, each importance served before the next. */
export interface PackingCertificate {
  readonly achieved: number;
  readonly upperBound: number;
  /** The most that could be missing, as a share of the upper bound. */
  readonly gap: number;
}

/** The source of a character of the text, for pointing at it. */
export function rangeAt(prompt: CompiledPrompt, offset: number): SourceRange | undefined {
  let low = 0;
  let high = prompt.sourceMap.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = prompt.sourceMap[middle];
    if (range === undefined) return undefined;
    if (offset < range.start) high = middle - 1;
    else if (offset >= range.end) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** `Cacheable: no, 640 of 1,024 tokens.` */
export function explainCache({ breakpoints, minimumTokens }: CacheReport): string {
  const longest = breakpoints.at(-1);
  if (longest === undefined)
    return "Cacheable: no, the prompt begins with what changes every time.";
  const { tokens, characters } = longest;
  if (tokens === undefined || minimumTokens === undefined) {
    return `Cacheable: ${groupDigits(characters)} characters.`;
  }
  const word = tokens >= minimumTokens ? "yes" : "no";
  return `Cacheable: ${word}, ${groupDigits(tokens)} of ${groupDigits(minimumTokens)} tokens.`;
}
