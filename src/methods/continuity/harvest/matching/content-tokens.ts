/** The words of a text that carry its meaning, so that two texts can be compared whatever their form. */

import { z } from "zod";
import type { Library } from "../../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../../kernel/library/parse-library-json.ts";

export interface MatchingWords {
  readonly ignored: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, string>;
  readonly negations: ReadonlySet<string>;
  readonly contrasts: readonly string[];
  /** Each pair in both directions. */
  readonly opposites: ReadonlyMap<string, ReadonlySet<string>>;
}

const word = z.string().min(1).max(60);
const matchingFile = z.strictObject({
  ignored: z.array(word),
  numbers: z.record(word, z.string().regex(/^\d+$/)),
  negations: z.array(word),
  contrasts: z.array(word),
  opposites: z.array(z.tuple([word, word])),
});

export function readMatchingWords(library: Library): MatchingWords {
  const file = parseLibraryJson(library.read("continuity/words/matching.json"), matchingFile);
  const opposites = new Map<string, Set<string>>();
  for (const pair of file.opposites) {
    const [one, other] = pair.map(folded);
    for (const [from = "", to = ""] of [
      [one, other],
      [other, one],
    ]) {
      opposites.set(from, (opposites.get(from) ?? new Set()).add(to));
    }
  }
  return {
    ignored: new Set(file.ignored.map(folded)),
    numbers: new Map(Object.entries(file.numbers).map(([name, value]) => [folded(name), value])),
    negations: new Set(file.negations.map(folded)),
    contrasts: file.contrasts.map(folded),
    opposites,
  };
}

/** Lower case, without accents; what stands between words is one space. */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['’`]/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Every word as it stands, in order; scripts without spaces as pairs of neighbouring signs. */
export function tokensOf(text: string, { numbers }: Pick<MatchingWords, "numbers">): string[] {
  return folded(text)
    .split(" ")
    .flatMap(piecesOf)
    .map((token) => numbers.get(token) ?? token);
}

/** Without words that say nothing about the matter. */
export function contentTokens(text: string, words: MatchingWords): string[] {
  const { ignored, negations } = words;
  const all = tokensOf(text, words);
  const kept = all.filter((token) => !ignored.has(token) && !negations.has(token));
  return kept.length > 0 ? kept : all;
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

function piecesOf(word: string): string[] {
  return (word.match(UNSPACED) ?? []).flatMap((run) =>
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(run) ? pairsOf(run) : [run],
  );
}

function pairsOf(run: string): string[] {
  const signs = Array.from(run);
  if (signs.length < 2) return signs;
  return signs.slice(1).map((sign, at) => `${signs[at]}${sign}`);
}
