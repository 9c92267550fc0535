/**
 * What a prompt is made of. A layout says once how a kind of prompt reads: its layers, in order.
 * Parts are what this prompt has to say; each belongs to a layer and knows where its text came from.
 * Reading order and importance are separate: fitting leaves parts out, it never reshuffles them.
 */

export interface Layout {
  readonly layers: readonly Layer[];
  /** Between layers. A blank line unless given. */
  readonly separator?: string;
}

export interface Layer {
  readonly id: string;
  readonly role: Role;
  readonly stability: Stability;
  /** The line above the parts; left out with them. */
  readonly heading?: string;
  readonly list?: "numbered" | "bulleted";
  /** Between parts. A line break unless given. */
  readonly separator?: string;
  /** In words, what is missing when no part arrives; the prompt is then refused. */
  readonly needed?: string;
}

export type Role = "system" | "user";

/** What has to change before the layer's text changes. Calls are laid out in this order. */
export type Stability = "fixed" | "project" | "run" | "turn";

export interface Part {
  /** Unique within the prompt. */
  readonly id: string;
  readonly layer: string;
  /** Place within the layer; equal places are read by id. */
  readonly order: number;
  readonly text: string | readonly Piece[];
  /** Of two numbers the higher is served first, whatever the scores. */
  readonly importance: Importance;
  /** Worth compared with parts of the same importance. 1 unless given. */
  readonly score?: Score;
  /** What floors count by, such as `decision`. */
  readonly kind?: string;
  /** How the part may be shortened to fit. Whole or not at all unless given. */
  readonly cut?: Cut;
  /** The id of a part without which this one makes no sense. */
  readonly keepWith?: string;
  /** Why the caller offers it; carried into the ledger. */
  readonly note?: string;
}

/** `required` parts are never left out: a prompt without them is refused. */
export type Importance = "required" | number;

export interface Score {
  readonly value: number;
  /** What the value is the sum of, for people to read. */
  readonly terms?: Readonly<Record<string, number>>;
}

/**
 * A required part that may be cut takes all the room there is before any other part gets some, unless
 * it grows last; what it is to take at most is said by the `maximum` of its pieces.
 */
export interface Cut {
  /** At a word, anywhere in the text; or by leaving out whole pieces from the end. */
  readonly by: "words" | "pieces";
  /** Characters below which the part is not worth having. */
  readonly minimum: number;
  /** A required part grows from its minimum before the others are served, or with what they leave. */
  readonly grows?: "first" | "last";
}

export interface Piece {
  readonly text: string;
  readonly ref?: SourceRef;
  /** Characters of this piece at most; the excess is cut at a word. */
  readonly maximum?: number;
  /** Where text that others wrote came from; it is cleaned and fenced as data. */
  readonly untrusted?: string;
}

export interface SourceRef {
  readonly type: string;
  readonly id: string;
  readonly field?: string;
  readonly version?: string | number;
}

export function isSameSource(a: SourceRef, b: SourceRef): boolean {
  if (a === b) return true;
  return a.type === b.type && a.id === b.id && a.field === b.field && a.version === b.version;
}

/** A candidate that the caller ruled out beforehand; it has its row in the ledger all the same. */
export interface LeftOut {
  readonly id: string;
  readonly layer: string;
  /** One word, such as `inactive`, `redacted`, `limit`. */
  readonly reason: string;
  readonly note?: string;
  readonly ref?: SourceRef;
  readonly kind?: string;
  readonly score?: Score;
}

export const STABILITIES: readonly Stability[] = ["fixed", "project", "run", "turn"];
