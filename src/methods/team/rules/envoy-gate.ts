/**
 * The envoy reports and never originates: every message cites changes of this round, and its numerals, quoted
 * strings and capitalised names stand in what it cites.
 */

import { type Breach, breach } from "./breach.ts";

/** What a change of the round says, as the envoy was shown it. */
export interface Delta {
  readonly id: string;
  readonly text: string;
}

export function checkEnvoy(
  message: { readonly text: string; readonly deltaIds: readonly string[] },
  deltas: ReadonlyMap<string, Delta>,
): Omit<Breach, "path" | "item"> | undefined {
  const unknown = message.deltaIds.filter((id) => !deltas.has(id));
  if (message.deltaIds.length === 0)
    return breach("team_envoy_uncited", "cites no change of this round");
  if (unknown.length > 0) {
    return breach(
      "team_envoy_uncited",
      `cites ${unknown.join(", ")}, which is no change of this round`,
    );
  }
  const cited = message.deltaIds.map((id) => deltas.get(id)?.text ?? "").join("\n");
  const unfounded = unfoundedIn(message.text, cited);
  if (unfounded.length === 0) return undefined;
  const said = unfounded.map((each) => `“${each}”`).join(", ");
  return breach(
    "team_envoy_unfounded",
    `says ${said}, which stands in none of ${message.deltaIds.join(", ")}`,
  );
}

/** What a text claims that its ground does not hold, each once. */
export function unfoundedIn(text: string, ground: string): readonly string[] {
  const numbers = new Set(numeralsIn(ground));
  const words = new Set(wordsIn(ground));
  const said = flat(ground);
  const found = [
    ...numeralsIn(text).filter((numeral) => !numbers.has(numeral)),
    ...quotesIn(text).filter((quote) => !said.includes(flat(quote))),
    ...namesIn(text).filter((name) => !words.has(name.toLowerCase())),
  ];
  return [...new Set(found)];
}

function numeralsIn(text: string): string[] {
  return text.normalize("NFKC").match(/\d+(?:[.,:]\d+)*/g) ?? [];
}

const QUOTES = /“([^“”]+)”|"([^"\n]+)"|«([^«»]+)»|„([^„“”]+)[“”]|「([^「」]+)」/g;

function quotesIn(text: string): string[] {
  return [...text.matchAll(QUOTES)].map(
    (found) => found.slice(1).find((each) => each !== undefined) ?? "",
  );
}

/**
 * Capitalised words that are so for another reason than beginning a sentence. One that begins a sentence counts when
 * another capitalised word follows it, or when it is capitalised elsewhere in the text too.
 */
function namesIn(text: string): string[] {
  const bare = text.replaceAll(QUOTES, " , ").replaceAll(/[*_`#>]+/g, "");
  const opening: string[] = [];
  const names: string[] = [];
  for (const sentence of bare.split(/(?<=[.!?:…])\s+|\n+|^\s*[-*]\s+/mu)) {
    const words = sentence.match(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}’'-]*/gu) ?? [];
    words.forEach((word, place) => {
      if (!/^\p{Lu}/u.test(word) || ORDINARY.has(word)) return;
      const next = words[place + 1];
      if (place > 0 || (next !== undefined && /^\p{Lu}/u.test(next) && !ORDINARY.has(next)))
        names.push(word);
      else opening.push(word);
    });
  }
  const known = new Set(names);
  return [...names, ...opening.filter((word) => known.has(word))].map((word) =>
    word.replace(/[’']s$/u, ""),
  );
}

/** English writes itself large. */
const ORDINARY = new Set(["I", "I’m", "I'm", "I’ve", "I've", "I’ll", "I'll", "OK"]);

function wordsIn(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}’'-]*/gu) ?? []).map((word) =>
    word.toLowerCase().replace(/[’']s$/u, ""),
  );
}

function flat(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
