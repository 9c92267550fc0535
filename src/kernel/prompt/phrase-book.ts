/**
 * Finds given phrases in texts, however their white space is set and whatever invisible characters
 * were put between their letters. Time is linear in the text unless something is found.
 */

import { isInvisible } from "./invisible-characters.ts";

export interface PhraseBook {
  find(text: string): readonly PhraseMatch[];
}

interface PhraseMatch {
  readonly start: number;
  readonly end: number;
}

export interface PhraseRules {
  /** Phrases with fewer characters are not looked for: they would be found in innocent places. */
  readonly shortest: number;
  /** Blanks may be missing or added anywhere, as in a key that was broken over lines. */
  readonly ignoreSpaces: boolean;
  /** A stretch of a phrase counts as the phrase from this length on. */
  readonly fragment: number;
  /** Whether a shorter stretch counts where the text was cut off inside the phrase. */
  readonly cutCopies: boolean;
}

export function createPhraseBook(phrases: readonly string[], rules: PhraseRules): PhraseBook {
  const known = [
    ...new Set(phrases.map((phrase) => toText(normalise(phrase, rules)).trim())),
  ].filter((phrase) => phrase.length >= rules.shortest);
  if (known.length === 0) return { find: () => [] };
  const hashes = new Set<number>();
  for (const phrase of known) {
    someHash(normalise(phrase, rules), rules.shortest, (hash) => !hashes.add(hash));
  }
  const fragments = new Set(known.flatMap((phrase) => windows(phrase, rules.fragment)));
  const cutFrom = rules.cutCopies ? rules.shortest : rules.fragment;
  return {
    find(text) {
      if (text.length < rules.shortest) return [];
      const plain = normalise(text, rules);
      // Hashes tell quickly that nothing of the phrases is there; a false alarm costs only time.
      if (!someHash(plain, rules.shortest, (hash) => hashes.has(hash))) return [];
      const readable = toText(plain);
      const found = [
        ...known.flatMap((phrase) => wholeMatches(readable, phrase)),
        ...known.flatMap((phrase) => cutMatches(readable, phrase, cutFrom)),
        ...fragmentMatches(readable, fragments, rules.fragment),
      ];
      return found.map((match) => original(readable, plain.offsets, match));
    },
  };
}

interface Normalised {
  readonly codes: Uint16Array;
  /** Where each character stands in the original. */
  readonly offsets: Int32Array;
}

const SPACE = 1;
const INVISIBLE = 2;
/** The first half of a character that takes two units: which one, the second half says. */
const FIRST_HALF = 3;
let classes: Uint8Array | undefined;

/** By UTF-16 unit: letters and signs, white space, and what shows nothing to anybody. */
function characterClasses(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let code = 0; code < table.length; code += 1) {
    // Line breaks and tabs count as space although some of them are controls.
    if (/\s/.test(String.fromCharCode(code)) && code !== 0xfeff) table[code] = SPACE;
    else if (isInvisible(code)) table[code] = INVISIBLE;
    else if (code >= 0xd800 && code <= 0xdbff) table[code] = FIRST_HALF;
  }
  return table;
}

function normalise(text: string, { ignoreSpaces }: PhraseRules): Normalised {
  classes ??= characterClasses();
  const codes = new Uint16Array(text.length);
  const offsets = new Int32Array(text.length);
  let length = 0;
  let skipsSpace = ignoreSpaces;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = classes[code];
    if (kind === INVISIBLE || (kind === SPACE && skipsSpace)) continue;
    if (kind === FIRST_HALF && isInvisible(Number(text.codePointAt(at)))) {
      at += 1;
      continue;
    }
    skipsSpace = ignoreSpaces || kind === SPACE;
    codes[length] = kind === SPACE ? 32 : code;
    offsets[length] = at;
    length += 1;
  }
  return { codes: codes.subarray(0, length), offsets };
}

function toText({ codes }: Normalised): string {
  return Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString("utf16le");
}

/** Blanks at the edges of a match are left to the text around it. */
function original(text: string, offsets: Int32Array, match: PhraseMatch): PhraseMatch {
  let { start, end } = match;
  while (text.charAt(start) === " ") start += 1;
  while (text.charAt(end - 1) === " ") end -= 1;
  return { start: offsets[start] ?? 0, end: (offsets[end - 1] ?? 0) + 1 };
}

const BASE = 16_777_619;

/** Whether the test holds for the hash of any window of the given length. */
function someHash(
  { codes }: Normalised,
  length: number,
  holds: (hash: number) => boolean,
): boolean {
  let leading = 1;
  for (let count = 1; count < length; count += 1) leading = Math.imul(leading, BASE);
  let hash = 0;
  for (let at = 0; at < codes.length; at += 1) {
    if (at >= length) hash = (hash - Math.imul(codes[at - length] ?? 0, leading)) | 0;
    hash = (Math.imul(hash, BASE) + (codes[at] ?? 0)) | 0;
    if (at >= length - 1 && holds(hash)) return true;
  }
  return false;
}

function windows(phrase: string, length: number): string[] {
  return Array.from({ length: Math.max(0, phrase.length - length + 1) }, (_, start) =>
    phrase.slice(start, start + length),
  );
}

function wholeMatches(text: string, phrase: string): PhraseMatch[] {
  return occurrences(text, phrase).map((start) => ({ start, end: start + phrase.length }));
}

function occurrences(text: string, phrase: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) found.push(at);
  return found;
}

/** A copy that was shortened ends inside the phrase, or begins there, or is a piece of it. */
function cutMatches(text: string, phrase: string, shortest: number): PhraseMatch[] {
  const { first, last } = contentBounds(text);
  if (last - first < shortest) return [];
  const found: PhraseMatch[] = [];
  if (phrase.includes(text.slice(first, last))) found.push({ start: first, end: last });
  for (const start of occurrences(text, phrase.slice(0, shortest))) {
    const rest = last - start;
    if (rest > 0 && rest <= phrase.length && phrase.startsWith(text.slice(start, last))) {
      found.push({ start, end: last });
    }
  }
  for (const start of occurrences(text, phrase.slice(-shortest))) {
    const end = start + shortest;
    const length = end - first;
    if (length > 0 && length <= phrase.length && phrase.endsWith(text.slice(first, end))) {
      found.push({ start: first, end });
    }
  }
  return found;
}

const FRAMING = /[\s.,;:!?…"'“”„‘’«»()[\]*_`>-]/;

/** Quotes, ellipses and the like around a copy are not part of it. */
function contentBounds(text: string): { readonly first: number; readonly last: number } {
  let first = 0;
  let last = text.length;
  while (first < last && FRAMING.test(text.charAt(first))) first += 1;
  while (last > first && FRAMING.test(text.charAt(last - 1))) last -= 1;
  return { first, last };
}

function fragmentMatches(
  text: string,
  fragments: ReadonlySet<string>,
  length: number,
): PhraseMatch[] {
  const found: PhraseMatch[] = [];
  if (fragments.size === 0) return found;
  for (let start = 0; start + length <= text.length; start += 1) {
    if (fragments.has(text.slice(start, start + length)))
      found.push({ start, end: start + length });
  }
  return found;
}
