/**
 * Chooses thoughts of one kind: the newest of each class are read, what is banned, redacted or unreadable is set
 * aside, and the best are taken. Reading goes on until setting aside changes nothing more.
 */

import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findWithheld, type ThoughtType } from "../../../kernel/store/withheld-sources.ts";
import { type GatherContext, idsOf, pinRefused, type Wish } from "./packet-context.ts";
import type { Withheld } from "./packet-material.ts";
import { type Candidate, NEXT, type Ranked } from "./select-thoughts.ts";
import { isReadable, type SourceText } from "./source-text.ts";
import type { Found, WantedThought } from "./thought-reader.ts";

export interface Kind<Thought extends Candidate, Words> {
  readonly type: ThoughtType;
  /** How many of each class no rule can do without. */
  readonly need: number;
  readonly pinned: readonly Thought[];
  readonly except?: string | undefined;
  readonly classOf: (thought: Thought) => string;
  /** The newest of each class, at most so many of each. */
  readonly read: (limit: number) => DatabaseWork<readonly Thought[]>;
  readonly select: (thoughts: readonly Thought[], pins: ReadonlySet<string>) => Selected<Thought>;
  readonly words: (wanted: readonly WantedThought[]) => DatabaseWork<Found<Words>>;
  /** What must be readable for the thought to say anything. */
  readonly titleOf: (words: Words) => SourceText;
}

export interface Selected<Thought extends Candidate> {
  readonly top: readonly Ranked<Thought>[];
  readonly next: readonly Ranked<Thought>[];
  /** Shown for other reasons than being among the top. */
  readonly more?: Readonly<Record<string, readonly Ranked<Thought>[]>>;
}

export interface Choosing<Thought extends Candidate, Words> {
  readonly selection: Selected<Thought>;
  readonly found: Found<Words>;
  readonly withheld: readonly Withheld[];
}

export function* choose<Thought extends Candidate, Words>(
  context: GatherContext,
  kind: Kind<Thought, Words>,
): DatabaseWork<Choosing<Thought, Words>> {
  const pins = idsOf(context.pins, kind.type);
  const bans = idsOf(context.bans, kind.type);
  const redacted = new Set<string>();
  for (;;) {
    const aside = new Set([...bans, ...redacted, ...(kind.except ? [kind.except] : [])]);
    const thoughts = yield* readKept(context, kind, aside, redacted);
    const selection = kind.select(withPinned(thoughts, kind.pinned), pins);
    const shown = unique([...selection.top, ...Object.values(selection.more ?? {}).flat()]);
    const wanted = unique([...shown, ...selection.next]);
    const found = yield* kind.words(wanted);
    const unreadable = wanted.filter(({ id }) => {
      const words = found.get(id);
      return words === undefined || !isReadable(kind.titleOf(words));
    });
    refusePins(context.pins, kind.type, unreadable);
    if (unreadable.length === 0) {
      const next = wanted.slice(shown.length);
      const banned = yield* readBanned(context, kind, bans);
      return { selection, found, withheld: withheldOf(kind, next, found, banned, redacted) };
    }
    for (const { id } of unreadable) redacted.add(id);
  }
}

/** Enough of each class, or all there is; `redacted` learns what was drawn from what may not be seen. */
function* readKept<Thought extends Candidate, Words>(
  { scope }: GatherContext,
  { type, need, read, classOf }: Kind<Thought, Words>,
  aside: ReadonlySet<string>,
  redacted: Set<string>,
): DatabaseWork<readonly Thought[]> {
  const checked = new Set(aside);
  for (let limit = need + aside.size; ; limit *= 4) {
    const rows = yield* read(limit);
    const unchecked = rows.filter(({ id }) => !checked.has(id)).map(({ id }) => id);
    for (const id of yield* findWithheld(type, unchecked, scope)) redacted.add(id);
    const kept = rows.filter(({ id }) => !aside.has(id) && !redacted.has(id));
    if (kept.length === rows.length) return kept;
    for (const id of unchecked) checked.add(id);
    const [all, left] = [countBy(rows, classOf), countBy(kept, classOf)];
    const isShort = [...all].some(
      ([name, count]) => count >= limit && (left.get(name) ?? 0) < need,
    );
    if (!isShort) return kept;
  }
}

function countBy<Thought>(
  thoughts: readonly Thought[],
  classOf: (thought: Thought) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thought of thoughts) {
    const name = classOf(thought);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function withPinned<Thought extends Candidate>(
  thoughts: readonly Thought[],
  pinned: readonly Thought[],
): readonly Thought[] {
  const known = new Set(thoughts.map(({ id }) => id));
  return [...thoughts, ...pinned.filter(({ id }) => !known.has(id))];
}

function unique<Thought extends Candidate>(thoughts: readonly Thought[]): Thought[] {
  return [...new Map(thoughts.map((thought) => [thought.id, thought])).values()];
}

function refusePins(
  pins: readonly Wish[],
  type: ThoughtType,
  unreadable: readonly Candidate[],
): void {
  const pin = pins.find(
    (wish) => wish.type === type && unreadable.some(({ id }) => id === wish.id),
  );
  if (pin !== undefined) throw pinRefused(pin, "it is redacted");
}

/** Undefined where they may not be seen. */
function* readBanned<Thought extends Candidate, Words>(
  { scope }: GatherContext,
  { type, words }: Kind<Thought, Words>,
  bans: ReadonlySet<string>,
): DatabaseWork<ReadonlyMap<string, Words | undefined>> {
  const hidden = yield* findWithheld(type, [...bans], scope);
  const found = yield* words([...bans].map((id) => ({ id, score: { value: 0 } })));
  return new Map([...found].map(([id, word]) => [id, hidden.has(id) ? undefined : word]));
}

/** Of what is redacted not even the title is told, and of many only a few. */
function withheldOf<Thought extends Candidate, Words>(
  { type, titleOf }: Kind<Thought, Words>,
  next: readonly Ranked<Thought>[],
  found: Found<Words>,
  banned: ReadonlyMap<string, Words | undefined>,
  redacted: ReadonlySet<string>,
): Withheld[] {
  const titled = (words: Words | undefined) => {
    const title = words === undefined ? undefined : titleOf(words);
    return title === undefined || !isReadable(title) ? {} : { title };
  };
  return [
    ...next.map(({ id, score }) => ({
      type,
      id,
      score,
      reason: "limit" as const,
      ...titled(found.get(id)),
    })),
    ...[...banned].map(([id, words]) => ({
      type,
      id,
      reason: "banned" as const,
      ...titled(words),
    })),
    ...[...redacted].slice(0, NEXT).map((id) => ({ type, id, reason: "redacted" as const })),
  ];
}
