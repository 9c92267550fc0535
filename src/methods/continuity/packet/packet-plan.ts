/** A packet before it is fitted: how it reads, what it may say, and what gives way first. */

import type { Layer, Layout, LeftOut, Part, Piece, Score } from "../../../kernel/prompt/part.ts";
import type { Intent } from "./intents.ts";
import type { Withheld } from "./packet-material.ts";
import type { PacketWords } from "./packet-words.ts";
import type { SourceText } from "./source-text.ts";

export interface PacketPlan {
  readonly layout: Layout;
  readonly parts: readonly Part[];
  /** The last layer of context; the note that something was cut follows it. */
  readonly contextEnd: string;
  /** The layer that takes the return contract. */
  readonly contractLayer: string;
  /** Ids of parts that must be in because somebody said so. */
  readonly pins: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** What a packet says beside the project's own words. */
export interface PacketAsk {
  readonly words: PacketWords;
  readonly intent: Intent | undefined;
}

/** All of a packet is one message, read in this order: people copy it as a whole. */
export function section(id: string, heading?: string, more: Partial<Layer> = {}): Layer {
  const layer = { id, role: "user", stability: "turn", ...more } as const;
  return heading === undefined ? layer : { ...layer, heading };
}

/** What is asked, and how to answer: never left out. */
export function required(layer: string, text: string | readonly Piece[], order = 0): Part {
  return { id: `${layer}:${order}`, layer, order, text, importance: "required" };
}

export interface OfferedPart {
  readonly id: string;
  readonly layer: string;
  readonly order: number;
  readonly text: readonly Piece[];
  readonly kind?: string;
  readonly score?: Score;
  readonly keepWith?: string;
  /** What people call it where they read what is in and what is out. */
  readonly note?: string;
}

/** Groups from the most important to the least; within a group the first part matters most. */
export function byImportance(groups: readonly (readonly OfferedPart[])[]): Part[] {
  const parts = groups.flat();
  return parts.map((part, index) => ({ ...part, importance: parts.length - index }));
}

/** The note carries the title, so that people see what they could pin. */
export function leftOutOf(layer: string, withheld: readonly Withheld[]): LeftOut[] {
  return withheld.map(({ type, id, reason, title, score }) => ({
    id: `out:${type}:${id}`,
    layer,
    reason,
    kind: type,
    ref: { type, id },
    ...(title === undefined ? {} : { note: noteOf(title) }),
    ...(score === undefined ? {} : { score }),
  }));
}

const LONGEST_NOTE = 120;

/** A note has no places at which something could be hidden, so it says nothing where anything is. */
export function noteOf({ text, hidden }: SourceText): string {
  if (hidden.length > 0) return "redacted in part";
  return text.length > LONGEST_NOTE ? `${text.slice(0, LONGEST_NOTE - 1).toWellFormed()}…` : text;
}

/** For each pinned thought the most important part that shows it. */
export function pinnedParts(parts: readonly OfferedPart[], pins: ReadonlySet<string>): string[] {
  const found = new Map<string, string>();
  for (const part of parts) {
    for (const id of thoughtsIn([part])) {
      if (pins.has(id) && !found.has(id)) found.set(id, part.id);
    }
  }
  return [...new Set(found.values())];
}

/** The ids of everything these parts would show. */
export function thoughtsIn(parts: readonly OfferedPart[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ text }) => text.flatMap(({ ref }) => ref?.id ?? [])));
}
