/** How single thoughts are written, the same in every packet that shows them. */

import type { Piece } from "../../../kernel/prompt/part.ts";
import { standingOf } from "./importance.ts";
import type {
  PacketDecision,
  PacketHighlight,
  PacketMessage,
  PacketTask,
} from "./packet-material.ts";
import { noteOf, type OfferedPart } from "./packet-plan.ts";
import { isReadable, pieceOf, type SourceText } from "./source-text.ts";

export interface PlacedIn {
  readonly layer: string;
  readonly order: number;
  readonly keepWith?: string;
}

export function partOf(
  type: "task" | "decision" | "highlight",
  thought: PacketTask | PacketDecision | PacketHighlight,
  text: readonly Piece[],
  place: PlacedIn,
): OfferedPart {
  const { id, score } = thought;
  const note = noteOf("title" in thought ? thought.title : thought.content);
  return { id: `${place.layer}:${type}:${id}`, ...place, kind: type, score, note, text };
}

export function prose(text: string): Piece {
  return { text };
}

/** `Title: content`, or the title alone. */
export function decisionPieces({ title, content }: PacketDecision, maximum: number): Piece[] {
  return withMore([pieceOf(title)], content, maximum);
}

/** `Title (open)` */
export function taskLine(task: PacketTask): Piece[] {
  return [pieceOf(task.title), prose(` (${standingOf(task) ?? task.status})`)];
}

/** `Title (open): description` */
export function taskPieces(task: PacketTask, maximum: number): Piece[] {
  return withMore(taskLine(task), task.description, maximum);
}

/** `Label: content` */
export function highlightPieces({ label, content }: PacketHighlight, maximum: number): Piece[] {
  const head = isReadable(label) ? pieceOf(label) : prose("Highlight");
  return withMore([head], content, maximum);
}

/** `[blocker] Title`, and what it waits for when it is on hold. */
export function tensionPieces(task: PacketTask): Piece[] {
  const mark = task.hasBlocker ? "[blocker] " : task.hasOpenLoop ? "[open loop] " : "";
  const head = mark === "" ? [pieceOf(task.title)] : [prose(mark), pieceOf(task.title)];
  if (task.status !== "on_hold" || !isReadable(task.holdReason)) return head;
  return [...head, prose(" (on hold: "), pieceOf(task.holdReason), prose(")")];
}

/** `Leads in: title.` */
export function sentencePieces(leadIn: string, title: SourceText): Piece[] {
  const isEnded = title.hidden.length === 0 && /[.!?…]$/.test(title.text);
  return [prose(`${leadIn}: `), pieceOf(title), ...(isEnded ? [] : [prose(".")])];
}

const SPEAKERS: Readonly<Partial<Record<PacketMessage["role"], string>>> = {
  user: "User",
  assistant: "AI",
};

export function messagePieces({ role, content }: PacketMessage, maximum: number): Piece[] {
  return [prose(`- ${SPEAKERS[role] ?? role}: `), pieceOf(content, maximum)];
}

function withMore(head: readonly Piece[], more: SourceText, maximum: number): Piece[] {
  return isReadable(more) ? [...head, prose(": "), pieceOf(more, maximum)] : [...head];
}
