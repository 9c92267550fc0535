/**
 * What was said, as lines of pieces that say where they begin. Every character stays where it is, so that a selection
 * on the page is a passage of the message; Markdown is shown by how its source looks, not by taking it apart.
 */

export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly kind: "highlight" | "decision";
  readonly id: string;
}

export interface Piece {
  readonly at: number;
  readonly text: string;
  readonly style: "plain" | "strong" | "code" | "redacted";
  readonly mark: Mark | undefined;
}

export interface MessageLine {
  readonly at: number;
  readonly kind: "text" | "heading" | "item" | "quote" | "code" | "gap";
  readonly pieces: readonly Piece[];
}

const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(\[redacted\])/g;

export function messageLines(content: string, marks: readonly Mark[]): readonly MessageLine[] {
  const inOrder = marks.toSorted((a, b) => a.start - b.start);
  let at = 0;
  let isCode = false;
  return content.split("\n").map((line) => {
    const start = at;
    at += line.length + 1;
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const kind = isCode || isFence ? "code" : lineKind(line);
    if (isFence) isCode = !isCode;
    const styled = kind === "code" ? [plain(line, start)] : inlinePieces(line, start);
    return { at: start, kind, pieces: styled.flatMap((piece) => cutAtMarks(piece, inOrder)) };
  });
}

function lineKind(line: string): MessageLine["kind"] {
  if (line.trim() === "") return "gap";
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\s*(?:[-*+•]|\d+[.)])\s/.test(line)) return "item";
  if (/^\s*>/.test(line)) return "quote";
  return "text";
}

function plain(text: string, at: number): Piece {
  return { at, text, style: "plain", mark: undefined };
}

function inlinePieces(line: string, start: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of line.matchAll(INLINE)) {
    const [whole, code, strong] = found;
    if (found.index > end) pieces.push(plain(line.slice(end, found.index), start + end));
    const style = code !== undefined ? "code" : strong !== undefined ? "strong" : "redacted";
    pieces.push({ at: start + found.index, text: whole, style, mark: undefined });
    end = found.index + whole.length;
  }
  if (end < line.length) pieces.push(plain(line.slice(end), start + end));
  return pieces;
}

/** Where marks overlap, the one that began first shows. */
function cutAtMarks(piece: Piece, marks: readonly Mark[]): readonly Piece[] {
  const { at, text } = piece;
  const end = at + text.length;
  const pieces: Piece[] = [];
  let from = at;
  const add = (to: number, mark: Mark | undefined) => {
    if (to > from) pieces.push({ ...piece, at: from, text: text.slice(from - at, to - at), mark });
    from = Math.max(from, to);
  };
  for (const mark of marks) {
    if (mark.end <= from || mark.start >= end) continue;
    add(Math.max(from, mark.start), undefined);
    add(Math.min(end, mark.end), mark);
  }
  add(end, undefined);
  return pieces;
}

/** Where a passage stands that is known only by its words, as in a message some of which is not shown. */
export function findPassage(
  content: string,
  words: string,
): { start: number; end: number } | undefined {
  const start = words === "" ? -1 : content.indexOf(words);
  return start < 0 ? undefined : { start, end: start + words.length };
}

/** Sentences and lines, for whoever selects by keyboard. */
export function sentencesOf(
  content: string,
): readonly { readonly start: number; readonly end: number }[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  return [...segmenter.segment(content)].flatMap(({ segment, index }) => {
    const words = segment.trim();
    if (words === "") return [];
    const start = index + segment.indexOf(words);
    return [{ start, end: start + words.length }];
  });
}
