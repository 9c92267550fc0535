/** Why each candidate is in the prompt or not. */

import { groupDigits } from "./group-digits.ts";
import type { Importance, Score, SourceRef } from "./part.ts";
import type { Cleaning } from "./prepare-part.ts";

export interface LedgerRow {
  readonly part: string;
  readonly layer: string;
  readonly outcome: "in" | "out";
  /** An `InReason`, an `OutReason`, or the caller's own word for what it left out beforehand. */
  readonly reason: string;
  readonly kind?: string;
  readonly ref?: SourceRef;
  readonly importance?: Importance;
  readonly score?: Score;
  /** What the caller had to say about it. */
  readonly note?: string;
  /** As shown, or as it would have been; fences included. */
  readonly characters?: number;
  readonly tokens?: number;
  readonly truncated?: { readonly from: number; readonly to: number };
  readonly redactions?: number;
  readonly cleaning?: Cleaning;
  /** With `budget`: what it would have needed when this much was left. */
  readonly shortage?: Shortage;
  /** With `duplicate`, `leader_out` and `outranked`: the other part. */
  readonly because?: string;
}

export type InReason = "required" | "pinned" | "floor" | "included";
export type OutReason =
  | "banned"
  | "budget"
  | "below_floor"
  | "duplicate"
  | "empty"
  | "leader_out"
  | "outranked"
  | "redacted";

export interface Shortage {
  readonly needs: number;
  readonly left: number;
  readonly unit: "characters" | "tokens";
}

/** One sentence for people. */
export function explainRow(row: LedgerRow): string {
  const notes = [mainReason(row), ...sideNotes(row)];
  const sentence = notes.join("; ");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function mainReason(row: LedgerRow): string {
  switch (row.reason) {
    case "required":
    case "pinned":
    case "included":
      return row.reason;
    case "floor":
      return `kept a place for ${row.kind ?? "its kind"}`;
    case "banned":
      return "banned from this prompt";
    case "budget":
      return explainShortage(row.shortage);
    case "below_floor":
      return `scored ${row.score?.value ?? 0}, below the lowest score taken`;
    case "duplicate":
      return `says the same as ${row.because ?? "another part"}`;
    case "leader_out":
      return `makes no sense without ${row.because ?? "another part"}`;
    case "outranked":
      return `is less important than ${row.because ?? "another part"}, which had no room`;
    case "empty":
      return "has nothing to say";
    case "redacted":
      return "redacted";
    default:
      return row.reason;
  }
}

function explainShortage(shortage: Shortage | undefined): string {
  if (shortage === undefined) return "did not fit";
  const { needs, left, unit } = shortage;
  return `would need ${groupDigits(needs)} ${unit}, ${groupDigits(left)} were left`;
}

function sideNotes({ truncated, redactions, cleaning, note }: LedgerRow): string[] {
  const notes: string[] = [];
  if (truncated !== undefined) {
    notes.push(`cut to ${groupDigits(truncated.to)} of ${groupDigits(truncated.from)} characters`);
  }
  if (redactions !== undefined)
    notes.push(counted(redactions, "passage redacted", "passages redacted"));
  if (cleaning !== undefined && cleaning.removed > 0) {
    notes.push(
      counted(cleaning.removed, "invisible character removed", "invisible characters removed"),
    );
  }
  if (cleaning !== undefined && cleaning.neutralised > 0) {
    notes.push(counted(cleaning.neutralised, "role marker broken up", "role markers broken up"));
  }
  if (note !== undefined) notes.push(note);
  return notes;
}

function counted(count: number, one: string, many: string): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}
