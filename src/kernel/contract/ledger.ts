/**
 * The ledger: every difference between what a model wrote and what we made of it, in words.
 * Past MOST_ENTRIES it goes on counting and says how many more there were, so a megabyte of
 * trailing commas cannot fill the store, and nothing goes unmentioned.
 */

export type Step = "extract" | "sections" | "jsonc" | "partial" | "repair" | "coerce" | "validate";

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
  addAll(repairs: readonly Repair[]): void;
  entries(): readonly Repair[];
  loss(): "none" | "syntactic" | "coerced" | "lossy";
}

const MOST_ENTRIES = 500;
const MOST_EXCERPT = 200;
const ORDER = ["none", "syntactic", "coerced", "lossy"] as const;

export function createLedger(): Ledger {
  const kept: Repair[] = [];
  let more = 0;
  let worst = 0;
  const add = (repair: Repair) => {
    worst = Math.max(worst, ORDER.indexOf(repair.loss));
    if (kept.length < MOST_ENTRIES) kept.push(repair);
    else more += 1;
  };
  return {
    add,
    addAll: (repairs) => {
      for (const repair of repairs) add(repair);
    },
    entries: () => (more === 0 ? kept : [...kept, andMore(more, ORDER[worst] ?? "lossy")]),
    loss: () => ORDER[worst] ?? "lossy",
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
