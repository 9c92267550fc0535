/**
 * Whether a text stands against a decision, and why one would think so. It rests on words alone: the answer says so
 * itself, a number differs, one rules out what the other affirms, or opposed words stand in the same place.
 */

import { contentTokens, folded, type MatchingWords, tokensOf } from "./content-tokens.ts";
import { isSameWord, type Overlap, overlapOf } from "./token-overlap.ts";

export interface Statement {
  readonly title: string;
  readonly text: string;
  /** What it says itself that it takes the place of. */
  readonly replaces?: string | undefined;
  /** It has words such as "instead of" or "supersedes" in it. */
  readonly saysItReplaces: boolean;
}

export interface Opposition {
  /** The answer says it itself; else by what kind of words it is concluded. */
  readonly by: "saying" | "number" | "ruling" | "opposites";
  readonly reason: string;
}

/** How much two statements must share before differing words count as opposed. */
const SAME_SUBJECT = 0.6;
const NAMED = 0.8;

export function findOpposition(
  statement: Statement,
  decision: { readonly title: string; readonly subject: readonly string[] },
  words: MatchingWords,
  /** How much of the subject must be shared where one rules out what the other affirms. */
  leastShared: number,
): Opposition | undefined {
  if (isNamed(statement, decision.subject, words)) {
    return { by: "saying", reason: "The answer itself says that it takes the place of this." };
  }
  const own = contentTokens(statement.title, words);
  const other = decision.subject;
  const overlap = overlapOf(own, other);
  const number = otherNumber(overlap, own, other);
  if (number !== undefined) return { by: "number", reason: number };
  const ruling = ruledOut(statement.title, decision.title, words, overlap, leastShared);
  if (ruling !== undefined) return { by: "ruling", reason: ruling };
  const opposed = opposedWords(overlap, own, other, words);
  return opposed === undefined ? undefined : { by: "opposites", reason: opposed };
}

function isNamed(statement: Statement, decided: readonly string[], words: MatchingWords): boolean {
  if (statement.replaces !== undefined) {
    const said = overlapOf(decided, contentTokens(statement.replaces, words));
    if (said.firstInSecond >= NAMED && said.secondInFirst >= SAME_SUBJECT) return true;
  }
  if (!statement.saysItReplaces || decided.length < 2) return false;
  const whole = contentTokens(`${statement.title} ${statement.text}`, words);
  // Two statements that say the same do not replace each other.
  const isSame = overlapOf(contentTokens(statement.title, words), decided).dice >= NAMED;
  return !isSame && overlapOf(decided, whole).firstInSecond >= NAMED;
}

function otherNumber(
  { onlyFirst, onlySecond }: Overlap,
  own: readonly string[],
  other: readonly string[],
): string | undefined {
  const [mine, theirs] = [onlyFirst.filter(isNumber), onlySecond.filter(isNumber)];
  const [number, more] = mine;
  if (number === undefined || more !== undefined || theirs.length !== 1) return undefined;
  const rest = overlapOf(without(own, mine), without(other, theirs));
  if (rest.dice < SAME_SUBJECT) return undefined;
  return `It says ${number} where the decision says ${theirs[0]}.`;
}

function ruledOut(
  title: string,
  decided: string,
  words: MatchingWords,
  { dice }: Overlap,
  leastShared: number,
): string | undefined {
  const turned = dice < leastShared ? undefined : findTurned(title, decided, words);
  if (turned === undefined) return undefined;
  return turned.isFor
    ? `It is for “${turned.token}”, which the decision rules out.`
    : `It rules out “${turned.token}”, which the decision is for.`;
}

/** A word that one text is for and the other is against. */
export function findTurned(
  text: string,
  other: string,
  words: MatchingWords,
): { readonly token: string; readonly isFor: boolean } | undefined {
  const [mine, theirs] = [signedTokens(text, words), signedTokens(other, words)];
  for (const [token, sign] of mine) {
    const match = [...theirs].find(([each]) => isSameWord(token, each));
    if (match !== undefined && match[1] !== sign) return { token, isFor: sign === 1 };
  }
  return undefined;
}

function opposedWords(
  { onlyFirst, onlySecond }: Overlap,
  own: readonly string[],
  other: readonly string[],
  { opposites }: MatchingWords,
): string | undefined {
  for (const mine of onlyFirst) {
    const theirs = onlySecond.find((token) => opposites.get(mine)?.has(token));
    if (theirs === undefined) continue;
    const rest = overlapOf(without(own, [mine]), without(other, [theirs]));
    if (rest.dice >= SAME_SUBJECT) {
      return `It says “${mine}” where the decision says “${theirs}”.`;
    }
  }
  return undefined;
}

type Sign = 1 | -1;

const CLAUSES = /[,;.!?()\u3001\u3002–—]|\b(?:but|aber|mais|pero)\b/iu;

/** What a statement is for and what it is against: "Leases, not locks" is against locks. */
function signedTokens(text: string, words: MatchingWords): ReadonlyMap<string, Sign> {
  const { ignored, negations, contrasts } = words;
  const signed = new Map<string, Sign>();
  for (const clause of text.split(CLAUSES)) {
    let said = ` ${folded(clause)} `;
    for (const phrase of contrasts) said = said.replaceAll(` ${phrase} `, ` ${CONTRAST} `);
    const tokens = tokensOf(said, words);
    // Where words are not set apart, what negates a clause may stand at its end.
    const isTurned = [...negations].some(
      (each) => !/^[\p{Script=Latin}]/u.test(each) && said.includes(each),
    );
    let sign: Sign = isTurned ? -1 : 1;
    for (const token of tokens) {
      if (token === CONTRAST || negations.has(token)) sign = -1;
      else if (!ignored.has(token)) signed.set(token, sign);
    }
  }
  return signed;
}

const CONTRAST = "insteadof";

function isNumber(token: string): boolean {
  return /^\d+$/.test(token);
}

function without(tokens: readonly string[], left: readonly string[]): readonly string[] {
  return tokens.filter((token) => !left.includes(token));
}
