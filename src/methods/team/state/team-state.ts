/** A team's run as the rules see it: plain data, read from the store or made up by a test. */

import type { Noun, TeamRecords } from "./team-records.ts";
import type { Brief } from "./team-shape.ts";

export type TeamLists = { readonly [Name in Noun]: readonly TeamRecords[Name][] };

/** Everything in the order it was made. */
export interface TeamState extends TeamLists {
  readonly brief: Brief;
  readonly round: number;
}

/** A record as it now is: written over the one of the same id, or new. */
export type Put = {
  [Name in Noun]: { readonly noun: Name; readonly record: TeamRecords[Name] };
}[Noun];

/** What the ids of each noun begin with. */
export const PREFIXES: Readonly<Record<Noun, string>> = {
  members: "m",
  missions: "mission",
  userMessages: "u",
  products: "p",
  versions: "v",
  collabs: "c",
  directives: "d",
  reflections: "r",
  actions: "a",
  inspections: "i",
  messages: "e",
  refusals: "x",
  steps: "s",
  halts: "h",
};

export const NOUNS = Object.keys(PREFIXES) as readonly Noun[];

export function emptyState(brief: Brief): TeamState {
  return {
    brief,
    round: 0,
    members: [],
    missions: [],
    userMessages: [],
    products: [],
    versions: [],
    collabs: [],
    directives: [],
    reflections: [],
    actions: [],
    inspections: [],
    messages: [],
    refusals: [],
    steps: [],
    halts: [],
  };
}

export function applyPuts(state: TeamState, puts: readonly Put[]): TeamState {
  const lists = Object.fromEntries(NOUNS.map((noun) => [noun, [...state[noun]]])) as unknown as {
    [Name in Noun]: TeamRecords[Name][];
  };
  for (const { noun, record } of puts) {
    const list = lists[noun] as { id: string }[];
    const place = list.findIndex(({ id }) => id === record.id);
    if (place === -1) list.push(record);
    else list[place] = record;
  }
  return { ...state, ...lists };
}

/** Numbers count up per noun and are never given twice, whatever is removed. */
export function nextNumber(list: readonly { readonly id: string }[]): number {
  return list.reduce((most, { id }) => Math.max(most, numberOf(id)), 0) + 1;
}

export function numberOf(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}
