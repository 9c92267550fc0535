/**
 * Fits the data of a prompt into its budget. Small values stay whole and the large ones share what is
 * left evenly, so no value pushes another out; the text says what was cut, and so does the ledger.
 */

import { groupDigits } from "../../../kernel/prompt/group-digits.ts";
import type { Part, Piece } from "../../../kernel/prompt/part.ts";
import type { PromptPiece } from "./prompt-values.ts";

export interface DraftPart extends Omit<Part, "text"> {
  readonly text: readonly PromptPiece[];
}

/** Fence, marker and what the kernel may add around one value. */
const AROUND_DATA = 320;
/** Headings and separators of the whole prompt. */
const FRAME = 1_000;
const LEAST_SHARE = 200;

export function shareRoom(parts: readonly DraftPart[], budgetCharacters: number): Part[] {
  const data = parts.flatMap(({ text }) => text.filter(isData));
  const words = parts.flatMap(({ text }) => text.filter((piece) => !isData(piece)));
  const spent = lengthOf(words) + data.length * AROUND_DATA + FRAME;
  if (lengthOf(data) + spent <= budgetCharacters) return parts.map(plainPart);
  const share = largestShare(
    data.map(({ text }) => text.length),
    budgetCharacters - spent,
  );
  return parts.map((part) => shortenPart(part, Math.max(LEAST_SHARE, share)));
}

/** The length to which the long ones must be cut so that all fit; the short ones stay as they are. */
export function largestShare(lengths: readonly number[], room: number): number {
  let left = room;
  let waiting = lengths.length;
  for (const length of lengths.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / waiting);
    if (length > share) return share;
    left -= length;
    waiting -= 1;
  }
  return Infinity;
}

function isData({ untrusted }: PromptPiece): boolean {
  return untrusted !== undefined;
}

function lengthOf(pieces: readonly PromptPiece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

function plainPart({ text, ...part }: DraftPart): Part {
  return { ...part, text: text.map(plainPiece) };
}

function plainPiece(piece: PromptPiece): Piece {
  const { shorten: _shorten, ...plain } = piece;
  return plain;
}

function shortenPart({ text, ...part }: DraftPart, share: number): Part {
  const notes: string[] = [];
  const pieces = text.flatMap((piece): readonly Piece[] => {
    if (!isData(piece) || piece.text.length <= share) return [plainPiece(piece)];
    const [most, all] = [groupDigits(share), groupDigits(piece.text.length)];
    notes.push(`${piece.untrusted ?? ""} cut to ${most} of ${all} characters`);
    const marker = { text: `\n[Cut to fit: ${most} of ${all} characters are shown.]` };
    if (piece.shorten === undefined) return [{ ...plainPiece(piece), maximum: share }, marker];
    return [{ ...plainPiece(piece), text: piece.shorten(share) }, marker];
  });
  return { ...part, text: pieces, ...(notes.length === 0 ? {} : { note: notes.join("; ") }) };
}
