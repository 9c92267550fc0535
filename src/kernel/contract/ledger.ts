/**
 * The ledger: every difference between what a model wrote and what we made of it, in words.
 * Past MOST_ENTRIES it goes on counting and says how many more there were, so a megabyte of
 * trailing commas cannot fill the store, and nothing goes unmentioned.
 */

type Step = "extract" | "sections" | "jsonc" | "partial" | "repair" | "coerce" | "validate";

/** How far the reading is from the writing, best first. `lossy` is never accepted by itself. */
export type Loss = "none" | "syntactic" | "coerced" | "lossy" | "refused";

export interface Repair {
  readonly step: Step;
  /** Readable path in the value, "" for the whole. */
  readonly path: string;
  /** UTF-16 offset in the reply, where there is one. */
  readonly offset?: number;
  readonly before: string;
  readonly after: string;
  readonly sentence: string;
  readonly loss: "none" | "syntactic" | "coerced" | "lossy";
}

export interface Ledger {
  add(repair: Repair): void;
  /** Takes over another ledger's entries and its count of those it no longer lists. */
  absorb(other: Ledger, change?: (repair: Repair) => Repair): void;
  listed(): readonly Repair[];
  unlisted(): number;
  /** All entries, the last of them counting what is not listed. */
  entries(): readonly Repair[];
  loss(): Repair["loss"];
}

const MOST_ENTRIES = 500;
/** Longer pieces are kept with how long they were. */
export const MOST_EXCERPT = 200;
const ORDER = ["none", "syntactic", "coerced", "lossy"] as const;

export function createLedger(): Ledger {
  const kept: Repair[] = [];
  let more = 0;
  let worst: Repair["loss"] = "none";
  const worsen = (loss: Repair["loss"]) => {
    if (ORDER.indexOf(loss) > ORDER.indexOf(worst)) worst = loss;
  };
  const add = (repair: Repair) => {
    worsen(repair.loss);
    if (kept.length < MOST_ENTRIES) kept.push(repair);
    else more += 1;
  };
  return {
    add,
    absorb: (other, change = (repair) => repair) => {
      for (const repair of other.listed()) add(change(repair));
      more += other.unlisted();
      worsen(other.loss());
    },
    listed: () => kept,
    unlisted: () => more,
    entries: () => (more === 0 ? kept : [...kept, andMore(more, worst)]),
    loss: () => worst,
  };
}

function andMore(count: number, loss: Repair["loss"]): Repair {
  const sentence = `${count} more repairs were made and are not listed one by one.`;
  return { step: "repair", path: "", before: "", after: "", sentence, loss };
}

/** A piece of text short enough for a ledger or a prompt; what was cut is counted, never hidden. */
export function excerpt(text: string, most: number = MOST_EXCERPT): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}

export function excerptOf(value: unknown): string {
  return excerpt(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
}
