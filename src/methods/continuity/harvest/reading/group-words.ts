/** Which words announce which group of an answer, in the languages that answers come in: `library/continuity/words/groups.json`. */

import { z } from "zod";
import type { Library } from "../../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../../kernel/library/parse-library-json.ts";

export const GROUPS = [
  "answer",
  "tasks",
  "decisions",
  "highlights",
  "questions",
  "blockers",
] as const;
export type Group = (typeof GROUPS)[number];

export interface GroupWords {
  /** The group that these words name, and nothing else. */
  readonly exactGroup: (text: string) => Group | undefined;
  /** The group that a heading announces, also in more words: "Concrete next steps for this week". */
  readonly headingGroup: (text: string) => Group | undefined;
  /** "This week" stands above steps and is none itself. */
  readonly isPeriod: (text: string) => boolean;
  /** "None at this time." */
  readonly isNothing: (text: string) => boolean;
  /** "Let me know if you want more": said to the reader, not about the matter. */
  readonly isClosing: (text: string) => boolean;
  /** Whether a text says of itself that it takes the place of something. */
  readonly saysItReplaces: (text: string) => boolean;
}

const phrases = z.array(z.string().min(1).max(60)).max(500);
const groupFile = z.record(
  z.enum([...GROUPS, "periods", "nothing", "closings", "replaces"]),
  phrases,
);

export function readGroupWords(library: Library): GroupWords {
  const file = parseLibraryJson(library.read("continuity/words/groups.json"), groupFile);
  const known = new Map<string, Group>();
  for (const group of GROUPS) for (const phrase of file[group]) known.set(plain(phrase), group);
  const setOf = (list: readonly string[]) => new Set(list.map(plain));
  const [periods, nothing] = [setOf(file.periods), setOf(file.nothing)];
  const replaces = [...setOf(file.replaces)];
  const closings = [...setOf(file.closings)];
  // The longest first: "next steps" says more about a heading than "steps".
  const byLength = [...known].toSorted(([a], [b]) => b.length - a.length);
  return {
    exactGroup: (text) => known.get(withoutNumber(plain(text))),
    headingGroup: (text) => {
      const heading = withoutNumber(plain(text));
      if (heading.length > LONGEST_HEADING) return undefined;
      return known.get(heading) ?? byLength.find(([phrase]) => announces(heading, phrase))?.[1];
    },
    isPeriod: (text) => periods.has(withoutNumber(plain(text))) || PHASE.test(plain(text)),
    isNothing: (text) => nothing.has(plain(text)),
    isClosing: (text) => {
      const said = plain(text);
      return closings.some((phrase) => said.startsWith(phrase));
    },
    saysItReplaces: (text) => {
      const said = ` ${plain(text)} `;
      return replaces.some((phrase) => said.includes(isSpaced(phrase) ? ` ${phrase} ` : phrase));
    },
  };
}

const LONGEST_HEADING = 80;
/** "Phase 2", "Week 1": a part of a plan, whatever the plan is called. */
const PHASE =
  /^(?:phase|week|day|month|sprint|stage|woche|tag|monat|semaine|jour|mois|etape) ?\d+$/;
const ASKS = /^(?:why|how|when|who|if|warum|wie|wann|wer|pourquoi|comment|quand|por)\b/;

function announces(heading: string, phrase: string): boolean {
  if (!isSpaced(phrase)) {
    return heading.includes(phrase) && heading.length <= phrase.length + MOST_UNSPACED;
  }
  const words = heading.split(" ");
  if (!` ${heading} `.includes(` ${phrase} `)) return false;
  if (phrase.includes(" ")) return words.length <= MOST_WORDS;
  // One word in the middle of a sentence announces nothing: "Why the last decision failed".
  const isAtEdge = words[0] === phrase || words.at(-1) === phrase;
  return isAtEdge && words.length <= MOST_WORDS_AROUND_ONE && !ASKS.test(heading);
}

const MOST_WORDS = 10;
const MOST_WORDS_AROUND_ONE = 5;
const MOST_UNSPACED = 8;

/** Words of these scripts stand together without spaces. */
function isSpaced(text: string): boolean {
  return !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
}

function withoutNumber(text: string): string {
  return text.replace(/^(?:\d+ )+/, "");
}

/** Lower case, without accents, marks, signs and pictures; words with one space between. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
