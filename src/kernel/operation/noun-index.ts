/**
 * What a program can do, by noun, without loading any of it: a command pays for the modules of its own noun,
 * however many methods there are.
 */

import type { Operation } from "./operation.ts";
import { nounOf } from "./operation-name.ts";
import type { Noun } from "./operation-registry.ts";

export interface IndexedNoun extends Noun {
  /** What its commands begin with, and a line of help for each; the noun and its summary unless given. */
  readonly words?: Readonly<Record<string, string>>;
  /** Loads the modules that define its operations; those of other nouns in them do no harm. */
  readonly load: () => Promise<readonly Operation[]>;
}

/** What a method does with a noun of another. */
export type NounAddition = Pick<IndexedNoun, "name" | "load">;

export function withAdditions(
  nouns: readonly IndexedNoun[],
  additions: readonly NounAddition[],
): readonly IndexedNoun[] {
  return nouns.map((noun) => {
    const added = additions.filter(({ name }) => name === noun.name);
    if (added.length === 0) return noun;
    const load = async () => {
      const loaded = await Promise.all([noun, ...added].map((each) => each.load()));
      return loaded.flat();
    };
    return { ...noun, load };
  });
}

export function wordsOf({ name, summary, words }: IndexedNoun): Readonly<Record<string, string>> {
  return words ?? { [name]: summary };
}

export async function loadOperations(nouns: readonly IndexedNoun[]): Promise<readonly Operation[]> {
  const loaded = await Promise.all(
    nouns.map(async (noun) =>
      (await noun.load()).filter((operation) => nounOf(operation) === noun.name),
    ),
  );
  return loaded.flat();
}
