/** A part as it will stand in the prompt: whole, or cut to a limit, with its fences. */

import { type Content, cutContent } from "./content.ts";
import { fenceAround, fenceCharacters } from "./fence-untrusted.ts";
import type { PreparedPart, PreparedPiece } from "./prepare-part.ts";
import { ELLIPSIS } from "./truncate-text.ts";

export interface RenderedPart {
  readonly text: string;
  readonly segments: readonly RenderedSegment[];
  /** Characters of its own, without fences. */
  readonly own: number;
  readonly isCut: boolean;
}

interface RenderedSegment {
  readonly text: string;
  readonly kind: "text" | "marker" | "fence";
  /** Which piece it belongs to, and where in that piece's content it begins. */
  readonly piece: number;
  readonly from: number;
}

export function renderWhole({ pieces }: PreparedPart): RenderedPart {
  const segments: RenderedSegment[] = [];
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (piece !== undefined) addPiece(segments, index, piece, piece.content);
  }
  return finish(segments, false);
}

/** At most `limit` characters, fences included. Undefined when nothing readable would be left. */
export function renderCut(prepared: PreparedPart, limit: number): RenderedPart | undefined {
  const { pieces, part } = prepared;
  const segments: RenderedSegment[] = [];
  let room = limit;
  for (const [index, piece] of pieces.entries()) {
    const overhead = fenceOverhead(piece);
    const size = piece.content.text.length + overhead;
    // One character is kept for the ellipsis, unless this piece is the last.
    if (size <= room - (index === pieces.length - 1 ? 0 : ELLIPSIS.length)) {
      addPiece(segments, index, piece, piece.content);
      room -= size;
      continue;
    }
    const cut = part.cut?.by === "words" ? cutContent(piece.content, room - overhead) : undefined;
    if (cut !== undefined) addPiece(segments, index, piece, cut);
    else segments.push({ text: ELLIPSIS, kind: "marker", piece: index, from: 0 });
    break;
  }
  return segments.some(({ kind }) => kind === "text") ? finish(segments, true) : undefined;
}

function fenceOverhead({ content, provenance }: PreparedPiece): number {
  if (provenance === undefined || content.text === "") return 0;
  return fenceCharacters(provenance, content.text.includes("\n"));
}

function addPiece(
  segments: RenderedSegment[],
  index: number,
  piece: PreparedPiece,
  content: Content,
): void {
  if (content.text === "") return;
  if (piece.provenance === undefined) return addContent(segments, index, content);
  const { opening, closing } = fenceAround(content.text, piece.provenance);
  segments.push({ text: opening, kind: "fence", piece: index, from: 0 });
  addContent(segments, index, content);
  segments.push({ text: closing, kind: "fence", piece: index, from: content.text.length });
}

function addContent(segments: RenderedSegment[], piece: number, { text, marks }: Content): void {
  const add = (kind: "text" | "marker", from: number, to: number): void => {
    if (to > from) segments.push({ text: text.slice(from, to), kind, piece, from });
  };
  let at = 0;
  for (const { start, end } of marks) {
    add("text", at, start);
    add("marker", start, end);
    at = end;
  }
  add("text", at, text.length);
}

function finish(segments: readonly RenderedSegment[], isCut: boolean): RenderedPart {
  let text = "";
  let own = 0;
  for (const segment of segments) {
    text += segment.text;
    if (segment.kind !== "fence") own += segment.text.length;
  }
  return { text, segments, own, isCut };
}
