/**
 * What a candidate is to what the project has already: new, there already, more of something, or against a decision.
 * Deterministic, by words; every verdict says why.
 *
 * | share of words (Dice) | verdict |
 * |---|---|
 * | titles ≥ 0.85, or one within the other at ≥ 0.7, passages at ≥ 0.6 | the same matter: there already where ≥ 0.8 of the words are known, else more of it |
 * | titles ≥ 0.5 | new, and what it resembles is named |
 * | see `opposition.ts` | against a decision |
 */

import type { CandidateType } from "../reading/candidate-types.ts";
import type { GroupWords } from "../reading/group-words.ts";
import { contentTokens, type MatchingWords } from "./content-tokens.ts";
import type { MatchKind } from "./match-kinds.ts";
import { findOpposition, findTurned, type Statement } from "./opposition.ts";
import { type Overlap, overlapOf } from "./token-overlap.ts";

export interface Match {
  readonly kind: MatchKind;
  /** What it is matched with; for something new, what it resembles. */
  readonly with: ExistingRef | undefined;
  readonly reason: string;
  /** What an update would make of it. */
  readonly changes?: Changes | undefined;
}

export interface ExistingRef {
  readonly type: CandidateType;
  readonly id: string;
}

/** A thought of the project, as it may be shown. */
export interface Existing extends ExistingRef {
  /** A highlight's label; may be empty. */
  readonly title: string;
  readonly text: string;
  /** Of a task. */
  readonly status?: string | undefined;
  /** Not all of it may be seen: it must not be written over. */
  readonly isMasked?: boolean;
}

/** With the words that say what it is about, found once for all candidates. */
export interface PreparedThought extends Existing {
  readonly subject: readonly string[];
}

export function prepareThought(thought: Existing, words: MatchingWords): PreparedThought {
  return { ...thought, subject: subjectOf(thought, words) };
}

export interface Changes {
  readonly title?: string;
  readonly text?: string;
}

export interface MatchedCandidate {
  readonly type: CandidateType;
  readonly title: string | undefined;
  readonly text: string;
  readonly replaces?: string | undefined;
}

export interface MatchingContext {
  readonly words: MatchingWords;
  readonly groups: GroupWords;
}

const SAME = 0.85;
const WITHIN = 0.7;
/** A passage that goes on is the same passage; a title that does may be about another matter. */
const PASSAGE_WITHIN = 0.6;
const KNOWN = 0.8;
const RESEMBLES = 0.5;
/** A decision stands against another sooner than a task or a remark does. */
const SHARED_BY_DECISIONS = 0.5;
const SHARED_BY_OTHERS = 0.75;

export function matchCandidate(
  candidate: MatchedCandidate,
  existing: readonly PreparedThought[],
  context: MatchingContext,
): Match {
  const same = bestOfSame(candidate, existing, context);
  const against = findContradicted(candidate, existing, context);
  if (against === undefined) return same?.match ?? newOne(candidate, existing, context);
  const isAgainst = same === undefined || isOne(against, same) || isMoreThanKnown(against, same);
  return isAgainst ? against.match : same.match;

  /** What is there already to the word says nothing new, unless it names what it takes the place of. */
  function isMoreThanKnown({ isSaid }: Contradiction, known: Found): boolean {
    return isSaid && (candidate.replaces !== undefined || known.match.kind !== "duplicate");
  }
}

interface Found {
  readonly dice: number;
  readonly match: Match;
}

/** Of equals the one with the smaller id, so that the order of reading decides nothing. */
function isBetter(one: Found, best: Found | undefined): boolean {
  if (best === undefined || one.dice !== best.dice) return one.dice > (best?.dice ?? 0);
  return (one.match.with?.id ?? "") < (best.match.with?.id ?? "");
}

function isOne(one: { readonly match: Match }, other: { readonly match: Match }): boolean {
  return one.match.with?.id === other.match.with?.id;
}

function bestOfSame(
  candidate: MatchedCandidate,
  existing: readonly PreparedThought[],
  context: MatchingContext,
): Found | undefined {
  const own = subjectOf(candidate, context.words);
  let best: Found | undefined;
  for (const thought of existing) {
    if (thought.type !== candidate.type) continue;
    const found = compare(candidate, own, thought, context);
    if (found !== undefined && isBetter(found, best)) best = found;
  }
  return best;
}

function compare(
  candidate: MatchedCandidate,
  own: readonly string[],
  thought: PreparedThought,
  { words }: MatchingContext,
): Found | undefined {
  const overlap = overlapOf(own, thought.subject);
  if (!isSameMatter(candidate.type, overlap)) return undefined;
  if (findTurned(sayingOf(candidate), sayingOf(thought), words) !== undefined) return undefined;
  const all = contentTokens(`${thought.title} ${thought.text}`, words);
  const said = contentTokens(`${candidate.title ?? ""} ${candidate.text}`, words);
  const adds = overlapOf(said, all);
  const isFuller = candidate.type === "highlight" || overlap.firstInSecond < 1;
  const isKnown = adds.firstInSecond >= KNOWN && !(isFuller && adds.onlyFirst.length > 1);
  const changes = isKnown ? undefined : changesTo(candidate, thought, overlap, words);
  if (changes !== undefined && thought.isMasked === true) return undefined;
  const match: Match =
    changes === undefined
      ? { kind: "duplicate", with: refOf(thought), reason: thereAlready(thought) }
      : { kind: "update", with: refOf(thought), reason: whatIsNew(changes), changes };
  return { dice: overlap.dice, match };
}

interface Saying {
  readonly type: CandidateType;
  readonly title?: string | undefined;
  readonly text: string;
}

/** What says what a thought is about: its title; a highlight's words. */
function sayingOf({ type, title, text }: Saying): string {
  return type === "highlight" ? text : (title ?? "");
}

function subjectOf(saying: Saying, words: MatchingWords): readonly string[] {
  return contentTokens(sayingOf(saying), words);
}

function isSameMatter(
  type: CandidateType,
  { dice, firstInSecond, secondInFirst, onlyFirst, onlySecond }: Overlap,
): boolean {
  // Another number is another matter: "on 2G" is not "on 3G".
  if (onlyFirst.some(hasDigit) && onlySecond.some(hasDigit)) return false;
  const within = type === "highlight" ? PASSAGE_WITHIN : WITHIN;
  return dice >= SAME || (dice >= within && Math.max(firstInSecond, secondInFirst) === 1);
}

function hasDigit(token: string): boolean {
  return /\d/.test(token);
}

function changesTo(
  candidate: MatchedCandidate,
  thought: Existing,
  subject: Overlap,
  words: MatchingWords,
): Changes | undefined {
  const text = joinedText(candidate, thought, words);
  const isMoreExact = subject.onlyFirst.length > 0 && subject.onlySecond.length === 0;
  const title =
    candidate.type === "highlight"
      ? thought.title === ""
        ? candidate.title
        : undefined
      : isMoreExact
        ? candidate.title
        : undefined;
  const changes: Changes = {
    ...(title === undefined || title === thought.title ? {} : { title }),
    ...(text === thought.text ? {} : { text }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** What holds the old words takes their place; anything else is added below them. */
function joinedText(
  { text }: MatchedCandidate,
  { text: old }: Existing,
  words: MatchingWords,
): string {
  if (text === "" || old === "") return text === "" ? old : text;
  // What was added before is there to the letter, whatever its words mean beside others.
  if (`\n\n${old}\n\n`.includes(`\n\n${text}\n\n`)) return old;
  const overlap = overlapOf(contentTokens(text, words), contentTokens(old, words));
  if (overlap.firstInSecond === 1) return old;
  return overlap.secondInFirst >= KNOWN ? text : `${old}\n\n${text}`;
}

interface Contradiction extends Found {
  readonly isSaid: boolean;
}

function findContradicted(
  candidate: MatchedCandidate,
  existing: readonly PreparedThought[],
  { words, groups }: MatchingContext,
): Contradiction | undefined {
  const { type, title, text, replaces } = candidate;
  const statement: Statement = {
    title: title ?? text,
    text,
    replaces,
    // A task that replaces something does so in the world: "Replace the lock with a lease" carries a decision out.
    saysItReplaces: type === "decision" && groups.saysItReplaces(`${title ?? ""} ${text}`),
  };
  const own = contentTokens(statement.title, words);
  const least = type === "decision" ? SHARED_BY_DECISIONS : SHARED_BY_OTHERS;
  let best: Contradiction | undefined;
  for (const decision of existing) {
    if (decision.type !== "decision") continue;
    const opposition = findOpposition(statement, decision, words, least);
    // A number in a task or a remark is not set against a number that was decided.
    if (opposition === undefined || (type !== "decision" && opposition.by === "number")) continue;
    const { by, reason } = opposition;
    const found: Contradiction = {
      isSaid: by === "saying",
      // Shared words may be none where the answer says it.
      dice: overlapOf(own, decision.subject).dice + (by === "saying" ? 1 : 0.001),
      match: { kind: "contradicts", with: refOf(decision), reason },
    };
    if (isBetter(found, best)) best = found;
  }
  return best;
}

function newOne(
  candidate: MatchedCandidate,
  existing: readonly PreparedThought[],
  { words }: MatchingContext,
): Match {
  const own = subjectOf(candidate, words);
  let best: { readonly thought: Existing; readonly overlap: Overlap } | undefined;
  for (const thought of existing.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (thought.type !== candidate.type) continue;
    const overlap = overlapOf(own, thought.subject);
    if (overlap.dice >= RESEMBLES && overlap.dice > (best?.overlap.dice ?? 0)) {
      best = { thought, overlap };
    }
  }
  if (best === undefined) {
    return { kind: "new", with: undefined, reason: "Nothing in the project resembles it." };
  }
  const differs = [...best.overlap.onlyFirst, ...best.overlap.onlySecond].slice(0, 4);
  const how = differs.length === 0 ? "says the opposite" : `differs in: ${differs.join(", ")}`;
  const reason = `It resembles this ${best.thought.type} and ${how}.`;
  return { kind: "new", with: refOf(best.thought), reason };
}

function thereAlready({ type, status }: Existing): string {
  const state = status === undefined ? "" : `, ${status.replaceAll("_", " ")}`;
  return `The project has this ${type} already${state}.`;
}

function whatIsNew(changes: Changes): string {
  const what = [
    ...(changes.title === undefined ? [] : ["a more exact title"]),
    ...(changes.text === undefined ? [] : ["more to say about it"]),
  ];
  return `The same matter, with ${what.join(" and ")}.`;
}

function refOf({ type, id }: Existing): ExistingRef {
  return { type, id };
}
