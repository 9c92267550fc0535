/**
 * Words as search sees them, for both databases alike: letters and digits, without regard to case, accents
 * and width. Scripts written without spaces are taken character by character.
 */

import { ProductError } from "../base/errors.ts";

export interface PlacedTerm {
  readonly term: string;
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
}

export interface SearchQuery {
  /** Whole words that must all occur. */
  readonly words: readonly string[];
  /** The beginning of a word that must occur: the last one typed, unless a space follows it. */
  readonly prefix: string | undefined;
}

/** Blobs without spaces would flood the index; their beginnings are enough to find them. */
const MAX_TERM_LENGTH = 64;
const MAX_QUERY_TERMS = 24;

export function placedTerms(text: string): readonly PlacedTerm[] {
  const placed: PlacedTerm[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (ASCII.test(word)) {
      placed.push({ term: shorten(word.toLowerCase()), start: index, end: index + word.length });
    } else {
      placed.push(...foldWord(word, index));
    }
  }
  return placed;
}

export function termsOf(text: string): readonly string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(shorten);
  return placedTerms(text).map(({ term }) => term);
}

export function parseSearch(text: string): SearchQuery {
  const terms = termsOf(text);
  const last = terms.at(-1);
  if (last === undefined) {
    throw new ProductError("search_empty", "There is no word to search for.", {
      hint: "Give at least one word; punctuation alone finds nothing.",
    });
  }
  if (terms.length > MAX_QUERY_TERMS) {
    throw new ProductError(
      "search_too_long",
      `A search takes at most ${MAX_QUERY_TERMS} words, not ${terms.length}.`,
      { hint: "Leave out the common ones." },
    );
  }
  const isOpen = ENDS_IN_WORD.test(text);
  return {
    words: [...new Set(isOpen ? terms.slice(0, -1) : terms)],
    prefix: isOpen ? last : undefined,
  };
}

export function isWanted(term: string, { words, prefix }: SearchQuery): boolean {
  return words.includes(term) || (prefix !== undefined && term.startsWith(prefix));
}

export function matches(terms: Iterable<string>, { words, prefix }: SearchQuery): boolean {
  const present = new Set(terms);
  if (!words.every((word) => present.has(word))) return false;
  return prefix === undefined || present.values().some((term) => term.startsWith(prefix));
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]+/g;
const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu;

function foldWord(word: string, index: number): readonly PlacedTerm[] {
  const folded = word.normalize("NFKD").toLowerCase().normalize("NFKD").replaceAll(ACCENTS, "");
  const isAligned = folded.length === word.length;
  return [...folded.matchAll(PIECE)].map(({ 0: piece, index: at }) => ({
    term: shorten(piece),
    start: isAligned ? index + at : index,
    end: isAligned ? index + at + piece.length : index + word.length,
  }));
}

function shorten(term: string): string {
  return term.length > MAX_TERM_LENGTH ? term.slice(0, MAX_TERM_LENGTH).toWellFormed() : term;
}
